//! Fig. 7: curves on a real machine, of which only the order can be looked at again.
//!
//! The paper timed jobs that broadcast on a Cray XT3/4 cabinet of 20×4 nodes. What is published of the jobs is their
//! sizes; run times are drawn here. So makespans say nothing about dispersal, and the mean pairwise sum, by that of
//! MC1x1, stands in for them.

use super::{At, Comparisons, Embedded, Evidence, Item, Printed, study};
use crate::paper::figure::Experiment;
use crate::paper::stream::STREAM;

pub(super) const EXPERIMENT: Experiment = Experiment { studies: STUDIES, surveyed: &[], timed: false, judge };

const STUDIES: &[Embedded] = &[study!("fig7", STREAM)];

const MACHINE: &str = "20x4";

/// The mean pairwise sum of an allocator by that of MC1x1.
fn ratio(evidence: &Evidence, order: &str, select: &str) -> Option<f64> {
    let sum = |allocator: &str| {
        let at = At { dataset: STREAM, machine: MACHINE, allocator, scheduler: "fcfs", ..At::default() };
        evidence.pairwise_sum(at)
    };
    Some(sum(&format!("{order}+{select}"))? / sum("mc1x1")?)
}

fn judge(evidence: &Evidence) -> Vec<Item> {
    let printed = Printed::parse(include_str!("fig7.tsv"));
    let mut items = Vec::new();
    for (select, order, _, published) in printed.cells() {
        if let Some(measured) = ratio(evidence, order, select) {
            let item = Item::new(&format!("{order}+{select} by mc1x1"), STREAM, MACHINE);
            items.push(Item { published, ..item.measured(measured) });
        }
    }
    for (select, _) in &printed.rows {
        let mut comparisons = Comparisons::default();
        for pair in printed.columns.windows(2) {
            let [low, high] = [pair[0], pair[1]].map(|order| (order, ratio(evidence, order, select)));
            comparisons.below(low, high);
        }
        let fact = format!("{select}: {}", printed.columns.join(" < "));
        items.extend(comparisons.item(&fact, STREAM, MACHINE));
    }
    for order in ["zoltan-hilbert", "row-snake"] {
        let mut comparisons = Comparisons::default();
        for (low, high) in [("ss", "bf"), ("bf", "ff")] {
            let [low, high] = [low, high].map(|select| (select, ratio(evidence, order, select)));
            comparisons.below(low, high);
        }
        items.extend(comparisons.item(&format!("{order}: ss < bf < ff"), STREAM, MACHINE));
    }
    items
}
