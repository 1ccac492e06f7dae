//! Fig. 4 and the text of 4.1: queue delay, allocation delay, completion time, utilization on the SDSC Paragon.

use super::delays::{ALLOCATION, ARRAY, CFC, FF, LOC, QUEUE, percent, with_tries};
use super::{SDSC, at, rules, study};
use crate::paper::comparisons::Comparisons;
use crate::paper::comparisons::Relation::Clearly;
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::{Item, Published, Tolerance};

pub(super) const EXPERIMENT: Experiment =
    Experiment { studies: &[study!("fig4", SDSC), study!("gaps", SDSC)], surveyed: &[], timed: false, judge };

/// Maximum intertask arrival periods in seconds.
const PERIODS: [&str; 10] = ["0", "500", "1000", "1500", "1750", "2000", "2500", "3000", "4000", "6000"];
const COMPLETION: &str = "makespan_s";
const UTILIZATION: &str = "utilization";

/// What else steps and decisions may cost; the default is among the steps.
const STEPS: [(&str, &str); 5] = [
    ("0.001", "left-compaction:step_time=0.001"),
    ("0.01", "left-compaction:step_time=0.01"),
    ("0.1", LOC),
    ("1", "left-compaction:step_time=1"),
    ("3", "left-compaction:step_time=3"),
];
const TRIED: [(&str, &str); 6] = [
    ("a step of 0.001 s", STEPS[0].1),
    ("0.01 s", STEPS[1].1),
    ("1 s", STEPS[3].1),
    ("3 s", STEPS[4].1),
    ("1 s per record and task looked at", "left-compaction:schedule_cost=1,select_cost=1"),
    ("10 s per record and task looked at", "left-compaction:schedule_cost=10,select_cost=10"),
];

/// What is printed at M = 0: the number, its column, its sign, left and cost-free compaction.
const PRINTED: [(&str, &str, f64, [&str; 2], &str); 4] = [
    ("queue delay", QUEUE, 1.0, ["17.2", "17.5"], "0.3"),
    ("allocation delay", ALLOCATION, 1.0, ["16.5", "16.8"], "0.3"),
    ("completion time", COMPLETION, 1.0, ["16.3", "16.5"], "0.2"),
    ("gain in utilization", UTILIZATION, -1.0, ["19.4", "19.8"], "0.4"),
];

fn judge(found: &Evidence) -> Vec<Item> {
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
    items.extend(numbers(found, &log));
    items.extend(over_15(found, &log));
    items.extend(orders(found, &log));
    items.extend(beyond(found, &log));
    items
}

/// That every benefit of left compaction at saturation is over 15 percent.
fn over_15(found: &Evidence, log: &str) -> Option<Item> {
    let mut comparisons = Comparisons::default();
    for (name, column, sign, ..) in PRINTED {
        let benefit = percent(found, (SDSC, ARRAY, &rules("0")), (LOC, column)).map(|percent| sign * percent);
        comparisons.below(("15", Some(15.0)), (name, benefit));
    }
    comparisons.item("benefits of left compaction at M = 0 are over 15 percent", log, ARRAY)
}

/// The printed percentages, and how far left and cost-free compaction are apart.
fn numbers(found: &Evidence, log: &str) -> Vec<Item> {
    let saturated = rules("0");
    let mut items = Vec::new();
    for (name, column, sign, printed, gap) in PRINTED {
        let measured =
            |allocator| Some(sign * percent(found, (SDSC, ARRAY, &saturated), (allocator, column))?);
        for (allocator, printed) in [LOC, CFC].into_iter().zip(printed) {
            if let (Some(published), Some(measured)) = (Published::parse(printed), measured(allocator)) {
                let item = Item::new(&format!("{name}, {allocator}, percent, M = 0"), log, ARRAY);
                items.push(item.compared(published, measured, Tolerance::Absolute(3.0)));
            }
        }
        let apart = |allocator| Some(measured(CFC)? - measured(allocator)?);
        for (step, allocator) in STEPS {
            if let Some(points) = apart(allocator) {
                let curve = format!("left below cost-free compaction, {name}, points");
                let item = Item::new(&format!("{curve}, a step of {step} s"), log, ARRAY).measured(points);
                items.push(item.on_curve(&curve, "a step, s", step));
            }
        }
        if let (Some(published), Some(points)) = (Published::parse(gap), apart(LOC)) {
            let item =
                Item::new(&format!("{name}, left below cost-free compaction, points, M = 0"), log, ARRAY);
            let tries: Vec<(&str, f64)> =
                TRIED.into_iter().filter_map(|(words, allocator)| Some((words, apart(allocator)?))).collect();
            // Each of the two numbers is printed to a tenth.
            items.push(with_tries(item.compared(published, points, Tolerance::Absolute(0.1)), &tries));
        }
    }
    items
}

/// A mean of the study of periods.
fn value(found: &Evidence, period: &str, allocator: &str, column: &str) -> Option<f64> {
    found.value(at(SDSC, ARRAY, &rules(period), allocator), column)
}

