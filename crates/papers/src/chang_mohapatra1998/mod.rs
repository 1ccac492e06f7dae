//! C.-Y. Chang, P. Mohapatra, "An integrated processor management scheme for the mesh-connected multicomputer systems",
//! 1998.
//!
//! The curves of the paper are drawn without numbers, so only the statements in its text are compared. One time unit of
//! the paper is a second here. The thresholds of the bypass queue were not published.

mod cost;
mod fig1;

use super::load::{Folder, files};

/// The data files and the code of the paper.
pub(super) const FOLDER: Folder = Folder {
    files: files![
        "paper.toml",
        "sentences.toml",
        "turnaround.toml",
        "fig1.toml",
        "cost.toml",
        "studies/uniform-fcfs.toml",
        "studies/uniform-fcfs-printed.toml",
        "studies/uniform-bq.toml",
        "studies/normal.toml",
        "studies/normal-bq.toml",
    ],
    code: &[("fig1", fig1::measure), ("cost", cost::measure)],
};
