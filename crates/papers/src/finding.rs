//! One published number or statement, compared with the measured one, and the verdict.

use std::fmt;

use super::estimate::{Estimate, Median};
use meshreplay_base::words::counted;
use meshreplay_sim::metrics::Interval;

/// A published number, as printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The number.
    pub value: f64,
    /// The number of digits printed after the decimal point.
    pub decimals: usize,
}

impl Published {
    /// Returns the number in a text as papers print it, such as `2,687` or `1.024`; `None` for a dash.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.replace(',', "");
        let value = plain.parse().ok()?;
        Some(Self { value, decimals: plain.split_once('.').map_or(0, |(_, decimals)| decimals.len()) })
    }
}

/// A printed table, with one row per label.
#[derive(Debug)]
pub(crate) struct PrintedTable {
    columns: Vec<&'static str>,
    rows: Vec<(&'static str, Vec<&'static str>)>,
}

impl PrintedTable {
    /// Returns the table in a tab-separated text. The first line that is no comment holds the titles.
    pub(crate) fn parse(text: &'static str) -> Self {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut titles = lines.next().unwrap_or_default().split('\t');
        let row = |line: &'static str| {
            let (label, cells) = line.split_once('\t')?;
            Some((label, cells.split('\t').collect()))
        };
        titles.next();
        Self { columns: titles.collect(), rows: lines.filter_map(row).collect() }
    }

    /// Returns every cell, column by column, as (label of the row, title of the column, printed text).
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> + '_ {
        self.columns.iter().enumerate().flat_map(move |(j, &column)| {
            self.rows.iter().filter_map(move |(label, cells)| Some((*label, column, *cells.get(j)?)))
        })
    }

    /// Returns the number in a cell; `None` if there is no such cell, or if it holds a dash.
    pub(crate) fn cell(&self, label: &str, column: &str) -> Option<Published> {
        let is = |(row, title, _): &(&str, &str, &str)| *row == label && *title == column;
        Published::parse(self.cells().find(is)?.2)
    }
}

/// The largest difference between a measured and a published number that still counts as agreement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// This many percent of the published number.
    Percent(f64),
    /// This much, in the unit of the number.
    Absolute(f64),
    /// This many points, where the numbers are percentages.
    Points(f64),
}

/// The result of comparing a measured value with a published one.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Verdict {
    /// The numbers are equal in every printed digit.
    Exact,
    /// The numbers differ by no more than this.
    Within(Tolerance),
    /// All inequalities of the statement hold.
    OrderingHolds,
    /// The statement is about nearly all cases, and it holds in all but the cases named here.
    HoldsBut(String),
    /// The numbers differ, or the statement does not hold; with the measured numbers.
    Differs(String),
    /// The difference is within chance, so nothing is decided; with the numbers.
    NotDecided(String),
    /// The published value could not be measured on this log; with the reason.
    NotMeasured(String),
    /// The number belongs to a reading that was chosen because it comes near the printed numbers. It judges
    /// nothing. Has the number of parameters that were chosen so, and the reading in words.
    Fitted {
        /// The number of parameters.
        parameters: u32,
        /// The reading; empty if the item or a note has it.
        reading: String,
    },
    /// A note without a verdict: the place in the paper that supports a reading.
    Note(String),
    /// A value was measured, but nothing was published to compare it with.
    #[default]
    None,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Within(Tolerance::Percent(percent)) => write!(f, "within {percent} %"),
            Self::Within(Tolerance::Absolute(distance)) => write!(f, "within {distance}"),
            Self::Within(Tolerance::Points(points)) => write!(f, "within {points} points"),
            Self::OrderingHolds => f.write_str("ordering holds"),
            Self::HoldsBut(exceptions) => write!(f, "ordering holds but for this: {exceptions}"),
            Self::Differs(reason) => write!(f, "differs: {reason}"),
            Self::NotDecided(reason) => write!(f, "not decided: {reason}"),
            Self::NotMeasured(reason) => write!(f, "not measured: {reason}"),
            Self::Fitted { parameters, reading } if reading.is_empty() => {
                write!(f, "fitted, {}", counted(*parameters, "parameter"))
            }
            Self::Fitted { parameters, reading } => {
                write!(f, "fitted, {}: {reading}", counted(*parameters, "parameter"))
            }
            Self::Note(words) => f.write_str(words),
            Self::None => Ok(()),
        }
    }
}

impl Verdict {
    /// Returns true if the verdict is about a published statement, decided or not.
    pub fn judges(&self) -> bool {
        !matches!(self, Self::None | Self::NotMeasured(_) | Self::Fitted { .. } | Self::Note(_))
    }
}

