//! Statements of a paper that are inequalities, and the comparisons of numbers that decide them.

use std::cmp::Ordering;

use super::estimate::{Estimate, Means, Median, Samples};
use super::finding::{Finding, Published, Verdict};

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

/// The points of a curve as (x, y), sorted by x.
#[derive(Clone, Debug)]
pub(crate) struct Curve(Vec<(f64, f64)>);

impl Curve {
    /// Returns the curve of these points; `None` if there are none.
    pub(crate) fn from_points(mut points: Vec<(f64, f64)>) -> Option<Self> {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        (!points.is_empty()).then_some(Self(points))
    }

    /// Returns the number of steps down that are deeper than `share`.
    pub(crate) fn steps_deeper(&self, share: f64) -> f64 {
        self.steps_down().filter(|step| *step > share).count() as f64
    }

    /// Returns the depth of the deepest step down, as a share; 0 if there is none.
    pub(crate) fn deepest_step(&self) -> f64 {
        self.steps_down().fold(0.0, f64::max)
    }

    /// Returns the distance in x between the last two points; `None` for a single point.
    pub(crate) fn last_step(&self) -> Option<f64> {
        self.steps().last().copied()
    }

    /// Returns the smallest of the other distances in x; `None` if there are fewer than three points.
    pub(crate) fn least_other_step(&self) -> Option<f64> {
        self.steps().split_last()?.1.iter().copied().min_by(f64::total_cmp)
    }

    /// Returns the rise from the first to the last point, as a share of the first.
    pub(crate) fn rise(&self) -> Option<f64> {
        Some(self.0.last()?.1 / self.0.first()?.1 - 1.0)
    }

    /// Returns the distances in x between neighbouring points.
    fn steps(&self) -> Vec<f64> {
        self.0.windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
    }

    /// Returns the depths of the steps down from one point to the next, as shares of the first. Steps up are
    /// left out.
    fn steps_down(&self) -> impl Iterator<Item = f64> + '_ {
        let step = |pair: &[(f64, f64)]| 1.0 - pair[1].1 / pair[0].1;
        self.0.windows(2).map(step).filter(|step| *step > 0.0)
    }

    /// Returns the largest distance of a point below any point of smaller x, as a share.
    pub(crate) fn largest_fall(&self) -> f64 {
        let (mut highest, mut largest): (f64, f64) = (0.0, 0.0);
        for (_, y) in &self.0 {
            highest = highest.max(*y);
            largest = largest.max(1.0 - y / highest);
        }
        largest
    }

    /// Returns Kendall's rank correlation of x and y, with the largest deviation that chance explains with a
    /// confidence of 95 % (normal approximation); `None` for a single point.
    pub(crate) fn tau(&self) -> Option<Median> {
        let count = self.0.len();
        let pairs = (count * count.saturating_sub(1) / 2) as f64;
        let sign = |i: usize, j: usize| -> f64 {
            match self.0[j].1.total_cmp(&self.0[i].1) {
                Ordering::Less => -1.0,
                Ordering::Equal => 0.0,
                Ordering::Greater => 1.0,
            }
        };
        let score: f64 = (0..count).flat_map(|j| (0..j).map(move |i| (i, j))).map(|(i, j)| sign(i, j)).sum();
        // The variance of Kendall's score without ties is n(n − 1)(2n + 5) / 18. The quantile 1.96 is that of
        // the normal distribution, and the 1 is the continuity correction.
        let deviation = (pairs * (2 * count + 5) as f64 / 9.0).sqrt();
        let (tau, least) = (score / pairs, (1.96 * deviation + 1.0) / pairs);
        (pairs > 0.0).then_some(Median { low: tau - least, middle: tau, high: tau + least })
    }
}

/// Returns each x where the curve crosses `target`, by linear interpolation between neighbouring points.
pub(crate) fn crossings(points: &[(f64, f64)], target: f64) -> Vec<f64> {
    let crosses = |step: &[(f64, f64)]| {
        let ((from, a), (to, b)) = (step[0], step[1]);
        ((a > target) != (b > target)).then(|| from + (a - target) / (a - b) * (to - from))
    };
    points.windows(2).filter_map(crosses).collect()
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

    fn curve(ys: &[f64]) -> Curve {
        Curve(ys.iter().enumerate().map(|(i, y)| (i as f64, *y)).collect())
    }

    #[test]
    fn falls_are_steps_down_and_the_largest_is_below_any_point_before() {
        let curve_with_falls = curve(&[100.0, 120.0, 114.0, 115.0, 108.0]);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let steps: Vec<f64> = curve_with_falls.steps_down().collect();
        assert!(steps.len() == 2 && near(steps[0], 0.05) && near(steps[1], 7.0 / 115.0), "{steps:?}");
        assert!(near(curve_with_falls.largest_fall(), 0.1) && near(curve(&[1.0, 2.0]).largest_fall(), 0.0));
        assert!(near(curve_with_falls.steps_deeper(0.055), 1.0));
    }

    #[test]
    fn a_trend_is_kendalls_rank_correlation() {
        let trend = |ys: &[f64]| {
            let Median { low, middle, .. } = curve(ys).tau()?;
            Some((middle, middle - low))
        };
        let rising: Vec<f64> = (0..14).map(f64::from).collect();
        let (tau, least) = trend(&rising).unwrap_or_default();
        // For 14 points a score of 37 out of 91 pairs is significant, as printed tables of Kendall's test
        // say.
        assert!((tau - 1.0).abs() < 1e-12 && (35.0..37.0).contains(&(least * 91.0)), "{tau} {least}");
        let (tau, least) = trend(&[1.0, 3.0, 2.0, 3.0]).unwrap_or_default();
        assert!((tau - 3.0 / 6.0).abs() < 1e-12 && tau < least, "{tau} {least}");
        assert_eq!(trend(&[1.0]), None);
    }

    #[test]
    fn a_ratio_is_met_as_often_as_it_crosses_the_target() {
        let near = |loads: Vec<f64>, expected: &[f64]| {
            loads.len() == expected.len() && loads.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        let ratios = [(1.0, 0.8), (2.0, 0.4), (3.0, 0.4), (5.0, 0.6)];
        assert!(near(crossings(&ratios, 0.5), &[1.75, 4.0]));
        assert!(near(crossings(&ratios, 0.3), &[]) && near(crossings(&ratios, 0.4), &[2.0, 3.0]));
    }
}
