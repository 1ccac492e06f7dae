//! Processor allocators: which free nodes a job gets. The trait, its words, and the registry.
//!
//! Adding an allocator is one new file with an `ENTRY`, its `mod` line and its row in [`ALLOCATORS`]; names, help,
//! laws, tables and labels all come from the row.

mod adaptive_scan;
mod anca;
pub mod array;
mod best_fit;
mod best_of;
mod border_fit;
mod buddy;
mod buddy_2d;
mod busy_list;
mod busy_search;
mod carried;
mod compactor;
mod cost_free_compaction;
pub mod curve;
mod first_fit;
mod first_set;
mod fixed_orientation;
mod frame_sliding;
mod gabl;
mod gen_alg;
mod granular_mbs;
mod layered_mbs;
mod left_compaction;
mod linear_first_fit;
mod max_periphery;
mod mbs;
mod mc;
mod mc1x1;
mod mc1x1_shells;
mod mc_pair;
mod mm;
mod mm_inc;
mod naive;
mod nearest;
mod octet_mbs;
mod ordered_compaction;
mod orientations;
mod paging;
mod pieces;
mod qna;
mod qna_scan;
mod random;
mod rbs;
mod right_compaction;
mod round_up_mbs;
mod shell_fill;
mod shells;
mod snug;
mod stack_based;
mod tie_break;
mod worst_fit;

use std::fmt;

pub use self::buddy::Block;
pub use crate::job::NodesFor;
use crate::job::{Job, Shape, Time};
use crate::machine::order::ORDERS;
use crate::machine::{
    Cuboid, Machine, Mesh, NodeId, along_axes, even_factors, near_square, powers_of_two, row,
};
use crate::spec::{Params, Spec, SpecError, unknown};

/// What a job asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    /// Processors, at least 1.
    pub procs: u32,
    /// How they lie; most allocators that place jobs anywhere do not look at it.
    pub shape: Shape,
}

impl From<&Job> for Request {
    fn from(job: &Job) -> Self {
        Self { procs: job.procs, shape: job.shape }
    }
}

impl Request {
    /// For processors of which only the number is known.
    pub fn of(procs: u32) -> Self {
        Self { procs, shape: Shape::default() }
    }

    /// For a rectangle or cuboid of these sides; more processors than can be counted are a number that never fits.
    pub fn sides(sides: [u32; 3]) -> Self {
        let procs = sides.iter().fold(1_u32, |product, &side| product.saturating_mul(side));
        Self { procs, shape: Shape::Sides(sides) }
    }

    /// The sides of the rectangle or cuboid on `mesh`; `None` if they have more nodes than the machine, or fewer than the
    /// job has processors. One orientation of them may fit, or none.
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

/// What a job gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The nodes in rank order: task `i` of the job runs on `nodes[i]`.
    pub nodes: Vec<NodeId>,
    /// What has to happen first, if other jobs are in the way.
    pub rearrangement: Option<Box<Rearrangement>>,
}

impl Placement {
    /// Nodes that are free.
    pub fn of(nodes: Vec<NodeId>) -> Self {
        Self { nodes, rearrangement: None }
    }
}

/// How running jobs make room for another one. Nothing has changed yet: the caller tells the allocator when it is done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rearrangement {
    /// The jobs that move. All of them give up their nodes before any takes its new ones.
    pub moves: Vec<JobMove>,
    /// How long it takes to decide; if one of the jobs ends until then, all of it is void.
    pub decided: Time,
    /// How long it then takes until the new job can start.
    pub ready: Time,
    /// Whether a job stands still for a while without moving.
    pub delays: bool,
    /// Whether jobs are still on their way when the new one can start.
    pub overruns: bool,
}

/// A running job that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobMove {
    /// The first of its nodes, by which it is known.
    pub first: NodeId,
    /// Its new nodes, in rank order.
    pub nodes: Vec<NodeId>,
    /// How long it stands still.
    pub suspended: Time,
    /// When it has moved, from the decision on; it cannot end before.
    pub until: Time,
}

/// Chooses nodes for requests. Occupancy has one owner, the caller; an allocator may keep a private index of it.
pub trait Allocator: Send {
    /// Chooses nodes for `request`, or `None`: the job must wait. `machine` is the truth before the choice; the caller
    /// commits whatever comes back, at once, and checks it (free, inside, disjoint, the size promised).
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement>;

