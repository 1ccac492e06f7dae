//! What was measured for a figure: the summaries of its studies' cells, and facts about its logs.

use std::collections::BTreeMap;

use super::dataset::Located;
use crate::allocator;
use crate::frame::{Sheet, SheetValues};
use crate::metrics::Interval;
use crate::spec::Spec;
use crate::study::LoadedLog;
use crate::workload::Rules;

/// Which cells a number is wanted of. What is left empty stands for the usual: EASY, the authors' rules, arrivals as
/// recorded.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The dataset.
    pub dataset: &'a str,
    /// The log, where a study has several of a dataset; empty for all of them.
    pub log: &'a str,
    /// The machine.
    pub machine: &'a str,
    /// The allocator, as tables abbreviate it.
    pub allocator: &'a str,
    /// The scheduler: its name, or the spec with every default written out.
    pub scheduler: &'a str,
    /// How records become jobs.
    pub rules: &'a str,
    /// What arrival times were multiplied by.
    pub arrival_scale: f64,
    /// The execution model with every default written out.
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

/// What a log is like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogFacts {
    /// Jobs by the authors' rules.
    pub jobs: usize,
    /// Processors of the machine, as the log's header has it; `None` if it does not say.
    pub processors: Option<i64>,
    /// Share of jobs of one processor.
    pub serial: f64,
    /// Shares of the jobs of more processors whose number is a power of 2, of 4 and of 8.
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

/// A finished cell.
#[derive(Clone, Debug)]
struct Row {
    dataset: String,
    log: String,
    seed: String,
    /// The repetition, where times are wanted.
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
    /// Seconds that it took to read a dataset's log, by round.
    readings: BTreeMap<String, Vec<f64>>,
    rows: Vec<Row>,
}

impl Evidence {
    /// Adds a log that was found.
    pub fn add_log(&mut self, dataset: &str, located: Located, facts: Option<LogFacts>) {
        let entry = self.logs.entry(dataset.to_owned()).or_insert((located, None));
        entry.1 = entry.1.or(facts);
    }

    /// Adds how long it took to read a dataset's log in the next round.
    pub fn add_reading(&mut self, dataset: &str, seconds: f64) {
        self.readings.entry(dataset.to_owned()).or_default().push(seconds);
    }

    /// Adds the summary of a study of `dataset`, measured in this round.
    pub fn add_sheet(&mut self, dataset: &str, sheet: &Sheet, round: usize) {
        let text =
            |name: &str, i: usize| sheet.column(name).map(|column| column.label(i)).unwrap_or_default();
        let number = |column: &SheetValues, i: usize| match column {
            SheetValues::Number { numbers, .. } => numbers[i],
            SheetValues::Text(_) => None,
        };
        for i in 0..sheet.height() {
            let numbers: BTreeMap<String, f64> = sheet
                .columns
                .iter()
                .filter_map(|column| Some((column.name.clone(), number(&column.values, i)?)))
                .collect();
            let allocator = text("allocator", i);
            let short = |spec: Spec| allocator::short(&spec);
            self.rows.push(Row {
                dataset: dataset.to_owned(),
                log: text("log", i),
                seed: text("seed", i),
                round,
                rules: text("rules", i),
                machine: text("machine", i),
                scheduler: text("scheduler", i),
                allocator: allocator.parse().map_or(allocator, short),
                network: text("network", i),
                arrival_scale: numbers.get("arrival_scale").copied().unwrap_or(1.0),
                numbers,
            });
        }
    }

