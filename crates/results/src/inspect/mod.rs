//! Inspects schedules of any tool: reads them from files, audits them, compares them, and writes them for
//! other tools. Results are text for people.

mod audit;
mod compare;
mod export;
mod input;

pub use audit::{Question, audit};
pub use compare::compare;
pub use export::{write_evalys, write_swf};
pub use input::{Input, Jobs, log_format};

use std::io;

use super::frame::{FrameError, ScheduleError};
use meshreplay_base::disk::Scratch;
use meshreplay_logs::TraceError;
use meshreplay_study::audit::{NotSameJobs, SwfError};

/// The result of an audit of a schedule or of a comparison of two schedules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The result in words, as lines of text.
    pub text: String,
    /// Whether the result is good: an audit found no violation, or a comparison found no difference.
    pub is_good: bool,
}

/// The errors of audits, comparisons and exports of schedules.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] SwfError),
    /// The table of jobs cannot be read.
    #[error(transparent)]
    Table(#[from] ScheduleError),
    /// The summary of the schedule cannot be read.
    #[error(transparent)]
    Summary(#[from] FrameError),
    /// The log of an export cannot be written.
    #[error(transparent)]
    Output(#[from] TraceError),
    /// The temporary file for sorting jobs cannot be written or read.
    #[error(
        "jobs cannot be sorted: the temporary file in {folder} that holds them: {0}; make room there, or set \
         TMPDIR to another directory",
        folder = Scratch::folder().display()
    )]
    Scratch(#[source] io::Error),
    /// Partitions of results were asked for.
    #[error("{0} is no log, of which --partition could choose jobs; --replay chooses one of several replays")]
    NoLog(String),
    /// A replay was selected, and the schedule has no replays.
    #[error("{0} holds no replays, among which --replay and --seed choose")]
    NoReplays(String),
    /// The period of results is a date or empty.
    #[error(
        "{name}: --period {given}: expected FROM..TO in whole seconds of the log, FROM below TO, as in \
             0..86400"
    )]
    Period {
        /// The schedule.
        name: String,
        /// The period, as given.
        given: String,
    },
    /// No job waits or runs in the period.
    #[error("{names}: no job waits or runs from {period}; give another --period, or --period off")]
    NoJobs {
        /// The schedules.
        names: String,
        /// The period, in words.
        period: String,
    },
    /// Two schedules cover two periods.
    #[error("{first} covers {covered}, and {second} covers {other}; give --period, which holds for both")]
    Periods {
        /// The first schedule.
        first: String,
        /// Its period, in words.
        covered: String,
        /// The second schedule.
        second: String,
        /// Its period, in words.
        other: String,
    },
    /// The machine of the schedule is neither given nor known from its summary.
    #[error("{0} does not say which machine it is of; give --machine, such as 16x8")]
    NoMachine(String),
    /// The two schedules cannot be compared.
    #[error("{first} and {second}: {problem}")]
    NotComparable {
        /// The path of the first schedule.
        first: String,
        /// The path of the second schedule.
        second: String,
        /// The reason.
        problem: NotSameJobs,
    },
    /// The nodes of a job are not known.
    #[error("{name}: the nodes of job {job} are not known, and evalys needs them; replay with --placements")]
    NoNodes {
        /// The path of the schedule.
        name: String,
        /// The job's number.
        job: i64,
    },
}

impl From<io::Error> for InspectError {
    fn from(error: io::Error) -> Self {
        Self::Scratch(error)
    }
}

impl InspectError {
    /// Returns whether the command is at fault, because it lacks an argument, has one too many or compares
    /// schedules of different jobs, and not the content of a file.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoLog(_) | Self::NoReplays(_) | Self::NoMachine(_) | Self::NotComparable { .. })
    }
}
