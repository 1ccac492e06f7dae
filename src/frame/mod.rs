//! Results as Polars frames, and the files they are kept in. The only room that imports polars.

mod file;
mod jobs;
mod summary;

pub use file::{FileFormat, FrameFile, make_readable, write_to};
pub use jobs::jobs;
pub use polars::prelude::DataFrame;
pub use summary::summary;

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
}

/// The frame of these columns, all of the same height.
fn frame(columns: Vec<Column>) -> Result<DataFrame, FrameError> {
    Ok(DataFrame::new_infer_height(columns)?)
}

/// The name of a column as polars wants it.
fn name(text: &str) -> PlSmallStr {
    PlSmallStr::from_str(text)
}
