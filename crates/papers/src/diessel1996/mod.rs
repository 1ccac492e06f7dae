//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996.
//!
//! The logs of the paper are not the versions in the archive: its SDSC log had 33,058 tasks. Percentages therefore may
//! differ by three points, and each number of Table 1 by a tenth. Orders must be equal. One time unit is a second. The
//! times of a step of the mesh and of a decision are our choice, so results that differ are also measured with other
//! times.

mod fig3;
mod table1;

use super::load::{Folder, files};

/// The data files and the code of the paper.
pub(super) const FOLDER: Folder = Folder {
    files: files![
        "paper.toml",
        "sentences.toml",
        "fig3.toml",
        "fig4.toml",
        "fig5.toml",
        "table1.toml",
        "steps.toml",
        "studies/fig4.toml",
        "studies/gaps.toml",
        "studies/fig5.toml",
        "studies/nas.toml",
        "studies/steps.toml",
    ],
    code: &[("fig3", fig3::measure), ("table1", table1::measure)],
};
