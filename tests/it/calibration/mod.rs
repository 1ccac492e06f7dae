//! The closing lines against known truths on many logs: coverage of intervals, and false differences between
//! equal arms.
//!
//! `make calibration` replays thousands of logs and writes the table of docs/src/numbers.md. Without the
//! variable CALIBRATION a sample runs in half a minute. Seeds are fixed.

mod arms;
mod logs;
mod sentences;

use std::error::Error;
use std::fmt::Write as _;
use std::fs;

use meshreplay::metrics::Difference;
use meshreplay::report::verdict;
use meshreplay::study::{Outcome, Study};
use rayon::prelude::*;

use self::logs::{Runs, pieces, runs};
use self::sentences::{Clause, Found, clause};
use super::core_support::shared;
use super::docs::root;
use super::support::Tested;

/// The measures, with the words that begin their clause; empty for measures that no line has.
const MEASURES: [(&str, &str); 4] = [
    ("pairwise_sum_mean", "pairwise sum"),
    ("pairwise_mean_mean", ""),
    ("wait_s_mean", "wait"),
    ("bounded_slowdown_mean", ""),
];

/// Returns the difference between two replays of a run as the closing lines state it, or by the same rule for
/// a measure without a line. `None` for equal replays.
fn stated(runs: &Runs, [a, b]: [usize; 2], (measure, words): (&str, &str)) -> Option<Clause> {
    if words.is_empty() {
        let (of, base) = (&runs.outcomes[a], &runs.outcomes[b]);
        let is_overloaded = |one: &Outcome| one.summary.get("overloaded") > Some(0.0);
        let difference = Difference::between(of.parts.get(measure)?, base.parts.get(measure)?)?;
        let is_time = measure == "bounded_slowdown_mean" && (is_overloaded(of) || is_overloaded(base));
        let ends = difference.interval(1).filter(|_| !is_time).map(|ends| [1.0 + ends.low, 1.0 + ends.high]);
        let found = if difference.is_certain() { Found::Different } else { Found::Unclear };
        return (!difference.is_equal).then_some(Clause { ratio: 1.0 + difference.value, ends, found });
    }
    let lines = lines(runs, &[a, b]);
    let names = [a, b].map(|i| runs.study.cells[i].spec.labels.allocator.as_str());
    lines.iter().find_map(|line| clause(line, words, names))
}

/// Returns the closing lines on some replays of a run.
fn lines(runs: &Runs, replays: &[usize]) -> Vec<String> {
    let cells = replays.iter().map(|&i| runs.study.cells[i].clone()).collect();
    let study = Study { cells, ..runs.study.clone() };
    let outcomes = (0..).zip(replays.iter().map(|&i| vec![runs.outcomes[i].clone()])).collect();
    verdict(&study, &logs::finished(outcomes), None)
}

/// Intervals compared with the truth.
#[derive(Clone, Copy, Default)]
struct Coverage {
    intervals: u32,
    covering: u32,
    /// Claimed differences.
    claims: u32,
    /// Claims in the right direction.
    right: u32,
}

impl Coverage {
    fn add(&mut self, clause: &Clause, truth: f64) {
        if let Some([low, high]) = clause.ends {
            self.intervals += 1;
            self.covering += u32::from((low..=high).contains(&truth));
        }
        if clause.found == Found::Different {
            self.claims += 1;
            self.right += u32::from((clause.ratio > 1.0) == (truth > 1.0));
        }
    }

    fn share(&self) -> f64 {
        f64::from(self.covering) / f64::from(self.intervals.max(1))
    }
}

/// Returns the coverage of all pairs and logs by measure. The truth is the ratio of the means over all logs
/// of the same load.
fn coverage(of_load: &[Vec<Runs>], pairs: &[([usize; 2], &[usize])]) -> [Coverage; 4] {
    let mut found = [Coverage::default(); 4];
    for logs in of_load {
        for (pair, measures) in pairs {
            for &m in *measures {
                let mean = |arm: usize| {
                    let of_log = |runs: &Runs| runs.outcomes[arm].summary.get(MEASURES[m].0);
                    logs.iter().filter_map(of_log).sum::<f64>()
                };
                let truth = mean(pair[0]) / mean(pair[1]);
                let clauses: Vec<_> =
                    logs.par_iter().filter_map(|runs| stated(runs, *pair, MEASURES[m])).collect();
                for clause in &clauses {
                    found[m].add(clause, truth);
                }
            }
        }
    }
    found
}

