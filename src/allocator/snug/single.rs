//! Jobs of one node, which are most of many logs: the free node that is farthest from the free ones.

use super::far::Far;
use crate::machine::{Machine, NodeId};

/// Returns the free node of largest sum of distances to the free ones, the first of equals. O(L·D), or O(free nodes)
/// on a torus.
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
            if far.torus {
                free_in_row(machine, row, width).for_each(look);
                continue;
            }
            // Off a torus the sums fall up to some position and rise from there: the farthest is at an end.
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

/// Returns the x of the free nodes of the row that begins with node `row`, ascending.
fn free_in_row(machine: &Machine, row: NodeId, width: u32) -> impl Iterator<Item = u32> + '_ {
    (0..width).step_by(64).flat_map(move |from| {
        let mut bits = machine.free().bits((row + from) as usize, (width - from).min(64) as usize);
        std::iter::from_fn(move || {
            let bit = bits.trailing_zeros();
            (bits != 0).then(|| {
                bits &= bits - 1;
                from + bit
            })
        })
    })
}

/// Returns the x of the last free node of the row that begins with node `row`.
fn last_in_row(machine: &Machine, row: NodeId, width: u32) -> Option<u32> {
    let chunks = width.div_ceil(64);
    (0..chunks).rev().find_map(|chunk| {
        let from = chunk * 64;
        let bits = machine.free().bits((row + from) as usize, (width - from).min(64) as usize);
        (bits != 0).then(|| from + 63 - bits.leading_zeros())
    })
}
