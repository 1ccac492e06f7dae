//! Schedules read from tables: either our own `jobs` frame or the table of jobs that Batsim writes.

mod in_parts;
mod table;

pub use self::in_parts::InParts;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use polars_core::prelude::{DataFrame, PolarsError};

use self::table::{ScheduleTable, batsim, ours};
use super::folder::StudyFolder;
use super::origin::Origin;
use super::read::{find, read_file};
use super::table::Replication;
use super::{FileFormat, FrameError};
use meshreplay_base::disk;
use meshreplay_base::words::{counted, excerpt};
use meshreplay_study::audit::{Schedule, ScheduledJob};

/// Why a schedule cannot be read from a table.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// The file or the directory cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The content of the file does not match its extension.
    #[error(
        "{} cannot be read as a table; expected what its name says, .parquet, .arrow, .json, .jsonl or else \
             CSV",
        .path.display()
    )]
    NoTable {
        /// The file.
        path: PathBuf,
        /// The error of polars.
        source: PolarsError,
    },
    /// A line of another program's table has a stray quote, or more or fewer cells than the heading.
    #[error("{}:{line}: {found}; expected {expected}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with the line.
        found: String,
        /// What was expected, with a remedy.
        expected: String,
    },
    /// The directory has no jobs.
    #[error(
        "{} holds no jobs.parquet, .arrow, .csv, .json or .jsonl; expected a directory that `meshreplay \
         replay -o` or `meshreplay sweep -o --jobs` made, or a file",
        .0.display()
    )]
    LoadJobsError(PathBuf),
    /// The table does not have a column that is needed.
    #[error(
        "{} has no column '{column}'; expected the jobs of `meshreplay replay -o`, or the table of jobs that \
             Batsim writes",
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
        "{} holds {} schedules; choose one by --replay and --seed: \
         {}", .path.display(), .known.len(), listed(.known)
    )]
    Several {
        /// The file.
        path: PathBuf,
        /// The number, the name and the seed of each schedule.
        known: Vec<String>,
    },
    /// The table holds no schedule with the selected replay and seed.
    #[error("{} has no jobs of that replay and seed; it has {}", .path.display(), listed_or_none(.known))]
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

/// Returns the entries as [`listed`] does, and why there are none if there are none.
fn listed_or_none(known: &[String]) -> String {
    if known.is_empty() {
        "none at all, so no job of any replay has started".to_owned()
    } else {
        listed(known)
    }
}

/// The choice of one schedule of a table. `None` accepts any number or any seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The number of the replay.
    pub replay: Option<u32>,
    /// The seed of the replication.
    pub seed: Option<u64>,
}

/// A schedule together with the file that it is read from.
#[derive(Debug)]
pub struct Selected {
    /// The file that it is read from.
    pub path: PathBuf,
    /// The replication; `None` for a table of Batsim.
    pub of: Option<Replication>,
    /// Whether nodes went down and came up during the replay.
    pub has_outages: bool,
    /// The jobs.
    pub jobs: SavedJobs,
}

/// The jobs of a schedule, which can be read from the first to the last any number of times.
#[derive(Debug)]
pub enum SavedJobs {
    /// In memory: a table of Batsim, or results in a file that is read as a whole.
    Whole(Schedule),
    /// In a Parquet file that is read in parts.
    InParts(InParts),
}

impl SavedJobs {
    /// Returns the jobs one by one, in the order of the file.
    pub fn walk(&self) -> Box<dyn Iterator<Item = Result<ScheduledJob, ScheduleError>> + '_> {
        match self {
            Self::Whole(schedule) => Box::new(schedule.jobs.iter().cloned().map(Ok)),
            Self::InParts(parts) => Box::new(parts.walk()),
        }
    }

    /// Returns how many jobs there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::Whole(schedule) => schedule.jobs.len() as u64,
            Self::InParts(parts) => parts.count,
        }
    }

    /// Returns the number of records of jobs that never ran.
    pub fn left_out(&self) -> u64 {
        match self {
            Self::Whole(schedule) => schedule.left_out,
            Self::InParts(_) => 0,
        }
    }

    /// Returns the number of the first job with unknown nodes; `None` if all nodes are known.
    pub fn first_without_nodes(&self) -> Result<Option<i64>, ScheduleError> {
        match self {
            Self::InParts(parts) if parts.has_nodes => Ok(None),
            // The file has no column of nodes.
            Self::InParts(parts) => Ok(parts.walk().next().transpose()?.map(|job| job.number)),
            Self::Whole(schedule) => {
                Ok(schedule.jobs.iter().find(|job| job.nodes.is_none()).map(|job| job.number))
            }
        }
    }
}

