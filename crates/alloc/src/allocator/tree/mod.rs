//! Allocators for trees of switches (`tree:18x24`): `slurm-tree`, `slurm-block` and `kueue`.
//!
//! They count the free nodes of leaves and of larger groups, choose leaves, and take nodes of a leaf in the
//! order of their numbers. Counting costs O(N), and none of them keeps an index.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "numbers of nodes and of groups are at most 2^24, and no more nodes are taken than are free"
)]

pub(super) mod kueue;
pub(super) mod slurm_block;
pub(super) mod slurm_tree;

use crate::allocator::seam::{Placement, Request};
use meshreplay_machine::machine::{Levels, Machine};

/// Returns the placement with the first free nodes of each leaf, as many as `counts` has for it.
fn first_of_leaves(levels: &Levels, machine: &Machine, counts: &[u32]) -> Placement {
    let mut left = counts.to_vec();
    let is_taken = |node: &u32| {
        let left = &mut left[(node / levels.leaf()) as usize];
        *left > 0 && {
            *left -= 1;
            true
        }
    };
    Placement::of(machine.free().iter().filter(is_taken).collect())
}

/// Returns the placement of a job of one node, which Slurm gives the first free node whatever the topology;
/// `None` for larger jobs.
fn of_one_node(request: &Request, machine: &Machine) -> Option<Placement> {
    (request.procs == 1).then(|| Placement::of(machine.free().iter().take(1).collect()))
}

#[cfg(test)]
mod tests;