/// The result for one item of a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finding {
    /// The identifier that sentences name; several findings may share it.
    pub id: String,
    /// The item that the finding is about, as tables name it.
    pub item: String,
    /// The file name of the log without extensions; empty if the finding is about several logs.
    pub log: String,
    /// The machine; empty if the finding is about several machines.
    pub machine: String,
    /// The published number; for an inequality, the number of comparisons that it makes. `None` if nothing
    /// was published.
    pub published: Option<Published>,
    /// The measured number; for an inequality, the number of comparisons that hold. `None` if nothing was
    /// measured.
    pub measured: Option<f64>,
    /// Half the width of the 95 % confidence interval of `measured`; `None` if it is no mean over
    /// replications.
    pub half_width: Option<f64>,
    /// The point of a curve that the number is; `None` if the number is on no curve.
    pub place: Option<Place>,
    /// The title and the label of a number below the bars of its log; the title may be empty. `None` for
    /// other numbers.
    pub below_bars: Option<[String; 2]>,
    /// Whether the finding is an inequality, so that its numbers count comparisons.
    pub is_ordering: bool,
    /// The result of the comparison.
    pub verdict: Verdict,
}

/// The place of a point on a curve, for plots and for tables that show curves side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the curve in tables.
    pub curve: String,
    /// The name of the curve in the plot.
    pub series: String,
    /// The name whose colour and style the curve has, usually an allocator, so that it looks the same in all
    /// plots.
    pub look: String,
    /// The quantity along the horizontal axis.
    pub axis: String,
    /// The value on that axis, as text.
    pub at: String,
    /// The measured quantity; empty if it needs no title.
    pub quantity: String,
    /// How the points of the curve are drawn.
    pub drawn: Drawn,
}

impl Place {
    /// Returns the place `at` on an axis of a curve with this name, in the table and in the plot.
    pub fn new(curve: &str, axis: &str, at: &str) -> Self {
        let [series, look, curve] = [curve; 3].map(str::to_owned);
        let (axis, at) = (axis.to_owned(), at.to_owned());
        Self { curve, series, look, axis, at, quantity: String::new(), drawn: Drawn::default() }
    }

    /// Sets the measured quantity.
    #[must_use]
    pub fn quantity(self, quantity: &str) -> Self {
        Self { quantity: quantity.to_owned(), ..self }
    }

    /// Sets the name of the curve in the plot, which also decides how it looks.
    #[must_use]
    pub fn series(self, series: &str) -> Self {
        Self { series: series.to_owned(), look: series.to_owned(), ..self }
    }

    /// Sets the allocator whose colour and style the curve has.
    #[must_use]
    pub fn look(self, look: &str) -> Self {
        Self { look: look.to_owned(), ..self }
    }

    /// Sets how the points of the curve are drawn.
    #[must_use]
    pub fn drawn(self, drawn: Drawn) -> Self {
        Self { drawn, ..self }
    }
}

/// How the points of a curve are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drawn {
    /// As a curve.
    #[default]
    Curve,
    /// As bars that begin at 1, one group of bars for each value on the axis.
    Bars,
    /// As bars that begin at 0, one group of bars for each value on the axis.
    BarsFromZero,
    /// Not drawn: the points are shown as a table.
    Table,
}

/// A published number in a plot: a point of a curve, or a range for a bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The curve or bar that it belongs to, and its place on the axis.
    pub place: Place,
    /// The smallest and the largest published value; equal for a single number.
    pub ends: (f64, f64),
    /// What was printed, in words.
    pub said: String,
}

/// Verdicts round up to one of these percentages.
const STEPS: [f64; 9] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0];

impl Finding {
    /// Returns the measured number divided by the published one; `None` if either is missing or the published
    /// one is 0.
    pub fn ratio(&self) -> Option<f64> {
        let published = self.published.filter(|published| published.value.abs() > 0.0)?;
        self.measured.map(|measured| measured / published.value)
    }
}

impl Verdict {
    /// Returns the verdict on a measured and a published number.
    pub(super) fn of_estimate(published: Published, measured: Estimate, tolerance: Tolerance) -> Self {
        match measured {
            Estimate::Number(number) => compare(published, number, tolerance),
            Estimate::Mean(interval) => compare_mean(published, interval, tolerance),
            Estimate::Median(median) => compare_median(published, median, tolerance),
        }
    }

