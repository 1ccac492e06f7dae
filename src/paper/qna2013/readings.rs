//! What the printed loads say of the network: the paper leaves open how a node buffers flits, what the number of messages
//! counts, and what of a hop the 3 cycles of routing are. A reading is possible if first fit saturates below a printed load,
//! and QNA does not saturate far below: only there can ratios be what they are. With 200 or 1000 messages a job the printed
//! load means nothing, since the network saturates at a fraction of it: ratios are looked at where QNA is about to saturate.

use super::loads::{FIG2_PRINTED, FIG4_PRINTED, FIG11_PRINTED, POINTS, Printed, percent};
use super::{QNA_AND, TURNAROUND, WAIT, study};
use crate::metrics::Interval;
use crate::paper::comparisons::Comparisons;
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::{Item, Published};
use crate::paper::load_curves::{Load, LoadCurves, MACHINE};

const STUDIES: &[Embedded] = &[
    study!("readings-one-to-all"),
    study!("readings-all-to-all"),
    study!("saturation-one-to-all"),
    study!("saturation-all-to-all"),
    study!("messages-200"),
    study!("messages-1000"),
];

pub(super) const EXPERIMENT: Experiment = Experiment { studies: STUDIES, surveyed: &[], timed: false, judge };

/// What a reading changes of the usual network.
const READINGS: [&str; 8] = [
    "",
    "buffer=packet",
    "injection=blocking",
    "buffer=packet,injection=blocking",
    "ts=2",
    "law=constant",
    "quota=per-processor",
    "buffer=packet,quota=per-processor",
];

/// A printed experiment: figure, pattern, sides, column, load and ratios.
const PRINTED: [(&str, &str, &str, &str, Printed); 3] = [
    ("fig2", "one-to-all", "uniform", TURNAROUND, FIG2_PRINTED),
    ("fig4", "all-to-all", "uniform", TURNAROUND, FIG4_PRINTED),
    ("fig11", "all-to-all", "exponential", WAIT, FIG11_PRINTED),
];

/// The rate at which all jobs are waiting from the beginning on.
const HEAVY: f64 = 1.0;

fn judge(found: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    for printed in PRINTED {
        for reading in READINGS {
            items.extend(read(found, printed, reading));
        }
    }
    items.extend(messages(found));
    items
}

/// A printed experiment under a reading.
fn read(
    found: &Evidence,
    (figure, pattern, sides, column, (rate, ratios)): (&str, &str, &str, &str, Printed),
    reading: &str,
) -> Vec<Item> {
    let comma = if reading.is_empty() { "" } else { "," };
    let network = format!("wormhole:compute=none,pattern={pattern}{comma}{reading}");
    let curves = LoadCurves::new(found, &network, sides);
    let Some(heavy) = curves.load(HEAVY) else { return Vec::new() };
    let label = format!("{figure}, {}", if reading.is_empty() { "as usual" } else { reading });
    let (first, qna) = (saturation(&curves, heavy, "first-fit"), saturation(&curves, heavy, "qna"));
    let mut items = saturations(&label, [("first-fit", first), ("qna", qna)]);
    let mut comparisons = Comparisons::default();
    if let (Some(first), Some(qna)) = (first, qna) {
        // One minus the other is within the sum of what is uncertain.
        let above = Interval { mean: rate - first.mean, ..first };
        comparisons.above_by(&format!("the printed load above first-fit ({:.5})", first.mean), above);
        let above = Interval { mean: qna.mean - rate, ..qna };
        comparisons.above_by(&format!("qna ({:.5}) above the printed load", qna.mean), above);
    }
    items.extend(comparisons.item(&format!("{label}: the printed load {rate} lies between"), "", MACHINE));
    if let Some(load) = curves.load(rate) {
        items.extend(compare(&curves, load, (&label, column), ratios));
    }
    items
}

/// The printed ratios beside those at a load.
fn compare(
    curves: &LoadCurves<'_>,
    load: &Load,
    (label, column): (&str, &str),
    ratios: [&str; 3],
) -> Vec<Item> {
    let item = |(pair, printed): ((&str, &str), &str)| {
        let (ratio, published) = (curves.ratio_within(load, pair, column)?, Published::parse(printed)?);
        let item = Item::new(&format!("{label}: qna by {} in percent at {}", pair.1, load.rate), "", MACHINE);
        Some(item.compared_within(published, percent(ratio), POINTS))
    };
    QNA_AND.into_iter().zip(ratios).filter_map(item).collect()
}

/// Jobs by finish time: what the network carries if they never run out.
fn saturation(curves: &LoadCurves<'_>, heavy: &Load, allocator: &str) -> Option<Interval> {
    let jobs = curves.value(heavy, allocator, "jobs")?;
    let finish = curves.interval(heavy, allocator, "makespan_s")?;
    let rate = jobs / finish.mean;
    Some(Interval { mean: rate, half_width: rate * finish.half_width / finish.mean, ..finish })
}

fn saturations(label: &str, found: [(&str, Option<Interval>); 2]) -> Vec<Item> {
    let item = |(allocator, load): (&str, Option<Interval>)| {
        Some(Item::new(&format!("{label}: {allocator} saturates at"), "", MACHINE).measured_within(load?))
    };
    found.into_iter().filter_map(item).collect()
}

/// The ratios of Fig. 4 if a job sends more messages, at loads up to where QNA saturates then; and what of the links'
/// capacity is used at saturation, and how long headers wait.
fn messages(found: &Evidence) -> Vec<Item> {
    let mut items = Vec::new();
    for count in ["5", "200", "1000"] {
        let network = format!("wormhole:compute=none,messages={count},pattern=all-to-all");
        let curves = LoadCurves::new(found, &network, "uniform");
        let Some(heavy) = curves.load(HEAVY) else { continue };
        let label = format!("fig4, {count} messages a job");
        for (name, column, factor) in [
            ("links used at saturation, percent", "link_utilization", 100.0),
            ("cycles of a packet at saturation", "packet_latency_cycles_mean", 1.0),
            ("of which its header waits", "packet_blocked_cycles_mean", 1.0),
        ] {
            if let Some(measured) = curves.value(heavy, "qna", column) {
                let item = Item::new(&format!("{name}, {count}"), "", MACHINE).measured(factor * measured);
                items.push(item.on_curve(name, "messages a job, qna", count));
            }
        }
        if count == "5" {
            continue;
        }
        let of = |allocator| (allocator, saturation(&curves, heavy, allocator));
        items.extend(saturations(&label, [of("first-fit"), of("qna")]));
        for load in curves.loads.iter().filter(|load| load.rate < HEAVY) {
            items.extend(compare(&curves, load, (&label, TURNAROUND), FIG4_PRINTED.1));
        }
    }
    items
}
