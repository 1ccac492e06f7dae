//! The difference between two replays in words: `1.3 % less than mc1x1 (95 % CI 0.8 to 1.9 %)`. The amount is
//! a fact about this log; the interval is for more jobs of the same kind.

use super::candidate::ComparedReplay;
use meshreplay_base::words::counted;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{Difference, Interval95, Metric, Uncertainty, metric};

/// Share of the mean below which a difference counts as 0.
const NO_SHARE: f64 = 0.001;
/// Farthest end of an interval around 0 for replays that are about equal. With a wider interval the
/// difference is not significant, but may exist.
const EQUAL_SHARE: f64 = 0.05;
/// Difference below which replays with an interval around 0 are about equal, however wide the interval.
const SMALL_SHARE: f64 = 0.02;
/// Difference of mean times that counts as 0, in seconds, and as a share of the mean run time, since some
/// models have times far below a second.
const NO_SECONDS: f64 = 1.0;
const NO_SHARE_OF_RUN: f64 = 0.01;
/// Least factor for giving a number as a multiple.
const MULTIPLE: f64 = 5.0;

/// Beginnings of the reasons for a difference without an interval.
pub(super) const NO_INTERVAL: [&str; 2] = ["too short for an interval", "no interval"];

/// The difference of a number between two replays.
pub(super) struct Comparison {
    is_equal: bool,
    /// Whether the replays are about equal in this number.
    pub(super) is_about_equal: bool,
    /// Whether the interval holds 0.
    pub(super) is_uncertain: bool,
    /// The multiple of the base, or the difference without its sign, in `unit`.
    value: f64,
    /// The interval, or the reason for none. Empty for a fact about this log alone.
    interval: Stated,
    /// The unit; empty for a multiple.
    unit: &'static str,
    /// The word behind an amount, such as `less`, `longer`, or [`TIMES_AS_LONG`] for a multiple.
    word: &'static str,
    /// The words for an equal number: `as long as` or `equal to`.
    equal: &'static str,
}

/// The part of a sentence behind the amount.
enum Stated {
    /// Nothing: the amount is a fact about this log.
    Fact,
    /// Ends in the direction and unit of the amount, and the number of runs in words; empty for an interval
    /// over jobs.
    Interval { low: f64, high: f64, runs: String },
    /// The reason for no interval.
    Missing(String),
}

/// The words for an equal time.
const AS_LONG: &str = "as long as";

/// The word behind a multiple.
const TIMES_AS_LONG: &str = "times as long";

impl Comparison {
    /// Compares a number of two replays chosen as a pair, with the interval of the pair by itself. `None` if
    /// one of the replays has no such number.
    pub(super) fn of_pair(of: &ComparedReplay<'_>, base: &ComparedReplay<'_>, name: &str) -> Option<Self> {
        Self::of_best(of, base, name, 1)
    }

    /// Compares the best of some candidates with a base, with the interval corrected for their number.
    pub(super) fn of_best(
        of: &ComparedReplay<'_>,
        base: &ComparedReplay<'_>,
        name: &str,
        candidates: usize,
    ) -> Option<Self> {
        let difference = of.difference(base, name)?;
        Self::new(of, base, metric(name)?, &difference, difference.interval(candidates), true)
    }

    /// Compares a number of two replays on this log, without an interval.
    pub(super) fn fact(of: &ComparedReplay<'_>, base: &ComparedReplay<'_>, name: &str) -> Option<Self> {
        Self::new(of, base, metric(name)?, &of.difference(base, name)?, None, false)
    }

