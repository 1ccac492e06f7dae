//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996.
//!
//! The paper's logs were other versions than the archive's: its SDSC log had 33,058 tasks. Percentages are therefore
//! held to three points, those of Table 1 to a tenth of each number, orders strictly. Units of time are seconds; what a
//! step of the mesh and a decision cost is a choice of ours, so that what differs is measured with other costs too.

mod fig3;
mod table1;

use super::load::{Folder, files};

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
        "studies/steps.toml",
    ],
    code: &[("fig3", fig3::measure), ("table1", table1::measure)],
};
