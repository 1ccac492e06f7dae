//! §3.2: "the adaptive-scan takes 20 % to 30 % more time to complete the allocation process".

use super::{MACHINE, at, study};
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::{Item, Verdict};

pub(super) const EXPERIMENT: Experiment = Experiment { studies: STUDIES, surveyed: &[], timed: true, judge };

const STUDIES: &[Embedded] = &[study!("cost")];
const LOGS: [&str; 3] = ["synthetic:ratio=1", "synthetic:ratio=1.5", "synthetic:ratio=1.75"];
const ALLOCATORS: [&str; 4] = ["fixed-orientation", "adaptive-scan", "first-fit", "first-fit:turn=yes"];

/// Nanoseconds of all calls, of those that were refused too.
fn total_ns(evidence: &Evidence, log: &str, allocator: &str) -> Option<f64> {
    let of = |column: &str| evidence.value(at(log, "fcfs", allocator), column);
    Some(of("allocate_ns_total")? + of("refuse_ns_total")?)
}

fn judge(evidence: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    for allocator in ALLOCATORS {
        for log in LOGS {
            if let Some(ns) = total_ns(evidence, log, allocator) {
                let jobs = evidence.value(at(log, "fcfs", allocator), "jobs").unwrap_or(1.0);
                items.push(Item::new(&format!("{allocator}, ns per job"), log, MACHINE).measured(ns / jobs));
            }
        }
    }
    for log in LOGS {
        let [fixed, scan] =
            ["fixed-orientation", "adaptive-scan"].map(|allocator| total_ns(evidence, log, allocator));
        if let (Some(fixed), Some(scan)) = (fixed, scan) {
            let more = 100.0 * (scan / fixed - 1.0);
            let item = Item::new("adaptive-scan above fixed-orientation, percent (20 to 30)", log, MACHINE);
            // A range was published.
            let verdict = if (20.0..=30.0).contains(&more) {
                Verdict::OrderingHolds
            } else {
                Verdict::Differs(format!("{more:.0} % more; another machine and other data structures"))
            };
            items.push(Item { verdict, ..item.measured(more) });
        }
    }
    items
}