    /// Returns the verdict on a number that should be in `range`. A median is a ratio in percent, any other
    /// number a share in percent; only the words of the verdict depend on that.
    pub(super) fn of_range(measured: Estimate, [least, most]: [f64; 2]) -> Self {
        let Median { low, middle, high } = measured.ends();
        let is_ratio = matches!(measured, Estimate::Median(_));
        let ratio = || {
            if middle < 0.0 {
                format!("{:.0} % less ({:.0} to {:.0})", -middle, -high, -low)
            } else {
                format!("{middle:.0} % more ({low:.0} to {high:.0})")
            }
        };
        let within = |value| (least..=most).contains(&value);
        match (within(low) && within(high), high < least || low > most) {
            (true, _) => Self::OrderingHolds,
            (false, true) if is_ratio => Self::Differs(ratio()),
            (false, true) => Self::Differs(format!("by {:.1} points", (least - middle).max(middle - most))),
            (false, false) if is_ratio => Self::NotDecided(ratio()),
            (false, false) => {
                Self::NotDecided(format!("{low:.1} to {high:.1}, of which a part is in the range"))
            }
        }
    }

    /// Returns the verdict on a statement that two values are equal. `percent` is their measured difference,
    /// `most` the largest one that counts as equal.
    pub(super) fn of_equality(percent: f64, most: f64) -> Self {
        if percent <= most {
            Self::Within(Tolerance::Percent(most))
        } else {
            Self::Differs(format!("{percent:.1} % apart at most"))
        }
    }
}

/// Returns the verdict on a mean over replications: [`Verdict::NotDecided`] if only a part of the confidence
/// interval is within the tolerance.
fn compare_mean(published: Published, measured: Interval, tolerance: Tolerance) -> Verdict {
    let Interval { mean, half_width, .. } = measured;
    let differs = |value| matches!(compare(published, value, tolerance), Verdict::Differs(_));
    let [low, high] = [mean - half_width, mean + half_width];
    if differs(low) == differs(mean) && differs(high) == differs(mean) {
        return compare(published, mean, tolerance);
    }
    let digits = published.decimals + 1;
    let within = match tolerance {
        Tolerance::Percent(most) => format!("{most} %"),
        Tolerance::Absolute(most) => most.to_string(),
        Tolerance::Points(most) => format!("{most} points"),
    };
    Verdict::NotDecided(format!("{low:.digits$} to {high:.digits$}, of which a part is within {within}"))
}

/// Returns the verdict on a median. It agrees if its whole confidence interval is within the tolerance, and
/// differs if the whole interval is outside. Otherwise nothing is decided.
fn compare_median(published: Published, measured: Median, tolerance: Tolerance) -> Verdict {
    let Median { low, middle, high } = measured;
    let most = match tolerance {
        Tolerance::Percent(percent) => published.value * percent / 100.0,
        Tolerance::Absolute(distance) | Tolerance::Points(distance) => distance,
    };
    let interval = format!("median {middle:.2}, {low:.2} to {high:.2}");
    let (least, most) = (published.value - most, published.value + most);
    if low >= least && high <= most {
        return Verdict::Within(tolerance);
    } else if low <= most && high >= least {
        return Verdict::NotDecided(interval);
    }
    match compare(published, middle, tolerance) {
        Verdict::Differs(how) => Verdict::Differs(format!("{how}; {interval}")),
        verdict => verdict,
    }
}

