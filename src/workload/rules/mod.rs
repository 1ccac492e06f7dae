//! Which records become jobs, with which numbers, shapes and arrivals.

pub(super) mod arrivals;
pub(super) mod left_out;
pub(super) mod rule_set;
pub(super) mod shape_rule;
pub(super) mod spelling;
