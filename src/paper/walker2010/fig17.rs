//! Fig. 17: how long whole simulations take.

use super::{At, Comparisons, Embedded, Evidence, Item, Printed, Published, study};
use crate::paper::figure::Experiment;
use crate::paper::item::Verdict;

pub(super) const EXPERIMENT: Experiment = Experiment { studies: STUDIES, surveyed: &[], timed: true, judge };

const STUDIES: &[Embedded] = &[study!("fig17-hpc2n", "HPC2N-2002"), study!("fig17-cm5", "LANL-CM5-1994")];

fn judge(evidence: &Evidence) -> Vec<Item> {
    let printed = Printed::parse(include_str!("fig17.tsv"));
    let seconds = |allocator: &str, dataset: &str, machine: &str| {
        evidence.value(At { dataset, machine, allocator, ..At::default() }, "replay_wall_s")
    };
    let mut items = Vec::new();
    for (allocator, dataset, machine, published) in printed.cells() {
        let measured = seconds(allocator, dataset, machine);
        if let (Some(log), Some(published), Some(measured)) = (evidence.log(dataset), published, measured) {
            let item = Item::new(&format!("{allocator}, seconds"), &log, machine).measured(measured);
            items.push(Item { published: Some(published), verdict: faster(published, measured), ..item });
        }
    }
    for column in &printed.columns {
        let Some((dataset, machine)) = column.split_once(' ') else { continue };
        let Some(log) = evidence.log(dataset) else { continue };
        let of = |allocator: &'static str| (allocator, seconds(allocator, dataset, machine));
        let mut comparisons = Comparisons::default();
        for other in ["column-snake+bf", "layered-mbs", "octet-mbs", "granular-mbs"] {
            comparisons.below(of(other), of("mc1x1-shells"));
        }
        items.extend(comparisons.item("MC1x1 takes longest", &log, machine));
    }
    items
}

/// Another machine and another program: seconds can only be said to be fewer or more.
fn faster(published: Published, measured: f64) -> Verdict {
    let times = published.value / measured.max(1e-9);
    Verdict::Differs(if times >= 1.0 {
        format!("{times:.0} times faster")
    } else {
        format!("{:.1} times slower", 1.0 / times)
    })
}
