//! Results as Polars frames, and the files that they are kept in. No other room imports polars.

mod column;
mod file;
mod folder;
mod jobs;
mod kept;
mod merge;
mod origin;
mod read;
mod run_folder;
mod run_results;
mod schedule;
mod schema;
mod sheet;
mod study_jobs;
mod summary;
mod unfinished;
mod whole;

pub use file::{FileFormat, FinishedFile, FrameFile, write_to};
pub use folder::StudyFolder;
pub use jobs::jobs;
pub use merge::{MergeError, merge};
pub use origin::{Missing, RUN_FILE, STUDY_FILE, marked, result_files};
pub use polars::prelude::DataFrame;
pub use read::is_reading;
pub use run_folder::RunFolderError;
pub use run_results::{FinishedRun, RunResults};
pub use schedule::{ScheduleError, Selected, Selection, read_schedule};
pub use schema::FrameSchema;
pub use sheet::{Sheet, SheetColumn, SheetValues};
pub use summary::summary;
pub use unfinished::Started;
pub use whole::write_whole;

pub use crate::disk::TEMPORARY;

use polars::prelude::{Column, PlSmallStr, PolarsError};

/// Why a frame could not be made or kept.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The frame could not be built or encoded.
    #[error("the result frame cannot be made")]
    Frame(#[from] PolarsError),
    /// The file could not be written, says polars; nothing is left of it. Its message contains what caused it.
    #[error("{} cannot be written: {problem}", .path.display())]
    Write {
        /// Where it should go.
        path: std::path::PathBuf,
        /// What went wrong.
        problem: PolarsError,
    },
    /// The file could not be written; nothing is left of it.
    #[error("{} cannot be written", .path.display())]
    File {
        /// Where it should go.
        path: std::path::PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The file could not be read.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// Where it is.
        path: std::path::PathBuf,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The file is not what its name says.
    #[error("{} is damaged; delete it, and start what made it again", .path.display())]
    Damaged {
        /// Where it is.
        path: std::path::PathBuf,
        /// What does not fit.
        source: PolarsError,
    },
    /// There is no study.
    #[error("{} holds no study.json; expected a directory that `meshreplay sweep -o` made", .folder.display())]
    NoStudy {
        /// The directory.
        folder: std::path::PathBuf,
    },
    /// There is no summary to read.
    #[error(
        "{} holds no summary.parquet, .arrow, .csv, .json or .jsonl; expected a directory that `meshreplay replay -o` \
         or `meshreplay sweep -o` made",
        .folder.display()
    )]
    NoSummary {
        /// Where it should be.
        folder: std::path::PathBuf,
    },
    /// The directory belongs to another study.
    #[error("{} holds the study '{found}', not '{expected}'; give another directory", .folder.display())]
    OtherStudy {
        /// The directory.
        folder: std::path::PathBuf,
        /// The study that is there.
        found: String,
        /// The study that should go there.
        expected: String,
    },
    /// Another command writes there.
    #[error(transparent)]
    Claim(#[from] crate::disk::ClaimError),
    /// The directory holds results that are not of the study.
    #[error("{} is not of the study '{name}'; give another directory, or remove the results that are there", .file.display())]
    OtherResults {
        /// A file of the other results.
        file: std::path::PathBuf,
        /// The study that should go there.
        name: String,
    },
    /// Files of a directory are of different runs.
    #[error("{} is of another run than {}; {}", .file.display(), .other.display(), remedy(.other))]
    Mixed {
        /// A file.
        file: std::path::PathBuf,
        /// One that it does not belong to.
        other: std::path::PathBuf,
    },
    /// A directory holds a study and a run.
    #[error(
        "{} is of a replay and {} of a study; remove the results that do not belong there, or make them again in a \
         directory of their own", .run.display(), .study.display()
    )]
    BothKinds {
        /// What describes the run.
        run: std::path::PathBuf,
        /// What describes the study.
        study: std::path::PathBuf,
    },
    /// A description could not be encoded.
    #[error("the resolved study cannot be written as JSON")]
    Json(#[source] serde_json::Error),
}

/// Returns what to do about a file that is of another run than `other`.
fn remedy(other: &std::path::Path) -> &'static str {
    if other.ends_with(STUDY_FILE) {
        "finish the study, `meshreplay sweep --status` tells how, or remove the results that do not belong there"
    } else {
        "remove the one that does not belong there, or make the results again in a directory of their own"
    }
}

/// Returns the frame of these columns, which all have the same height.
fn frame(columns: Vec<Column>) -> Result<DataFrame, FrameError> {
    Ok(DataFrame::new_infer_height(columns)?)
}

/// Returns the name of a column as polars wants it.
fn name(text: &str) -> PlSmallStr {
    PlSmallStr::from_str(text)
}
