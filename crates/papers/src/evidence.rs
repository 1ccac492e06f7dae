//! The measurements for a figure: the summaries of the cells of its studies, and facts about its logs.

use std::collections::BTreeMap;

use super::dataset::Located;
use meshreplay_alloc::allocator;
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::Mesh;
use meshreplay_results::frame::Table;
use meshreplay_sim::execution;
use meshreplay_sim::metrics::Interval;
use meshreplay_study::study::LoadedLog;
use meshreplay_workload::Rules;

/// The coordinates of the cells from which a number is read. The defaults are EASY, the rules of the authors, arrivals
/// as recorded, and recorded run times; the other coordinates are empty.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The dataset.
    pub dataset: &'a str,
    /// The name of the log, where a study has several logs of a dataset; empty for all of them.
    pub log: &'a str,
    /// The machine.
    pub machine: &'a str,
    /// The allocator, abbreviated as in tables.
    pub allocator: &'a str,
    /// The scheduler: its name, or its spec with every default written out.
    pub scheduler: &'a str,
    /// The rules by which records of the log become jobs.
    pub rules: &'a str,
    /// The factor by which arrival times were multiplied.
    pub arrival_scale: f64,
    /// The spec of the execution model, such as `recorded`.
    pub network: &'a str,
}

impl Default for At<'_> {
    fn default() -> Self {
        Self {
            dataset: "",
            log: "",
            machine: "",
            allocator: "",
            scheduler: "easy",
            rules: "authors",
            arrival_scale: 1.0,
            network: "recorded",
        }
    }
}

/// The key of one measurement at a point: the round, the log (empty if the point names one), the seed.
pub(super) type Sample = (usize, String, String);

/// Returns the spec of a network as results write it, with every default; `None` if the text is no valid spec.
fn resolved(network: &str) -> Option<String> {
    let mesh: Mesh = "1".parse().ok()?;
    let setup = execution::Setup { mesh: &mesh, jobs: 0, seed: 0 };
    Some(execution::build(&network.parse().ok()?, &setup).ok()?.1.to_string())
}

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

/// The summary of a finished cell.
#[derive(Clone, Debug)]
struct Row {
    dataset: String,
    log: String,
    seed: String,
    /// The round in which the cell was replayed; 0 if times are not measured.
    round: usize,
    rules: String,
    machine: String,
    scheduler: String,
    allocator: String,
    network: String,
    arrival_scale: f64,
    numbers: BTreeMap<String, f64>,
}

