//! The scripts of a submission, and the arguments of sbatch.
//!
//! Everything is an argument of sbatch, not a line of the scripts: arguments win over `SBATCH_…` variables of whoever
//! submits, and need no quoting that only Slurm knows.

use std::path::{Path, PathBuf};

use super::error::SubmitError;
use super::slurm::Slurm;
use super::whole::Sweep;
use crate::machine::format_intervals;
use crate::text::{command_line, quoted};

/// What scripts and jobs are made of; paths are absolute.
pub(super) struct Batch<'a> {
    sweep: &'a Sweep,
    slurm: &'a Slurm,
    program: String,
    /// Where the sweep was submitted: specs may name files relative to it.
    here: String,
    /// The directory of the study.
    folder: String,
    /// Number of shards that the study is dealt out to.
    shards: usize,
}

/// Who submits.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The program that jobs are to run.
    pub program: PathBuf,
    /// Its working directory, which is that of the jobs too.
    pub directory: PathBuf,
}

/// A file of the study's directory and what it holds.
pub(super) struct Script {
    pub(super) path: String,
    pub(super) text: String,
}

impl<'a> Batch<'a> {
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

    /// Returns the directory of scripts and logs.
    pub(super) fn directory(&self) -> String {
        format!("{}/slurm", self.folder)
    }

    /// Returns the script of each task of the array: its shard of the study, in place of the shell, so that signals
    /// reach it.
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

    /// Returns the script of the job after the array: a summary of the cells that there are, and an error if there are
    /// more.
    pub(super) fn merge(&self) -> Script {
        let merge = self.merge_command(&self.program);
        let status = command_line([&self.program, "sweep", "--status", &self.folder]);
        let text = format!(
            "#!/bin/sh\n# The summary of a study, whatever has become of its shards.\n{merge} --partial\nexec {status}\n"
        );
        Script { path: self.directory() + "/merge.sh", text }
    }

    /// Returns the command that merges what there is of the study.
    pub(super) fn merge_command(&self, program: &str) -> String {
        command_line([program, "merge", &self.folder, "-o", &self.folder])
    }

    /// Returns the arguments of sbatch for the array of these shards, ascending.
    pub(super) fn array_arguments(&self, shards: &[usize]) -> Vec<String> {
        let ends = |run: &[usize]| Some((*run.first()? as u32, *run.last()? as u32));
        let runs = shards.chunk_by(|one, next| one + 1 == *next).filter_map(ends);
        let array = format!("--array={}", format_intervals(runs).replace(' ', ","));
        self.arguments("shard-%A_%a.log", self.slurm.cpus, [array, self.shards().path])
    }

    /// Returns the arguments of sbatch for the job that follows `array`, however its tasks end: what they finished is
    /// finished.
    pub(super) fn merge_arguments(&self, array: &str) -> Vec<String> {
        self.arguments("merge-%A.log", 1, [format!("--dependency=afterany:{array}"), self.merge().path])
    }

    fn arguments(&self, log: &str, cpus: usize, own: [String; 2]) -> Vec<String> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        let name: String = self.sweep.study.name.chars().take(60).map(plain).collect();
        // Slurm reads % in the name of a log, not in the directory that the name is relative to.
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

/// Returns a path as text.
fn text(path: &Path) -> Result<String, SubmitError> {
    path.to_str().map(ToOwned::to_owned).ok_or_else(|| SubmitError::NotText(path.to_owned()))
}