/// Opens the selected schedule of the file or directory at `path`. If `path` is a study, the number of the
/// replay is the number of its cell. Fails if the selection matches no schedule or several.
pub fn read_schedule(path: &Path, selection: Selection) -> Result<Selected, ScheduleError> {
    let origin = if path.is_dir() { Origin::read(path)? } else { None };
    let found = if path.is_dir() { find(path, "jobs") } else { Some(path.to_owned()) };
    let (path, frame) = match (found, &origin) {
        (Some(file), _) if InParts::can_read(&file)? => return InParts::open(file, origin, selection),
        (Some(file), _) => {
            let frame = read_file(&file);
            check_lines(&file)?;
            (file, frame.map_err(of_table)?)
        }
        (None, Some(origin)) => of_cell(path, origin, selection)?,
        (None, None) => return Err(ScheduleError::LoadJobsError(path.to_owned())),
    };
    if let Some(origin) = &origin {
        origin.check(&path, &frame)?;
    }
    let table = ScheduleTable { path: &path, frame: &frame, first_row: 0, origin: origin.as_ref() };
    if frame.column(BATSIM).is_ok() {
        let jobs = SavedJobs::Whole(batsim(&table)?);
        return Ok(Selected { path, of: None, has_outages: false, jobs });
    }
    let mut known = BTreeMap::new();
    table.count_known(&mut known)?;
    let of = table.select(&known, selection)?;
    let rows = table.rows_of(of)?;
    let jobs = SavedJobs::Whole(Schedule { jobs: ours(&table, &rows)?, left_out: 0 });
    // Only replays with outages have this column.
    let has_outages = table.has("restarts");
    Ok(Selected { path, of: Some(of), has_outages, jobs })
}

/// A column that only the table of Batsim has.
const BATSIM: &str = "starting_time";

/// Returns an error of reading a file as that of a table.
fn of_table(error: FrameError) -> ScheduleError {
    match error {
        FrameError::Damaged { path, source } => ScheduleError::NoTable { path, source },
        other => other.into(),
    }
}

/// Returns the file and the jobs of the selected cell of a study. If no cell is selected, it takes the only
/// cell that has kept its jobs, and fails if there are several.
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
    let frame = cells.read_cells("jobs", origin, None, &[cell as u64])?;
    Ok((cells.detail(keys[cell], "jobs"), frame))
}

// The lines of Batsim's table as text. A stray quote makes one cell of several lines, and a row without its
// last cells has no start, so either would hide jobs without a word.

/// The bytes of the first line among which the name of the column is looked for.
const HEADING: u64 = 1 << 16;

/// Fails if a file in CSV whose heading is Batsim's has a line with a stray quote or with another number of
/// cells than the heading. Files that cannot be read are not checked, and texts may not go over lines.
fn check_lines(path: &Path) -> Result<(), ScheduleError> {
    // A pipe has been read, and gives nothing again.
    if !matches!(FileFormat::of_path(path), None | Some(FileFormat::Csv)) || !path.is_file() {
        return Ok(());
    }
    let Ok(mut file) = disk::open(path).map(BufReader::new) else { return Ok(()) };
    let mut heading = Vec::new();
    if Read::by_ref(&mut file).take(HEADING).read_until(b'\n', &mut heading).is_err() || !is_batsim(&heading)
    {
        return Ok(());
    }
    let wrong = |line: usize, fault: Fault| ScheduleError::Line {
        path: path.to_owned(),
        line,
        found: fault.found,
        expected: fault.expected,
    };
    let cells = count_cells(trimmed(&heading)).map_err(|fault| wrong(1, fault))?;
    for (line, text) in (2..).zip(file.split(b'\n').map_while(Result::ok)) {
        let text = trimmed(&text);
        let found = count_cells(text).map_err(|fault| wrong(line, fault))?;
        // An empty line is no row.
        if found != cells && !text.is_empty() {
            let found = format!("a line of {}", counted(found, "cell"));
            let expected = format!(
                "{}, as in the heading; correct the line, or get the file again",
                counted(cells, "cell")
            );
            return Err(wrong(line, Fault { found, expected }));
        }
    }
    Ok(())
}

/// Returns whether a column of the heading is Batsim's, also where quotes are wrong.
fn is_batsim(heading: &[u8]) -> bool {
    let name = |cell: &[u8]| {
        let cell = cell.trim_ascii();
        let cell = cell.strip_prefix(b"\xef\xbb\xbf").unwrap_or(cell);
        let cell = cell.strip_prefix(b"\"").unwrap_or(cell);
        cell.strip_suffix(b"\"").unwrap_or(cell) == BATSIM.as_bytes()
    };
    heading.split(|&byte| byte == b',').any(name)
}

