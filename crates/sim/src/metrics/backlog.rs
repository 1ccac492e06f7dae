//! The backlog at the last submission, and the rule for overload.
//!
//! Under overload the queue grows until submissions end, and waits measure the length of the log. An
//! overloaded replay has a large backlog at the last submission, and its queue was last empty long before.
//! The thresholds are from replays of the Lublin-Feitelson model at known loads. The backlog alone would flag
//! one in six stable replays of 10,000 jobs: a busy week is not growth.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::facts::{JobRow, share};
use super::finished_job::FinishedJob;
use meshreplay_base::job::Time;
use meshreplay_machine::machine::Mesh;

/// Fewest jobs of an overloaded replay. A queue at the end of a shorter log is common.
const FEWEST_JOBS: u64 = super::paired::FEWEST_JOBS;
/// Overload: share of the jobs in the backlog above this.
const MOST_JOBS_SHARE: f64 = 0.1;
/// Overload: share of the work in the backlog from here on, if the backlog also has [`LEAST_DAYS`].
const LEAST_WORK_SHARE: f64 = 0.04;
/// Days of the whole machine.
const LEAST_DAYS: f64 = 2.0;

/// Overload: the queue was last empty before this share of the time between first and last submission.
const LATEST_EMPTY: f64 = 0.5;

/// Most periods in memory. Only the last period counts, but an unsorted log may still join earlier ones.
const MOST_PERIODS: usize = 1 << 11;

const DAY_S: f64 = 86_400.0;

/// The backlog while jobs are added, in any order. Memory: the jobs in the backlog of the last submission so
/// far.
#[derive(Debug, Default)]
pub(super) struct WaitingJobs {
    /// First and last submission so far, `None` without jobs.
    submitted: Option<(Time, Time)>,
    /// Disjoint periods with at least one waiting job: end by begin.
    periods: BTreeMap<Time, Time>,
    /// Start and work of the jobs in the backlog, the first start on top.
    waiting: BinaryHeap<Reverse<(Time, i128)>>,
    jobs: u64,
    work: i128,
}

/// The backlog at the last submission of a replay.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Backlog {
    /// Jobs of the replay.
    jobs: u64,
    /// Jobs in the backlog.
    waiting: u64,
    /// Node-seconds of the replay.
    work_node_s: f64,
    /// Node-seconds of the backlog.
    waiting_node_s: f64,
    /// Last instant with an empty queue: 0 at the first submission, 1 at the last one.
    last_empty: f64,
}

/// The numbers that measure the length of the log under overload.
pub const OF_WAITS: [&str; 11] = [
    "wait_s_mean",
    "wait_s_median",
    "wait_s_p95",
    "wait_s_max",
    "wait_s_by_work_mean",
    "queue_delay_s_mean",
    "allocation_delay_s_mean",
    "turnaround_s_mean",
    "turnaround_s_variance",
    "bounded_slowdown_mean",
    "bounded_slowdown_per_processor_mean",
];

