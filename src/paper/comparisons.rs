//! Facts that are inequalities.

use super::item::{Item, Verdict};
use crate::metrics::Interval;

/// How two means over common workloads lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Relation {
    /// The first is smaller.
    Below,
    /// The first is not larger, with a confidence of 95 %.
    AtMost,
    /// The first is smaller, with a confidence of 95 %.
    Clearly,
}

/// Comparisons of one fact, in words with their numbers; those of which a side was not measured do not count.
#[derive(Default)]
pub(super) struct Comparisons(Vec<(String, bool)>);

impl Comparisons {
    /// That `a` is below `b`.
    pub(super) fn below(&mut self, (a, x): (&str, Option<f64>), (b, y): (&str, Option<f64>)) {
        self.holds((a, x), (b, y), "below", |x, y| x < y);
    }

    /// That `a` is at most `b`.
    pub(super) fn at_most(&mut self, (a, x): (&str, Option<f64>), (b, y): (&str, Option<f64>)) {
        self.holds((a, x), (b, y), "at most", |x, y| x <= y);
    }

    /// That two means lie so; `above` is by how much the first one is above the second.
    pub(super) fn lie(
        &mut self,
        relation: Relation,
        (low, high): (&str, &str),
        (a, b, above): (f64, f64, Interval),
    ) {
        match relation {
            Relation::Below => self.below((low, Some(a)), (high, Some(b))),
            // What is less than chance is no difference.
            Relation::AtMost if above.mean <= above.half_width => {
                self.at_most((low, Some(a.min(b))), (high, Some(b)));
            }
            Relation::AtMost => self.at_most((low, Some(a)), (high, Some(b))),
            Relation::Clearly => {
                let (distance, chance) = (rounded(-above.mean), rounded(above.half_width));
                let holds = above.count > 1 && above.mean + above.half_width < 0.0;
                let not = if holds { "" } else { "not clearly " };
                self.0.push((
                    format!("{low} ({}) is {not}below {high}: by {distance} ±{chance}", rounded(a)),
                    holds,
                ));
            }
        }
    }

    pub(super) fn holds(
        &mut self,
        (a, x): (&str, Option<f64>),
        (b, y): (&str, Option<f64>),
        words: &str,
        relation: fn(f64, f64) -> bool,
    ) {
        if let (Some(x), Some(y)) = (x, y) {
            let holds = relation(x, y);
            let not = if holds { "" } else { "not " };
            self.0.push((format!("{a} ({}) is {not}{words} {b} ({})", rounded(x), rounded(y)), holds));
        }
    }

    /// The item of the fact, unless nothing was compared.
    pub(super) fn item(self, fact: &str, log: &str, machine: &str) -> Option<Item> {
        (!self.0.is_empty()).then(|| Item::new(fact, log, machine).ordered(&self.0))
    }

    /// The item of a fact that is said of nearly all cases, which is taken for all but one.
    pub(super) fn nearly(self, fact: &str, log: &str, machine: &str) -> Option<Item> {
        let exceptions = self.0.iter().filter(|(_, holds)| !holds).count();
        let mut item = self.item(fact, log, machine)?;
        if exceptions <= 1 {
            item.verdict = Verdict::OrderingHolds;
        }
        Some(item)
    }
}

/// Four digits, more where there are more before the point.
fn rounded(value: f64) -> String {
    let digits = if value.abs() > 0.0 { (3.0 - value.abs().log10().floor()).clamp(0.0, 6.0) } else { 0.0 };
    format!("{value:.0$}", digits as usize)
}
