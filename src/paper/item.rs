//! One published fact beside what was measured, and the verdict.

use std::fmt;

use crate::metrics::Interval;

/// A published number, as printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Published {
    /// The number.
    pub value: f64,
    /// Digits printed after the point.
    pub decimals: usize,
}

impl Published {
    /// Reads a number as papers print it: `2,687`, `1.024`; `None` for a dash.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.replace(',', "");
        let value = plain.parse().ok()?;
        Some(Self { value, decimals: plain.split_once('.').map_or(0, |(_, decimals)| decimals.len()) })
    }
}

/// How far off a measured number may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// This many percent of the published number.
    Percent(f64),
    /// This much.
    Absolute(f64),
}

/// How a measured value compares with the published one.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Equal in every printed digit.
    Exact,
    /// No further off than this.
    Within(Tolerance),
    /// All inequalities hold.
    OrderingHolds,
    /// What is said of nearly all cases holds in all but these.
    HoldsBut(String),
    /// Not so; what is the case instead.
    Differs(String),
    /// What was measured is less than chance; why that is so.
    NotDecided(String),
    /// What was published could not be measured on this log; why.
    NotMeasured(String),
    /// Measured only: nothing was published to compare with.
    None,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Within(Tolerance::Percent(percent)) => write!(f, "within {percent} %"),
            Self::Within(Tolerance::Absolute(distance)) => write!(f, "within {distance}"),
            Self::OrderingHolds => f.write_str("ordering holds"),
            Self::HoldsBut(exceptions) => write!(f, "ordering holds but for this: {exceptions}"),
            Self::Differs(reason) => write!(f, "differs: {reason}"),
            Self::NotDecided(reason) => write!(f, "not decided: {reason}"),
            Self::NotMeasured(reason) => write!(f, "not measured: {reason}"),
            Self::None => Ok(()),
        }
    }
}

/// A row of a figure's comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What it is about, such as an allocator or an inequality.
    pub item: String,
    /// The log's file name without extensions; empty if it is about several.
    pub log: String,
    /// The machine; empty if it is about several.
    pub machine: String,
    /// The published number; for an inequality, how many comparisons it makes.
    pub published: Option<Published>,
    /// The measured number; for an inequality, how many comparisons hold.
    pub measured: Option<f64>,
    /// Half the width of its 95 % confidence interval, of means over replications.
    pub half_width: Option<f64>,
    /// Where it lies on a curve.
    pub place: Option<Place>,
    /// Whether it is an inequality, so that its numbers count comparisons.
    pub is_ordering: bool,
    /// How they compare.
    pub verdict: Verdict,
}

/// A point of a curve, for tables that show curves side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The curve.
    pub curve: String,
    /// What varies along it.
    pub axis: &'static str,
    /// Its value.
    pub at: String,
    /// Whether the curve is drawn, or only shown as a table.
    pub is_drawn: bool,
}

/// What percentages verdicts are rounded up to.
const STEPS: [f64; 9] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0];

impl Item {
    /// An item about one log and machine.
    pub fn new(item: &str, log: &str, machine: &str) -> Self {
        Self {
            item: item.to_owned(),
            log: log.to_owned(),
            machine: machine.to_owned(),
            published: None,
            measured: None,
            half_width: None,
            place: None,
            is_ordering: false,
            verdict: Verdict::None,
        }
    }

    /// With what was measured, and nothing to compare it with.
    #[must_use]
    pub fn measured(self, measured: f64) -> Self {
        Self { measured: Some(measured), ..self }
    }

    /// With a mean over replications.
    #[must_use]
    pub fn measured_within(self, interval: Interval) -> Self {
        let half_width = (interval.count > 1).then_some(interval.half_width);
        Self { measured: Some(interval.mean), half_width, ..self }
    }

    /// As a point of a curve.
    #[must_use]
    pub fn on_curve(self, curve: &str, axis: &'static str, at: &str) -> Self {
        let (curve, at) = (curve.to_owned(), at.to_owned());
        Self { place: Some(Place { curve, axis, at, is_drawn: true }), ..self }
    }

    /// As a cell of a table of this title that is not drawn.
    #[must_use]
    pub fn in_table(self, row: &str, title: &'static str, column: &str) -> Self {
        let (curve, at) = (row.to_owned(), column.to_owned());
        Self { place: Some(Place { curve, axis: title, at, is_drawn: false }), ..self }
    }

