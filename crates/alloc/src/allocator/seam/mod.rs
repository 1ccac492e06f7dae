//! The interface between allocators and their callers.
//!
//! [`Allocator`] is the trait. It answers a [`Request`] with a [`Placement`]. [`Strategy`] is a built
//! allocator with its capabilities, and [`AllocatorEntry`] is a row of the registry of allocators.

mod entry;

pub use self::entry::{
    AllocatorEntry, BuildError, Builder, Built, Contiguity, Memory, OnTori, OnTrees, Promises, Setup,
};
pub use meshreplay_base::job::NodesFor;

use meshreplay_base::job::{Job, JobId, Shape, Time};
use meshreplay_machine::machine::{
    Coord, Machine, Mesh, NodeId, Submesh, along_axes, even_factors, near_square, powers_of_two, row,
};

/// The nodes that a job gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The nodes in rank order: task `i` of the job runs on `nodes[i]`.
    pub nodes: Vec<NodeId>,
    /// The sides of a box that the nodes form in rank order across several cubes behind optical switches.
    /// There, node numbers do not show a box. `None` on other machines, or without a box.
    pub sides: Option<[u32; 3]>,
    /// The moves of running jobs that must happen first; `None` if all nodes are free already.
    pub rearrangement: Option<Box<Rearrangement>>,
}

impl Placement {
    /// Returns a placement on nodes that are free.
    pub fn of(nodes: Vec<NodeId>) -> Self {
        Self { nodes, ..Self::default() }
    }

    /// Returns a placement on nodes that are free and form a box with these sides, in rank order.
    pub fn of_box(nodes: Vec<NodeId>, sides: [u32; 3]) -> Self {
        Self { nodes, sides: Some(sides), rearrangement: None }
    }

    /// Returns a placement on all free nodes of the machine, in the order of their numbers.
    pub fn of_all_free(machine: &Machine) -> Self {
        Self::of(machine.free().iter().collect())
    }
}

/// A plan of moves that make room for a new job. The plan changes nothing by itself. The caller carries it
/// out and then reports this to the allocator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rearrangement {
    /// The jobs that move. All of them give up their old nodes before any job takes its new nodes.
    pub moves: Vec<JobMove>,
    /// The time from the request until the decision is made. If a job that should move ends within this time,
    /// the whole plan is dropped.
    pub decided: Time,
    /// The time from the decision until the new job can start.
    pub ready: Time,
    /// Whether some job is suspended for longer than it moves.
    pub delays: bool,
    /// Whether jobs are still moving when the new job can start.
    pub overruns: bool,
    /// When the caller refuses the plan.
    pub refusal: Refusal,
}

/// The condition under which the caller refuses a plan, so that the job goes on waiting. It is for the
/// caller to check, as allocators do not know when jobs end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refusal {
    /// Every plan is carried out.
    #[default]
    Never,
    /// A plan is refused if enough adjacent nodes would be free without it, as soon as the plan ends or
    /// earlier.
    Sooner,
    /// A plan is refused if a job that it moves would end before its move does.
    Ending,
    /// Both reasons count.
    Both,
}

/// The move of one running job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobMove {
    /// The first of the job's old nodes, in rank order. It identifies the job.
    pub first: NodeId,
    /// The new nodes, in rank order.
    pub nodes: Vec<NodeId>,
    /// How long the job is suspended; 0 if its move costs it no time.
    pub suspended: Time,
    /// Whether it is suspended for longer than it moves.
    pub is_delayed: bool,
    /// The time from the decision until the job is on its new nodes. The job cannot end earlier.
    pub until: Time,
}

/// The number of processors that a job asks for, and the submesh that it prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    /// The number of processors, at least 1.
    pub procs: u32,
    /// The submesh that the job prefers. Most non-contiguous allocators ignore it.
    pub shape: Shape,
    /// The number of the recorded list of nodes, see [`Setup::lists`]; `None` if the log has no list
    /// for the job. Only allocators that repeat recorded placements use it.
    pub nodes: Option<u32>,
    /// The job of the request; `None` if it is unknown, as in questions about what can be served. Allocators
    /// of this program ignore it; guests may use it, see `guest::JobTable`.
    pub job: Option<JobId>,
}

impl From<&Job> for Request {
    fn from(job: &Job) -> Self {
        Self { procs: job.procs, shape: job.shape, nodes: job.logged.nodes, job: None }
    }
}

impl Request {
    /// Returns a request for `procs` processors with the default shape, which is near-square.
    pub fn of(procs: u32) -> Self {
        Self { procs, shape: Shape::default(), nodes: None, job: None }
    }

    /// Returns the request without what belongs to one job alone. Requests of one size and shape are then
    /// equal.
    #[must_use]
    pub fn kind(self) -> Self {
        Self { nodes: None, job: None, ..self }
    }

    /// Returns a request for a submesh of these sides, and for one processor per node. If their number
    /// exceeds `u32`, the request has `u32::MAX` processors, which no machine can serve.
    pub fn sides(sides: [u32; 3]) -> Self {
        let procs = sides.iter().fold(1_u32, |product, &side| product.saturating_mul(side));
        Self { procs, shape: Shape::Sides(sides), nodes: None, job: None }
    }

    /// Returns the sides of the submesh that the request asks for on `mesh`. Returns `None` if the machine
    /// has no such submesh, if the submesh has more nodes than the machine, or if it has fewer nodes than the
    /// job has processors. The sides are not compared with the machine's extents: perhaps no orientation of
    /// them fits.
    pub fn sides_on(&self, mesh: &Mesh) -> Option<[u32; 3]> {
        let sides = match self.shape {
            Shape::NearSquare => near_square(self.procs, mesh)?,
            Shape::Factors => even_factors(self.procs, mesh)?,
            Shape::Row => row(self.procs, mesh),
            Shape::PowersOfTwo => powers_of_two(self.procs, mesh)?,
            Shape::Slice(sides) => along_axes(sides, mesh),
            Shape::Sides(sides) => sides,
        };
        let nodes = sides.iter().fold(1_u64, |product, &side| product.saturating_mul(u64::from(side)));
        (u64::from(self.procs)..=u64::from(mesh.nodes())).contains(&nodes).then_some(sides)
    }
}

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
    /// [`Strategy::propose`], which calls this function, refuses all other requests.
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
