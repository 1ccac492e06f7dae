//! What the printed loads say of the network: the paper leaves open how a node buffers flits, what the number of messages
//! counts, and what of a hop the 3 cycles of routing are. A reading is possible if first fit saturates below a printed load,
//! and QNA does not saturate far below: only there can ratios be what they are.

use super::loads::{FIG2_PRINTED, FIG4_PRINTED, FIG11_PRINTED, Printed};
use super::{QNA_AND, TURNAROUND, WAIT, study};
use crate::paper::comparisons::Comparisons;
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::{Item, Published};
use crate::paper::load_curves::{LoadCurves, MACHINE};

const STUDIES: &[Embedded] = &[
    study!("readings-one-to-all"),
    study!("readings-all-to-all"),
    study!("saturation-one-to-all"),
    study!("saturation-all-to-all"),
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
    for (figure, pattern, sides, column, (rate, ratios)) in PRINTED {
        for reading in READINGS {
            let comma = if reading.is_empty() { "" } else { "," };
            let network = format!("wormhole:compute=none,pattern={pattern}{comma}{reading}");
            let curves = LoadCurves::new(found, &network, sides);
            let Some(heavy) = curves.load(HEAVY) else { continue };
            let label = format!("{figure}, {}", if reading.is_empty() { "as usual" } else { reading });
            // Jobs by finish time: what the network carries if they never run out.
            let most = |allocator| {
                Some(curves.value(heavy, allocator, "jobs")? / curves.value(heavy, allocator, "makespan_s")?)
            };
            let (first, qna) = (most("first-fit"), most("qna"));
            for (allocator, load) in [("first-fit", first), ("qna", qna)] {
                let item = Item::new(&format!("{label}: {allocator} saturates at"), "", MACHINE);
                items.extend(load.map(|load| item.measured(load)));
            }
            let mut comparisons = Comparisons::default();
            comparisons.below(("first-fit", first), ("the printed load", Some(rate)));
            comparisons.below(("the printed load", Some(rate)), ("qna", qna));
            items.extend(comparisons.item(
                &format!("{label}: the printed load {rate} lies between"),
                "",
                MACHINE,
            ));
            for (pair, percent) in QNA_AND.into_iter().zip(ratios) {
                let ratio = curves.load(rate).and_then(|load| curves.ratio(load, pair, column));
                if let (Some(ratio), Some(published)) = (ratio, Published::parse(percent)) {
                    let item =
                        Item::new(&format!("{label}: qna by {} in percent at {rate}", pair.1), "", MACHINE);
                    items.push(Item { published: Some(published), ..item.measured(100.0 * ratio) });
                }
            }
        }
    }
    items
}
