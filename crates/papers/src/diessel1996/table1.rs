//! Table 1: ten runs at saturation with left compaction and with first fit. It shows how many tasks finish later,
//! equally early and earlier with compaction, and by how much. As in the table, the numbers of each run are averaged
//! over the runs.

use std::path::Path;
use std::sync::Arc;

use crate::evidence::{At, Evidence};
use crate::finding::Finding;
use meshreplay_logs::ReadOptions;
use meshreplay_sim::engine::Record;
use meshreplay_sim::metrics::{Monitor, Replications};
use meshreplay_study::study::{JobSource, Options, Outcome, Replay, ReplaySpec, load};
use meshreplay_workload::{Oversize, Rules};

const DATASET: &str = "SDSC-Par-1996";
const ARRAY: &str = "400";
/// The allocator with which left compaction is compared.
const FIRST_FIT: &str = "linear-first-fit";
const RUNS: u32 = 10;

/// A maximum intertask arrival period in seconds, and an allocator that is compared with first fit.
type Setting = (&'static str, &'static str);

/// The published setting first, then other settings that were tried.
const SETTINGS: [Setting; 6] = [
    ("0", "left-compaction"),
    ("0", "left-compaction:step_time=0.001"),
    ("0", "left-compaction:step_time=0.11"),
    ("0", "left-compaction:step_time=1"),
    ("0", "left-compaction:select_cost=10,schedule_cost=10"),
    ("1000", "left-compaction"),
];

/// The groups of tasks, and the numbers of each group, by the names that the rules use.
const COLUMNS: [[&str; 6]; 3] = [
    ["later_tasks", "later_most", "later_mean", "later_moved", "later_run_most", "later_run_mean"],
    ["same_tasks", "same_most", "same_mean", "same_moved", "same_run_most", "same_run_mean"],
    [
        "earlier_tasks",
        "earlier_most",
        "earlier_mean",
        "earlier_moved",
        "earlier_run_most",
        "earlier_run_mean",
    ],
];

/// Returns the rules by which records of the log become jobs that arrive up to `period` seconds apart.
fn rules(period: &str) -> String {
    format!("allocated:arrivals=uniform:max={period}")
}

/// Returns the outcomes of ten runs of a setting; `None` if a replay failed.
fn runs(path: &Path, (period, allocator): Setting) -> Option<Vec<Outcome>> {
    let rules: Rules = rules(period).parse().ok()?;
    let log = load(path, ReadOptions::default(), rules.clone()).ok()?;
    let (jobs, names) = (log.workload.jobs, log.names);
    let spec = ReplaySpec::new(ARRAY.parse().ok()?, "fcfs".parse().ok()?, allocator.parse().ok()?);
    let arrivals = rules.arrivals;
    let replay = Replay::new(
        ReplaySpec {
            log: log.name.into(),
            rules: Arc::new(Rules { oversize: Oversize::Skip, ..rules }),
            ..spec
        },
        JobSource::Recorded { jobs, skipped: 0, arrivals, arrival_scale: 1.0, names, log: None },
    );
    let options = Options { replications: Replications::exactly(RUNS), jobs: true, ..Options::default() };
    replay.run(&options, &Monitor::default()).ok()
}

/// The tasks of one group (later, same or earlier) in one run.
#[derive(Default)]
struct Group {
    tasks: f64,
    /// The largest and the summed change of the finish time, in percent (`most`, `sum`).
    most: f64,
    sum: f64,
    moved: f64,
    /// The largest and the summed extension of the run time of moved tasks, in percent (`most_run`, `sum_run`).
    most_run: f64,
    sum_run: f64,
    /// The number of tasks with the same start as without compaction.
    same_start: f64,
}

impl Group {
    fn add(&mut self, without: &Record, with: &Record) {
        let change = 100.0 * (with.end.as_seconds() / without.end.as_seconds() - 1.0).abs();
        self.tasks += 1.0;
        self.most = self.most.max(change);
        self.sum += change;
        self.same_start += f64::from(u8::from(with.start == without.start));
        let run_s = (without.end - without.start).as_seconds();
        if with.suspended.as_micros() > 0 {
            let longer = 100.0 * with.suspended.as_seconds() / run_s;
            self.moved += 1.0;
            self.most_run = self.most_run.max(longer);
            self.sum_run += longer;
        }
    }

    /// Returns the six numbers of the group in the table.
    fn facts(&self) -> [f64; 6] {
        let share = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        let (change, longer) = (share(self.sum, self.tasks), share(self.sum_run, self.moved));
        [self.tasks, self.most, change, self.moved, self.most_run, longer]
    }
}

/// Returns the numbers of a setting with their names; `None` if a replay failed. These are the numbers of the table,
/// the shares of all tasks that were moved, finish later and finish earlier, and of the tasks that finish later the
/// share with the same start as without compaction. All shares are in percent.
fn numbers(path: &Path, setting: Setting) -> Option<Vec<(&'static str, f64)>> {
    let (without, with) = (runs(path, (setting.0, FIRST_FIT))?, runs(path, setting)?);
    let (mut table, mut later, mut same_start) = ([[0.0; 6]; 3], 0.0, 0.0);
    for (without, with) in without.iter().zip(&with) {
        let mut groups: [Group; 3] = Default::default();
        for (a, b) in without.records.iter().zip(&with.records) {
            let group = match b.end.cmp(&a.end) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 2,
            };
            groups[group].add(a, b);
        }
        for (sums, group) in table.iter_mut().zip(&groups) {
            for (sum, fact) in sums.iter_mut().zip(group.facts()) {
                *sum += fact;
            }
        }
        later += groups[0].tasks;
        same_start += groups[0].same_start;
    }
    table.iter_mut().flatten().for_each(|sum| *sum /= f64::from(RUNS));
    let tasks: f64 = table.iter().map(|group| group[0]).sum();
    let moved: f64 = table.iter().map(|group| group[3]).sum();
    let percent = |count: f64| 100.0 * count / tasks;
    let columns = COLUMNS.into_iter().flatten().zip(table.into_iter().flatten());
    Some(
        columns
            .chain([
                ("longer_percent", percent(moved)),
                ("later_percent", percent(table[0][0])),
                ("earlier_percent", percent(table[2][0])),
                ("same_start", if later > 0.0 { same_start / later } else { 1.0 }),
            ])
            .collect(),
    )
}

/// Measures the numbers of every setting. The rules of the table judge them.
pub(super) fn measure(found: &mut Evidence) -> Vec<Finding> {
    let located =
        found.logs().find(|(dataset, _)| *dataset == DATASET).map(|(_, located)| located.path.clone());
    for setting in SETTINGS {
        if let Some(numbers) = located.as_deref().and_then(|path| numbers(path, setting)) {
            let (rules, allocator) = (rules(setting.0), setting.1);
            let at = At {
                dataset: DATASET,
                machine: ARRAY,
                scheduler: "fcfs",
                rules: &rules,
                allocator,
                ..At::default()
            };
            found.add_measured(at, 0, &numbers);
        }
    }
    Vec::new()
}
