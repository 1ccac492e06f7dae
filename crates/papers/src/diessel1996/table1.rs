//! Table 1: ten runs at saturation with left compaction and with first fit. It shows how many tasks finish
//! later, equally early and earlier with compaction, and by how much. As in the table, the numbers of each
//! run are averaged over the runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::{FIRST_FIT, LEFT, MORE, MORE_WORDS};
use crate::comparisons::rounded;
use crate::finding::{Published, Tolerance, Verdict};
use crate::findings::{Findings, item, pairs};
use meshreplay_logs::ReadOptions;
use meshreplay_sim::engine::Record;
use meshreplay_sim::metrics::{Monitor, Replications};
use meshreplay_study::study::{JobSource, Options, Outcome, Replay, ReplaySpec, load};
use meshreplay_workload::{Oversize, Rules};

const DATASET: &str = "SDSC-Par-1996";
const ARRAY: &str = "400";
const RUNS: u32 = 10;

/// A maximum intertask arrival period in seconds, and an allocator that is compared with first fit.
type Setting = (&'static str, &'static str);

const PUBLISHED: Setting = ("0", LEFT);
/// The setting by the words of the paper.
const BY_WORDS: Setting = ("0", MORE);
/// The setting nearest to the printed share of tasks that were moved, and its words.
const FITTED: Setting = ("0", "left-compaction:step_time=0.05,clock=seconds");
const FITTED_WORDS: &str = "a clock of whole seconds, steps of 0.05 s";
/// Other settings that were tried, each in words.
const TRIED: [(&str, Setting); 5] = [
    ("a step of 0.001 s", ("0", "left-compaction:step_time=0.001")),
    ("0.11 s", ("0", "left-compaction:step_time=0.11")),
    ("1 s", ("0", "left-compaction:step_time=1")),
    ("10 s per record and task looked at", ("0", "left-compaction:select_cost=10,schedule_cost=10")),
    ("arrivals up to 1000 s apart", ("1000", LEFT)),
];

/// The table, and the shares of all tasks in the text.
const TABLE: &str = include_str!("table1.tsv");

/// The groups of tasks.
const GROUPS: [&str; 3] = ["later", "same", "earlier"];
/// The names of the numbers of each group.
const NUMBERS: [&str; 7] = ["tasks", "most", "mean", "moved", "run_most", "run_mean", "delayed"];
/// The printed numbers of tasks delayed, which the table has twice here: tasks that were moved (its text),
/// and tasks delayed by the definition in 3.3.
const DELAYED: [(&str, &str, &str); 3] = [
    ("finishing later", "later_delayed", "10.0"),
    ("finishing at the same time", "same_delayed", "0.0"),
    ("finishing earlier", "earlier_delayed", "4,765.2"),
];

/// Returns rules that make jobs arrive up to `period` seconds apart.
fn rules(period: &str) -> String {
    format!("allocated:arrivals=uniform:max={period}")
}

/// Returns the outcomes of some runs of an allocator; `None` if a replay failed. Tasks arrive up to `period`
/// seconds apart.
pub(super) fn replay(path: &Path, period: &str, allocator: &str, runs: u32) -> Option<Vec<Outcome>> {
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
    let options = Options { replications: Replications::exactly(runs), jobs: true, ..Options::default() };
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
    /// The number of tasks that were suspended for longer than they moved, as 3.3 defines a delay.
    delayed: f64,
    /// The largest and the summed extension of the run time of moved tasks, in percent (`most_run`,
    /// `sum_run`).
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
        self.delayed += f64::from(u8::from(with.delayed_moves > 0));
        if with.suspended.as_micros() > 0 {
            let longer = 100.0 * with.suspended.as_seconds() / run_s;
            self.moved += 1.0;
            self.most_run = self.most_run.max(longer);
            self.sum_run += longer;
        }
    }

    /// Returns the numbers of the group, in the order of [`NUMBERS`].
    fn facts(&self) -> [f64; 7] {
        let share = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        let (change, longer) = (share(self.sum, self.tasks), share(self.sum_run, self.moved));
        [self.tasks, self.most, change, self.moved, self.most_run, longer, self.delayed]
    }
}

/// The numbers of a setting, by name.
pub(super) type Numbers = BTreeMap<String, f64>;

/// Returns the numbers of a setting; `None` if a replay failed. These are the numbers of the table, the
/// shares of all tasks that were moved, finish later and finish earlier, and of the tasks that finish later
/// the share with the same start as without compaction. All shares are in percent.
fn numbers(path: &Path, (period, allocator): Setting) -> Option<Numbers> {
    Some(compared(&replay(path, period, FIRST_FIT, RUNS)?, &replay(path, period, allocator, RUNS)?))
}

