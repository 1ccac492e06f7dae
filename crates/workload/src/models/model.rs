//! Draws the jobs of a workload model. `lublin` has its own file; for the other models:
//!
//! 1. *Arrivals*: Gaps are exponential, at a rate that a parameter gives.
//! 2. *Sides* and *run times*: Each model has laws of its own for them, see [`JobLaw`].
//!
//! Gaps, sides and run times come from separate random streams. So workloads of one seed that differ only in
//! the rate have the same jobs, closer together. Times are rounded to microseconds. O(jobs).

use std::fmt;
use std::sync::Arc;

use rand_distr::{Distribution, Exp1};

use super::entry::{ArrivalRate, JobLaw, LEAST_LIKELY, Law, MODELS, ModelEntry};
use super::lublin_jobs::LublinJobsError;
use meshreplay_base::job::{Draws, Job, Shape, Time};
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};

/// A workload model. With a seed and a machine it gives a list of jobs.
#[derive(Clone, Debug)]
pub struct Model {
    entry: &'static ModelEntry,
    jobs: u32,
    law: Arc<Law>,
    /// The available part of the machine's nodes.
    share: f64,
    /// The spec with every default written out.
    spec: Spec,
}

/// The reason why a model gives no jobs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// Too few drawn sides are within the range, so that drawing again would take nearly for ever.
    #[error(
        "{model}: fewer than one in {LEAST_LIKELY} sides is from 1 to {most}; outside=clamp cuts them off"
    )]
    Unlikely {
        /// The spec of the model.
        model: String,
        /// The longest side, in nodes.
        most: u32,
    },
    /// The rate of arrivals is not a positive finite number.
    #[error("{model}: jobs arrive at a rate of {rate:e} per second, expected a number above 0")]
    Rate {
        /// The spec of the model.
        model: String,
        /// The rate in jobs per second.
        rate: f64,
    },
    /// The model of Lublin and Feitelson gives no jobs.
    #[error(transparent)]
    Lublin(#[from] LublinJobsError),
    /// A time exceeds the range of time.
    #[error(
        "{model}: job {number} leaves the range of time, 292,000 years; expected a higher rate or shorter \
             service"
    )]
    OutOfRange {
        /// The spec of the model.
        model: String,
        /// The number of the job, from 1.
        number: i64,
    },
    /// A job has more processors than 32 bits can count.
    #[error("{model}: job {number} has sides {sides:?}, more than 2^32 processors; expected a smaller 'max'")]
    TooLarge {
        /// The spec of the model.
        model: String,
        /// The number of the job, from 1.
        number: i64,
        /// The sides of the job.
        sides: [u32; 3],
    },
}

impl Model {
    /// Returns whether `text` is a spec of a model, and not the name of a file.
    pub fn is_spec(text: &str) -> bool {
        let name = text.split_once(':').map_or(text, |(name, _)| name);
        MODELS.iter().any(|entry| entry.name == name)
    }

    /// Returns the model of a spec such as `synthetic:ratio=1.5,service=5,sides=normal`, or an error if there
    /// is no such model or a parameter is wrong.
    pub fn new(given: &Spec) -> Result<Self, SpecError> {
        let Some(entry) = MODELS.iter().find(|entry| entry.name == given.name) else {
            return Err(unknown("workload model", &given.name, MODELS.iter().map(|entry| entry.name)));
        };
        let mut params = Params::new(given);
        let jobs = params.take("jobs", 10_000_u32, "a whole number from 1 to 100,000,000")?;
        if !(1..=100_000_000).contains(&jobs) {
            return Err(params.bad_value("jobs", &jobs.to_string(), "a whole number from 1 to 100,000,000"));
        }
        let law = (entry.build)(&mut params, given)?;
        Ok(Self { entry, jobs, law: law.into(), share: 1.0, spec: params.finish()? })
    }

    /// Returns the model for a machine with only this share of its nodes available: loads are relative to the
    /// available nodes. The spec stays unchanged.
    #[must_use]
    pub fn on_share(&self, share: f64) -> Self {
        Self { share, ..self.clone() }
    }

