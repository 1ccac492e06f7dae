//! `meshreplay replay`: the main command.

mod args;
mod chosen;
mod folder;
mod input;
mod output;
mod rows;

pub(super) use args::Args;

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Context, anyhow};

use self::input::Input;
use self::output::{Kept, Output};
use super::interrupt::{GRACE, Saving};
use super::progress::{Line, Progress};
use super::{Failure, complain, interrupt};
use crate::allocator;
use crate::metrics::Summary;
use crate::spec::SpecError;
use crate::study::{
    self, Axes, Combination, Event, JobSource, Options, Outcome, Replay, ReplaySpec, Running,
};

/// Replays the product of all that the arguments repeat.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let options = args.plan();
    args.check_output().map_err(Failure::Usage)?;
    // Before any log is read, so that a wrong name fails at once.
    chosen::check(&args.columns, &options).map_err(Failure::Usage)?;
    let paths = distinct(args.logs.clone(), Clone::clone);
    let points = points(args, &paths).map_err(|error| Failure::Usage(error.into()))?;
    let asked = points.len() / paths.len().max(1) * args.logs.len();
    let points = distinct(points, |point| (point.log, point.spec.label(), point.spec.rules.to_string()));
    if points.len() < asked && !args.quiet {
        let twice = asked - points.len();
        complain(&format!("note: {twice} of {asked} replays are the same as others and are left out"));
    }
    let logs = paths.iter().map(|log| Input::read(args, log)).collect::<Result<Vec<_>, _>>()?;
    let cells = cells(args, &logs, &points)?;
    // More threads than replays would only wait.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(cores, usize::from).min(cells.len());
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
    let running = Arc::new(Running::new(cells.len()));
    let stop = Arc::clone(&running);
    interrupt::stops_with(move || stop.stop());
    let output = Output::open(args, &logs, &cells, options.clone())?;
    replay_all(args, &pool, &cells, &options, &running, output)
}

fn replay_all(
    args: &Args,
    pool: &rayon::ThreadPool,
    cells: &[Replay],
    options: &Options,
    running: &Running,
    output: Output<'_>,
) -> Result<(), Failure> {
    let line = |(number, cell): (usize, &Replay)| {
        let name =
            format!("{} {} {}", cell.spec.log, cell.spec.machine, allocator::short(&cell.spec.allocator));
        Line { number, name, jobs: cell.source.count() * u64::from(options.replications.least()) }
    };
    let mut progress = Progress::new(args.quiet, cells.iter().enumerate().map(line));
    let mut errors: Vec<(usize, String)> = Vec::new();
    let (mut finished, mut failure, mut output) = (0, None, Some(output));
    let work = |number: usize| cells[number].run(options, running.monitor(number));
    study::run_all(pool, running, 0..cells.len(), &work, &mut |event| match event {
        Event::Tick if interrupt::age().is_some_and(|age| age > GRACE) => {
            progress.finish();
            // Some replays are in the middle of what they cannot leave; nobody waits for them.
            interrupt::end(&match finish(output.take()) {
                Ok(kept) => interrupted(args, kept, (finished, cells.len())),
                Err(error) => format!("{error:#}"),
            });
        }
        Event::Tick => progress.update(running),
        Event::Ended(number, outcome) => {
            let outcomes = outcome.and_then(|outcomes| outcomes.map_err(|error| error.to_string()));
            finished += usize::from(outcomes.is_ok());
            if let Ok(outcomes) = &outcomes
                && !args.quiet
            {
                progress.above(|| report(&cells[number], outcomes, options));
            }
            let outcomes = outcomes.map_err(|error| errors.push((number, error))).ok();
            let _saving = Saving::begin();
            if let Some(Err(error)) = output.as_mut().map(|output| output.add(number, outcomes)) {
                failure.get_or_insert(error);
                running.stop();
            }
        }
    });
    progress.finish();
    if let Some(error) = failure {
        return Err(error.into());
    }
    let kept = finish(output)?;
    if running.is_stopped() {
        return Err(anyhow!(interrupted(args, kept, (finished, cells.len()))).into());
    }
    for (number, error) in &errors {
        let ReplaySpec { log, machine, scheduler, allocator, .. } = &cells[*number].spec;
        complain(&format!("error: {log} on {machine} under {scheduler} with {allocator}: {error}"));
    }
    if let (Kept::Earlier, Some(folder)) = (kept, &args.output) {
        complain(&format!("note: {} keeps the results of the same run, which are more", folder.display()));
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::Reported) }
}

