//! The measurements for a figure: the summaries of the cells of its studies, and facts about its logs.

use std::collections::BTreeMap;

use super::dataset::Located;
use super::estimate::{Estimate, SampleKey, Samples};
use meshreplay_machine::machine::Mesh;
use meshreplay_results::frame::SavedTable;
use meshreplay_sim::execution;
use meshreplay_sim::metrics::Interval;
use meshreplay_study::study::{COORDINATES, Coordinate, LoadedLog};
use meshreplay_workload::Rules;

/// Facts about a log.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogFacts {
    /// The number of jobs by the rules of the authors.
    pub jobs: usize,
    /// The number of processors of the machine in the header of the log; `None` if the header does not say.
    pub processors: Option<i64>,
    /// The share of jobs that use one processor, from 0 to 1.
    pub serial: f64,
    /// Of the jobs with more than one processor, the shares with a power of 2, a power of 4 and a power of 8
    /// processors, from 0 to 1.
    pub powers: [f64; 3],
}

impl From<&LoadedLog> for LogFacts {
    fn from(log: &LoadedLog) -> Self {
        let jobs = &log.workload.jobs;
        let parallel: Vec<u32> = jobs.iter().map(|job| job.procs).filter(|procs| *procs > 1).collect();
        let share = |count: usize, all: usize| if all == 0 { 0.0 } else { count as f64 / all as f64 };
        let power = |exponent: u32| {
            let is = |procs: &&u32| procs.is_power_of_two() && procs.ilog2().is_multiple_of(exponent);
            share(parallel.iter().filter(is).count(), parallel.len())
        };
        Self {
            jobs: jobs.len(),
            processors: log.summary.header.processors(),
            serial: share(jobs.len() - parallel.len(), jobs.len()),
            powers: [1, 2, 3].map(power),
        }
    }
}

/// The value of a coordinate of a replay.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The value as results spell it: of an algorithm the spec with every default.
    pub(crate) text: String,
    /// The short form of the spec of an algorithm; equal to `text` for other coordinates.
    pub(crate) short: String,
}

impl Value {
    fn new(coordinate: &Coordinate, text: String) -> Self {
        let short = coordinate.label.as_ref().map_or_else(|| text.clone(), |label| (label.short)(&text));
        Self { text, short }
    }
}

/// The summary of a finished cell.
#[derive(Clone, Debug)]
pub(crate) struct CellSummary {
    /// The dataset of the study.
    pub(crate) dataset: String,
    /// Round of the replay; 0 if times are not measured.
    pub(crate) round: usize,
    /// The values of [`COORDINATES`], in their order.
    pub(crate) values: Vec<Value>,
    /// The numbers of the summary, by column.
    pub(crate) numbers: BTreeMap<String, f64>,
}

/// Everything that was measured for one figure.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    logs: BTreeMap<String, (Located, Option<LogFacts>)>,
    /// Seconds that it took to read the log of a dataset, one number per round.
    readings: BTreeMap<String, Vec<f64>>,
    rows: Vec<CellSummary>,
}

impl Evidence {
    /// Adds the file that was found for a dataset. `facts` are `None` if the log was not surveyed.
    pub fn add_log(&mut self, dataset: &str, located: Located, facts: Option<LogFacts>) {
        let entry = self.logs.entry(dataset.to_owned()).or_insert((located, None));
        entry.1 = entry.1.or(facts);
    }

    /// Adds the seconds that it took to read the log of a dataset in the next round.
    pub fn add_reading(&mut self, dataset: &str, seconds: f64) {
        self.readings.entry(dataset.to_owned()).or_default().push(seconds);
    }

    /// Adds the summary of a study of `dataset` that was replayed in this round.
    pub fn add_sheet(&mut self, dataset: &str, sheet: &SavedTable, round: usize) {
        let text =
            |name: &str, i: usize| sheet.column(name).map(|column| column.label(i)).unwrap_or_default();
        for i in 0..sheet.height() {
            let numbers = sheet
                .columns
                .iter()
                .filter_map(|column| Some((column.name.clone(), column.numbers()?.get(i)?)))
                .collect();
            let value = |coordinate: &Coordinate| Value::new(coordinate, text(coordinate.column(), i));
            let values = COORDINATES.iter().map(value).collect();
            self.rows.push(CellSummary { dataset: dataset.to_owned(), round, values, numbers });
        }
    }

    /// Adds numbers for every cell of a study, as if it had been replayed: `numbers` of its place among them.
    #[cfg(test)]
    pub(super) fn add_made(
        &mut self,
        dataset: &str,
        cells: &[meshreplay_study::study::ManifestCell],
        round: usize,
        numbers: &dyn Fn(usize) -> BTreeMap<String, f64>,
    ) {
        for (i, cell) in cells.iter().enumerate() {
            let value = |coordinate: &Coordinate| Value::new(coordinate, coordinate.text(&cell.spec));
            let values = COORDINATES.iter().map(value).collect();
            self.rows.push(CellSummary { dataset: dataset.to_owned(), round, values, numbers: numbers(i) });
        }
    }

    /// Returns the file name, without extensions, of the log of a dataset; `None` if no log was found.
    pub fn log(&self, dataset: &str) -> Option<&str> {
        self.logs.get(dataset).map(|(located, _)| located.name.as_str())
    }

    /// Returns the files that were found, each with the name of its dataset.
    pub fn logs(&self) -> impl Iterator<Item = (&str, &Located)> {
        self.logs.iter().map(|(dataset, (located, _))| (dataset.as_str(), located))
    }

    /// Returns the facts about the log of a dataset; `None` if it was not found or not surveyed.
    pub fn facts(&self, dataset: &str) -> Option<LogFacts> {
        self.logs.get(dataset).and_then(|(_, facts)| *facts)
    }

    /// Returns the replays of a dataset under EASY with the jobs of the authors, arrivals and run times as
    /// recorded; the other coordinates are free.
    pub(crate) fn at<'a>(&'a self, dataset: &'a str) -> Point<'a> {
        Point::new(self, dataset)
    }

    /// Returns the seconds that it took to read the log of a dataset in each round.
    pub(crate) fn readings(&self, dataset: &str) -> &[f64] {
        self.readings.get(dataset).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the summaries of all finished cells.
    pub(crate) fn rows(&self) -> &[CellSummary] {
        &self.rows
    }
}

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
