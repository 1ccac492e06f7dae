//! Execution models: how long a started job runs. The trait, and the registry.

mod recorded;
mod wormhole;

pub use recorded::RecordedRunTimes;
pub use wormhole::{JobTraffic, Traffic};

use crate::job::{Job, JobId, Time};
use crate::machine::{Mesh, NodeId};
use crate::spec::{Params, Spec, SpecError, unknown};
use crate::stop::Stop;

/// A job that starts.
#[derive(Clone, Copy, Debug)]
pub struct Started<'a> {
    /// Which one.
    pub id: JobId,
    /// What it is.
    pub job: &'a Job,
    /// What it holds.
    pub nodes: &'a [NodeId],
    /// When it starts.
    pub now: Time,
}

/// Decides when started jobs end. The engine asks when the next one does and moves the model there.
pub trait Execution: Send {
    /// A job starts; never before the time to which the model was last asked to look or moved.
    fn start(&mut self, started: Started<'_>);

    /// Running jobs stand still for a while and end so much later: each with how much. Only for models that
    /// [`Self::postpones`] says can do it.
    fn postpone(&mut self, _jobs: &[(JobId, Time)]) {}

    /// Returns whether running jobs can be moved to other nodes.
    fn postpones(&self) -> bool {
        false
    }

    /// When a running job will end; `None` if that cannot be told or it does not run.
    fn end_of(&self, _job: JobId) -> Option<Time> {
        None
    }

    /// Returns when the next running job ends if nothing starts or moves until then. A model that has to find out may
    /// look as far as `until` and no farther, and gives up once `stop` is thrown.
    fn next_completion(&mut self, until: Time, stop: &Stop) -> Next;

    /// Ends the jobs that end until `until`, appending them to `done` in the order of their ends.
    fn advance(&mut self, until: Time, done: &mut Vec<JobId>);

    /// What the jobs have sent each other; nothing for models without a network.
    fn traffic(&mut self) -> Option<Traffic> {
        None
    }
}

/// When the next running job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// At this time.
    At(Time),
    /// After the time as far as which was looked.
    Later,
    /// Never: nothing runs.
    Idle,
    /// That was not found out, since the switch was thrown.
    Stopped,
}

impl Next {
    /// The time of the end if it is known.
    pub fn time(self) -> Option<Time> {
        match self {
            Self::At(time) => Some(time),
            Self::Later | Self::Idle | Self::Stopped => None,
        }
    }
}

/// What a builder may look at.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The machine on which jobs run.
    pub mesh: &'a Mesh,
    /// Number of jobs of the replay.
    pub jobs: usize,
    /// Seed of the replay; the same for every allocator.
    pub seed: u64,
}

/// Builds an execution model from the parameters that its spec gives.
pub type Builder = fn(&mut Params, &Setup<'_>) -> Result<Box<dyn Execution>, SpecError>;

/// One row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in specs; kebab-case.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// Authors, title or section, venue, year.
    pub source: &'static str,
    /// Its parameters as `key=default (others)`, or nothing.
    pub parameters: &'static str,
    /// Builds it.
    pub build: Builder,
}

/// Every execution model.
pub const NETWORKS: &[Entry] = &[recorded::ENTRY, wormhole::ENTRY];

/// The name of the model without messages.
pub const RECORDED: &str = recorded::ENTRY.name;

/// Builds the execution model that `spec` names, and the spec with every default written out.
pub fn build(spec: &Spec, setup: &Setup<'_>) -> Result<(Box<dyn Execution>, Spec), SpecError> {
    let Some(entry) = NETWORKS.iter().find(|entry| entry.name == spec.name) else {
        return Err(unknown("network", &spec.name, NETWORKS.iter().map(|entry| entry.name)));
    };
    let mut params = Params::new(spec);
    let model = (entry.build)(&mut params, setup)?;
    Ok((model, params.finish()?))
}
