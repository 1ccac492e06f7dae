//! `meshreplay sweep --submit`: a study as jobs of Slurm.
//!
//! ```text
//! DIR/slurm/shards.sh           what each task of the array runs
//! DIR/slurm/merge.sh            what the job after it runs
//! DIR/slurm/shard-JOB_TASK.log  what they say
//! DIR/slurm/merge-JOB.log
//! DIR/slurm/submitted.json      what was submitted
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, anyhow};
use serde::{Deserialize, Serialize};

use super::slurm::{Batch, Slurm};
use super::text;
use super::undo::Undo;
use crate::cli::quoted::command;
use crate::cli::{Failure, complain, print};
use crate::frame::{Started, StudyFolder, TEMPORARY, write_whole};
use crate::study::{Manifest, Shard, Study};

const NO_SBATCH: &str =
    "there is no sbatch on the path; submit where Slurm is installed, or see what would be with --dry-run";

/// What is to be done.
pub(super) struct Work<'a> {
    pub(super) file: &'a Path,
    pub(super) study: &'a Study,
    pub(super) manifest: &'a Manifest,
    pub(super) folder: &'a StudyFolder,
    /// The cells that are missing.
    pub(super) cells: &'a [usize],
}

/// An array of shards that was submitted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Submitted {
    /// What `--submit` said.
    pub(super) spec: String,
    /// The array's job.
    pub(super) array: Job,
    /// The job that follows it.
    pub(super) merge: Option<Job>,
    /// Keys of the cells that were missing, by the task that runs them.
    pub(super) tasks: BTreeMap<usize, Vec<String>>,
}

/// A job as sbatch names it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// Its number.
    pub(super) id: String,
    /// Its cluster, where there are several.
    pub(super) cluster: Option<String>,
}

/// Writes scripts and submits them; only shows them in a dry run.
pub(super) fn run(
    slurm: &Slurm,
    work: &Work<'_>,
    started: &Started,
    (dry_run, quiet): (bool, bool),
) -> Result<(), Failure> {
    let Work { file, study, manifest, folder, cells } = work;
    text(file)?;
    let costs: Vec<u64> = study.cells.iter().map(|cell| cell.cost).collect();
    let shards = slurm.shards.min(costs.len());
    let owners = Shard::deal(&costs, shards);
    let mut tasks: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for &cell in *cells {
        tasks.entry(owners[cell]).or_default().push(study.cells[cell].key.clone());
    }
    let path = std::path::absolute(folder.path())?;
    let batch = Batch {
        slurm,
        program: text(&std::env::current_exe().context("cannot tell where this program is")?)?,
        here: text(&std::env::current_dir().context("cannot tell the working directory")?)?,
        started,
        name: &study.name,
        scripts: text(&path.join("slurm"))?,
        folder: text(&path)?,
        shards,
    };
    let indices: Vec<usize> = tasks.keys().copied().collect();
    if dry_run {
        return print(&shown(&batch, &indices));
    }
    folder.check(manifest)?;
    if indices.is_empty() {
        let _claim = folder.prepare(manifest)?;
        folder.write_summary(manifest)?;
        say(quiet, &format!("{} cells are done already; nothing is submitted", study.cells.len()));
        return Ok(());
    }
    let number = indices.len();
    let (array, merge) = send(&batch, work, tasks)?;
    let status = command(["meshreplay", "sweep", "--status", &folder.path().to_string_lossy()]);
    say(
        quiet,
        &format!(
            "{} of {} cells are missing; job {array} runs them in {number} shard{}, then job {merge} merges; \
             `{status}` tells how far they are",
            cells.len(),
            study.cells.len(),
            if number == 1 { "" } else { "s" },
        ),
    );
    Ok(())
}

/// Writes the scripts, submits the array, then the job that merges, and returns their numbers. If the array is refused, the
/// study's directory is as it was.
fn send(
    batch: &Batch<'_>,
    work: &Work<'_>,
    tasks: BTreeMap<usize, Vec<String>>,
) -> Result<(String, String), Failure> {
    let folder = work.folder.path();
    let mut all = submitted(folder)?;
    let nothing = |problem: String| anyhow!("nothing is submitted: {problem}");
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join("sbatch").is_file()) {
        return Err(nothing(NO_SBATCH.to_owned()).into());
    }
    let indices: Vec<usize> = tasks.keys().copied().collect();
    let scripts = [("shards", batch.shards_script()), ("merge", batch.merge_script())];
    let scripts = scripts.map(|(name, script)| (PathBuf::from(batch.script(name)), script));
    let undo = Undo::write(Path::new(&batch.scripts), &scripts)?;
    let array = match sbatch(&batch.shards_arguments(&indices), None) {
        Ok(array) => array,
        Err(problem) => {
            undo.back();
            return Err(nothing(problem).into());
        }
    };
    let (id, cluster) = (array.id.clone(), array.cluster.clone());
    all.push(Submitted { spec: batch.slurm.spec.to_string(), array, merge: None, tasks });
    // What runs already is kept before anything else can fail.
    keep(folder, &all)?;
    let _claim = work.folder.describe(work.manifest)?;
    work.folder.keep_started(batch.started)?;
    let merge = sbatch(&batch.merge_arguments(&id), cluster.as_deref()).map_err(|problem| {
        let merge = command(["meshreplay", "merge", &batch.folder, "-o", &batch.folder]);
        anyhow!(
            "job {id} runs the shards, but none is submitted that merges: {problem}; after it, run {merge}"
        )
    })?;
    let merge_id = merge.id.clone();
    if let Some(last) = all.last_mut() {
        last.merge = Some(merge);
    }
    keep(folder, &all)?;
    Ok((id, merge_id))
}

