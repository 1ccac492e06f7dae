//! Descriptions of the frames for readers: every column with its type, its unit, its meaning and when it is present.

use serde::Serialize;

use super::{downtimes, jobs, summary};
use crate::metrics::ColumnInfo;

/// The description of a frame.
#[derive(Clone, Debug, Serialize)]
pub struct FrameSchema {
    /// The name of the frame, which is also the stem of its files.
    pub name: &'static str,
    /// What one row of the frame stands for.
    pub rows: &'static str,
    /// The columns in the order of the frame.
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

    /// Returns the schema of the `downtimes` frame.
    pub fn downtimes() -> Self {
        Self {
            name: "downtimes",
            rows: "one per time for which nodes were down, and per run in which a job was killed; only with --outages",
            columns: downtimes::fields().iter().map(|field| field.column).collect(),
        }
    }

    /// Returns the schemas of all frames.
    pub fn all() -> [Self; 3] {
        [Self::jobs(), Self::summary(), Self::downtimes()]
    }

    /// Returns the column of this name; `None` if the frame has none.
    pub fn column(&self, name: &str) -> Option<&ColumnInfo> {
        self.columns.iter().find(|column| column.name == name)
    }
}
