//! Times of whole replays under each scheduler.

use std::io::{self, Write};
use std::sync::Arc;

use meshreplay::job::{Job, Time};
use meshreplay::metrics::Monitor;
use meshreplay::scheduler::{RECORDED, SCHEDULERS};
use meshreplay::spec::Spec;
use meshreplay::study::{JobSource, Options, Replay, ReplaySpec};
use meshreplay::workload::lublin::{Lublin, LublinOptions};

use super::Plan;
use super::cells::{Cell, measure};

/// The numbers of jobs that arrive over time.
const JOBS: [usize; 4] = [1000, 10_000, 100_000, 1_000_000];
/// The numbers of jobs that arrive at one instant.
const QUEUES: [usize; 4] = [1000, 2000, 4000, 10_000];
/// The nodes of the machine.
const MACHINE: &str = "1024";

/// Writes a line for each scheduler and number of jobs of the Lublin–Feitelson model, placed by `naive`,
/// without reading a log and writing results. In a *queue* all jobs arrive at one instant, with estimates of
/// twice the run times.
pub(crate) fn write(plan: &Plan, csv: &mut impl Write) -> io::Result<()> {
    for entry in SCHEDULERS.iter().filter(|entry| entry.name != RECORDED && plan.wants(entry.name)) {
        plan.note(&format!("replays under {}", entry.name))?;
        for (kind, sizes) in [("jobs", JOBS), ("queue", QUEUES)] {
            for (size, cell) in sizes.iter().zip(row(plan, entry.name, &sizes, kind == "queue")) {
                if let Some(cell) = cell {
                    writeln!(csv, "{kind},{},{MACHINE},{size},{}", entry.name, cell.csv())?;
                }
            }
        }
        csv.flush()?;
    }
    Ok(())
}

/// Measures replays of each number of jobs under a scheduler, until one takes too long.
fn row(plan: &Plan, scheduler: &str, sizes: &[usize], in_queue: bool) -> Vec<Option<Cell>> {
    let mut cells: Vec<Option<Cell>> = Vec::new();
    for &size in sizes {
        let is_over = cells.last().is_some_and(|cell| cell.is_none_or(|cell| cell.is_stopped));
        cells.push(if is_over { None } else { cell(plan, scheduler, jobs(size, in_queue)) });
    }
    cells
}

/// Measures a replay; `None` if it cannot be described.
fn cell(plan: &Plan, scheduler: &str, jobs: Vec<Job>) -> Option<Cell> {
    let spec = ReplaySpec::new(MACHINE.parse().ok()?, Spec::named(scheduler), Spec::named("naive"));
    let replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs), 0));
    let monitor = Monitor::default();
    let (stop, options) = (monitor.stop.clone(), Options::default());
    // A replay takes longer than a call: it has five times its budget.
    Some(measure(5 * plan.budget, &stop, || replay.run(&options, &monitor).is_err() && !stop.is_thrown()))
}

/// Returns jobs of the model, with estimates of twice the run time and one arrival if they are to be a queue.
fn jobs(count: usize, in_queue: bool) -> Vec<Job> {
    let Ok(model) = Lublin::new(1024, LublinOptions::default(), 1) else { return Vec::new() };
    (1..)
        .zip(model)
        .take(count)
        .map(|(number, job)| {
            let run = Time::from_seconds(job.run_s);
            let (submit, estimate) =
                if in_queue { (Time::ZERO, run + run) } else { (Time::from_seconds(job.submit_s), run) };
            Job { number, submit, run, estimate, procs: job.procs, ..Job::default() }
        })
        .collect()
}
