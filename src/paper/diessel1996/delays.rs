//! Figs. 4 and 5 and the percentages of the text: queue delay, allocation delay, completion time, utilization.

use super::{NAS, SDSC, at, rules, study};
use crate::paper::comparisons::Comparisons;
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::{Item, Published, Tolerance};

pub(super) const FIG4: Experiment = experiment(&[study!("fig4", SDSC)], fig4);
pub(super) const FIG5: Experiment = experiment(&[study!("fig5", NAS)], fig5);
pub(super) const STEPS: Experiment = experiment(&[study!("steps", SDSC)], steps);

const fn experiment(studies: &'static [Embedded], judge: fn(&Evidence) -> Vec<Item>) -> Experiment {
    Experiment { studies, surveyed: &[], timed: false, judge }
}

const FF: &str = "linear-first-fit";
const LOC: &str = "left-compaction";
const CFC: &str = "cost-free-compaction";
const QUEUE: &str = "queue_delay_s_mean";
const ALLOCATION: &str = "allocation_delay_s_mean";
const ARRAY: &str = "400";
const PERIODS: [&str; 10] = ["0", "500", "1000", "1500", "1750", "2000", "2500", "3000", "4000", "6000"];
const SIZES: [&str; 10] = ["128", "192", "256", "320", "384", "448", "512", "640", "768", "1024"];

/// By how many percent `column` is lower (or `gain`: higher) than with first fit.
fn percent(
    found: &Evidence,
    (dataset, machine, rules): (&str, &str, &str),
    (allocator, column): (&str, &str),
) -> Option<f64> {
    let of = |allocator| found.value(at(dataset, machine, rules, allocator), column);
    let (with, without) = (of(allocator)?, of(FF)?);
    Some(100.0 * (1.0 - with / without))
}

fn fig4(found: &Evidence) -> Vec<Item> {
    let Some(log) = found.log(SDSC) else { return Vec::new() };
    let mut items = Vec::new();
    for (column, name) in [(ALLOCATION, "allocation delay"), (QUEUE, "queue delay")] {
        for allocator in [FF, LOC, CFC] {
            for period in PERIODS {
                if let Some(interval) = found.interval(at(SDSC, ARRAY, &rules(period), allocator), column) {
                    let curve = format!("{allocator}, {name}");
                    let item = Item::new(&format!("{curve}, M = {period}"), &log, ARRAY);
                    items.push(item.measured_within(interval).on_curve(&curve, "M, s", period));
                }
            }
        }
    }
    let saturated = rules("0");
    for (name, column, sign, printed) in [
        ("queue delay", QUEUE, 1.0, ["17.2", "17.5"]),
        ("allocation delay", ALLOCATION, 1.0, ["16.5", "16.8"]),
        ("completion time", "makespan_s", 1.0, ["16.3", "16.5"]),
        ("gain in utilization", "utilization", -1.0, ["19.4", "19.8"]),
    ] {
        for (allocator, printed) in [LOC, CFC].into_iter().zip(printed) {
            let measured = percent(found, (SDSC, ARRAY, &saturated), (allocator, column));
            if let (Some(published), Some(measured)) = (Published::parse(printed), measured) {
                let item = Item::new(&format!("{name}, {allocator}, percent, M = 0"), &log, ARRAY);
                items.push(item.compared(published, sign * measured, Tolerance::Absolute(3.0)));
            }
        }
    }
    items.extend(orders(found, &log));
    items
}