fn say(quiet: bool, text: &str) {
    if !quiet {
        complain(&format!("note: {text}"));
    }
}

/// Scripts and commands, as a shell would take them.
fn shown(batch: &Batch<'_>, shards: &[usize]) -> String {
    if shards.is_empty() {
        return "Every cell is done; nothing would be submitted.\n".to_owned();
    }
    let sbatch = |arguments: Vec<String>| {
        command(std::iter::once("sbatch").chain(arguments.iter().map(String::as_str)))
    };
    let (shards_at, merge_at) = (batch.script("shards"), batch.script("merge"));
    let (array, merge) = (sbatch(batch.shards_arguments(shards)), sbatch(batch.merge_arguments("JOB")));
    format!(
        "{shards_at}:\n\n{}\n{merge_at}:\n\n{}\nCommands, JOB being what the first one prints:\n\n{array}\n{merge}\n",
        batch.shards_script(),
        batch.merge_script()
    )
}

/// Runs sbatch and returns the job that it made; else the problem in one line.
fn sbatch(arguments: &[String], cluster: Option<&str>) -> Result<Job, String> {
    let mut sbatch = Command::new("sbatch");
    sbatch.args(cluster.map(|cluster| format!("--clusters={cluster}"))).args(arguments);
    let output = sbatch.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => NO_SBATCH.to_owned(),
        _ => format!("sbatch cannot be started: {error}"),
    })?;
    if !output.status.success() {
        let said = one_line(&output.stderr, "sbatch: ");
        return Err(format!("sbatch refuses: {said}; correct --submit, or ask `sinfo` what there is"));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    job(&printed).ok_or_else(|| {
        let found = one_line(&output.stdout, "");
        format!("sbatch printed '{found}', expected the number of a job; see `squeue --me` for what it made")
    })
}

/// The job that sbatch has printed, `ID` or `ID;CLUSTER`, below whatever a site adds.
fn job(printed: &str) -> Option<Job> {
    let line = printed.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let (id, cluster) = line.split_once(';').map_or((line, None), |(id, name)| (id, Some(name.to_owned())));
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| Job { id: id.to_owned(), cluster })
}

/// What a program said as one line, without the `prefix` of its lines.
pub(super) fn one_line(said: &[u8], prefix: &str) -> String {
    let said = String::from_utf8_lossy(said);
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let plain = |line: &str| {
        let line = line.strip_prefix(prefix).unwrap_or(line);
        line.strip_prefix("error: ").unwrap_or(line).to_owned()
    };
    let lines: Vec<String> = lines.map(plain).collect();
    if lines.is_empty() { "no reason given".to_owned() } else { lines.join("; ") }
}

fn record(folder: &Path) -> PathBuf {
    folder.join("slurm").join("submitted.json")
}

/// What was submitted from the study's directory, oldest first.
pub(super) fn submitted(folder: &Path) -> Result<Vec<Submitted>, Failure> {
    let path = record(folder);
    let text = match fs::read_to_string(&path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        read => read.with_context(|| format!("{} cannot be read", path.display()))?,
    };
    Ok(serde_json::from_str(&text).with_context(|| {
        format!("{} is damaged; delete it, its jobs are then not counted", path.display())
    })?)
}

fn keep(folder: &Path, all: &[Submitted]) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(all).context("submissions cannot be written as JSON")? + "\n";
    Ok(write_whole(&record(folder), text.as_bytes(), TEMPORARY)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_numbers_on_the_last_line() {
        let read = |printed: &str| job(printed).map(|job| (job.id, job.cluster));
        assert_eq!(read("12\n"), Some(("12".to_owned(), None)));
        assert_eq!(read("welcome\n\n12;big\n"), Some(("12".to_owned(), Some("big".to_owned()))));
        for printed in ["", "Submitted batch job 12", "\n", ";big"] {
            assert_eq!(read(printed), None, "{printed}");
        }
    }

    #[test]
    fn what_programs_say_fits_one_line() {
        let said = b"sbatch: error: no such partition\n\nsbatch: error: Batch job submission failed\n";
        assert_eq!(one_line(said, "sbatch: "), "no such partition; Batch job submission failed");
        assert_eq!(one_line(b"", "sbatch: "), "no reason given");
    }
}
