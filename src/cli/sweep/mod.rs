//! `meshreplay sweep`: a study from its file to its summary.

mod dry_run;
mod queue;
mod slurm;
mod status;
mod submit;
mod undo;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use self::slurm::Slurm;
use super::interrupt::Saving;
use super::options::{Flags, OfSweep};
use super::runner::{Runner, Tally};
use super::{Failure, complain, print};
use crate::frame::{Started, StudyFolder};
use crate::study::{Manifest, Options, Shard, Study};

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

  meshreplay sweep loads.toml -o loads && meshreplay table loads --columns machine,arrival_scale

On a cluster, from a directory that all its nodes share:
  meshreplay sweep loads.toml -o loads --submit slurm:partition=batch,time=2:00:00,array=16
  meshreplay sweep --status loads")]
pub(super) struct Args {
    /// Study file.
    #[arg(value_name = "STUDY.toml", required = true)]
    study: Option<PathBuf>,

    /// Directory of the results; made if need be.
    #[arg(short, long, value_name = "DIR", required = true)]
    output: Option<PathBuf>,

    /// Replays that run at once; as many as there are cores by default. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,

    /// Run part I of N, of about equal cost, such as 1/3. The parts may share one directory, at the same time.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Have Slurm run what is missing: an array of shards, then a job that merges. Parameters: array=N shards (8), cpus=N
    /// of each (1), and partition, account, qos, time and mem as sbatch takes them.
    #[arg(long, value_name = "slurm[:KEY=VALUE,…]", conflicts_with_all = ["shard", "threads"])]
    submit: Option<Slurm>,

    /// Tell how many cells of the study in DIR are done, running, queued, failed and to do, and what to do next; exit code 1
    /// unless it is finished. Running and queued are cells of tasks that Slurm says so of.
    #[arg(long, value_name = "DIR", exclusive = true)]
    status: Option<PathBuf>,

    /// Show the cells, their keys, their shares of the cost and which are done, or with --submit the scripts and commands;
    /// replay nothing, write nothing.
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    flags: Flags<OfSweep>,

    /// Neither notes nor progress on standard error.
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the cells that are missing, or has them run.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(folder) = &args.status {
        return status::run(folder);
    }
    let (Some(file), Some(output)) = (&args.study, &args.output) else {
        return Err(Failure::Usage(anyhow!("expected STUDY.toml and -o DIR, or --status DIR")));
    };
    let study = Study::read(file, args.flags.options.clone())?;
    if !args.quiet {
        study.notes.iter().for_each(|note| complain(&format!("note: {note}")));
    }
    let costs: Vec<u64> = study.cells.iter().map(|cell| cell.cost).collect();
    let share = args.shard.map_or_else(|| (0..costs.len()).collect(), |shard| shard.share(&costs));
    let folder = StudyFolder::new(output, args.shard);
    let manifest = Manifest::from(&study);
    let missing = |cell: &usize| !folder.has(&study.cells[*cell].key, args.flags.options.jobs);
    let cells: Vec<usize> = share.iter().copied().filter(missing).collect();
    let started = started(&args.flags.options, file)?;
    if let Some(slurm) = &args.submit {
        let work = submit::Work { file, study: &study, manifest: &manifest, folder: &folder, cells: &cells };
        return submit::run(slurm, &work, &started, (args.dry_run, args.quiet));
    }
    if args.dry_run {
        return print(&dry_run::listing(&study, &manifest, &share, &|key| {
            folder.has(key, args.flags.options.jobs)
        }));
    }
    let _claim = folder.prepare(&manifest)?;
    if !cells.is_empty() {
        folder.keep_started(&started)?;
    }
    for &cell in &cells {
        folder.forget_failure(&study.cells[cell].key)?;
    }
    let runner = Runner::new(args.threads, cells.len(), args.quiet)?;
    let tally = runner.run_into(&folder, &study, &cells);
    // Parts that share a directory must not overwrite each other's whole summary with a partial one.
    let missing = folder.missing(&manifest).len();
    if args.shard.is_none() || missing == 0 {
        let _saving = Saving::begin();
        folder.write_summary(&manifest)?;
    }
    verdict(tally, cells.len())?;
    if !args.quiet {
        let (done, finished) = (share.len() - cells.len(), tally.finished);
        let rest = match (args.shard, missing) {
            (Some(_), 1..) => format!("{missing} of the study's {} are missing yet", study.cells.len()),
            _ => format!("{} is written", folder.path().join("summary.parquet").display()),
        };
        complain(&format!("note: {} cells: {done} were done, {finished} replayed; {rest}", share.len()));
    }
    Ok(())
}

/// The failure to report, if not all of `cells` cells finished.
fn verdict(tally: Tally, cells: usize) -> Result<(), Failure> {
    let Tally { finished, failed } = tally;
    if finished + failed < cells {
        return Err(anyhow!(tally.interrupted(cells)).into());
    }
    if failed > 0 {
        return Err(anyhow!("{failed} of {cells} cells failed; {finished} finished and are kept").into());
    }
    Ok(())
}

/// What this command would need to be given again.
fn started(options: &Options, file: &Path) -> Result<Started, Failure> {
    Ok(Started {
        study: std::path::absolute(file)?.to_string_lossy().into_owned(),
        options: options.sweep_arguments(),
        jobs: options.jobs,
    })
}

/// A path as text.
fn text(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(ToOwned::to_owned);
    text.ok_or_else(|| anyhow!("{} is not UTF-8, which scripts need; rename it", path.display()).into())
}
