//! Figs. 3 to 5 and the text of 4.2: finish times, turnaround and utilization by load and length of packets.

use super::study;
use crate::metrics::Interval;
use crate::paper::comparisons::Comparisons;
use crate::paper::comparisons::Relation::Clearly;
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::Item;
use crate::paper::load_curves::{Load, LoadCurves, MACHINE};

const BASE: &[Embedded] = &[study!("length-8")];
const ALL: &[Embedded] = &[study!("length-8"), study!("length-16"), study!("length-32"), study!("length-64")];

pub(super) const FIG3: Experiment = experiment(BASE, fig3);
pub(super) const FIG4: Experiment = experiment(BASE, fig4);
pub(super) const FIG5: Experiment = experiment(BASE, fig5);
pub(super) const LENGTH16: Experiment = experiment(&[study!("length-16")], |found| length(found, "16"));
pub(super) const LENGTH32: Experiment = experiment(&[study!("length-32")], |found| length(found, "32"));
pub(super) const LENGTH64: Experiment = experiment(&[study!("length-64")], |found| length(found, "64"));
pub(super) const LENGTHS: Experiment = experiment(ALL, lengths);

const fn experiment(studies: &'static [Embedded], judge: fn(&Evidence) -> Vec<Item>) -> Experiment {
    Experiment { studies, surveyed: &[], timed: false, judge }
}

const ALLOCATORS: [&str; 4] = ["gabl", "mbs", "paging", "first-fit"];
/// GABL and each of the others, and the non-contiguous ones and first fit.
const GABL_AND: [(&str, &str); 3] = [("gabl", "mbs"), ("gabl", "paging"), ("gabl", "first-fit")];
const FINISH: &str = "makespan_s";
const TURNAROUND: &str = "turnaround_s_mean";
const UTILIZATION: &str = "utilization";

fn curves<'a>(found: &'a Evidence, length: &str) -> LoadCurves<'a> {
    LoadCurves::new(found, &format!("wormhole:compute=none,length={length}"), "uniform")
}

/// The loads from the fifth to the eighth.
fn medium<'a>(curves: &'a LoadCurves<'_>) -> &'a [Load] {
    curves.loads.get(4..8).unwrap_or_default()
}

/// The seventh and the eighth load.
fn high<'a>(curves: &'a LoadCurves<'_>) -> &'a [Load] {
    curves.loads.get(6..8).unwrap_or_default()
}

/// That first fit is at least so many times as high as the non-contiguous allocators.
fn far_above(curves: &LoadCurves<'_>, fact: &str, times: f64) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for load in high(curves) {
        let first = curves.value(load, "first-fit", TURNAROUND);
        for allocator in &ALLOCATORS[..3] {
            let least = curves.value(load, allocator, TURNAROUND).map(|value| value * times);
            comparisons
                .below((&format!("{times} times {allocator} at {}", load.rate), least), ("first-fit", first));
        }
    }
    comparisons.item(&curves.named(fact, high(curves)), "", MACHINE)
}

/// How many percent lower is substantial; the paper gives no number.
const SUBSTANTIAL: f64 = 5.0;

/// By how many percent GABL is below the others at these loads, over common workloads, and whether that is substantial.
fn leads(curves: &LoadCurves<'_>, fact: &str, column: &str, loads: &[Load]) -> Vec<Item> {
    let (mut items, mut comparisons) = (Vec::new(), Comparisons::default());
    for pair in GABL_AND {
        for load in loads {
            let Some(ratio) = curves.ratio_within(load, pair, column) else { continue };
            let lead =
                Interval { mean: 100.0 * (1.0 - ratio.mean), half_width: 100.0 * ratio.half_width, ..ratio };
            let curve = format!("gabl below {}", pair.1);
            let name = format!("{curve}, percent, load {}", load.rate);
            items.push(Item::new(&name, "", MACHINE).measured_within(lead).on_curve(
                &curve,
                "lead in percent by load",
                &load.rate.to_string(),
            ));
            let ends = (lead.mean - lead.half_width, lead.mean, lead.mean + lead.half_width);
            comparisons.between(&format!("{curve} at {}, percent", load.rate), ends, SUBSTANTIAL);
        }
    }
    let fact = format!("{fact} (by {SUBSTANTIAL} percent or more)");
    items.extend(comparisons.item(&curves.named(&fact, loads), "", MACHINE));
    items
}

