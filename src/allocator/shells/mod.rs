//! Shells: a job grows around a centre in submeshes or rings, and the centre of the lowest score wins.
//!
//! M. Bender et al. number the shells around a centre from 0 and score a choice of nodes by the sum of their shell
//! numbers. `mc` has shells of the job's shape, `mc1x1` has squares (cubes) around a single node in the way that its
//! authors' simulator fills them, `mc1x1_shells` whole L∞ shells, and `mc_pair` fills like `mc1x1` but scores by
//! pairwise distances. `scores` finds the best centre of a machine state, `fill` takes the nodes around one,
//! `tie_break` decides among equals. All never refuse while enough nodes are free.

pub(super) mod fill;
pub(super) mod mc;
pub(super) mod mc1x1;
pub(super) mod mc1x1_shells;
pub(super) mod mc_pair;
pub(super) mod scores;
pub(super) mod tie_break;
