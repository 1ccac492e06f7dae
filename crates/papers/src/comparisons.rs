//! Statements of a paper that are inequalities, and the comparisons of numbers that decide them.

use super::estimate::Estimate;
use super::estimate::Median;
use super::finding::{Finding, Published, Verdict};
use super::samples::{Means, Samples};

/// Least number of comparisons for a statement about nearly all cases that misses one. Our choice, as no
/// paper defines "nearly".
const MANY: usize = 5;

/// The comparisons that one statement makes, each in words with its numbers. A comparison is left out if one
/// of its two numbers was not measured.
#[derive(Default)]
pub(crate) struct Comparisons {
    /// The comparisons that were decided, in words, each with whether it holds.
    decided: Vec<(String, bool)>,
    /// The comparisons with a difference that may be chance, in words.
    undecided: Vec<String>,
}

impl Comparisons {
    /// Adds the comparison that `low`, named `a`, is less than `high`, named `b`.
    pub(crate) fn below(
        &mut self,
        a: impl AsRef<str>,
        low: impl Into<Option<f64>>,
        b: impl AsRef<str>,
        high: impl Into<Option<f64>>,
    ) {
        self.decide("below", |x, y| x < y, a.as_ref(), low.into(), b.as_ref(), high.into());
    }

    /// Adds the comparison that `low` is at most `high`.
    pub(crate) fn at_most(
        &mut self,
        a: impl AsRef<str>,
        low: impl Into<Option<f64>>,
        b: impl AsRef<str>,
        high: impl Into<Option<f64>>,
    ) {
        self.decide("at most", |x, y| x <= y, a.as_ref(), low.into(), b.as_ref(), high.into());
    }

    /// Adds the comparison that a number differs from `other` by less than 2 %.
    pub(crate) fn near(&mut self, a: &str, number: Option<f64>, b: &str, other: f64) {
        self.decide("within 2 % of", |x, y| (x / y - 1.0).abs() < 0.02, a, number, b, Some(other));
    }

    /// Adds the comparison that `low` is smaller than `high` over their common workloads. It is undecided if
    /// the difference may be chance.
    pub(crate) fn clearly_below(
        &mut self,
        a: impl AsRef<str>,
        low: &Samples,
        b: impl AsRef<str>,
        high: &Samples,
    ) {
        let Some(Means { first, second, difference }) = low.means(high) else { return };
        let (a, b) = (a.as_ref(), b.as_ref());
        let ends = Median {
            low: -difference.mean - difference.half_width,
            middle: -difference.mean,
            high: -difference.mean + difference.half_width,
        };
        self.exceeds(&format!("{a} ({}) below {b} ({})", rounded(first), rounded(second)), ends, 0.0);
    }

    /// Adds the comparison that `low` is not above `high` over their common workloads, with a confidence of
    /// 95 %.
    pub(crate) fn not_above(&mut self, a: &str, low: &Samples, b: &str, high: &Samples) {
        if let Some(Means { first, second, difference }) = low.means(high) {
            // A difference that may be chance counts as none.
            let may_be_chance = difference.mean <= difference.half_width;
            self.at_most(a, if may_be_chance { first.min(second) } else { first }, b, second);
        }
    }

    /// Adds the comparison that a number is more than `least`. It is undecided if `least` is in the interval
    /// of the number.
    pub(crate) fn above(&mut self, words: impl AsRef<str>, number: Option<Estimate>, least: f64) {
        if let Some(number) = number {
            self.exceeds(words.as_ref(), number.ends(), least);
        }
    }

    fn decide(
        &mut self,
        words: &str,
        relation: fn(f64, f64) -> bool,
        a: &str,
        x: Option<f64>,
        b: &str,
        y: Option<f64>,
    ) {
        if let (Some(x), Some(y)) = (x, y) {
            let holds = relation(x, y);
            let not = if holds { "" } else { "not " };
            self.decided.push((format!("{a} ({}) is {not}{words} {b} ({})", rounded(x), rounded(y)), holds));
        }
    }

    fn exceeds(&mut self, words: &str, Median { low, middle, high }: Median, least: f64) {
        let numbers = format!("{words}: {} ({} to {})", rounded(middle), rounded(low), rounded(high));
        if low > least {
            self.decided.push((numbers, true));
        } else if high < least {
            self.decided.push((numbers, false));
        } else {
            self.undecided.push(numbers);
        }
    }

    /// Returns the finding of the statement; `None` if nothing was compared.
    pub(super) fn finding(self, named: Finding) -> Option<Finding> {
        let all = self.decided.len() + self.undecided.len();
        let failed = self.failed();
        let doubts = self.undecided.join("; ");
        let verdict = match (failed.is_empty(), doubts.is_empty()) {
            (true, true) => Verdict::OrderingHolds,
            (true, false) => Verdict::NotDecided(doubts),
            (false, true) => Verdict::Differs(failed.join("; ")),
            (false, false) => Verdict::Differs(format!("{}; not decided: {doubts}", failed.join("; "))),
        };
        let published = Some(Published { value: all as f64, decimals: 0 });
        let measured = Some((self.decided.len() - failed.len()) as f64);
        (all > 0).then_some(Finding { published, measured, is_ordering: true, verdict, ..named })
    }

    /// Returns the finding of a statement about nearly all cases. Of at least [`MANY`] comparisons one may
    /// fail; the finding then names that comparison. `None` if nothing was compared.
    pub(super) fn nearly(self, named: Finding) -> Option<Finding> {
        let exception = match &self.failed()[..] {
            [exception] if self.undecided.is_empty() && self.decided.len() >= MANY => {
                Some(Verdict::HoldsBut((*exception).to_owned()))
            }
            _ => None,
        };
        let finding = self.finding(named)?;
        Some(Finding { verdict: exception.unwrap_or(finding.verdict), ..finding })
    }

    /// Returns the comparisons that do not hold, in words.
    fn failed(&self) -> Vec<&str> {
        self.decided.iter().filter(|(_, holds)| !holds).map(|(words, _)| words.as_str()).collect()
    }
}

/// Returns a number as text with four digits, more if it has more before the decimal point. Whole numbers
/// have no decimal point.
pub(crate) fn rounded(value: f64) -> String {
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
    use meshreplay_sim::metrics::Interval;

    fn named() -> Finding {
        Finding { item: "fact".to_owned(), ..Finding::default() }
    }

    fn verdict(finding: Option<Finding>) -> String {
        finding.map_or_else(String::new, |finding| finding.verdict.to_string())
    }

    #[test]
    fn a_fact_of_nearly_all_cases_names_the_one_that_is_otherwise() {
        let compare = |pairs: &[(f64, f64)]| {
            let mut comparisons = Comparisons::default();
            for (a, b) in pairs {
                comparisons.below("a", *a, "b", *b);
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
        let interval = |mean, half_width| Estimate::Mean(Interval { count: 3, mean, half_width });
        let compare = |estimates: &[Estimate]| {
            let mut comparisons = Comparisons::default();
            for estimate in estimates {
                comparisons.above("b over a", Some(*estimate), 0.0);
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

    #[test]
    fn an_ordering_counts_its_comparisons_and_names_those_that_fail() {
        let mut comparisons = Comparisons::default();
        comparisons.below("a", 1.0, "b", 2.0);
        comparisons.below("c", 5.0, "d", 4.0);
        let finding = comparisons.finding(named()).unwrap_or_default();
        assert_eq!((finding.measured, finding.ratio()), (Some(1.0), Some(0.5)));
        assert_eq!(finding.verdict.to_string(), "differs: c (5) is not below d (4)");
    }
}
