//! Longer packets, and a larger mesh: whether the ranking stays and QNA's lead grows.

use super::{ALLOCATORS, QNA_AND, TURNAROUND, study};
use crate::metrics::Interval;
use crate::paper::comparisons::Comparisons;
use crate::paper::comparisons::Relation::Clearly;
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::Item;
use crate::paper::load_curves::{Load, LoadCurves, MACHINE};

const ONE: &[Embedded] = &[
    study!("heavy"),
    study!("one-to-all-length-16"),
    study!("one-to-all-length-32"),
    study!("one-to-all-length-64"),
    study!("one-to-all-32x32"),
];
const ALL: &[Embedded] = &[
    study!("heavy"),
    study!("all-to-all-length-16"),
    study!("all-to-all-length-32"),
    study!("all-to-all-length-64"),
    study!("all-to-all-32x32"),
];

pub(super) const ONE_TO_ALL: Experiment =
    Experiment { studies: ONE, surveyed: &[], timed: false, judge: |found| judge(found, "one-to-all") };
pub(super) const ALL_TO_ALL: Experiment =
    Experiment { studies: ALL, surveyed: &[], timed: false, judge: |found| judge(found, "all-to-all") };

const LARGER: &str = "32x32";
const LENGTHS: [&str; 4] = ["8", "16", "32", "64"];

/// The curves of packets of so many flits.
fn curves<'a>(found: &'a Evidence, pattern: &str, length: &str) -> LoadCurves<'a> {
    LoadCurves::new(found, &format!("wormhole:compute=none,length={length},pattern={pattern}"), "uniform")
}

/// The rate at which all jobs are waiting from the beginning on. Near saturation turnaround depends more on what share of
/// the network's capacity a load is than on anything else; here it is the same for all lengths.
const HEAVY: f64 = 1.0;

/// The loads of the curves but that one.
fn ordinary(curves: &LoadCurves<'_>) -> Vec<Load> {
    curves.loads.iter().filter(|load| load.rate < HEAVY).cloned().collect()
}

fn judge(found: &Evidence, pattern: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for length in &LENGTHS[1..] {
        let curves = curves(found, pattern, length);
        let named = |item: Item| item.named(&format!("{length} flits, "));
        items.extend(curves.points(&ALLOCATORS, TURNAROUND, ("turnaround", 1.0)).into_iter().map(named));
        let fact = format!("qna is below the others with {length} flits");
        items.extend(curves.lie(&fact, (Clearly, &QNA_AND), TURNAROUND, &ordinary(&curves)));
    }
    let network = format!("wormhole:compute=none,pattern={pattern}");
    let larger = LoadCurves::on(LARGER, found, &network, "uniform");
    let named = |item: Item| item.named(&format!("{LARGER}, "));
    items.extend(larger.points(&ALLOCATORS, TURNAROUND, ("turnaround", 1.0)).into_iter().map(named));
    let fact = format!("qna is below the others on {LARGER}");
    items.extend(larger.lie(&fact, (Clearly, &QNA_AND), TURNAROUND, &larger.loads));
    for (qna, other) in QNA_AND {
        items.extend(grows(found, pattern, (other, qna)));
    }
    items
}

/// Whether another allocator's turnaround by QNA's grows with the length of packets, at heavy load.
fn grows(found: &Evidence, pattern: &str, pair: (&str, &str)) -> Option<Item> {
    let ratio = |length: &str| -> Option<Interval> {
        let curves = curves(found, pattern, length);
        curves.ratio_within(curves.load(HEAVY)?, pair, TURNAROUND)
    };
    let mut comparisons = Comparisons::default();
    for lengths in LENGTHS.windows(2) {
        if let (Some(short), Some(long)) = (ratio(lengths[0]), ratio(lengths[1])) {
            // Their workloads have nothing in common.
            let half_width = short.half_width.hypot(long.half_width);
            let more = Interval { mean: long.mean - short.mean, half_width, count: long.count };
            let words = format!(
                "{} by {} with {} flits ({:.2}) above that with {} ({:.2})",
                pair.0, pair.1, lengths[1], long.mean, lengths[0], short.mean
            );
            comparisons.above_by(&words, more);
        }
    }
    comparisons.item(&format!("{} by qna grows with the length, at heavy load", pair.0), "", MACHINE)
}
