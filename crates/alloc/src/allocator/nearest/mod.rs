//! The nearest family: each centre takes the k free nodes nearest to it in L1, and the smallest pairwise sum wins.
//!
//! In `gen_alg` every free node is a centre. S. Krumke et al. showed that its pairwise sum is at most twice the
//! optimum. With more centres (`mm`) the bound is lower. `mm_inc` improves the result of `mm` by greedy exchanges of
//! nodes. The search is written in four ways that give the same results. On small machines a set of nodes is one number
//! (`small`). On other machines free nodes are counted along lines, for one centre after another (`wide`). On large ones
//! the sums of neighbouring centres are computed together, and only of those that can win by a lower bound (`ranked`,
//! `bounds`, `lanes`). Balls of large jobs, and those that meet themselves around a ring, have bounds of their own (`slices`). `ties` and `carried` choose among nodes that are equally far from a centre, `rims` among many. `rim` has the places at one distance.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the k^2/2 pairs of at most 2^24 nodes are below 2^47, distances below 2^25 and offsets within their range, the distances of one \
              node to all others below 2^49; sums over all pairs are clamped, and on machines of at most 128 nodes \
              the counts of a cut fit a byte"
)]

mod bounds;
pub(super) mod carried;
pub(super) mod centres;
mod cuts;
mod deciding;
mod floor;
pub(super) mod gen_alg;
mod lanes;
pub(super) mod mm;
pub(super) mod mm_inc;
mod order;
mod ranked;
mod rim;
mod rims;
pub(super) mod search;
mod slices;
mod small;
pub(super) mod ties;
mod wide;
