//! Errors of reports.

use std::io;
use std::path::PathBuf;

use meshreplay_figures::FigureError;
use meshreplay_results::frame::FrameError;

/// Why a report on a directory could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The results could not be read or drawn.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The jobs could not be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A file of the directory could not be read.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file of the directory is not valid JSON.
    #[error("{} is damaged; run what made it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error of the JSON parser.
        source: serde_json::Error,
    },
    /// The nodes of a job have the wrong form.
    #[error("{}: job {job}, column 'nodes': found '{found}', expected nodes of the machine as 0-3 \
         7", .path.display())]
    Nodes {
        /// The file of jobs.
        path: PathBuf,
        /// The number of the job.
        job: i64,
        /// The text that was found in place of nodes.
        found: String,
    },
    /// No replay has the allocator that the user wants to see.
    #[error("--show '{allocator}' is not among the results (one of: {known})")]
    NotShown {
        /// The name of the allocator that was given.
        allocator: String,
        /// The names of the allocators in the results.
        known: String,
    },
    /// Too many jobs of a replay run in the window of time for one file.
    #[error(
        "{jobs} jobs of {replay} run between {from} and {to} s, too many for one file; give a narrower \
             --window"
    )]
    TooManyJobs {
        /// The number of jobs, as text.
        jobs: String,
        /// The name of the replay.
        replay: String,
        /// The start of the window, in seconds.
        from: f64,
        /// The end of the window, in seconds.
        to: f64,
    },
}

impl ReportError {
    /// Returns whether the command line is at fault, because it asks for something that does not exist. If
    /// false, a file is at fault.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Figure(error) => error.is_usage(),
            Self::NotShown { .. } => true,
            _ => false,
        }
    }
}
