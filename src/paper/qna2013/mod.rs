//! R. Zolfaghari, "Quick non-contiguous allocation", IJEAT 2013.
//!
//! The curves are drawn without numbers; the text gives a few ratios at one load each. These lie where jobs begin to queue
//! without end, and move fast with the load, so the whole curve is shown, and the load at which each ratio is met.
//!
//! Five packets per job barely load the network: at saturation about 1 % of what its links could carry is used, and headers
//! wait for 5 of 47 cycles, so that it matters little where processors are, and what distinguishes the non-contiguous
//! allocators here is small. More messages per job are among the readings.

mod fig1;
mod lengths;
mod loads;
mod printed_scan;
mod readings;
mod sentences;
mod utilization;

use super::figure::{Experiment, Figure, Paper};

pub(super) const PAPER: Paper = Paper {
    name: "qna2013",
    source: "R. Zolfaghari, \"Quick non-contiguous allocation\", IJEAT 2013",
    versions: false,
    figures: &[
        figure("fig1", "An example of the scan for submeshes", fig1::EXPERIMENT),
        figure("fig2", "Completion times, one-to-all, uniform sides", loads::FIG2),
        figure("fig3", "Completion times, one-to-all, exponential sides", loads::FIG3),
        figure("fig4", "Completion times, all-to-all, uniform sides", loads::FIG4),
        figure("fig5", "Completion times, all-to-all, exponential sides", loads::FIG5),
        figure("fig6", "Utilization at heavy load, uniform sides", utilization::FIG6),
        figure("fig7", "Utilization at heavy load, exponential sides", utilization::FIG7),
        figure("fig8", "Waiting times, one-to-all, uniform sides", loads::FIG8),
        figure("fig9", "Waiting times, one-to-all, exponential sides", loads::FIG9),
        figure("fig10", "Waiting times, all-to-all, uniform sides", loads::FIG10),
        figure("fig11", "Waiting times, all-to-all, exponential sides (printed as Figure 10)", loads::FIG11),
        figure(
            "longer-one-to-all",
            "Longer packets and a larger mesh, one-to-all, uniform sides (text)",
            lengths::ONE_TO_ALL,
        ),
        figure(
            "longer-all-to-all",
            "Longer packets and a larger mesh, all-to-all, uniform sides (text)",
            lengths::ALL_TO_ALL,
        ),
        figure(
            "readings",
            "Other readings of the network: where it saturates, and the printed ratios (not in the paper)",
            readings::EXPERIMENT,
        ),
    ],
    sentences: sentences::SENTENCES,
};

const fn figure(name: &'static str, title: &'static str, experiment: Experiment) -> Figure {
    Figure { name, title, experiment }
}

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

/// QNA and each of the others.
const QNA_AND: [(&str, &str); 3] = [("qna", "first-fit"), ("qna", "paging"), ("qna", "mbs")];
const ALLOCATORS: [&str; 4] = ["qna", "mbs", "paging", "first-fit"];
const TURNAROUND: &str = "turnaround_s_mean";
const WAIT: &str = "wait_s_mean";
