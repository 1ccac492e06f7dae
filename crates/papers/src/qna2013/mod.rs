//! R. Zolfaghari, "Quick non-contiguous allocation", IJEAT 2013.
//!
//! The curves are drawn without numbers. The text gives a few ratios, each at one load. They lie where queues
//! begin to grow without limit, and change fast with the load. So the whole curve is shown, with the load at
//! which each ratio is reached.
//!
//! Five packets per job barely load the network. At saturation about 1 % of the capacity of the links is
//! used, and headers wait for 5 of 47 cycles. So the positions of processors matter little, and the
//! differences between the non-contiguous allocators are small. Runs with more messages per job are among the
//! variants.
//!
//! In the paper, paging takes pages from a list and returns them to it, as `paging:list=returned`
//! does. It describes how MBS splits blocks and not that it joins them; `mbs:join=no` is this reading. Both
//! are shown together with paging and MBS as defined by their own authors.

mod fig1;
mod lengths;
mod loads;
mod readings;
mod redrawn;
mod utilization;

use super::load::{Paper, Studies, chart, studies, table};
use loads::{TURNAROUND, WAIT};

const ALLOCATORS: [&str; 4] = ["qna", "mbs", "paging", "first-fit"];
const NON_CONTIGUOUS: [&str; 3] = ["qna", "mbs", "paging"];
/// The allocators with which the text compares QNA, in its order.
const OTHERS: [&str; 3] = ["first-fit", "paging", "mbs"];

/// The paper and its figures.
pub(super) const PAPER: Paper = Paper {
    name: "qna2013",
    source: "R. Zolfaghari, \"Quick non-contiguous allocation\", IJEAT 2013",
    versions: false,
    figures: &[
        table("fig1", "An example of the scan for submeshes", &[], fig1::judge),
        chart("fig2", "Completion times, one-to-all, uniform sides", ONE_TO_ALL_UNIFORM, |findings| {
            loads::judge(findings, &TURNAROUND, "one-to-all", Some(&loads::FIG2));
        }),
        chart(
            "fig3",
            "Completion times, one-to-all, exponential sides",
            ONE_TO_ALL_EXPONENTIAL,
            |findings| loads::judge(findings, &TURNAROUND, "one-to-all", None),
        ),
        chart("fig4", "Completion times, all-to-all, uniform sides", ALL_TO_ALL_UNIFORM, |findings| {
            loads::judge(findings, &TURNAROUND, "all-to-all", Some(&loads::FIG4));
        }),
        chart(
            "fig5",
            "Completion times, all-to-all, exponential sides",
            ALL_TO_ALL_EXPONENTIAL,
            |findings| {
                loads::judge(findings, &TURNAROUND, "all-to-all", None);
                redrawn::fig5(findings);
            },
        ),
        chart("fig6", "Utilization at heavy load, uniform sides", studies!["heavy"], |findings| {
            utilization::judge(findings, "");
        }),
        chart(
            "fig7",
            "Utilization at heavy load, exponential sides",
            studies!["heavy", "all-to-all-exponential-redrawn"],
            |findings| {
                utilization::judge(findings, ",sides=exponential");
                redrawn::fig7(findings);
            },
        ),
        chart("fig8", "Waiting times, one-to-all, uniform sides", ONE_TO_ALL_UNIFORM, |findings| {
            loads::judge(findings, &WAIT, "one-to-all", Some(&loads::FIG8));
        }),
        chart("fig9", "Waiting times, one-to-all, exponential sides", ONE_TO_ALL_EXPONENTIAL, |findings| {
            loads::judge(findings, &WAIT, "one-to-all", None);
        }),
        chart("fig10", "Waiting times, all-to-all, uniform sides", ALL_TO_ALL_UNIFORM, |findings| {
            loads::judge(findings, &WAIT, "all-to-all", None);
        }),
        chart(
            "fig11",
            "Waiting times, all-to-all, exponential sides (printed as Figure 10)",
            ALL_TO_ALL_EXPONENTIAL,
            |findings| {
                loads::judge(findings, &WAIT, "all-to-all", Some(&loads::FIG11));
                redrawn::fig11(findings);
            },
        ),
        table(
            "longer-one-to-all",
            "Longer packets and a larger mesh, one-to-all, uniform sides (text)",
            studies![
                "heavy",
                "one-to-all-length-16",
                "one-to-all-length-32",
                "one-to-all-length-64",
                "one-to-all-32x32",
            ],
            |findings| lengths::judge(findings, "one-to-all"),
        ),
        table(
            "longer-all-to-all",
            "Longer packets and a larger mesh, all-to-all, uniform sides (text)",
            studies![
                "heavy",
                "all-to-all-length-16",
                "all-to-all-length-32",
                "all-to-all-length-64",
                "all-to-all-32x32",
            ],
            |findings| lengths::judge(findings, "all-to-all"),
        ),
        table(
            "readings",
            "Other readings of the network: where it saturates, and the printed ratios (not in the paper)",
            studies![
                "readings/readings-one-to-all",
                "readings/readings-all-to-all",
                "readings/lists-all-to-all",
                "readings/saturation-one-to-all",
                "readings/saturation-all-to-all",
                "readings/messages-200",
                "readings/messages-1000",
            ],
            readings::judge,
        ),
    ],
    sentences: include_str!("sentences.toml"),
};

const ONE_TO_ALL_UNIFORM: Studies =
    studies!["one-to-all-uniform", "one-to-all-uniform-printed", "one-to-all-uniform-lists"];
const ONE_TO_ALL_EXPONENTIAL: Studies = studies!["one-to-all-exponential"];
const ALL_TO_ALL_UNIFORM: Studies =
    studies!["all-to-all-uniform", "all-to-all-uniform-printed", "all-to-all-uniform-lists"];
const ALL_TO_ALL_EXPONENTIAL: Studies = studies![
    "all-to-all-exponential",
    "all-to-all-exponential-printed",
    "all-to-all-exponential-lists",
    "all-to-all-exponential-redrawn",
];
