//! Workload models of jobs that bring their shape: how jobs are drawn from one of them.
//!
//! 1. *Arrivals*: Gaps are exponential, at a rate that a parameter gives.
//! 2. *Sides* and *run times*: Each model has laws of its own for them, see [`JobLaw`].
//!
//! Gaps, sides and run times come from separate random streams. So workloads of one seed that differ only in
//! the rate have the same jobs, closer together. Times are rounded to microseconds. O(jobs).

use std::fmt;
use std::sync::Arc;

use rand_distr::{Distribution, Exp1};

use super::arrival_rate::ArrivalRate;
use super::entry::{JobLaw, LEAST_LIKELY, MODELS, ModelEntry};
use meshreplay_base::job::{Draws, Job, Shape, Time};
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};

/// A workload model. With a seed and a machine it gives a list of jobs.
#[derive(Clone, Debug)]
pub struct Model {
    entry: &'static ModelEntry,
    jobs: u32,
    rate: ArrivalRate,
    law: Arc<dyn JobLaw>,
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
        let rate = ArrivalRate::take(&mut params, given, entry.rate.0, entry.rate.1)?;
        let law = (entry.build)(&mut params, given)?;
        Ok(Self { entry, jobs, rate, law: law.into(), spec: params.finish()? })
    }

    /// Returns the model for a machine with only this share of its nodes available: an offered load is
    /// relative to the available nodes. The spec stays unchanged.
    #[must_use]
    pub fn on_share(&self, share: f64) -> Self {
        let rate = match self.rate {
            ArrivalRate::Offered(load) => ArrivalRate::Offered(load * share),
            other => other,
        };
        Self { rate, ..self.clone() }
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

    /// Returns the rate of arrivals, in jobs per second, on a machine with these extents.
    pub fn rate(&self, machine: [u32; 3]) -> f64 {
        let nodes: f64 = machine.iter().map(|&extent| f64::from(extent)).product();
        self.rate.per_second(nodes, self.mean_size(machine), self.law.mean_run_s())
    }

    /// Returns the mean number of processors of a job on a machine with these extents.
    pub fn mean_size(&self, machine: [u32; 3]) -> f64 {
        self.law.shapes(machine).mean_size()
    }

    /// Returns the mean run time of a job in seconds.
    pub fn mean_run_s(&self) -> f64 {
        self.law.mean_run_s()
    }

    /// Draws the jobs of `seed` for a machine with these extents. Submit times are multiplied by
    /// `arrival_scale`.
    pub fn draw(&self, seed: u64, machine: [u32; 3], arrival_scale: f64) -> Result<Vec<Job>, ModelError> {
        let [mut gaps, mut shapes, mut services] =
            [Draws::Gaps, Draws::Shapes, Draws::Services].map(|draws| draws.of_seed(seed));
        if let Some(most) = self.law.unlikely(machine) {
            return Err(ModelError::Unlikely { model: self.to_string(), most });
        }
        let rate = self.rate(machine);
        if !(rate.is_finite() && rate > 0.0) {
            return Err(ModelError::Rate { model: self.to_string(), rate });
        }
        let law = self.law.shapes(machine);
        let mut now_s = 0.0_f64;
        let mut jobs = Vec::with_capacity(self.jobs as usize);
        for number in 1..=i64::from(self.jobs) {
            let gap: f64 = Exp1.sample(&mut gaps);
            now_s += gap / rate * arrival_scale;
            let sides = law.sides(&mut shapes);
            let procs = sides.iter().try_fold(1_u32, |product, &side| product.checked_mul(side));
            let Some(procs) = procs else {
                return Err(ModelError::TooLarge { model: self.to_string(), number, sides });
            };
            let run_s = self.law.run_s(&mut services);
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
