//! The real schedule: every job starts at its recorded start.
//!
//! The recorded start of a job is its submission plus its recorded wait (field 3 of a log). Replayed on the
//! machine of the log, this puts the real scheduler into one table with others.
//!
//! 1. Of one instant, ends and arrivals come first. A job is *due* from its recorded start on.
//! 2. Try the due jobs in the order of their recorded starts, and of one instant in the order of arrival.
//!    Start each job that the allocator can place. The others stay due: they start as soon as they can, later
//!    than recorded.
//! 3. Then try the jobs without a recorded wait, in the order of arrival.
//!
//! No job starts before its recorded start, even if the machine is idle. Nothing is delayed if the log is
//! possible and the allocator serves every job that fits by number. Logs are not always possible: some have
//! more processors in use at once than the machine has. The numbers `starts_delayed` and `start_delay_s_mean`
//! count the jobs that started later than recorded and measure their delay; `waits_unknown` counts the jobs
//! without a wait. With an arrival scale, or with drawn arrivals, jobs start their recorded wait after the
//! new arrival.
//!
//! A pass takes O(log Q) for each job that becomes due, with Q waiting jobs, and O(1) for each job that is
//! already due.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::seam::{Laws, Scheduler, SchedulerEntry, View};
use super::wait_queue::Waiting;
use meshreplay_base::job::{JobId, Time};

/// The row of the registry.
pub(super) const ENTRY: SchedulerEntry = SchedulerEntry {
    name: "recorded",
    summary: "as recorded: every job starts at its start in the log",
    source: "as the log has it",
    parameters: "",
    promises: "no job starts before its recorded start, and none that is due waits while it fits",
    laws: |_| Laws { as_recorded: true, ..Laws::default() },
    build: |_| Ok(Box::new(Recorded::default())),
};

/// A waiting job by its earliest start, its submission and its number: the order of tries.
type Key = (Time, Time, JobId);

/// The scheduler, with an index of the waiting jobs.
#[derive(Debug, Default)]
struct Recorded {
    /// Jobs that are not due yet, the first one to start on top.
    later: BinaryHeap<Reverse<Key>>,
    /// Due jobs in the order of tries, each with the nodes that it needs.
    due: Vec<(Key, u32)>,
    /// The submission and the number of the last indexed job of the queue.
    last: Option<(Time, JobId)>,
}

impl Recorded {
    /// Indexes the jobs that have arrived since the last pass: the last ones of the queue.
    fn index_arrivals(&mut self, view: &dyn View) {
        let is_new = |job: &Waiting| self.last.is_none_or(|last| (job.submit, job.job) > last);
        let new: Vec<Waiting> = view.queue().iter().rev().take_while(is_new).collect();
        self.last = new.first().map(|job| (job.submit, job.job)).or(self.last);
        for job in new {
            match view.recorded_start(job.job) {
                Some(start) => self.later.push(Reverse((start, job.submit, job.job))),
                // Jobs without a recorded start are due at once and tried last, at the end of time.
                None => self.due.push(((Time::MAX, job.submit, job.job), job.nodes.least)),
            }
        }
    }

    /// Returns the due jobs, including the jobs that become due now.
    fn due_now(&mut self, view: &dyn View) -> Vec<(Key, u32)> {
        let mut due = std::mem::take(&mut self.due);
        while let Some(&Reverse(key)) = self.later.peek()
            && key.0 <= view.now()
        {
            self.later.pop();
            let waiting = view.queue().find(key.1, key.2);
            due.extend(waiting.map(|job| (key, job.nodes.least)));
        }
        // Without new jobs the list is already in order.
        if !due.is_sorted() {
            due.sort_unstable();
        }
        due
    }
}

impl Scheduler for Recorded {
    fn start_jobs(&mut self, view: &mut dyn View) {
        self.index_arrivals(view);
        let mut due = self.due_now(view);
        due.retain(|&((_, submit, job), nodes)| {
            if nodes > view.free() {
                return true;
            }
            // A job that is no longer in the queue leaves the index.
            view.queue().find(submit, job).is_some_and(|waiting| !view.try_start(waiting.slot))
        });
        self.due = due;
    }

    fn machine_changed(&mut self) {
        // Jobs may have returned to the queue or left it. The next pass rebuilds the index.
        *self = Self::default();
    }

    fn wakes(&self) -> Option<Time> {
        self.later.peek().map(|Reverse((start, ..))| *start)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    #[test]
    fn jobs_start_when_the_log_says_or_as_soon_as_they_fit() {
        let mut fake = Fake::new(10, &[(4, 9), (4, 9), (8, 9), (2, 9), (6, 9)]);
        fake.starts = [Some(7), None, Some(5), Some(5), Some(7)].map(|s| s.map(Time::from_seconds)).to_vec();
        let mut scheduler = Recorded::default();
        let mut pass = |fake: &mut Fake, now_s: i64| {
            fake.advance(now_s, &[]);
            scheduler.start_jobs(fake);
            (std::mem::take(&mut fake.started), scheduler.wakes().map(Time::as_seconds))
        };
        // Job 1 has no recorded start. At 5 s jobs 2 and 3 are due, and 2 does not fit next to 1.
        assert_eq!(pass(&mut fake, 0), (vec![1], Some(5.0)));
        assert_eq!(pass(&mut fake, 5), (vec![3], Some(7.0)));
        assert_eq!(pass(&mut fake, 7), (vec![0], None));
        fake.depart(9, &[0, 1]);
        assert_eq!(pass(&mut fake, 9), (vec![2], None));
        fake.depart(12, &[2]);
        assert_eq!(pass(&mut fake, 12), (vec![4], None));
    }

    #[test]
    fn jobs_that_return_to_the_queue_are_due_again() {
        let mut fake = Fake::new(4, &[(4, 9)]);
        fake.starts = vec![Some(Time::ZERO); 2];
        let mut scheduler = Recorded::default();
        scheduler.start_jobs(&mut fake);
        fake.advance(3, &[(4, 9)]);
        scheduler.start_jobs(&mut fake);
        fake.depart(5, &[0]);
        scheduler.machine_changed();
        scheduler.start_jobs(&mut fake);
        assert_eq!(fake.started, [0, 1]);
    }
}
