//! Submits the missing cells of a study to Slurm: an array job that runs the shards, and a job after it that
//! merges the results.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::programs::sbatch;
use super::{SubmitError, Sweep};
use crate::frame::{FrameError, read_if_there, write_whole};
use crate::text::{command_line, quoted};
use meshreplay_base::disk::{NewFolder, TEMPORARY, read, remove_file};
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};
use meshreplay_base::words::counted;
use meshreplay_machine::machine::intervals;
use meshreplay_study::study::{MAX_SHARDS, Shard};

/// Returns the scripts and commands of a submission as text. Nothing is written or submitted.
pub fn preview(sweep: &Sweep, slurm: &Slurm, caller: &Caller) -> Result<String, SubmitError> {
    let batch = SlurmBatch::new(sweep, slurm, caller)?;
    if batch.tasks.is_empty() {
        return Ok("Every cell is done; nothing would be submitted.\n".to_owned());
    }
    let [array, after] = [batch.array_arguments(), batch.merge_arguments("JOB")]
        .map(|arguments| format!("sbatch {}\n", command_line(arguments)));
    let [shards, merge] =
        batch.scripts.each_ref().map(|Script { path, text }| format!("{path}:\n\n{text}\n"));
    Ok(format!("{shards}{merge}Commands, JOB being what the first one prints:\n\n{array}{after}"))
}

/// Writes the scripts, submits the array and then the job that merges, and returns a note for the user. If no
/// cell is missing, nothing is submitted and the summary is written. If the array is refused, the study's
/// directory is unchanged.
pub fn submit(sweep: &Sweep, slurm: &Slurm, caller: &Caller) -> Result<String, SubmitError> {
    let Sweep { folder, manifest, .. } = sweep;
    let batch = SlurmBatch::new(sweep, slurm, caller)?;
    folder.check(manifest)?;
    let (count, shards) = (sweep.study.cells.len(), batch.tasks.len());
    if shards == 0 {
        let _claim = folder.prepare(manifest)?;
        folder.write_summary(manifest, sweep.study.options.tidy)?;
        return Ok(format!("{count} cells are done already; nothing is submitted"));
    }
    let mut all = submissions(folder.path())?;
    let array =
        with_scripts(&batch, || sbatch(&batch.array_arguments(), None).map_err(SubmitError::Refused))?;
    let spec = slurm.spec.to_string();
    all.push(Submission { spec, array: array.clone(), merge: None, tasks: batch.tasks.clone() });
    // The array is submitted, so it is recorded before anything else can fail.
    keep_submissions(folder.path(), &all)?;
    let _claim = folder.prepare(manifest)?;
    folder.keep_started(&sweep.started)?;
    let id = array.id;
    let merge = sbatch(&batch.merge_arguments(&id), array.cluster.as_deref())
        .map_err(|problem| SubmitError::NoMerge { array: id.clone(), problem, merge: batch.merge.clone() })?;
    let after = merge.id.clone();
    if let Some(last) = all.last_mut() {
        last.merge = Some(merge);
    }
    keep_submissions(folder.path(), &all)?;
    Ok(format!(
        "{} of {count} cells are missing; job {id} runs them in {}, then job {after} merges; `{}` tells how \
             far they are",
        sweep.missing.len(),
        counted(shards, "shard"),
        command_line(["meshreplay", "sweep", "--status", &folder.path().to_string_lossy()])
    ))
}

/// Writes the scripts into the study's directory and calls `submit`. If anything fails, the former content of
/// the directory is restored.
fn with_scripts<T>(
    batch: &SlurmBatch<'_>,
    submit: impl FnOnce() -> Result<T, SubmitError>,
) -> Result<T, SubmitError> {
    let SlurmBatch { directory, scripts, .. } = batch;
    // The guard is dropped last, and removes the directory if it is new and still empty.
    let _new = NewFolder::create(Path::new(directory))
        .map_err(SubmitError::system(format!("cannot make {directory}")))?;
    let before = scripts.each_ref().map(|script| read(Path::new(&script.path)).ok());
    let write = |path: &str, bytes: &[u8]| write_whole(Path::new(path), bytes, TEMPORARY);
    let written = scripts.iter().try_for_each(|Script { path, text }| write(path, text.as_bytes()));
    let result = written.map_err(SubmitError::from).and_then(|()| submit());
    if result.is_err() {
        for (Script { path, .. }, held) in scripts.iter().zip(before) {
            // Errors of restoring are ignored: the error that is reported matters more.
            let _ = match held {
                Some(bytes) => write(path, &bytes).map_err(drop),
                None => remove_file(Path::new(path)).map_err(drop),
            };
        }
    }
    result
}

/// The default number of shards of a study.
const DEFAULT_SHARDS: usize = 8;

/// The largest number of threads per shard.
const MAX_CPUS: usize = 4096;

const NAME: &str = "letters, digits and _ . @ + -, such as batch";

/// A function that returns whether a text is a valid value of a parameter.
type Check = fn(&str) -> bool;

/// The parameters that are passed to sbatch unchanged: the name, the accepted values in words, and the
/// function that checks a value.
const PASSED: &[(&str, &str, Check)] = &[
    ("account", NAME, is_name),
    ("mem", "a whole number, and K, M, G or T if it is not megabytes, such as 4G", is_memory),
    ("partition", NAME, is_name),
    ("qos", NAME, is_name),
    ("time", "M, M:S, H:M:S, D-H, D-H:M or D-H:M:S, such as 2:30:00", is_time),
];

