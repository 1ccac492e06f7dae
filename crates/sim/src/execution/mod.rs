//! Execution models: the run times of started jobs. This module has the trait and the registry.
#![expect(clippy::arithmetic_side_effects, reason = "jobs have numbers of 32 bits")]

mod recorded;
mod wormhole;

pub use recorded::RecordedRunTimes;
pub use wormhole::{JobTraffic, Measured, OpenLoop, Traffic, Windows, patterns};

use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeId};

/// A job that starts.
#[derive(Clone, Copy, Debug)]
pub struct Started<'a> {
    /// Its position in the replay.
    pub id: JobId,
    /// The job itself.
    pub job: &'a Job,
    /// Its nodes, in rank order.
    pub nodes: &'a [NodeId],
    /// The time of its start.
    pub now: Time,
}

/// An execution model. It decides when started jobs end. The engine asks for the next end and then advances
/// the model to that time.
pub trait Execution: Send {
    /// Starts a job. The start is never before a time that the model was advanced to or has looked ahead to.
    fn start(&mut self, started: Started<'_>);

    /// Suspends running jobs, each for a length of time that delays its end. Requires [`Self::postpones`].
    fn postpone(&mut self, _jobs: &[(JobId, Time)]) {}

    /// Returns whether running jobs can be moved to other nodes.
    fn postpones(&self) -> bool {
        false
    }

    /// Ends a running job early because it is killed. The job can be started again. Requires
    /// [`Self::cancels`].
    fn cancel(&mut self, _job: JobId) {}

    /// Returns whether running jobs can be killed.
    fn cancels(&self) -> bool {
        false
    }

    /// Returns the end of a running job, or `None` if the model cannot know it or the job does not run.
    fn end_of(&self, _job: JobId) -> Option<Time> {
        None
    }

    /// Returns the end of the next job, provided that no job starts or moves before. A simulating model looks
    /// ahead to `until` at most, and gives up once `stop` is thrown.
    fn next_completion(&mut self, until: Time, stop: &Stop) -> Next;

    /// Ends the jobs that end up to `until` and appends them to `done`, in the order of their ends.
    fn advance(&mut self, until: Time, done: &mut Vec<JobId>);

    /// Returns the packets of a job that has ended, or `None` for models without a network.
    fn traffic_of(&self, _job: JobId) -> Option<JobTraffic> {
        None
    }

    /// Returns the measurements of the network, or `None` for models without one.
    fn traffic(&mut self) -> Option<Traffic> {
        None
    }
}

/// The end of the next running job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// At this time.
    At(Time),
    /// After the time that the model looked ahead to.
    Later,
    /// Never: no job runs.
    Idle,
    /// Unknown: the replay is stopped.
    Stopped,
}

impl Next {
    /// Returns the end if it is known.
    pub fn time(self) -> Option<Time> {
        match self {
            Self::At(time) => Some(time),
            Self::Later | Self::Idle | Self::Stopped => None,
        }
    }
}

/// Inputs of the builder of an execution model.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The machine.
    pub mesh: &'a Mesh,
    /// Number of jobs of the replay.
    pub jobs: usize,
    /// Seed of the replay, the same for every allocator.
    pub seed: u64,
}

/// A function that builds an execution model from the parameters of its spec.
pub type Builder = fn(&mut Params, &Setup<'_>) -> Result<Box<dyn Execution>, SpecError>;

/// A row of the registry of execution models.
#[derive(Clone, Copy, Debug)]
pub struct NetworkEntry {
    /// Its name in specs, in kebab-case.
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// Its source: authors, title or section, venue and year.
    pub source: &'static str,
    /// Its parameters as `key=default (others)`; empty if it has none.
    pub parameters: &'static str,
    /// Builds the model.
    pub build: Builder,
}

/// The rows of all execution models.
pub const NETWORKS: &[NetworkEntry] = &[recorded::ENTRY, wormhole::ENTRY];

/// Name of the model without messages.
pub const RECORDED: &str = recorded::ENTRY.name;

/// Returns whether replays with the execution model `spec` measure messages: all registered models but
/// recorded run times do, guests do not.
pub fn has_traffic(spec: &Spec) -> bool {
    spec.name != RECORDED && !spec.is_guest()
}

/// Builds the execution model named by `spec`. Returns the model and the spec with all defaults written out.
/// Fails for an unknown name, or an unknown or invalid parameter.
pub fn build(spec: &Spec, setup: &Setup<'_>) -> Result<(Box<dyn Execution>, Spec), SpecError> {
    let Some(entry) = NETWORKS.iter().find(|entry| entry.name == spec.name) else {
        return Err(unknown("network", &spec.name, NETWORKS.iter().map(|entry| entry.name)));
    };
    let mut params = Params::new(spec);
    let model = (entry.build)(&mut params, setup)?;
    Ok((model, params.finish()?))
}
