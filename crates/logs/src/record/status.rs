//! How a job ended, in the numbers of field 11 of the Standard Workload Format (Chapin et al., Benchmarks and
//! Standards for the Evaluation of Parallel Job Schedulers, JSSPP 1999).

use std::ops::RangeInclusive;

/// Unknown, or not ended.
pub const UNKNOWN: i64 = -1;
/// The job failed, also by its time limit or its node.
pub const FAILED: i64 = 0;
/// The job completed.
pub const COMPLETED: i64 = 1;
/// The record is a part of an interrupted job. All its parts have the number of the job: 2 is followed by
/// another part, the last one completed (3) or failed (4).
pub const PARTS: RangeInclusive<i64> = 2..=4;
/// The job was cancelled, before it started or while it ran.
pub const CANCELLED: i64 = 5;
/// Every number that has a meaning.
pub const ALL: RangeInclusive<i64> = UNKNOWN..=CANCELLED;

/// Returns what a status means, in words; `None` for a number without a meaning and for an unknown end.
pub fn word(status: i64) -> Option<&'static str> {
    match status {
        FAILED => Some("failed"),
        COMPLETED => Some("completed"),
        CANCELLED => Some("cancelled"),
        part if PARTS.contains(&part) => Some("part of a job"),
        _ => None,
    }
}