/// The settings with which a study is submitted to Slurm.
#[derive(Clone, Debug)]
pub struct Slurm {
    /// The spec, as the user gave it.
    pub(super) spec: Spec,
    /// The largest number of shards. A study with fewer cells has fewer shards.
    pub(super) shards: usize,
    /// The number of threads per shard.
    pub(super) cpus: usize,
    /// The arguments that are passed to sbatch unchanged.
    passed: Vec<String>,
}

impl FromStr for Slurm {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let spec: Spec = text.parse()?;
        if spec.name != "slurm" {
            return Err(unknown("batch system", &spec.name, ["slurm"]));
        }
        let mut params = Params::new(&spec);
        let mut passed = Vec::new();
        for (key, expected, is_fine) in PASSED {
            let value =
                params.take_if(key, String::new(), expected, |value| value.is_empty() || is_fine(value))?;
            passed.extend((!value.is_empty()).then(|| format!("--{key}={value}")));
        }
        let mut count = |key, default, most| {
            let expected = format!("a whole number from 1 to {most}");
            params.take_if(key, default, &expected, |count| (1..=most).contains(count))
        };
        let shards = count("array", DEFAULT_SHARDS, MAX_SHARDS)?;
        let cpus = count("cpus", 1, MAX_CPUS)?;
        params.finish()?;
        Ok(Self { spec, shards, cpus, passed })
    }
}

fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.@+-".contains(c);
    text.chars().all(is_plain) && !text.starts_with('-')
}

fn is_number(text: &str) -> bool {
    (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_memory(text: &str) -> bool {
    is_number(text.strip_suffix(['K', 'M', 'G', 'T']).unwrap_or(text))
}

fn is_time(text: &str) -> bool {
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    days.is_none_or(is_number) && rest.split(':').count() <= 3 && rest.split(':').all(is_number)
}

// The scripts of a submission to Slurm, and the arguments of its sbatch commands.
//
// All settings are arguments of sbatch and not `#SBATCH` lines of the scripts. Arguments have priority over
// `SBATCH_…` environment variables of the user, and need no quoting rules of Slurm.

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
struct SlurmBatch<'a> {
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
struct Script {
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
    fn array_arguments(&self) -> Vec<String> {
        // Consecutive numbers become intervals such as 3-7, so that the argument stays short.
        let numbers: Vec<u32> = self.tasks.keys().map(|&number| number as u32).collect();
        let array = format!("--array={}", intervals(&numbers).replace(' ', ","));
        self.arguments("shard-%A_%a.log", self.slurm.cpus, array, &self.scripts[0])
    }

    /// Returns the arguments of sbatch that submit the job that follows the job `array`. It runs however the
    /// tasks end, because the cells that they finished are kept.
    fn merge_arguments(&self, array: &str) -> Vec<String> {
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

/// One submission: an array of shards and the job that follows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Submission {
    /// The value of `--submit`.
    pub(super) spec: String,
    /// The job of the array.
    pub(super) array: Job,
    /// The job that merges results after the array. `None` if it could not be submitted.
    pub(super) merge: Option<Job>,
    /// The content keys of the cells that were missing, by the number of the task that runs them.
    pub(super) tasks: BTreeMap<usize, Vec<String>>,
}

/// A job as sbatch names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// The number of the job.
    pub(super) id: String,
    /// The cluster of the job. `None` if sbatch did not name one.
    pub(super) cluster: Option<String>,
}

fn submissions_file(folder: &Path) -> PathBuf {
    folder.join("slurm").join("submitted.json")
}

/// Reads the submissions of a study, oldest first. The list is empty if there was none.
pub(super) fn submissions(folder: &Path) -> Result<Vec<Submission>, SubmitError> {
    let path = submissions_file(folder);
    let Some(text) = read_if_there(&path)? else { return Ok(Vec::new()) };
    let damaged = format!("{} is damaged; delete it, its jobs are then not counted", path.display());
    serde_json::from_str(&text).map_err(io::Error::from).map_err(SubmitError::system(damaged))
}

/// Writes all submissions of a study to its record.
fn keep_submissions(folder: &Path, all: &[Submission]) -> Result<(), SubmitError> {
    let text = serde_json::to_string_pretty(all).map_err(FrameError::Json)? + "\n";
    Ok(write_whole(&submissions_file(folder), text.as_bytes(), TEMPORARY)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_slurm_takes_are_taken() {
        for text in [
            "slurm",
            "slurm:array=65536,cpus=4096",
            "slurm:account=a.b@c,partition=big_mem-2,qos=x+y",
            "slurm:mem=4000",
            "slurm:mem=4G",
            "slurm:time=90",
            "slurm:time=2-00",
            "slurm:time=2-00:30:00,mem=1T",
        ] {
            assert!(text.parse::<Slurm>().is_ok(), "{text}");
        }
    }

    #[test]
    fn values_that_would_break_a_job_are_not() {
        for text in [
            "slurm:array=0",
            "slurm:array=65537",
            "slurm:array=1-8",
            "slurm:cpus=0",
            "slurm:mem=lots",
            "slurm:mem=G",
            "slurm:partition=a b",
            "slurm:partition=-x",
            "slurm:qos=$(id)",
            "slurm:time=1:2:3:4",
            "slurm:time=1d",
            "slurm:time=1--2",
            "slurm:time=é",
            "slurm:node=1",
            "slurm:a|b",
            "pbs",
        ] {
            assert!(text.parse::<Slurm>().is_err(), "{text}");
        }
    }
}
