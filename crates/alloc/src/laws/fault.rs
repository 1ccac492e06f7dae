//! A fault: what an allocator did against a law, and the state in which it did it.

use std::fmt;

use super::step::{Held, Step, asked};
use crate::allocator::{Placement, Request};
use meshreplay_machine::machine::{Machine, NodeId};

/// What an allocator did against a law. It prints as one line.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What is wrong, in words.
    pub problem: String,
    /// The request to which the answer is wrong.
    pub request: Request,
    /// The proposal, and for a law that compares, the other one.
    pub(super) proposals: Vec<Proposal>,
    /// What happened before.
    pub(super) steps: Vec<Step>,
    /// The machine when the allocator was asked.
    pub(super) machine: Machine,
    /// Who held which nodes.
    pub(super) held: Vec<Held>,
}

/// An answer to a request, for a drawing.
#[derive(Clone, Debug)]
pub(super) struct Proposal {
    /// Who gave the answer, in words that go before it.
    pub(super) who: &'static str,
    /// The nodes; `None` if the request was refused.
    pub(super) nodes: Option<Vec<NodeId>>,
}

impl Proposal {
    pub(super) fn of(who: &'static str, placement: Option<&Placement>) -> Self {
        Self { who, nodes: placement.map(|placement| placement.nodes.clone()) }
    }
}

/// Writes the problem, the machine and the request.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mesh = self.machine.mesh();
        write!(
            f,
            "{} ({} of {} free on {mesh})",
            self.problem,
            asked(&self.request),
            self.machine.free_count()
        )
    }
}

impl std::error::Error for Fault {}
