//! The difference between two replays in words, with its interval: `1.3 % less than mc1x1 (95 % CI 0.8 to 1.9
//! %)`.

use super::candidate::Candidate;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::metric;

/// Share of the mean below which a difference counts as 0.
const NO_SHARE: f64 = 0.001;
/// Farthest end of an interval around 0 for replays that are about equal. With a wider interval the
/// difference is not significant, but may exist.
const EQUAL_SHARE: f64 = 0.05;
/// Difference of mean times that counts as 0, in seconds, and as a share of the mean run time, since some
/// models have times far below a second.
const NO_SECONDS: f64 = 1.0;
const NO_SHARE_OF_RUN: f64 = 0.01;
/// Least factor for giving a number as a multiple.
const MULTIPLE: f64 = 5.0;

/// Reasons for a difference without an interval: too few jobs, or jobs were not kept.
pub(super) const NO_INTERVAL: [&str; 2] = ["too few jobs for an interval", "no interval: jobs were not kept"];

/// The difference of a number between two replays.
pub(super) struct Comparison {
    is_equal: bool,
    /// Whether the replays are about equal in this number.
    pub(super) is_about_equal: bool,
    /// Whether the interval holds 0.
    pub(super) is_uncertain: bool,
    /// The multiple of the base, or the difference without its sign, in `unit`.
    value: f64,
    /// Half the width of the interval in `unit`, corrected for the number of pairs.
    half_width: Option<f64>,
    /// The unit; empty for a multiple.
    unit: &'static str,
    /// The word behind an amount, such as `less`, `longer`, or [`TIMES_AS_LONG`] for a multiple.
    word: &'static str,
    /// The words for an equal number: `as long as` or `equal to`.
    equal: &'static str,
    /// The number of seeds behind the interval, in words; empty for an interval over jobs.
    seeds: String,
    /// The reason for a missing interval.
    no_interval: &'static str,
}

/// The words for an equal time.
const AS_LONG: &str = "as long as";

/// The word behind a multiple.
const TIMES_AS_LONG: &str = "times as long";

impl Comparison {
    /// Compares a number of two replays. `pairs` is the number of pairs to correct the interval for; 1 for a
    /// planned pair. `None` if one of the replays has no such number.
    pub(super) fn new(of: &Candidate<'_>, base: &Candidate<'_>, name: &str, pairs: usize) -> Option<Self> {
        let metric = metric(name)?;
        let difference = of.difference(base, name)?;
        let size = difference.value.abs();
        let half_width = difference.half_width_among(pairs);
        let is_uncertain = half_width.is_some_and(|half_width| size <= half_width);
        let is_time = metric.column.unit == "s";
        let is_nothing = is_time && {
            let run_s = base.mean("service_s_mean").unwrap_or(f64::INFINITY);
            (of.mean(name)? - base.mean(name)?).abs() < NO_SECONDS.min(NO_SHARE_OF_RUN * run_s)
        };
        let farthest = size + half_width.unwrap_or_default();
        let is_near = size < NO_SHARE || is_uncertain && farthest <= EQUAL_SHARE;
        let multiple = 1.0 + difference.value;
        let is_multiple = is_time && difference.is_relative && multiple >= MULTIPLE;
        let (value, factor, unit) = match difference.is_relative {
            true if is_multiple => (multiple, 1.0, ""),
            true => (size * 100.0, 100.0, "%"),
            false => (size, 1.0, metric.column.unit),
        };
        let word = match (is_time, difference.value > 0.0) {
            _ if is_multiple => TIMES_AS_LONG,
            (true, true) => "longer",
            (true, false) => "shorter",
            (false, true) => "more",
            (false, false) => "less",
        };
        let [too_few, not_kept] = NO_INTERVAL;
        let seeds = difference.freedom.map(|freedom| format!(", {} seeds", freedom + 1));
        Some(Self {
            is_equal: difference.is_equal,
            is_about_equal: difference.is_equal || is_nothing || difference.is_relative && is_near,
            is_uncertain,
            value,
            half_width: half_width.map(|half_width| half_width * factor),
            unit,
            word,
            equal: if is_time { AS_LONG } else { "equal to" },
            seeds: seeds.unwrap_or_default(),
            no_interval: if of.has_jobs() && base.has_jobs() { too_few } else { not_kept },
        })
    }

    /// Returns whether the number is given as a multiple of the base.
    fn is_multiple(&self) -> bool {
        self.word == TIMES_AS_LONG
    }

    /// Returns the number of decimals of the amount and of the interval.
    fn decimals(&self) -> usize {
        if self.is_multiple() { 1 } else { digits(self.half_width.unwrap_or(self.value)) }
    }

