//! Errors of study files, with the place, the problem and a remedy.

use std::io;
use std::path::{Path, PathBuf};

use meshreplay_logs::TraceError;

/// The reason why a study file cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file cannot be read.
    #[error("{} cannot be read", .path.display())]
    File {
        /// The path of the study file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file, one of its lines, or an option of the command line is wrong.
    #[error("{place}: {problem}")]
    Wrong {
        /// The path, with the line if there is one, or the option.
        place: String,
        /// The key, the value that was found, and what was expected.
        problem: String,
    },
    /// A log cannot be read.
    #[error("{place}: key 'logs'")]
    Log {
        /// The path and the line.
        place: String,
        /// The problem with the log.
        source: Box<TraceError>,
    },
}

impl StudyError {
    /// An error about the file at `path` as a whole.
    pub(super) fn of_file(path: &Path, problem: String) -> Self {
        Self::Wrong { place: path.display().to_string(), problem }
    }

    /// An error about a line, from 1, of the file at `path`.
    pub(super) fn at_line(path: &Path, line: usize, problem: String) -> Self {
        Self::Wrong { place: format!("{}:{line}", path.display()), problem }
    }
}
