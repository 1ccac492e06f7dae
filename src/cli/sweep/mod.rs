//! `meshreplay sweep`: a study from its file to its summary.

mod dry_run;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::anyhow;

use super::runner::{Runner, Tally};
use super::{Failure, complain, print};
use crate::frame::StudyFolder;
use crate::study::{Manifest, Plan, Shard, Study};

/// Run a study: every log × rules × arrival scale × machine × scheduler × allocator × seed of a file.
///
/// The file is TOML with the keys logs, machines and allocators, and more if need be; see below. Every finished cell is
/// kept under a name made of all that it depends on: the same command, given again, replays only what is missing, however
/// the last one ended.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, loads.toml:
  logs = [\"traces/lublin-256-10k.swf.gz\"]     # relative to this file
  machines = [\"16x16\", \"8x8x4\"]
  allocators = [\"hilbert+bf\", \"mc1x1\"]        # \"all\" is every one
  arrival_scales = [1, 0.8, 0.6]              # [1] if left out
  rules = [\"requested:overrun=kill\"]          # [\"authors\"] if left out
  schedulers = [\"fcfs\", \"easy\"]               # [\"easy\"] if left out
  seeds = [1, 2, 3]                           # [1] if left out
  replications = \"until:within=0.05\"         # 1 if left out
A log may also be a workload model, such as \"synthetic:ratio=1.5,sides=normal\"; see `meshreplay replay --help`.

  meshreplay sweep loads.toml -o loads && meshreplay table loads --columns machine,arrival_scale")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Args {
    /// Study file.
    #[arg(value_name = "STUDY.toml")]
    study: PathBuf,

    /// Directory of the results; made if need be.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// Replays that run at once; as many as there are cores by default. Results do not depend on it.
    #[arg(long)]
    threads: Option<NonZeroUsize>,

    /// Run part I of N, of about equal cost, such as 1/3. The parts may share one directory, at the same time.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Show the cells, their keys, their shares of the cost and which are done; replay nothing, write nothing.
    #[arg(long)]
    dry_run: bool,

    /// Estimate contention: pairs of messages that meet on links if all nodes of each running job send to each other.
    #[arg(long)]
    contention: bool,

    /// Measure no times; results are then the same bytes on every run.
    #[arg(long)]
    no_timing: bool,

    /// Keep the jobs of every cell too: cells/KEY.jobs.parquet.
    #[arg(long)]
    jobs: bool,

    /// Keep the nodes of every job too: the column `nodes` of the jobs, such as 0-3 7.
    #[arg(long, requires = "jobs")]
    placements: bool,

    /// Neither notes nor progress on standard error.
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the cells that are missing.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let plan = Plan {
        timed: !args.no_timing,
        jobs: args.jobs,
        contention: args.contention,
        placements: args.placements,
        ..Plan::default()
    };
    let study = Study::read(&args.study, plan)?;
    let costs: Vec<u64> = study.cells.iter().map(|cell| cell.cost).collect();
    let share = args.shard.map_or_else(|| (0..costs.len()).collect(), |shard| shard.share(&costs));
    let folder = StudyFolder::new(&args.output, args.shard);
    let manifest = Manifest::from(&study);
    if args.dry_run {
        return print(&dry_run::listing(&study, &manifest, &share, &|key| folder.has(key, args.jobs)));
    }
    folder.prepare(&manifest)?;
    let missing = |cell: &usize| !folder.has(&study.cells[*cell].key, args.jobs);
    let cells: Vec<usize> = share.iter().copied().filter(missing).collect();
    let runner = Runner::new(args.threads, args.quiet)?;
    let Tally { finished, failed } = runner.run(&study, &manifest, &folder, &cells);
    // Parts that share a directory must not overwrite each other's whole summary with a partial one.
    let missing = folder.missing(&manifest).len();
    if args.shard.is_none() || missing == 0 {
        folder.write_summary(&manifest)?;
    }
    let interrupted = finished + failed < cells.len();
    if interrupted {
        let text = format!(
            "interrupted: {finished} of {} cells finished and are kept; the same command goes on from there",
            cells.len()
        );
        return Err(anyhow!(text).into());
    }
    if failed > 0 {
        return Err(
            anyhow!("{failed} of {} cells failed; {finished} finished and are kept", cells.len()).into()
        );
    }
    if !args.quiet {
        let done = share.len() - cells.len();
        let rest = match (args.shard, missing) {
            (Some(_), 1..) => format!("{missing} of the study's {} are missing yet", study.cells.len()),
            _ => format!("{} is written", folder.path().join("summary.parquet").display()),
        };
        complain(&format!("note: {} cells: {done} were done, {finished} replayed; {rest}", share.len()));
    }
    Ok(())
}