    /// With something before its name, and that of its curve.
    #[must_use]
    pub fn named(mut self, before: &str) -> Self {
        self.item.insert_str(0, before);
        if let Some(place) = &mut self.place {
            place.curve.insert_str(0, before);
        }
        self
    }

    /// With both numbers, and the verdict that `tolerance` allows.
    #[must_use]
    pub fn compared(self, published: Published, measured: f64, tolerance: Tolerance) -> Self {
        let verdict = compare(published, measured, tolerance);
        Self { published: Some(published), measured: Some(measured), verdict, ..self }
    }

    /// The same with a mean over replications, which decides nothing while its interval has places of both kinds.
    #[must_use]
    pub fn compared_within(self, published: Published, measured: Interval, tolerance: Tolerance) -> Self {
        let Interval { mean, half_width, .. } = measured;
        let differs = |value| matches!(compare(published, value, tolerance), Verdict::Differs(_));
        let [low, high] = [mean - half_width, mean + half_width];
        let mut item = self.measured_within(measured).compared(published, mean, tolerance);
        if differs(low) != differs(mean) || differs(high) != differs(mean) {
            let digits = published.decimals + 1;
            let within = match tolerance {
                Tolerance::Percent(most) => format!("{most} %"),
                Tolerance::Absolute(most) => most.to_string(),
            };
            let place = format!("{low:.digits$} to {high:.digits$}, of which a part is within {within}");
            item.verdict = Verdict::NotDecided(place);
        }
        item
    }

    /// With why it is so, or what was tried, if it differs.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Self {
        if let Verdict::Differs(how) = &mut self.verdict {
            *how = format!("{how}; {reason}");
        }
        self
    }

    /// With the comparisons that an inequality makes, each in words and whether it holds.
    #[must_use]
    pub fn ordered(self, comparisons: &[(String, bool)]) -> Self {
        let wrong: Vec<&str> =
            comparisons.iter().filter(|(_, holds)| !holds).map(|(words, _)| words.as_str()).collect();
        let verdict =
            if wrong.is_empty() { Verdict::OrderingHolds } else { Verdict::Differs(wrong.join("; ")) };
        let published = Published { value: comparisons.len() as f64, decimals: 0 };
        let measured = (comparisons.len() - wrong.len()) as f64;
        Self { published: Some(published), measured: Some(measured), is_ordering: true, verdict, ..self }
    }

    /// Measured by published.
    pub fn ratio(&self) -> Option<f64> {
        let published = self.published.filter(|published| published.value.abs() > 0.0)?;
        self.measured.map(|measured| measured / published.value)
    }
}

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
    };
    if !fine {
        let side = if off > 0.0 { "above" } else { "below" };
        let by = match tolerance {
            Tolerance::Percent(_) => format!("{percent:.1} %"),
            // A digit more than was published.
            Tolerance::Absolute(_) => format!("{:.1$}", off.abs(), published.decimals + 1),
        };
        return Verdict::Differs(format!("{by} {side}, {allowed}"));
    }
    match tolerance {
        Tolerance::Absolute(_) => Verdict::Within(tolerance),
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
            Item::new("", "", "").compared_within(published, interval, Tolerance::Absolute(3.0))
        };
        for (mean, half_width, expected) in [
            (36.0, 1.0, "within 3"),
            (35.2, 0.1, "exact"),
            (37.5, 1.0, "not decided: 36.5 to 38.5, of which a part is within 3"),
            (38.5, 1.0, "not decided: 37.5 to 39.5, of which a part is within 3"),
            (35.0, 9.0, "not decided: 26.0 to 44.0, of which a part is within 3"),
            (40.0, 1.0, "differs: 5.0 above, more than 3"),
        ] {
            let item = of(mean, half_width);
            assert_eq!((item.verdict.to_string().as_str(), item.half_width), (expected, Some(half_width)));
        }
    }

    #[test]
    fn an_ordering_counts_its_comparisons_and_names_those_that_fail() {
        let comparisons = [("a < b".to_owned(), true), ("5 is not below 4".to_owned(), false)];
        let item = Item::new("order", "log", "4x4").ordered(&comparisons);
        assert_eq!((item.measured, item.ratio()), (Some(1.0), Some(0.5)));
        assert_eq!(item.verdict.to_string(), "differs: 5 is not below 4");
        assert_eq!(Item::new("order", "", "").ordered(&comparisons[..1]).verdict, Verdict::OrderingHolds);
    }
}