/// Returns the verdict on a single number without an interval.
fn compare(published: Published, measured: f64, tolerance: Tolerance) -> Verdict {
    let off = measured - published.value;
    let half_digit = 0.5 * 0.1_f64.powi(published.decimals as i32);
    if off.abs() <= half_digit * (1.0 + 1e-9) {
        return Verdict::Exact;
    }
    let percent = 100.0 * (off / published.value).abs();
    let (fine, allowed) = match tolerance {
        Tolerance::Percent(most) => (percent <= most, format!("more than {most} %")),
        Tolerance::Absolute(most) => (off.abs() <= most + 1e-9, format!("more than {most}")),
        Tolerance::Points(most) => (off.abs() <= most + 1e-9, format!("more than {most} points")),
    };
    if !fine {
        let side = if off > 0.0 { "above" } else { "below" };
        let by = match tolerance {
            Tolerance::Percent(_) => format!("{percent:.1} %"),
            // One digit more than published, so that the difference can be seen.
            Tolerance::Absolute(_) | Tolerance::Points(_) => {
                format!("{:.1$}", off.abs(), published.decimals + 1)
            }
        };
        return Verdict::Differs(format!("{by} {side}, {allowed}"));
    }
    match tolerance {
        Tolerance::Absolute(_) | Tolerance::Points(_) => Verdict::Within(tolerance),
        Tolerance::Percent(most) => {
            let step = STEPS.into_iter().find(|step| percent <= *step).unwrap_or(most);
            Verdict::Within(Tolerance::Percent(step.min(most)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_printed() {
        assert_eq!(Published::parse("5,723,590"), Some(Published { value: 5_723_590.0, decimals: 0 }));
        assert_eq!(Published::parse("1.024"), Some(Published { value: 1.024, decimals: 3 }));
        assert_eq!(Published::parse("—"), None);
    }

    #[test]
    fn verdicts_follow_from_the_numbers() {
        for (published, measured, tolerance, verdict) in [
            ("2,687", 2686.852, Tolerance::Percent(0.1), "exact"),
            ("2,687", 2687.5, Tolerance::Percent(0.1), "exact"),
            ("239,926", 239_909.7, Tolerance::Percent(0.1), "within 0.01 %"),
            ("1,420", 1418.9, Tolerance::Percent(0.1), "within 0.1 %"),
            ("100", 103.0, Tolerance::Percent(4.0), "within 4 %"),
            ("100", 103.0, Tolerance::Percent(2.0), "differs: 3.0 % above, more than 2 %"),
            ("1.024", 1.0264, Tolerance::Absolute(0.003), "within 0.003"),
            ("1.138", 1.068, Tolerance::Absolute(0.003), "differs: 0.0700 below, more than 0.003"),
            ("64", 66.8, Tolerance::Points(3.0), "within 3 points"),
            ("64", 95.1, Tolerance::Points(3.0), "differs: 31.1 above, more than 3 points"),
        ] {
            let found = Published::parse(published).map(|published| compare(published, measured, tolerance));
            assert_eq!(found.map(|found| found.to_string()).as_deref(), Some(verdict), "{published}");
        }
    }

    #[test]
    fn chance_decides_nothing() {
        let of = |mean, half_width| {
            let interval = Interval { mean, half_width, count: 5 };
            let published = Published { value: 35.0, decimals: 0 };
            compare_mean(published, interval, Tolerance::Absolute(3.0)).to_string()
        };
        for (mean, half_width, expected) in [
            (36.0, 1.0, "within 3"),
            (35.2, 0.1, "exact"),
            (37.5, 1.0, "not decided: 36.5 to 38.5, of which a part is within 3"),
            (38.5, 1.0, "not decided: 37.5 to 39.5, of which a part is within 3"),
            (35.0, 9.0, "not decided: 26.0 to 44.0, of which a part is within 3"),
            (40.0, 1.0, "differs: 5.0 above, more than 3"),
        ] {
            assert_eq!(of(mean, half_width), expected);
        }
    }

    #[test]
    fn a_range_is_met_or_missed_by_the_whole_interval() {
        let shown = |estimate, range| Verdict::of_range(estimate, range).to_string();
        for (mean, expected) in [
            (73.0, "ordering holds"),
            (75.5, "not decided: 74.5 to 76.5, of which a part is in the range"),
            (76.5, "not decided: 75.5 to 77.5, of which a part is in the range"),
            (77.5, "differs: by 1.5 points"),
            (69.0, "differs: by 2.0 points"),
        ] {
            let interval = Interval { mean, half_width: 1.0, count: 5 };
            assert_eq!(shown(Estimate::Mean(interval), [71.0, 76.0]), expected);
        }
        for ((low, middle, high), expected) in [
            ((21.0, 25.0, 29.0), "ordering holds"),
            ((19.0, 25.0, 29.0), "not decided: 25 % more (19 to 29)"),
            ((10.0, 12.0, 14.0), "differs: 12 % more (10 to 14)"),
            ((29.0, 31.0, 33.0), "not decided: 31 % more (29 to 33)"),
        ] {
            assert_eq!(shown(Estimate::Median(Median { low, middle, high }), [20.0, 30.0]), expected);
        }
    }

    #[test]
    fn a_ratio_is_judged_by_its_whole_interval() {
        let published = Published { value: 10.0, decimals: 1 };
        for (low, middle, high, expected) in [
            (9.5, 10.0, 10.5, "within 10 %"),
            (8.0, 10.0, 10.5, "not decided: median 10.00, 8.00 to 10.50"),
            (7.0, 8.0, 9.1, "not decided: median 8.00, 7.00 to 9.10"),
            (7.0, 8.0, 8.9, "differs: 20.0 % below, more than 10 %; median 8.00, 7.00 to 8.90"),
        ] {
            let median = Median { low, middle, high };
            let verdict = compare_median(published, median, Tolerance::Percent(10.0));
            assert_eq!(verdict.to_string(), expected);
        }
    }
}
