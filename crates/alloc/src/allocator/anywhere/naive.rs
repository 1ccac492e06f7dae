//! Naive: the first free nodes in row-major order.
//!
//! V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Non-contiguous processor allocation algorithms for
//! mesh-connected multicomputers", IEEE TPDS 8(7), 1997.
//!
//! 1. Scan the nodes row by row (x fastest, then y, then z) and take the first k free nodes, k being the
//!    number of requested processors.
//!
//! It never refuses while k nodes are free. Time O(N/64 + k) on a machine of N nodes. If the machine is at
//! least as wide (x) as long (y), and at least as long as deep (z), it chooses the same nodes as
//! `curve:order=row-major,select=free-list`, which a law test checks.

use crate::allocator::seam::{Allocator, AllocatorEntry, OnTori, OnTrees, Placement, Request, Strategy};
use meshreplay_machine::machine::Machine;

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "naive",
    summary: "the first free nodes, row by row",
    source: "Lo, Windisch, Liu, Nitzberg, IEEE TPDS 8(7), 1997",
    tori: OnTori::NeverWraps("its order of nodes has two ends"),
    trees: OnTrees::Serves,
    ..AllocatorEntry::non_contiguous(|_, _| Ok(Strategy::of(Naive)))
};

/// Takes the free nodes with the lowest numbers.
struct Naive;

impl Allocator for Naive {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mut nodes = Vec::with_capacity(request.procs as usize);
        nodes.extend(machine.free().iter().take(request.procs as usize));
        Some(Placement::of(nodes))
    }
}
