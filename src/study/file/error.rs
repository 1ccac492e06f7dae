//! Errors of study files, which say where, what and what to do.

use std::io;
use std::path::PathBuf;

use crate::trace::TraceError;

/// Why a study cannot be planned.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The file cannot be read.
    #[error("{} cannot be read", .path.display())]
    File {
        /// The study file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// The file is no text.
    #[error("{}: byte {offset} is not UTF-8; expected a study file in TOML", .path.display())]
    NotText {
        /// The study file.
        path: PathBuf,
        /// The first wrong byte, from 0.
        offset: usize,
    },
    /// Something in the file is wrong.
    #[error("{}:{line}: {problem}", .path.display())]
    Wrong {
        /// The study file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// Key, what was found, what was expected.
        problem: String,
    },
    /// A key that every study has is not there.
    #[error("{}: key '{key}' is missing; add a line such as {key} = {example}", .path.display())]
    MissingKey {
        /// The study file.
        path: PathBuf,
        /// The key.
        key: String,
        /// What it could hold.
        example: &'static str,
    },
    /// A log cannot be read.
    #[error("{}:{line}: key 'logs'", .path.display())]
    Log {
        /// The study file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with the log.
        source: Box<TraceError>,
    },
    /// Two replays are the same.
    #[error("{}: cells {first} and {second} are the same replay: {label}; name it once", .path.display())]
    Twice {
        /// The study file.
        path: PathBuf,
        /// The first of the two, from 1.
        first: usize,
        /// The other one.
        second: usize,
        /// What they replay.
        label: String,
    },
}
