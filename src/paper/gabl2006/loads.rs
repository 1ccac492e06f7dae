//! Figs. 3 to 5 and the text of 4.2: finish times, turnaround and utilization by load and length of packets.

use super::study;
use crate::paper::comparisons::Comparisons;
use crate::paper::comparisons::Relation::{AtMost, Below};
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

fn fig3(found: &Evidence) -> Vec<Item> {
    let curves = curves(found, "8");
    let mut items = curves.points(&ALLOCATORS, FINISH, ("finish time", 1.0));
    let mut comparisons = Comparisons::default();
    for load in curves.loads.iter().take(2) {
        let of = |allocator| curves.value(load, allocator, FINISH);
        for allocator in &ALLOCATORS[1..] {
            let gabl = (&*format!("gabl at {}", load.rate), of("gabl"));
            comparisons
                .holds(gabl, (allocator, of(allocator)), "within 1 % of", |x, y| (x / y - 1.0).abs() < 0.01);
        }
    }
    items.extend(comparisons.item(
        &curves.named("finish times are the same", &curves.loads[..curves.loads.len().min(2)]),
        "",
        MACHINE,
    ));
    items.extend(curves.lie(
        "gabl does not finish after the others",
        (AtMost, &GABL_AND),
        FINISH,
        medium(&curves),
    ));
    items.extend(curves.lie(
        "gabl finishes before first-fit",
        (Below, &GABL_AND[2..]),
        FINISH,
        high(&curves),
    ));
    items
}

fn fig4(found: &Evidence) -> Vec<Item> {
    let curves = curves(found, "8");
    let mut items = curves.points(&ALLOCATORS, TURNAROUND, ("turnaround", 1.0));
    items.extend(curves.lie("gabl is not above the others", (AtMost, &GABL_AND), TURNAROUND, &curves.loads));
    items.extend(curves.lie("gabl is below the others", (Below, &GABL_AND), TURNAROUND, medium(&curves)));
    items.extend(far_above(&curves, "first-fit is far above (twice the others)", 2.0));
    items
}

fn fig5(found: &Evidence) -> Vec<Item> {
    let curves = curves(found, "8");
    let mut items = curves.points(&ALLOCATORS, UTILIZATION, ("utilization in percent", 100.0));
    let first_below = [("first-fit", "gabl"), ("first-fit", "mbs"), ("first-fit", "paging")];
    items.extend(curves.lie(
        "non-contiguous allocators are not below first-fit",
        (AtMost, &first_below),
        UTILIZATION,
        &curves.loads,
    ));
    items.extend(curves.lie(
        "non-contiguous allocators are above first-fit",
        (Below, &first_below),
        UTILIZATION,
        medium(&curves),
    ));
    // Below saturation the allocator with the longest services has the highest utilization.
    let others = [("mbs", "gabl"), ("paging", "gabl")];
    let at_medium = "gabl is not below the others";
    items.extend(curves.lie(at_medium, (AtMost, &others), UTILIZATION, medium(&curves)));
    let saturated = curves.loads.get(8..).unwrap_or_default();
    items.extend(curves.lie("gabl is not below the others", (AtMost, &others), UTILIZATION, saturated));
    items
}

/// The ranking for longer packets.
fn length(found: &Evidence, length: &str) -> Vec<Item> {
    let curves = curves(found, length);
    let mut items = curves.points(&ALLOCATORS, TURNAROUND, ("turnaround", 1.0));
    let fact = "gabl is below the others";
    items.extend(curves.lie(fact, (Below, &GABL_AND), TURNAROUND, medium(&curves)));
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
            let load = curves.loads.get(6)?;
            curves.ratio(load, (other, "gabl"), TURNAROUND)
        };
        let mut comparisons = Comparisons::default();
        for pair in lengths.windows(2) {
            let [short, long] = [pair[0], pair[1]]
                .map(|length| (format!("{other} by gabl, {length} flits"), advantage(length)));
            comparisons.below((&short.0, short.1), (&long.0, long.1));
        }
        items.extend(comparisons.item(
            &format!("gabl's advantage over {other} grows with the length"),
            "",
            MACHINE,
        ));
    }
    items
}
