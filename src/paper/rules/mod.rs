//! The rules by which measured numbers become findings: data in the papers' folders, and one interpreter of it.
//!
//! A file of rules has `sets`, `at` and `rule`s. A set gives one or several variables their values, one row after the
//! other; a rule has a finding for `each` element of the product of some sets, in whose texts `{variable}` stands for
//! the value. What is `measured` is an expression: `share(wait_s_mean[qna], wait_s_mean[mbs])` is a ratio over common
//! workloads, and `column[ALLOCATOR; machine=16x16]` is the mean of a column of the results at a point, whose other
//! coordinates are those of `at`. Beside it stands what was `published`, and how far off it may be. A rule that has
//! `compare` instead is a statement: it holds if all its comparisons do. Rules within a rule share its variables.

mod curve;
mod evaluate;
mod expr;
mod file;
mod judge;
mod scope;
mod table;
mod template;
mod value;

pub(super) use file::{RuleFile, SetSource};
pub(super) use judge::findings;
pub use scope::RuleError;
pub(super) use scope::Subject;
pub(super) use table::PrintedTable;
