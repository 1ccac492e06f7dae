//! C.-Y. Chang, P. Mohapatra, "An integrated processor management scheme for the mesh-connected multicomputer
//! systems", 1998.
//!
//! The curves of the paper are drawn without numbers, so only the statements in its text are compared. One
//! time unit of the paper is a second here. The thresholds of the bypass queue were not published.

mod cost;
mod fig1;
mod turnaround;

use super::load::{Paper, Studies, chart, studies, table};
use turnaround::{NORMAL, UNIFORM};

/// The paper and its figures.
pub(super) const PAPER: Paper = Paper {
    name: "chang-mohapatra1998",
    source: "C.-Y. Chang, P. Mohapatra, \"An integrated processor management scheme for the mesh-connected \
        multicomputer systems\", 1998",
    versions: false,
    figures: &[
        table("fig1", "Four jobs that fit in one orientation only", &[], fig1::judge),
        chart(
            "fig3",
            "Turnaround under the bypass queue, first fit and adaptive scan, uniform sides",
            UNIFORM_STUDIES,
            |findings| turnaround::bypass_queue(findings, &[UNIFORM], 0),
        ),
        table(
            "fig3-normal",
            "Turnaround under the bypass queue, first fit and adaptive scan, normal sides (text of 3.1)",
            studies!["normal", "normal-bq"],
            // The study of the bypass queue starts at ratio 1, where jobs begin to queue.
            |findings| turnaround::bypass_queue(findings, &NORMAL, 2),
        ),
        chart(
            "fig4a",
            "Turnaround of first fit, fixed orientation and adaptive scan, uniform sides",
            studies!["uniform-fcfs", "uniform-fcfs-printed"],
            turnaround::fig4a,
        ),
        chart(
            "fig4b",
            "Turnaround of first fit, fixed orientation and adaptive scan, normal sides",
            studies!["normal"],
            turnaround::fig4b,
        ),
        chart(
            "fig5",
            "Turnaround of fixed orientation under the bypass queue, and of adaptive scan",
            UNIFORM_STUDIES,
            turnaround::fig5,
        ),
        chart("fig6", "Variance of turnaround by threshold", UNIFORM_STUDIES, turnaround::fig6),
        table(
            "cost",
            "What allocation costs, adaptive scan against fixed orientation (text of 3.2)",
            &[],
            cost::judge,
        ),
    ],
    sentences: include_str!("sentences.toml"),
};

const UNIFORM_STUDIES: Studies = studies!["uniform-fcfs", "uniform-fcfs-printed", "uniform-bq"];
