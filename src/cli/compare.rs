//! `meshreplay compare`: where two schedules of the same jobs part.

use std::path::PathBuf;

use anyhow::anyhow;

use super::schedule::{Input, Which};
use super::{Failure, print};
use crate::audit::{self, Comparison, Divergence, Side, What};
use crate::machine::{Mesh, format_intervals};
use crate::text::grouped;

/// Compare two schedules of the same jobs: the first moment at which they differ, what each knew then, and how far apart
/// starts are.
///
/// The exit code is 0 if they are equal, 1 if they differ, 2 if they are not of the same jobs. Nodes are compared where both
/// have them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay compare fcfs easy
  meshreplay compare out other_simulator.swf --machine 16x8")]
pub(super) struct Args {
    /// Directory of `replay -o` or of `sweep -o --jobs`, a jobs file, a log with wait times (.swf, .swf.gz), or Batsim's
    /// table of jobs.
    #[arg(value_name = "A")]
    first: PathBuf,

    /// The other one.
    #[arg(value_name = "B")]
    second: PathBuf,

    /// Machine, to say how many processors are free; by default what the summary of A says.
    #[arg(short, long, value_name = "MACHINE")]
    machine: Option<Mesh>,

    /// Compare times only, not nodes.
    #[arg(long)]
    times_only: bool,

    #[command(flatten)]
    which: Which,

    /// Number of the replay in B, if it is another one than in A.
    #[arg(long, value_name = "N")]
    other_replay: Option<u32>,
}

/// Waiting jobs and starts that are listed before the rest is only counted.
const LISTED: usize = 5;

/// Prints the comparison.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut first = Input::read(&args.first, args.which)?;
    let mut second = Input::read(&args.second, args.which.or_replay(args.other_replay))?;
    if args.times_only {
        for job in first.schedule.jobs.iter_mut().chain(&mut second.schedule.jobs) {
            job.nodes = None;
        }
    }
    let found = audit::compare(&first.schedule, &second.schedule);
    let found = found.map_err(|error| {
        Failure::Usage(anyhow!("{} and {}: {error}", args.first.display(), args.second.display()))
    })?;
    let machine = args.machine.as_ref().or(first.machine.as_ref());
    let nodes = machine.map(Mesh::nodes);
    let Some(divergence) = &found.first else {
        let jobs = grouped(found.jobs as f64, 0);
        return print(&format!(
            "{} and {} are equal: {jobs} jobs\n",
            args.first.display(),
            args.second.display()
        ));
    };
    let names = [&args.first, &args.second].map(|path| path.display().to_string());
    print(&(first_difference(divergence, &names, nodes) + "\n" + &counted(&found)))?;
    Err(Failure::Reported)
}

fn first_difference(divergence: &Divergence, names: &[String; 2], nodes: Option<u32>) -> String {
    let Divergence { at, number, what, jobs, sides } = divergence;
    let mut lines = vec![format!("first difference: at {at}, job {number}\n")];
    for ((name, job), side) in names.iter().zip(jobs).zip(sides) {
        let did = match what {
            What::Start if job.start == *at => "starts it".to_owned(),
            What::Start => format!("starts it at {}", job.start),
            What::End => format!("ends it at {}", job.end),
            What::Place => {
                let nodes = job.nodes.iter().flatten().copied().take(LISTED);
                format!("places it on {} nodes {}", job.allocated, format_intervals(nodes))
            }
        };
        lines.push(format!("  {name} {did}; {}\n", state(side, nodes)));
    }
    lines.concat()
}

/// The machine and the queue before anything starts, and what then does.
fn state(side: &Side, nodes: Option<u32>) -> String {
    let in_use = match nodes {
        Some(nodes) => format!("{} of {nodes} processors free", nodes.saturating_sub(side.used)),
        None => format!("{} processors in use", side.used),
    };
    let rest =
        |count: usize| if count > LISTED { format!(" and {} more", count - LISTED) } else { String::new() };
    let waiting: Vec<String> = side
        .waiting
        .iter()
        .take(LISTED)
        .map(|job| format!("{} ({} processors, {})", job.number, job.procs, job.estimate))
        .collect();
    let started: Vec<String> = side.started.iter().take(LISTED).map(ToString::to_string).collect();
    let list = |words: &[String], count: usize| match count {
        0 => "nobody".to_owned(),
        _ => words.join(", ") + &rest(count),
    };
    format!(
        "{in_use}, {} jobs run; waiting: {}; starting: {}",
        side.running,
        list(&waiting, side.waiting.len()),
        list(&started, side.started.len())
    )
}

/// How many jobs differ, and by how much.
fn counted(found: &Comparison) -> String {
    let share = |count: usize| format!("{} of {}", grouped(count as f64, 0), grouped(found.jobs as f64, 0));
    let audit::Spread { count, mean_s, p50_s, p99_s, max_s } = found.starts;
    let by = match count {
        0 => String::new(),
        _ => format!(
            "; second less first {mean_s:.3} s on average, without sign p50 {p50_s} s, p99 {p99_s} s, max {max_s} s"
        ),
    };
    format!(
        "starts that differ: {}{by}\nrun times that differ: {}\nplacements that differ, starts being equal: {}\n",
        share(count),
        share(found.runs),
        share(found.places)
    )
}
