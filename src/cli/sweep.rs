//! `meshreplay sweep`: runs a study file and writes its summary.

use std::env;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Context, anyhow};

use super::interrupt::Saving;
use super::runner::options::Flags;
use super::runner::{Runner, Tally, check_room, reading};
use super::terminal::screen;
use super::{Failure, check_directory, note, print, write_notes};
use crate::frame::FileFormat;
use crate::study::Shard;
use crate::sweep::{self, Caller, Slurm, Sweep};
use crate::words::counted;

/// Run a study: one replay (a cell) for each combination of log, partition, rules, arrival scale, machine,
/// scheduler, allocator, network and seed of a file.
///
/// The file is TOML. It needs the keys logs, machines and allocators; the example below shows all. Every
/// finished cell is kept under a name made of everything that it depends on. However a command ended, the
/// same command replays only what is still missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example, loads.toml:
  logs = [\"traces/lublin-256-10k.swf.gz\"]     # relative to this file
  machines = [\"16x16\", \"8x8x4\"]
  allocators = [\"hilbert+bf\", \"mc1x1\"]        # \"all\" is every one
  arrival_scales = [1, 0.8, 0.6]              # [1] if left out
  rules = [\"requested:overrun=kill\"]          # [\"authors\"] if left out
  schedulers = [\"fcfs\", \"easy\"]               # [\"easy\"] if left out
  seeds = [1]                                 # [1] if left out; several in place of replications
  replications = \"until:within=0.05\"         # 1 if left out
A log may also be a workload model, such as \"synthetic:ratio=1.5,sides=normal\"; see `meshreplay replay \
--help`.

  meshreplay sweep loads.toml -o loads && meshreplay table loads \\
    --columns machine,arrival_scale

On a cluster, from a directory that all its nodes share:
  meshreplay sweep loads.toml -o loads \\
    --submit slurm:partition=batch,time=2:00:00,array=16
  meshreplay sweep --status loads")]
pub(super) struct Args {
    /// Study file.
    #[arg(value_name = "STUDY.toml", required = true)]
    study: Option<PathBuf>,

    /// Directory of the results. It is made if it does not exist.
    #[arg(short, long, value_name = "DIR", required = true)]
    output: Option<PathBuf>,

    /// Number of replays that run at once [default: the number of cores]. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<NonZeroUsize>,

    /// Run part I of N parts of about equal cost, such as 1/3. The parts may run at the same time and share
    /// one directory.
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,

    /// Submit what is missing to Slurm, as an array of shards and a job that merges their results.
    /// Parameters: array=N shards (8), cpus=N for each shard (1), and partition, account, qos, time and mem
    /// as in sbatch.
    #[arg(long, value_name = "slurm[:KEY=VALUE,…]", conflicts_with_all = ["shard", "threads"])]
    submit: Option<Slurm>,

    /// Print the numbers of done, running, queued, failed and remaining cells of the study in DIR, and the
    /// next command. Running and queued tasks come from Slurm. The exit code is 1 unless the study is
    /// finished.
    #[arg(long, value_name = "DIR", exclusive = true)]
    status: Option<PathBuf>,

    /// Only show the cells with their keys, their shares of the cost and whether they are done, or with
    /// --submit the scripts and commands. Nothing is replayed or written.
    #[arg(long)]
    dry_run: bool,

    /// Begin even if the results would take more than 10 GB.
    #[arg(long)]
    large: bool,

    #[command(flatten)]
    flags: Flags,

    /// Print neither notes nor progress on standard error.
    #[arg(short, long)]
    quiet: bool,
}

/// Runs the missing cells, or submits them to Slurm, or prints the status or the plan.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(folder) = &args.status {
        let own = env::var("SLURM_JOB_ID").ok();
        let status = sweep::status(folder, own.as_deref())?;
        print(&status.text)?;
        return if status.is_finished { Ok(()) } else { Err(Failure::Reported) };
    }
    let (Some(file), Some(output)) = (&args.study, &args.output) else {
        return Err(Failure::Usage(anyhow!("expected STUDY.toml and -o DIR, or --status DIR")));
    };
    check_directory(output)?;
    let line = reading(args.quiet, &[]);
    let sweep = Sweep::plan(file, output, &args.flags.options, args.shard);
    line.finish_and_clear();
    let sweep = sweep?;
    let mut notes = sweep.study.notes.clone();
    sweep.study.sort_notes(&mut notes);
    write_notes(args.quiet, &notes);
    // Shards are not checked: the whole study was, when it was submitted.
    if args.shard.is_none() && !args.dry_run {
        check_room(&sweep.study, &sweep.missing, FileFormat::Parquet, args.large)?;
    }
    match (&args.submit, args.dry_run) {
        (Some(slurm), true) => print(&sweep::preview(&sweep, slurm, &caller()?)?),
        (Some(slurm), false) => {
            note(args.quiet, &sweep::submit(&sweep, slurm, &caller()?)?);
            Ok(())
        }
        (None, true) => print(&sweep.listing(screen())),
        (None, false) => {
            note(args.quiet, &replay(args, &sweep)?);
            Ok(())
        }
    }
}

/// Returns the path of this program and the working directory.
fn caller() -> Result<Caller, Failure> {
    Ok(Caller {
        program: super::embedded::program().context("cannot tell where this program is")?,
        directory: env::current_dir().context("cannot tell the working directory")?,
    })
}

/// Runs the missing cells. Returns a note of what was done.
fn replay(args: &Args, sweep: &Sweep) -> Result<String, Failure> {
    let Sweep { study, folder, share, missing: cells, .. } = sweep;
    let _claim = sweep.prepare()?;
    let runner = Runner::new(args.threads, cells.len(), args.quiet)?;
    let tally = runner.run_into(folder, study, cells);
    let saving = Saving::begin();
    let missing = sweep.summarize()?;
    let Tally { finished, failed } = tally;
    if finished + failed < cells.len() {
        saving.leave();
        return Err(anyhow!(tally.interrupted(cells.len())).into());
    }
    if failed > 0 {
        let cells = cells.len();
        return Err(anyhow!(
            "{failed} of {} failed; {finished} finished and are kept",
            counted(cells, "cell")
        )
        .into());
    }
    let (total, done) = (share.len(), share.len() - cells.len());
    let rest = match (args.shard, missing) {
        (Some(_), 1..) => format!("{missing} of the study's {} are missing yet", study.cells.len()),
        _ => format!("{} is written", folder.path().join("summary.parquet").display()),
    };
    let total = counted(total, "cell");
    let others =
        sweep::others(folder, &sweep.manifest).map_or_else(String::new, |others| format!("; {others}"));
    Ok(format!("{total}: {done} were done, {finished} replayed; {rest}{others}"))
}
