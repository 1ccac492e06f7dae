//! Counts the processors that a log has in use at once.

use crate::job::{Job, Time};

/// Counts the processors in use over time, from the runs of jobs in any order.
#[derive(Clone, Debug, Default)]
pub struct InUse {
    /// The changes of the number of processors in use.
    changes: Vec<(Time, i64)>,
}

impl InUse {
    /// Adds a run of a job on `procs` processors. A run without length adds nothing.
    pub fn add(&mut self, start: Time, end: Time, procs: i64) {
        if start < end {
            self.changes.extend([(start, procs), (end, -procs)]);
        }
    }

    /// Adds the runs of others.
    pub fn extend(&mut self, others: Self) {
        self.changes.extend(others.changes);
    }

    /// Returns the largest number of processors in use at once; 0 without jobs. Of one instant, ends come before starts.
    /// O(J·log J) for J jobs.
    pub fn most(mut self) -> u64 {
        // Negative changes, which are ends, sort before the starts of their instant.
        self.changes.sort_unstable();
        let (mut used, mut most) = (0_i64, 0);
        for (_, change) in self.changes {
            used = used.saturating_add(change);
            most = most.max(used);
        }
        most.unsigned_abs()
    }
}

/// Returns the largest number of processors that `jobs` had in use at once when they really ran; 0 if no job has a
/// recorded wait.
pub fn most_in_use(jobs: &[Job]) -> u64 {
    let mut used = InUse::default();
    for job in jobs {
        if let Some(start) = job.recorded_start() {
            used.add(start, start + job.run, i64::from(job.procs));
        }
    }
    used.most()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Logged;

    #[test]
    fn ends_of_an_instant_come_before_its_starts() {
        let at = Time::from_seconds;
        let job = |submit, wait: Option<i64>, run, procs| {
            let logged = Logged { wait: wait.map(at), ..Logged::default() };
            Job { submit: at(submit), run: at(run), procs, logged, ..Job::default() }
        };
        let jobs = [
            job(0, Some(0), 10, 4),
            job(0, Some(10), 5, 3),
            job(3, Some(9), 1, 2),
            job(0, None, 9, 8),
            job(12, Some(0), 0, 9),
        ];
        assert_eq!(most_in_use(&jobs), 5);
        assert_eq!(most_in_use(&jobs[3..]), 0);
    }
}
