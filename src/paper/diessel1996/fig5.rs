//! Fig. 5 and the text of 4.2: allocation delays and compactions on the NAS log by the size of the array.

use super::delays::{ALLOCATION, CFC, LOC, percent, with_tries};
use super::{NAS, at, rules, study};
use crate::paper::comparisons::Comparisons;
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::{Item, Published, Tolerance, Verdict};

pub(super) const EXPERIMENT: Experiment =
    Experiment { studies: &[study!("fig5", NAS)], surveyed: &[], timed: false, judge };

const SIZES: [&str; 10] = ["128", "192", "256", "320", "384", "448", "512", "640", "768", "1024"];
/// Left compaction whose decisions take seconds, so that tasks end meanwhile.
const SLOW: &str = "left-compaction:schedule_cost=1,select_cost=1";
const ALLOCATORS: [&str; 3] = [LOC, SLOW, CFC];

/// What is counted, and its column.
const COUNTS: [(&str, &str); 5] = [
    ("compactions", "compactions"),
    ("aborted", "compactions_aborted"),
    ("delayed", "compactions_delayed"),
    ("overrunning", "compactions_overrun"),
    ("moves of tasks", "moves"),
];

fn judge(found: &Evidence) -> Vec<Item> {
    let Some(log) = found.log(NAS) else { return Vec::new() };
    let rules = rules("2");
    let mut items = Vec::new();
    for allocator in ALLOCATORS {
        for size in SIZES {
            if let Some(percent) = percent(found, (NAS, size, &rules), (allocator, ALLOCATION)) {
                let curve = format!("{allocator}, percent");
                let item = Item::new(&format!("{curve}, {size} processors"), &log, size).measured(percent);
                items.push(item.on_curve(&curve, "processors", size));
            }
        }
    }
    for (name, column) in COUNTS {
        // What costs nothing is neither aborted nor late.
        let counted =
            if column == "compactions" || column == "moves" { &ALLOCATORS[..] } else { &ALLOCATORS[..2] };
        for &allocator in counted {
            for size in SIZES {
                if let Some(interval) = found.interval(at(NAS, size, &rules, allocator), column) {
                    let curve = format!("{allocator}, {name}");
                    let item = Item::new(&format!("{curve}, {size} processors"), &log, size);
                    items.push(item.measured_within(interval).on_curve(&curve, "processors", size));
                }
            }
        }
    }
    items.extend(reductions(found, &log, &rules));
    items.extend(counts(found, &log, &rules));
    items
}

/// What the text says of the reduction of the allocation delay.
fn reductions(found: &Evidence, log: &str, rules: &str) -> Vec<Item> {
    let of = |allocator: &str, size: &str| percent(found, (NAS, size, rules), (allocator, ALLOCATION));
    let mut items = Vec::new();
    let [mut lower, mut rise, mut apart] = [(); 3].map(|()| Comparisons::default());
    for (allocator, sdsc) in [(LOC, 16.5), (CFC, 16.8)] {
        let twice = of(allocator, "128").map(|percent| 2.0 * percent);
        lower
            .below((&format!("twice {allocator} at 128, percent"), twice), ("SDSC's as printed", Some(sdsc)));
        for pair in ["128", "256", "384"].windows(2) {
            let [low, high] = [pair[0], pair[1]].map(|size| format!("{allocator} at {size}, percent"));
            rise.below((&low, of(allocator, pair[0])), (&high, of(allocator, pair[1])));
        }
    }
    let gap = |size: &str| Some(of(CFC, size)? - of(LOC, size)?);
    for pair in SIZES.windows(2) {
        let [low, high] = [pair[0], pair[1]].map(|size| format!("points at {size}"));
        apart.below((&low, gap(pair[0])), (&high, gap(pair[1])));
    }
    for (comparisons, fact) in [
        (lower, "on 128 processors the benefit is much lower than on SDSC's (less than half)"),
        (rise, "the reduction grows with the array up to three times the largest request"),
        (apart, "left compaction falls further behind cost-free compaction as the array grows"),
    ] {
        items.extend(comparisons.item(fact, log, ""));
    }
    for allocator in [LOC, CFC] {
        if let (Some(published), Some(measured)) = (Published::parse("20"), of(allocator, "384")) {
            let name = format!("{allocator}, allocation delay, percent, three times the largest request");
            items.push(Item::new(&name, log, "384").compared(published, measured, Tolerance::Absolute(3.0)));
        }
    }
    items
}

/// What it says of the number of compactions.
fn counts(found: &Evidence, log: &str, rules: &str) -> Vec<Item> {
    let of = |allocator, size, column| found.value(at(NAS, size, rules, allocator), column);
    let mut items = Vec::new();
    for (name, column, falls) in [
        ("the number of allocations by left compaction falls as the array grows", "compactions", true),
        (
            "compaction is aborted more often as the array grows (the paper's guess)",
            "compactions_aborted",
            false,
        ),
        ("the number of delayed schedules grows with the array", "compactions_delayed", false),
        ("the number of overrunning schedules grows with the array", "compactions_overrun", false),
    ] {
        let mut comparisons = Comparisons::default();
        for pair in SIZES.windows(2) {
            let label = |size: &str| format!("{LOC} at {size}");
            let [small, large] = [pair[0], pair[1]].map(|size| (label(size), of(LOC, size, column)));
            let (low, high) = if falls { (large, small) } else { (small, large) };
            comparisons.at_most((&low.0, low.1), (&high.0, high.1));
        }
        let Some(mut item) = comparisons.item(name, log, "") else { continue };
        if let (Verdict::Differs(_), [Some(first), Some(last)]) =
            (&item.verdict, ["128", "1024"].map(|size| of(LOC, size, column)))
        {
            // Ten numbers in a row need not be repeated: they are a curve.
            let word = if last > first { "rises" } else { "falls" };
            item.verdict = Verdict::Differs(format!("it {word} from {first:.1} at 128 to {last:.1} at 1024"));
            let tries = [
                (SLOW, "128", "1 s per record and task looked at, at 128"),
                (SLOW, "512", "the same at 512"),
                (SLOW, "1024", "the same at 1024"),
                (CFC, "128", "cost-free compaction at 128"),
                (CFC, "1024", "the same at 1024"),
            ];
            let tries: Vec<(&str, f64)> = tries
                .into_iter()
                .filter_map(|(allocator, size, words)| Some((words, of(allocator, size, column)?)))
                .collect();
            item = with_tries(item, &tries);
        }
        items.push(item);
    }
    items
}
