//! Schedules read from tables: either our own `jobs` frame or the table of jobs that Batsim writes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use polars_core::prelude::{Column, DataFrame, DataType, PolarsError};

use super::FrameError;
use super::file::FileFormat;
use super::folder::StudyFolder;
use super::origin::{Origin, RUN_COLUMN};
use super::read::{ROWS, find, read_file, read_slice};
use crate::audit::{Schedule, ScheduledJob};
use crate::job::Time;
use crate::machine::parse_intervals;

/// Why a schedule cannot be read from a table.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// The file or the directory cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The content of the file does not match its extension.
    #[error(
        "{} cannot be read as a table; expected what its name says, .parquet, .arrow, .json, .jsonl or else CSV",
        .path.display()
    )]
    NoTable {
        /// The file.
        path: PathBuf,
        /// The error of polars.
        source: PolarsError,
    },
    /// The directory has no jobs.
    #[error(
        "{} holds no jobs.parquet, .arrow, .csv, .json or .jsonl; expected a directory that `meshreplay replay -o` or \
         `meshreplay sweep -o --jobs` made, or a file",
        .0.display()
    )]
    LoadJobsError(PathBuf),
    /// The table does not have a column that is needed.
    #[error(
        "{} has no column '{column}'; expected the jobs of `meshreplay replay -o`, or the table of jobs that Batsim writes",
        .path.display()
    )]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
    },
    /// A value of the table has the wrong form.
    #[error("{}, row {row}, column '{column}': found {found}, expected {expected}", .path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The row, from 1.
        row: usize,
        /// The column.
        column: &'static str,
        /// The value that was found.
        found: String,
        /// The form that was expected.
        expected: &'static str,
    },
    /// The table holds several schedules, and the selection does not choose one.
    #[error(
        "{} holds {} schedules; choose one by --replay and --seed: {}", .path.display(), .known.len(), listed(.known)
    )]
    Several {
        /// The file.
        path: PathBuf,
        /// The number, the name and the seed of each schedule.
        known: Vec<String>,
    },
    /// The table holds no schedule with the selected replay and seed.
    #[error("{} has no jobs of that replay and seed; it has {}", .path.display(), listed(.known))]
    None {
        /// The file.
        path: PathBuf,
        /// The number, the name and the seed of each schedule in the table.
        known: Vec<String>,
    },
}

/// Returns the first ten entries joined by semicolons, and `…` if there are more.
fn listed(known: &[String]) -> String {
    const SHOWN: usize = 10;
    known.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ")
        + if known.len() > SHOWN { "; …" } else { "" }
}

/// The choice of one schedule of a table. `None` accepts any number or any seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The number of the replay.
    pub replay: Option<u32>,
    /// The seed of the replication.
    pub seed: Option<u64>,
}

/// A schedule together with the file that it was read from.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The file that it was read from.
    pub path: PathBuf,
    /// The number of the replay and the seed of the replication; `None` for a table of Batsim.
    pub of: Option<(u32, u64)>,
    /// Whether nodes went down and came up during the replay.
    pub has_outages: bool,
    /// The schedule itself.
    pub schedule: Schedule,
}

/// Reads the selected schedule from the file or directory at `path`. If `path` is a study, the number of the replay is
/// the number of its cell. Fails if the selection matches no schedule or several.
pub fn read_schedule(path: &Path, selection: Selection) -> Result<Selected, ScheduleError> {
    let origin = if path.is_dir() { Origin::of(path)? } else { None };
    let found = if path.is_dir() { find(path, "jobs") } else { Some(path.to_owned()) };
    let (path, frame) = match (found, &origin) {
        (Some(file), _) if has_parts(&file)? => return of_parts(file, origin.as_ref(), selection),
        (Some(file), _) => {
            let frame = read_file(&file).map_err(|error| match error {
                FrameError::Damaged { path, source } => ScheduleError::NoTable { path, source },
                other => other.into(),
            })?;
            (file, frame)
        }
        (None, Some(origin)) => of_cell(path, origin, selection)?,
        (None, None) => return Err(ScheduleError::LoadJobsError(path.to_owned())),
    };
    if let Some(origin) = &origin {
        origin.check(&path, &frame)?;
    }
    let table = Table { path: &path, frame: &frame, first_row: 0, origin: origin.as_ref() };
    if frame.column("starting_time").is_ok() {
        let schedule = batsim(&table)?;
        return Ok(Selected { path, of: None, has_outages: false, schedule });
    }
    let of = table.select(&table.known()?.into_iter().collect(), selection)?;
    let rows = table.rows_of(of)?;
    let schedule = Schedule { jobs: ours(&table, &rows)?, left_out: 0 };
    // Only replays with outages have this column.
    let has_outages = table.has("restarts");
    Ok(Selected { path, of: Some(of), has_outages, schedule })
}

