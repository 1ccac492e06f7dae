//! Outages: nodes of a machine go down and come up again. Read from a file or drawn from a seed.
//!
//! Planned outages are of the whole machine and known to schedulers in advance.
//!
//! [`OutageSource`] is the user's description, [`Outages`] is the sequence of changes for one machine and one
//! replication, and [`Treatment`] is the policy for a job on a node that goes down.

mod drawn;
mod file;
mod treatment;

use std::collections::VecDeque;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

pub use self::drawn::Failures;
pub use self::file::{OutageFileError, OutageProblem};
pub use self::treatment::Treatment;

use self::drawn::Drawn;
use super::mesh::{Mesh, NodeId};
use meshreplay_base::job::Time;
use meshreplay_base::spec::SpecError;

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
