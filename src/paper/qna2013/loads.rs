//! Figs. 2 to 5 and 8 to 11: turnaround and waiting times by load.

use super::{ALLOCATORS, QNA_AND, TURNAROUND, WAIT, study};
use crate::metrics::Interval;
use crate::paper::comparisons::Comparisons;
use crate::paper::comparisons::Relation::Clearly;
use crate::paper::evidence::Evidence;
use crate::paper::figure::{Embedded, Experiment};
use crate::paper::item::{Item, Published, Tolerance, Verdict};
use crate::paper::load_curves::{LoadCurves, MACHINE, crossings};

const ONE_UNIFORM: &[Embedded] = &[study!("one-to-all-uniform"), study!("one-to-all-uniform-printed")];
const ONE_EXPONENTIAL: &[Embedded] = &[study!("one-to-all-exponential")];
const ALL_UNIFORM: &[Embedded] = &[study!("all-to-all-uniform"), study!("all-to-all-uniform-printed")];
const ALL_EXPONENTIAL: &[Embedded] =
    &[study!("all-to-all-exponential"), study!("all-to-all-exponential-printed")];

pub(super) const FIG2: Experiment = experiment(ONE_UNIFORM, fig2);
pub(super) const FIG3: Experiment = experiment(ONE_EXPONENTIAL, fig3);
pub(super) const FIG4: Experiment = experiment(ALL_UNIFORM, fig4);
pub(super) const FIG5: Experiment = experiment(ALL_EXPONENTIAL, fig5);
pub(super) const FIG8: Experiment = experiment(ONE_UNIFORM, fig8);
pub(super) const FIG9: Experiment = experiment(ONE_EXPONENTIAL, fig9);
pub(super) const FIG10: Experiment = experiment(ALL_UNIFORM, fig10);
pub(super) const FIG11: Experiment = experiment(ALL_EXPONENTIAL, fig11);

const fn experiment(studies: &'static [Embedded], judge: fn(&Evidence) -> Vec<Item>) -> Experiment {
    Experiment { studies, surveyed: &[], timed: false, judge }
}

/// Ratios that are printed: the load, and QNA by first fit, paging and MBS in percent.
pub(super) type Printed = (f64, [&'static str; 3]);

pub(super) const FIG2_PRINTED: Printed = (0.0205, ["35", "64", "70"]);
pub(super) const FIG4_PRINTED: Printed = (0.0305, ["20", "24", "38"]);
pub(super) const FIG11_PRINTED: Printed = (0.05, ["19", "27", "50"]);

fn fig2(found: &Evidence) -> Vec<Item> {
    figure(found, ("one-to-all", "uniform"), TURNAROUND, Some(FIG2_PRINTED))
}

fn fig3(found: &Evidence) -> Vec<Item> {
    figure(found, ("one-to-all", "exponential"), TURNAROUND, None)
}

fn fig4(found: &Evidence) -> Vec<Item> {
    figure(found, ("all-to-all", "uniform"), TURNAROUND, Some(FIG4_PRINTED))
}

fn fig5(found: &Evidence) -> Vec<Item> {
    figure(found, ("all-to-all", "exponential"), TURNAROUND, None)
}

fn fig8(found: &Evidence) -> Vec<Item> {
    figure(found, ("one-to-all", "uniform"), WAIT, Some(FIG2_PRINTED))
}

fn fig9(found: &Evidence) -> Vec<Item> {
    figure(found, ("one-to-all", "exponential"), WAIT, None)
}

fn fig10(found: &Evidence) -> Vec<Item> {
    figure(found, ("all-to-all", "uniform"), WAIT, None)
}

fn fig11(found: &Evidence) -> Vec<Item> {
    figure(found, ("all-to-all", "exponential"), WAIT, Some(FIG11_PRINTED))
}

/// A share in percent.
pub(super) fn percent(share: Interval) -> Interval {
    Interval { mean: 100.0 * share.mean, half_width: 100.0 * share.half_width, ..share }
}

/// How far a ratio may be from the printed one, in percentage points.
pub(super) const POINTS: Tolerance = Tolerance::Absolute(3.0);

/// The curves, the order that the paper sees in them, its ratios, and where they are met.
fn figure(
    found: &Evidence,
    (pattern, sides): (&str, &str),
    column: &str,
    printed: Option<Printed>,
) -> Vec<Item> {
    let curves = LoadCurves::new(found, &format!("wormhole:compute=none,pattern={pattern}"), sides);
    let unit = if column == WAIT { "wait" } else { "turnaround" };
    let mut items = curves.points(&ALLOCATORS, column, (unit, 1.0));
    let high = curves.loads.get(7..).unwrap_or_default();
    items.extend(curves.lie("qna is below the others", (Clearly, &QNA_AND), column, &curves.loads));
    items.extend(curves.lie("qna is below the others", (Clearly, &QNA_AND), column, high));
    let mut comparisons = Comparisons::default();
    for load in high {
        let first = curves.value(load, "first-fit", column);
        for allocator in &ALLOCATORS[..3] {
            let twice = curves.value(load, allocator, column).map(|value| 2.0 * value);
            comparisons.below((&format!("twice {allocator} at {}", load.rate), twice), ("first-fit", first));
        }
    }
    items.extend(comparisons.item(
        &curves.named("first-fit is far above (twice the others)", high),
        "",
        MACHINE,
    ));
    let Some((rate, ratios)) = printed else { return items };
    for (pair, printed) in QNA_AND.into_iter().zip(ratios) {
        let Some(published) = Published::parse(printed) else { continue };
        let ratio = curves.load(rate).and_then(|load| curves.ratio_within(load, pair, column));
        if let Some(ratio) = ratio {
            let name = format!("qna by {} in percent, load {rate}", pair.1);
            items.push(Item::new(&name, "", MACHINE).compared_within(published, percent(ratio), POINTS));
        }
        items.extend(met(&curves.ratios(pair, column), pair.1, (printed, published.value / 100.0), rate));
    }
    items
}

/// The loads at which a printed ratio is met, or how near it comes.
fn met(ratios: &[(f64, f64)], other: &str, (percent, target): (&str, f64), printed_at: f64) -> Vec<Item> {
    let loads = crossings(ratios, target);
    let item = |load: f64| {
        let name = format!("load at which qna by {other} is {percent} percent (printed: {printed_at})");
        Item::new(&name, "", MACHINE).measured(load)
    };
    if !loads.is_empty() {
        return loads.into_iter().map(item).collect();
    }
    let nearest = ratios.iter().min_by(|a, b| (a.1 - target).abs().total_cmp(&(b.1 - target).abs()));
    let never = |&(load, ratio): &(f64, f64)| {
        let verdict = Verdict::Differs(format!("never; {:.1} percent is nearest", 100.0 * ratio));
        Item { verdict, ..item(load) }
    };
    nearest.map(never).into_iter().collect()
}
