//! An allocator together with its capabilities, which callers can read without a request.

use super::placement::Placement;
use super::request::Request;
use meshreplay_base::job::NodesFor;
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId, Submesh};

/// An algorithm that chooses nodes for requests.
///
/// The caller owns the machine. It asks the allocator for a proposal, carries out the proposal or another
/// placement, and then reports the change to the allocator. An allocator may keep a private index of the
/// nodes in use. This index must depend only on the reported changes: a proposal that the caller does not
/// carry out has no effect on it.
pub trait Allocator: Send {
    /// Chooses free nodes of `machine` for `request`. Returns `None` if the job must wait. The nodes are not
    /// in use until the caller calls [`Self::accepted`] or [`Self::taken`].
    ///
    /// A request has at least one processor and at most as many as nodes are free.
    /// [`super::Strategy::propose`], which calls this function, refuses all other requests.
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement>;

    /// Records that the caller carries out the last proposal and has reported nothing else since then. By
    /// default this calls [`Self::taken`]. An allocator overrides it to use what it still knows about its
    /// proposal, so that it need not search its index again. Of `machine` only the shape counts, as in
    /// [`Self::taken`].
    fn accepted(&mut self, placement: &Placement, machine: &Machine) {
        self.taken(placement, machine);
    }

    /// Records that the caller carries out a placement that this or any other allocator has chosen. The jobs
    /// of its rearrangement, if it has one, have moved. Of `machine` only the shape counts: the caller may
    /// occupy the nodes before this call or after it. The default does nothing, which is right for allocators
    /// without an index.
    fn taken(&mut self, _placement: &Placement, _machine: &Machine) {}

    /// Records that the caller has freed the nodes of a placement. The default does nothing, which is right
    /// for allocators without an index.
    fn released(&mut self, _placement: &Placement, _machine: &Machine) {}
}

/// An allocator and its capabilities, as a builder returns them. The capabilities can depend on parameters of
/// the allocator. They are fixed when it is built, so that callers need no trial request to find them out.
pub struct Strategy {
    allocator: Box<dyn Allocator>,
    /// The condition under which a request is served while no node is down.
    pub served: Served,
    /// The condition while nodes are down; `None` if it is `served` then too.
    served_when_down: Option<Served>,
    /// Whether placements may contain a rearrangement, which moves running jobs.
    pub moves_jobs: bool,
    /// A function that lists the blocks into which the allocator divides a machine. `None` if the allocator
    /// does not use blocks that split.
    pub blocks: Option<BlocksOf>,
    /// The rule for the number of nodes of a placement; `None` if the number follows from `served`.
    nodes_for: Option<NodesRule>,
}

/// Lists all blocks of a machine, in use or not. Smaller blocks come first, blocks of equal size in the order
/// of allocation.
pub type BlocksOf = Box<dyn Fn(&Mesh) -> Vec<Block> + Send>;

/// Returns how many nodes a placement for a request has.
type NodesRule = Box<dyn Fn(&Request, &Mesh) -> NodesFor + Send>;

/// A rectangle or cuboid of nodes in a hierarchy of blocks. A block of more than one node splits into equal
/// child blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The node of the block with the smallest coordinates.
    pub base: Coord,
    /// The numbers of nodes along x, y and z.
    pub sizes: [u32; 3],
    /// The number of splits from this block down to single nodes; 0 for a single node. If a block splits into
    /// f children, a block of class c has f^c nodes.
    pub class: u8,
    /// The index of the parent block in the list of all blocks; `None` for a top-level block.
    pub parent: Option<u32>,
}

/// The condition under which a request is served.
pub enum Served {
    /// A request is served whenever as many nodes are free as its placement needs.
    ByCount,
    /// A request is served whenever one of its submeshes is free somewhere on the machine.
    BySubmesh(Submeshes),
    /// Which nodes are free decides in some other way. A request may be refused now and be served later with
    /// fewer free nodes.
    ByState(Foresight),
}

/// The submeshes that can serve a request.
#[derive(Clone, Copy)]
pub struct Submeshes {
    /// Returns the sizes along x, y and z of the submeshes that can serve a request, the preferred size
    /// first. The list is empty if no submesh fits the machine.
    pub sizes: fn(&Request, &Mesh) -> Vec<[u32; 3]>,
    /// Returns the nodes of one such submesh, in rank order.
    pub nodes: fn(&Request, Submesh, &Machine) -> Vec<NodeId>,
}

/// Returns the placement that an allocator would choose in a given state of the machine; `None` if it would
/// refuse.
pub type Foresee = dyn Fn(&Request, &Machine) -> Option<Placement> + Send;

/// The way to find out what an allocator would choose in a hypothetical state of the machine.
pub enum Foresight {
    /// The allocator keeps no index, so it can propose nodes for any state.
    Proposes,
    /// The allocator keeps an index of the real state. This function chooses without the index.
    Function(Box<Foresee>),
}

