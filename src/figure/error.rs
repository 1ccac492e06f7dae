//! Errors of figures and of the results that they are drawn of.

use std::path::PathBuf;

use crate::frame::FrameError;
use crate::spec::SpecError;

/// Why a figure could not be drawn of saved results.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The results could not be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The summary has no rows.
    #[error("{} holds no rows", .path.display())]
    NoRows {
        /// The summary.
        path: PathBuf,
    },
    /// An option names a column that the summary does not have, or that holds no numbers.
    #[error("{option}: {problem}")]
    UnknownColumn {
        /// The option.
        option: &'static str,
        /// The columns that there are.
        problem: SpecError,
    },
    /// The summary lacks a column of numbers that every summary has.
    #[error("{}: {problem}", .path.display())]
    NoColumn {
        /// The summary.
        path: PathBuf,
        /// The columns that there are.
        problem: SpecError,
    },
    /// No replay has the number that was asked for.
    #[error("--replay {replay} is not among the results, whose replays are 0 to {last}")]
    NoReplay {
        /// The number.
        replay: f64,
        /// The largest number of a replay.
        last: f64,
    },
    /// No curve has the name that ratios were asked to be relative to.
    #[error("--relative-to '{base}' is no series (one of: {known})")]
    NoBase {
        /// The name.
        base: String,
        /// The names of the curves.
        known: String,
    },
    /// A cell of the results cannot be read.
    #[error("{}: {problem}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The row or column, what was found in it, and what was expected.
        problem: String,
    },
}

impl FigureError {
    /// Returns whether the command line asked for something that does not exist; otherwise an input is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::UnknownColumn { .. } | Self::NoReplay { .. } | Self::NoBase { .. })
    }
}
