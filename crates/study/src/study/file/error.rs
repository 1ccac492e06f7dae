//! Errors of study files. Each says where the problem is, what it is and how to correct it.

use std::io;
use std::path::PathBuf;

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
    /// The file is not UTF-8 text.
    #[error("{}: byte {offset} is not UTF-8; expected a study file in TOML", .path.display())]
    NotText {
        /// The path of the study file.
        path: PathBuf,
        /// The position of the first wrong byte, from 0.
        offset: usize,
    },
    /// A key or a value of the file is wrong.
    #[error("{}:{line}: {problem}", .path.display())]
    Wrong {
        /// The path of the study file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The key, the value that was found, and what was expected.
        problem: String,
    },
    /// The value of an option of the command line is wrong.
    #[error("{flag}: {problem}")]
    Option {
        /// The option.
        flag: String,
        /// What was found, and what was expected.
        problem: String,
    },
    /// A required key is missing.
    #[error("{}: key '{key}' is missing; add a line such as {key} = {example}", .path.display())]
    MissingKey {
        /// The path of the study file.
        path: PathBuf,
        /// The key.
        key: String,
        /// An example of a value.
        example: &'static str,
    },
    /// A log cannot be read.
    #[error("{}:{line}: key 'logs'", .path.display())]
    Log {
        /// The path of the study file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The problem with the log.
        source: Box<TraceError>,
    },
    /// Two replays are the same.
    #[error("{}: cells {first} and {second} are the same replay: {label}; name it once", .path.display())]
    Twice {
        /// The path of the study file.
        path: PathBuf,
        /// The number of the first cell, from 1.
        first: usize,
        /// The number of the second cell, from 1.
        second: usize,
        /// The description of the replay, in words.
        label: String,
    },
}
