//! Which time of a step, cost of a decision and rule of refusal come nearest to the printed numbers.
//!
//! The paper takes its costs from a report that could not be had. The grid is searched against all numbers of
//! Table 1 that are not 0, and the four gaps between left and cost-free compaction of §4.1, at once. The
//! distance of a setting is the geometric mean of the factors between measured and printed numbers, either
//! way round. Every number counts alike, and one that comes out as 0 counts as a thousandth of the printed
//! one. All tasks arrive at time 0, so one run has everything. The settings are fitted, so they judge
//! nothing.

use std::path::Path;

use super::table1::{compared, printed_rows, replay};
use super::{FIRST_FIT, FREE, LEFT};
use crate::finding::{Published, Tolerance, Verdict};
use crate::findings::{Findings, item};
use meshreplay_study::study::Outcome;

const DATASET: &str = "SDSC-Par-1996";
const ARRAY: &str = "400";
/// Seconds of a step, seconds for each record looked at, and rules.
const STEPS: [&str; 5] = ["0.1", "0.5", "1", "2", "3"];
const DECISIONS: [&str; 4] = ["0.000001", "0.3", "1", "3"];
const RULES: [&str; 4] = ["no", "sooner", "ending", "both"];
/// The parameters of a setting that are chosen.
const PARAMETERS: u32 = 3;
/// The printed gaps between left and cost-free compaction, in points: queue delay, allocation delay,
/// completion time, and gain in utilization, which is taken as the inverse of the completion time.
const GAPS: [(&str, &str); 4] = [
    ("gap in queue delay, points", "0.3"),
    ("gap in allocation delay, points", "0.3"),
    ("gap in completion time, points", "0.2"),
    ("gap in utilization, points", "0.4"),
];

/// A printed number and the measured one.
struct Number {
    words: &'static str,
    printed: &'static str,
    measured: f64,
}

impl Number {
    /// Returns the logarithm of the factor between the numbers; `None` if the printed one is 0.
    fn distance(&self) -> Option<f64> {
        let printed = Published::parse(self.printed)?.value;
        (printed > 0.0).then(|| (self.measured.max(printed / 1000.0) / printed).ln().abs())
    }
}

/// A setting of left compaction with its numbers.
struct Candidate {
    allocator: String,
    rule: &'static str,
    numbers: Vec<Number>,
}

impl Candidate {
    /// Returns the geometric mean of the factors between measured and printed numbers.
    fn factor(&self) -> f64 {
        let distances: Vec<f64> = self.numbers.iter().filter_map(Number::distance).collect();
        (distances.iter().sum::<f64>() / distances.len().max(1) as f64).exp()
    }
}

/// Returns mean queue delay, mean allocation delay, completion time and its inverse of a run.
fn means(run: &Outcome) -> [f64; 4] {
    let records = || run.jobs.iter().map(|job| &job.record);
    let count = run.jobs.len().max(1) as f64;
    // All tasks arrive at time 0.
    let queue: f64 = records().map(|record| record.head.as_seconds()).sum();
    let allocation: f64 = records().map(|record| (record.start - record.head).as_seconds()).sum();
    let completion = records().map(|record| record.end.as_seconds()).fold(0.0, f64::max);
    [queue / count, allocation / count, completion, 1.0 / completion]
}

/// Returns the candidate for an allocator; `None` if its replay failed.
fn candidate(path: &Path, allocator: String, rule: &'static str, others: &[Outcome; 2]) -> Option<Candidate> {
    let run = replay(path, "0", &allocator, 1)?.into_iter().next()?;
    let [first_fit, free] = others;
    let table = compared(std::slice::from_ref(first_fit), std::slice::from_ref(&run));
    let of_table = printed_rows().filter_map(|[_, words, column, printed]| {
        Some(Number { words, printed, measured: *table.get(column)? })
    });
    let [base, best, own] = [first_fit, free, &run].map(means);
    let gap = |i: usize| 100.0 * ((own[i] - best[i]) / base[i]).abs();
    let gaps =
        GAPS.into_iter().enumerate().map(|(i, (words, printed))| Number { words, printed, measured: gap(i) });
    let numbers = of_table.chain(gaps).collect();
    Some(Candidate { allocator, rule, numbers })
}

/// Adds the nearest setting of each rule, and the numbers of the nearest of all.
pub(super) fn judge(findings: &mut Findings<'_>) {
    let located = findings.evidence.logs().find(|(dataset, _)| *dataset == DATASET);
    let Some((_, located)) = located else { return };
    let path = &located.path;
    findings.about(&located.name, ARRAY);
    let run = |allocator: &str| replay(path, "0", allocator, 1)?.into_iter().next();
    let (Some(first_fit), Some(free)) = (run(FIRST_FIT), run(FREE)) else { return };
    let others = [first_fit, free];
    let add = |findings: &mut Findings<'_>, words: String, candidate: &Candidate, parameters| {
        let row = item("distance", words).measured(Some(candidate.factor()));
        let reading = &candidate.allocator;
        if parameters == 0 {
            row.verdict(Verdict::Note(reading.clone())).add_to(findings);
        } else {
            row.fitted(parameters, reading).add_to(findings);
        }
    };
    if let Some(default) = candidate(path, LEFT.to_owned(), "no", &others) {
        add(findings, "mean factor between measured and printed, defaults".to_owned(), &default, 0);
    }
    let mut all = Vec::new();
    for rule in RULES {
        for step in STEPS {
            for decision in DECISIONS {
                let refuse = if rule == "no" { String::new() } else { format!(",refuse={rule}") };
                let allocator =
                    format!("{LEFT}:step_time={step},select_cost={decision},schedule_cost=0{refuse}");
                all.extend(candidate(path, allocator, rule, &others));
            }
        }
    }
    let nearest = |rule: Option<&str>| {
        let of_rule = all.iter().filter(|candidate| rule.is_none_or(|rule| rule == candidate.rule));
        of_rule.min_by(|a, b| a.factor().total_cmp(&b.factor()))
    };
    for rule in RULES {
        if let Some(best) = nearest(Some(rule)) {
            let parameters = if rule == "no" { PARAMETERS - 1 } else { PARAMETERS };
            let words = format!("mean factor between measured and printed, nearest with refuse={rule}");
            add(findings, words, best, parameters);
        }
    }
    for Number { words, printed, measured } in nearest(None).iter().flat_map(|best| &best.numbers) {
        item("nearest", words)
            .measured(Some(*measured))
            .published(printed, Tolerance::Percent(10.0))
            .fitted(PARAMETERS, "")
            .add_to(findings);
    }
}
