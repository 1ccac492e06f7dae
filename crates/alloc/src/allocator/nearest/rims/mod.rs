//! Which free places of its *rim*, those at the largest distance, a centre takes, for rims of many places or many centres.
//!
//! The centres before it order them (see `carried`). `levels` has what each of these does to places, and `orders` what all of a path do
//! together, which suits paths that many centres share.

pub(super) mod levels;
pub(super) mod orders;