/// Writes and prints what has finished.
fn finish(output: Option<Output<'_>>) -> anyhow::Result<Kept> {
    let _saving = Saving::begin();
    output.map_or(Ok(Kept::All), Output::finish)
}

/// What to say of an interrupt after `finished` of `all` replays.
fn interrupted(args: &Args, kept: Kept, (finished, all): (usize, usize)) -> String {
    let rest = match (kept, &args.output) {
        (Kept::Earlier, Some(folder)) => {
            format!("; {} keeps the results of the same run, which are more", folder.display())
        }
        _ if finished > 0 => " and are kept".to_owned(),
        _ => String::new(),
    };
    format!("interrupted: {finished} of {all} replays finished{rest}")
}

/// How many jobs a replay had to leave out, where that was not known before, on standard error; and whether its means are
/// less precise than was asked.
fn report(cell: &Replay, outcomes: &[Outcome], options: &Options) {
    let ReplaySpec { log, machine, allocator, .. } = &cell.spec;
    let allocator = allocator::short(allocator);
    let never_fit: u64 = outcomes.iter().map(|outcome| outcome.never_fit).sum();
    if never_fit > 0 {
        complain(&format!(
            "note: {log} on {machine}: left out {never_fit} that '{allocator}' never finds a place for"
        ));
    }
    if matches!(cell.source, JobSource::Drawn { .. }) {
        let others = outcomes.iter().map(|outcome| outcome.skipped).sum::<u64>() - never_fit;
        if others > 0 {
            complain(&format!(
                "note: {log} on {machine} with '{allocator}': left out {others} larger than the machine or of another size"
            ));
        }
    }
    let counts_none = |outcome: &&Outcome| outcome.summary.get("jobs_in_means").is_none_or(|jobs| jobs < 1.0);
    if let Some(outcome) = outcomes.iter().find(counts_none) {
        let jobs = outcome.summary.get("jobs").unwrap_or_default();
        complain(&format!(
            "note: {log} on {machine} with '{allocator}': none of {jobs} jobs is left for the means, which are empty"
        ));
    }
    let summaries: Vec<Summary> = outcomes.iter().map(|outcome| outcome.summary.clone()).collect();
    if let Some(shortfall) = options.replications.shortfall(&summaries) {
        complain(&format!("note: {log} on {machine} with '{allocator}': {shortfall}"));
    }
}

/// The first of each that have the same name.
fn distinct<T, N: Ord>(all: Vec<T>, name: impl Fn(&T) -> N) -> Vec<T> {
    let mut seen = BTreeSet::new();
    all.into_iter().filter(|one| seen.insert(name(one))).collect()
}

/// Every replay that the arguments ask for, names resolved.
fn points(args: &Args, paths: &[std::path::PathBuf]) -> Result<Vec<Combination>, SpecError> {
    let axes = Axes {
        logs: paths.iter().map(|path| study::log_name(path)).collect(),
        rules: vec![args.rules()],
        arrival_scales: args.arrival_scale.clone(),
        machines: args.machine.clone(),
        schedulers: args.schedulers()?,
        allocators: args.allocator.clone(),
        networks: args.network.clone(),
        seeds: vec![args.seed],
    };
    if !args.quiet {
        axes.unserved().iter().for_each(|note| complain(&format!("note: {note}")));
    }
    axes.combinations()
}

/// Whether both replay the same jobs, but for those that a machine cannot hold.
fn same_jobs(a: &Combination, b: &Combination) -> bool {
    let scales = [a, b].map(|one| one.spec.arrival_scale.to_bits());
    a.log == b.log && a.spec.rules == b.spec.rules && scales[0] == scales[1]
}

/// The points with their jobs.
fn cells(args: &Args, logs: &[Input], points: &[Combination]) -> Result<Vec<Replay>, Failure> {
    let mut cells = Vec::with_capacity(points.len());
    for points in points.chunk_by(same_jobs) {
        cells.extend(logs[points[0].log].cells(args, points)?);
    }
    Ok(cells)
}
