//! Jobs for the unit tests of the audit.

use std::io;

use super::{ScheduleStream, ScheduledJob};
use meshreplay_base::job::Time;

/// Returns a job of `procs` processors. Submission, start and end are in seconds. Its estimate is its run
/// time.
pub(super) fn job(number: i64, [submit, start, end]: [i64; 3], procs: u32) -> ScheduledJob {
    let at = Time::from_seconds;
    ScheduledJob {
        row: number as u64,
        number,
        submit: at(submit),
        start: at(start),
        end: at(end),
        estimate: at(end - start),
        procs,
        asked: None,
        allocated: procs,
        nodes: None,
        moved: false,
    }
}

/// Returns the jobs one by one.
pub(super) fn stream(jobs: &[ScheduledJob]) -> ScheduleStream<'_, io::Error> {
    Box::new(jobs.iter().cloned().map(Ok))
}
