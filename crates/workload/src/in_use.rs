//! Counts the processors that jobs had in use at once when they really ran.

use meshreplay_base::job::Job;
use meshreplay_logs::InUse;

/// Returns the largest number of processors that `jobs` had in use at once when they really ran; 0 if no job
/// has a recorded wait.
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
    use meshreplay_base::job::{Logged, Time};

    #[test]
    fn jobs_count_from_their_recorded_start() {
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
        // The last job has zero length, and adds to the others.
        assert_eq!((most_in_use(&jobs[..4]), most_in_use(&jobs)), (5, 14));
        assert_eq!(most_in_use(&jobs[3..4]), 0);
    }
}
