//! Errors of reports.

use std::io;
use std::path::PathBuf;

use crate::figure::FigureError;
use crate::frame::FrameError;
use crate::paper::PaperError;

/// Why a report could not be made of a directory.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The results could not be read or drawn.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The jobs could not be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The papers that may have been reproduced could not be read.
    #[error("the papers that come with the program cannot be read")]
    Papers(#[from] &'static PaperError),
    /// A file of the directory could not be read.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// A file of the directory is no JSON.
    #[error("{} is damaged; run what made it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// A job's nodes cannot be read.
    #[error("{}: job {job}, column 'nodes': found '{found}', expected nodes of the machine as 0-3 7", .path.display())]
    Nodes {
        /// The file of jobs.
        path: PathBuf,
        /// The job's number.
        job: i64,
        /// Its nodes as they stand there.
        found: String,
    },
    /// No replay has the allocator whose machine should be shown.
    #[error("--show '{allocator}' is not among the results (one of: {known})")]
    NotShown {
        /// The allocator.
        allocator: String,
        /// The allocators that there are.
        known: String,
    },
    /// A replay has more jobs in the window than a file can hold.
    #[error(
        "{jobs} jobs of {replay} run between {from} and {to} s, too many for one file; give a narrower --window"
    )]
    TooManyJobs {
        /// How many jobs, as text.
        jobs: String,
        /// What the replay is called.
        replay: String,
        /// Where the window begins.
        from: f64,
        /// Where it ends.
        to: f64,
    },
}

impl ReportError {
    /// Returns whether the command line asked for something that does not exist; otherwise an input is at fault.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Figure(error) => error.is_usage(),
            Self::NotShown { .. } => true,
            _ => false,
        }
    }
}