/// Everything that was measured for one figure.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    logs: BTreeMap<String, (Located, Option<LogFacts>)>,
    /// Seconds that it took to read the log of a dataset, one number per round.
    readings: BTreeMap<String, Vec<f64>>,
    rows: Vec<Row>,
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
    pub fn add_sheet(&mut self, dataset: &str, sheet: &Table, round: usize) {
        let text =
            |name: &str, i: usize| sheet.column(name).map(|column| column.label(i)).unwrap_or_default();
        for i in 0..sheet.height() {
            let numbers: BTreeMap<String, f64> = sheet
                .columns
                .iter()
                .filter_map(|column| Some((column.name.clone(), column.numbers()?.get(i)?)))
                .collect();
            let allocator = text("allocator_spec", i);
            let short = |spec: Spec| allocator::short(&spec);
            self.rows.push(Row {
                dataset: dataset.to_owned(),
                log: text("log", i),
                seed: text("seed", i),
                round,
                rules: text("rules", i),
                machine: text("machine", i),
                scheduler: text("scheduler_spec", i),
                allocator: allocator.parse().map_or(allocator, short),
                network: text("network_spec", i),
                arrival_scale: numbers.get("arrival_scale").copied().unwrap_or(1.0),
                numbers,
            });
        }
    }

    /// Adds numbers that the code of a figure measured at a point in this round.
    pub(super) fn add_measured(&mut self, at: At<'_>, round: usize, numbers: &[(&str, f64)]) {
        self.rows.push(Row {
            dataset: at.dataset.to_owned(),
            log: at.log.to_owned(),
            seed: String::new(),
            round,
            rules: at.rules.parse::<Rules>().map(|rules| rules.to_string()).unwrap_or_default(),
            machine: at.machine.to_owned(),
            scheduler: at.scheduler.to_owned(),
            allocator: at.allocator.to_owned(),
            network: resolved(at.network).unwrap_or_default(),
            arrival_scale: at.arrival_scale,
            numbers: numbers.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect(),
        });
    }

    /// Adds numbers for every cell of a study, as if it had been replayed: what `numbers` says of its place among them.
    #[cfg(test)]
    pub(super) fn add_made(
        &mut self,
        dataset: &str,
        cells: &[meshreplay_study::study::ManifestCell],
        round: usize,
        numbers: &dyn Fn(usize) -> BTreeMap<String, f64>,
    ) {
        for (i, cell) in cells.iter().enumerate() {
            let allocator = allocator::short(&cell.spec.allocator);
            self.rows.push(Row {
                dataset: dataset.to_owned(),
                log: cell.spec.log.to_string(),
                seed: cell.spec.seed.to_string(),
                round,
                rules: cell.spec.rules.to_string(),
                machine: cell.spec.machine.to_string(),
                scheduler: cell.spec.scheduler.to_string(),
                allocator,
                network: cell.spec.network.to_string(),
                arrival_scale: cell.spec.arrival_scale,
                numbers: numbers(i),
            });
        }
    }

    /// Returns the file name, without extensions, of the log of a dataset; `None` if no log was found.
    pub fn log(&self, dataset: &str) -> Option<String> {
        self.logs.get(dataset).map(|(located, _)| located.name.clone())
    }

    /// Returns the files that were found, each with the name of its dataset.
    pub fn logs(&self) -> impl Iterator<Item = (&str, &Located)> {
        self.logs.iter().map(|(dataset, (located, _))| (dataset.as_str(), located))
    }

    /// Returns the facts about the log of a dataset; `None` if it was not found or not surveyed.
    pub fn facts(&self, dataset: &str) -> Option<LogFacts> {
        self.logs.get(dataset).and_then(|(_, facts)| *facts)
    }

    /// Returns the mean of column `name` of the summary `at` this point over seeds and replications, with its
    /// confidence interval; `None` if nothing was measured there.
    pub fn interval(&self, at: At<'_>, name: &str) -> Option<Interval> {
        let values: Vec<f64> = self.rows(at).filter_map(|row| row.numbers.get(name).copied()).collect();
        Interval::of(&values)
    }

    /// Returns column `name` at a point, one number per workload: per seed, and per log if the point means all logs.
    pub(super) fn by_workload(&self, at: At<'_>, name: &str) -> BTreeMap<Sample, f64> {
        let log = |row: &Row| if at.log.is_empty() { row.log.clone() } else { String::new() };
        let value = |row: &Row| Some(((0, log(row), row.seed.clone()), *row.numbers.get(name)?));
        self.rows(at).filter_map(value).collect()
    }

    /// Returns column `name` at a point, one number per round. Replays of one round run soon after each other, so that
    /// a disturbance of the computer slows all of them alike.
    pub(super) fn by_round(&self, at: At<'_>, name: &str) -> BTreeMap<Sample, f64> {
        let value = |row: &Row| Some(((row.round, String::new(), row.seed.clone()), *row.numbers.get(name)?));
        self.rows(at).filter_map(value).collect()
    }

    /// Returns the seconds of whole simulations at a point, one number per round: the time to read the log plus the
    /// replay.
    pub(super) fn simulations(&self, at: At<'_>) -> BTreeMap<Sample, f64> {
        let readings = self.readings.get(at.dataset);
        let whole = |((round, ..), replay): (Sample, f64)| {
            Some(((round, String::new(), String::new()), readings?.get(round)? + replay))
        };
        self.by_round(at, "replay_wall_s").into_iter().filter_map(whole).collect()
    }

    /// Returns the results at a point, one per seed and replication.
    fn rows<'a>(&'a self, at: At<'a>) -> impl Iterator<Item = &'a Row> {
        let rules = at.rules.parse::<Rules>().map(|rules| rules.to_string()).unwrap_or_default();
        let network = resolved(at.network).unwrap_or_default();
        let same = move |row: &&Row| {
            row.dataset == at.dataset
                && row.machine == at.machine
                && row.allocator == at.allocator
                && row.network == network
                && (at.log.is_empty() || row.log == at.log)
                && (row.scheduler == at.scheduler || row.scheduler.split(':').next() == Some(at.scheduler))
                && row.rules == rules
                && (row.arrival_scale - at.arrival_scale).abs() < 1e-9
        };
        self.rows.iter().filter(same)
    }
}
