//! The origin of results: the id shared by all files of a run, and the description of the run or study in the
//! same directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::{env, io};

use polars_core::prelude::{Column, DataFrame, NamedFrom, Scalar, Series};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::detail::DETAILS;
use super::read::{ROWS, first_rows, read_slice};
use super::table::SavedTable;
use super::whole::{read_if_there, write_whole};
use super::{FileFormat, FrameError, FrameSchema, name};
use meshreplay_base::disk::{TEMPORARY, read_to_string};
use meshreplay_base::spec::GUEST;
use meshreplay_machine::machine::outages::OutageSource;
use meshreplay_study::study::{
    Coordinate, Labels, Manifest, ManifestCell, REFUSED_SHARE, ReplaySpec, StudyLog, doubt_of_refused,
    not_compared, sha256,
};

/// The name of the file that holds the resolved run of `meshreplay replay`.
pub const RUN_FILE: &str = "run.json";

/// The name of the file that holds the resolved study of `meshreplay sweep`.
pub const STUDY_FILE: &str = "study.json";

/// The name of the file that holds the place of the command that made the results.
pub(super) const PLACE_FILE: &str = "place.json";

/// The name of the column that holds the id of the run in every frame.
pub(super) const RUN_COLUMN: &str = "run";

/// The number of hexadecimal digits in an id.
const DIGITS: usize = 16;

/// The working directory and the log files of the command that made results. No result depends on it;
/// commands that reproduce the results need it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The working directory, as seen from the directory of the results; absolute if the two share nothing.
    pub directory: PathBuf,
    /// The files and models by the names of the logs.
    pub logs: BTreeMap<String, String>,
    /// The file of the study, as seen from the working directory; `None` for results of `replay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<PathBuf>,
}

impl Place {
    /// Returns the place of this process, whose results of these logs go to `folder`. A log from standard
    /// input is left out.
    pub fn of_process(folder: &Path, logs: &[StudyLog]) -> io::Result<Self> {
        let directory = seen_from(&folder.canonicalize()?, &env::current_dir()?.canonicalize()?);
        let named = logs.iter().map(|log| (log.source.name.clone(), log.source.argument()));
        let logs = named.filter(|(_, argument)| argument != "-").collect();
        Ok(Self { directory, logs, study: None })
    }

    /// Adds the file of the study. Its path is the same whether the command had it relative or absolute.
    pub(super) fn of_study(self, file: &Path) -> io::Result<Self> {
        let directory = env::current_dir()?.canonicalize()?;
        let file = file.canonicalize().map_or_else(|_| file.to_owned(), |file| seen_from(&directory, &file));
        Ok(Self { study: Some(file), ..self })
    }

    /// Returns the path of the study's file if it exists. `folder` is the directory of the results.
    pub fn study_file(&self, folder: &Path) -> Option<PathBuf> {
        folder.join(&self.directory).join(self.study.as_ref()?).canonicalize().ok()
    }

    /// Returns the place in `folder`; `None` if it has none that can be read.
    pub fn read(folder: &Path) -> Option<Self> {
        serde_json::from_str(&read_to_string(&folder.join(PLACE_FILE)).ok()?).ok()
    }

    /// Writes the place into `folder`.
    pub fn write(&self, folder: &Path) -> Result<(), FrameError> {
        let text = serde_json::to_string_pretty(self).map_err(FrameError::Json)? + "\n";
        write_whole(&folder.join(PLACE_FILE), text.as_bytes(), TEMPORARY)
    }

    /// Returns the place for a copy of the results of `part` in `folder`.
    pub fn moved(self, part: &Path, folder: &Path) -> io::Result<Self> {
        let directory = part.join(&self.directory).canonicalize()?;
        Ok(Self { directory: seen_from(&folder.canonicalize()?, &directory), ..self })
    }
}

