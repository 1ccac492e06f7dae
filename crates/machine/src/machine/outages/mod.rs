//! Outages: nodes of a machine go down and come up again. Read from a file or drawn from a seed.
//!
//! Planned outages are of the whole machine and known to schedulers in advance.
//!
//! [`OutageSource`] is the user's description, [`Outages`] is the sequence of changes for one machine and one
//! replication, and [`Treatment`] is the policy for a job on a node that goes down.

mod drawn;
mod file;

pub use self::drawn::Failures;
pub use self::file::{OutageFileError, OutageProblem};

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use self::drawn::Drawn;
use super::mesh::{Mesh, NodeId};
use meshreplay_base::job::Time;
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};

/// A change of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeChange {
    /// The time of the change.
    pub time: Time,
    /// The node.
    pub node: NodeId,
    /// Whether the node goes down; otherwise it comes up.
    pub is_down: bool,
}

/// The description of outages: a file, or a distribution of failures.
#[derive(Clone, Debug, PartialEq)]
pub enum OutageSource {
    /// The file at this path has a line for every change.
    File(String),
    /// Failures and repairs are drawn from the seed of the replay.
    Random(Failures),
    /// The log itself shows planned outages of the whole machine. Nodes do not go down: nothing starts that
    /// would run into such an outage.
    Recorded,
}

/// The name of the outages that a log shows.
const RECORDED: &str = "recorded";

impl FromStr for OutageSource {
    type Err = SpecError;

    /// Reads `recorded`, `random:mtbf=…,repair=…`, or else the path of a file. The file is not opened.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text.split(':').next() {
            Some(drawn::NAME) => Ok(Self::Random(text.parse()?)),
            _ if text == RECORDED => Ok(Self::Recorded),
            _ => Ok(Self::File(text.to_owned())),
        }
    }
}

/// Writes the text that gives this source when it is read.
impl fmt::Display for OutageSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.pad(path),
            Self::Random(failures) => failures.fmt(f),
            Self::Recorded => f.pad(RECORDED),
        }
    }
}

impl OutageSource {
    /// Returns the changes for `mesh`. Drawn failures begin at `from`, when all nodes are up, and depend on
    /// nothing but the machine and `seed`: they are the same for every scheduler and allocator.
    ///
    /// Outages of the log change no node. Fails if a file cannot be read or does not suit the machine.
    pub fn on(&self, mesh: &Mesh, seed: u64, from: Time) -> Result<Outages, OutageFileError> {
        Ok(match self {
            Self::File(path) => file::read(&PathBuf::from(path), mesh)?,
            Self::Random(failures) => Outages {
                changes: Changes::Drawn(Box::new(Drawn::new(failures, mesh, seed, from))),
                planned: Vec::new(),
            },
            Self::Recorded => Outages::listed(Vec::new()),
        })
    }

    /// Returns the source with the same word in place of the path of any file.
    #[must_use]
    pub fn without_path(&self) -> Self {
        match self {
            Self::File(_) => Self::File("file".to_owned()),
            Self::Random(_) | Self::Recorded => self.clone(),
        }
    }

    /// Returns the path of the file that lists the outages; `None` without one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::File(path) => Some(path),
            Self::Random(_) | Self::Recorded => None,
        }
    }

    /// Returns whether nodes go down.
    pub fn takes_nodes_down(&self) -> bool {
        *self != Self::Recorded
    }
}

/// The changes of a machine's nodes in the order of time. The changes of a node alternate: down, up, down,
/// and so on.
#[derive(Clone, Debug)]
pub struct Outages {
    changes: Changes,
    /// Outages of the whole machine that are known in advance, each with its beginning and its end, in order.
    pub planned: Vec<[Time; 2]>,
}

#[derive(Clone, Debug)]
enum Changes {
    Listed(VecDeque<NodeChange>),
    Drawn(Box<Drawn>),
}

impl Outages {
    /// Returns changes that are given in the order of time.
    pub fn listed(changes: Vec<NodeChange>) -> Self {
        Self { changes: Changes::Listed(changes.into()), planned: Vec::new() }
    }

    /// Returns the time of the next change; `None` if there will be none.
    pub fn next_time(&self) -> Option<Time> {
        match &self.changes {
            Changes::Listed(changes) => changes.front().map(|change| change.time),
            Changes::Drawn(drawn) => drawn.next_time(),
        }
    }

    /// Returns whether there is always a further change.
    pub fn is_endless(&self) -> bool {
        matches!(self.changes, Changes::Drawn(_))
    }

    /// Removes and returns the next change if it happens up to `now`; `None` if it happens later or never.
    pub fn take_due(&mut self, now: Time) -> Option<NodeChange> {
        self.next_time().filter(|&time| time <= now)?;
        match &mut self.changes {
            Changes::Listed(changes) => changes.pop_front(),
            Changes::Drawn(drawn) => drawn.take(),
        }
    }
}

/// The treatment of a job when one of its nodes goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The job is killed. Its other nodes are free at once. It returns to the queue, at the place that its
    /// submission has there, and runs again from the start.
    Requeue {
        /// The number of times that one job returns to the queue. A job that is killed once more is given up.
        limit: u32,
    },
    /// The job goes on. The node leaves the machine when the job ends.
    Drain,
}

/// The limit of requeues unless another is given. A job that fails so often has no chance to end.
const LIMIT: u32 = 1000;

impl Default for Treatment {
    fn default() -> Self {
        Self::Requeue { limit: LIMIT }
    }
}

impl FromStr for Treatment {
    type Err = SpecError;

    /// Reads `drain`, `requeue` or `requeue:limit=3`.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let spec: Spec = text.parse()?;
        let mut params = Params::new(&spec);
        let treatment = match spec.name.as_str() {
            "requeue" => {
                Self::Requeue { limit: params.take("limit", LIMIT, "a whole number from 0 to 4294967295")? }
            }
            "drain" => Self::Drain,
            other => {
                return Err(unknown("treatment of jobs on nodes that go down", other, ["requeue", "drain"]));
            }
        };
        params.finish()?;
        Ok(treatment)
    }
}

/// Writes the text that gives this treatment when it is read, with every default written out.
impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requeue { limit } => write!(f, "requeue:limit={limit}"),
            Self::Drain => f.pad("drain"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn treatments_have_names() {
        let parsed = |text: &str| text.parse::<Treatment>().map_err(|error| error.to_string());
        assert_eq!(parsed("drain"), Ok(Treatment::Drain));
        assert_eq!(parsed("requeue"), Ok(Treatment::default()));
        assert_eq!(parsed("requeue:limit=0"), Ok(Treatment::Requeue { limit: 0 }));
        for text in ["drain", "requeue:limit=7"] {
            assert_eq!(parsed(text).map(|treatment| treatment.to_string()), Ok(text.to_owned()));
        }
        for (text, message) in [
            ("kill", "unknown treatment of jobs on nodes that go down 'kill' (one of: requeue, drain)"),
            ("drain:limit=3", "'drain' has no parameter 'limit' (it has none)"),
            (
                "requeue:limit=-1",
                "parameter 'limit' of 'requeue' is '-1': expected a whole number from 0 to 4294967295",
            ),
        ] {
            assert_eq!(parsed(text), Err(message.to_owned()));
        }
    }
}
