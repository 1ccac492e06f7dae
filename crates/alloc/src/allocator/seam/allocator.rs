//! The trait that every allocator implements.

use super::placement::Placement;
use super::request::Request;
use meshreplay_machine::machine::Machine;

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
