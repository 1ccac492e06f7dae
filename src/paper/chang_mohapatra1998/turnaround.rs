//! Figs. 3 to 6: turnaround by traffic ratio, scheduler and allocator.

use super::{MACHINE, at, study};
use crate::metrics::Interval;
use crate::paper::comparisons::Comparisons;
use crate::paper::comparisons::Relation::{self, AtMost, Clearly};
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::{Item, Published, Tolerance};

const FCFS: &[Embedded] = &[study!("uniform-fcfs"), study!("uniform-fcfs-printed")];
const UNIFORM: &[Embedded] = &[FCFS[0], FCFS[1], study!("uniform-bq")];

pub(super) const FIG3: Experiment = experiment(UNIFORM, fig3);
pub(super) const NORMAL: Experiment = experiment(&[study!("normal"), study!("normal-bq")], normal);
pub(super) const FIG4A: Experiment = experiment(FCFS, fig4a);
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
    curves: (Relation, &[(Curve, Curve)]),
    of: (&str, &str),
) -> Option<Item> {
    lie_at(found, &RATIOS, fact, curves, of)
}

/// The same at some ratios.
fn lie_at(
    found: &Evidence,
    ratios: &[&str],
    fact: &str,
    (relation, pairs): (Relation, &[(Curve, Curve)]),
    (sides, column): (&str, &str),
) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for &(low, high) in pairs {
        for ratio in ratios {
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

/// Ten service times: with a mean turnaround above that a system counts as saturated.
const SATURATED: f64 = 50.0;

/// The first ratio at which the mean turnaround is above that.
fn knee(found: &Evidence, curve: Curve, sides: &str) -> Option<f64> {
    let mean = |ratio: &str| found.value(at(&workload(ratio, sides), curve.0, curve.1), MEAN);
    let known = RATIOS.iter().filter_map(|ratio| Some((*ratio, mean(ratio)?)));
    let mut known = known.peekable();
    known.peek()?;
    known.find(|(_, mean)| *mean > SATURATED).map_or(Some(f64::INFINITY), |(ratio, _)| ratio.parse().ok())
}

/// That first fit and adaptive scan under FCFS are not saturated at 1.5, and are at 1.75.
fn saturates(found: &Evidence, allocator: &'static str, sides: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    let of = |ratio| found.interval(at(&workload(ratio, sides), SCHEDULERS[0], allocator), MEAN);
    if let (Some(before), Some(after)) = (of("1.5"), of("1.75")) {
        let below = Interval { mean: SATURATED - before.mean, ..before };
        comparisons.above_by(&format!("50 above turnaround at 1.5 ({:.1})", before.mean), below);
        let above = Interval { mean: after.mean - SATURATED, ..after };
        comparisons.above_by(&format!("turnaround at 1.75 ({:.1}) above 50", after.mean), above);
    }
    let fact =
        format!("{allocator} under FCFS saturates quickly above ratio 1.5 (turnaround above 50 at 1.75)");
    comparisons.item(&fact, "", MACHINE)
}

fn curves(allocators: &[&'static str], schedulers: &[&'static str]) -> Vec<Curve> {
    let of = |allocator: &'static str| schedulers.iter().map(move |&scheduler| (scheduler, allocator));
    allocators.iter().flat_map(|allocator| of(allocator)).collect()
}

fn fig3(found: &Evidence) -> Vec<Item> {
    bypass(found, "", &RATIOS)
}

/// The text of 3.1: "The normal job size distribution exhibits similar behavior."
fn normal(found: &Evidence) -> Vec<Item> {
    let of = |sigma: &str| {
        let items = bypass(found, &format!(",sides=normal,sigma={sigma}"), &RATIOS[2..]);
        items.into_iter().map(move |item| item.named(&format!("σ = {sigma}: "))).collect::<Vec<Item>>()
    };
    ["6.6", "2.569"].into_iter().flat_map(of).collect()
}

/// What the text says of the bypass queue, with first fit and adaptive scan; `high` are the ratios at which jobs queue.
fn bypass(found: &Evidence, sides: &str, high: &[&str]) -> Vec<Item> {
    let allocators = ["first-fit", "adaptive-scan"];
    let mut items = points(found, &curves(&allocators, &SCHEDULERS), sides, MEAN, "turnaround");
    let queues: Vec<_> = curves(&allocators, &SCHEDULERS[1..])
        .into_iter()
        .map(|curve| (curve, (SCHEDULERS[0], curve.1)))
        .collect();
    items.extend(lie_at(
        found,
        high,
        "the bypass queue reduces turnaround at every ratio",
        (Clearly, &queues),
        (sides, MEAN),
    ));
    let steps = larger_thresholds(&allocators);
    items.extend(lie(found, LARGER, (AtMost, &steps), (sides, MEAN)));
    let mut comparisons = Comparisons::default();
    for allocator in allocators {
        let (fcfs, bypass) = ((SCHEDULERS[0], allocator), (SCHEDULERS[4], allocator));
        let knee = |curve| knee(found, curve, sides);
        comparisons.below((&label(fcfs), knee(fcfs)), (&label(bypass), knee(bypass)));
    }
    items.extend(comparisons.item("saturation (turnaround above 50) comes at a higher ratio", "", MACHINE));
    items.extend(allocators.into_iter().filter_map(|allocator| saturates(found, allocator, sides)));
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
        (Clearly, &[(fixed, first)]),
        of,
    ));
    items.extend(lie(
        found,
        "adaptive-scan at most fixed-orientation at every ratio",
        (AtMost, &[(scan, fixed)]),
        of,
    ));
    let [mut near, mut better] = [(); 2].map(|()| Comparisons::default());
    for ratio in RATIOS {
        let log = workload(ratio, sides);
        let Some(lead) = lead(found, &log, (scan, fixed)) else { continue };
        let name = format!("adaptive-scan below fixed-orientation by percent, ratio {ratio}");
        items.push(Item::new(&name, &log, MACHINE).measured_within(lead));
        let (low, high) = (lead.mean - lead.half_width, lead.mean + lead.half_width);
        let words = format!("lead at {ratio}, percent");
        if ["0.5", "0.75", "1"].contains(&ratio) {
            near.between(&format!("5 less {words}"), (5.0 - high, 5.0 - lead.mean, 5.0 - low), 0.0);
        } else {
            better.between(&words, (low, lead.mean, high), 0.0);
            better.between(&format!("10 less {words}"), (10.0 - high, 10.0 - lead.mean, 10.0 - low), 0.0);
        }
    }
    items.extend(near.item(
        "adaptive-scan is negligibly better at low ratios (5 percent, up to 1)",
        "",
        MACHINE,
    ));
    items.extend(better.item(
        "adaptive-scan is slightly better at higher ratios (up to 10 percent)",
        "",
        MACHINE,
    ));
    items
}

