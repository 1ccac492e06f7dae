//! Figs. 6 and 7: utilization when all jobs are waiting from the beginning on.

use super::{ALLOCATORS, study};
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::{Item, Verdict};
use crate::paper::load_curves::{LoadCurves, MACHINE};

const STUDIES: &[Embedded] = &[study!("heavy")];

pub(super) const FIG6: Experiment = Experiment { studies: STUDIES, surveyed: &[], timed: false, judge: fig6 };
pub(super) const FIG7: Experiment = Experiment { studies: STUDIES, surveyed: &[], timed: false, judge: fig7 };

fn fig6(found: &Evidence) -> Vec<Item> {
    heavy(found, "uniform")
}

fn fig7(found: &Evidence) -> Vec<Item> {
    heavy(found, "exponential")
}

/// How many percentage points may lie between a number and the range that was published.
const POINTS: f64 = 3.0;

/// Every allocator beside what is said of it: 71 to 76 % for non-contiguous ones, at most 50 % for first fit.
fn heavy(found: &Evidence, sides: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for pattern in ["one-to-all", "all-to-all"] {
        let curves = LoadCurves::new(found, &format!("wormhole:compute=none,pattern={pattern}"), sides);
        for allocator in ALLOCATORS {
            let (range, words) =
                if allocator == "first-fit" { (0.0..=50.0, "at most 50") } else { (71.0..=76.0, "71 to 76") };
            let utilization =
                curves.loads.first().and_then(|load| curves.value(load, allocator, "utilization"));
            let Some(percent) = utilization.map(|share| 100.0 * share) else { continue };
            let off = (range.start() - percent).max(percent - range.end());
            let verdict = if off <= 0.0 {
                Verdict::OrderingHolds
            } else if off <= POINTS {
                Verdict::Differs(format!("by {off:.1} points, which is less than {POINTS}"))
            } else {
                Verdict::Differs(format!("by {off:.1} points"))
            };
            let name = format!("{pattern}, {allocator}, utilization in percent ({words})");
            items.push(Item { verdict, ..Item::new(&name, "", MACHINE).measured(percent) });
        }
    }
    items
}
