//! Naive: the first free nodes in row-major order.
//!
//! V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Non-contiguous processor allocation algorithms for mesh-connected
//! multicomputers", IEEE TPDS 8(7), 1997.
//!
//! 1. Scan the nodes row by row (x fastest, then y, then z) and take the first k that are free.
//!
//! Never refuses while k nodes are free; time O(N/64 + k). Equal to the curve allocator that takes a sorted free list
//! in the order of node numbers, which the laws check.

use crate::allocator::seam::{Allocator, Contiguity, Entry, Placement, Promises, Request, Strategy};
use crate::machine::Machine;

pub(crate) const ENTRY: Entry = Entry {
    name: "naive",
    summary: "the first free nodes, row by row",
    source: "Lo, Windisch, Liu, Nitzberg, IEEE TPDS 8(7), 1997",
    parameters: "",
    max_dims: 3,
    kind: Contiguity::NonContiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |_, _| Ok(Strategy::of(Naive)),
};

struct Naive;

impl Allocator for Naive {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mut nodes = Vec::with_capacity(request.procs as usize);
        nodes.extend(machine.free().iter().take(request.procs as usize));
        Some(Placement::of(nodes))
    }
}