/// Returns whether the file at `path` is one of ours that can be read in parts.
fn has_parts(path: &Path) -> Result<bool, ScheduleError> {
    if FileFormat::of_path(path) != Some(FileFormat::Parquet) {
        return Ok(false);
    }
    let (first, _) = slice(path, &["starting_time", "submit_s"], 0)?;
    Ok(first.column("starting_time").is_err())
}

/// Reads the selected schedule from the file at `path` in parts, so that only its jobs are in memory at once.
fn of_parts(path: PathBuf, origin: Option<&Origin>, selection: Selection) -> Result<Selected, ScheduleError> {
    let mut known = BTreeSet::new();
    for_parts(&path, origin, &["replay", "seed", "submit_s"], &mut |table| {
        table.column("submit_s")?;
        known.extend(table.known()?);
        Ok(())
    })?;
    let nothing = Table { path: &path, frame: &DataFrame::empty(), first_row: 0, origin };
    let of = nothing.select(&known, selection)?;
    let (mut jobs, mut has_outages) = (Vec::new(), false);
    for_parts(&path, origin, &COLUMNS, &mut |table| {
        jobs.extend(ours(table, &table.rows_of(of)?)?);
        has_outages |= table.has("restarts");
        Ok(())
    })?;
    Ok(Selected { path, of: Some(of), has_outages, schedule: Schedule { jobs, left_out: 0 } })
}

/// The columns of our own `jobs` frame that a schedule is made of. Not every frame has all.
const COLUMNS: [&str; 14] = [
    "replay",
    "seed",
    RUN_COLUMN,
    "job",
    "submit_s",
    "start_s",
    "end_s",
    "estimate_s",
    "prediction_s",
    "procs",
    "allocated",
    "nodes",
    "moves",
    "restarts",
];

/// Hands the file at `path` to `visit` in parts: these columns, as far as they exist.
fn for_parts(
    path: &Path,
    origin: Option<&Origin>,
    columns: &[&str],
    visit: &mut dyn FnMut(&Table<'_>) -> Result<(), ScheduleError>,
) -> Result<(), ScheduleError> {
    let mut first_row = 0;
    loop {
        let (frame, is_last) = slice(path, columns, first_row)?;
        if let Some(origin) = origin {
            origin.check(path, &frame)?;
        }
        visit(&Table { path, frame: &frame, first_row, origin })?;
        first_row += frame.height();
        if is_last {
            return Ok(());
        }
    }
}

/// Reads rows of the file at `path`, from `first_row` on.
fn slice(path: &Path, columns: &[&str], first_row: usize) -> Result<(DataFrame, bool), ScheduleError> {
    read_slice(path, columns, (first_row, ROWS)).map_err(|error| match error {
        FrameError::Damaged { path, source } => ScheduleError::NoTable { path, source },
        other => other.into(),
    })
}

/// Returns the file and the jobs of the selected cell of a study. If no cell is selected, it takes the only cell that
/// has kept its jobs, and fails if there are several.
fn of_cell(
    folder: &Path,
    origin: &Origin,
    selection: Selection,
) -> Result<(PathBuf, DataFrame), ScheduleError> {
    let cells = StudyFolder::new(folder, None);
    let keys: Vec<&str> = origin.keys().collect();
    let kept: Vec<usize> = (0..keys.len()).filter(|&i| cells.has(keys[i], true)).collect();
    let known = || kept.iter().map(|&i| format!("{i} ({})", origin.label(i))).collect();
    let path = folder.to_owned();
    let cell = match (selection.replay, kept.as_slice()) {
        (_, []) => return Err(ScheduleError::LoadJobsError(path)),
        (Some(replay), _) => kept.iter().copied().find(|&cell| cell == replay as usize),
        (None, [only]) => Some(*only),
        (None, _) => return Err(ScheduleError::Several { path, known: known() }),
    };
    let missing = || ScheduleError::None { path, known: known() };
    let cell = cell.ok_or_else(missing)?;
    let frame =
        cells.read_details("jobs", origin, None, &|number| number == cell as u64)?.unwrap_or_default();
    Ok((cells.detail(keys[cell], "jobs"), frame))
}

/// A table with the name of its file for messages.
struct Table<'a> {
    path: &'a Path,
    frame: &'a DataFrame,
    /// The row of the file, from 0, with which the frame begins.
    first_row: usize,
    origin: Option<&'a Origin>,
}

