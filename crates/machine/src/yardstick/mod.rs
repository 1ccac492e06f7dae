//! Yardsticks of dispersal: the best placement, and bounds that no placement can beat.
//!
//! [`PairwiseBound`] is a lower bound of the pairwise sum of any set of nodes of a given size on an empty
//! machine. It is quick enough to be computed for every job of a replay. [`optimum`] finds the set of free
//! nodes with the smallest pairwise sum and proves that no set is better. This takes exponential time and is
//! meant for machines of some hundred nodes.

mod bound;
mod optimum;

pub use bound::PairwiseBound;
pub use optimum::{MAX_OPTIMUM_NODES, Optimum, OptimumError, optimum};
