//! Points of the results: the replays with given coordinates, and the numbers measured there.

use super::estimate::Estimate;
use super::evidence::{CellSummary, Evidence};
use super::samples::{SampleKey, Samples};
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::execution;
use meshreplay_sim::metrics::Interval;
use meshreplay_study::study::COORDINATES;
use meshreplay_workload::Rules;

/// The replays of a dataset that have some coordinates; a coordinate that is not given is free.
#[derive(Clone, Debug)]
pub(crate) struct Point<'a> {
    evidence: &'a Evidence,
    dataset: &'a str,
    /// The given coordinates, each as its place in [`COORDINATES`] and its value.
    given: Vec<(usize, String)>,
}

impl<'a> Point<'a> {
    /// Returns the replays of `dataset` as [`Evidence::at`] describes them.
    pub(super) fn new(evidence: &'a Evidence, dataset: &'a str) -> Self {
        let point = Self { evidence, dataset, given: Vec::new() };
        let point = point.scheduler("easy").rules("authors");
        point.scale("1").network("recorded")
    }

    /// Returns the point with this value of the coordinate `name`, one of [`COORDINATES`]. Algorithms are
    /// given in short form or with every default written out.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        // No row has a coordinate of another name, so such a point has no numbers.
        let place = COORDINATES.iter().position(|row| row.name == name).unwrap_or(COORDINATES.len());
        self.given.retain(|(other, _)| *other != place);
        self.given.push((place, value.into()));
        self
    }

    /// Returns the point in replays of this log of the dataset.
    pub(crate) fn log(&self, log: &str) -> Self {
        self.clone().with("log", log)
    }

    /// Returns the point on this machine.
    pub(crate) fn machine(&self, machine: &str) -> Self {
        self.clone().with("machine", machine)
    }

    /// Returns the point under this scheduler.
    pub(crate) fn scheduler(&self, scheduler: &str) -> Self {
        self.clone().with("scheduler", scheduler)
    }

    pub(crate) fn allocator(&self, allocator: &str) -> Self {
        self.clone().with("allocator", allocator)
    }

    /// Returns the point where records become jobs by these rules.
    pub(crate) fn rules(&self, rules: &str) -> Self {
        let rules = rules.parse::<Rules>().map(|rules| rules.to_string()).unwrap_or_default();
        self.clone().with("rules", rules)
    }

    /// Returns the point where arrival times are multiplied by this factor.
    pub(crate) fn scale(&self, scale: &str) -> Self {
        self.clone().with("arrival_scale", scale)
    }

    /// Returns the point with this execution model.
    pub(crate) fn network(&self, network: &str) -> Self {
        self.clone().with("network", resolved(network).unwrap_or_default())
    }

    /// Returns the mean of a column of the summary over seeds and replications; `None` if nothing was
    /// measured.
    pub(crate) fn mean(&self, column: &str) -> Option<Estimate> {
        let values: Vec<f64> = self.rows().filter_map(|row| row.numbers.get(column).copied()).collect();
        Interval::of(&values).map(Estimate::Mean)
    }

    /// Returns the mean of a column without its interval; `None` if nothing was measured.
    pub(crate) fn number(&self, column: &str) -> Option<f64> {
        self.mean(column).map(Estimate::number)
    }

    /// Returns a column, one number per workload: per seed, and per log if the point means all logs.
    pub(crate) fn by_workload(&self, column: &str) -> Samples {
        let log = |row: &CellSummary| if self.has("log") { String::new() } else { text(row, "log") };
        self.samples(column, |row| (0, log(row), text(row, "seed")))
    }

    /// Returns the seconds of whole simulations, one number per round: the time to read the log plus the
    /// replay. Replays of one round run soon after each other, so that a disturbance of the computer slows
    /// all of them alike.
    pub(crate) fn simulations(&self) -> Samples {
        let readings = self.evidence.readings(self.dataset);
        let replays = self.samples("replay_wall_s", |row| (row.round, String::new(), text(row, "seed")));
        let whole = |((round, ..), replay): (SampleKey, f64)| {
            Some(((round, String::new(), String::new()), readings.get(round)? + replay))
        };
        Samples(replays.0.into_iter().filter_map(whole).collect())
    }

    fn samples(&self, column: &str, key: impl Fn(&CellSummary) -> SampleKey) -> Samples {
        Samples(self.rows().filter_map(|row| Some((key(row), *row.numbers.get(column)?))).collect())
    }

    fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(place, _)| COORDINATES.get(*place).is_some_and(|row| row.name == name))
    }

    /// Returns the results at the point, one per seed, replication and round.
    fn rows(&self) -> impl Iterator<Item = &'a CellSummary> {
        let is_here = |row: &&CellSummary| {
            row.dataset == self.dataset && self.given.iter().all(|(place, value)| is_at(row, *place, value))
        };
        self.evidence.rows().iter().filter(is_here)
    }
}

/// Returns true if a coordinate of a row has this value. Numbers need not be spelled alike.
fn is_at(row: &CellSummary, place: usize, value: &str) -> bool {
    let Some(own) = row.values.get(place) else { return false };
    let is_near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    own.text == value
        || own.short == value
        || own.text.parse().is_ok_and(|own| value.parse().is_ok_and(|value| is_near(own, value)))
}

/// Returns the value of a coordinate of a row; empty if it was not given.
fn text(row: &CellSummary, name: &str) -> String {
    let mut values = COORDINATES.iter().zip(&row.values);
    values
        .find(|(coordinate, _)| coordinate.name == name)
        .map_or_else(String::new, |(_, value)| value.text.clone())
}

/// Returns the spec of a network as results write it, with every default; `None` if the text is no valid
/// spec.
fn resolved(network: &str) -> Option<String> {
    let mesh: Mesh = "1".parse().ok()?;
    let setup = execution::Setup { mesh: &mesh, jobs: 0, seed: 0 };
    Some(execution::build(&network.parse().ok()?, &setup).ok()?.1.to_string())
}