    /// Returns the unit behind a blank; empty for a multiple.
    fn unit(&self) -> String {
        if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) }
    }

    /// Returns the amount with its unit and the word: `1.3 % less`, `8.7 times as long`.
    pub(super) fn amount(&self) -> String {
        format!("{}{} {}", grouped(self.value, self.decimals()), self.unit(), self.word)
    }

    /// Returns the interval in the direction of the amount, or why there is none: `95 % CI -1.1 to 2.0 %`.
    fn interval(&self) -> String {
        let Some(half_width) = self.half_width else { return self.no_interval.to_owned() };
        let (low, high, decimals) = (self.value - half_width, self.value + half_width, self.decimals());
        // `grouped` drops the sign of -0.0, which shows here that the interval holds 0.
        format!("95 % CI {low:.decimals$} to {high:.decimals$}{}{}", self.unit(), self.seeds)
    }

    /// Returns the difference to `base`: `1.3 % less than mc1x1 (95 % CI 0.8 to 1.9 %)`.
    pub(super) fn than(&self, base: &str) -> String {
        let than = if self.is_multiple() { "as" } else { "than" };
        self.sentence(&format!("{} {base}", self.equal), &format!("{than} {base}"))
    }

    /// Returns the difference to `base` without its interval: `1.3 % less than under mc1x1`.
    pub(super) fn plainly(&self, base: &str) -> String {
        let alike = if self.equal == AS_LONG { AS_LONG } else { "as much as" };
        let than = if self.is_multiple() { "as" } else { "than" };
        match (self.is_equal, self.is_about_equal) {
            (true, _) => format!("{alike} {base}"),
            (_, true) => format!("about {alike} {base}"),
            _ if self.is_uncertain => format!("{} {than} {base} (not significant)", self.amount()),
            _ => format!("{} {than} {base}", self.amount()),
        }
    }

    /// Returns the difference without its sign and its interval, as a number to sort by.
    pub(super) fn size(&self) -> f64 {
        self.value
    }

    /// Returns the difference of a time under `of` to the time named before: `12.3 % longer under fcfs (95 %
    /// CI …)`.
    pub(super) fn under(&self, of: &str) -> String {
        self.sentence(&format!("as long under {of}"), &format!("under {of}"))
    }

    /// Returns the difference with its interval. `equal` names equal numbers, and `than` the base of an
    /// amount.
    fn sentence(&self, equal: &str, than: &str) -> String {
        if self.is_equal {
            return equal.to_owned();
        }
        let (amount, interval) = (self.amount(), self.interval());
        if self.is_about_equal {
            return format!("about {equal} ({amount}, {interval})");
        }
        format!("{amount} {than} ({interval}{})", if self.is_uncertain { ": not significant" } else { "" })
    }
}

/// Returns a line without its intervals. Differences that are not significant are still called so.
pub(super) fn without_intervals(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once("95 % CI ") {
        let (interval, behind) = after.split_once(')').unwrap_or((after, ""));
        let is_uncertain = interval.ends_with("not significant");
        let (kept, end) = match before.strip_suffix(" (") {
            Some(kept) if is_uncertain => (kept, " (not significant)"),
            Some(kept) => (kept, ""),
            None => (before.trim_end_matches(", "), ")"),
        };
        text += kept;
        text += end;
        rest = behind;
    }
    text + rest
}

/// Returns the range between two differences to the same base, with the names at its ends: `16 % (busy-list)
/// to 283 % (worst-fit) longer than under naive`.
pub(super) fn range([low, high]: [(&str, &Comparison); 2], base: &str) -> String {
    let is_one_word = low.1.word == high.1.word && !low.1.is_about_equal && !high.1.is_about_equal;
    let end = |(name, end): (&str, &Comparison)| {
        if end.is_about_equal {
            return format!("about as long ({name})");
        }
        let percent = if end.unit == "%" { end.value } else { 100.0 * end.value };
        let amount = grouped(end.value, usize::from(percent < 10.0 || end.is_multiple()));
        let word = if is_one_word { String::new() } else { format!(" {}", end.word) };
        let uncertain = if end.is_uncertain { ", not significant" } else { "" };
        format!("{amount}{}{word} ({name}{uncertain})", end.unit())
    };
    let than = if high.1.is_about_equal || high.1.is_multiple() { "as" } else { "than" };
    let word = if is_one_word { format!(" {}", high.1.word) } else { String::new() };
    format!("{} to {}{word} {than} {base}", end(low), end(high))
}

/// Returns the number of decimals, 1 to 3, with which the first digit of `value` is shown.
fn digits(value: f64) -> usize {
    if value > 0.0 { (-value.log10().floor()).clamp(1.0, 3.0) as usize } else { 1 }
}