    /// Returns the model's row in the registry.
    pub fn entry(&self) -> &'static ModelEntry {
        self.entry
    }

    /// Returns the number of jobs.
    pub fn jobs(&self) -> u32 {
        self.jobs
    }

    /// Returns the spec with every default written out.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Draws the jobs of `seed` for a machine with these extents. Submit times are multiplied by
    /// `arrival_scale`.
    pub fn draw(&self, seed: u64, machine: [u32; 3], arrival_scale: f64) -> Result<Vec<Job>, ModelError> {
        match &*self.law {
            Law::Poisson(rate, law) => self.draw_poisson(*rate, &**law, seed, machine, arrival_scale),
            Law::Lublin(law) => {
                let procs = (nodes(machine) * self.share).round() as u32;
                Ok(law.draw(self.jobs, procs, seed, arrival_scale)?)
            }
        }
    }

    /// Draws jobs whose gaps, sides and run times are independent.
    fn draw_poisson(
        &self,
        rate: ArrivalRate,
        law: &dyn JobLaw,
        seed: u64,
        machine: [u32; 3],
        arrival_scale: f64,
    ) -> Result<Vec<Job>, ModelError> {
        let [mut gaps, mut shapes, mut services] =
            [Draws::Gaps, Draws::Shapes, Draws::Services].map(|draws| draws.of_seed(seed));
        if let Some(most) = law.unlikely(machine) {
            return Err(ModelError::Unlikely { model: self.to_string(), most });
        }
        let law_of_shapes = law.shapes(machine);
        let rate = match rate {
            ArrivalRate::Offered(load) => ArrivalRate::Offered(load * self.share),
            other => other,
        };
        let rate = rate.per_second(nodes(machine), law_of_shapes.mean_size(), law.mean_run_s());
        if !(rate.is_finite() && rate > 0.0) {
            return Err(ModelError::Rate { model: self.to_string(), rate });
        }
        let mut now_s = 0.0_f64;
        let mut jobs = Vec::with_capacity(self.jobs as usize);
        for number in 1..=i64::from(self.jobs) {
            let gap: f64 = Exp1.sample(&mut gaps);
            now_s += gap / rate * arrival_scale;
            let sides = law_of_shapes.sides(&mut shapes);
            let procs = sides.iter().try_fold(1_u32, |product, &side| product.checked_mul(side));
            let Some(procs) = procs else {
                return Err(ModelError::TooLarge { model: self.to_string(), number, sides });
            };
            let run_s = law.run_s(&mut services);
            let (Some(submit), Some(run)) = (time(now_s), time(run_s)) else {
                return Err(ModelError::OutOfRange { model: self.to_string(), number });
            };
            // A job of length 0 would end before any event sees it run.
            let run = run.max(Time::from_micros(1));
            jobs.push(Job {
                number,
                submit,
                run,
                estimate: run,
                procs,
                shape: Shape::Sides(sides),
                ..Job::default()
            });
        }
        Ok(jobs)
    }
}

/// Returns the number of nodes of a machine with these extents.
fn nodes(machine: [u32; 3]) -> f64 {
    machine.iter().map(|&extent| f64::from(extent)).product()
}

/// Returns seconds as a time in whole microseconds; `None` if they exceed the range of time.
fn time(seconds: f64) -> Option<Time> {
    let micros = (seconds * 1e6).round();
    (micros < i64::MAX as f64).then(|| Time::from_micros(micros as i64))
}

/// Writes the shortest spelling: parameters at their default are left out, except the rate of arrivals.
impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut short = self.spec.clone();
        for (key, default) in self.entry.unnamed.iter().chain(&[("jobs", "10000")]) {
            if short.params.get(*key).is_some_and(|value| value == default) {
                short.params.remove(*key);
            }
        }
        short.fmt(f)
    }
}

#[cfg(test)]
impl Model {
    fn poisson(&self) -> (ArrivalRate, &dyn JobLaw) {
        match &*self.law {
            Law::Poisson(rate, law) => (*rate, &**law),
            Law::Lublin(_) => unreachable!("lublin has no independent laws"),
        }
    }

    /// Returns the rate of arrivals, in jobs per second, on a machine with these extents.
    pub(super) fn rate(&self, machine: [u32; 3]) -> f64 {
        self.poisson().0.per_second(nodes(machine), self.mean_size(machine), self.mean_run_s())
    }

    /// Returns the mean number of processors of a job on a machine with these extents.
    pub(super) fn mean_size(&self, machine: [u32; 3]) -> f64 {
        self.poisson().1.shapes(machine).mean_size()
    }

    /// Returns the mean run time of a job in seconds.
    pub(super) fn mean_run_s(&self) -> f64 {
        self.poisson().1.mean_run_s()
    }
}
