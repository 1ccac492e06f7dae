//! Submits the missing cells of a study to Slurm: an array job that runs the shards, and a job after it that merges the
//! results.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use super::batch::{Batch, Caller, Script};
use super::error::SubmitError;
use super::programs::sbatch;
use super::record::{Submission, keep, submissions};
use super::slurm::Slurm;
use super::whole::Sweep;
use crate::disk::{NewFolder, TEMPORARY};
use crate::frame::write_whole;
use crate::study::Shard;
use crate::text::command_line;

/// Divides the cells among shards. Returns the number of shards, and the content keys of the missing cells by the
/// number of their shard. Shards without a missing cell are left out.
fn deal(sweep: &Sweep, slurm: &Slurm) -> (usize, BTreeMap<usize, Vec<String>>) {
    let costs = sweep.costs();
    let shards = slurm.shards.min(costs.len());
    let owners = Shard::deal(&costs, shards);
    let mut tasks: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for &cell in &sweep.missing {
        tasks.entry(owners[cell]).or_default().push(sweep.study.cells[cell].key.clone());
    }
    (shards, tasks)
}

/// Returns the scripts and commands of a submission as text. Nothing is written or submitted.
pub fn preview(sweep: &Sweep, slurm: &Slurm, caller: &Caller) -> Result<String, SubmitError> {
    let (shards, tasks) = deal(sweep, slurm);
    let batch = Batch::new(sweep, slurm, caller, shards)?;
    if tasks.is_empty() {
        return Ok("Every cell is done; nothing would be submitted.\n".to_owned());
    }
    let [shards, merge] =
        [batch.shards(), batch.merge()].map(|Script { path, text }| format!("{path}:\n\n{text}\n"));
    let numbers: Vec<usize> = tasks.into_keys().collect();
    let [array, after] = [batch.array_arguments(&numbers), batch.merge_arguments("JOB")]
        .map(|arguments| format!("sbatch {}\n", command_line(arguments)));
    Ok(format!("{shards}{merge}Commands, JOB being what the first one prints:\n\n{array}{after}"))
}

/// Writes the scripts, submits the array and then the job that merges, and returns a note for the user. If no cell is
/// missing, nothing is submitted and the summary is written. If the array is refused, the study's directory is left as
/// it was.
pub fn submit(sweep: &Sweep, slurm: &Slurm, caller: &Caller) -> Result<String, SubmitError> {
    let Sweep { folder, manifest, study, .. } = sweep;
    let (shards, tasks) = deal(sweep, slurm);
    let batch = Batch::new(sweep, slurm, caller, shards)?;
    folder.check(manifest)?;
    if tasks.is_empty() {
        let _claim = folder.prepare(manifest)?;
        folder.write_summary(manifest)?;
        return Ok(format!("{} cells are done already; nothing is submitted", study.cells.len()));
    }
    let numbers: Vec<usize> = tasks.keys().copied().collect();
    let mut all = submissions(folder.path())?;
    let array =
        with_scripts(&batch, || sbatch(batch.array_arguments(&numbers), None).map_err(SubmitError::Refused))?;
    let (id, cluster) = (array.id.clone(), array.cluster.clone());
    all.push(Submission { spec: slurm.spec.to_string(), array, merge: None, tasks });
    // The array is submitted, so it is recorded before anything else can fail.
    keep(folder.path(), &all)?;
    let _claim = folder.describe(manifest)?;
    folder.keep_started(&sweep.started)?;
    let merge = sbatch(batch.merge_arguments(&id), cluster.as_deref()).map_err(|problem| {
        SubmitError::NoMerge { array: id.clone(), problem, merge: batch.merge_command("meshreplay") }
    })?;
    let after = merge.id.clone();
    if let Some(last) = all.last_mut() {
        last.merge = Some(merge);
    }
    keep(folder.path(), &all)?;
    Ok(format!(
        "{} of {} cells are missing; job {id} runs them in {} shard{}, then job {after} merges; `{}` tells how far \
         they are",
        sweep.missing.len(),
        study.cells.len(),
        numbers.len(),
        if numbers.len() == 1 { "" } else { "s" },
        command_line(["meshreplay", "sweep", "--status", &folder.path().to_string_lossy()])
    ))
}

/// Writes the scripts into the study's directory and calls `submit`. If anything fails, the former content of the
/// directory is restored.
fn with_scripts<T>(
    batch: &Batch<'_>,
    submit: impl FnOnce() -> Result<T, SubmitError>,
) -> Result<T, SubmitError> {
    let directory = batch.directory();
    // The guard is dropped last, and removes the directory if it is new and still empty.
    let _new = NewFolder::create(Path::new(&directory))
        .map_err(SubmitError::system(format!("cannot make {directory}")))?;
    let mut before = Vec::new();
    let mut write = |Script { path, text }: Script| {
        let held = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => Some(read.map_err(SubmitError::system(format!("{path} cannot be read")))?),
        };
        before.push((path.clone(), held));
        Ok(write_whole(Path::new(&path), text.as_bytes(), TEMPORARY)?)
    };
    let written = [batch.shards(), batch.merge()].into_iter().try_for_each(&mut write);
    let result = written.and_then(|()| submit());
    if result.is_err() {
        for (path, held) in before {
            // A file that cannot be restored is left as it is: the error that is reported already matters more.
            let _ = match held {
                Some(bytes) => write_whole(Path::new(&path), &bytes, TEMPORARY).map_err(drop),
                None => fs::remove_file(&path).map_err(drop),
            };
        }
    }
    result
}