/// Returns a line without its end.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// What is wrong with a line.
#[derive(Debug)]
struct Fault {
    found: String,
    expected: String,
}

/// Returns the number of cells of a line. A cell is in quotes as a whole or has none; within, two stand for
/// one. Fails at any other quote.
fn count_cells(line: &[u8]) -> Result<usize, Fault> {
    let mut rest = line;
    let mut count: usize = 0;
    loop {
        count = count.saturating_add(1);
        let length = if let Some(text) = rest.strip_prefix(b"\"") {
            quoted_length(text).and_then(|length| length.checked_add(1))
        } else {
            let length = rest.iter().position(|&byte| byte == b',').unwrap_or(rest.len());
            Some(length).filter(|&length| !rest[..length].contains(&b'"'))
        };
        match length.map(|length| &rest[length..]) {
            Some([]) => return Ok(count),
            Some([b',', next @ ..]) => rest = next,
            _ => return Err(stray(line, rest, count)),
        }
    }
}

/// Returns the length of a text in quotes with its closing quote; `None` without one.
fn quoted_length(text: &[u8]) -> Option<usize> {
    let mut at: usize = 0;
    while let Some(quote) = text.get(at..)?.iter().position(|&byte| byte == b'"') {
        at = at.checked_add(quote)?.checked_add(1)?;
        if text.get(at) != Some(&b'"') {
            return Some(at);
        }
        at = at.checked_add(1)?;
    }
    None
}

/// Returns the fault of a line with a stray quote in the cell of this number, with which `rest` begins.
fn stray(line: &[u8], rest: &[u8], cell: usize) -> Fault {
    let (found, expected) = if line.iter().fold(false, |open, byte| open ^ (*byte == b'"')) {
        (
            "a quote is not closed on its line and would hide the jobs up to the next one".to_owned(),
            "an even number of quotes on each line",
        )
    } else {
        (
            format!("a quote within cell {cell}: '{}'", excerpt(&String::from_utf8_lossy(rest))),
            "quotes around a whole cell, and two for one within it",
        )
    };
    Fault { found, expected: expected.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_as_csv_has_them() {
        for (line, cells) in [
            ("", 1),
            ("1,2,", 3),
            ("\"a, b\",2", 2),
            ("\"\",\"a \"\"b\"\"\",\"\"\"\"", 3),
            ("\"3,600,2\"", 1),
            ("\"x\"\",600,\"", 1),
        ] {
            assert_eq!(count_cells(line.as_bytes()).ok(), Some(cells), "{line}");
        }
        for (line, found) in [
            ("1,\"x", "a quote is not closed"),
            ("1,12\" wide", "a quote is not closed"),
            ("1,6\"00\",2", "a quote within cell 2: '6"),
            ("\"x\"y,6\"\"", "a quote within cell 1"),
        ] {
            let fault = count_cells(line.as_bytes()).expect_err(line);
            assert!(fault.found.starts_with(found), "{line}: {fault:?}");
        }
    }

    #[test]
    fn only_texts_of_batsim_are_checked() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let checked = |name: &str, text: &str| -> Result<String, std::io::Error> {
            let path = directory.path().join(name);
            std::fs::write(&path, text)?;
            Ok(check_lines(&path).map_or_else(|error| error.to_string(), |()| String::new()))
        };
        let heading = "job_id,starting_time,metadata\r\n";
        assert_eq!(checked("sound.csv", &format!("{heading}1,2,\r\n2,3,\"a, b\"\r\n\r\n"))?, "");
        assert_eq!(checked("ours.csv", "job,user\n1,\"a\nb\"\n2\n")?, "");
        assert_eq!(checked("noext", "PAR1\"\n\"\"\",\n")?, "");
        for (rows, found) in [
            ("1,2,\n3,4\n5,6,\n", ":3: a line of 2 cells; expected 3 cells, as in the heading"),
            ("1,2,\n\"3,4,\"\n", ":3: a line of 1 cell;"),
            ("1,2,\n3,\"4,\"\n", ":3: a line of 2 cells"),
            ("1,2,,\n", ":2: a line of 4 cells"),
            ("1,2,\"a\nb\"\n", ":2: a quote is not closed on its line"),
        ] {
            let message = checked("wrong.csv", &[heading, rows].concat())?;
            assert!(message.contains(found), "{message}");
        }
        Ok(())
    }
}
