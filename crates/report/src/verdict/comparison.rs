//! The difference between two replays in words, with its interval: `1.3 % less than mc1x1 (95 % CI 0.8 to 1.9
//! %)`.

use super::candidate::Candidate;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{Difference, Metric, metric};

/// The share of the mean below which a difference is none.
const NO_SHARE: f64 = 0.001;
/// The farthest end of an interval that holds 0 up to which replays are about equal. Behind it the difference
/// is not significant, and may be there.
const EQUAL_SHARE: f64 = 0.05;
/// The difference of mean times that is none, in seconds, and as a share of the mean run time: some models
/// count in units far below a second.
const NO_SECONDS: f64 = 1.0;
const NO_SHARE_OF_RUN: f64 = 0.01;
/// The factor from which on a number is given as a multiple.
const MULTIPLE: f64 = 5.0;

/// Why a difference has no interval: the jobs are too few, or they were not kept.
pub(super) const NO_INTERVAL: [&str; 2] = ["too few jobs for an interval", "no interval: jobs were not kept"];

/// How a number of one replay differs from that of another.
pub(super) struct Comparison {
    metric: &'static Metric,
    /// The number by that of the base.
    difference: Difference,
    /// Half the width of the interval, corrected for the pairs among which this one was chosen.
    half_width: Option<f64>,
    /// Whether the replays are about equal in this number.
    pub(super) is_about_equal: bool,
    /// Whether the interval holds 0.
    pub(super) is_uncertain: bool,
    /// Whether the jobs of both replays were kept.
    has_jobs: bool,
}

impl Comparison {
    /// Compares a number of `of` with that of `base`. `pairs` is the number of pairs among which this one was
    /// chosen; 1 for a planned pair. `None` if one of the replays has no such number.
    pub(super) fn new(of: &Candidate<'_>, base: &Candidate<'_>, name: &str, pairs: usize) -> Option<Self> {
        let metric = metric(name)?;
        let difference = of.difference(base, name)?;
        let half_width = difference.half_width_among(pairs);
        let is_uncertain = half_width.is_some_and(|half_width| difference.value.abs() <= half_width);
        let farthest = difference.value.abs() + half_width.unwrap_or_default();
        let is_nothing = if is_time(metric) {
            let run_s = base.mean("service_s_mean").unwrap_or(f64::INFINITY);
            let seconds = (of.mean(name)? - base.mean(name)?).abs();
            seconds < NO_SECONDS.min(NO_SHARE_OF_RUN * run_s)
        } else {
            false
        };
        let is_about_equal = difference.is_equal
            || is_nothing
            || difference.is_relative
                && (difference.value.abs() < NO_SHARE || is_uncertain && farthest <= EQUAL_SHARE);
        let has_jobs = of.has_jobs() && base.has_jobs();
        Some(Self { metric, difference, half_width, is_about_equal, is_uncertain, has_jobs })
    }

    /// Returns whether the number is larger than that of the base.
    fn is_more(&self) -> bool {
        self.difference.value > 0.0
    }

    /// Returns the factor to the base if the number is given as one.
    fn multiple(&self) -> Option<f64> {
        let factor = 1.0 + self.difference.value;
        (is_time(self.metric) && self.difference.is_relative && factor >= MULTIPLE).then_some(factor)
    }