/// By how many percent one curve is below another, over common workloads.
fn lead(found: &Evidence, log: &str, (low, high): (Curve, Curve)) -> Option<Interval> {
    let (_, high, above) = found.pair(at(log, low.0, low.1), at(log, high.0, high.1), MEAN)?;
    Some(Interval { mean: -100.0 * above.mean / high, half_width: 100.0 * above.half_width / high, ..above })
}

/// By how many percent fixed orientation is below first fit at ratio 1.5.
fn reduction(found: &Evidence, sides: &str) -> Option<(String, Interval)> {
    let log = workload("1.5", sides);
    let lead = lead(found, &log, ((SCHEDULERS[0], "fixed-orientation"), (SCHEDULERS[0], "first-fit")))?;
    Some((log, lead))
}

const REDUCTION: &str = "fixed-orientation below first-fit by percent, ratio 1.5";

fn fig4a(found: &Evidence) -> Vec<Item> {
    let mut items = fig4(found, "");
    if let (Some((log, percent)), Some(published)) = (reduction(found, ""), Published::parse("42")) {
        let item = Item::new(REDUCTION, &log, MACHINE);
        items.push(item.compared_within(published, percent, Tolerance::Absolute(4.0)));
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
            items.push(
                Item::new(&format!("σ = {sigma}: {REDUCTION}"), &log, MACHINE).measured_within(percent),
            );
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
        items.extend(lie(found, fact, (Clearly, &[(curve, scan)]), ("", MEAN)));
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
