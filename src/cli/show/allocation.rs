//! `meshreplay show allocation`: the machine at a moment of a replay, job by job, for several allocators side by side.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, anyhow};

use super::listed::{Specs, flat};
use super::{Failure, coloured, print};
use crate::allocator;
use crate::figure::show::picture;
use crate::job::Time;
use crate::machine::Mesh;
use crate::spec::{Spec, SpecError};
use crate::study::{Axes, Combination, JobSource, Replay, Snapshot, load};
use crate::text::grouped;
use crate::trace::ReadOptions;
use crate::workload::{Oversize, Rules, Synthetic};

/// Draws the jobs on the machine at a moment of a replay.
///
/// Each job has a letter, and a colour on a terminal unless `NO_COLOR` is set; # is the job that started last. The highest y
/// is the top row; a three-dimensional machine is shown layer by layer.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay show allocation traces/lublin-256-10k.swf.gz --machine 16x16 --allocator gabl hilbert+bf --at 86400")]
pub(super) struct Args {
    /// Log, or a workload model such as synthetic:ratio=1.5.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// Shape of the machine, such as 16x8, 8x8x4, 400 or torus:16x8.
    #[arg(short, long, value_name = "MACHINE")]
    machine: Mesh,

    /// Scheduler.
    #[arg(short, long, default_value = "easy", value_name = "SPEC")]
    scheduler: Spec,

    /// Allocators, side by side.
    #[arg(short, long, required = true, value_name = "SPEC", num_args = 1.., visible_alias = "compare")]
    allocator: Vec<Specs>,

    /// Seconds of the log's time; what happens at that instant has happened.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    at: f64,

    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Jobs larger than the machine, or that the allocator does not find even if it is idle: error, or skip.
    #[arg(long, default_value = "error", value_parser = ["error", "skip"])]
    oversize: String,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let at = Time::from_micros((args.at * 1e6).clamp(-9e18, 9e18) as i64);
    if !args.at.is_finite() {
        return Err(Failure::Usage(anyhow!("--at {}: expected a number of seconds", args.at)));
    }
    let (name, source) = source(args)?;
    let axes = Axes {
        logs: vec![name],
        rules: vec![Rules { oversize: oversize(args), ..Rules::default() }],
        arrival_scales: vec![1.0],
        machines: vec![args.machine.clone()],
        schedulers: vec![args.scheduler.clone()],
        allocators: flat(&args.allocator),
        networks: vec![Spec::named(crate::execution::RECORDED)],
        seeds: vec![args.seed],
    };
    let combinations = axes.combinations().map_err(|error| Failure::Usage(error.into()))?;
    let colours = coloured();
    let (mut grids, mut facts) = (Vec::new(), String::new());
    for Combination { spec, .. } in combinations {
        let title = allocator::short(&spec.allocator);
        let found = Replay { spec, source: source.clone() }.snapshot(at)?;
        facts += &describe(&title, &found, &args.machine);
        let letters = letters(&found, &args.machine);
        grids.push((title, picture::jobs(&args.machine, &letters, colours)));
    }
    print(&(picture::side_by_side(&grids) + "\n" + &facts))
}

fn oversize(args: &Args) -> Oversize {
    if args.oversize == "skip" { Oversize::Skip } else { Oversize::Error }
}

/// The jobs, and what they are called.
fn source(args: &Args) -> Result<(String, JobSource), Failure> {
    let rules = Rules { oversize: oversize(args), ..Rules::default() };
    if let Some(text) = args.log.to_str().filter(|text| Synthetic::is_spec(text)) {
        let model = text.parse().and_then(|spec| Synthetic::new(&spec));
        let model = model.map_err(|error: SpecError| Failure::Usage(error.into()))?;
        let (name, model) = (model.to_string(), Box::new(model));
        return Ok((name, JobSource::Drawn { model, rules, arrival_scale: 1.0 }));
    }
    let log = load(&args.log, ReadOptions::default(), rules.clone())?;
    let jobs = Arc::new(log.workload.jobs);
    let (jobs, skipped) = crate::study::fitting(&log.name, &jobs, &args.machine, rules.oversize)?;
    Ok((log.name, JobSource::recorded(jobs, skipped)))
}

/// A letter for each node: of its job, in the order of their starts, `#` for the job that started last, nothing where it is free.
fn letters(found: &Snapshot, mesh: &Mesh) -> Vec<Option<(char, usize)>> {
    let mut letters = vec![None; mesh.nodes() as usize];
    for (i, running) in found.running.iter().enumerate() {
        let is_newest = i + 1 == found.running.len();
        let letter = if is_newest { '#' } else { picture::letter(i) };
        for &node in &running.nodes {
            letters[node as usize] = Some((letter, i));
        }
    }
    letters
}

/// One line on what is seen.
fn describe(title: &str, found: &Snapshot, mesh: &Mesh) -> String {
    let busy: usize = found.running.iter().map(|running| running.nodes.len()).sum();
    let share = 100.0 * busy as f64 / f64::from(mesh.nodes());
    let newest = found.running.last().map_or_else(String::new, |running| {
        let (job, start_s) = (running.job, grouped(running.start.as_seconds(), 0));
        format!("; # is job {} of {} processors, started at {start_s} s", job.number, job.procs)
    });
    format!(
        "{title}: {} job{} on {busy} nodes ({share:.0}%), {} waiting{newest}\n",
        found.running.len(),
        if found.running.len() == 1 { "" } else { "s" },
        found.waiting
    )
}
