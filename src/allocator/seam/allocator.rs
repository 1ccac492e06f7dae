//! The trait that every allocator implements.

use super::block::Block;
use super::placement::Placement;
use super::request::Request;
use crate::job::NodesFor;
use crate::machine::{Cuboid, Machine, Mesh};

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
