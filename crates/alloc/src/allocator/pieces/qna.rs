//! QNA, quick non-contiguous allocation: cuts a job into free submeshes, the largest first, found by a scan
//! of rows.
//!
//! R. Zolfaghari, "Quick non-contiguous allocation", Int. J. of Engineering and Advanced Technology, 2013.
//!
//! 1. If a submesh of the job's shape is free, the job gets it. Otherwise the job gets several smaller ones:
//!    the longest side of the shape is shortened by one node again and again, until a submesh of these sides
//!    is free, and so on for the rest of the job (see `repeated`). Every orientation is tried.
//! 2. A free submesh is found by a scan of rows, which records how far each row is covered from the left (see
//!    `qna_scan`).
//! 3. After a submesh was taken, `repeat=text` looks for the same sides again, as the text and the example of
//!    the paper do. `repeat=literal` shortens the longest side first, as the listing of the paper does.
//!
//! The job gets exactly one node per processor. The strategy never refuses while enough nodes are free. It
//! takes time O(b·N/64·log a) for b submeshes on a machine of N nodes, where a is the longest side.

use super::repeated::{Pieces, Repeat};
use crate::allocator::contiguous::busy_search::BusyList;
use crate::allocator::contiguous::orientations::Turn;
use crate::allocator::seam::{AllocatorEntry, Strategy};
use meshreplay_machine::machine::{Coord, FreeSubmeshes, Machine};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "qna",
    summary: "the largest free rectangles or cuboids within the job's shape, by a scan of rows",
    source: "Zolfaghari, IJEAT, 2013",
    parameters: "repeat=text (literal)",
    ..AllocatorEntry::non_contiguous(|params, _| {
        let repeat = params.choose("repeat", &[("text", Repeat::Text), ("literal", Repeat::Literal)])?;
        Ok(Strategy::of(Pieces::new(lowest, Turn::Yes, repeat)))
    })
};

/// Returns the first base of a free submesh of these sizes in scan order; `None` if there is none. It is the
/// base that `qna_scan` finds. The search of first fit is faster, and needs no list of the submeshes in use.
pub(crate) fn lowest(machine: &Machine, sizes: [u32; 3], _busy: &BusyList) -> Option<Coord> {
    FreeSubmeshes::default().find_first(machine, sizes)
}
