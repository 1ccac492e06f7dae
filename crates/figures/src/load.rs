//! Loads of replays that differ in load.

use crate::draw::capitalized;
use meshreplay_base::spec::Spec;
use meshreplay_results::frame::SavedTable;
use meshreplay_workload::{Arrivals, Model, Rules};

/// The parameter that sets the load of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadKind {
    /// The factor of recorded arrival times. Small factors are high loads.
    Scale,
    /// The longest of times between arrivals that are drawn uniformly, in seconds.
    Gap,
    /// The arrivals per second of a workload model.
    Rate,
    /// The traffic ratio of a workload model.
    Ratio,
    /// The offered load of a workload model.
    Offered,
}

/// The load of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// The kind of the number.
    pub kind: LoadKind,
    /// The number.
    pub value: f64,
}

impl Load {
    /// Returns the density of arrivals, which grows with the load. Its meaning depends on the kind.
    pub fn arrivals(self) -> f64 {
        match self.kind {
            // Twice the time between arrivals is half the rate. A gap is drawn uniformly, so its mean is half
            // the longest.
            LoadKind::Scale => 1.0 / self.value,
            LoadKind::Gap => 3600.0 / (self.value / 2.0),
            _ => self.value,
        }
    }

    /// Returns the title for an axis of [`Self::arrivals`].
    pub fn title_of_arrivals(self) -> &'static str {
        match self.kind {
            LoadKind::Scale => "arrival rate relative to the log",
            LoadKind::Gap => "mean arrivals per hour",
            _ => self.title(),
        }
    }

    /// Returns the title for an axis of such loads.
    pub fn title(self) -> &'static str {
        match self.kind {
            LoadKind::Scale => "arrival times multiplied by",
            LoadKind::Gap => "longest time between arrivals (s)",
            LoadKind::Rate => "arrivals per second",
            LoadKind::Ratio => "traffic ratio",
            LoadKind::Offered => "offered load",
        }
    }

    /// Returns the name of such loads at the beginning of a sentence.
    pub fn name(self) -> String {
        if self.kind == LoadKind::Scale {
            "Factors of arrival times".to_owned()
        } else {
            capitalized(self.title())
        }
    }

    /// Returns a label for bars at this load; `None` if the label of the workload model contains the load
    /// already.
    pub fn label(self) -> Option<String> {
        match self.kind {
            LoadKind::Scale => Some(format!("arrivals × {}", self.value)),
            LoadKind::Gap => Some(format!("up to {} s apart", self.value)),
            _ => None,
        }
    }

    /// Returns a label for a point at this load, without its unit.
    pub fn short(self) -> String {
        let sign = if self.kind == LoadKind::Scale { "×" } else { "" };
        format!("{sign}{}", self.value)
    }

    /// Splits the spec of a workload model into its load and the spec without the load. Returns `None` if
    /// `log` is no model, or a model without a load as a parameter.
    pub fn of_model(log: &str) -> Option<(Self, String)> {
        let kinds = [("rate", LoadKind::Rate), ("ratio", LoadKind::Ratio), ("offered", LoadKind::Offered)];
        let model = Model::new(&log.parse::<Spec>().ok()?).ok()?;
        let mut spec = model.spec().clone();
        let (value, kind) =
            kinds.into_iter().find_map(|(key, kind)| Some((spec.params.remove(key)?, kind)))?;
        Some((Self { kind, value: value.parse().ok()? }, spec.to_string()))
    }
}

/// Returns the longest time between arrivals of each row, in seconds. Returns `None` unless every row has
/// uniform arrivals and all rules are equal apart from this time.
pub(super) fn gaps(table: &SavedTable) -> Option<Vec<f64>> {
    let column = table.column("rules")?;
    let mut without_gap: Option<Rules> = None;
    let gap = |row| {
        let mut rules = column.label(row).parse::<Rules>().ok()?;
        let Arrivals::Uniform(gap) = rules.arrivals else { return None };
        rules.arrivals = Arrivals::Recorded;
        (*without_gap.get_or_insert_with(|| rules.clone()) == rules).then_some(gap)
    };
    (0..table.height()).map(gap).collect()
}