/// Returns the numbers of runs with compaction against those without.
pub(super) fn compared(without: &[Outcome], with: &[Outcome]) -> Numbers {
    let runs = with.len() as f64;
    let (mut table, mut later, mut same_start) = ([[0.0; 7]; 3], 0.0, 0.0);
    for (without, with) in without.iter().zip(with) {
        let mut groups: [Group; 3] = Default::default();
        for (a, b) in without.jobs.iter().zip(&with.jobs) {
            let (a, b) = (&a.record, &b.record);
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
    table.iter_mut().flatten().for_each(|sum| *sum /= runs);
    let tasks: f64 = table.iter().map(|group| group[0]).sum();
    let moved: f64 = table.iter().map(|group| group[3]).sum();
    let percent = |count: f64| 100.0 * count / tasks;
    let names = pairs(GROUPS, NUMBERS).map(|(group, name)| format!("{group}_{name}"));
    let others = [
        ("longer_percent", percent(moved)),
        ("later_percent", percent(table[0][0])),
        ("earlier_percent", percent(table[2][0])),
        ("same_start", if later > 0.0 { same_start / later } else { 1.0 }),
    ];
    let others = others.map(|(name, number)| (name.to_owned(), number));
    names.zip(table.into_iter().flatten()).chain(others).collect()
}

/// Returns the rows of the table: the sentence that each belongs to, its words, the name of its number, and
/// the printed number.
pub(super) fn printed_rows() -> impl Iterator<Item = [&'static str; 4]> {
    let cells = |line: &'static str| <[&str; 4]>::try_from(line.split('\t').collect::<Vec<_>>()).ok();
    TABLE.lines().skip(1).filter_map(cells)
}

/// A tenth, as other versions of the log have other tasks; but 0 is 0.
fn tolerance(printed: &str) -> Tolerance {
    let is_zero = Published::parse(printed).is_some_and(|printed| printed.value <= 0.0);
    if is_zero { Tolerance::Absolute(0.0) } else { Tolerance::Percent(10.0) }
}

/// Returns why a number of tasks that finish at the same time says nothing; `None` for other numbers.
fn by_definition(column: &str, numbers: &Numbers) -> Option<&'static str> {
    match column {
        "same_most" | "same_mean" => Some("0 by definition of the group"),
        "same_run_most" | "same_run_mean" if numbers.get("same_moved").is_some_and(|&moved| moved <= 0.0) => {
            Some("0 by definition, as no task of the group was moved")
        }
        _ => None,
    }
}

/// Judges the table and the text about it.
pub(super) fn judge(findings: &mut Findings<'_>) {
    let located = findings.evidence.logs().find(|(dataset, _)| *dataset == DATASET);
    let Some((_, located)) = located else { return };
    findings.about(&located.name, ARRAY);
    let of = |setting| numbers(&located.path, setting).unwrap_or_default();
    let tried = TRIED.map(|(words, setting)| (words, of(setting)));
    judge_reading(findings, "", &of(PUBLISHED), &tried);
    judge_reading(findings, ", free=more", &of(BY_WORDS), &[]);
    let words = Verdict::Note(MORE_WORDS.to_owned());
    item("table", format!("{MORE}: what it rests on")).verdict(words).add_to(findings);
    let fitted = of(FITTED);
    let of_text =
        printed_rows().filter(|[id, _, column, _]| *id == "longer" || *column == "earlier_run_most");
    for [id, words, column, printed] in of_text {
        item(id, format!("{words}, {FITTED_WORDS}"))
            .measured(fitted.get(column).copied())
            .published(printed, tolerance(printed))
            .fitted(2, FITTED_WORDS)
            .add_to(findings);
    }
}

/// Judges one reading of the algorithm, which every item names. The numbers of other settings are given with
/// their words.
fn judge_reading(
    findings: &mut Findings<'_>,
    reading: &str,
    numbers: &Numbers,
    tried: &[(&'static str, Numbers)],
) {
    for [id, words, column, printed] in printed_rows() {
        let others = tried
            .iter()
            .filter_map(|(words, numbers)| Some(format!("{} with {words}", rounded(*numbers.get(column)?))));
        let row = item(id, format!("{words}{reading}"))
            .measured(numbers.get(column).copied())
            .published(printed, tolerance(printed));
        match by_definition(column, numbers) {
            Some(why) => row.verdict(Verdict::Note(why.to_owned())).add_to(findings),
            None => row.tried("", others).add_to(findings),
        }
    }
    for (group, column, printed) in DELAYED {
        item("table", format!("{group}: tasks delayed as 3.3 defines it{reading}"))
            .measured(numbers.get(column).copied())
            .published(printed, tolerance(printed))
            .add_to(findings);
    }
    let number = |column| numbers.get(column).copied();
    let words = format!("running times are extended on average by less than 1 %{reading}");
    findings.claim("extended", words, |is| {
        is.below("of those that finish later, percent", number("later_run_mean"), "1", 1.0);
        is.below("of those that finish earlier, percent", number("earlier_run_mean"), "1", 1.0);
    });
    let words = format!("the overwhelming majority of tasks finish earlier (nine of ten){reading}");
    findings.claim("majority", words, |is| {
        is.below("90", 90.0, "earlier, percent", number("earlier_percent"));
    });
    let words = format!("tasks that finish later had started at the same time under both{reading}");
    findings.claim("same-start", words, |is| {
        let high = "those that start at the same time, as a share";
        is.at_most("all of them", 1.0, high, number("same_start"));
    });
}
