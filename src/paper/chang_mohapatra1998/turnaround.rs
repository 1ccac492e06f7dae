//! Figs. 3 to 6: turnaround by traffic ratio, scheduler and allocator.

use super::{MACHINE, at, study};
use crate::paper::comparisons::Comparisons;
use crate::paper::comparisons::Relation::{self, AtMost, Below};
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::{Item, Published, Tolerance};

const UNIFORM: &[Embedded] = &[study!("uniform-fcfs"), study!("uniform-bq")];

pub(super) const FIG3: Experiment = experiment(UNIFORM, fig3);
pub(super) const FIG4A: Experiment = experiment(&[study!("uniform-fcfs")], fig4a);
pub(super) const FIG4B: Experiment = experiment(&[study!("normal")], fig4b);
pub(super) const FIG5: Experiment = experiment(UNIFORM, fig5);
pub(super) const FIG6: Experiment = experiment(UNIFORM, fig6);

const fn experiment(studies: &'static [Embedded], judge: fn(&Evidence) -> Vec<Item>) -> Experiment {
    Experiment { studies, surveyed: &[], timed: false, judge }
}

const RATIOS: [&str; 7] = ["0.5", "0.75", "1", "1.25", "1.5", "1.75", "2"];
const SCHEDULERS: [&str; 5] = [
    "fcfs",
    "bypass-queue:rule=strict-fcfs,threshold=10",
    "bypass-queue:rule=strict-fcfs,threshold=25",
    "bypass-queue:rule=strict-fcfs,threshold=50",
    "bypass-queue:rule=strict-fcfs,threshold=100",
];
const MEAN: &str = "turnaround_s_mean";
const VARIANCE: &str = "turnaround_s_variance";

/// A curve: scheduler and allocator.
type Curve = (&'static str, &'static str);

/// `first-fit, BQ(25)`.
fn label((scheduler, allocator): Curve) -> String {
    match scheduler.rsplit_once('=') {
        Some((_, threshold)) => format!("{allocator}, BQ({threshold})"),
        None => format!("{allocator}, FCFS"),
    }
}

/// The workload of a traffic ratio.
fn workload(ratio: &str, sides: &str) -> String {
    format!("synthetic:ratio={ratio}{sides}")
}

/// Every point of curves, with its confidence interval.
fn points(found: &Evidence, curves: &[Curve], sides: &str, column: &str, unit: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for &curve in curves {
        for ratio in RATIOS {
            let log = workload(ratio, sides);
            if let Some(interval) = found.interval(at(&log, curve.0, curve.1), column) {
                let name = label(curve);
                let item = Item::new(&format!("{name}, {unit}, ratio {ratio}"), &log, MACHINE);
                items.push(item.measured_within(interval).on_curve(&name, "traffic ratio", ratio));
            }
        }
    }
    items
}

/// An item that curves lie so to others at every ratio, on common workloads.
fn lie(
    found: &Evidence,
    fact: &str,
    (relation, pairs): (Relation, &[(Curve, Curve)]),
    (sides, column): (&str, &str),
) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for &(low, high) in pairs {
        for ratio in RATIOS {
            let log = workload(ratio, sides);
            let pair = found.pair(at(&log, low.0, low.1), at(&log, high.0, high.1), column);
            let Some(pair) = pair else { continue };
            comparisons.lie(relation, (&format!("{} at {ratio}", label(low)), &label(high)), pair);
        }
    }
    comparisons.item(fact, "", MACHINE)
}

const LARGER: &str = "a larger threshold never raises turnaround";

/// Every scheduler and the next one, whose threshold is larger.
fn larger_thresholds(allocators: &[&'static str]) -> Vec<(Curve, Curve)> {
    let next = |allocator: &'static str| {
        SCHEDULERS.windows(2).map(move |pair| ((pair[1], allocator), (pair[0], allocator)))
    };
    allocators.iter().copied().flat_map(next).collect()
}

/// The first ratio at which the mean turnaround is above ten service times: where a system is saturated.
fn knee(found: &Evidence, curve: Curve) -> Option<f64> {
    let mean = |ratio: &&str| found.value(at(&workload(ratio, ""), curve.0, curve.1), MEAN);
    let saturated = RATIOS.iter().find(|ratio| mean(ratio).is_some_and(|mean| mean > 50.0));
    mean(&RATIOS[0])?;
    saturated.map_or(Some(f64::INFINITY), |ratio| ratio.parse().ok())
}

fn curves(allocators: &[&'static str], schedulers: &[&'static str]) -> Vec<Curve> {
    let of = |allocator: &'static str| schedulers.iter().map(move |&scheduler| (scheduler, allocator));
    allocators.iter().flat_map(|allocator| of(allocator)).collect()
}

