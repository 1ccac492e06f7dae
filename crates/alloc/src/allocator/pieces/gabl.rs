//! GABL, greedy available busy list: cuts a job into free submeshes, the largest first, so that they are few.
//!
//! S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, "Non-contiguous processor allocation strategy
//! for 2D mesh connected multicomputers based on sub-meshes available for allocation", ICPADS 2006.
//!
//! 1. If a submesh of the job's shape is free, the job gets it. Otherwise the job gets several smaller ones:
//!    the longest side of the shape is shortened by one node again and again, until a submesh of these sides
//!    is free, and so on for the rest of the job (see `repeated`). The printed listing would look for the
//!    same sides for ever. Here the search goes on to the next sides, in agreement with the paper's text.
//! 2. Free submeshes are searched next to the right sides of busy ones, as `rbs` does. With `turn=yes`, every
//!    orientation is tried.
//!
//! Step 1 follows the listing (`search=chain`): its sides form one chain, 6×4, 5×4, 4×4, 4×3, ... By the text
//! of §3, GABL takes "the largest free sub-mesh that can fit inside S(a,b)" instead, and then the largest one
//! within the sides of the last. `search=area` does that: within these sides it takes the free submesh with
//! the most nodes, but not more than are missing. Among equal ones, the longest shortest side wins, then the
//! greater width, then the greater length; a side that can only be 1 does not count. It searches up to a·b
//! sides for each submesh, or a·b·c in three dimensions.
//!
//! A job gets exactly as many nodes as it requests processors, and is never refused while enough nodes are
//! free. It takes time O(b·m²), where b submeshes are taken and m are in use.

use super::repeated::{Pieces, Repeat};
use crate::allocator::contiguous::orientations::take_turn;
use crate::allocator::contiguous::rbs;
use crate::allocator::seam::{AllocatorEntry, Contiguity, Memory, OnTori, OnTrees, Promises, Strategy};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "gabl",
    summary: "the largest free rectangles or cuboids within the job's shape, right of busy ones",
    source: "Bani-Mohammad, Ould-Khaoua, Ababneh, Mackenzie, ICPADS, 2006",
    parameters: "turn=no (yes), search=chain (area)",
    max_dims: 3,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: true, complete: true, memory: Memory::UntilIdle },
    build: |params, _| {
        let turn = take_turn(params)?;
        let next = params.choose_unwritten("search", &[("chain", Repeat::Text), ("area", Repeat::Area)])?;
        Ok(Strategy::of(Pieces::new(rbs::search, turn, next)))
    },
};
