//! The scripts of a submission to Slurm, and the arguments of its sbatch commands.
//!
//! All settings are arguments of sbatch and not `#SBATCH` lines of the scripts. Arguments have priority over
//! `SBATCH_…` environment variables of the user, and need no quoting rules of Slurm.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::SubmitError;
use super::slurm::Slurm;
use super::whole::Sweep;
use crate::text::{command_line, quoted};
use meshreplay_machine::machine::intervals;
use meshreplay_study::study::Shard;

/// The program that submits a study, and its working directory.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The path of the program, which the jobs run too.
    pub program: PathBuf,
    /// The working directory of the program, which the jobs use too, because specs may name files relative to
    /// it.
    pub directory: PathBuf,
}

/// A submission before sbatch gets it: an array of shards, and a job after it that merges. All paths are
/// absolute.
pub(super) struct SlurmBatch<'a> {
    /// The name of the study.
    study: &'a str,
    slurm: &'a Slurm,
    /// The directory of the scripts and of Slurm's logs.
    pub(super) directory: String,
    /// The content keys of the missing cells, by the number of the task that runs them, which is the number
    /// of a shard. Shards without a missing cell are left out.
    pub(super) tasks: BTreeMap<usize, Vec<String>>,
    /// The script that every task of the array runs, and the one of the job after the array.
    pub(super) scripts: [Script; 2],
    /// The command that merges the cells that are done into the summary.
    pub(super) merge: String,
}

/// A script: the path of the file and its content.
pub(super) struct Script {
    /// The absolute path of the file.
    pub(super) path: String,
    /// The content of the file.
    pub(super) text: String,
}

impl<'a> SlurmBatch<'a> {
    /// Divides the cells among shards and writes the scripts, but not to disk. Fails if a path is not UTF-8.
    pub(super) fn new(sweep: &'a Sweep, slurm: &'a Slurm, caller: &Caller) -> Result<Self, SubmitError> {
        let costs = sweep.costs();
        let shards = slurm.shards.min(costs.len());
        let owners = Shard::deal(&costs, shards);
        let mut tasks: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for &cell in &sweep.missing {
            tasks.entry(owners[cell]).or_default().push(sweep.study.cells[cell].key.clone());
        }
        let folder = std::path::absolute(sweep.folder.path())
            .map_err(SubmitError::system("cannot tell the working directory"))?;
        text(&sweep.file)?;
        let [program, here, folder] = [&caller.program, &caller.directory, &folder].map(|path| text(path));
        let (program, here, folder) = (program?, here?, folder?);
        let threads = slurm.cpus.to_string();
        let shard = [program, "sweep", &sweep.started.study, "-o", folder, "--threads", &threads];
        let shard = command_line(shard.into_iter().chain(sweep.started.options.iter().map(String::as_str)));
        // The shell is replaced by the program (`exec`), so that signals reach the program.
        let array = format!(
            "# One shard of a study; any task may run again, even twice at a time.\n\
             cd {} || exit 1\n{}exec {shard} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\"",
            quoted(here),
            zone(sweep)
        );
        // The exit status is an error if any cell is missing.
        let tidy = sweep.study.options.tidy.then_some("--tidy");
        let merge = |program| command_line([program, "merge", folder, "-o", folder].into_iter().chain(tidy));
        let after = format!(
            "# The summary of a study, whatever has become of its shards.\n{} --partial\nexec {}",
            merge(program),
            command_line([program, "sweep", "--status", folder])
        );
        let directory = format!("{folder}/slurm");
        let scripts = [("shards", array), ("merge", after)].map(|(name, text)| Script {
            path: format!("{directory}/{name}.sh"),
            text: format!("#!/bin/sh\n{text}\n"),
        });
        Ok(Self { study: &sweep.study.name, slurm, directory, tasks, scripts, merge: merge("meshreplay") })
    }

    /// Returns the arguments of sbatch that submit the array.
    pub(super) fn array_arguments(&self) -> Vec<String> {
        // Consecutive numbers become intervals such as 3-7, so that the argument stays short.
        let numbers: Vec<u32> = self.tasks.keys().map(|&number| number as u32).collect();
        let array = format!("--array={}", intervals(&numbers).replace(' ', ","));
        self.arguments("shard-%A_%a.log", self.slurm.cpus, array, &self.scripts[0])
    }

    /// Returns the arguments of sbatch that submit the job that follows the job `array`. It runs however the
    /// tasks end, because the cells that they finished are kept.
    pub(super) fn merge_arguments(&self, array: &str) -> Vec<String> {
        self.arguments("merge-%A.log", 1, format!("--dependency=afterany:{array}"), &self.scripts[1])
    }

    /// Returns the arguments of sbatch for a job that runs `script`, writes to `log`, uses `cpus` threads,
    /// and has one argument of its `own`.
    fn arguments(&self, log: &str, cpus: usize, own: String, script: &Script) -> Vec<String> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        let name: String = self.study.chars().take(60).map(plain).collect();
        // Slurm replaces patterns such as %A in the name of a log. The directory may hold a % too, so it is
        // given as the working directory, where Slurm replaces nothing.
        let common = [
            "--parsable".to_owned(),
            format!("--job-name=meshreplay-{name}"),
            format!("--chdir={}", self.directory),
            format!("--output={log}"),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            "--ntasks=1".to_owned(),
            format!("--cpus-per-task={cpus}"),
        ];
        let own = [own, script.path.clone()];
        common.into_iter().chain(self.slurm.passed.iter().cloned()).chain(own).collect()
    }
}

/// Returns the line of a script that exports the time zone for dates without one, so that all shards read the
/// same; empty if there are no such dates. A zone that is only an offset was given by the user.
fn zone(sweep: &Sweep) -> String {
    let name = sweep.study.time_zone().filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()));
    name.map_or_else(String::new, |name| format!("export TZ={}\n", quoted(name)))
}

/// Returns a path as text, and fails if it is not UTF-8.
fn text(path: &Path) -> Result<&str, SubmitError> {
    path.to_str().ok_or_else(|| SubmitError::NotText(path.to_owned()))
}
