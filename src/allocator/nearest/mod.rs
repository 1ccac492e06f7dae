//! The nearest family: around each of a set of centres, the k free nodes nearest in L1; the smallest pairwise sum wins.
//!
//! S. Krumke et al. showed that this is at most twice as dispersed as the optimum (`gen_alg`: every free node is a
//! centre); with more centres the bound falls (`mm`), and a greedy exchange comes after it (`mm_inc`). The search is
//! written in two ways that agree: small machines have sets of nodes in single numbers (`small`), on others free nodes
//! are counted along lines (`wide`). Nodes that are equally far from a centre are chosen by `ties` and `carried`.

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
