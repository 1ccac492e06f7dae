//! Merges several directories of one study into one.

use polars_core::prelude::DataFrame;

use super::FrameError;
use super::coordinates::{relabel, without_labels};
use super::folder::StudyFolder;
use meshreplay_sim::metrics::{Needs, metric};
use meshreplay_study::study::Manifest;

/// Why directories cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The directories hold different studies.
    #[error("{other} holds another study than {first}: {difference}; merge parts of one study")]
    OtherStudy {
        /// The first directory.
        first: String,
        /// The name of the directory that differs.
        other: String,
        /// The first difference between the studies, in words.
        difference: String,
    },
    /// No cell has the jobs that are to be joined.
    #[error("no cell has its jobs, which --tidy writes with their coordinates; `sweep --jobs` keeps them")]
    NoJobs,
    /// Several directories have different results for a cell, or a file cannot be copied. One sentence for
    /// each.
    #[error("{}; delete the wrong file, cells/KEY.parquet", .0.join("\n"))]
    Conflicts(Vec<String>),
}

/// Merges the cells of all `parts` into `out`, and writes study and summary. Returns the study and the
/// positions of the cells that no part has. If some are missing and `partial` is false, nothing is written.
///
/// If `tidy`, the jobs of all cells are written with the coordinates of their replays too. Fails if no cell
/// has jobs.
///
/// If several parts have the same cell, their results must be equal except for measured times. Then the files
/// of the first part are copied.
pub fn merge(
    parts: &[StudyFolder],
    out: &StudyFolder,
    partial: bool,
    tidy: bool,
) -> Result<(Manifest, Vec<usize>), MergeError> {
    let manifest = common_study(parts)?;
    let mut conflicts = Vec::new();
    let mut missing = Vec::new();
    for (i, cell) in manifest.cells.iter().enumerate() {
        for part in parts {
            conflicts.extend(part.odd_files(&cell.key)?);
        }
        let mut holders: Vec<&StudyFolder> = Vec::new();
        for part in parts {
            if part.holds_cell(&cell.key, false)? {
                holders.push(part);
            }
        }
        let [first, others @ ..] = holders.as_slice() else {
            missing.push(i);
            continue;
        };
        for other in others {
            if !untimed(first.read_row(&cell.key)?)?.equals_missing(&untimed(other.read_row(&cell.key)?)?) {
                let [first, other] = [first, other].map(|part| part.path().display());
                conflicts.push(format!(
                    "{first} and {other} differ in cell {}, {}",
                    cell.key,
                    cell.spec.label()
                ));
            }
        }
    }
    if !conflicts.is_empty() {
        return Err(MergeError::Conflicts(conflicts));
    }
    if !missing.is_empty() && !partial {
        return Ok((manifest, missing));
    }
    let has_jobs = |key: &str| parts.iter().any(|part| part.has(key, true));
    if tidy && !manifest.cells.iter().any(|cell| has_jobs(&cell.key)) {
        return Err(MergeError::NoJobs);
    }
    let _claim = out.prepare(&manifest)?;
    for cell in &manifest.cells {
        for part in parts {
            out.take(&cell.key, part)?;
        }
    }
    for part in parts.iter().rev() {
        out.take_place(part)?;
    }
    out.write_summary(&manifest, tidy)?;
    Ok((manifest, missing))
}

/// Returns the study that all parts share. Fails if two parts differ.
fn common_study(parts: &[StudyFolder]) -> Result<Manifest, MergeError> {
    let mut common: Option<(String, Manifest)> = None;
    for part in parts {
        let name = part.path().display().to_string();
        let manifest = part.manifest()?;
        match &mut common {
            None => common = Some((name, manifest)),
            Some((_, study)) if is_same(study, &manifest) => {
                // The merged study keeps jobs only if every part keeps them.
                study.jobs &= manifest.jobs;
                for (log, other) in study.logs.iter_mut().zip(manifest.logs) {
                    log.starts = log.starts.take().or(other.starts);
                }
            }
            Some((first, study)) => {
                let (first, difference) = (first.clone(), difference(study, &manifest));
                return Err(MergeError::OtherStudy { first, other: name, difference });
            }
        }
    }
    let none = || FrameError::NoStudy { folder: "the empty list".into() };
    Ok(common.map(|(_, study)| study).ok_or_else(none)?)
}

/// Returns whether two parts belong to one study. Whether they keep jobs does not matter, and neither does a
/// missing start of a log: files of older versions lack it.
fn is_same(study: &Manifest, part: &Manifest) -> bool {
    let mut part = Manifest { jobs: study.jobs, ..part.clone() };
    let mut study = study.clone();
    for (log, other) in study.logs.iter_mut().zip(&mut part.logs) {
        if log.starts.is_none() || other.starts.is_none() {
            (log.starts, other.starts) = (None, None);
        }
    }
    study == part
}

/// Returns the first difference between two studies, in words.
fn difference(a: &Manifest, b: &Manifest) -> String {
    if a.name != b.name {
        return format!("'{}' is not '{}'", b.name, a.name);
    }
    if a.version != b.version {
        return format!("version {} is not {}", b.version, a.version);
    }
    if let Some(difference) = a.options.difference(&b.options) {
        return difference;
    }
    if a.cells.len() != b.cells.len() {
        return format!("{} cells, not {}", b.cells.len(), a.cells.len());
    }
    match a.cells.iter().zip(&b.cells).find(|(a, b)| a != b) {
        Some((a, b)) => format!("{} is not {}", b.spec.label(), a.spec.label()),
        None => "descriptions or logs differ".to_owned(),
    }
}

/// Returns the rows of a cell without the columns of measured times and without labels.
fn untimed(mut row: DataFrame) -> Result<DataFrame, FrameError> {
    // Results of an earlier version have their columns in another order.
    relabel(&mut row, None)?;
    let row = without_labels(&row);
    let measured = |column: &str| {
        metric(column).is_some_and(|metric| matches!(metric.column.needs, Needs::Timed | Needs::Latency))
    };
    let names: Vec<String> = row.get_column_names().into_iter().map(ToString::to_string).collect();
    Ok(row.drop_many(names.into_iter().filter(|name| measured(name))))
}