/// Shares of logs.
#[derive(Clone, Copy, Default)]
struct Counted {
    of: u32,
    found: u32,
}

impl Counted {
    fn of(items: impl Iterator<Item = bool>) -> Self {
        items.fold(Self::default(), |sum, item| Self { of: sum.of + 1, found: sum.found + u32::from(item) })
    }

    fn share(self) -> f64 {
        f64::from(self.found) / f64::from(self.of.max(1))
    }
}

const SUM: usize = 0;
const WAIT: usize = 2;

/// The loads of the model.
const LOADS: [&str; 3] = ["0.6", "0.7", "0.85"];

/// Arms with estimated true differences, and the compared pairs with their measures.
const KNOWN: [&str; 4] = ["naive", "snug", "mc1x1", "first-fit"];
const PAIRS: [([usize; 2], &[usize]); 3] = [([1, 0], &[0, 1]), ([1, 2], &[0, 1]), ([3, 1], &[0, 1, 2, 3])];

/// Returns the runs of the arms on logs of the model: `count` seeds for each load.
fn model(jobs: u32, count: u64, schedulers: &[&str], arms: &[&str]) -> Vec<Vec<Runs>> {
    at_loads(&LOADS, jobs, count, schedulers, arms)
}

/// Returns the runs of the arms on logs of the model: `count` seeds for each of the loads.
fn at_loads(loads: &[&str], jobs: u32, count: u64, schedulers: &[&str], arms: &[&str]) -> Vec<Vec<Runs>> {
    let of_load = |load: &&str| {
        let log = format!("lublin:jobs={jobs},load={load}");
        (1..=count).into_par_iter().map(|seed| runs(&log, "16x16", schedulers, arms, seed)).collect()
    };
    loads.iter().map(of_load).collect()
}

/// Counts logs with a false difference between two equal arms, in pairwise sum and in wait.
fn equal_arms(jobs: u32, count: u64) -> [Counted; 2] {
    let logs = model(jobs, count, &["easy"], &["guest:c1", "guest:c2", "guest:s1", "guest:s2"]).concat();
    let called = |pair, m: usize| {
        let clauses = logs.iter().filter_map(|runs| stated(runs, pair, MEASURES[m]));
        Counted::of(clauses.map(|clause| clause.found == Found::Different))
    };
    [called([0, 1], SUM), called([2, 3], WAIT)]
}

/// Counts logs with a false difference between the best of twelve refusing arms and an equal arm that never
/// refuses.
fn best_of_twelve(jobs: u32, count: u64) -> Counted {
    let arms: Vec<String> = (1..=12).map(|i| format!("guest:r{i}")).chain(["guest:c1".to_owned()]).collect();
    let arms: Vec<&str> = arms.iter().map(String::as_str).collect();
    let logs = model(jobs, count, &["easy"], &arms).concat();
    let all: Vec<usize> = (0..arms.len()).collect();
    Counted::of(logs.iter().map(|runs| {
        let lines = lines(runs, &all);
        let line = lines.iter().find(|line| line.contains("the best of 12: pairwise sum"));
        let line = line.unwrap_or_else(|| panic!("no comparison in {lines:?}"));
        let clause = clause(line, "pairwise sum", ["", "guest:c1"]).expect("a difference");
        clause.found == Found::Different && clause.ratio < 1.0
    }))
}

/// Returns the share of overloaded replays under EASY at these loads.
fn overloaded(loads: &[&str], jobs: u32, count: u64) -> f64 {
    let logs = at_loads(loads, jobs, count, &["easy"], &["hilbert+bf"]).concat();
    Counted::of(logs.iter().map(|runs| runs.outcomes[0].summary.get("overloaded") > Some(0.0))).share()
}

/// Counts logs with FCFS found worse than EASY: significantly longer waits, or overload under FCFS alone.
fn fcfs_found(jobs: u32, count: u64) -> Counted {
    let logs = model(jobs, count, &["easy", "fcfs"], &["hilbert+bf"]).concat();
    Counted::of(logs.iter().map(|runs| {
        let lines = lines(runs, &[0, 1]);
        let is_longer = |line: &String| {
            line.starts_with("schedulers: waits are shortest under easy")
                && !line.contains("not significant")
                && !line.contains("about as long")
                && line.contains("95 % CI")
        };
        lines.iter().any(is_longer) || lines.iter().any(|line| line.starts_with("† overloaded (fcfs)"))
    }))
}

