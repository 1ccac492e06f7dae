//! The commands about algorithms: `list`, and `check` of the laws of allocators.

pub(super) mod check;
pub(super) mod list;

use super::{Failure, one_of, print};
