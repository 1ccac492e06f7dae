//! Table 1: of ten runs at saturation, how many tasks finish later, as early and earlier with left compaction than with
//! first fit, and by how much. Numbers are those of a run, averaged over the runs, as the table's are.

use std::path::Path;

use super::delays::{ARRAY, FF, LOC, with_tries};
use super::{SDSC, rules};
use crate::engine::Record;
use crate::metrics::{Monitor, Replications};
use crate::paper::comparisons::Comparisons;
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::{Item, Published, Tolerance};
use crate::study::{JobSource, Options, Outcome, Replay, ReplaySpec, load};
use crate::trace::ReadOptions;
use crate::workload::{Oversize, Rules};

pub(super) const EXPERIMENT: Experiment = Experiment { studies: &[], surveyed: &[SDSC], timed: false, judge };

const RUNS: u32 = 10;

/// A maximum intertask arrival period in seconds, and an allocator that is compared with first fit.
type Setting = (&'static str, &'static str);

const USUAL: Setting = ("0", LOC);
/// Other settings, in words.
const TRIED: [(&str, Setting); 5] = [
    ("a step of 0.001 s", ("0", "left-compaction:step_time=0.001")),
    ("0.11 s", ("0", "left-compaction:step_time=0.11")),
    ("1 s", ("0", "left-compaction:step_time=1")),
    ("10 s per record and task looked at", ("0", "left-compaction:select_cost=10,schedule_cost=10")),
    ("arrivals up to 1000 s apart", ("1000", LOC)),
];

/// The table: a group of tasks, and its numbers.
const PRINTED: [(&str, [&str; 6]); 3] = [
    ("later", ["10.0", "0.9", "0.2", "10.0", "1.0", "0.2"]),
    ("at the same time", ["82.0", "0.0", "0.0", "0.0", "0.0", "0.0"]),
    ("earlier", ["32,966.0", "96.6", "19.4", "4,765.2", "48.7", "0.8"]),
];
/// What the numbers are.
const FACTS: [&str; 6] = [
    "tasks",
    "finish time, largest change, percent",
    "finish time, mean change, percent",
    "tasks that were moved",
    "run time, largest extension, percent",
    "run time, mean extension, percent",
];
/// The text: what it says of all tasks. The last one follows from the table.
const TEXT: [(&str, &str); 3] = [
    ("tasks with longer run times, percent", "14.4"),
    ("tasks that finish later, percent", "0.03"),
    ("tasks that finish earlier, percent (from the table)", "99.72"),
];

/// How far a number may be off, by the number: other versions of the log have other tasks.
const TOLERANCE_PERCENT: f64 = 10.0;

/// Ten runs of a setting.
fn runs(path: &Path, (period, allocator): Setting) -> Option<Vec<Outcome>> {
    let rules: Rules = rules(period).parse().ok()?;
    let log = load(path, ReadOptions::default(), rules.clone()).ok()?;
    let jobs = std::sync::Arc::new(log.workload.jobs);
    let spec = ReplaySpec::new(ARRAY.parse().ok()?, "fcfs".parse().ok()?, allocator.parse().ok()?);
    let arrivals = rules.arrivals;
    let replay = Replay {
        spec: ReplaySpec { log: log.name, rules: Rules { oversize: Oversize::Skip, ..rules }, ..spec },
        source: JobSource::Recorded { jobs, skipped: 0, arrivals, arrival_scale: 1.0 },
    };
    let options = Options { replications: Replications::exactly(RUNS), jobs: true, ..Options::default() };
    replay.run(&options, &Monitor::default()).ok()
}

/// Tasks of one kind in one run.
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
    /// Those that started when they do without compaction.
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

    /// The numbers of the table.
    fn facts(&self) -> [f64; 6] {
        let share = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        let (change, longer) = (share(self.sum, self.tasks), share(self.sum_run, self.moved));
        [self.tasks, self.most, change, self.moved, self.most_run, longer]
    }
}

/// What a setting gives: the table's numbers, those of the text, and what share of the tasks that finish later had started
/// when they do without compaction.
struct Measured {
    table: [[f64; 6]; 3],
    text: [f64; 3],
    same_start: f64,
}

fn measure(path: &Path, setting: Setting) -> Option<Measured> {
    let (without, with) = (runs(path, (setting.0, FF))?, runs(path, setting)?);
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
    let text = [moved, table[0][0], table[2][0]].map(|count| 100.0 * count / tasks);
    Some(Measured { table, text, same_start: if later > 0.0 { same_start / later } else { 1.0 } })
}

impl Measured {
    /// All numbers in the order in which they are printed.
    fn numbers(&self) -> impl Iterator<Item = f64> {
        self.table.iter().flatten().chain(&self.text).copied()
    }
}

fn judge(found: &Evidence) -> Vec<Item> {
    let located = found.logs().find(|(dataset, _)| *dataset == SDSC).map(|(_, located)| located.path.clone());
    let (Some(path), Some(log)) = (located, found.log(SDSC)) else { return Vec::new() };
    let Some(usual) = measure(&path, USUAL) else { return Vec::new() };
    let others: Vec<(&str, Measured)> =
        TRIED.into_iter().filter_map(|(words, setting)| Some((words, measure(&path, setting)?))).collect();
    let rows = PRINTED.into_iter().flat_map(|(name, printed)| {
        FACTS
            .into_iter()
            .zip(printed)
            .map(move |(fact, printed)| (format!("finishing {name}: {fact}"), printed))
    });
    let rows = rows.chain(TEXT.into_iter().map(|(fact, printed)| (fact.to_owned(), printed)));
    let mut items = Vec::new();
    for (i, ((fact, printed), measured)) in rows.zip(usual.numbers()).enumerate() {
        let Some(published) = Published::parse(printed) else { continue };
        let tolerance = if published.value > 0.0 {
            Tolerance::Percent(TOLERANCE_PERCENT)
        } else {
            Tolerance::Absolute(0.0)
        };
        let tries: Vec<(&str, f64)> =
            others.iter().filter_map(|(words, found)| Some((*words, found.numbers().nth(i)?))).collect();
        let item = Item::new(&fact, &log, ARRAY).compared(published, measured, tolerance);
        items.push(with_tries(item, &tries));
    }
    let [mut below, mut majority, mut early] = [(); 3].map(|()| Comparisons::default());
    for (name, group) in [("of those that finish later", 0), ("of those that finish earlier", 2)] {
        below.below((&format!("{name}, percent"), Some(usual.table[group][5])), ("1", Some(1.0)));
    }
    majority.below(("90", Some(90.0)), ("earlier, percent", Some(usual.text[2])));
    early.at_most(
        ("all of them", Some(1.0)),
        ("those that start at the same time, as a share", Some(usual.same_start)),
    );
    for (comparisons, fact) in [
        (below, "running times are extended on average by less than 1 %"),
        (majority, "the overwhelming majority of tasks finish earlier (nine of ten)"),
        (early, "tasks that finish later had started at the same time under both"),
    ] {
        items.extend(comparisons.item(fact, &log, ARRAY));
    }
    items
}
