//! Figs. 6 and 7: utilization when all jobs are waiting from the beginning on.

use std::ops::RangeInclusive;

use super::loads::percent;
use super::{ALLOCATORS, study};
use crate::metrics::Interval;
use crate::paper::comparisons::Comparisons;
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

/// Every allocator beside what is said of it: 71 to 76 % for non-contiguous ones, at most 50 % for first fit.
fn heavy(found: &Evidence, sides: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for pattern in ["one-to-all", "all-to-all"] {
        let curves = LoadCurves::new(found, &format!("wormhole:compute=none,pattern={pattern}"), sides);
        let mut least_and_most: Option<(f64, f64)> = None;
        for allocator in ALLOCATORS {
            let (range, words) =
                if allocator == "first-fit" { (0.0..=50.0, "at most 50") } else { (71.0..=76.0, "71 to 76") };
            let utilization =
                curves.loads.first().and_then(|load| curves.interval(load, allocator, "utilization"));
            let Some(interval) = utilization.map(percent) else { continue };
            if allocator != "first-fit" {
                let (least, most) = least_and_most.unwrap_or((interval.mean, interval.mean));
                least_and_most = Some((least.min(interval.mean), most.max(interval.mean)));
            }
            let name = format!("{pattern}, {allocator}, utilization in percent ({words})");
            let verdict = in_range(interval, range);
            items.push(Item { verdict, ..Item::new(&name, "", MACHINE).measured_within(interval) });
        }
        let mut comparisons = Comparisons::default();
        let points = least_and_most.map(|(least, most)| most - least);
        comparisons.at_most(("points between them", points), ("those published", Some(5.0)));
        items.extend(comparisons.item(
            &format!("{pattern}, non-contiguous allocators are nearly equal"),
            "",
            MACHINE,
        ));
    }
    items
}

/// Whether a mean is in a range, so far as chance leaves that open.
fn in_range(interval: Interval, range: RangeInclusive<f64>) -> Verdict {
    let (low, high) = (interval.mean - interval.half_width, interval.mean + interval.half_width);
    let off = (range.start() - high).max(low - range.end());
    if range.contains(&low) && range.contains(&high) {
        Verdict::OrderingHolds
    } else if off <= 0.0 {
        Verdict::NotDecided(format!("{low:.1} to {high:.1}, of which a part is in the range"))
    } else {
        let points = (range.start() - interval.mean).max(interval.mean - range.end());
        Verdict::Differs(format!("by {points:.1} points"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_in_a_range_if_its_interval_is() {
        for (mean, half_width, expected) in [
            (73.0, 1.0, "ordering holds"),
            (75.5, 1.0, "not decided: 74.5 to 76.5, of which a part is in the range"),
            (76.5, 1.0, "not decided: 75.5 to 77.5, of which a part is in the range"),
            (77.5, 1.0, "differs: by 1.5 points"),
            (69.0, 1.0, "differs: by 2.0 points"),
        ] {
            let verdict = in_range(Interval { mean, half_width, count: 5 }, 71.0..=76.0);
            assert_eq!(verdict.to_string(), expected, "{mean}");
        }
    }
}