/// Returns the path to `directory` from `folder`, both absolute. It is absolute if they share no directory
/// but the root.
fn seen_from(folder: &Path, directory: &Path) -> PathBuf {
    let shared = folder.components().zip(directory.components()).take_while(|(a, b)| a == b).count();
    if shared < 2 {
        return directory.to_owned();
    }
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(directory.components().skip(shared)).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

/// Returns the possible paths of result files in `folder`, whether they exist or not. The files of a study's
/// cells are excluded.
pub fn result_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let stems = DETAILS.iter().map(|detail| detail.name).chain(["summary"]);
    let frames = stems.flat_map(|stem| {
        FileFormat::ALL.into_iter().map(move |format| format!("{stem}.{}", format.extension()))
    });
    frames.chain([RUN_FILE.to_owned()]).map(|file| folder.join(file))
}

/// The beginning of the line of run.json that is a measurement and differs from run to run.
const MEASURED: &str = "  \"clock_ns\": ";

/// Returns the text of run.json without what was measured: it is the same for the same command.
pub(super) fn unmeasured(run: &str) -> String {
    run.split_inclusive('\n').filter(|line| !line.starts_with(MEASURED)).collect()
}

/// Returns the id of the run that `text` describes: the letter `r` and the beginning of the SHA-256 of `text`
/// without measurements. Without the letter, readers of CSV might take the id for a number.
fn id(text: &str) -> String {
    std::iter::once('r').chain(sha256(&unmeasured(text)).chars().take(DIGITS)).collect()
}

/// The name of the studies that single calls from Python are. No study file has a name with a point.
pub const CALL: &str = "mr.replay";

/// Returns the id of a study. The id does not change when cells or logs are added to the study. The id of a
/// [`CALL`] covers its cells, since all calls have the same name, as does that of a study with algorithms of
/// the caller, which may have one name and different code.
pub(super) fn study_id(manifest: &Manifest) -> Result<String, FrameError> {
    let named =
        // The id covers only what stays the same while cells and logs are added.
        Manifest { description: None, jobs: false, logs: Vec::new(), cells: Vec::new(), ..manifest.clone() };
    let mut text = serde_json::to_string(&named).map_err(FrameError::Json)?;
    let is_of_caller = |cell: &ManifestCell| {
        let ReplaySpec { scheduler, allocator, network, .. } = &cell.spec;
        [scheduler, allocator, network].into_iter().any(|spec| spec.name == GUEST)
    };
    if manifest.name == CALL || manifest.cells.iter().any(is_of_caller) {
        manifest.cells.iter().for_each(|cell| text.push_str(&cell.key));
    }
    Ok(id(&text))
}

/// Returns the frame with a column that holds the id of its run. `run` is the text of run.json.
pub fn marked(mut frame: DataFrame, run: &str) -> Result<DataFrame, FrameError> {
    mark(&mut frame, &id(run))?;
    Ok(frame)
}

/// Adds the column with the id of its run to the frame.
pub(super) fn mark(frame: &mut DataFrame, id: &str) -> Result<(), FrameError> {
    let ids = Column::new_scalar(name(RUN_COLUMN), Scalar::from(name(id)), frame.height());
    frame.with_column(ids)?;
    Ok(())
}

/// Returns the replays in `folder` whose waits are not compared with recorded ones, by number, with the line
/// in place of the difference; none without run.json and study.json. See [`not_compared`].
pub fn uncompared_replays(folder: &Path) -> Result<BTreeMap<u64, String>, FrameError> {
    let refused = refused_replays(&SavedTable::read(folder)?);
    let line = |(number, replay): (u64, &Value)| {
        let pools = replay.get("pools_partitions") == Some(&Value::Bool(true));
        let doubt = replay.get("waits_not_compared").and_then(Value::as_str);
        Some((number, not_compared(pools, doubt.or_else(|| refused.get(&number).copied()))?))
    };
    let mut found = BTreeMap::new();
    for (file, list) in [(RUN_FILE, "replays"), (STUDY_FILE, "cells")] {
        let Some(listed) = listed(folder, file)? else { continue };
        let replays = listed.get(list).and_then(Value::as_array).into_iter().flatten();
        found.extend((0..).zip(replays).filter_map(line));
    }
    Ok(found)
}

