//! The shells family: each centre takes the nearest free nodes shell by shell, and the centre of the lowest
//! score wins.
//!
//! M. Bender et al. number the shells around a centre from 0. The score of a set of nodes is the sum of their
//! shell numbers. In `mc` the shells have the shape of the job. In `mc1x1` they are squares or cubes around a
//! single node, filled as the simulator of its authors does it. `mc1x1_shells` is the version of MC1x1 that
//! its authors timed. `mc_pair` fills like `mc1x1`, but its score is the sum of pairwise distances. `scores`
//! finds the best centre of a machine state, `fill` chooses the nodes that a centre takes, by `greedy` and
//! with the help of `idle`, `near` and `cube`, `worth` and `pairs` say when a fill cannot win any more, and
//! `tie_break` decides between equal scores. None of these allocators refuses a job while enough nodes are
//! free.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "coordinates are below 2^24 and sums of one node's distances to k others below 2^50; scores are \
         sums of at most 2^24 terms of at most 2^24"
)]

mod array_scores;
mod batch;
mod centre;
mod cube;
pub(super) mod fill;
mod greedy;
mod hops;
mod idle;
pub(super) mod mc;
pub(super) mod mc1x1;
pub(super) mod mc1x1_shells;
pub(super) mod mc_pair;
mod near;
mod pairs;
mod plain;
pub(super) mod scores;
#[cfg(test)]
mod states;
pub(super) mod tie_break;
mod valley;
mod worth;
