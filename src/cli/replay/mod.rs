//! `meshreplay replay`: the main command.

mod args;
mod output;
mod progress;

pub(super) use args::Args;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, anyhow};

use self::output::Output;
use self::progress::{Progress, Running};
use super::{Failure, complain};
use crate::allocator::{self, Setup};
use crate::job::{Job, Time};
use crate::machine::Mesh;
use crate::scheduler;
use crate::spec::{Spec, SpecError};
use crate::study::{Cell, CellError, LoadedLog, Outcome, Plan, load};
use crate::workload::{Oversize, scaled};

type Finished = (usize, Result<Outcome, CellError>);

/// Replays the product of all that the arguments repeat.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let plan = args.plan();
    args.check_output().map_err(Failure::Usage)?;
    let lineups = lineups(args).map_err(|error| Failure::Usage(error.into()))?;
    let logs = read_logs(args)?;
    let cells = cells(args, &logs, &lineups)?;
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
    let (sender, receiver) = mpsc::channel::<Finished>();
    let mut progress = Progress::new(args.quiet, cells);
    let mut errors = Vec::new();
    let (mut finished, mut failure) = (0, None);
    pool.in_place_scope_fifo(|scope| {
        for (number, cell) in cells.iter().enumerate() {
            let sender = sender.clone();
            scope.spawn_fifo(move |_| {
                running.begin(number);
                let outcome = cell.run(plan, running.monitor(number));
                running.end(number);
                // Without a receiver nobody waits for this outcome any more.
                let _ = sender.send((number, outcome));
            });
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(Duration::from_millis(100)) {
                Ok((number, outcome)) => {
                    finished += usize::from(outcome.is_ok());
                    let kept = output.add(number, outcome.map_err(|error| errors.push((number, error))).ok());
                    if let Err(error) = kept {
                        failure.get_or_insert(error);
                        running.stop();
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => progress.update(running),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
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

/// A machine, and the schedulers with the allocators that are tried on it, every default written out.
type Lineup<'a> = (&'a Mesh, Vec<(Spec, Spec)>);

/// Who is tried where; found out before any log is read, so that a wrong name fails at once.
fn lineups(args: &Args) -> Result<Vec<Lineup<'_>>, SpecError> {
    let built = |spec| scheduler::build(spec).map(|(_, resolved)| resolved);
    let schedulers: Vec<Spec> = args.scheduler.iter().map(built).collect::<Result<_, _>>()?;
    let mut lineups = Vec::new();
    for mesh in &args.machine {
        let setup = Setup { mesh, seed: args.seed };
        let built = |spec: &Spec| allocator::build(spec, &setup).map(|(_, resolved)| resolved);
        let allocators: Vec<Spec> = args.allocators(mesh).iter().map(built).collect::<Result<_, _>>()?;
        let mut pairs = Vec::new();
        for scheduler in &schedulers {
            for allocator in &allocators {
                pairs.push((scheduler.clone(), allocator.clone()));
            }
        }
        lineups.push((mesh, pairs));
    }
    Ok(lineups)
}

/// The product: logs, then arrival scales, machines, schedulers, allocators.
fn cells(args: &Args, logs: &[LoadedLog], lineups: &[Lineup<'_>]) -> Result<Vec<Cell>, Failure> {
    let rules = args.rules().to_string();
    let mut cells = Vec::new();
    for log in logs {
        for &arrival_scale in &args.arrival_scale {
            let scaled = Arc::new(scaled(&log.workload.jobs, arrival_scale));
            check_range(log, arrival_scale, &scaled)?;
            for &(machine, ref pairs) in lineups {
                let (jobs, skipped) = fitting(args, log, machine, &scaled)?;
                for (scheduler, allocator) in pairs {
                    cells.push(Cell {
                        log: log.name.clone(),
                        log_sha256: log.summary.sha256.clone(),
                        rules: rules.clone(),
                        arrival_scale,
                        machine: machine.clone(),
                        scheduler: scheduler.clone(),
                        allocator: allocator.clone(),
                        seed: args.seed,
                        jobs: Arc::clone(&jobs),
                        skipped,
                    });
                }
            }
        }
    }
    Ok(cells)
}

/// Times beyond their range are clamped to it, and results would be wrong without a word: even if every job waited
/// for all others, the last end must be within.
fn check_range(log: &LoadedLog, arrival_scale: f64, jobs: &[Job]) -> Result<(), Failure> {
    let micros = |time: Time| i128::from(time.as_micros());
    let last_arrival = jobs.iter().map(|job| micros(job.submit)).max().unwrap_or_default();
    let runs: i128 = jobs.iter().map(|job| micros(job.run)).sum();
    if last_arrival + runs < micros(Time::MAX) {
        return Ok(());
    }
    let name = &log.name;
    Err(anyhow!(
        "{name}: arrivals (field 2) times {arrival_scale:e} and run times (field 4) leave the range of time, \
         292,000 years; `meshreplay trace info` shows the log's, --arrival-scale changes arrivals"
    )
    .into())
}

/// The jobs that `machine` can hold, and how many records are left out in all.
fn fitting(
    args: &Args,
    log: &LoadedLog,
    machine: &Mesh,
    jobs: &Arc<Vec<Job>>,
) -> Result<(Arc<Vec<Job>>, u64), Failure> {
    let nodes = machine.nodes();
    let skipped = log.workload.left_out.total();
    let Some(large) = jobs.iter().find(|job| job.procs > nodes) else {
        return Ok((Arc::clone(jobs), skipped));
    };
    if args.oversize == Oversize::Error {
        let (number, procs) = (large.number, large.procs);
        let text = format!(
            "{}: job {number} asks for {procs} processors, machine {machine} has {nodes}; \
             --oversize skip leaves such jobs out",
            log.name
        );
        return Err(anyhow!(text).into());
    }
    let fitting: Vec<_> = jobs.iter().filter(|job| job.procs <= nodes).copied().collect();
    let oversize = (jobs.len() - fitting.len()) as u64;
    if fitting.is_empty() {
        let name = &log.name;
        return Err(
            anyhow!("{name}: no job to replay on machine {machine}; all {oversize} are larger").into()
        );
    }
    if !args.quiet {
        complain(&format!("note: {}: left out {oversize} larger than machine {machine}", log.name));
    }
    Ok((Arc::new(fitting), skipped + oversize))
}

/// One monitor per cell, and the switch that stops them all.
impl Running {
    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.monitors.iter().for_each(|monitor| monitor.stop.store(true, Ordering::Relaxed));
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
