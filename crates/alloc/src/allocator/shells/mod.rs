//! The shells family: each centre takes the nearest free nodes shell by shell, and the centre of the lowest
//! score wins.
//!
//! M. Bender et al. number the shells around a centre from 0. The score of a set of nodes is the sum of their
//! shell numbers. In `mc` the shells have the shape of the job. In `mc1x1` they are squares or cubes around a
//! single node, filled as the simulator of its authors does it. `mc1x1_shells` is the version of MC1x1 that
//! its authors timed. `mc_pair` fills like `mc1x1`, but its score is the sum of pairwise distances. `scores`
//! finds the best centre of a machine state. `fill` chooses the nodes of a centre, by `greedy` and with the
//! help of `local_greedy`. `pairs` ends fills of `mc_pair` that cannot win, and `tie_break` decides between
//! equal scores. While enough nodes are free, these allocators refuse no job.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "coordinates are below 2^24 and sums of one node's distances to k others below 2^50; scores are \
         sums of at most 2^24 terms of at most 2^24"
)]

pub(super) mod fill;
mod greedy;
mod local_greedy;
pub(super) mod mc;
pub(super) mod mc1x1;
pub(super) mod mc1x1_shells;
pub(super) mod mc_pair;
mod pairs;
mod plain;
pub(super) mod scores;
pub(super) mod tie_break;

/// Machine states for tests.
#[cfg(test)]
mod states {
    use meshreplay_machine::machine::{Machine, NodeId};

    /// Returns a machine with `quarters` of four patches busy, by a multiplicative hash that `seed` changes.
    /// A patch has `side` nodes along each dimension.
    pub(super) fn patchy(
        text: &str,
        side: u32,
        quarters: u32,
        seed: u32,
    ) -> Result<Machine, Box<dyn std::error::Error>> {
        let mut machine = Machine::new(text.parse()?);
        let mesh = machine.mesh().clone();
        let is_busy = |node: &NodeId| {
            let at = mesh.coord(*node).map(|c| c / side);
            let hash = (at[0] * 31 + at[1] * 37 + at[2] * 41 + seed).wrapping_mul(0x9e37_79b1);
            hash >> 30 < quarters
        };
        machine.occupy(&(0..mesh.nodes()).filter(is_busy).collect::<Vec<_>>())?;
        Ok(machine)
    }
}
