//! Results as Polars data frames, and their files and directories. No other module imports polars.

mod column;
mod coordinates;
mod detail;
mod file;
mod folder;
mod jobs;
mod merge;
mod origin;
mod read;
mod run;
mod schedule;
mod study_jobs;
mod summary;
mod table;
mod whole;

pub use detail::downtimes::{Down, Downtimes, Intervals, PlacedJob, read_downtimes};
pub use file::{FileFormat, FinishedFile, FrameFile, write_to};
pub use folder::{Started, StudyFolder};
pub use jobs::jobs;
pub use merge::{MergeError, merge};
pub use origin::{
    CALL, Missing, Place, RUN_FILE, STUDY_FILE, marked, outages, result_files, uncompared_replays,
};
pub use polars_core::prelude::DataFrame;
pub use read::{is_reading, read_tables_of_logs, text_of_table};
pub use run::{
    FinishedRun, JobParts, KeptDetail, RunFolderError, RunPlace, RunResults, check_table, of_replays,
    write_table,
};
pub use schedule::{InParts, SavedJobs, ScheduleError, Selected, Selection, read_schedule};
pub use summary::{FrameSchema, SHAKE, summary};
pub use table::{Column, JobColumns, JobCounts, JobOrder, Key, Numbers, Replication, SavedTable, read_frame};
pub use whole::{Put, read_if_there, write_text, write_whole};

pub use meshreplay_base::disk::TEMPORARY;

use polars_core::prelude::{Column as FrameColumn, PlSmallStr, PolarsError};

/// Why a frame could not be made or kept.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The frame could not be built or encoded.
    #[error("the result frame cannot be made")]
    Frame(#[from] PolarsError),
    /// The file could not be written: polars reports an error. No part of the file is left. The message of
    /// polars contains the cause.
    #[error("{} cannot be written: {problem}", .path.display())]
    Write {
        /// The path that the file should have.
        path: std::path::PathBuf,
        /// The error of polars.
        problem: PolarsError,
    },
    /// The file could not be written: the operating system reports an error. No part of the file is left.
    #[error("{} cannot be written", .path.display())]
    File {
        /// The path that the file should have.
        path: std::path::PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file could not be read.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The path of the file.
        path: std::path::PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file of jobs and the summary next to it disagree on the number of jobs.
    #[error(
        "{}: there are {found} jobs of replay {replay}, and its summary says {expected}; one of the files is \
         cut or of another run, so replay again",
        .path.display()
    )]
    OtherJobs {
        /// The directory.
        path: std::path::PathBuf,
        /// The number of the replay.
        replay: String,
        /// The number of jobs in the file of jobs.
        found: u64,
        /// The number of jobs in the summary.
        expected: u64,
    },
    /// The file has more rows than fit into memory.
    #[error(
        "{} takes about {} MB of memory, of which {} MB are free; draw or list a part of the results, or use \
         a machine with more memory",
        .path.display(), .needed_bytes / 1_000_000, .free_bytes / 1_000_000
    )]
    TooLarge {
        /// The path of the file.
        path: std::path::PathBuf,
        /// About how much memory its rows take.
        needed_bytes: u64,
        /// How much can be had.
        free_bytes: u64,
    },
    /// The content of the file does not match its extension, or is incomplete.
    #[error("{} is damaged; delete it, and start what made it again", .path.display())]
    Damaged {
        /// The path of the file.
        path: std::path::PathBuf,
        /// The error of polars.
        source: PolarsError,
    },
    /// The directory holds no study.
    #[error("{} holds no study.json; expected a directory that `meshreplay sweep -o` \
         made", .folder.display())]
    NoStudy {
        /// The directory.
        folder: std::path::PathBuf,
    },
    /// The directory holds no summary.
    #[error(
        "{} holds no summary.parquet, .arrow, .csv, .json or .jsonl; expected a directory that `meshreplay \
         replay -o` or `meshreplay sweep -o` made",
        .folder.display()
    )]
    NoSummary {
        /// The directory.
        folder: std::path::PathBuf,
    },
    /// The directory belongs to another study.
    #[error("{} holds the study '{found}', not '{expected}'; give another directory", .folder.display())]
    OtherStudy {
        /// The directory.
        folder: std::path::PathBuf,
        /// The name of the study in the directory.
        found: String,
        /// The name of the study that should go there.
        expected: String,
    },
    /// Another command is writing into the directory.
    #[error(transparent)]
    Claim(#[from] meshreplay_base::disk::ClaimError),
    /// The directory holds results that do not belong to the study.
    #[error("{} is not of the study '{name}'; give another directory, or remove the results that are \
         there", .file.display())]
    OtherResults {
        /// One of the files that do not belong to the study.
        file: std::path::PathBuf,
        /// The name of the study that should go there.
        name: String,
    },
    /// Two files of a directory belong to different runs.
    #[error("{} is of another run than {}; {}", .file.display(), .other.display(), remedy(.other))]
    Mixed {
        /// The file that was read last.
        file: std::path::PathBuf,
        /// The file of the other run, which was read before.
        other: std::path::PathBuf,
    },
    /// A directory holds both a study and a run of `replay`.
    #[error(
        "{} is of a replay and {} of a study; remove the results that do not belong there, or make them \
         again in a directory of their own", .run.display(), .study.display()
    )]
    BothKinds {
        /// The file that describes the run.
        run: std::path::PathBuf,
        /// The file that describes the study.
        study: std::path::PathBuf,
    },
    /// The description of a study could not be encoded as JSON.
    #[error("the resolved study cannot be written as JSON")]
    Json(#[source] serde_json::Error),
}

/// Returns the remedy for a file that belongs to another run than the file `other`.
fn remedy(other: &std::path::Path) -> &'static str {
    if other.ends_with(STUDY_FILE) {
        "finish the study, `meshreplay sweep --status` tells how, or remove the results that do not belong \
             there"
    } else {
        "remove the one that does not belong there, or make the results again in a directory of their own"
    }
}

/// Returns the data frame of `columns`, which must all have the same height.
fn frame(columns: Vec<FrameColumn>) -> Result<DataFrame, FrameError> {
    Ok(DataFrame::new_infer_height(columns)?)
}

/// Returns `text` as polars stores the names of columns.
fn name(text: &str) -> PlSmallStr {
    PlSmallStr::from_str(text)
}
