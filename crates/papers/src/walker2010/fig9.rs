//! Fig. 9: which curve and which selection, by aspect ratio of the mesh. Fig. 8: the logs of that study.

use crate::finding::{PrintedTable, Tolerance};
use crate::findings::{Findings, item, pairs};

const ORDERS: [&str; 3] = ["column-snake", "hilbert", "row-snake"];
/// The selections from best to worst.
const SELECTIONS: [&str; 3] = ["bf", "ff", "fl"];

/// A log on a mesh of the figure.
struct MeshOfLog {
    dataset: &'static str,
    machine: &'static str,
    /// A square has the same snake in both directions.
    is_square: bool,
    /// The curve and the selection that is above the next one in the paper, the exception to the order of
    /// selections.
    exception: Option<(&'static str, &'static str)>,
}

const fn mesh(dataset: &'static str, machine: &'static str) -> MeshOfLog {
    MeshOfLog { dataset, machine, is_square: false, exception: None }
}

const MESHES: [MeshOfLog; 8] = [
    mesh("NASA-iPSC-1993", "16x8"),
    MeshOfLog { is_square: true, ..mesh("LANL-CM5-1994", "32x32") },
    mesh("LANL-CM5-1994", "64x16"),
    MeshOfLog { exception: Some(("row-snake", "bf")), ..mesh("LANL-CM5-1994", "128x8") },
    MeshOfLog { is_square: true, ..mesh("LLNL-T3D-1996", "16x16") },
    mesh("LLNL-T3D-1996", "32x8"),
    mesh("SDSC-SP2-1998", "16x8"),
    MeshOfLog { exception: Some(("hilbert", "ff")), ..mesh("LLNL-uBGL-2006", "64x32") },
];

/// Judges the printed sums and the text about them.
pub(super) fn judge(findings: &mut Findings<'_>) {
    for (allocator, column, printed) in PrintedTable::parse(include_str!("fig9.tsv")).cells() {
        let Some((dataset, machine)) = column.split_once(' ') else { continue };
        let Some(log) = findings.log(dataset) else { continue };
        let sum = findings.at(dataset).machine(machine).allocator(allocator).number("pairwise_sum_mean");
        item("sums", allocator)
            .log(log)
            .machine(machine)
            .measured(sum)
            .published(printed, Tolerance::Percent(0.1))
            .add_to(findings);
    }
    for MeshOfLog { dataset, machine, is_square, exception } in &MESHES {
        let Some(log) = findings.log(dataset) else { continue };
        findings.about(log, machine);
        let at = findings.at(dataset).machine(machine);
        let sum = |allocator: &str| at.allocator(allocator).number("pairwise_sum_mean");
        // On squares Hilbert is below the snake; on others the snake along the shorter side is at most
        // Hilbert, and both are below the one along the longer.
        let words = if *is_square { "hilbert < row-snake" } else { "column-snake ≤ hilbert < row-snake" };
        findings.claim("orders", words, |is| {
            for selection in SELECTIONS {
                let [column, hilbert, row] = ORDERS.map(|order| format!("{order}+{selection}"));
                if !is_square {
                    is.at_most(&column, sum(&column), &hilbert, sum(&hilbert));
                }
                is.below(&hilbert, sum(&hilbert), &row, sum(&row));
            }
        });
        // Best fit is below first fit, and that is below the free list, with two exceptions that the paper
        // prints.
        let but = exception.map_or_else(String::new, |(order, selection)| {
            format!(", but for {selection} of {order}, which the paper has otherwise")
        });
        findings.claim("selections", format!("bf < ff < fl{but}"), |is| {
            for (order, step) in pairs(ORDERS, SELECTIONS.windows(2)) {
                let [better, worse] = [step[0], step[1]].map(|selection| format!("{order}+{selection}"));
                let is_exception = *exception == Some((order, step[0]));
                let (low, high) = if is_exception { (&worse, &better) } else { (&better, &worse) };
                is.below(low, sum(low), high, sum(high));
            }
        });
    }
}

/// The logs, with their jobs and processors as printed.
const LOGS: [(&str, &str, &str); 5] = [
    ("NASA-iPSC-1993", "18,239", "128"),
    ("LANL-CM5-1994", "122,057", "1,024"),
    ("LLNL-T3D-1996", "21,323", "256"),
    ("SDSC-SP2-1998", "54,041", "128"),
    ("LLNL-uBGL-2006", "19,405", "2,048"),
];

/// Fig. 8: jobs and processors of the logs.
pub(super) fn logs(findings: &mut Findings<'_>) {
    for (dataset, jobs, processors) in LOGS {
        let (Some(log), Some(facts)) = (findings.log(dataset), findings.facts(dataset)) else { continue };
        findings.about(log, "");
        let tolerance = Tolerance::Percent(2.0);
        item("logs", "jobs").measured(Some(facts.jobs as f64)).published(jobs, tolerance).add_to(findings);
        item("logs", "processors")
            .measured(facts.processors.map(|processors| processors as f64))
            .published(processors, tolerance)
            .not_measured_because("the log has no header that says how many processors there were")
            .add_to(findings);
    }
}
