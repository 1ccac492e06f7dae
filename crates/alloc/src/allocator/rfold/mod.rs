//! The policies of RFold: boxes of a 3D torus, folded into other boxes and put together from cubes behind
//! optical switches.
//!
//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025, and its simulator (github.com/shuoshuc/RFold). A job asks for a box of a torus. A policy may turn
//! it, fold it (replace it by another box that keeps its links), and, on a machine of cubes whose faces are
//! joined by optical circuit switches, put it together from parts of cubes that need not be neighbours.
//!
//! `foldings` lists the orientations in the order of RFold, and foldings. `pieces` cuts a box into the parts
//! that come from different cubes, `free_boxes` finds what still fits, and `path` finds paths through a cube.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "cubes, foldings and steps lie within a machine of at most 2^24 nodes"
)]

mod foldings;
mod free_boxes;
mod path;
mod pieces;
#[expect(clippy::module_inception, reason = "the family has the name of its last policy")]
pub(super) mod rfold;
pub(super) mod rfold_first_fit;
pub(super) mod rfold_folding;
pub(super) mod rfold_reconfig;

pub use self::free_boxes::FreeBoxes;
