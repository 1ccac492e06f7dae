//! The rules by which measured numbers become findings: data in the folders of the papers, and one interpreter.
//!
//!
//! A file of rules has `sets`, `at` and `rule`s. A set gives values to one or several variables, one row after the
//! other. A rule has one finding for `each` element of the product of some sets. In the texts of the rule `{variable}`
//! stands for the value. What is `measured` is an expression. `share(wait_s_mean[qna], wait_s_mean[mbs])` is a ratio
//! over common workloads. `column[ALLOCATOR; machine=16x16]` is the mean of a column of the results at a point; `at`
//! gives the other coordinates of the point. The rule also says what was `published`, and how far the measured number
//! may differ. A `mark` is a published number that the plot shows beside what was measured. A rule with `compare` is a statement instead: it holds if all its comparisons hold. Rules within a rule
//! share its variables.

mod curve;
mod evaluate;
mod expr;
mod file;
mod judge;
mod marks;
mod scope;
mod table;
mod template;
mod value;

pub(super) use file::{RuleFile, SetSource};
pub(super) use judge::findings;
pub(super) use marks::marks;
pub use scope::RuleError;
pub(super) use scope::Subject;
pub(super) use table::PrintedTable;
