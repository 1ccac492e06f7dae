//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in
//! partitionable-array machines", 1996.
//!
//! The logs of the paper are not the versions in the archive: its SDSC log had 33,058 tasks. Percentages
//! therefore may differ by three points, and each number of Table 1 by a tenth. Orders must be equal. One
//! time unit is a second. The times of a step of the mesh and of a decision are our choice, so results that
//! differ are also measured with other times.
//!
//! The paper says twice that left compaction needs more free processors than are requested. This reading
//! (`free=more`) has rows of its own, with verdicts.

mod fig3;
mod fig4;
mod fig5;
mod grid;
mod steps;
mod table1;

use super::load::{Paper, chart, studies, table};

const FIRST_FIT: &str = "linear-first-fit";
const LEFT: &str = "left-compaction";
const FREE: &str = "cost-free-compaction";
/// Left compaction by the words of the paper, where tasks move only if more processors are free than are
/// requested, and these words.
const MORE: &str = "left-compaction:free=more";
const MORE_WORDS: &str = "3.2, step 1 of the procedure: \"the total free space [...] exceeds the request\"; \
     4: \"when the total number of free processors exceeded the request\"";
/// Left compaction with a cost of the decision that was fitted.
const TEN_SECONDS: &str = "left-compaction:schedule_cost=0,select_cost=10";
const TEN_SECONDS_WORDS: &str = "10 s for each record looked at, no cost of the schedule";

/// The paper and its figures.
pub(super) const PAPER: Paper = Paper {
    name: "diessel1996",
    source: "O. Diessel, H. ElGindy, B. Beresford-Smith, \"Partial task compaction reduces queuing delays in \
        partitionable-array machines\", 1996",
    versions: false,
    figures: &[
        table("fig3", "An example of ordered compaction", &[], fig3::judge),
        chart(
            "fig4",
            "Delays by the maximum intertask arrival period, SDSC Paragon on 400 processors, \
                and the text of 4.1",
            studies!["fig4", "gaps"],
            fig4::fig4,
        ),
        table(
            "nas",
            "Delays by the maximum intertask arrival period, NAS on 128 processors (text of 4.2)",
            studies!["nas"],
            fig4::nas,
        ),
        chart(
            "fig5",
            "Reduction of the allocation delay and number of compactions by the size of the array, NAS",
            studies!["fig5"],
            fig5::judge,
        ),
        table(
            "table1",
            "Tasks that finish earlier and later with left compaction than with first fit",
            &[],
            table1::judge,
        )
        .surveys(&["SDSC-Par-1996"]),
        table(
            "steps",
            "What a step of the mesh and its height matter (not in the paper)",
            studies!["steps"],
            steps::judge,
        ),
        table(
            "grid",
            "Step, decision and rule nearest to the printed numbers (not in the paper, takes minutes)",
            &[],
            grid::judge,
        )
        .surveys(&["SDSC-Par-1996"]),
    ],
    sentences: include_str!("sentences.toml"),
};
