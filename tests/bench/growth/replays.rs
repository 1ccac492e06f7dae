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
use super::cells::{Cell, exponent, measure, spread, texts};

/// The numbers of jobs that arrive over time.
const JOBS: [usize; 4] = [1000, 10_000, 100_000, 1_000_000];
/// The numbers of jobs that arrive at one instant.
const QUEUES: [usize; 4] = [1000, 2000, 4000, 10_000];
/// The nodes of the machine.
const MACHINE: &str = "1024";

/// Writes a table with the schedulers.
pub(crate) fn write(plan: &Plan, page: &mut impl Write) -> io::Result<()> {
    writeln!(
        page,
        "## Replays\n\nJobs of the Lublin–Feitelson model on {MACHINE} nodes, placed by `naive`, without \
         reading a log and writing results. In a *queue* all jobs arrive at one instant, and the estimates \
         are twice the run times. The exponents are those of the time of the whole replay, so that 1 means \
         the same time for each job.\n"
    )?;
    let titles = |sizes: &[usize], what: &str| -> String {
        sizes.iter().map(|size| format!(" {size} {what} |")).collect::<Vec<_>>().concat()
    };
    writeln!(
        page,
        "| scheduler |{} exponent |{} exponent | spread |",
        titles(&JOBS, "jobs"),
        titles(&QUEUES, "in a queue")
    )?;
    writeln!(page, "| --- |{}", " ---: |".repeat(JOBS.len() + QUEUES.len() + 3))?;
    for entry in SCHEDULERS.iter().filter(|entry| entry.name != RECORDED && plan.wants(entry.name)) {
        plan.note(&format!("replays under {}", entry.name))?;
        let by_jobs = row(plan, entry.name, &JOBS, false);
        let by_queue = row(plan, entry.name, &QUEUES, true);
        let sizes = |sizes: &[usize]| sizes.iter().map(|&size| size as f64).collect::<Vec<f64>>();
        let mut cells = vec![entry.name.to_owned()];
        cells.extend(texts(&by_jobs));
        cells.push(exponent(&sizes(&JOBS), &by_jobs, 1000.0));
        cells.extend(texts(&by_queue));
        cells.push(exponent(&sizes(&QUEUES), &by_queue, 1000.0));
        cells.push(spread(&by_jobs.into_iter().chain(by_queue).collect::<Vec<_>>()));
        writeln!(page, "| {} |", cells.join(" | "))?;
        page.flush()?;
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
