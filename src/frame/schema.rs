//! The frames in words: every column, its type, its unit, what it means and when it is there.

use serde::Serialize;

use super::{jobs, summary};
use crate::metrics::ColumnInfo;

/// A frame.
#[derive(Clone, Debug, Serialize)]
pub struct FrameSchema {
    /// Its name, which is also the stem of its files.
    pub name: &'static str,
    /// What a row is.
    pub rows: &'static str,
    /// Its columns in their order.
    pub columns: Vec<ColumnInfo>,
}

impl FrameSchema {
    /// Returns the schema of the `jobs` frame.
    pub fn jobs() -> Self {
        Self {
            name: "jobs",
            rows: "one per job of a replay, in the order of the log",
            columns: jobs::fields().iter().map(|field| field.column).collect(),
        }
    }

    /// Returns the schema of the `summary` frame.
    pub fn summary() -> Self {
        Self { name: "summary", rows: "one per replay and replication", columns: summary::columns() }
    }

    /// Returns the schemas of all frames.
    pub fn all() -> [Self; 2] {
        [Self::jobs(), Self::summary()]
    }

    /// Returns the column of this name; `None` if the frame has none.
    pub fn column(&self, name: &str) -> Option<&ColumnInfo> {
        self.columns.iter().find(|column| column.name == name)
    }
}