/// What the text says of the curves up to where the array is saturated.
fn orders(found: &Evidence, log: &str) -> Vec<Item> {
    let [mut delays, mut constant, mut literally, mut in_the_mean, mut falls, mut rises] =
        [(); 6].map(|()| Comparisons::default());
    for period in PERIODS {
        for (name, column) in [("queue", QUEUE), ("allocation", ALLOCATION)] {
            let of = |allocator| value(found, period, allocator, column);
            let label = |allocator: &str| format!("{allocator} {name} at {period}");
            delays.below((&label(LOC), of(LOC)), (&label(FF), of(FF)));
            delays.at_most((&label(CFC), of(CFC)), (&label(LOC), of(LOC)));
        }
    }
    for allocator in [FF, LOC, CFC] {
        let of = |period: &str| value(found, period, allocator, ALLOCATION);
        let kept = |period: &str| Some((of(period)? / of("0")? - 1.0).abs());
        for period in &PERIODS[1..3] {
            let label = format!("{allocator}, change from M = 0 to {period}");
            constant.at_most((&label, kept(period)), ("0.01", Some(0.01)));
        }
        // The first period that is longer than the delay at saturation.
        for (comparisons, share) in [(&mut literally, 1.0), (&mut in_the_mean, 0.5)] {
            let longer = |period: &str| {
                period.parse().is_ok_and(|period: f64| of("0").is_some_and(|delay| share * period > delay))
            };
            if let Some(period) = PERIODS.into_iter().find(|period| longer(period)) {
                let label = format!("{allocator} at {period}");
                comparisons
                    .below((&label, of(period)), ("99 % of it at 0", of("0").map(|delay| 0.99 * delay)));
            }
        }
        for pair in PERIODS[4..].windows(2) {
            let [low, high] = [pair[1], pair[0]].map(|period| format!("{allocator} at {period}"));
            falls.below((&low, of(pair[1])), (&high, of(pair[0])));
        }
    }
    for allocator in [LOC, CFC] {
        let of = |period: &str| percent(found, (SDSC, ARRAY, &rules(period)), (allocator, QUEUE));
        for pair in PERIODS[..4].windows(2) {
            let [low, high] = [pair[0], pair[1]].map(|period| format!("{allocator} at {period}, percent"));
            rises.below((&low, of(pair[0])), (&high, of(pair[1])));
        }
    }
    let items = [
        (delays, "first fit > left compaction ≥ cost-free compaction, both delays"),
        (rises, "the reduction of the queue delay grows with M up to saturation"),
        (constant, "allocation delay is constant while the array is saturated"),
        (literally, "allocation delay falls from where the largest period, M, is longer than it was"),
        (in_the_mean, "allocation delay falls from where the mean period, M / 2, is longer than it was"),
        (falls, "allocation delay falls beyond saturation"),
    ];
    items.into_iter().filter_map(|(comparisons, fact)| comparisons.item(fact, log, ARRAY)).collect()
}

/// The first period at which the allocation delay is more than 1 % below that at saturation.
fn knee(found: &Evidence, allocator: &str) -> Option<f64> {
    let of = |period: &str| value(found, period, allocator, ALLOCATION);
    let saturated = of("0")?;
    let fallen = PERIODS.into_iter().find(|period| of(period).is_some_and(|delay| delay < 0.99 * saturated));
    fallen?.parse().ok()
}

/// What it says of longer periods.
fn beyond(found: &Evidence, log: &str) -> Vec<Item> {
    let [mut sustains, mut linear, mut inverse, mut still, mut none] =
        [(); 5].map(|()| Comparisons::default());
    for allocator in [LOC, CFC] {
        sustains.below((allocator, knee(found, allocator)), (FF, knee(found, FF)));
        for period in &PERIODS[8..] {
            let rules = rules(period);
            let [with, without] = [allocator, FF].map(|allocator| at(SDSC, ARRAY, &rules, allocator));
            for (name, column) in [("queue", QUEUE), ("allocation", ALLOCATION)] {
                if let Some(pair) = found.pair(with, without, column) {
                    still.lie(Clearly, (&format!("{allocator} {name} at {period}"), FF), pair);
                }
            }
            for (name, column) in [("completion", COMPLETION), ("utilization", UTILIZATION)] {
                let change = percent(found, (SDSC, ARRAY, &rules), (allocator, column)).map(f64::abs);
                none.at_most((&format!("{allocator} {name} at {period}, percent"), change), ("1", Some(1.0)));
            }
        }
    }
    for allocator in [FF, LOC, CFC] {
        let times = |column| {
            Some(value(found, "6000", allocator, column)? / value(found, "3000", allocator, column)?)
        };
        let near = |x: f64, y: f64| (x / y - 1.0).abs() < 0.02;
        let label = format!("{allocator}, 6000 by 3000");
        linear.holds((&label, times(COMPLETION)), ("2", Some(2.0)), "within 2 % of", near);
        inverse.holds((&label, times(UTILIZATION)), ("1/2", Some(0.5)), "within 2 % of", near);
    }
    let items = [
        (
            sustains,
            "compaction sustains higher rates: the allocation delay falls (by 1 %) from a smaller M on",
        ),
        (linear, "completion time grows in proportion to M beyond saturation"),
        (inverse, "utilization falls in inverse proportion to M beyond saturation"),
        (still, "delays are still significantly lower with compaction at high periods"),
        (none, "completion time and utilization are no better then (less than 1 %)"),
    ];
    items.into_iter().filter_map(|(comparisons, fact)| comparisons.item(fact, log, ARRAY)).collect()
}