    /// How many nodes a placement for `request` has, which is what schedulers count with. By default it is as many as the
    /// boxes have that serve it, or exactly as many as processors are requested.
    fn nodes_for(&self, request: &Request, mesh: &Mesh) -> NodesFor {
        match self.boxes(request, mesh) {
            None => NodesFor::exactly(request.procs),
            Some(boxes) => NodesFor::of_box(boxes.first().copied()),
        }
    }

    /// The boxes that serve `request`, the preferred first, if it is placed as one of them wherever one is free; `None` if
    /// it may be placed otherwise or refused although such a box is free. EASY relies on it to reserve a place.
    fn boxes(&self, _request: &Request, _mesh: &Mesh) -> Option<Vec<[u32; 3]>> {
        None
    }

    /// Whether more than counts and boxes decides what is served, so that EASY has to ask [`Self::foresee`].
    fn must_foresee(&self) -> bool {
        false
    }

    /// Chooses nodes for `request` as if the machine were as `machine` is, which may be another state than that which this
    /// allocator serves. Nothing is taken into use or remembered. `None` if it would refuse, and of allocators for which
    /// [`Self::must_foresee`] is false.
    fn foresee(&mut self, _request: &Request, _machine: &Machine) -> Option<Placement> {
        None
    }

    /// Takes a free place that the caller has chosen from [`Self::boxes`]. Its nodes in rank order.
    fn take_box(&mut self, _request: &Request, place: Cuboid, machine: &Machine) -> Placement {
        let placement = Placement::of(place.nodes(machine));
        self.occupied(&placement, machine);
        placement
    }

    /// Whether placements may carry a rearrangement.
    fn rearranges(&self) -> bool {
        false
    }

    /// Told that a rearrangement was carried out: the jobs have moved, and the placement's nodes are in use.
    fn rearranged(&mut self, _placement: &Placement) {}

    /// Told that the caller is about to take nodes that somebody else has chosen; they come back by `released`.
    /// Allocators without a private index ignore it.
    fn occupied(&mut self, _placement: &Placement, _machine: &Machine) {}

    /// Told after the caller has freed the nodes. Allocators without a private index ignore it.
    fn released(&mut self, _placement: &Placement, _machine: &Machine) {}

    /// The blocks that it divides the machine into, whatever is in use; nothing unless it works by blocks that split.
    fn blocks(&self) -> Vec<Block> {
        Vec::new()
    }
}

/// How an allocator's placements lie in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One rectangle or cuboid.
    Contiguous,
    /// Any set of nodes.
    NonContiguous,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contiguous => "contiguous",
            Self::NonContiguous => "non-contiguous",
        })
    }
}

/// What an allocator promises on every history; the laws in tests/core hold each row to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promises {
    /// A placement has exactly as many nodes as were requested.
    pub exact: bool,
    /// A request is refused only while fewer nodes are free than it takes, see [`Allocator::nodes_for`].
    pub complete: bool,
    /// Once everything is released, it decides as when it was new.
    pub forgets: bool,
}

impl fmt::Display for Promises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (self.exact, "exact size"),
            (self.complete, "never refuses while enough are free"),
            (self.forgets, "no memory once idle"),
        ];
        let kept: Vec<&str> = words.iter().filter_map(|&(holds, word)| holds.then_some(word)).collect();
        f.pad(&kept.join(", "))
    }
}

/// What a builder may look at.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The machine that will be allocated from.
    pub mesh: &'a Mesh,
    /// Seed of the replay; the same for every allocator.
    pub seed: u64,
}

/// Builds an allocator from the parameters that its spec gives.
pub type Builder = fn(&mut Params, &Setup<'_>) -> Result<Box<dyn Allocator>, SpecError>;

/// One row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in specs; kebab-case, and the file's name.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// Authors, title or section, venue, year.
    pub source: &'static str,
    /// Its parameters as `key=default (others)`, or nothing.
    pub parameters: &'static str,
    /// Dimensions of more than one node that a machine it serves may have.
    pub max_dims: usize,
    /// How placements lie in the machine.
    pub kind: Kind,
    /// What it promises, given its spec with every default written out; a default that is missing counts as given.
    pub promises: fn(&Spec) -> Promises,
    /// Builds it.
    pub build: Builder,
}

impl Entry {
    /// What it promises if its spec is its name only.
    pub fn usual_promises(&self) -> Promises {
        (self.promises)(&Spec::named(self.name))
    }

    /// Whether it serves such a machine.
    pub fn serves(&self, mesh: &Mesh) -> bool {
        mesh.extents().iter().filter(|&&extent| extent > 1).count() <= self.max_dims
    }
}