/// What the text says of the curves.
fn orders(found: &Evidence, log: &str) -> Vec<Item> {
    let value =
        |period: &str, allocator, column| found.value(at(SDSC, ARRAY, &rules(period), allocator), column);
    let [mut delays, mut gap, mut constant, mut falls] = [(); 4].map(|()| Comparisons::default());
    for period in PERIODS {
        for (name, column) in [("queue", QUEUE), ("allocation", ALLOCATION)] {
            let of = |allocator| value(period, allocator, column);
            let label = |allocator: &str| format!("{allocator} {name} at {period}");
            delays.below((&label(LOC), of(LOC)), (&label(FF), of(FF)));
            delays.at_most((&label(CFC), of(CFC)), (&label(LOC), of(LOC)));
        }
        let distance = |allocator| percent(found, (SDSC, ARRAY, &rules(period)), (allocator, ALLOCATION));
        if let (Some(loc), Some(cfc)) = (distance(LOC), distance(CFC)) {
            gap.at_most(
                (&format!("LOC to CFC at {period}, points"), Some((cfc - loc).abs())),
                ("0.5", Some(0.5)),
            );
        }
    }
    for allocator in [FF, LOC] {
        let of = |period: &str| value(period, allocator, ALLOCATION);
        if let (Some(at_once), Some(dense)) = (of("0"), of("1000")) {
            let change = Some((dense / at_once - 1.0).abs());
            constant
                .at_most((&format!("{allocator}, change from M = 0 to 1000"), change), ("0.01", Some(0.01)));
        }
        for pair in PERIODS[4..].windows(2) {
            let [low, high] = [pair[1], pair[0]].map(|period| format!("{allocator} at {period}"));
            falls.below((&low, of(pair[1])), (&high, of(pair[0])));
        }
    }
    let items = [
        (delays, "first fit > left compaction ≥ cost-free compaction, both delays"),
        (gap, "left and cost-free compaction differ by at most half a point"),
        (constant, "allocation delay is constant while the array is saturated"),
        (falls, "allocation delay falls beyond saturation"),
    ];
    items.into_iter().filter_map(|(comparisons, fact)| comparisons.item(fact, log, ARRAY)).collect()
}

fn fig5(found: &Evidence) -> Vec<Item> {
    let Some(log) = found.log(NAS) else { return Vec::new() };
    let rules = rules("2");
    let mut items = Vec::new();
    for allocator in [LOC, CFC] {
        for size in SIZES {
            if let Some(percent) = percent(found, (NAS, size, &rules), (allocator, ALLOCATION)) {
                let curve = format!("{allocator}, percent");
                let item = Item::new(&format!("{curve}, {size} processors"), &log, size).measured(percent);
                items.push(item.on_curve(&curve, "processors", size));
            }
        }
    }
    for size in SIZES {
        if let Some(moves) = found.value(at(NAS, size, &rules, LOC), "moves") {
            let item = Item::new(&format!("moves, {size} processors"), &log, size).measured(moves);
            items.push(item.on_curve("left-compaction, moves of tasks", "processors", size));
        }
    }
    let reduction = |size: &str| percent(found, (NAS, size, &rules), (LOC, ALLOCATION));
    let mut rise = Comparisons::default();
    for pair in ["128", "256", "384"].windows(2) {
        rise.below((pair[0], reduction(pair[0])), (pair[1], reduction(pair[1])));
    }
    items.extend(rise.item(
        "the reduction grows with the array up to three times the largest request",
        &log,
        "",
    ));
    if let (Some(published), Some(measured)) = (Published::parse("20"), reduction("384")) {
        let item = Item::new("allocation delay, percent, three times the largest request", &log, "384");
        items.push(item.compared(published, measured, Tolerance::Absolute(3.0)));
    }
    items
}

fn steps(found: &Evidence) -> Vec<Item> {
    let Some(log) = found.log(SDSC) else { return Vec::new() };
    let saturated = rules("0");
    let mut items = Vec::new();
    for allocator in found.allocators(SDSC) {
        for (name, column) in [("queue delay", QUEUE), ("allocation delay", ALLOCATION)] {
            if let Some(percent) = percent(found, (SDSC, ARRAY, &saturated), (&allocator, column)) {
                let item = Item::new(&format!("{name}, {allocator}, percent"), &log, ARRAY).measured(percent);
                items.push(item.on_curve(&allocator, "reduction, percent", name));
            }
        }
        if let Some(suspended) = found.value(at(SDSC, ARRAY, &saturated, &allocator), "suspended_s_mean") {
            let item = Item::new(&format!("suspended, {allocator}, s"), &log, ARRAY).measured(suspended);
            items.push(item.on_curve(&allocator, "reduction, percent", "suspended, s"));
        }
    }
    items
}
