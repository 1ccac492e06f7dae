//! Fig. 7: curves on a real machine.
//!
//! The paper timed jobs that broadcast on a Cray XT3/4 cabinet of 20×4 nodes. What is published of the jobs is their
//! sizes, their number, that each does 25 all-to-all broadcasts, and FCFS. Here the broadcasts go over a network of our own,
//! all jobs being there at the beginning; as in the paper the mean of three streams counts. A second table has the mean
//! pairwise sums of twenty streams, for which run times are drawn.

use super::{At, Comparisons, Evidence, Item, Printed, study};
use crate::metrics::Interval;
use crate::paper::figure::Experiment;
use crate::paper::item::Tolerance;
use crate::paper::load_curves::resolved;
use crate::paper::stream::STREAM;

pub(super) const MAKESPANS: Experiment =
    Experiment { studies: &[study!("fig7", STREAM)], surveyed: &[], timed: false, judge: makespans };
pub(super) const SUMS: Experiment =
    Experiment { studies: &[study!("fig7-sums", STREAM)], surveyed: &[], timed: false, judge: sums };

const MACHINE: &str = "20x4";
const NETWORK: &str = "wormhole:pattern=all-to-all,quota=rounds,messages=25,law=constant,compute=none";

/// Per curve, which selections the published table has below which.
const SELECTIONS: [(&str, &[(&str, &str)]); 4] = [
    ("column-snake", &[("bf", "ss"), ("ss", "ff")]),
    ("spliced-hilbert", &[("bf", "ff"), ("ss", "ff")]),
    ("zoltan-hilbert", &[("ss", "bf"), ("bf", "ff")]),
    ("row-snake", &[("ss", "bf"), ("bf", "ff")]),
];

/// What is measured of the streams: a column over a network.
#[derive(Clone, Copy)]
struct Measure<'a> {
    found: &'a Evidence,
    network: &'a str,
    column: &'a str,
}

impl Measure<'_> {
    fn at<'b>(&'b self, allocator: &'b str) -> At<'b> {
        At {
            dataset: STREAM,
            machine: MACHINE,
            allocator,
            scheduler: "fcfs",
            network: self.network,
            ..At::default()
        }
    }

    /// The mean of an allocator by that of MC1x1.
    fn ratio(&self, allocator: &str) -> Option<f64> {
        let (allocator, mc1x1, _) = self.found.pair(self.at(allocator), self.at("mc1x1"), self.column)?;
        Some(allocator / mc1x1)
    }

    /// By how many percent of the second one the first allocator is above the second over common streams.
    fn above(&self, a: &str, b: &str) -> Option<Interval> {
        let (_, mean, above) = self.found.pair(self.at(a), self.at(b), self.column)?;
        let percent = 100.0 / mean;
        Some(Interval { mean: above.mean * percent, half_width: above.half_width * percent, ..above })
    }

    fn is_above(&self, comparisons: &mut Comparisons, high: &str, low: &str) {
        if let Some(above) = self.above(high, low) {
            comparisons.above_by(&format!("{high} above {low}, percent"), above);
        }
    }

    /// The order of the curves for each selection.
    fn curves(&self, printed: &Printed) -> Vec<Item> {
        let mut items = Vec::new();
        for (select, _) in &printed.rows {
            let mut comparisons = Comparisons::default();
            for pair in printed.columns.windows(2) {
                let [low, high] = [pair[0], pair[1]].map(|order| format!("{order}+{select}"));
                self.is_above(&mut comparisons, &high, &low);
            }
            let fact = format!("order of the curves, {select}: {}", printed.columns.join(" < "));
            items.extend(comparisons.item(&fact, STREAM, MACHINE));
        }
        items
    }

    /// The order of the curves by the means of the three selections.
    fn curves_on_average(&self, printed: &Printed) -> Option<Item> {
        let mut comparisons = Comparisons::default();
        for pair in printed.columns.windows(2) {
            let (low, high) = (pair[0], pair[1]);
            // By stream, the sum over the selections.
            let mut streams: Vec<(f64, f64)> = Vec::new();
            for (select, _) in &printed.rows {
                let [low, high] = [low, high].map(|order| format!("{order}+{select}"));
                let pairs = self.found.pairs(self.at(&high), self.at(&low), self.column);
                streams.resize(streams.len().max(pairs.len()), (0.0, 0.0));
                streams.iter_mut().zip(pairs).for_each(|(sum, (a, b))| *sum = (sum.0 + a, sum.1 + b));
            }
            let percent: Vec<f64> = streams.iter().map(|(high, low)| 100.0 * (high / low - 1.0)).collect();
            if let Some(above) = Interval::of(&percent) {
                comparisons.above_by(&format!("{high} above {low}, percent"), above);
            }
        }
        let fact = format!("order of the curves, mean of the selections: {}", printed.columns.join(" < "));
        comparisons.item(&fact, STREAM, MACHINE)
    }

    /// The order of the selections for each curve, as the table has it.
    fn selections(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for (order, pairs) in SELECTIONS {
            let mut comparisons = Comparisons::default();
            for (low, high) in pairs {
                self.is_above(&mut comparisons, &format!("{order}+{high}"), &format!("{order}+{low}"));
            }
            let said: Vec<String> = pairs.iter().map(|(low, high)| format!("{low} < {high}")).collect();
            let fact = format!("order of the selections, {order}: {}", said.join(", "));
            items.extend(comparisons.item(&fact, STREAM, MACHINE));
        }
        items
    }
}

fn printed() -> Printed {
    Printed::parse(include_str!("fig7.tsv"))
}

fn makespans(found: &Evidence) -> Vec<Item> {
    let network = resolved(NETWORK).unwrap_or_default();
    let measure = Measure { found, network: &network, column: "makespan_s" };
    let printed = printed();
    let mut items = Vec::new();
    for (select, order, _, published) in printed.cells() {
        let allocator = format!("{order}+{select}");
        if let (Some(published), Some(measured)) = (published, measure.ratio(&allocator)) {
            let item = Item::new(&format!("makespan of {allocator} by mc1x1"), STREAM, MACHINE);
            items.push(item.compared(published, measured, TOLERANCE).because(NOTHING_ELSE));
        }
    }
    items.extend(measure.curves_on_average(&printed));
    items.extend(measure.curves(&printed));
    items.extend(measure.selections());
    items
}

/// No more than the least of what the published ratios are above 1.
const TOLERANCE: Tolerance = Tolerance::Absolute(0.003);

/// Why ratios are larger here than on the real machine.
const NOTHING_ELSE: &str =
    "jobs here do nothing but broadcast, over a network that was not fitted to the machine";

fn sums(found: &Evidence) -> Vec<Item> {
    let measure = Measure { found, network: At::default().network, column: "pairwise_sum_mean" };
    let printed = printed();
    let mut items = Vec::new();
    for (select, order, ..) in printed.cells() {
        let allocator = format!("{order}+{select}");
        let item = Item::new(&format!("pairwise sum of {allocator} by mc1x1"), STREAM, MACHINE);
        items.extend(measure.ratio(&allocator).map(|ratio| item.measured(ratio)));
    }
    items.extend(measure.curves_on_average(&printed));
    items.extend(measure.curves(&printed));
    items.extend(measure.selections());
    items
}
