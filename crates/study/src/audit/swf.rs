//! Logs as schedules, and schedules as logs. The wait time in a record determines the start of its job.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "times in microseconds divided by 10^6 are below 2^44, so that their differences are in range"
)]

use std::path::{Path, PathBuf};

use super::ScheduledJob;
use crate::study::{PeriodChoice, covered};
use meshreplay_base::job::{Period, Time};
use meshreplay_logs::status::{CANCELLED, UNKNOWN};
use meshreplay_logs::{LogEntry, NodeRuns, ReadOptions, Reader, Record, TraceError};

/// The reason why a log cannot be read as a schedule.
#[derive(Debug, thiserror::Error)]
pub enum SwfError {
    /// The log cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The given period is not one of the log, in words.
    #[error("{0}")]
    Period(String),
    /// A field of a record is not possible in a schedule.
    #[error("{path}:{line}: field {problem}")]
    Field {
        /// The path of the log.
        path: String,
        /// The line, from 1.
        line: u64,
        /// The field, the value that was found, and what was expected.
        problem: String,
    },
}

/// A log as a schedule, without the jobs that never ran. The run time replaces an unknown estimate. Unix
/// times are counted from the first submission instead.
#[derive(Debug)]
pub struct LogSchedule {
    path: PathBuf,
    options: ReadOptions,
    /// Subtracted from all times.
    origin: Time,
    /// The number of its jobs.
    pub count: u64,
    /// Records of jobs that never ran.
    pub left_out: u64,
    /// How the log was read, each a sentence without a full stop.
    pub notes: Vec<String>,
    /// The period that the log covers, with its words; `None` for all of it.
    pub period: Option<(Period, String)>,
    /// The first submission of a job that still waits at the end of the log; `None` without one. Such jobs
    /// are left out, so from then on the queue is not known.
    pub first_waiting: Option<Time>,
    /// The end of the period in times of the log. Jobs that run then hold their nodes until it or the end of
    /// their limit, whichever is later. `None` without a period; such jobs are left out.
    open_until: Option<Time>,
    /// The jobs, if the log cannot be read again, like standard input.
    kept: Option<Vec<ScheduledJob>>,
}

impl LogSchedule {
    /// Reads a log. `period` is the choice of its period, `None` for the default of its format. Keeps its
    /// jobs only if they cannot be read again.
    pub fn read(path: &Path, options: ReadOptions, period: Option<&PeriodChoice>) -> Result<Self, SwfError> {
        let reader = Reader::open(path, options.clone())?;
        let mut jobs = Jobs::new(path, reader, Time::ZERO);
        let mut kept = (!path.is_file()).then(Vec::new);
        let (mut count, mut runs) = (0, NodeRuns::limited());
        let is_found = PeriodChoice::is_found(period, jobs.reader.format());
        while let Some(job) = jobs.next().transpose()? {
            count += 1;
            if is_found {
                let times = [job.submit, job.start, job.end].map(|time| time.as_micros() / 1_000_000);
                runs.add(Some(times), job.procs, None, None);
            }
            if let Some(kept) = &mut kept {
                kept.push(job);
            }
        }
        let summary = jobs.reader.finish()?;
        let origin = Time::from_seconds(summary.origin_s());
        let name = path.display().to_string();
        let period = covered(&name, period, &summary, runs).map_err(SwfError::Period)?;
        let open_until = period.as_ref().map(|(period, _)| period.to + origin);
        let running = match open_until {
            Some(until) => jobs.running.iter().filter_map(|open| open.job(path, until).transpose()).collect(),
            None => Ok(Vec::new()),
        };
        let running: Vec<ScheduledJob> = running?;
        let kept = kept.map(|mut jobs| {
            jobs.extend(running.iter().cloned());
            jobs.into_iter().map(|job| from(job, origin)).collect()
        });
        Ok(Self {
            count: count + running.len() as u64,
            left_out: jobs.left_out - running.len() as u64,
            first_waiting: jobs.first_waiting.map(|time| time - origin),
            path: path.to_owned(),
            notes: summary.facts.notes,
            options,
            origin,
            period,
            open_until,
            kept,
        })
    }

    /// Returns the jobs one by one, in the order of the log.
    pub fn walk(&self) -> Result<Box<dyn Iterator<Item = Result<ScheduledJob, SwfError>> + '_>, SwfError> {
        if let Some(jobs) = &self.kept {
            return Ok(Box::new(jobs.iter().cloned().map(Ok)));
        }
        let reader = Reader::open(&self.path, self.options.clone())?;
        let jobs = Jobs::new(&self.path, reader, self.origin);
        Ok(Box::new(Jobs { open_until: self.open_until, ..jobs }))
    }
}

/// An iterator over the jobs of a log.
struct Jobs<'a> {
    path: &'a Path,
    reader: Reader,
    /// Subtracted from all times.
    origin: Time,
    /// Records of jobs that never ran, until now.
    left_out: u64,
    /// As [`LogSchedule::open_until`].
    open_until: Option<Time>,
    /// Jobs that run at the end of the log, until now, if they are not among the jobs.
    running: Vec<OpenRecord>,
    /// As [`LogSchedule::first_waiting`], in times of the log.
    first_waiting: Option<Time>,
}

/// A record of a job that runs at the end of the log, with its line.
struct OpenRecord {
    record: Record,
    line: u64,
}

impl OpenRecord {
    /// Returns the job if it holds its nodes until this time of the log or the end of its limit.
    fn job(&self, path: &Path, until: Time) -> Result<Option<ScheduledJob>, SwfError> {
        let Record { submit_s, wait_s, requested_time_s, .. } = self.record;
        let to_end_s = until.as_micros() / 1_000_000 - submit_s - wait_s;
        let run_s = requested_time_s.max(to_end_s).max(0);
        job(&Record { run_s, ..self.record }, path, self.line)
    }
}

