//! The trait that every allocator implements.

use super::placement::Placement;
use super::request::Request;
use crate::machine::Machine;

/// Chooses nodes for requests.
///
/// The machine has one owner, the caller, who asks, carries out what it likes, and tells. An allocator may keep an
/// index of the nodes in use, which follows from what it was told and from nothing else: a proposal that nobody
/// carries out has not been.
pub trait Allocator: Send {
    /// Chooses free nodes of `machine` for `request`; nothing is in use until [`Self::accepted`] or [`Self::taken`]
    /// says so. Returns `None` if the job must wait.
    ///
    /// A request has at least one processor and no more than there are free nodes: [`super::Strategy::propose`], by
    /// which allocators are asked, sees to that.
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement>;

    /// Is told that the caller has carried out the last proposal, nothing having been told since it was made. It is
    /// [`Self::taken`], unless an allocator remembers of its proposal what it would have to find out again.
    fn accepted(&mut self, placement: &Placement, machine: &Machine) {
        self.taken(placement, machine);
    }

    /// Is told that the caller has carried out a placement, whoever has chosen it: running jobs have moved as its
    /// rearrangement says, and its nodes are in use. Allocators without an index ignore it.
    fn taken(&mut self, _placement: &Placement, _machine: &Machine) {}

    /// Is told that the caller has freed the nodes of a placement. Allocators without an index ignore it.
    fn released(&mut self, _placement: &Placement, _machine: &Machine) {}
}