#[test]
fn lines_keep_their_promises_on_a_sample_of_logs() {
    if std::env::var_os("CALIBRATION").is_some() {
        return;
    }
    let found = coverage(&model(1000, 67, &["easy"], &KNOWN), &PAIRS);
    for m in [SUM, WAIT] {
        let (name, share) = (MEASURES[m].0, found[m].share());
        println!("{name}: {} intervals, {share:.3} cover", found[m].intervals);
        assert!((0.88..=0.98).contains(&share), "{name}: {share}");
    }
    for called in equal_arms(1000, 67) {
        println!("equal arms: {} logs, {:.3} called different", called.of, called.share());
        assert!(called.share() <= 0.1, "{}", called.share());
    }
}

/// A row of the table: its title and the share for each measure that it has.
fn row(title: &str, shares: [Option<f64>; 4]) -> String {
    let cells = shares.map(|share| share.map_or_else(|| "–".to_owned(), |share| format!("{share:.2}")));
    format!("| {title} | {} |\n", cells.join(" | "))
}

#[test]
fn all_of_it_is_written_into_the_page() -> Tested {
    if std::env::var_os("CALIBRATION").is_none() {
        println!("skipped: thousands of logs; make calibration tries them");
        return Ok(());
    }
    let mut table = "| share of logs | pairwise sum | pairwise mean | wait | slowdown |\n\
                     | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for (jobs, count) in [(1000, 400), (4000, 200)] {
        let found = coverage(&model(jobs, count, &["easy"], &KNOWN), &PAIRS);
        let title = format!("the interval covers the truth: model, {jobs} jobs");
        table += &row(&title, found.map(|one| Some(one.share())));
    }
    for days in [28, 91] {
        let of_log = |name: &str| -> Result<Option<Vec<Runs>>, Box<dyn Error>> {
            let Some(log) = shared(&format!("traces/{name}")) else { return Ok(None) };
            Ok(Some(pieces(&log, days, &KNOWN)?))
        };
        let mut all = Vec::new();
        for name in logs::REAL {
            all.extend(of_log(name)?);
        }
        if all.is_empty() {
            println!("skipped: no real logs");
            continue;
        }
        let found = coverage(&all, &PAIRS);
        let title = format!("the interval covers the whole log: {days} days of {} logs", all.len());
        table += &row(&title, found.map(|one| Some(one.share())));
        let right = |one: Coverage| Some(f64::from(one.right) / f64::from(one.claims.max(1)));
        table += &row("a claimed difference has the direction of the whole log", found.map(right));
    }
    for (jobs, count) in [(1000, 400), (4000, 100)] {
        let [sum, wait] = equal_arms(jobs, count).map(|called| Some(called.share()));
        table += &row(&format!("equal arms are called different: {jobs} jobs"), [sum, None, wait, None]);
    }
    let twelve = best_of_twelve(1000, 100).share();
    table += &row("the best of twelve equal arms is called closer", [Some(twelve), None, None, None]);
    let fcfs = fcfs_found(4000, 100).share();
    table += &row("FCFS is found to wait longer than EASY: 4000 jobs", [None, None, Some(fcfs), None]);
    for (jobs, count) in [(1000, 200), (4000, 100), (10_000, 30)] {
        let share = overloaded(&["0.6", "0.7", "0.8"], jobs, count);
        table += &row(
            &format!("a stable replay is called overloaded: {jobs} jobs"),
            [None, None, Some(share), None],
        );
        let share = overloaded(&["1.1", "1.2"], jobs, count);
        table +=
            &row(&format!("an overloaded replay is called so: {jobs} jobs"), [None, None, Some(share), None]);
    }
    println!("{table}");
    write_table(&table)
}

/// Writes the table into the page between its marks.
fn write_table(table: &str) -> Tested {
    const MARKS: [&str; 2] = ["<!-- make calibration -->\n", "<!-- end of calibration -->"];
    let path = root().join("docs/src/numbers.md");
    let page = fs::read_to_string(&path)?;
    let missing = || format!("{} lacks the marks of the table", path.display());
    let (before, rest) = page.split_once(MARKS[0]).ok_or_else(missing)?;
    let (_, after) = rest.split_once(MARKS[1]).ok_or_else(missing)?;
    let mut text = String::new();
    write!(text, "{before}{}\n{table}\n{}{after}", MARKS[0], MARKS[1])?;
    Ok(fs::write(&path, text)?)
}
