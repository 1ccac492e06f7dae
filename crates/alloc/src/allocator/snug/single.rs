//! The choice for jobs of one node, which are the majority in many logs: the free node farthest from all free
//! nodes.

use super::far::Far;
use meshreplay_machine::machine::{Machine, NodeId, bits_of_word};

/// Returns the free node with the largest sum of distances to all free nodes, the first of equals; `None` if
/// no node is free. O(L·D), or O(free nodes) if x wraps.
pub(super) fn farthest(machine: &Machine, far: &Far) -> Option<NodeId> {
    let mesh = machine.mesh();
    let [width, length, depth] = mesh.extents();
    let along = far.along(0, 0);
    let mut best: Option<(i64, NodeId)> = None;
    for z in 0..depth {
        for y in 0..length {
            let row = mesh.node([0, y, z]);
            let across = far.along(1, y)[0] + far.along(2, z)[0];
            let mut look = |x: u32| {
                let sum = along[x as usize] + across;
                if best.is_none_or(|best| sum > best.0) {
                    best = Some((sum, row + x));
                }
            };
            if far.wraps[0] {
                free_in_row(machine, row, width).for_each(look);
                continue;
            }
            // If x does not wrap, the sums along a row are convex, so the largest one is at the first or the
            // last free node.
            if let Some(first) = free_in_row(machine, row, width).next() {
                look(first);
                if let Some(last) = last_in_row(machine, row, width) {
                    look(last);
                }
            }
        }
    }
    best.map(|(_, node)| node)
}

/// Returns the x of each free node of the row that begins with node `row`, ascending; nothing if none is
/// free.
fn free_in_row(machine: &Machine, row: NodeId, width: u32) -> impl Iterator<Item = u32> + '_ {
    (0..width).step_by(64).flat_map(move |from| {
        let bits = machine.free().bits((row + from) as usize, (width - from).min(64) as usize);
        bits_of_word(bits).map(move |bit| from + bit)
    })
}

/// Returns the x of the last free node of the row that begins with node `row`; `None` if none is free.
fn last_in_row(machine: &Machine, row: NodeId, width: u32) -> Option<u32> {
    let chunks = width.div_ceil(64);
    (0..chunks).rev().find_map(|chunk| {
        let from = chunk * 64;
        let bits = machine.free().bits((row + from) as usize, (width - from).min(64) as usize);
        (bits != 0).then(|| from + 63 - bits.leading_zeros())
    })
}
