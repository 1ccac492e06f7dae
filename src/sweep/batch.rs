//! The scripts of a submission to Slurm, and the arguments of its sbatch commands.
//!
//! All settings are arguments of sbatch and not `#SBATCH` lines of the scripts. Arguments have priority over `SBATCH_…`
//! environment variables of the user, and need no quoting rules of Slurm.

use std::path::{Path, PathBuf};

use super::error::SubmitError;
use super::slurm::Slurm;
use super::whole::Sweep;
use crate::machine::format_intervals;
use crate::text::{command_line, quoted};

/// The data that scripts and commands are made from. All paths are absolute.
pub(super) struct Batch<'a> {
    sweep: &'a Sweep,
    slurm: &'a Slurm,
    program: String,
    /// The working directory of the user, because specs may name files relative to it.
    here: String,
    /// The directory of the study's results.
    folder: String,
    /// The number of shards that the study is divided into.
    shards: usize,
}

/// The program that submits a study, and its working directory.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The path of the program, which the jobs run too.
    pub program: PathBuf,
    /// The working directory of the program, which the jobs use too.
    pub directory: PathBuf,
}

/// A script: the path of the file and its content.
pub(super) struct Script {
    /// The absolute path of the file.
    pub(super) path: String,
    /// The content of the file.
    pub(super) text: String,
}

impl<'a> Batch<'a> {
    /// Collects the data for the scripts. Fails if a path is not UTF-8.
    pub(super) fn new(
        sweep: &'a Sweep,
        slurm: &'a Slurm,
        caller: &Caller,
        shards: usize,
    ) -> Result<Self, SubmitError> {
        let folder = std::path::absolute(sweep.folder.path())
            .map_err(SubmitError::system("cannot tell the working directory"))?;
        text(&sweep.file)?;
        let (program, here) = (text(&caller.program)?, text(&caller.directory)?);
        Ok(Self { sweep, slurm, program, here, folder: text(&folder)?, shards })
    }

    /// Returns the directory of the scripts and of Slurm's logs.
    pub(super) fn directory(&self) -> String {
        format!("{}/slurm", self.folder)
    }

    /// Returns the script that every task of the array runs. It replaces the shell by the program (`exec`) so that
    /// signals reach the program, which then replays the shard of the task.
    pub(super) fn shards(&self) -> Script {
        let Self { program, folder, shards, sweep: Sweep { started, .. }, .. } = self;
        let threads = self.slurm.cpus.to_string();
        let words = [program, "sweep", &started.study, "-o", folder, "--threads", &threads];
        let words = words.into_iter().chain(started.options.iter().map(String::as_str));
        let text = format!(
            "#!/bin/sh\n# One shard of a study; any task may run again, even twice at a time.\n\
             cd {} || exit 1\nexec {} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\"\n",
            quoted(&self.here),
            command_line(words)
        );
        Script { path: self.directory() + "/shards.sh", text }
    }

    /// Returns the script of the job that follows the array. It writes a summary of the cells that are done, and its
    /// exit status is an error if any cell is missing.
    pub(super) fn merge(&self) -> Script {
        let merge = self.merge_command(&self.program);
        let status = command_line([&self.program, "sweep", "--status", &self.folder]);
        let text = format!(
            "#!/bin/sh\n# The summary of a study, whatever has become of its shards.\n{merge} --partial\nexec {status}\n"
        );
        Script { path: self.directory() + "/merge.sh", text }
    }

    /// Returns the command that merges the cells that are done into the summary.
    pub(super) fn merge_command(&self, program: &str) -> String {
        command_line([program, "merge", &self.folder, "-o", &self.folder])
    }

    /// Returns the arguments of sbatch that submit the array. `shards` are the numbers of its tasks, ascending.
    pub(super) fn array_arguments(&self, shards: &[usize]) -> Vec<String> {
        // Consecutive numbers become intervals such as 3-7, so that the argument stays short.
        let ends = |run: &[usize]| Some((*run.first()? as u32, *run.last()? as u32));
        let runs = shards.chunk_by(|one, next| one + 1 == *next).filter_map(ends);
        let array = format!("--array={}", format_intervals(runs).replace(' ', ","));
        self.arguments("shard-%A_%a.log", self.slurm.cpus, [array, self.shards().path])
    }

    /// Returns the arguments of sbatch that submit the job that follows the job `array`. It runs however the tasks end,
    /// because the cells that they finished are kept.
    pub(super) fn merge_arguments(&self, array: &str) -> Vec<String> {
        self.arguments("merge-%A.log", 1, [format!("--dependency=afterany:{array}"), self.merge().path])
    }

    /// Returns the arguments of sbatch for a job that writes to `log` and uses `cpus` threads, with its `own` arguments
    /// at the end.
    fn arguments(&self, log: &str, cpus: usize, own: [String; 2]) -> Vec<String> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        let name: String = self.sweep.study.name.chars().take(60).map(plain).collect();
        // Slurm replaces patterns such as %A in the name of a log. The directory may hold a % too, so it is given as
        // the working directory, where Slurm replaces nothing.
        let common = [
            "--parsable".to_owned(),
            format!("--job-name=meshreplay-{name}"),
            format!("--chdir={}", self.directory()),
            format!("--output={log}"),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            "--ntasks=1".to_owned(),
            format!("--cpus-per-task={cpus}"),
        ];
        common.into_iter().chain(self.slurm.passed.iter().cloned()).chain(own).collect()
    }
}

/// Returns a path as text, and fails if it is not UTF-8.
fn text(path: &Path) -> Result<String, SubmitError> {
    path.to_str().map(ToOwned::to_owned).ok_or_else(|| SubmitError::NotText(path.to_owned()))
}
