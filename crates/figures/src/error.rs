//! Errors of figures and of the saved results that they show.

use std::path::PathBuf;

use meshreplay_base::spec::SpecError;
use meshreplay_results::frame::FrameError;

/// Why a figure of saved results could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum FigureError {
    /// The results could not be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The summary has no rows.
    #[error("{} holds no rows", .path.display())]
    NoRows {
        /// The file of the summary.
        path: PathBuf,
    },
    /// An option names a column that the summary does not have, or a column of text where numbers are needed.
    #[error("{option}: {problem}")]
    UnknownColumn {
        /// The option that names the column.
        option: &'static str,
        /// The message, which lists the columns of numbers.
        problem: SpecError,
    },
    /// A filter fits no result.
    #[error("{option}: {problem}")]
    NoSuchResult {
        /// The option of the filter.
        option: &'static str,
        /// The message, which lists the names among the results.
        problem: SpecError,
    },
    /// Each filter fits some results, but no result fits all filters.
    #[error("no result is of {filters}; expected values that occur together")]
    NoneLeft {
        /// The filters in words.
        filters: String,
    },
    /// The window holds nothing that the kind shows.
    #[error("{kind}: there is nothing in --window; expected a window in which jobs are replayed")]
    NothingInWindow {
        /// The name of the kind.
        kind: &'static str,
    },
    /// No replay of the results has the requested number.
    #[error("--replay {replay} is not among the results, whose replays are 0 to {last}")]
    NoReplay {
        /// The requested number.
        replay: u64,
        /// The largest number of a replay.
        last: u64,
    },
    /// A window has a date, but the results have no dates.
    #[error(
        "--window: '{date}' is a date, but these results have none: the log does not say when it began, they \
         are of several logs (--replay N chooses those of one), or arrivals are scaled; give seconds of \
         the replay, such as 86400..172800"
    )]
    NoDates {
        /// The date.
        date: String,
    },
    /// A window ends before it begins.
    #[error("--window {window} ends before it begins")]
    EmptyWindow {
        /// The window.
        window: String,
    },
    /// No curve has the name of `--relative-to`.
    #[error("--relative-to '{base}' is no series (one of: {known})")]
    NoBase {
        /// The requested name.
        base: String,
        /// The names of the curves.
        known: String,
    },
    /// A value of the results has the wrong form, or the summary lacks a column that every summary has.
    #[error("{}: {problem}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The row or column, the value found there, and the expected form.
        problem: String,
    },
}

impl FigureError {
    /// Returns whether the command line is at fault, because it asks for something that does not exist. If
    /// false, a file is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::UnknownColumn { .. }
                | Self::NoSuchResult { .. }
                | Self::NoneLeft { .. }
                | Self::NoReplay { .. }
                | Self::NoBase { .. }
                | Self::NoDates { .. }
                | Self::EmptyWindow { .. }
        )
    }
}
