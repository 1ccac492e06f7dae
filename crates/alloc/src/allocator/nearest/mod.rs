//! The nearest family: each centre takes the k free nodes nearest to it in L1, and the smallest pairwise sum
//! wins.
//!
//! In `gen_alg` every free node is a centre. S. Krumke et al. showed that its pairwise sum is at most twice
//! the optimum. With more centres (`mm`) the bound is lower. `mm_inc` improves the result of `mm` by greedy
//! exchanges of nodes.
//!
//! There are two searches, and `search` has both. On machines of at most 128 nodes, a set of nodes is one
//! number (`small`). On others, `best_first` visits the centres in the order of lower bounds. It counts and
//! measures balls (`ball`) by prefix sums along diagonals. `least_sums` bounds pairwise sums. `carried`
//! chooses among equally distant nodes, with the help of earlier `centres`. `numbers` has one dimension, and
//! the types of counts and costs.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "positions, radii and the indices of tables for at most 2^24 nodes are below 2^31; the \
              distances of one node to all others are below 2^49; sums over all pairs are clamped, and on \
              machines of at most 128 nodes the counts of a cut fit a byte"
)]

mod ball;
mod best_first;
pub(super) mod carried;
pub(super) mod centres;
pub(super) mod gen_alg;
mod least_sums;
pub(super) mod mm;
pub(super) mod mm_inc;
mod numbers;
pub(super) mod search;
mod small;