/// Returns the replays of a summary, by number, in which many jobs were refused at the beginning of the
/// period, with the reason why their waits are not compared.
fn refused_replays(summary: &SavedTable) -> BTreeMap<u64, &'static str> {
    let reason = |row: usize| {
        let doubt = doubt_of_refused(summary.number(REFUSED_SHARE, row))?;
        Some((summary.replication(row)?.replay, doubt))
    };
    (0..summary.height()).filter_map(reason).collect()
}

/// Returns the outages that the replays in `folder` have; `None` without any.
pub fn outages(folder: &Path) -> Result<Option<OutageSource>, FrameError> {
    for file in [RUN_FILE, STUDY_FILE] {
        let Some(listed) = listed(folder, file)? else { continue };
        let options = listed.get("options").unwrap_or(&listed);
        if let Some(source) = options.get("outages").and_then(Value::as_str) {
            return Ok(source.parse().ok());
        }
    }
    Ok(None)
}

/// Returns the content of a file in JSON of `folder`; `None` if there is none.
fn listed(folder: &Path, file: &str) -> Result<Option<Value>, FrameError> {
    let path = folder.join(file);
    let Some(text) = read_if_there(&path)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| unreadable(&path, error.into()))
}

/// The replays listed in run.json or study.json that have no results.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The file that lists the replays; `None` if there is no such file.
    pub listed_by: Option<PathBuf>,
    /// The names of the missing replays; empty if none is missing.
    pub replays: Vec<String>,
    /// The number of replays in the list.
    pub of: usize,
}

impl Missing {
    /// Returns a sentence on the replays that the results at `path` lack; `None` if they lack none.
    pub(super) fn note(&self, path: &Path) -> Option<String> {
        const NAMED: usize = 5;
        let Self { listed_by: Some(listed_by), replays, of } = self else { return None };
        let rest = match replays.len() {
            0 => return None,
            count if count > NAMED => format!("; … and {} more", count - NAMED),
            _ => String::new(),
        };
        let named: Vec<&str> = replays.iter().take(NAMED).map(String::as_str).collect();
        let (path, listed_by, held) = (path.display(), listed_by.display(), of - replays.len());
        let named = named.join("; ");
        Some(format!(
            "{path} holds {held} of the {of} replays that {listed_by} lists; missing: {named}{rest}"
        ))
    }
}

/// The description of the results in a directory, from run.json or study.json.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The path of run.json or study.json.
    pub(super) file: PathBuf,
    pub(super) id: String,
    /// The replays of the run, or the cells of the study, in their order, as JSON.
    replays: Vec<Value>,
    /// The coordinates that vary between the replays; only `allocator` if none does.
    varying: Vec<&'static str>,
}