impl Strategy {
    /// Returns a strategy that serves a request whenever enough nodes are free, and takes exactly as many
    /// nodes as are requested. Other capabilities are added by the functions below.
    pub fn of(allocator: impl Allocator + 'static) -> Self {
        let allocator = Box::new(allocator);
        let served = Served::ByCount;
        Self { allocator, served, served_when_down: None, moves_jobs: false, blocks: None, nodes_for: None }
    }

    /// Returns the strategy with another condition under which requests are served.
    #[must_use]
    pub fn served(self, served: Served) -> Self {
        Self { served, ..self }
    }

    /// Returns the strategy with another condition while nodes are down. It is for allocators that can use
    /// some free nodes only together with others, which single nodes that are down take from them.
    #[must_use]
    pub fn served_when_down(self, served: Served) -> Self {
        Self { served_when_down: Some(served), ..self }
    }

    /// Returns the condition under which a request is served on `machine`.
    pub fn served_on(&self, machine: &Machine) -> &Served {
        // Whether a node is down is asked only where it makes a difference.
        self.served_when_down.as_ref().filter(|_| machine.is_any_down()).unwrap_or(&self.served)
    }

    /// Returns the strategy with placements that may contain a rearrangement.
    #[must_use]
    pub fn moving_jobs(self) -> Self {
        Self { moves_jobs: true, ..self }
    }

    /// Returns the strategy with a function that lists the blocks of a machine.
    #[must_use]
    pub fn with_blocks(self, blocks: impl Fn(&Mesh) -> Vec<Block> + Send + 'static) -> Self {
        Self { blocks: Some(Box::new(blocks)), ..self }
    }

    /// Returns the strategy with a rule for the number of nodes of a placement.
    #[must_use]
    pub fn with_nodes_for(self, rule: impl Fn(&Request, &Mesh) -> NodesFor + Send + 'static) -> Self {
        Self { nodes_for: Some(Box::new(rule)), ..self }
    }

    /// Returns how many nodes a placement for `request` has; schedulers count with this number. A rule from
    /// [`Self::with_nodes_for`] comes first. Otherwise an allocator that is served by submesh takes the nodes
    /// of the preferred submesh, or `u32::MAX` (more than are ever free) if no submesh fits the machine. All
    /// other allocators take exactly as many nodes as processors are requested.
    pub fn nodes_for(&self, request: &Request, mesh: &Mesh) -> NodesFor {
        match (&self.nodes_for, &self.served) {
            (Some(rule), _) => rule(request, mesh),
            (None, Served::BySubmesh(submeshes)) => {
                NodesFor::of_submesh((submeshes.sizes)(request, mesh).first().copied())
            }
            (None, _) => NodesFor::exactly(request.procs),
        }
    }

    /// Returns whether a placement always has exactly as many nodes as processors are requested.
    pub fn is_exact(&self) -> bool {
        self.nodes_for.is_none() && !matches!(self.served, Served::BySubmesh(_))
    }

    /// Returns the proposal of the allocator, see [`Allocator::propose`]. Returns `None` if the allocator
    /// refuses. Also returns `None`, without asking the allocator, if more processors are requested than
    /// nodes are free or if none is requested.
    pub fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if fits(request, machine) { self.allocator.propose(request, machine) } else { None }
    }

    /// Returns the choice of the allocator for the hypothetical state `machine`. The call changes no later
    /// decision of the allocator. Returns `None` if the allocator would refuse, and always `None` for an
    /// allocator that does not serve the machine by its state ([`Served::ByState`]): for other allocators,
    /// [`Self::served_on`] decides whether the request would be served.
    pub fn foresee(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        match self.served_on(machine) {
            Served::ByState(Foresight::Function(chosen)) if fits(request, machine) => {
                chosen(request, machine)
            }
            Served::ByState(Foresight::Proposes) => self.propose(request, machine),
            _ => None,
        }
    }

    /// Reports to the allocator that its last proposal was carried out, see [`Allocator::accepted`].
    pub fn accepted(&mut self, placement: &Placement, machine: &Machine) {
        self.allocator.accepted(placement, machine);
    }

    /// Reports to the allocator that a placement, from this or any other allocator, was carried out, see
    /// [`Allocator::taken`].
    pub fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.allocator.taken(placement, machine);
    }

    /// Reports to the allocator that the nodes of a placement were freed, see [`Allocator::released`].
    pub fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.allocator.released(placement, machine);
    }
}

/// Returns whether a request asks for at least one processor and for no more processors than nodes are free.
fn fits(request: &Request, machine: &Machine) -> bool {
    (1..=machine.free_count()).contains(&request.procs)
}
