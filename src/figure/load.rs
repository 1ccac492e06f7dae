//! The load of a replay, where replays differ in it.

use crate::frame::{Sheet, SheetValues};
use crate::spec::Spec;
use crate::workload::{Arrivals, Rules, Synthetic};

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
    /// Returns the load as a number, whatever it means.
    pub fn value(self) -> f64 {
        match self {
            Self::Scale(value)
            | Self::Gap(value)
            | Self::Rate(value)
            | Self::Ratio(value)
            | Self::Offered(value) => value,
        }
    }

    /// Returns the title of an axis of such loads.
    pub fn title(self) -> &'static str {
        match self {
            Self::Scale(_) => "arrival times multiplied by",
            Self::Gap(_) => "longest time between arrivals (s)",
            Self::Rate(_) => "arrivals per second",
            Self::Ratio(_) => "traffic ratio",
            Self::Offered(_) => "offered load",
        }
    }

    /// Returns a label for bars at this load; `None` if the name of the workload model says the load already.
    pub fn label(self) -> Option<String> {
        match self {
            Self::Scale(scale) => Some(format!("arrivals × {scale}")),
            Self::Gap(gap) => Some(format!("up to {gap} s apart")),
            Self::Rate(_) | Self::Ratio(_) | Self::Offered(_) => None,
        }
    }

    /// Splits the name of a workload model into the load that it has as a parameter and the model without it. `None` if
    /// `log` names no model, or one without such a parameter.
    pub fn of_model(log: &str) -> Option<(Self, String)> {
        type ByKey = (&'static str, fn(f64) -> Load);
        const LOADS: [ByKey; 3] = [("rate", Load::Rate), ("ratio", Load::Ratio), ("offered", Load::Offered)];
        let model = Synthetic::new(&log.parse::<Spec>().ok()?).ok()?;
        let mut spec = model.spec().clone();
        let (value, load) = LOADS.iter().find_map(|(key, load)| Some((spec.params.remove(*key)?, load)))?;
        Some((load(value.parse().ok()?), spec.to_string()))
    }
}

/// Returns the factor of arrival times of a row; `None` if the sheet does not say it.
pub(super) fn scale(sheet: &Sheet, row: usize) -> Option<Load> {
    match &sheet.column("arrival_scale")?.values {
        SheetValues::Number { numbers, .. } => numbers[row].map(Load::Scale),
        SheetValues::Text(_) => None,
    }
}

/// Returns the longest time between arrivals of each row; `None` unless every row's rules have one and differ in
/// nothing else.
pub(super) fn gaps(sheet: &Sheet) -> Option<Vec<f64>> {
    let column = sheet.column("rules")?;
    let rules = |row| column.label(row).parse::<Rules>().ok();
    let without_gap = |rules: Rules| Rules { arrivals: Arrivals::Recorded, ..rules };
    let first = without_gap(rules(0)?);
    let gap = |row| match rules(row)? {
        found @ Rules { arrivals: Arrivals::Uniform(gap), .. } => {
            (without_gap(found) == first).then_some(gap)
        }
        Rules { arrivals: Arrivals::Recorded, .. } => None,
    };
    (0..sheet.height()).map(gap).collect()
}
