//! Submits the missing cells of a study to Slurm: an array job that runs the shards, and a job after it that
//! merges the results.

use std::path::Path;

use super::SubmitError;
use super::batch::{Caller, Script, SlurmBatch};
use super::programs::sbatch;
use super::record::{Submission, keep, submissions};
use super::slurm::Slurm;
use super::whole::Sweep;
use crate::frame::write_whole;
use crate::text::command_line;
use meshreplay_base::disk::{NewFolder, TEMPORARY, read, remove_file};
use meshreplay_base::words::counted;

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
    keep(folder.path(), &all)?;
    let _claim = folder.prepare(manifest)?;
    folder.keep_started(&sweep.started)?;
    let id = array.id;
    let merge = sbatch(&batch.merge_arguments(&id), array.cluster.as_deref())
        .map_err(|problem| SubmitError::NoMerge { array: id.clone(), problem, merge: batch.merge.clone() })?;
    let after = merge.id.clone();
    if let Some(last) = all.last_mut() {
        last.merge = Some(merge);
    }
    keep(folder.path(), &all)?;
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
