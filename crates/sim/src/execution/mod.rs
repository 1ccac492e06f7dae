//! Execution models decide how long a started job runs. This file has their trait and their registry.
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
    /// Starts a job. Its start is never before a time to which the model was advanced or has looked ahead.
    fn start(&mut self, started: Started<'_>);

    /// Suspends running jobs, each for the given length of time, so that they end later. Only models with
    /// [`Self::postpones`] support this.
    fn postpone(&mut self, _jobs: &[(JobId, Time)]) {}

    /// Returns whether running jobs can be moved to other nodes.
    fn postpones(&self) -> bool {
        false
    }

    /// Ends a running job before it has run, because it is killed. It can be started again. Only models with
    /// [`Self::cancels`] support this.
    fn cancel(&mut self, _job: JobId) {}

    /// Returns whether running jobs can be killed.
    fn cancels(&self) -> bool {
        false
    }

    /// Returns when a running job will end; `None` if the model cannot know it or the job does not run.
    fn end_of(&self, _job: JobId) -> Option<Time> {
        None
    }

    /// Returns when the next running job ends if no job starts or moves before. A model that has to simulate
    /// may look ahead to `until` at most. It gives up once `stop` is thrown.
    fn next_completion(&mut self, until: Time, stop: &Stop) -> Next;

    /// Ends the jobs that end up to `until`, and appends them to `done` in the order of their ends.
    fn advance(&mut self, until: Time, done: &mut Vec<JobId>);

    /// Returns what was measured of the messages between processes; `None` for models without a network.
    fn traffic(&mut self) -> Option<Traffic> {
        None
    }
}

/// The answer to the question when the next running job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It ends at this time.
    At(Time),
    /// It ends after the time up to which the model looked ahead.
    Later,
    /// Never: no job runs.
    Idle,
    /// Unknown: the replay was stopped.
    Stopped,
}

impl Next {
    /// Returns the time of the end; `None` if it is not known.
    pub fn time(self) -> Option<Time> {
        match self {
            Self::At(time) => Some(time),
            Self::Later | Self::Idle | Self::Stopped => None,
        }
    }
}

/// The facts of a replay that the builder of an execution model may use.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The machine on which the jobs run.
    pub mesh: &'a Mesh,
    /// The number of jobs of the replay.
    pub jobs: usize,
    /// The seed of the replay. It is the same for every allocator.
    pub seed: u64,
}

/// A function that builds an execution model from the parameters of its spec.
pub type Builder = fn(&mut Params, &Setup<'_>) -> Result<Box<dyn Execution>, SpecError>;

/// A row of the registry of execution models.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name in specs, in kebab-case.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its source: authors, title or section, venue and year.
    pub source: &'static str,
    /// Its parameters as `key=default (others)`; empty if it has none.
    pub parameters: &'static str,
    /// Builds the model.
    pub build: Builder,
}

/// The rows of all execution models.
pub const NETWORKS: &[Entry] = &[recorded::ENTRY, wormhole::ENTRY];

/// The name of the model without messages.
pub const RECORDED: &str = recorded::ENTRY.name;

/// Returns whether replays with the execution model `spec` have numbers of messages: every model of ours
/// except recorded run times has them, models from outside have none.
pub fn has_traffic(spec: &Spec) -> bool {
    spec.name != RECORDED && !spec.is_guest()
}

/// Builds the execution model that `spec` names. Returns it with the spec in which every default is written
/// out. Fails if no model has this name, or if a parameter is unknown or invalid.
pub fn build(spec: &Spec, setup: &Setup<'_>) -> Result<(Box<dyn Execution>, Spec), SpecError> {
    let Some(entry) = NETWORKS.iter().find(|entry| entry.name == spec.name) else {
        return Err(unknown("network", &spec.name, NETWORKS.iter().map(|entry| entry.name)));
    };
    let mut params = Params::new(spec);
    let model = (entry.build)(&mut params, setup)?;
    Ok((model, params.finish()?))
}