    /// Returns the word behind an amount: `less`, `longer`, or `times as long`.
    fn word(&self) -> &'static str {
        match (is_time(self.metric), self.is_more()) {
            (true, _) if self.multiple().is_some() => "times as long",
            (true, true) => "longer",
            (true, false) => "shorter",
            (false, true) => "more",
            (false, false) => "less",
        }
    }

    /// Returns the amount with its unit and the word: `1.3 % less`, `8.7 times as long`. Without `decimals`
    /// it has those of the interval.
    fn amount(&self, decimals: Option<usize>) -> String {
        let (number, unit) = self.number(decimals);
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        format!("{number}{unit} {}", self.word())
    }

    /// Returns the number and the unit of the amount.
    fn number(&self, decimals: Option<usize>) -> (String, &'static str) {
        let (factor, unit) = self.scale();
        let value = self.multiple().unwrap_or(self.difference.value.abs() * factor);
        (grouped(value, decimals.unwrap_or_else(|| self.decimals(value))), unit)
    }

    fn decimals(&self, value: f64) -> usize {
        if self.multiple().is_some() {
            return 1;
        }
        digits(self.half_width.map_or(value, |half_width| half_width * self.scale().0))
    }

    /// Returns the factor from the difference to its unit, and the unit.
    fn scale(&self) -> (f64, &'static str) {
        match (self.multiple().is_some(), self.difference.is_relative) {
            (true, _) => (1.0, ""),
            (_, true) => (100.0, "%"),
            (_, false) => (1.0, self.metric.column.unit),
        }
    }

    /// Returns the interval in the direction of the amount, or why there is none: `95 % CI -1.1 to 2.0 %`.
    fn interval(&self) -> String {
        let Some(half_width) = self.half_width else {
            let [too_few, not_kept] = NO_INTERVAL;
            let why = if self.has_jobs { too_few } else { not_kept };
            return why.to_owned();
        };
        let (factor, unit) = self.scale();
        let value = self.multiple().unwrap_or(self.difference.value.abs() * factor);
        let half_width = half_width * factor;
        let decimals = self.decimals(value);
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let seeds = self.difference.freedom.map(|freedom| format!(", {} seeds", freedom + 1));
        // `grouped` drops the sign of -0.0, which shows here that the interval holds 0.
        format!(
            "95 % CI {:.decimals$} to {:.decimals$}{unit}{}",
            value - half_width,
            value + half_width,
            seeds.unwrap_or_default()
        )
    }

    /// Returns the difference to `base`: `1.3 % less than mc1x1 (95 % CI 0.8 to 1.9 %)`.
    pub(super) fn than(&self, base: &str) -> String {
        if self.difference.is_equal {
            let equal = if is_time(self.metric) { "as long as" } else { "equal to" };
            return format!("{equal} {base}");
        }
        if self.is_about_equal {
            let about = if is_time(self.metric) { "about as long as" } else { "about equal to" };
            return format!("{about} {base} ({}, {})", self.amount(None), self.interval());
        }
        let than = if self.multiple().is_some() { "as" } else { "than" };
        format!("{} {than} {base} {}", self.amount(None), self.brackets())
    }

    /// Returns the difference of a time under `of` to one that has just been given: `12.3 % longer under fcfs
    /// (95 % CI …)`.
    pub(super) fn under(&self, of: &str) -> String {
        if self.difference.is_equal {
            return format!("as long under {of}");
        }
        if self.is_about_equal {
            return format!("about as long under {of} ({}, {})", self.amount(None), self.interval());
        }
        format!("{} under {of} {}", self.amount(None), self.brackets())
    }

    fn brackets(&self) -> String {
        format!("({}{})", self.interval(), if self.is_uncertain { ": not significant" } else { "" })
    }
}

/// Returns the range between two differences to the same base, with the names at its ends: `16 % (busy-list)
/// to 283 % (worst-fit) longer than under naive`.
pub(super) fn range([low, high]: [(&str, &Comparison); 2], base: &str) -> String {
    let end = |(name, of): (&str, &Comparison), has_word: bool| {
        if of.is_about_equal {
            return format!("about as long ({name})");
        }
        let value = 100.0 * of.difference.value.abs();
        let amount = match of.number(Some(usize::from(value < 10.0 || of.multiple().is_some()))) {
            (number, "") => number,
            (number, unit) => format!("{number} {unit}"),
        };
        let word = if has_word { format!(" {}", of.word()) } else { String::new() };
        let uncertain = if of.is_uncertain { ", not significant" } else { "" };
        format!("{amount}{word} ({name}{uncertain})")
    };
    let is_one_word = low.1.word() == high.1.word() && !low.1.is_about_equal && !high.1.is_about_equal;
    let than = if high.1.is_about_equal || high.1.multiple().is_some() { "as" } else { "than" };
    let ends = format!("{} to {}", end(low, !is_one_word), end(high, !is_one_word));
    let word = if is_one_word { format!(" {}", high.1.word()) } else { String::new() };
    format!("{ends}{word} {than} {base}")
}

/// Returns whether a number is a time.
fn is_time(metric: &Metric) -> bool {
    metric.column.unit == "s"
}

/// Returns the number of decimals, 1 to 3, with which the first digit of `value` is shown.
fn digits(value: f64) -> usize {
    if value > 0.0 { (-value.log10().floor()).clamp(1.0, 3.0) as usize } else { 1 }
}
