//! C.-Y. Chang, P. Mohapatra, "An integrated processor management scheme for the mesh-connected multicomputer systems",
//! 1998.
//!
//! The curves of the paper are drawn without numbers; what its text says of them is what ours are compared with. The time
//! unit is a second here. Thresholds of the bypass queue are not published.

mod cost;
mod fig1;
mod sentences;
mod turnaround;

use super::evidence::At;
use super::figure::{Figure, Paper};

pub(super) const PAPER: Paper = Paper {
    name: "chang-mohapatra1998",
    source: "C.-Y. Chang, P. Mohapatra, \"An integrated processor management scheme for the mesh-connected multicomputer \
             systems\", 1998",
    versions: false,
    figures: &[
        Figure {
            name: "fig1",
            title: "Four jobs that fit in one orientation only",
            experiment: fig1::EXPERIMENT,
        },
        Figure {
            name: "fig3",
            title: "Turnaround under the bypass queue, first fit and adaptive scan, uniform sides",
            experiment: turnaround::FIG3,
        },
        Figure {
            name: "fig3-normal",
            title: "Turnaround under the bypass queue, first fit and adaptive scan, normal sides (text of 3.1)",
            experiment: turnaround::NORMAL,
        },
        Figure {
            name: "fig4a",
            title: "Turnaround of first fit, fixed orientation and adaptive scan, uniform sides",
            experiment: turnaround::FIG4A,
        },
        Figure {
            name: "fig4b",
            title: "Turnaround of first fit, fixed orientation and adaptive scan, normal sides",
            experiment: turnaround::FIG4B,
        },
        Figure {
            name: "fig5",
            title: "Turnaround of fixed orientation under the bypass queue, and of adaptive scan",
            experiment: turnaround::FIG5,
        },
        Figure { name: "fig6", title: "Variance of turnaround by threshold", experiment: turnaround::FIG6 },
        Figure {
            name: "cost",
            title: "What allocation costs, adaptive scan against fixed orientation (text of 3.2)",
            experiment: cost::EXPERIMENT,
        },
    ],
    sentences: sentences::SENTENCES,
};

/// A study file of this folder, whose name is that of the study.
macro_rules! study {
    ($name:literal) => {
        $crate::paper::figure::Embedded {
            name: $name,
            dataset: $crate::paper::figure::MODEL,
            text: include_str!(concat!("studies/", $name, ".toml")),
        }
    };
}
use study;

/// The machine of all experiments.
const MACHINE: &str = "32x32";

/// A point: sides as in the workload's spec, traffic ratio, scheduler, allocator.
fn at<'a>(log: &'a str, scheduler: &'a str, allocator: &'a str) -> At<'a> {
    At { dataset: super::figure::MODEL, machine: MACHINE, log, scheduler, allocator, ..At::default() }
}
