//! The jobs of the Lublin–Feitelson model for a machine, at the model's own load or stretched to another one.

use super::entry::{Law, ModelEntry, optional};
use super::lublin::{Lublin, LublinError, LublinJob, LublinOptions, load_of};
use crate::rules::rule_set::scaled_submit;
use meshreplay_base::job::{Job, LogNumber, Logged, Time};
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The model's row in the registry.
pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "lublin",
    summary: "rigid jobs in batch and interactive streams with a daily cycle; sizes fitted to the machine",
    source: "Lublin, Feitelson, J. Parallel and Distributed Computing 63(11), 2003",
    parameters: "jobs=10000, load=L (that of the model), types=batch+interactive (typeless), sizes=machine \
         (published)",
    title: "workload model of Lublin and Feitelson (2003)",
    unnamed: &[("types", "batch+interactive"), ("sizes", "machine")],
    build,
};

/// The two versions of the model. Each row has a flag (whether the version is typeless), the name, and the
/// meaning of the queues in its logs.
pub const LUBLIN_TYPES: [(bool, &str, &str); 2] = [
    (false, "batch+interactive", "Queue 0 interactive, queue 1 batch"),
    (true, "typeless", "One stream fitted to both, in queue 0"),
];

/// The greatest offered load. Far greater ones would let all jobs arrive in the same second.
pub const MOST_LOAD: f64 = 100.0;

/// The reason why the model gives no jobs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LublinJobsError {
    /// There is no model for these options.
    #[error(transparent)]
    Model(#[from] LublinError),
    /// The load is so small that the stretched submit times exceed the range of time.
    #[error("load {load:?} stretches arrivals beyond the range of time, 292,000 years; a larger load helps")]
    SmallLoad {
        /// The load as given.
        load: f64,
    },
    /// All jobs have the same submit time, so no factor changes the load.
    #[error("a load needs jobs that arrive at different times; make more jobs")]
    OneArrival,
}

/// The model with its options and a load.
#[derive(Clone, Copy, Debug)]
pub struct LublinJobs {
    /// The choices that the model leaves open.
    pub options: LublinOptions,
    /// Target for the offered load: submit times are stretched until the work of the jobs, divided by the
    /// capacity from the first to the last arrival, is `load`. `None` keeps the model's submit times.
    pub load: Option<f64>,
}

/// Reads the parameters. Fails if a value is not allowed.
fn build(params: &mut Params, _given: &Spec) -> Result<Law, SpecError> {
    let load = optional(params, "load")?;
    if let Some(load) = load.filter(|load| *load > MOST_LOAD) {
        return Err(params.bad_value("load", &load.to_string(), "a number above 0 and at most 100"));
    }
    let types = LUBLIN_TYPES.map(|(typeless, name, _)| (name, typeless));
    let typeless = params.choose("types", &types)?;
    let published_sizes = params.choose("sizes", &[("machine", false), ("published", true)])?;
    Ok(Law::Lublin(LublinJobs { options: LublinOptions { typeless, published_sizes }, load }))
}

/// The jobs of a seed, and the factor of their submit times that gives the load.
pub(super) struct StretchedJobs {
    jobs: std::iter::Take<Lublin>,
    pub(super) factor: Option<f64>,
}

impl StretchedJobs {
    /// Returns the jobs in the order of arrival.
    pub(super) fn into_iter(self) -> impl Iterator<Item = LublinJob> + Send {
        let factor = self.factor;
        self.jobs.map(move |job| factor.map_or(job, |factor| job.stretched(factor)))
    }
}

impl LublinJobs {
    /// Returns the first `jobs` jobs of a seed for a machine of `procs` processors. With a load, the jobs are
    /// drawn twice, as the load without stretching is known only at the end. Memory holds no jobs.
    pub(super) fn stretched(
        self,
        jobs: u32,
        procs: u32,
        seed: u64,
    ) -> Result<StretchedJobs, LublinJobsError> {
        let jobs = Lublin::new(procs, self.options, seed)?.take(jobs as usize);
        let Some(load) = self.load else { return Ok(StretchedJobs { jobs, factor: None }) };
        let (offered, last_s) = load_of(jobs.clone(), procs).ok_or(LublinJobsError::OneArrival)?;
        let factor = offered / load;
        if last_s as f64 * factor >= Time::MAX.as_seconds() {
            return Err(LublinJobsError::SmallLoad { load });
        }
        Ok(StretchedJobs { jobs, factor: Some(factor) })
    }

    /// Draws jobs for a replay, numbered from 1. A replay of a log of this model has the same jobs.
    pub(super) fn draw(
        self,
        jobs: u32,
        procs: u32,
        seed: u64,
        arrival_scale: f64,
    ) -> Result<Vec<Job>, LublinJobsError> {
        let drawn = self.stretched(jobs, procs, seed)?.into_iter();
        let jobs: Vec<Job> =
            (1..).zip(drawn).map(|(number, job)| to_job(number, job, arrival_scale)).collect();
        Ok(jobs)
    }
}

fn to_job(number: i64, drawn: LublinJob, arrival_scale: f64) -> Job {
    let [submit, run] = [drawn.submit_s, drawn.run_s].map(Time::from_seconds);
    let queue = LogNumber::of(i64::from(!drawn.interactive));
    Job {
        number,
        submit: scaled_submit(submit, arrival_scale),
        run,
        estimate: run,
        procs: drawn.procs,
        logged: Logged { submit, queue, ..Logged::default() },
        ..Job::default()
    }
}
