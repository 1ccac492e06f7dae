//! Fig. 9: which curve and which selection, by aspect ratio of the mesh.

use super::{At, Comparisons, Embedded, Evidence, Item, Printed, study};
use crate::paper::figure::Experiment;
use crate::paper::item::Tolerance;

const STUDIES: &[Embedded] = &[
    study!("fig9-nasa", "NASA-iPSC-1993"),
    study!("fig9-cm5", "LANL-CM5-1994"),
    study!("fig9-t3d", "LLNL-T3D-1996"),
    study!("fig9-sp2", "SDSC-SP2-1998"),
    study!("fig9-ubgl", "LLNL-uBGL-2006"),
];

pub(super) const EXPERIMENT: Experiment = Experiment { studies: STUDIES, surveyed: &[], timed: false, judge };

/// Exceptions to "best fit below first fit below free list" that the paper itself prints: the machine, the order, and
/// the selection that is not below the next one.
const EXCEPTIONS: [(&str, &str, &str); 2] = [("128x8", "row-snake", "bf"), ("64x32", "hilbert", "ff")];

fn judge(evidence: &Evidence) -> Vec<Item> {
    let printed = Printed::parse(include_str!("fig9.tsv"));
    let mut items = Vec::new();
    for (allocator, dataset, machine, published) in printed.cells() {
        let measured = evidence.pairwise_sum(At { dataset, machine, allocator, ..At::default() });
        if let (Some(log), Some(published), Some(measured)) = (evidence.log(dataset), published, measured) {
            let item = Item::new(allocator, &log, machine);
            items.push(item.compared(published, measured, Tolerance::Percent(0.1)));
        }
    }
    for column in &printed.columns {
        if let Some((dataset, machine)) = column.split_once(' ') {
            items.extend(orders(evidence, dataset, machine));
            items.extend(selections(evidence, dataset, machine));
        }
    }
    items
}

/// On squares Hilbert is below the snake; on others the snake along the shorter side is at most Hilbert, and both are
/// below the one along the longer.
fn orders(evidence: &Evidence, dataset: &str, machine: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for select in ["bf", "ff", "fl"] {
        let [column, hilbert, row] = ["column-snake", "hilbert", "row-snake"].map(|order| {
            let name = format!("{order}+{select}");
            let sum = evidence.pairwise_sum(At { dataset, machine, allocator: &name, ..At::default() });
            (name, sum)
        });
        let side = |(name, sum): &(String, Option<f64>)| (name.clone(), *sum);
        let ((column_name, column_sum), (hilbert_name, hilbert_sum), (row_name, row_sum)) =
            (side(&column), side(&hilbert), side(&row));
        if !is_square(machine) {
            comparisons.at_most((&column_name, column_sum), (&hilbert_name, hilbert_sum));
        }
        comparisons.below((&hilbert_name, hilbert_sum), (&row_name, row_sum));
    }
    let fact =
        if is_square(machine) { "hilbert < row-snake" } else { "column-snake ≤ hilbert < row-snake" };
    comparisons.item(fact, &evidence.log(dataset)?, machine)
}

fn is_square(machine: &str) -> bool {
    machine.split_once('x').is_some_and(|(width, length)| width == length)
}

/// Best fit is below first fit, and that is below the free list.
fn selections(evidence: &Evidence, dataset: &str, machine: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for order in ["column-snake", "hilbert", "row-snake"] {
        let sum = |select: &str| {
            let name = format!("{order}+{select}");
            let sum = evidence.pairwise_sum(At { dataset, machine, allocator: &name, ..At::default() });
            (name, sum)
        };
        for (low, high) in [("bf", "ff"), ("ff", "fl")] {
            let ((low_name, low_sum), (high_name, high_sum)) = (sum(low), sum(high));
            if EXCEPTIONS.contains(&(machine, order, low)) {
                comparisons.below((&high_name, high_sum), (&low_name, low_sum));
            } else {
                comparisons.below((&low_name, low_sum), (&high_name, high_sum));
            }
        }
    }
    let excepted = EXCEPTIONS.iter().find(|(other, ..)| *other == machine);
    let but =
        excepted.map(|(_, order, low)| format!(", but for {low} of {order}, which the paper has otherwise"));
    let fact = format!("bf < ff < fl{}", but.unwrap_or_default());
    comparisons.item(&fact, &evidence.log(dataset)?, machine)
}