impl Origin {
    /// Reads the description of the results in `folder`; `None` if it has neither run.json nor study.json.
    /// Fails if it has both, or if its files belong to different runs.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, FrameError> {
        let (run, study) = (folder.join(RUN_FILE), folder.join(STUDY_FILE));
        let origin = match (read_if_there(&run)?, read_if_there(&study)?) {
            (Some(_), Some(_)) => return Err(FrameError::BothKinds { run, study }),
            (Some(text), None) => Some(Self::parsed(run, id(&text), &text, "replays")?),
            (None, Some(text)) => {
                let unreadable = |error: serde_json::Error| unreadable(&study, error.into());
                let manifest: Manifest = serde_json::from_str(&text).map_err(unreadable)?;
                Some(Self::parsed(study, study_id(&manifest)?, &text, "cells")?)
            }
            (None, None) => None,
        };
        // The first file that has an id. All other files must have the same id.
        let mut first = origin.as_ref().map(|origin| (origin.file.clone(), origin.id.clone()));
        for file in result_files(folder).filter(|file| !file.ends_with(RUN_FILE) && file.exists()) {
            let ids = match FileFormat::of_path(&file) {
                Some(FileFormat::Parquet | FileFormat::Arrow) => ids_in(&file)?,
                // Only the first row of a text file is read here. `check` sees the other rows later.
                _ => runs(&first_rows(&file)?),
            };
            for found in ids {
                match &first {
                    None => first = Some((file.clone(), found)),
                    Some((_, id)) if *id == found => {}
                    Some((other, _)) => return Err(FrameError::Mixed { file, other: other.clone() }),
                }
            }
        }
        Ok(origin)
    }

    /// Returns the description in `text`. `list` is the name of its list of replays.
    fn parsed(file: PathBuf, id: String, text: &str, list: &str) -> Result<Self, FrameError> {
        let value: Value = serde_json::from_str(text).map_err(|error| unreadable(&file, error.into()))?;
        let replays = value.get(list).and_then(Value::as_array).cloned().unwrap_or_default();
        // A coordinate varies if some replay differs in it from the first replay.
        let varies = |key: &&str| replays.iter().any(|other| other.get(key) != replays[0].get(key));
        let mut varying: Vec<&str> =
            Coordinate::listed().map(|coordinate| coordinate.name).filter(varies).collect();
        if varying.is_empty() {
            varying.push("allocator");
        }
        Ok(Self { file, id, replays, varying })
    }

    /// Fails if rows of `frame` belong to another run or study. `file` is the file that the frame was read
    /// from.
    pub(super) fn check(&self, file: &Path, frame: &DataFrame) -> Result<(), FrameError> {
        let mixed = || FrameError::Mixed { file: file.to_owned(), other: self.file.clone() };
        if runs(frame).iter().any(|run| *run != self.id) {
            return Err(mixed());
        }
        let Some(keys) = frame.column("key").ok().and_then(|column| column.str().ok()) else { return Ok(()) };
        let known: BTreeSet<&str> = self.keys().collect();
        // Rows with a key that study.json does not list belong to an earlier form of the study.
        if keys.iter().flatten().any(|key| !known.contains(key)) {
            return Err(mixed());
        }
        Ok(())
    }

    /// Replaces the numbers of the rows in a study's summary by the present positions of their cells in
    /// study.json. Cells may have been added since the summary was written, and the jobs of a cell are found
    /// by its position. Does nothing for a run.
    pub(super) fn renumber(&self, frame: &mut DataFrame) -> Result<(), FrameError> {
        let numbers: BTreeMap<&str, i64> = self.keys().zip(0..).collect();
        let Some(keys) = frame.column("key").ok().and_then(|column| column.str().ok()) else { return Ok(()) };
        let found: Option<Vec<i64>> = keys.iter().map(|key| numbers.get(key?).copied()).collect();
        if let Some(found) = found {
            frame.with_column(Column::from(Series::new(name("replay"), found)))?;
        }
        Ok(())
    }

    /// Returns the keys of a study's cells in their order; none for a run.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.replays.iter().filter_map(|cell| cell.get("key")?.as_str())
    }

    /// Returns the replays without results. `holds` returns whether the replay at a position has some.
    pub(super) fn missing(&self, holds: impl Fn(usize) -> bool) -> Missing {
        let of = self.replays.len();
        let missing = (0..of).filter(|&i| !holds(i));
        let replays = missing.map(|i| format!("{i} ({})", self.label(i))).collect();
        Missing { listed_by: Some(self.file.clone()), replays, of }
    }

    /// Returns the name of replay `i`: its values of the varying coordinates. Empty if there is no such
    /// replay.
    pub(super) fn label(&self, i: usize) -> String {
        let Some(replay) = self.replays.get(i) else { return String::new() };
        let labels = self.labels(i);
        let value = |coordinate: &Coordinate| match (&labels, &coordinate.label, replay.get(coordinate.name))
        {
            (Some(labels), Some(labelled), _) => (labelled.of)(labels).to_owned(),
            (_, Some(labelled), Some(Value::String(spec))) => (labelled.short)(spec),
            (_, _, Some(Value::String(text))) => text.clone(),
            (_, _, Some(other)) => other.to_string(),
            (_, _, None) => String::new(),
        };
        let varying = Coordinate::listed().filter(|coordinate| self.varying.contains(&coordinate.name));
        varying.map(value).collect::<Vec<_>>().join(" · ")
    }

    /// Returns the labels of replay `i`; `None` if run.json or study.json does not have them.
    pub(super) fn labels(&self, i: usize) -> Option<Labels> {
        Labels::of_json(self.replays.get(i)?)
    }
}

