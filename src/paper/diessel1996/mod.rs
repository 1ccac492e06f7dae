//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in partitionable-array
//! machines", 1996.
//!
//! The paper's logs were other versions than the archive's: its SDSC log had 33,058 tasks. Percentages are therefore held to
//! three points, those of Table 1 to a tenth of each number, orders strictly. Units of time are seconds; what a step of the
//! mesh and a decision cost is a choice of ours, so that what differs is measured with other costs too.

mod delays;
mod fig3;
mod fig4;
mod fig5;
mod sentences;
mod steps;
mod table1;

use super::evidence::At;
use super::figure::{Figure, Paper};

pub(super) const PAPER: Paper = Paper {
    name: "diessel1996",
    source: "O. Diessel, H. ElGindy, B. Beresford-Smith, \"Partial task compaction reduces queuing delays in \
             partitionable-array machines\", 1996",
    versions: false,
    figures: &[
        Figure { name: "fig3", title: "An example of ordered compaction", experiment: fig3::EXPERIMENT },
        Figure {
            name: "fig4",
            title: "Delays by the maximum intertask arrival period, SDSC Paragon on 400 processors, and the text of 4.1",
            experiment: fig4::EXPERIMENT,
        },
        Figure {
            name: "fig5",
            title: "Reduction of the allocation delay and number of compactions by the size of the array, NAS",
            experiment: fig5::EXPERIMENT,
        },
        Figure {
            name: "table1",
            title: "Tasks that finish earlier and later with left compaction than with first fit",
            experiment: table1::EXPERIMENT,
        },
        Figure {
            name: "steps",
            title: "What a step of the mesh and its height matter (not in the paper)",
            experiment: steps::EXPERIMENT,
        },
    ],
    sentences: sentences::SENTENCES,
};

/// A study file of this folder, whose name is that of the study.
macro_rules! study {
    ($name:literal, $dataset:expr) => {
        $crate::paper::figure::Embedded {
            name: $name,
            dataset: $dataset,
            text: include_str!(concat!("studies/", $name, ".toml")),
        }
    };
}
use study;

const SDSC: &str = "SDSC-Par-1996";
const NAS: &str = "NASA-iPSC-1993";

/// A point: log, array, workload rules, allocator.
fn at<'a>(dataset: &'a str, machine: &'a str, rules: &'a str, allocator: &'a str) -> At<'a> {
    At { dataset, machine, rules, allocator, scheduler: "fcfs", ..At::default() }
}

/// The rules of a maximum intertask arrival period.
fn rules(max: &str) -> String {
    format!("allocated:arrivals=uniform:max={max}")
}
