//! S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, "Non-contiguous processor allocation strategy
//! for 2D mesh connected multicomputers", ICPADS 2006.
//!
//! The curves are drawn without numbers, so only the statements in the text are compared.

mod loads;

use super::load::{Paper, chart, studies, table};

/// The paper and its figures.
pub(super) const PAPER: Paper = Paper {
    name: "gabl2006",
    source: "S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, \"Non-contiguous processor \
        allocation strategy for 2D mesh connected multicomputers\", ICPADS 2006",
    versions: false,
    figures: &[
        chart("fig3", "Finish times by load", studies!["length-8", "lists-8"], loads::fig3),
        chart("fig4", "Turnaround by load", studies!["length-8", "lists-8"], loads::fig4),
        chart("fig5", "Utilization by load", studies!["length-8", "lists-8"], loads::fig5),
        table(
            "length16",
            "Turnaround by load with packets of 16 flits (text of 4.2)",
            studies!["length-16"],
            |findings| loads::longer(findings, "16"),
        ),
        table(
            "length32",
            "Turnaround by load with packets of 32 flits (text of 4.2)",
            studies!["length-32"],
            |findings| loads::longer(findings, "32"),
        ),
        table(
            "length64",
            "Turnaround by load with packets of 64 flits (text of 4.2)",
            studies!["length-64"],
            |findings| loads::longer(findings, "64"),
        ),
        table(
            "lengths",
            "Advantage of GABL by the length of packets (text of 4.2)",
            studies!["lengths"],
            loads::lengths,
        ),
    ],
    sentences: include_str!("sentences.toml"),
};
