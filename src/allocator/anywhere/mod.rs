//! Allocators that take free nodes wherever they are, in one order or in none.
//!
//! Nothing is searched: `naive` and `paging` take the first free nodes of an order (of single nodes, of equal pages),
//! `random` draws them. They cost next to nothing and are what the others are compared with: a job of k nodes may end
//! up scattered over the whole machine. None refuses while enough nodes are free, or enough pages with larger ones.

pub(super) mod naive;
pub(super) mod paging;
pub(super) mod random;
