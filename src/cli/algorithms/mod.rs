//! The commands about algorithms as such: what there is, and whether allocators keep the laws.

pub(super) mod check;
pub(super) mod list;

use super::{Failure, one_of, print};
