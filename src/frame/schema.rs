//! The frames in words: every column, its type, its unit, what it means and when it is there.

use super::column::{FrameSchema, columns};
use super::jobs::JobRow;
use super::summary::SummaryRow;

/// Every frame.
pub fn schemas() -> Vec<FrameSchema> {
    vec![
        FrameSchema {
            name: "jobs",
            rows: "one per job of a replay, in the order of the log",
            columns: columns(&JobRow::FIELDS),
        },
        FrameSchema {
            name: "summary",
            rows: "one per replay and replication",
            columns: columns(&SummaryRow::FIELDS),
        },
    ]
}