impl<'a> Jobs<'a> {
    fn new(path: &'a Path, reader: Reader, origin: Time) -> Self {
        Self { path, reader, origin, left_out: 0, open_until: None, running: Vec::new(), first_waiting: None }
    }
}

impl Iterator for Jobs<'_> {
    type Item = Result<ScheduledJob, SwfError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let record = match self.reader.next_entry() {
                Ok(Some(LogEntry::Record { record, .. })) => *record,
                Ok(Some(_)) => continue,
                Ok(None) => return None,
                Err(error) => return Some(Err(error.into())),
            };
            let (mut found, line) = (job(&record, self.path, self.reader.line()), self.reader.line());
            let is_open = record.status == UNKNOWN && record.run_s < 0 && record.submit_s >= 0;
            if is_open && record.wait_s >= 0 {
                let open = OpenRecord { record, line };
                match self.open_until {
                    Some(until) => found = open.job(self.path, until),
                    None => self.running.push(open),
                }
            } else if is_open {
                let submit = Time::from_seconds(record.submit_s);
                self.first_waiting = Some(self.first_waiting.map_or(submit, |first| first.min(submit)));
            }
            match found {
                Ok(Some(job)) => return Some(Ok(from(job, self.origin))),
                Ok(None) => self.left_out += 1,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Returns the job of a record in this line of a log; `None` if it never ran: it has no run time or no
/// processors, or neither a wait nor a positive run time, like jobs that were cancelled while they waited.
/// Some logs give cancelled jobs a wait; they have no allocated processors.
fn job(record: &Record, path: &Path, line: u64) -> Result<Option<ScheduledJob>, SwfError> {
    let field = |problem| Err(SwfError::Field { path: path.display().to_string(), line, problem });
    let has_none = record.allocated_procs == 0 || record.allocated_procs < 0 && record.status == CANCELLED;
    let has_started = record.run_s > 0 || record.wait_s >= 0 && !has_none;
    let Some(procs) = record.procs().filter(|_| record.run_s >= 0 && has_started) else { return Ok(None) };
    if record.wait_s < 0 {
        return field(format!(
            "3 (wait time): found {}, expected the seconds from arrival to start; a log is a schedule only \
             with all of them",
            record.wait_s
        ));
    }
    let Ok(procs) = u32::try_from(procs) else {
        return field(format!("5 (allocated processors): found {procs}, expected at most 2^32 - 1"));
    };
    let [submit, wait, run] = [record.submit_s, record.wait_s, record.run_s].map(Time::from_seconds);
    let estimate = Some(record.requested_time_s).filter(|&estimate_s| estimate_s >= 0);
    let asked = u32::try_from(record.requested_procs).ok().filter(|asked| (1..=procs).contains(asked));
    let start = submit + wait;
    Ok(Some(ScheduledJob {
        row: line,
        number: record.job,
        submit,
        start,
        end: start + run,
        estimate: estimate.map_or(run, Time::from_seconds),
        procs,
        asked,
        allocated: procs,
        nodes: None,
        moved: false,
    }))
}

/// Shifts the times of a job, so that they count from `origin`.
fn from(job: ScheduledJob, origin: Time) -> ScheduledJob {
    let ScheduledJob { submit, start, end, .. } = job;
    ScheduledJob { submit: submit - origin, start: start - origin, end: end - origin, ..job }
}

/// Returns the record of a job. All times are rounded to whole seconds in the same way, so a job that starts
/// when another one ends still does. The estimate is rounded up. The job counts as completed, on partition 1.
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
        let schedule = LogSchedule::read(&path, ReadOptions::default(), None)?;
        let jobs: Vec<ScheduledJob> = schedule.walk()?.collect::<Result<_, _>>()?;
        let expected = ScheduledJob {
            number: 1,
            row: 1,
            procs: 4,
            allocated: 4,
            estimate: Time::from_seconds(90),
            ..job(1, [5, 15, 75], 4)
        };
        assert_eq!((jobs, schedule.count, schedule.left_out), (vec![expected], 1, 1));
        // A job that was cancelled while it waited has no wait, and may list the requested processors.
        for cancelled in ["-1 0 -1", "-1 0 4"] {
            std::fs::write(&path, format!("{line}{}", line.replace("10 60 4", cancelled)))?;
            let schedule = LogSchedule::read(&path, ReadOptions::default(), None)?;
            assert_eq!((schedule.count, schedule.left_out), (1, 1), "{cancelled}");
        }
        // Or it has a wait and no allocated processors. A job of 0 s that ran has processors, or another
        // status.
        for (found, left_out) in [
            ("10 0 0 -1 -1 8 90 -1 1", 1),
            ("10 0 -1 -1 -1 8 90 -1 5", 1),
            ("10 0 -1 -1 -1 8 90 -1 1", 0),
            ("10 0 4 -1 -1 8 90 -1 5", 0),
        ] {
            let other = line.replace("10 60 4 -1 -1 8 90 -1 1", found);
            std::fs::write(&path, format!("{line}{other}"))?;
            let schedule = LogSchedule::read(&path, ReadOptions::default(), None)?;
            assert_eq!((schedule.count, schedule.left_out), (2 - left_out, left_out), "{found}");
        }
        std::fs::write(&path, line.replace(" 10 ", " -1 "))?;
        let message =
            LogSchedule::read(&path, ReadOptions::default(), None).expect_err("no wait").to_string();
        assert!(
            message.contains("a.swf:1: field 3 (wait time): found -1, expected the seconds"),
            "{message}"
        );
        Ok(())
    }
}