fn fig3(found: &Evidence) -> Vec<Item> {
    let allocators = ["first-fit", "adaptive-scan"];
    let mut items = points(found, &curves(&allocators, &SCHEDULERS), "", MEAN, "turnaround");
    let queues: Vec<_> = curves(&allocators, &SCHEDULERS[1..])
        .into_iter()
        .map(|curve| (curve, (SCHEDULERS[0], curve.1)))
        .collect();
    items.extend(lie(
        found,
        "the bypass queue reduces turnaround at every ratio",
        (Below, &queues),
        ("", MEAN),
    ));
    let steps = larger_thresholds(&allocators);
    items.extend(lie(found, LARGER, (AtMost, &steps), ("", MEAN)));
    let mut comparisons = Comparisons::default();
    for allocator in allocators {
        let (fcfs, bypass) = ((SCHEDULERS[0], allocator), (SCHEDULERS[4], allocator));
        comparisons.below((&label(fcfs), knee(found, fcfs)), (&label(bypass), knee(found, bypass)));
    }
    items.extend(comparisons.item("saturation (turnaround above 50) comes at a higher ratio", "", MACHINE));
    let mut comparisons = Comparisons::default();
    let fcfs = (SCHEDULERS[0], "first-fit");
    comparisons.below(("1.5", Some(1.5)), (&label(fcfs), knee(found, fcfs)));
    comparisons.below((&label(fcfs), knee(found, fcfs)), ("2", Some(2.0)));
    items.extend(comparisons.item("first fit under FCFS saturates quickly above ratio 1.5", "", MACHINE));
    items
}

/// The three allocators under FCFS.
fn fig4(found: &Evidence, sides: &str) -> Vec<Item> {
    let [first, fixed, scan] =
        ["first-fit", "fixed-orientation", "adaptive-scan"].map(|allocator| (SCHEDULERS[0], allocator));
    let mut items = points(found, &[first, fixed, scan], sides, MEAN, "turnaround");
    let of = (sides, MEAN);
    items.extend(lie(
        found,
        "fixed-orientation below first-fit at every ratio",
        (Below, &[(fixed, first)]),
        of,
    ));
    items.extend(lie(
        found,
        "adaptive-scan at most fixed-orientation at every ratio",
        (AtMost, &[(scan, fixed)]),
        of,
    ));
    for ratio in ["0.5", "1", "1.5", "2"] {
        let log = workload(ratio, sides);
        let pair = found.pair(at(&log, scan.0, scan.1), at(&log, fixed.0, fixed.1), MEAN);
        if let Some((scan, fixed, _)) = pair {
            let name = format!("adaptive-scan below fixed-orientation by percent, ratio {ratio}");
            items.push(Item::new(&name, &log, MACHINE).measured(100.0 * (1.0 - scan / fixed)));
        }
    }
    items
}

/// By how many percent fixed orientation is below first fit at ratio 1.5.
fn reduction(found: &Evidence, sides: &str) -> Option<(String, f64)> {
    let log = workload("1.5", sides);
    let [fixed, first] =
        ["fixed-orientation", "first-fit"].map(|allocator| at(&log, SCHEDULERS[0], allocator));
    let (fixed, first, _) = found.pair(fixed, first, MEAN)?;
    Some((log.clone(), 100.0 * (1.0 - fixed / first)))
}

const REDUCTION: &str = "fixed-orientation below first-fit by percent, ratio 1.5";

fn fig4a(found: &Evidence) -> Vec<Item> {
    let mut items = fig4(found, "");
    if let (Some((log, percent)), Some(published)) = (reduction(found, ""), Published::parse("42")) {
        let item = Item::new(REDUCTION, &log, MACHINE);
        items.push(item.compared(published, percent, Tolerance::Absolute(4.0)));
    }
    items
}

fn fig4b(found: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    for sigma in ["6.6", "2.569"] {
        let sides = format!(",sides=normal,sigma={sigma}");
        let named = fig4(found, &sides).into_iter().map(|item| item.named(&format!("σ = {sigma}: ")));
        items.extend(named);
        if let Some((log, percent)) = reduction(found, &sides) {
            items.push(Item::new(&format!("σ = {sigma}: {REDUCTION}"), &log, MACHINE).measured(percent));
        }
    }
    items
}

fn fig5(found: &Evidence) -> Vec<Item> {
    let fixed = curves(&["fixed-orientation"], &SCHEDULERS[1..]);
    let scan = (SCHEDULERS[0], "adaptive-scan");
    let mut items = points(found, &fixed, "", MEAN, "turnaround");
    items.extend(points(found, &[scan], "", MEAN, "turnaround"));
    for (fact, curve) in [
        ("BQ(10) of fixed-orientation below FCFS of adaptive-scan", fixed[0]),
        ("BQ(25) of fixed-orientation below FCFS of adaptive-scan", fixed[1]),
    ] {
        items.extend(lie(found, fact, (Below, &[(curve, scan)]), ("", MEAN)));
    }
    let steps = larger_thresholds(&["fixed-orientation"]);
    items.extend(lie(found, LARGER, (AtMost, &steps[1..]), ("", MEAN)));
    items
}

fn fig6(found: &Evidence) -> Vec<Item> {
    let fixed = curves(&["fixed-orientation"], &SCHEDULERS);
    let mut items = points(found, &fixed, "", VARIANCE, "variance");
    let steps = larger_thresholds(&["fixed-orientation"]);
    items.extend(lie(
        found,
        "a larger threshold never raises the variance of turnaround",
        (AtMost, &steps),
        ("", VARIANCE),
    ));
    items
}
