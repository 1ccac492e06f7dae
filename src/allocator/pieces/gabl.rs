//! GABL, greedy available busy list: a job in as few rectangles or cuboids as are found, the largest first.
//!
//! S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, "Non-contiguous processor allocation strategy for 2D
//! mesh connected multicomputers based on sub-meshes available for allocation", ICPADS 2006.
//!
//! 1. A free submesh of the job's shape is taken if there is one, else smaller and smaller ones (see `repeated`). The
//!    printed listing would look for one size for ever; here it goes on to the next, as the text says.
//! 2. Submeshes are found right of busy ones (see `rbs`); with `turn=yes` in every orientation.
//!
//! Takes exactly as many nodes as processors are requested, and never refuses while so many are free. Time O(b·m²)
//! for b submeshes taken and m in use.

use super::repeated::{Pieces, Repeat};
use crate::allocator::contiguous::orientations::{TURN, take_turn};
use crate::allocator::contiguous::rbs;
use crate::allocator::seam::{Contiguity, Entry, Promises, Strategy};

pub(crate) const ENTRY: Entry = Entry {
    name: "gabl",
    summary: "the largest free rectangles or cuboids within the job's shape, right of busy ones",
    source: "Bani-Mohammad, Ould-Khaoua, Ababneh, Mackenzie, ICPADS, 2006",
    parameters: TURN,
    max_dims: 3,
    kind: Contiguity::NonContiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |params, _| Ok(Strategy::of(Pieces::new(rbs::search, take_turn(params)?, Repeat::Text))),
};