impl Table<'_> {
    /// Returns a column of the table. Fails if there is none.
    fn column(&self, name: &'static str) -> Result<&Column, ScheduleError> {
        let missing = |_| ScheduleError::NoColumn { path: self.path.to_owned(), column: name };
        self.frame.column(name).map_err(missing)
    }

    /// Returns whether the table has this column.
    fn has(&self, name: &str) -> bool {
        self.frame.column(name).is_ok()
    }

    /// Returns the error for a file with content that cannot be read as a table.
    fn no_table(&self, source: PolarsError) -> ScheduleError {
        ScheduleError::NoTable { path: self.path.to_owned(), source }
    }

    /// Returns the error for a value that does not have the expected form.
    fn unexpected(&self, row: usize, column: &'static str, expected: &'static str) -> ScheduleError {
        let texts = self.texts(column).unwrap_or_default();
        let found = texts.get(row).filter(|text| !text.is_empty());
        let found = found.map_or_else(|| "nothing".to_owned(), |text| format!("'{text}'"));
        ScheduleError::Value {
            path: self.path.to_owned(),
            row: self.first_row + row + 1,
            column,
            found,
            expected,
        }
    }

    /// Returns a column as numbers.
    fn numbers(&self, name: &'static str) -> Result<Numbers<'_>, ScheduleError> {
        let numbers = self.column(name)?.cast(&DataType::Float64).map_err(|error| self.no_table(error))?;
        let values = numbers.f64().map_err(|error| self.no_table(error))?.iter().collect();
        Ok(Numbers { table: self, name, values })
    }

    /// Returns the whole numbers of a column without rounding, because seeds may have more digits than an `f64` keeps.
    /// A missing number is `None`.
    fn whole(&self, column: &Column) -> Result<Vec<Option<u64>>, ScheduleError> {
        let numbers = column.cast(&DataType::UInt64).map_err(|error| self.no_table(error))?;
        Ok(numbers.u64().map_err(|error| self.no_table(error))?.iter().collect())
    }

    /// Returns the texts of a column. A missing text is empty.
    fn texts(&self, name: &'static str) -> Result<Vec<String>, ScheduleError> {
        let texts = self.column(name)?.cast(&DataType::String).map_err(|error| self.no_table(error))?;
        let texts = texts.str().map_err(|error| self.no_table(error))?;
        Ok(texts.iter().map(|text| text.unwrap_or_default().to_owned()).collect())
    }

    /// Returns the intervals of nodes in a row; `None` if `texts`, the values of the column, is an empty list.
    fn nodes(&self, name: &'static str, row: usize, texts: &[String]) -> Result<Nodes, ScheduleError> {
        let Some(text) = texts.get(row) else { return Ok(None) };
        let nodes = parse_intervals(text);
        nodes.map(Some).map_err(|_| self.unexpected(row, name, "intervals of nodes such as 0-3 7"))
    }

    /// Returns the number, the name and the seed of a schedule as text for messages.
    fn label(&self, (replay, seed): &(u32, u64)) -> String {
        let name = self.origin.map(|origin| origin.label(*replay as usize)).unwrap_or_default();
        if name.is_empty() {
            format!("{replay}, seed {seed}")
        } else {
            format!("{replay} ({name}), seed {seed}")
        }
    }

    /// Returns the replay number and the seed of the schedule that each row belongs to. A table without these columns has
    /// number 0 and seed 0.
    fn known(&self) -> Result<Vec<(u32, u64)>, ScheduleError> {
        let of = |name: &'static str| match self.frame.column(name) {
            Ok(column) => self.whole(column),
            Err(_) => Ok(vec![None; self.frame.height()]),
        };
        let (replays, seeds) = (of("replay")?, of("seed")?);
        let of_row =
            |(replay, seed): (&Option<u64>, &Option<u64>)| (replay.unwrap_or(0) as u32, seed.unwrap_or(0));
        Ok(replays.iter().zip(&seeds).map(of_row).collect())
    }

    /// Returns the rows of the jobs of a schedule.
    fn rows_of(&self, one: (u32, u64)) -> Result<Vec<usize>, ScheduleError> {
        let known = self.known()?;
        Ok((0..known.len()).filter(|&row| known[row] == one).collect())
    }

    /// Returns the replay number and the seed of the selected one of the schedules that are `known`.
    fn select(
        &self,
        known: &BTreeSet<(u32, u64)>,
        selection: Selection,
    ) -> Result<(u32, u64), ScheduleError> {
        let wanted = |&(replay, seed): &(u32, u64)| {
            selection.replay.is_none_or(|wanted| wanted == replay)
                && selection.seed.is_none_or(|wanted| wanted == seed)
        };
        let chosen: Vec<(u32, u64)> = known.iter().copied().filter(wanted).collect();
        let path = self.path.to_owned();
        match chosen.as_slice() {
            [one] => Ok(*one),
            [] => Err(ScheduleError::None { path, known: known.iter().map(|one| self.label(one)).collect() }),
            _ => Err(ScheduleError::Several {
                path,
                known: chosen.iter().map(|one| self.label(one)).collect(),
            }),
        }
    }
}

/// The first and the last node of each interval; `None` if the table has no nodes.
type Nodes = Option<Vec<(u32, u32)>>;

