//! The nearest family: each centre takes the k free nodes nearest to it in L1, and the smallest pairwise sum wins.
//!
//! In `gen_alg` every free node is a centre. S. Krumke et al. showed that its pairwise sum is at most twice the
//! optimum. With more centres (`mm`) the bound is lower. `mm_inc` improves the result of `mm` by greedy exchanges of
//! nodes. The search is written in two ways that give the same results: on small machines a set of nodes is one number
//! (`small`), on other machines free nodes are counted along lines (`wide`). `ties` and `carried` choose among nodes
//! that are equally far from a centre.

pub(super) mod carried;
pub(super) mod centres;
mod cuts;
pub(super) mod gen_alg;
pub(super) mod mm;
pub(super) mod mm_inc;
pub(super) mod search;
mod small;
pub(super) mod ties;
mod wide;