/// Every allocator, simple to elaborate; `list`, help, laws and `--allocator all` follow this order.
pub const ALLOCATORS: &[Entry] = &[
    random::ENTRY,
    naive::ENTRY,
    paging::ENTRY,
    curve::ENTRY,
    mbs::ENTRY,
    layered_mbs::ENTRY,
    octet_mbs::ENTRY,
    granular_mbs::ENTRY,
    round_up_mbs::ENTRY,
    mc::ENTRY,
    mc1x1::ENTRY,
    mc1x1_shells::ENTRY,
    gen_alg::ENTRY,
    mm::ENTRY,
    mm_inc::ENTRY,
    mc_pair::ENTRY,
    best_of::ENTRY,
    snug::ENTRY,
    anca::ENTRY,
    gabl::ENTRY,
    qna::ENTRY,
    buddy_2d::ENTRY,
    frame_sliding::ENTRY,
    first_fit::ENTRY,
    fixed_orientation::ENTRY,
    best_fit::ENTRY,
    worst_fit::ENTRY,
    max_periphery::ENTRY,
    adaptive_scan::ENTRY,
    busy_list::ENTRY,
    rbs::ENTRY,
    stack_based::ENTRY,
    qna_scan::ENTRY,
    linear_first_fit::ENTRY,
    left_compaction::ENTRY,
    right_compaction::ENTRY,
    ordered_compaction::ENTRY,
    cost_free_compaction::ENTRY,
];

/// A request is never larger than what is free, or smaller than one node: the guard that complete allocators share.
fn fits(request: Request, machine: &Machine) -> bool {
    (1..=machine.free_count()).contains(&request.procs)
}

/// Finds the row of a spec: its name, or `ORDER+SELECT` as the papers abbreviate curve allocators (`hilbert+bf`).
pub fn find(spec: &Spec) -> Result<(&'static Entry, Spec), SpecError> {
    let spec = curve::expand(spec).unwrap_or_else(|| spec.clone());
    match ALLOCATORS.iter().find(|entry| entry.name == spec.name) {
        Some(entry) => Ok((entry, spec)),
        None => Err(unknown_allocator(&spec.name)),
    }
}

/// The error for a name that no row has; the name of an order lacks a selection.
fn unknown_allocator(name: &str) -> SpecError {
    let mut error = unknown("allocator", name, ALLOCATORS.iter().map(|entry| entry.name));
    if let SpecError::Unknown { hint, .. } = &mut error
        && ORDERS.iter().any(|order| order.name == name)
    {
        *hint = format!(", did you mean '{name}+bf'?");
    }
    error
}

/// A resolved spec in short, for tables: `hilbert+bf`, and without the parameters that have their defaults.
pub fn short(spec: &Spec) -> String {
    if let Some(members) = &spec.members {
        let bare = Spec::named(&spec.name);
        if defaults(&bare).is_some_and(|default| default == *spec) {
            return bare.name;
        }
        let short = |member: &str| member.parse().map_or_else(|_| member.to_owned(), |spec| short(&spec));
        return format!("{}:{}", spec.name, members.split('|').map(short).collect::<Vec<_>>().join("|"));
    }
    if let Some(short) = curve::abbreviate(spec) {
        return short;
    }
    let mut short = spec.clone();
    if spec.name != curve::ENTRY.name
        && let Some(usual) = defaults(&Spec::named(&spec.name))
    {
        short.params.retain(|key, value| usual.params.get(key) != Some(value));
    }
    short.to_string()
}

/// A spec with every default written out.
fn defaults(spec: &Spec) -> Option<Spec> {
    let smallest = Mesh::new(&[1]).ok()?;
    Some(build(spec, &Setup { mesh: &smallest, seed: 0 }).ok()?.1)
}

/// Builds the allocator that `spec` names, and the spec with every default written out.
pub fn build(spec: &Spec, setup: &Setup<'_>) -> Result<(Box<dyn Allocator>, Spec), SpecError> {
    let (entry, spec) = find(spec)?;
    if !entry.serves(setup.mesh) {
        let problem = format!(
            "it is for machines of at most {} dimensions; `list allocators` shows others",
            entry.max_dims
        );
        return Err(SpecError::Unsuited { owner: spec.name, machine: setup.mesh.to_string(), problem });
    }
    let mut params = Params::new(&spec);
    let allocator = (entry.build)(&mut params, setup)?;
    Ok((allocator, params.finish()?))
}