/// Returns the set of ids in the rows of a frame; empty if the frame has no ids.
fn runs(frame: &DataFrame) -> BTreeSet<String> {
    let column = frame.column(RUN_COLUMN).ok().and_then(|column| column.str().ok());
    let (mut ids, mut last) = (BTreeSet::new(), None);
    for id in column.iter().flat_map(|column| column.iter().flatten()) {
        // Nearly all rows have the id of the row above.
        if last != Some(id) {
            ids.insert(id.to_owned());
            last = Some(id);
        }
    }
    ids
}

/// The beginning of columns that summaries of version 1.0 have.
const EARLIER_COLUMNS: &str = "slices_fit_";

/// Returns whether this program wrote a file with the name of a result: run.json describes a run, and the
/// first row of a frame has the id of one, and no column that frames do not have, which a user has added.
/// Only the beginning of a file is read. An empty text counts, too.
pub(super) fn is_ours(file: &Path) -> bool {
    if file.ends_with(RUN_FILE) {
        let run: Option<Value> = read_to_string(file).ok().and_then(|text| serde_json::from_str(&text).ok());
        return run.is_some_and(|run| run["version"].is_string() && run["replays"].is_array());
    }
    if file.ends_with(PLACE_FILE) {
        return file.parent().and_then(Place::read).is_some();
    }
    let schemas = FrameSchema::all();
    // A file of another name is the summary of a run.
    let stem = file.file_stem().unwrap_or_default();
    let schema = schemas.iter().find(|schema| schema.name == stem).or(schemas.get(1));
    let is_known = |name: &str| {
        schema.is_some_and(|schema| schema.column(name).is_some()) || name.starts_with(EARLIER_COLUMNS)
    };
    let is_id = |run: &String| {
        run.strip_prefix('r')
            .is_some_and(|hash| hash.len() == DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit()))
    };
    let is_empty = || read_to_string(file).is_ok_and(|text| ["", "[]"].contains(&text.trim()));
    match first_rows(file) {
        Ok(frame) if frame.width() == 0 => is_empty(),
        Ok(frame) if !frame.get_column_names().into_iter().all(|name| is_known(name)) => false,
        Ok(frame) if frame.height() == 0 => frame.column(RUN_COLUMN).is_ok(),
        Ok(frame) => {
            let runs = runs(&frame);
            !runs.is_empty() && runs.iter().all(is_id)
        }
        Err(_) => is_empty(),
    }
}

/// Returns the ids in a Parquet or Arrow file. A Parquet file is read in parts.
fn ids_in(path: &Path) -> Result<BTreeSet<String>, FrameError> {
    let (mut ids, mut from) = (BTreeSet::new(), 0);
    loop {
        let (part, is_last) = read_slice(path, &[RUN_COLUMN], from..from + ROWS)?;
        ids.extend(runs(&part));
        from += ROWS;
        if is_last {
            return Ok(ids);
        }
    }
}

fn unreadable(path: &Path, source: io::Error) -> FrameError {
    FrameError::Unreadable { path: path.to_owned(), source }
}
