//! QNA, quick non-contiguous allocation: a job in rectangles or cuboids, the largest first, found by a scan of rows.
//!
//! R. Zolfaghari, "Quick non-contiguous allocation", Int. J. of Engineering and Advanced Technology, 2013.
//!
//! 1. A free submesh of the job's shape is taken if there is one, else smaller and smaller ones (see `repeated`),
//!    turned if need be.
//! 2. Submeshes are found by how far rows are covered from the left (see `qna_scan`).
//! 3. `repeat=text` looks for a size again after a submesh of it was taken, as the text and the example do; `literal`
//!    shortens it first, as the listing does.
//!
//! Takes exactly as many nodes as processors are requested, and never refuses while so many are free. Time
//! O(b·N/64·log a) for b submeshes taken.

use super::repeated::{Pieces, Repeat};
use crate::allocator::contiguous::coverage::BusyList;
use crate::allocator::contiguous::orientations::Turn;
use crate::allocator::seam::{Contiguity, Entry, Promises, Strategy};
use crate::machine::{Coord, Frames, Machine};

pub(crate) const ENTRY: Entry = Entry {
    name: "qna",
    summary: "the largest free rectangles or cuboids within the job's shape, by a scan of rows",
    source: "Zolfaghari, IJEAT, 2013",
    parameters: "repeat=text (literal)",
    max_dims: 3,
    kind: Contiguity::NonContiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |params, _| {
        let repeat = params.choose("repeat", &[("text", Repeat::Text), ("literal", Repeat::Literal)])?;
        Ok(Strategy::of(Pieces::new(lowest, Turn::Yes, repeat)))
    },
};

/// Returns the base that the scan of rows finds, which is the first in scan order (see `qna_scan`); looked up as in
/// first fit.
pub(crate) fn lowest(machine: &Machine, sizes: [u32; 3], _busy: &BusyList) -> Option<Coord> {
    let mut frames = Frames::default();
    frames.find(machine, sizes);
    frames.first()
}
