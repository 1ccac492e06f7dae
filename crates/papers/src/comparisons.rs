//! Statements of a paper that are inequalities, and the comparisons of numbers that decide them.

use super::finding::{Finding, Published, Verdict};
use meshreplay_sim::metrics::Interval;

/// Of at least so many comparisons one may fail if a statement is about nearly all cases. Our choice: no paper says what nearly is.
const MANY: usize = 5;

/// The comparisons that one statement makes, each in words with its numbers. A comparison is left out if one of its two
/// numbers was not measured.
#[derive(Default)]
pub(super) struct Comparisons {
    /// The comparisons that were decided, in words, each with whether it holds.
    decided: Vec<(String, bool)>,
    /// The comparisons with a difference that may be chance, in words.
    undecided: Vec<String>,
}

impl Comparisons {
    /// Adds the comparison that `a` is less than `b`.
    pub(super) fn below(&mut self, (a, x): (&str, Option<f64>), (b, y): (&str, Option<f64>)) {
        self.holds((a, x), (b, y), "below", |x, y| x < y);
    }

    /// Adds the comparison that `a` is at most `b`.
    pub(super) fn at_most(&mut self, (a, x): (&str, Option<f64>), (b, y): (&str, Option<f64>)) {
        self.holds((a, x), (b, y), "at most", |x, y| x <= y);
    }

    /// Adds the comparison of two means over common workloads. If `clearly`, it holds if the first mean is smaller, and
    /// is undecided if the difference may be chance. Otherwise it holds unless the first mean is larger with a
    /// confidence of 95 %. `above` is the difference of the first mean from the second.
    pub(super) fn lie(
        &mut self,
        clearly: bool,
        (low, high): (&str, &str),
        (a, b, above): (f64, f64, Interval),
    ) {
        if clearly {
            let (least, most) = (-above.mean - above.half_width, -above.mean + above.half_width);
            let words = format!("{low} ({}) below {high} ({})", rounded(a), rounded(b));
            self.between(&words, (least, -above.mean, most), 0.0);
        } else {
            // A difference that may be chance counts as none.
            let a = if above.mean <= above.half_width { a.min(b) } else { a };
            self.at_most((low, Some(a)), (high, Some(b)));
        }
    }

    /// Adds the comparison that two numbers are in the relation that `words` name.
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
            self.decided.push((format!("{a} ({}) is {not}{words} {b} ({})", rounded(x), rounded(y)), holds));
        }
    }

    /// Adds the comparison that a number is more than `least`. The number is given as lower end, most likely value and
    /// upper end of its interval.
    pub(super) fn between(&mut self, words: &str, (low, middle, high): (f64, f64, f64), least: f64) {
        let said = format!("{words}: {} ({} to {})", rounded(middle), rounded(low), rounded(high));
        if low > least {
            self.decided.push((said, true));
        } else if high < least {
            self.decided.push((said, false));
        } else {
            self.undecided.push(said);
        }
    }

    /// Returns the finding of the statement; `None` if nothing was compared.
    pub(super) fn finding(self, named: Finding) -> Option<Finding> {
        if self.decided.is_empty() && self.undecided.is_empty() {
            return None;
        }
        let mut finding = named.ordered(&self.decided);
        let all = self.decided.len() + self.undecided.len();
        finding.published = Some(Published { value: all as f64, decimals: 0 });
        let doubts = self.undecided.join("; ");
        finding.verdict = match finding.verdict {
            verdict if doubts.is_empty() => verdict,
            Verdict::Differs(failed) => Verdict::Differs(format!("{failed}; not decided: {doubts}")),
            _ => Verdict::NotDecided(doubts),
        };
        Some(finding)
    }

    /// Returns the finding of a statement about nearly all cases. Of at least [`MANY`] comparisons one may fail; the finding
    /// then names that comparison. `None` if nothing was compared.
    pub(super) fn nearly(self, named: Finding) -> Option<Finding> {
        let may_fail = self.undecided.is_empty() && self.decided.len() >= MANY;
        let mut exceptions = self.decided.iter().filter(|(_, holds)| !holds).map(|(words, _)| words.clone());
        let (first, more) = (exceptions.next(), exceptions.next().is_some());
        let mut finding = self.finding(named)?;
        if let (Some(exception), true, false) = (first, may_fail, more) {
            finding.verdict = Verdict::HoldsBut(exception);
        }
        Some(finding)
    }
}

/// Returns a number as text with four digits, more if it has more before the decimal point. Whole numbers have no
/// decimal point.
pub(super) fn rounded(value: f64) -> String {
    // A zero has no sign.
    let value = value + 0.0;
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let digits = if value.abs() > 0.0 { (3.0 - value.abs().log10().floor()).clamp(0.0, 6.0) } else { 0.0 };
    format!("{value:.0$}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named() -> Finding {
        Finding::new("fact", "", "")
    }

    fn verdict(finding: Option<Finding>) -> String {
        finding.map_or_else(String::new, |finding| finding.verdict.to_string())
    }

    #[test]
    fn a_fact_of_nearly_all_cases_names_the_one_that_is_otherwise() {
        let compare = |pairs: &[(f64, f64)]| {
            let mut comparisons = Comparisons::default();
            for (a, b) in pairs {
                comparisons.below(("a", Some(*a)), ("b", Some(*b)));
            }
            comparisons
        };
        for (pairs, expected) in [
            (&[(1.0, 2.0), (1.0, 3.0)][..], "ordering holds"),
            (
                &[(1.0, 2.0), (1.0, 0.5), (1.0, 2.0), (1.0, 2.0), (1.0, 2.0)],
                "ordering holds but for this: a (1) is not below b (0.5000)",
            ),
            // One of few cases is too much to be forgiven.
            (&[(1.0, 2.0), (1.0, 0.5), (1.0, 2.0), (1.0, 2.0)], "differs: a (1) is not below b (0.5000)"),
            (&[(1.0, 0.5)], "differs: a (1) is not below b (0.5000)"),
            (&[(3.0, 2.0), (1.0, 0.5)], "differs: a (3) is not below b (2); a (1) is not below b (0.5000)"),
        ] {
            assert_eq!(verdict(compare(pairs).nearly(named())), expected);
        }
        assert_eq!(compare(&[]).nearly(named()), None);
    }

    #[test]
    fn what_is_less_than_chance_is_not_decided() {
        let interval = |mean, half_width| Interval { count: 3, mean, half_width };
        let compare = |intervals: &[Interval]| {
            let mut comparisons = Comparisons::default();
            for above in intervals {
                let Interval { mean, half_width, .. } = above;
                comparisons.between("b over a", (mean - half_width, *mean, mean + half_width), 0.0);
            }
            comparisons.finding(named())
        };
        let (sure, unsure, wrong) = (interval(2.0, 1.0), interval(2.0, 3.0), interval(-2.0, 1.0));
        assert_eq!(verdict(compare(&[sure])), "ordering holds");
        assert_eq!(verdict(compare(&[sure, unsure])), "not decided: b over a: 2 (-1 to 5)");
        let both = compare(&[wrong, unsure, sure]);
        let counts =
            both.as_ref().map(|item| (item.measured, item.published.map(|published| published.value)));
        assert_eq!(counts, Some((Some(1.0), Some(3.0))));
        assert_eq!(verdict(both), "differs: b over a: -2 (-3 to -1); not decided: b over a: 2 (-1 to 5)");
    }
}