/// A column of numbers, which knows its table for messages.
struct Numbers<'a> {
    table: &'a Table<'a>,
    name: &'static str,
    /// The numbers; `None` where the value is missing.
    values: Vec<Option<f64>>,
}

impl Numbers<'_> {
    /// Returns the instant or duration in a row. The table states it in seconds.
    fn time(&self, row: usize) -> Result<Time, ScheduleError> {
        let time = self.values[row].and_then(time);
        time.ok_or_else(|| self.table.unexpected(row, self.name, "a number of seconds"))
    }

    /// Returns the whole number in a row.
    fn count(&self, row: usize) -> Result<u32, ScheduleError> {
        let is_count = |count: &f64| (0.0..=f64::from(u32::MAX)).contains(count) && count.fract() == 0.0;
        let count = self.values[row].filter(is_count).map(|count| count as u32);
        count.ok_or_else(|| self.table.unexpected(row, self.name, "a whole number from 0"))
    }
}

/// Returns a number of seconds as an instant or duration, rounded to microseconds; `None` if it is too large.
fn time(seconds: f64) -> Option<Time> {
    const FARTHEST_S: f64 = 9e12;
    (seconds.abs() < FARTHEST_S).then(|| Time::from_micros((seconds * 1e6).round() as i64))
}

/// Returns the jobs in `rows` of our own `jobs` frame.
fn ours(table: &Table<'_>, rows: &[usize]) -> Result<Vec<ScheduledJob>, ScheduleError> {
    let (submit, start) = (table.numbers("submit_s")?, table.numbers("start_s")?);
    let (end, estimate) = (table.numbers("end_s")?, table.numbers("estimate_s")?);
    // Schedulers planned with the predictions where there are any.
    let predictions = table.has("prediction_s").then(|| table.numbers("prediction_s")).transpose()?;
    let predicted = |row: usize| predictions.as_ref().filter(|numbers| numbers.values[row].is_some());
    let (procs, allocated) = (table.numbers("procs")?, table.numbers("allocated")?);
    let numbers = table.numbers("job")?;
    let moves = table.has("moves").then(|| table.numbers("moves")).transpose()?;
    let nodes = if table.has("nodes") { table.texts("nodes")? } else { Vec::new() };
    let job = |&row: &usize| {
        Ok(ScheduledJob {
            row: (table.first_row + row) as u64 + 1,
            number: numbers.values[row].unwrap_or(0.0) as i64,
            submit: submit.time(row)?,
            start: start.time(row)?,
            end: end.time(row)?,
            estimate: predicted(row).unwrap_or(&estimate).time(row)?,
            procs: procs.count(row)?,
            allocated: allocated.count(row)?,
            nodes: table.nodes("nodes", row, &nodes)?,
            moved: moves.as_ref().is_some_and(|moves| moves.values[row].unwrap_or(0.0) > 0.0),
        })
    };
    rows.iter().map(job).collect()
}

/// Returns the jobs of Batsim's table, sorted by arrival and then by number. Jobs that never started are left out and
/// counted.
fn batsim(table: &Table<'_>) -> Result<Schedule, ScheduleError> {
    let (submit, start) = (table.numbers("submission_time")?, table.numbers("starting_time")?);
    let (end, estimates) = (table.numbers("finish_time")?, table.numbers("requested_time")?);
    let procs = table.numbers("requested_number_of_resources")?;
    let (ids, places) = (table.texts("job_id")?, table.texts("allocated_resources")?);
    let mut schedule = Schedule::default();
    for (row, id) in ids.iter().enumerate() {
        if start.values[row].is_none_or(|start| start < 0.0) {
            schedule.left_out += 1;
            continue;
        }
        // Batsim may write the name of the workload before the number: w0!17.
        let number = id.rsplit('!').next().and_then(|number| number.parse().ok());
        let nodes = table.nodes("allocated_resources", row, &places)?.filter(|nodes| !nodes.is_empty());
        let held: u64 = nodes.iter().flatten().map(|(first, last)| u64::from(last - first) + 1).sum();
        let (start, end, procs) = (start.time(row)?, end.time(row)?, procs.count(row)?);
        // Jobs without a requested time get their run time as estimate.
        let estimate = estimates.values[row].filter(|&seconds| seconds >= 0.0).and_then(time);
        schedule.jobs.push(ScheduledJob {
            row: row as u64 + 1,
            number: number.unwrap_or(row as i64 + 1),
            submit: submit.time(row)?,
            start,
            end,
            estimate: estimate.unwrap_or(end - start),
            procs,
            allocated: if nodes.is_some() { u32::try_from(held).unwrap_or(u32::MAX) } else { procs },
            nodes,
            moved: false,
        });
    }
    schedule.jobs.sort_by_key(|job| (job.submit, job.number));
    Ok(schedule)
}
