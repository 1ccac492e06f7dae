//! Outages: nodes of a machine go down and come up again. Read from a file or drawn from a seed.
//!
//! [`OutageSource`] is the user's description, [`Outages`] is the sequence of changes for one machine and one
//! replication, and [`Treatment`] is the policy for a job on a node that goes down.

mod drawn;
mod file;
mod span;
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
}

impl FromStr for OutageSource {
    type Err = SpecError;

    /// Reads `random:mtbf=…,repair=…`, or else the path of a file. The file is not opened.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text.split(':').next() {
            Some(drawn::NAME) => Ok(Self::Random(text.parse()?)),
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
        }
    }
}

impl OutageSource {
    /// Returns the changes for `mesh`. Drawn failures begin at `from`, when all nodes are up, and depend on
    /// nothing but the machine and `seed`: they are the same for every scheduler and allocator.
    ///
    /// Fails if a file cannot be read or does not suit the machine.
    pub fn on(&self, mesh: &Mesh, seed: u64, from: Time) -> Result<Outages, OutageFileError> {
        Ok(match self {
            Self::File(path) => {
                Outages { changes: Changes::Listed(file::read(&PathBuf::from(path), mesh)?.into()) }
            }
            Self::Random(failures) => {
                Outages { changes: Changes::Drawn(Box::new(Drawn::new(failures, mesh, seed, from))) }
            }
        })
    }

    /// Returns the source with the same word in place of the path of any file.
    #[must_use]
    pub fn without_path(&self) -> Self {
        match self {
            Self::File(_) => Self::File("file".to_owned()),
            Self::Random(_) => self.clone(),
        }
    }

    /// Returns the path of the file that lists the outages; `None` if they are drawn.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::File(path) => Some(path),
            Self::Random(_) => None,
        }
    }
}

/// The changes of a machine's nodes in the order of time. The changes of a node alternate: down, up, down,
/// and so on.
#[derive(Clone, Debug)]
pub struct Outages {
    changes: Changes,
}

#[derive(Clone, Debug)]
enum Changes {
    Listed(VecDeque<NodeChange>),
    Drawn(Box<Drawn>),
}

impl Outages {
    /// Returns changes that are given in the order of time.
    pub fn listed(changes: Vec<NodeChange>) -> Self {
        Self { changes: Changes::Listed(changes.into()) }
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
