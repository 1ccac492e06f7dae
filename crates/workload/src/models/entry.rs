//! Workload models: the registry, its rows, and the laws for drawing jobs.

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::lublin_jobs::{self, LublinJobs};
use super::{rfold_mix, synthetic, tpu_slices};
use meshreplay_base::spec::{Params, Spec, SpecError};

/// If sides outside the range are drawn again, at least one drawn side in this many has to be within the
/// range.
pub(super) const LEAST_LIKELY: u32 = 20;

/// All workload models. To add one, write a file with an `ENTRY` and add a row.
pub const MODELS: &[ModelEntry] =
    &[lublin_jobs::ENTRY, synthetic::ENTRY, tpu_slices::ENTRY, rfold_mix::ENTRY];

/// One row of the registry of workload models.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// The name in specs, in kebab case.
    pub name: &'static str,
    /// One-line description of the jobs.
    pub summary: &'static str,
    /// The source: authors, title or section, venue, year.
    pub source: &'static str,
    /// The parameters as `key=default (other values)`.
    pub parameters: &'static str,
    /// The line that names the model in the header of a log of its jobs.
    pub(super) title: &'static str,
    /// The parameters that are left out of the name in results while they have these values.
    pub(super) unnamed: &'static [(&'static str, &'static str)],
    /// Builds the law of the jobs from the parameters of a spec. Fails if a value is not allowed.
    pub(super) build: fn(&mut Params, &Spec) -> Result<Law, SpecError>,
}

/// How a model draws its jobs.
#[derive(Debug)]
pub(super) enum Law {
    /// Poisson arrivals of jobs with shapes.
    Poisson(ArrivalRate, Box<dyn JobLaw>),
    /// The model of Lublin and Feitelson.
    Lublin(LublinJobs),
}

impl Law {
    /// Takes the rate of arrivals from `params`, which are those of the spec `given`. Without one, the
    /// parameter `key` has the value `rate`.
    pub(super) fn poisson(
        params: &mut Params,
        given: &Spec,
        key: &str,
        rate: f64,
        jobs: impl JobLaw + 'static,
    ) -> Result<Self, SpecError> {
        Ok(Self::Poisson(ArrivalRate::take(params, given, key, rate)?, Box::new(jobs)))
    }
}

/// Laws of the jobs of a model with Poisson arrivals. `machine` is the number of nodes along x, y and z.
pub(super) trait JobLaw: fmt::Debug + Send + Sync {
    /// Returns a side length whose drawing would take nearly forever, if any.
    fn unlikely(&self, _machine: [u32; 3]) -> Option<u32> {
        None
    }
    /// Returns the law of the shapes of jobs for a machine.
    fn shapes(&self, machine: [u32; 3]) -> Box<dyn ShapeLaw + '_>;
    /// Returns the mean run time in seconds.
    fn mean_run_s(&self) -> f64;
    /// Draws a run time in seconds.
    fn run_s(&self, rng: &mut ChaCha8Rng) -> f64;
}

/// Law of the shapes of jobs on one machine.
pub(super) trait ShapeLaw {
    /// Returns the mean number of processors of a job.
    fn mean_size(&self) -> f64;
    /// Draws the sides of a job along x, y and z.
    fn sides(&self, rng: &mut ChaCha8Rng) -> [u32; 3];
}

/// A log-normal distribution of run times.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogNormal {
    /// The median in seconds.
    median_s: f64,
    /// The standard deviation of the natural logarithm.
    sigma: f64,
}

impl LogNormal {
    /// Takes the parameters `median`, in seconds, and `sigma`. Fails if a value is not above 0.
    pub(super) fn take(params: &mut Params) -> Result<Self, SpecError> {
        Ok(Self { median_s: positive(params, "median", 14_800.0)?, sigma: positive(params, "sigma", 1.0)? })
    }

    pub(super) fn mean_s(self) -> f64 {
        self.median_s * (self.sigma * self.sigma / 2.0).exp()
    }

    /// Draws a run time: a whole number of seconds, at least 1.
    pub(super) fn draw_s(self, rng: &mut ChaCha8Rng) -> f64 {
        let unit: f64 = StandardNormal.sample(rng);
        (self.median_s * (self.sigma * unit).exp()).round().max(1.0)
    }
}

/// Arrival rate, given in one of three ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ArrivalRate {
    /// The traffic ratio: rate times mean run time.
    Ratio(f64),
    /// The number of jobs per second.
    Rate(f64),
    /// Offered load: arriving work divided by the capacity of the machine.
    Offered(f64),
}

/// The expectation of a parameter, in words.
const ABOVE_ZERO: &str = "a number above 0";

/// A parameter that gives the rate, and the case that it stands for.
type Spelling = (&'static str, fn(f64) -> ArrivalRate);

/// The parameters that give the rate of arrivals.
const SPELLINGS: [Spelling; 3] =
    [("ratio", ArrivalRate::Ratio), ("rate", ArrivalRate::Rate), ("offered", ArrivalRate::Offered)];

impl ArrivalRate {
    /// Takes the rate of arrivals from `params`. It is given by one of three parameters; more than one is an
    /// error. If none is given, it is the parameter `default_key` with the value `default`. `given` is the
    /// spec that `params` were made of.
    pub(super) fn take(
        params: &mut Params,
        given: &Spec,
        default_key: &str,
        default: f64,
    ) -> Result<Self, SpecError> {
        let mut named = SPELLINGS.iter().filter(|(key, _)| given.params.contains_key(*key));
        let by_default = || SPELLINGS.iter().find(|(key, _)| *key == default_key);
        let (key, rate) = named.next().or_else(by_default).unwrap_or(&SPELLINGS[0]);
        if let Some((other, _)) = named.next() {
            let found = given.params.get(*other).cloned().unwrap_or_default();
            return Err(params.bad_value(
                other,
                &found,
                &format!("nothing, as '{key}' says how often jobs arrive"),
            ));
        }
        for (other, _) in SPELLINGS.iter().filter(|(other, _)| other != key) {
            // It is not given; messages on unknown parameters list it.
            params.take_text(other);
        }
        Ok(rate(positive(params, key, default)?))
    }

    /// Returns the rate in jobs per second on a machine of `nodes` nodes, for jobs of `mean_size` processors
    /// and a run time of `mean_run_s` seconds on average.
    pub(super) fn per_second(self, nodes: f64, mean_size: f64, mean_run_s: f64) -> f64 {
        match self {
            Self::Ratio(ratio) => ratio / mean_run_s,
            Self::Rate(rate) => rate,
            Self::Offered(load) => load * nodes / (mean_size * mean_run_s),
        }
    }
}

/// Takes a parameter that is a finite number above 0, or `default` if it is not given.
pub(super) fn positive(params: &mut Params, key: &str, default: f64) -> Result<f64, SpecError> {
    let value = params.take(key, default, ABOVE_ZERO)?;
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(params.bad_value(key, &value.to_string(), ABOVE_ZERO))
    }
}

/// Takes a parameter that is a finite number above 0; `None` if it is not given.
pub(super) fn optional(params: &mut Params, key: &str) -> Result<Option<f64>, SpecError> {
    let Some(text) = params.take_text(key) else { return Ok(None) };
    match text.parse() {
        Ok(value) if f64::is_finite(value) && value > 0.0 => Ok(Some(value)),
        _ => Err(params.bad_value(key, &text, ABOVE_ZERO)),
    }
}
