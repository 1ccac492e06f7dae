//! Descriptions of the frames for readers: every column with its type, its unit, its meaning and when it is
//! present.

use serde::Serialize;

use super::detail::DETAILS;
use super::summary;
use meshreplay_sim::metrics::ColumnInfo;

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
    /// Returns the schema of the `summary` frame.
    pub fn summary() -> Self {
        Self { name: "summary", rows: "one per replay and replication", columns: summary::columns() }
    }

    /// Returns the schemas of all frames: jobs, summary, and the other details.
    pub fn all() -> Vec<Self> {
        let details = DETAILS.iter();
        let mut all: Vec<Self> = details
            .map(|detail| Self { name: detail.name, rows: detail.rows, columns: (detail.columns)() })
            .collect();
        all.insert(1, Self::summary());
        all
    }

    /// Returns the column of this name; `None` if the frame has none.
    pub fn column(&self, name: &str) -> Option<&ColumnInfo> {
        self.columns.iter().find(|column| column.name == name)
    }
}
