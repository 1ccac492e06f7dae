//! Yardsticks of dispersal: what the best placement is, and what none can be better than.
//!
//! [`PairwiseBound`] is a lower bound of the pairwise sum of any set of nodes of a given size, on an empty machine; it
//! is quick enough to be asked for every job of a replay. [`optimum`] finds the best set among the nodes that are free
//! and proves it, which takes exponential time and is meant for machines of some hundred nodes.

mod bound;
mod optimum;

pub use bound::PairwiseBound;
pub use optimum::{MAX_OPTIMUM_NODES, Optimum, OptimumError, optimum};