    /// Adds numbers for every cell of a study, as if it had been replayed: what `numbers` says of its place among them.
    #[cfg(test)]
    pub(super) fn add_made(
        &mut self,
        dataset: &str,
        cells: &[crate::study::ManifestCell],
        round: usize,
        numbers: &dyn Fn(usize) -> BTreeMap<String, f64>,
    ) {
        for (i, cell) in cells.iter().enumerate() {
            let allocator = allocator::short(&cell.spec.allocator);
            self.rows.push(Row {
                dataset: dataset.to_owned(),
                log: cell.spec.log.clone(),
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

    /// The allocators that were measured on a dataset, in the order of the study.
    pub fn allocators(&self, dataset: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for row in self.rows.iter().filter(|row| row.dataset == dataset) {
            if !found.contains(&row.allocator) {
                found.push(row.allocator.clone());
            }
        }
        found
    }

    /// The logs that were replayed over a network, in the order of the study.
    pub fn logs_over(&self, network: &str) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for row in self.rows.iter().filter(|row| row.network == network) {
            if !found.contains(&row.log.as_str()) {
                found.push(&row.log);
            }
        }
        found
    }

    /// The file name without extensions of a dataset that was found.
    pub fn log(&self, dataset: &str) -> Option<String> {
        self.logs.get(dataset).map(|(located, _)| located.name.clone())
    }

    /// The logs that were found, by dataset.
    pub fn logs(&self) -> impl Iterator<Item = (&str, &Located)> {
        self.logs.iter().map(|(dataset, (located, _))| (dataset.as_str(), located))
    }

    /// What a log that was surveyed is like.
    pub fn facts(&self, dataset: &str) -> Option<LogFacts> {
        self.logs.get(dataset).and_then(|(_, facts)| *facts)
    }

    /// Column `name` of the summary `at` this point, the mean over seeds and replications; `None` if nothing was
    /// measured there.
    pub fn value(&self, at: At<'_>, name: &str) -> Option<f64> {
        self.interval(at, name).map(|interval| interval.mean)
    }

    /// The same with its confidence interval.
    pub fn interval(&self, at: At<'_>, name: &str) -> Option<Interval> {
        let values: Vec<f64> = self.rows(at).filter_map(|row| row.numbers.get(name).copied()).collect();
        Interval::of(&values)
    }

    /// The means of column `name` at two points over the logs and seeds that both have, and by how much the first is above the
    /// second: what differs then is not the workload.
    pub fn pair(&self, a: At<'_>, b: At<'_>, name: &str) -> Option<(f64, f64, Interval)> {
        let common = self.pairs(a, b, name);
        let mean = |of: fn(&(f64, f64)) -> f64| common.iter().map(of).sum::<f64>() / common.len() as f64;
        let above: Vec<f64> = common.iter().map(|(a, b)| a - b).collect();
        Some((mean(|pair| pair.0), mean(|pair| pair.1), Interval::of(&above)?))
    }

    /// Column `name` at two points, of every log and seed that both have, in the order of their names.
    pub fn pairs(&self, a: At<'_>, b: At<'_>, name: &str) -> Vec<(f64, f64)> {
        let (a, b) = (self.by_workload(a, name), self.by_workload(b, name));
        a.iter().filter_map(|(workload, value)| Some((*value, *b.get(workload)?))).collect()
    }

    /// Column `name` at a point, by log if all logs of the dataset are meant, and by seed.
    fn by_workload<'a>(&'a self, at: At<'a>, name: &str) -> BTreeMap<(&'a str, &'a str), f64> {
        let log = |row: &'a Row| if at.log.is_empty() { row.log.as_str() } else { "" };
        let value = |row: &'a Row| Some(((log(row), row.seed.as_str()), *row.numbers.get(name)?));
        self.rows(at).filter_map(value).collect()
    }

    /// The sums of columns at two points, of every round and seed that both have: measured soon after each other, so that
    /// what slows the machine slows both.
    pub fn interleaved(&self, a: At<'_>, b: At<'_>, columns: &[&str]) -> Vec<(f64, f64)> {
        let (a, b) = (self.repetitions(a, columns), self.repetitions(b, columns));
        a.iter().filter_map(|(place, value)| Some((*value, *b.get(place)?))).collect()
    }

    /// The sum of columns at a point, by round and seed.
    fn repetitions<'a>(&'a self, at: At<'a>, columns: &[&str]) -> BTreeMap<(usize, &'a str), f64> {
        let sum =
            |row: &Row| columns.iter().map(|column| row.numbers.get(*column).copied()).sum::<Option<f64>>();
        self.rows(at).filter_map(|row| Some(((row.round, row.seed.as_str()), sum(row)?))).collect()
    }

    /// Seconds of whole simulations at a point, by round: reading the log, and the replay.
    pub fn simulations(&self, at: At<'_>) -> BTreeMap<usize, f64> {
        let readings = self.readings.get(at.dataset);
        let whole =
            |((round, _), replay): ((usize, &str), f64)| Some((round, readings?.get(round)? + replay));
        self.repetitions(at, &["replay_wall_s"]).into_iter().filter_map(whole).collect()
    }

    /// The results at a point, one per seed and replication.
    fn rows<'a>(&'a self, at: At<'a>) -> impl Iterator<Item = &'a Row> {
        let rules = at.rules.parse::<Rules>().map(|rules| rules.to_string()).unwrap_or_default();
        let same = move |row: &&Row| {
            row.dataset == at.dataset
                && row.machine == at.machine
                && row.allocator == at.allocator
                && row.network == at.network
                && (at.log.is_empty() || row.log == at.log)
                && (row.scheduler == at.scheduler || row.scheduler.split(':').next() == Some(at.scheduler))
                && row.rules == rules
                && (row.arrival_scale - at.arrival_scale).abs() < 1e-9
        };
        self.rows.iter().filter(same)
    }

    /// The mean pairwise sum `at` this point.
    pub fn pairwise_sum(&self, at: At<'_>) -> Option<f64> {
        self.value(at, "pairwise_sum_mean")
    }
}
