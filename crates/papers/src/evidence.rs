//! The measurements for a figure: the summaries of the cells of its studies, and facts about its logs.

use std::collections::BTreeMap;

use super::dataset::Located;
use super::point::Point;
use meshreplay_results::frame::SavedTable;
use meshreplay_study::study::{COORDINATES, Coordinate, LoadedLog};

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
