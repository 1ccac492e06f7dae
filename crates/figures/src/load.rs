//! The load of a replay, for results in which replays differ in load.

use meshreplay_base::spec::Spec;
use meshreplay_results::frame::Table;
use meshreplay_workload::{Arrivals, Model, Rules};

/// How densely jobs arrive at a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Recorded arrival times are multiplied by this factor, so that small factors are high loads.
    Scale(f64),
    /// Times between arrivals are drawn uniformly up to this number of seconds.
    Gap(f64),
    /// The workload model has this many arrivals per second.
    Rate(f64),
    /// The workload model has this traffic ratio.
    Ratio(f64),
    /// The workload model has this offered load.
    Offered(f64),
}

impl Load {
    /// Returns the load as a plain number. Its meaning depends on the variant.
    pub fn value(self) -> f64 {
        match self {
            Self::Scale(value)
            | Self::Gap(value)
            | Self::Rate(value)
            | Self::Ratio(value)
            | Self::Offered(value) => value,
        }
    }

    /// Returns how densely jobs arrive, as a number that grows with the load. Its meaning depends on the
    /// variant.
    pub fn arrivals(self) -> f64 {
        match self {
            // Twice the time between arrivals is half the rate. A gap is drawn uniformly, so its mean is half
            // the longest.
            Self::Scale(scale) => 1.0 / scale,
            Self::Gap(gap_s) => 3600.0 / (gap_s / 2.0),
            other => other.value(),
        }
    }

    /// Returns the title for an axis that shows what [`Self::arrivals`] returns.
    pub fn title_of_arrivals(self) -> &'static str {
        match self {
            Self::Scale(_) => "arrival rate, by that of the log",
            Self::Gap(_) => "mean arrivals per hour",
            other => other.title(),
        }
    }

    /// Returns the title for an axis that shows such loads.
    pub fn title(self) -> &'static str {
        match self {
            Self::Scale(_) => "arrival times multiplied by",
            Self::Gap(_) => "longest time between arrivals (s)",
            Self::Rate(_) => "arrivals per second",
            Self::Ratio(_) => "traffic ratio",
            Self::Offered(_) => "offered load",
        }
    }

    /// Returns a label for bars at this load; `None` if the label of the workload model contains the load
    /// already.
    pub fn label(self) -> Option<String> {
        match self {
            Self::Scale(scale) => Some(format!("arrivals × {scale}")),
            Self::Gap(gap) => Some(format!("up to {gap} s apart")),
            Self::Rate(_) | Self::Ratio(_) | Self::Offered(_) => None,
        }
    }

    /// Splits the spec of a workload model into its load and the spec without the load. Returns `None` if
    /// `log` is no model, or a model without a load as a parameter.
    pub fn of_model(log: &str) -> Option<(Self, String)> {
        type ByKey = (&'static str, fn(f64) -> Load);
        const LOADS: [ByKey; 3] = [("rate", Load::Rate), ("ratio", Load::Ratio), ("offered", Load::Offered)];
        let model = Model::new(&log.parse::<Spec>().ok()?).ok()?;
        let mut spec = model.spec().clone();
        let (value, load) = LOADS.iter().find_map(|(key, load)| Some((spec.params.remove(*key)?, load)))?;
        Some((load(value.parse().ok()?), spec.to_string()))
    }
}

/// Returns the arrival scale of a row; `None` if the summary has no such number.
pub(super) fn scale(table: &Table, row: usize) -> Option<Load> {
    table.number("arrival_scale", row).map(Load::Scale)
}

/// Returns the longest time between arrivals of each row, in seconds. Returns `None` unless every row has
/// uniform arrivals and all rules are equal apart from this time.
pub(super) fn gaps(table: &Table) -> Option<Vec<f64>> {
    let column = table.column("rules")?;
    let rules = |row| column.label(row).parse::<Rules>().ok();
    let without_gap = |rules: Rules| Rules { arrivals: Arrivals::Recorded, ..rules };
    let first = without_gap(rules(0)?);
    let gap = |row| match rules(row)? {
        found @ Rules { arrivals: Arrivals::Uniform(gap), .. } => {
            (without_gap(found) == first).then_some(gap)
        }
        Rules { arrivals: Arrivals::Recorded, .. } => None,
    };
    (0..table.height()).map(gap).collect()
}