/// That GABL's finish times are less than a percent from the others'.
fn the_same(curves: &LoadCurves<'_>, loads: &[Load]) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for pair in GABL_AND {
        for load in loads {
            let Some(ratio) = curves.ratio_within(load, pair, FINISH) else { continue };
            let off = 100.0 * (ratio.mean - 1.0).abs();
            let chance = 100.0 * ratio.half_width;
            let words = format!("percent that gabl and {} are less than 1 apart at {}", pair.1, load.rate);
            comparisons.between(&words, (1.0 - off - chance, 1.0 - off, 1.0 - (off - chance).max(0.0)), 0.0);
        }
    }
    comparisons.item(&curves.named("finish times are the same", loads), "", MACHINE)
}

fn fig3(found: &Evidence) -> Vec<Item> {
    let curves = curves(found, "8");
    let mut items = curves.points(&ALLOCATORS, FINISH, ("finish time", 1.0));
    items.extend(the_same(&curves, &curves.loads[..curves.loads.len().min(2)]));
    let before = "gabl finishes before the others";
    items.extend(curves.lie(before, (Clearly, &GABL_AND), FINISH, medium(&curves)));
    let highest = curves.loads.get(6..).unwrap_or_default();
    items.extend(leads(&curves, "gabl finishes substantially before the others", FINISH, highest));
    items
}

fn fig4(found: &Evidence) -> Vec<Item> {
    let curves = curves(found, "8");
    let mut items = curves.points(&ALLOCATORS, TURNAROUND, ("turnaround", 1.0));
    items.extend(curves.lie("gabl is below the others", (Clearly, &GABL_AND), TURNAROUND, &curves.loads));
    items.extend(leads(&curves, "gabl is much below the others", TURNAROUND, medium(&curves)));
    items.extend(far_above(&curves, "first-fit is far above (twice the others)", 2.0));
    items
}

fn fig5(found: &Evidence) -> Vec<Item> {
    let curves = curves(found, "8");
    let mut items = curves.points(&ALLOCATORS, UTILIZATION, ("utilization in percent", 100.0));
    let first_below = [("first-fit", "gabl"), ("first-fit", "mbs"), ("first-fit", "paging")];
    let above = "non-contiguous allocators are above first-fit";
    items.extend(curves.lie(above, (Clearly, &first_below), UTILIZATION, &curves.loads));
    items.extend(curves.lie(above, (Clearly, &first_below), UTILIZATION, high(&curves)));
    // Below saturation the allocator with the longest services has the highest utilization.
    let others = [("mbs", "gabl"), ("paging", "gabl")];
    let saturated = curves.loads.get(8..).unwrap_or_default();
    for loads in [medium(&curves), saturated] {
        items.extend(curves.lie("gabl is above the others", (Clearly, &others), UTILIZATION, loads));
    }
    items
}

/// The ranking for longer packets.
fn length(found: &Evidence, length: &str) -> Vec<Item> {
    let curves = curves(found, length);
    let mut items = curves.points(&ALLOCATORS, TURNAROUND, ("turnaround", 1.0));
    let fact = "gabl is below the others";
    items.extend(curves.lie(fact, (Clearly, &GABL_AND), TURNAROUND, medium(&curves)));
    items.extend(far_above(&curves, "first-fit is far above (twice the others)", 2.0));
    items
}

/// Whether the distance to GABL grows with the length.
fn lengths(found: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    let lengths = ["8", "16", "32", "64"];
    for other in &ALLOCATORS[1..] {
        // Loads differ with the length: the one next to the last is the same share of what saturates the network.
        let advantage = |length: &str| {
            let curves = curves(found, length);
            curves.ratio_within(curves.loads.get(6)?, (other, "gabl"), TURNAROUND)
        };
        let mut comparisons = Comparisons::default();
        for pair in lengths.windows(2) {
            if let (Some(short), Some(long)) = (advantage(pair[0]), advantage(pair[1])) {
                // Their workloads have nothing in common.
                let half_width = short.half_width.hypot(long.half_width);
                let more = Interval { mean: long.mean - short.mean, half_width, count: long.count };
                let words = format!(
                    "{other} by gabl with {} flits ({:.2}) above that with {} ({:.2})",
                    pair[1], long.mean, pair[0], short.mean
                );
                comparisons.above_by(&words, more);
            }
        }
        items.extend(comparisons.item(
            &format!("gabl's advantage over {other} grows with the length"),
            "",
            MACHINE,
        ));
    }
    items
}
