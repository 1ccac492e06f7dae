//! The rules that decide which records become jobs, and with which values, shapes and arrivals.

pub(super) mod arrivals;
pub(super) mod rule_set;
pub(super) mod shake;
pub(super) mod shape_rule;
pub(super) mod spelling;
