//! Table 1: of ten runs at saturation, how many tasks finish later, as early and earlier with left compaction than with
//! first fit, and by how much.

use std::path::Path;

use super::{SDSC, rules};
use crate::engine::Record;
use crate::metrics::{Monitor, Replications};
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::{Item, Published, Tolerance, Verdict};
use crate::study::{Cell, JobSource, Outcome, Plan, load};
use crate::trace::ReadOptions;
use crate::workload::{Oversize, Rules};

pub(super) const EXPERIMENT: Experiment = Experiment { studies: &[], surveyed: &[SDSC], timed: false, judge };

const RUNS: u32 = 10;
const ARRAY: &str = "400";

/// Ten runs with an allocator.
fn runs(path: &Path, allocator: &str) -> Option<Vec<Outcome>> {
    let rules: Rules = rules("0").parse().ok()?;
    let log = load(path, ReadOptions::default(), rules.clone()).ok()?;
    let jobs = std::sync::Arc::new(log.workload.jobs);
    let cell = Cell {
        log: log.name,
        log_sha256: log.summary.sha256,
        rules: rules.to_string(),
        arrival_scale: 1.0,
        machine: ARRAY.parse().ok()?,
        scheduler: "fcfs".parse().ok()?,
        allocator: allocator.parse().ok()?,
        network: "recorded".parse().ok()?,
        seed: 1,
        source: JobSource::Recorded { jobs, skipped: 0, arrivals: rules.arrivals, arrival_scale: 1.0 },
        oversize: Oversize::Skip,
    };
    let plan = Plan { replications: Replications::exactly(RUNS), jobs: true, ..Plan::default() };
    cell.run(&plan, &Monitor::default()).ok()
}

/// Tasks of one kind.
#[derive(Default)]
struct Group {
    tasks: f64,
    /// Largest and summed change of the finish time, in percent.
    most: f64,
    sum: f64,
    moved: f64,
    /// Largest and summed extension of the run time of those that were moved, in percent.
    most_run: f64,
    sum_run: f64,
}

impl Group {
    fn add(&mut self, without: &Record, with: &Record) {
        let change = 100.0 * (with.end.as_seconds() / without.end.as_seconds() - 1.0).abs();
        self.tasks += 1.0;
        self.most = self.most.max(change);
        self.sum += change;
        let run_s = (without.end - without.start).as_seconds();
        if with.suspended.as_micros() > 0 {
            let longer = 100.0 * with.suspended.as_seconds() / run_s;
            self.moved += 1.0;
            self.most_run = self.most_run.max(longer);
            self.sum_run += longer;
        }
    }
}

/// Later, same, earlier.
fn groups(without: &[Outcome], with: &[Outcome]) -> [Group; 3] {
    let mut groups: [Group; 3] = Default::default();
    for (without, with) in without.iter().zip(with) {
        for (a, b) in without.records.iter().zip(&with.records) {
            let group = match b.end.cmp(&a.end) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Equal => 1,
                std::cmp::Ordering::Less => 2,
            };
            groups[group].add(a, b);
        }
    }
    groups
}

/// The extensions that were printed suggest that a step took longer than the millisecond that is the default.
fn slower_steps(path: &Path, without: &[Outcome], log: &str) -> Vec<Item> {
    let Some(with) = runs(path, "left-compaction:step_time=0.1") else { return Vec::new() };
    let [later, _, earlier] = groups(without, &with);
    let facts = [
        ("finishing later: tasks", "10.0", later.tasks / f64::from(RUNS)),
        ("finishing later: finish time, largest change, percent", "0.9", later.most),
        ("finishing earlier: run time, largest extension, percent", "48.7", earlier.most_run),
        (
            "finishing earlier: run time, mean extension, percent",
            "0.8",
            earlier.sum_run / earlier.moved.max(1.0),
        ),
    ];
    let item = |(fact, printed, measured): (&str, &str, f64)| {
        let item = Item::new(&format!("{fact} (a step of 0.1 s)"), log, ARRAY).measured(measured);
        Item { published: Published::parse(printed), ..item }
    };
    facts.into_iter().map(item).collect()
}

fn judge(found: &Evidence) -> Vec<Item> {
    let located = found.logs().find(|(dataset, _)| *dataset == SDSC).map(|(_, located)| located.path.clone());
    let (Some(path), Some(log)) = (located, found.log(SDSC)) else { return Vec::new() };
    let (Some(without), Some(with)) = (runs(&path, "linear-first-fit"), runs(&path, "left-compaction"))
    else {
        return Vec::new();
    };
    let groups = groups(&without, &with);
    let runs = f64::from(RUNS);
    let mut items = Vec::new();
    let printed = [
        ["10.0", "0.9", "0.2", "10.0", "1.0", "0.2"],
        ["82.0", "0.0", "0.0", "0.0", "0.0", "0.0"],
        ["32,966.0", "96.6", "19.4", "4,765.2", "48.7", "0.8"],
    ];
    let share = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
    for ((name, printed), group) in
        ["later", "at the same time", "earlier"].into_iter().zip(printed).zip(&groups)
    {
        let facts = [
            ("tasks", group.tasks / runs),
            ("finish time, largest change, percent", group.most),
            ("finish time, mean change, percent", share(group.sum, group.tasks)),
            ("tasks that were moved", group.moved / runs),
            ("run time, largest extension, percent", group.most_run),
            ("run time, mean extension, percent", share(group.sum_run, group.moved)),
        ];
        for ((fact, measured), printed) in facts.into_iter().zip(printed) {
            let item = Item::new(&format!("finishing {name}: {fact}"), &log, ARRAY).measured(measured);
            // Another version of the log has other tasks: the numbers stand beside each other, without a verdict.
            items.push(Item { published: Published::parse(printed), verdict: Verdict::None, ..item });
        }
    }
    items.extend(slower_steps(&path, &without, &log));
    let tasks: f64 = groups.iter().map(|group| group.tasks).sum();
    for (fact, printed, measured) in [
        ("tasks that finish later, percent", "0.03", 100.0 * groups[0].tasks / tasks),
        ("tasks that finish earlier, percent", "99.72", 100.0 * groups[2].tasks / tasks),
    ] {
        if let Some(published) = Published::parse(printed) {
            let item = Item::new(fact, &log, ARRAY);
            items.push(item.compared(published, measured, Tolerance::Absolute(0.5)));
        }
    }
    items
}
