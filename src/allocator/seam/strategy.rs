//! An allocator together with what is known of it without asking it.

use super::allocator::Allocator;
use super::block::Block;
use super::placement::Placement;
use super::request::Request;
use crate::job::NodesFor;
use crate::machine::{Cuboid, Machine, Mesh, NodeId};

/// An allocator and its capabilities, as its builder returns them. What a capability depends on, such as a parameter,
/// is known when it is built, so that nobody has to find it out by asking.
pub struct Strategy {
    allocator: Box<dyn Allocator>,
    /// The reason by which a request is served or refused.
    pub served: Served,
    /// Whether placements may carry a rearrangement, by which running jobs move.
    pub moves_jobs: bool,
    /// The blocks that it divides a machine into, whatever is in use; `None` unless it works by blocks that split.
    pub blocks: Option<BlocksOf>,
    /// How many nodes a placement has; `None` if that follows from `served`.
    nodes_for: Option<NodesRule>,
}

/// Lists the blocks of a machine: small ones first, those of a size in the order in which free ones are taken.
pub type BlocksOf = Box<dyn Fn(&Mesh) -> Vec<Block> + Send>;

/// Returns how many nodes a placement for a request has.
type NodesRule = Box<dyn Fn(&Request, &Mesh) -> NodesFor + Send>;

/// The reason by which a request is served or refused.
pub enum Served {
    /// The number of free nodes: it is served whenever as many are free as it takes.
    ByCount,
    /// Whether one of the submeshes that serve it is free somewhere.
    BySubmesh(Submeshes),
    /// Which nodes are free, in any way: it may be refused, and served once fewer nodes are free.
    ByState(Foresight),
}

/// The submeshes that serve requests.
#[derive(Clone, Copy)]
pub struct Submeshes {
    /// Returns the sizes of those that serve a request, the preferred first; nothing if none fits the machine.
    pub sizes: fn(&Request, &Mesh) -> Vec<[u32; 3]>,
    /// Returns the nodes of one of them, wherever it is, in rank order.
    pub nodes: fn(&Request, Cuboid, &Machine) -> Vec<NodeId>,
}

/// Returns the placement that an allocator would choose in a given state of the machine; `None` if the job had to wait.
pub type Foresee = dyn Fn(&Request, &Machine) -> Option<Placement> + Send;

/// How to find out what an allocator would choose in another state of the machine than that which it serves.
pub enum Foresight {
    /// It keeps no index, so that it proposes for any state.
    Proposes,
    /// It keeps an index, which a function of the state replaces.
    Function(Box<Foresee>),
}

impl Strategy {
    /// Returns an allocator that takes exactly as many nodes as are requested and is served by count.
    pub fn of(allocator: impl Allocator + 'static) -> Self {
        let allocator = Box::new(allocator);
        Self { allocator, served: Served::ByCount, moves_jobs: false, blocks: None, nodes_for: None }
    }

    /// Returns the same, served by something else.
    #[must_use]
    pub fn served(self, served: Served) -> Self {
        Self { served, ..self }
    }

    /// Returns the same, with placements that may carry a rearrangement.
    #[must_use]
    pub fn moving_jobs(self) -> Self {
        Self { moves_jobs: true, ..self }
    }

    /// Returns the same, by blocks that split.
    #[must_use]
    pub fn with_blocks(self, blocks: impl Fn(&Mesh) -> Vec<Block> + Send + 'static) -> Self {
        Self { blocks: Some(Box::new(blocks)), ..self }
    }

    /// Returns the same, with placements of another number of nodes.
    #[must_use]
    pub fn with_nodes_for(self, rule: impl Fn(&Request, &Mesh) -> NodesFor + Send + 'static) -> Self {
        Self { nodes_for: Some(Box::new(rule)), ..self }
    }

    /// Returns how many nodes a placement for `request` has, which is what schedulers count with: as many as the first
    /// submesh that serves it, or exactly as many as processors are requested, unless it has a rule of its own.
    pub fn nodes_for(&self, request: &Request, mesh: &Mesh) -> NodesFor {
        match (&self.nodes_for, &self.served) {
            (Some(rule), _) => rule(request, mesh),
            (None, Served::BySubmesh(submeshes)) => {
                NodesFor::of_box((submeshes.sizes)(request, mesh).first().copied())
            }
            (None, _) => NodesFor::exactly(request.procs),
        }
    }

    /// Returns what the allocator proposes, see [`Allocator::propose`]; `None` as well for a request that is larger
    /// than what is free, or has no processors, of which allocators are not asked.
    pub fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if fits(request, machine) { self.allocator.propose(request, machine) } else { None }
    }

    /// Returns what the allocator would choose if the machine were as `machine` is, which may be another state than
    /// that which it serves. Nothing is remembered of it. `None` if it would refuse. Only for allocators that are
    /// served by state, as of the others it is known.
    pub fn foresee(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        match &self.served {
            Served::ByState(Foresight::Function(chosen)) if fits(request, machine) => {
                chosen(request, machine)
            }
            Served::ByState(Foresight::Proposes) => self.propose(request, machine),
            _ => None,
        }
    }

    /// Tells the allocator that its last proposal was carried out, see [`Allocator::accepted`].
    pub fn accepted(&mut self, placement: &Placement, machine: &Machine) {
        self.allocator.accepted(placement, machine);
    }

    /// Tells the allocator that anybody's placement was carried out, see [`Allocator::taken`].
    pub fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.allocator.taken(placement, machine);
    }

    /// Tells the allocator that a placement was freed, see [`Allocator::released`].
    pub fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.allocator.released(placement, machine);
    }
}

/// Returns whether a request has processors, and no more than nodes are free.
fn fits(request: &Request, machine: &Machine) -> bool {
    (1..=machine.free_count()).contains(&request.procs)
}