/// Computes `overloaded`, `backlog_share` and `backlog_days` from saved jobs on `mesh`, for summaries without
/// these columns.
pub fn saved_backlog(rows: &[JobRow], mesh: &Mesh) -> [(&'static str, f64); 3] {
    let mut waiting = WaitingJobs::default();
    for row in rows {
        waiting.add(&[row.into()]);
    }
    let backlog = waiting.finish();
    let overloaded = f64::from(u8::from(backlog.is_overload(mesh)));
    let days = backlog.machine_days(mesh);
    [("overloaded", overloaded), ("backlog_share", backlog.share()), ("backlog_days", days)]
}

impl WaitingJobs {
    pub(super) fn add(&mut self, jobs: &[FinishedJob]) {
        for FinishedJob { job, record, .. } in jobs {
            let work = i128::from(record.allocated) * i128::from((record.end - record.start).as_micros());
            self.jobs += 1;
            self.work += work;
            let (first, last) = self.submitted.unwrap_or((job.submit, job.submit));
            let now = last.max(job.submit);
            self.submitted = Some((first.min(job.submit), now));
            if now > last {
                while self.waiting.peek().is_some_and(|Reverse((start, _))| *start <= now) {
                    self.waiting.pop();
                }
            }
            if record.start > now {
                self.waiting.push(Reverse((record.start, work)));
            }
            if record.start > job.submit {
                self.add_period(job.submit, record.start);
            }
        }
    }

    /// Adds the period of a waiting job, joined with all periods that it overlaps.
    fn add_period(&mut self, mut begin: Time, mut end: Time) {
        // Nearly all jobs of a sorted log wait in the last period, where nothing has to be moved.
        if let Some(mut last) = self.periods.last_entry()
            && *last.key() <= begin
            && begin < *last.get()
        {
            end = end.max(*last.get());
            last.insert(end);
            return;
        }
        while let Some((&other, &its_end)) = self.periods.range(..end).next_back() {
            if its_end <= begin {
                break;
            }
            self.periods.remove(&other);
            (begin, end) = (begin.min(other), end.max(its_end));
        }
        self.periods.insert(begin, end);
        if self.periods.len() > MOST_PERIODS {
            let middle = self.periods.keys().nth(MOST_PERIODS / 2).copied();
            self.periods = middle.map(|middle| self.periods.split_off(&middle)).unwrap_or_default();
        }
    }

    /// Returns the last instant with an empty queue: 0 at the first submission, 1 at the last one.
    fn last_empty(&self) -> f64 {
        let Some((first, last)) = self.submitted else { return 1.0 };
        let current = self.periods.range(..=last).next_back().filter(|(_, end)| **end > last);
        let since = current.map_or(last, |(&begin, _)| begin);
        if last > first { (since - first).as_seconds() / (last - first).as_seconds() } else { 0.0 }
    }

    /// Returns the backlog after all jobs.
    pub(super) fn finish(self) -> Backlog {
        let node_s = |work: i128| work as f64 / 1e6;
        Backlog {
            last_empty: self.last_empty(),
            jobs: self.jobs,
            waiting: self.waiting.len() as u64,
            work_node_s: node_s(self.work),
            waiting_node_s: node_s(self.waiting.iter().map(|Reverse((_, work))| work).sum()),
        }
    }

    /// Returns the last submission, `None` without jobs.
    pub(super) fn last_submission(&self) -> Option<Time> {
        self.submitted.map(|(_, last)| last)
    }
}

impl Backlog {
    /// Share of the work in the backlog.
    pub(super) fn share(&self) -> f64 {
        share(self.waiting_node_s, self.work_node_s)
    }

    /// Share of the jobs in the backlog.
    pub(super) fn jobs_share(&self) -> f64 {
        share(self.waiting as f64, self.jobs as f64)
    }

    /// The backlog in days of the whole machine.
    pub(super) fn machine_days(&self, mesh: &Mesh) -> f64 {
        share(self.waiting_node_s, f64::from(mesh.available()) * DAY_S)
    }

    /// Returns whether waits grow with the length of the log.
    pub(super) fn is_overload(&self, mesh: &Mesh) -> bool {
        let has_much_work = self.share() >= LEAST_WORK_SHARE && self.machine_days(mesh) >= LEAST_DAYS;
        let has_backlog = self.jobs_share() > MOST_JOBS_SHARE || has_much_work;
        self.jobs >= FEWEST_JOBS && has_backlog && self.last_empty < LATEST_EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Record;
    use meshreplay_base::job::Job;

    /// Returns the backlog of jobs given by submission, start and end in seconds, and nodes.
    fn backlog(jobs: &[(i64, i64, i64, u32)]) -> Backlog {
        let at = Time::from_seconds;
        let jobs: Vec<FinishedJob> = jobs
            .iter()
            .map(|&(submit, start, end, nodes)| {
                let record = Record { start: at(start), end: at(end), allocated: nodes, ..Record::default() };
                FinishedJob {
                    job: Job { submit: at(submit), ..Job::default() },
                    record,
                    ..Default::default()
                }
            })
            .collect();
        let mut waiting = WaitingJobs::default();
        // In two batches.
        let half = jobs.len() / 2;
        waiting.add(&jobs[..half]);
        waiting.add(&jobs[half..]);
        waiting.finish()
    }

    #[test]
    fn jobs_that_start_after_the_last_submission_wait() {
        let jobs =
            [(0, 0, 100, 2), (10, 100, 200, 1), (20, 200, 250, 4), (90, 90, 95, 1), (150, 300, 310, 1)];
        let found = backlog(&jobs);
        assert_eq!((found.jobs, found.waiting), (5, 2));
        assert_eq!((found.work_node_s, found.waiting_node_s), (515.0, 210.0));
        // The order of the log does not matter.
        let mut turned = jobs;
        turned.reverse();
        assert_eq!(backlog(&turned), found);
        assert_eq!(backlog(&[]), Backlog { last_empty: 1.0, ..Backlog::default() });
        // A job that starts with the last submission does not wait.
        assert_eq!(backlog(&[(0, 5, 9, 1), (5, 5, 6, 1)]).waiting, 0);
    }

    #[test]
    fn the_queue_is_empty_where_no_job_waits() {
        // Waits from 0 to 4, 3 to 9 and 9 to 15 s; at 9 s the queue is empty for an instant.
        let jobs = [(0, 4, 5, 1), (3, 9, 10, 1), (9, 15, 16, 1), (12, 12, 13, 1)];
        assert!((backlog(&jobs).last_empty - 0.75).abs() < 1e-12);
        let mut turned = jobs;
        turned.reverse();
        assert!((backlog(&turned).last_empty - 0.75).abs() < 1e-12);
        let [always, never] = [(0, 20, 21, 1), (4, 4, 5, 1)];
        assert!(backlog(&[always, never]).last_empty.abs() < 1e-12);
        assert!((backlog(&[never, (5, 5, 6, 1)]).last_empty - 1.0).abs() < 1e-12);
        // A long wait that ends before the last submission, and many short ones.
        let many: Vec<(i64, i64, i64, u32)> = (0..10_000).map(|i| (2 * i, 2 * i + 1, 2 * i + 1, 1)).collect();
        assert!((backlog(&many).last_empty - 1.0).abs() < 1e-3);
    }

    #[test]
    fn many_jobs_or_days_of_work_are_overload() -> Result<(), Box<dyn std::error::Error>> {
        let mesh: Mesh = "4x4".parse()?;
        let with = |waiting, waiting_node_s| {
            let work_node_s = 100.0 * 16.0 * DAY_S;
            Backlog { jobs: 1000, waiting, work_node_s, waiting_node_s, last_empty: 0.0 }.is_overload(&mesh)
        };
        let day = 16.0 * DAY_S;
        assert!(with(101, 0.0) && !with(100, 0.0));
        assert!(with(5, 4.0 * day) && !with(5, 3.9 * day));
        let backlog = |jobs, last_empty| {
            Backlog { jobs, waiting: jobs, work_node_s: day, waiting_node_s: day, last_empty }
                .is_overload(&mesh)
        };
        assert!(backlog(1000, 0.4) && !backlog(999, 0.4) && !backlog(1000, 0.5));
        Ok(())
    }
}