    fn new(
        of: &ComparedReplay<'_>,
        base: &ComparedReplay<'_>,
        metric: &Metric,
        difference: &Difference,
        interval: Option<Interval95>,
        states_certainty: bool,
    ) -> Option<Self> {
        let value = difference.value;
        let is_uncertain = interval.is_some_and(|interval| interval.holds_nothing());
        let is_time = metric.column.unit == "s";
        let is_nothing = is_time && {
            let run_s = base.mean("service_s_mean").unwrap_or(f64::INFINITY);
            let name = metric.name();
            (of.mean(name)? - base.mean(name)?).abs() < NO_SECONDS.min(NO_SHARE_OF_RUN * run_s)
        };
        let farthest = interval.map_or(0.0, |interval| interval.low.abs().max(interval.high.abs()));
        let is_small = farthest <= EQUAL_SHARE || value.abs() < SMALL_SHARE;
        let is_near = value.abs() < NO_SHARE || is_uncertain && is_small;
        let is_multiple = is_time && difference.is_relative && 1.0 + value >= MULTIPLE;
        let sign = value.signum();
        // Maps differences to amounts of the sentence.
        let amount = |difference_to: f64| match (difference.is_relative, is_multiple) {
            (true, true) => 1.0 + difference_to,
            (true, false) => 100.0 * sign * difference_to,
            (false, _) => sign * difference_to,
        };
        let unit = match (difference.is_relative, is_multiple) {
            (true, true) => "",
            (true, false) => "%",
            (false, _) => metric.column.unit,
        };
        let word = match (is_time, value > 0.0) {
            _ if is_multiple => TIMES_AS_LONG,
            (true, true) => "longer",
            (true, false) => "shorter",
            (false, true) => "more",
            (false, false) => "less",
        };
        let interval = match interval.map(|interval| [amount(interval.low), amount(interval.high)]) {
            _ if !states_certainty => Stated::Fact,
            Some([a, b]) => {
                let is_shaken = of.is_shaken() || base.is_shaken();
                Stated::Interval { low: a.min(b), high: a.max(b), runs: runs(difference, is_shaken) }
            }
            None => Stated::Missing(reason(&difference.uncertainty)),
        };
        Some(Self {
            is_equal: difference.is_equal,
            is_about_equal: difference.is_equal || is_nothing || difference.is_relative && is_near,
            is_uncertain,
            value: amount(value),
            interval,
            unit,
            word,
            equal: if is_time { AS_LONG } else { "equal to" },
        })
    }

    /// Returns whether the number is given as a multiple of the base.
    fn is_multiple(&self) -> bool {
        self.word == TIMES_AS_LONG
    }

    /// Returns the number of decimals of the amount and of the interval.
    fn decimals(&self) -> usize {
        match self.interval {
            _ if self.is_multiple() => 1,
            Stated::Interval { low, high, .. } => digits((high - low) / 2.0),
            _ => digits(self.value),
        }
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
    /// Empty for a fact.
    fn interval(&self) -> String {
        match &self.interval {
            Stated::Fact => String::new(),
            Stated::Missing(reason) => reason.clone(),
            Stated::Interval { low, high, runs } => {
                let decimals = self.decimals();
                // `grouped` drops the sign of -0.0, which shows here that the interval holds 0.
                let end = |end: f64| {
                    if end.abs() < 1.0 { format!("{end:.decimals$}") } else { grouped(end, decimals) }
                };
                format!("95 % CI {} to {}{}{runs}", end(*low), end(*high), self.unit())
            }
        }
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
        match (self.is_about_equal, interval.is_empty()) {
            (true, true) => format!("about {equal} ({amount})"),
            (true, false) => format!("about {equal} ({amount}, {interval})"),
            (false, true) => format!("{amount} {than}"),
            (false, false) => {
                let doubt = if self.is_uncertain { ": not significant" } else { "" };
                format!("{amount} {than} ({interval}{doubt})")
            }
        }
    }
}

/// The words behind the number of runs in an interval over shaken runs.
pub(super) const OF_SHAKEN: &str = " shaken runs of this log";

/// Returns the number of runs behind an interval in words; empty for an interval over jobs.
fn runs(difference: &Difference, is_shaken: bool) -> String {
    match difference.uncertainty {
        Uncertainty::Seeds { count, .. } if is_shaken => format!(", {count}{OF_SHAKEN}"),
        Uncertainty::Seeds { count, .. } => format!(", {count} seeds"),
        _ => String::new(),
    }
}

/// Returns the reason for a missing interval.
fn reason(uncertainty: &Uncertainty) -> String {
    let [too_short, no_interval] = NO_INTERVAL;
    match uncertainty {
        Uncertainty::TooShort { jobs } => {
            format!("{too_short}: {}", counted(grouped(*jobs as f64, 0), "job"))
        }
        Uncertainty::InOnePart => format!("{no_interval}: nearly all of it is in one fifth of the log"),
        Uncertainty::OtherJobs => format!("{no_interval}: over other jobs"),
        _ => format!("{no_interval}: jobs were not kept"),
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
        format!("{amount}{}{word} ({name})", end.unit())
    };
    let than = if high.1.is_about_equal || high.1.is_multiple() { "as" } else { "than" };
    let word = if is_one_word { format!(" {}", high.1.word) } else { String::new() };
    format!("{} to {}{word} {than} {base}", end(low), end(high))
}

/// Returns the number of decimals, 1 to 3, with which the first digit of `value` is shown.
fn digits(value: f64) -> usize {
    if value > 0.0 { (-value.log10().floor()).clamp(1.0, 3.0) as usize } else { 1 }
}
