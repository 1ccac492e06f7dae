//! `meshreplay replay`: the main command.

mod args;
mod output;

pub(super) use args::Args;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow};

use self::output::Output;
use super::progress::{Line, Progress};
use super::{Failure, complain};
use crate::allocator;
use crate::spec::SpecError;
use crate::study::{self, Axes, Cell, Event, LoadedLog, Plan, Point, Running, load};

/// Replays the product of all that the arguments repeat.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let plan = args.plan();
    args.check_output().map_err(Failure::Usage)?;
    // Before any log is read, so that a wrong name fails at once.
    let points = points(args).map_err(|error| Failure::Usage(error.into()))?;
    let logs = read_logs(args)?;
    let cells = cells(args, &logs, &points)?;
    // More threads than replays would only wait.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(cores, usize::from).min(cells.len());
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    let running = Arc::new(Running::new(cells.len()));
    let stop = Arc::clone(&running);
    // A second handler cannot be set; then a signal simply ends the process.
    let _ = ctrlc::set_handler(move || stop.stop());
    // Only now: a signal before would leave the temporary file behind.
    let output = Output::open(args, &logs, &cells, plan)?;
    replay_all(args, &pool, &cells, &plan, &running, output)
}

fn replay_all(
    args: &Args,
    pool: &rayon::ThreadPool,
    cells: &[Cell],
    plan: &Plan,
    running: &Running,
    mut output: Output<'_>,
) -> Result<(), Failure> {
    let line = |(number, cell): (usize, &Cell)| {
        let name = format!("{} {} {}", cell.log, cell.machine, allocator::short(&cell.allocator));
        Line { number, name, jobs: cell.jobs.len() as u64 }
    };
    let mut progress = Progress::new(args.quiet, cells.iter().enumerate().map(line));
    let mut errors: Vec<(usize, String)> = Vec::new();
    let (mut finished, mut failure) = (0, None);
    let work = |number: usize| cells[number].run(plan, running.monitor(number));
    study::run_all(pool, running, 0..cells.len(), &work, &mut |event| match event {
        Event::Tick => progress.update(running),
        Event::Ended(number, outcome) => {
            let outcome = outcome.and_then(|outcome| outcome.map_err(|error| error.to_string()));
            finished += usize::from(outcome.is_ok());
            let kept = output.add(number, outcome.map_err(|error| errors.push((number, error))).ok());
            if let Err(error) = kept {
                failure.get_or_insert(error);
                running.stop();
            }
        }
    });
    progress.finish();
    if let Some(error) = failure {
        return Err(error.into());
    }
    output.finish()?;
    if running.is_stopped() {
        return Err(
            anyhow!("interrupted: {finished} of {} replays finished and are kept", cells.len()).into()
        );
    }
    for (number, error) in &errors {
        let Cell { log, machine, scheduler, allocator, .. } = &cells[*number];
        complain(&format!("error: {log} on {machine} under {scheduler} with {allocator}: {error}"));
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Reported) }
}

fn read_logs(args: &Args) -> Result<Vec<LoadedLog>, Failure> {
    let options = args.read_options();
    let rules = args.rules();
    let mut logs = Vec::new();
    for path in &args.logs {
        let log = load(path, options, rules)?;
        if !args.quiet {
            report_log(path, &log);
        }
        if log.workload.jobs.is_empty() {
            let left_out = match log.workload.left_out.total() {
                0 => "it has no records".to_owned(),
                _ => format!("left out: {}", log.workload.left_out),
            };
            return Err(anyhow!("{}: no job to replay; {left_out}", path.display()).into());
        }
        logs.push(log);
    }
    Ok(logs)
}

/// What was left out, and what was odd, on standard error.
fn report_log(path: &Path, log: &LoadedLog) {
    if log.workload.left_out.total() > 0 {
        complain(&format!("note: {}: left out {}", path.display(), log.workload.left_out));
    }
    let surplus = log.summary.findings.surplus_field_lines;
    if surplus > 0 {
        complain(&format!(
            "note: {}: {surplus} lines have more than 18 fields; the rest is ignored",
            path.display()
        ));
    }
}

/// Every replay that the arguments ask for, names resolved.
fn points(args: &Args) -> Result<Vec<Point>, SpecError> {
    let axes = Axes {
        logs: args.logs.len(),
        rules: vec![args.rules()],
        arrival_scales: args.arrival_scale.clone(),
        machines: args.machine.clone(),
        schedulers: args.schedulers()?,
        allocators: args.allocator.clone(),
        seeds: vec![args.seed],
    };
    axes.points()
}

/// The points with their jobs.
fn cells(args: &Args, logs: &[LoadedLog], points: &[Point]) -> Result<Vec<Cell>, Failure> {
    let mut cells = Vec::with_capacity(points.len());
    for points in points.chunk_by(Point::same_jobs) {
        let log = &logs[points[0].log];
        let scaled = Arc::new(study::scaled_jobs(log, points[0].arrival_scale)?);
        for points in points.chunk_by(|a, b| a.machine == b.machine) {
            let machine = &points[0].machine;
            let (jobs, large) = study::fitting(&log.name, &scaled, machine, args.oversize)?;
            if large > 0 && !args.quiet {
                complain(&format!("note: {}: left out {large} larger than machine {machine}", log.name));
            }
            let skipped = log.workload.left_out.total() + large;
            cells.extend(
                points.iter().map(|point| point.cell(&log.name, &log.summary.sha256, &jobs, skipped)),
            );
        }
    }
    Ok(cells)
}
