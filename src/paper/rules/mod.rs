//! The rules by which measured numbers become findings: data of the papers' folders, and one interpreter of it.
//!
//! A rule names an item for each element of some sets, an expression that is measured, what was published of it, or the
//! comparisons that a statement makes. Expressions speak of columns of the results; see [`expr`].

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
