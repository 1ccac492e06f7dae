//! Jobs of made-up schedules, for tests.

use super::ScheduledJob;
use crate::job::Time;

/// Returns a job of so many processors: submit, start and end in seconds; the estimate is exact.
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
        allocated: procs,
        nodes: None,
        moved: false,
    }
}
