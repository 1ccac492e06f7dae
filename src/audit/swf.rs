//! Schedules as logs, such as those in the Standard Workload Format: the wait time of a record says when its job started.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "times in microseconds divided by 10^6 are below 2^44, so that their differences are in range"
)]

use std::path::Path;

use super::{Schedule, ScheduledJob};
use crate::job::Time;
use crate::trace::{Entry, ReadOptions, Reader, Record, TraceError};

/// The reason for which a log cannot be read as a schedule.
#[derive(Debug, thiserror::Error)]
pub enum SwfError {
    /// The log cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A job ran, and its wait time is unknown.
    #[error(
        "{path}:{line}: field 3 (wait time): found {found}, expected the seconds from arrival to start; a log is a \
         schedule only with all of them"
    )]
    NoWait {
        /// The path of the log.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The value of the field.
        found: i64,
    },
    /// A job holds more processors than a 32-bit number can count.
    #[error("{path}:{line}: field 5 (allocated processors): found {found}, expected at most 2^32 - 1")]
    Large {
        /// The path of the log.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The value of the field.
        found: i64,
    },
}

/// Reads a log as a schedule. Jobs that never ran (without run time or processors) are left out. An unknown estimate
/// counts as equal to the run time. Times that count from 1970 are counted from the first submit time instead. The notes
/// say how the log was read, each a sentence without a full stop. Fails as [`SwfError`] says.
pub fn read_log(path: &Path, options: ReadOptions) -> Result<(Schedule, Vec<String>), SwfError> {
    let mut reader = Reader::open(path, options)?;
    let mut schedule = Schedule::default();
    while let Some(entry) = reader.next_entry()? {
        let Entry::Record { record, .. } = entry else { continue };
        let (path, line) = (path.display().to_string(), reader.line());
        let Some(procs) = record.procs().filter(|_| record.run_s >= 0) else {
            schedule.left_out += 1;
            continue;
        };
        if record.wait_s < 0 {
            return Err(SwfError::NoWait { path, line, found: record.wait_s });
        }
        let procs = u32::try_from(procs).map_err(|_| SwfError::Large { path, line, found: procs })?;
        let [submit, wait, run] = [record.submit_s, record.wait_s, record.run_s].map(Time::from_seconds);
        let asked = Some(record.requested_time_s).filter(|&asked| asked >= 0);
        let start = submit + wait;
        schedule.jobs.push(ScheduledJob {
            row: line,
            number: record.job,
            submit,
            start,
            end: start + run,
            estimate: asked.map_or(run, Time::from_seconds),
            procs,
            allocated: procs,
            nodes: None,
            moved: false,
        });
    }
    let summary = reader.finish()?;
    let origin = Time::from_seconds(summary.origin_s());
    for job in &mut schedule.jobs {
        (job.submit, job.start, job.end) = (job.submit - origin, job.start - origin, job.end - origin);
    }
    Ok((schedule, summary.facts.notes))
}

/// Returns the record of a job. Times are rounded to whole seconds in one way only. So a job that starts when another
/// one ends still does so after rounding. The estimate is rounded up. The job counts as completed, on partition 1.
pub fn record(job: &ScheduledJob) -> Record {
    const MICROS: i64 = 1_000_000;
    let seconds = |time: Time| time.as_micros().saturating_add(MICROS / 2).div_euclid(MICROS);
    let [submit, start, end] = [job.submit, job.start, job.end].map(seconds);
    Record {
        job: job.number,
        submit_s: submit,
        wait_s: start - submit,
        run_s: end - start,
        allocated_procs: i64::from(job.allocated),
        requested_procs: i64::from(job.procs),
        requested_time_s: -job.estimate.as_micros().saturating_neg().div_euclid(MICROS),
        status: 1,
        partition: 1,
        ..Record::UNKNOWN
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::job;
    use super::*;

    #[test]
    fn instants_are_rounded_alike() {
        let micros = Time::from_micros;
        let one = ScheduledJob { end: micros(2_500_000), ..job(1, [0, 1, 2], 3) };
        let next =
            ScheduledJob { start: micros(2_500_000), estimate: micros(100_001), ..job(2, [1, 3, 4], 3) };
        let (a, b) = (record(&one), record(&next));
        assert_eq!((a.submit_s, a.wait_s, a.run_s), (0, 1, 2));
        assert_eq!((b.submit_s, b.wait_s, b.run_s, b.requested_time_s), (1, 2, 1, 1));
        assert_eq!((a.allocated_procs, a.requested_procs, a.status, a.partition), (3, 3, 1, 1));
    }

    #[test]
    fn a_log_without_wait_times_is_no_schedule() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("a.swf");
        let line = "1 5 10 60 4 -1 -1 8 90 -1 1 1 1 -1 0 -1 -1 -1\n";
        std::fs::write(&path, format!("{line}{}", line.replace("60 4", "-1 -1")))?;
        let (schedule, _) = read_log(&path, ReadOptions::default())?;
        let expected = ScheduledJob {
            number: 1,
            row: 1,
            procs: 4,
            allocated: 4,
            estimate: Time::from_seconds(90),
            ..job(1, [5, 15, 75], 4)
        };
        assert_eq!((schedule.jobs, schedule.left_out), (vec![expected], 1));
        std::fs::write(&path, line.replace(" 10 ", " -1 "))?;
        let message = read_log(&path, ReadOptions::default()).expect_err("no wait").to_string();
        assert!(
            message.contains("a.swf:1: field 3 (wait time): found -1, expected the seconds"),
            "{message}"
        );
        Ok(())
    }
}
