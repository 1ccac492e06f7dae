//! The running jobs in the order of their estimated ends.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "the nodes of running jobs are disjoint, so that they are at most 2^24 together"
)]

use meshreplay_base::job::{JobId, Time};

/// A running job as schedulers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Running {
    /// The estimated end: the start plus the estimate and the time of suspensions.
    pub estimated_end: Time,
    /// The job.
    pub job: JobId,
    /// The number of nodes that become free when it ends: its nodes that do not leave the machine then.
    pub nodes: u32,
    /// The time of its start.
    pub start: Time,
}

/// The running jobs, sorted by estimated end and then by job.
///
/// Stored in a vector with the earliest end last. Most jobs that start or end are near that end of the
/// vector, which shifts few entries.
#[derive(Clone, Debug, Default)]
pub struct RunningJobs {
    latest_first: Vec<Running>,
}

impl RunningJobs {
    /// Adds a job. O(log R) to find its position among R jobs, and O(jobs with earlier ends) to shift
    /// entries.
    pub fn insert(&mut self, job: Running) {
        let at = self.position(job.estimated_end, job.job);
        self.latest_first.insert(at, job);
    }

    /// Removes a job and returns whether it was running. Costs as [`Self::insert`].
    pub fn remove(&mut self, estimated_end: Time, job: JobId) -> bool {
        let at = self.position(estimated_end, job);
        let is_running = self.latest_first.get(at).is_some_and(|other| other.job == job);
        if is_running {
            self.latest_first.remove(at);
        }
        is_running
    }

    /// Moves the estimated end of a running job to a later one. Does nothing without such a job. Costs as
    /// [`Self::insert`].
    pub fn postpone(&mut self, estimated_end: Time, job: JobId, later: Time) {
        let at = self.position(estimated_end, job);
        if self.latest_first.get(at).is_some_and(|other| other.job == job) {
            let moved = self.latest_first.remove(at);
            self.insert(Running { estimated_end: later, ..moved });
        }
    }

    /// Changes the number of nodes of a running job. Does nothing without such a job. O(log R).
    pub fn set_nodes(&mut self, estimated_end: Time, job: JobId, nodes: u32) {
        let at = self.position(estimated_end, job);
        if let Some(running) = self.latest_first.get_mut(at).filter(|other| other.job == job) {
            running.nodes = nodes;
        }
    }

    /// Returns the index of a job with this estimated end, or of its insertion. The order is
    /// descending, so a binary search counts the greater entries.
    fn position(&self, estimated_end: Time, job: JobId) -> usize {
        self.latest_first.partition_point(|other| (other.estimated_end, other.job) > (estimated_end, job))
    }

    /// Returns whether `job` runs with this estimated end. O(log R).
    pub fn contains(&self, estimated_end: Time, job: JobId) -> bool {
        let at = self.position(estimated_end, job);
        self.latest_first.get(at).is_some_and(|other| other.job == job)
    }

    /// Returns the number of running jobs with estimated ends after `now`. O(log R).
    pub fn len_after(&self, now: Time) -> usize {
        self.latest_first.partition_point(|job| job.estimated_end > now)
    }

    /// Returns the number of running jobs.
    pub fn len(&self) -> usize {
        self.latest_first.len()
    }

    /// Returns whether no job runs.
    pub fn is_empty(&self) -> bool {
        self.latest_first.is_empty()
    }

    /// Returns the running jobs, the earliest estimated end first.
    pub fn iter(&self) -> impl Iterator<Item = &Running> {
        self.latest_first.iter().rev()
    }

    /// Returns the shadow time of a job that needs `need` nodes, and the nodes free at that time. `free`
    /// nodes are free now. The shadow time is the first estimated end with at least `need` nodes
    /// free. The count of free nodes includes all jobs with estimated ends up to the shadow time. Jobs that
    /// have outlived their estimates are expected to end now.
    ///
    /// Returns `None` if `need` nodes are not free even when all jobs have ended. O(jobs that end up to the
    /// shadow time).
    pub fn free_by(&self, need: u32, free: u32, now: Time) -> Option<(Time, u32)> {
        let (mut free, mut shadow) = (free, None);
        for job in self.iter() {
            let end = job.estimated_end.max(now);
            // Further jobs that end exactly at the shadow time still count, so the loop stops only at a later
            // end.
            if shadow.is_some_and(|shadow| end > shadow) {
                break;
            }
            free += job.nodes;
            if shadow.is_none() && free >= need {
                shadow = Some(end);
            }
        }
        shadow.map(|shadow| (shadow, free))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_with_the_shadow_time_count_as_free() {
        let mut running = RunningJobs::default();
        for (end, job, nodes) in [(30, 1, 2), (10, 2, 3), (30, 0, 1), (40, 3, 4)] {
            running.insert(Running { estimated_end: Time::from_seconds(end), job, nodes, start: Time::ZERO });
        }
        let at = |seconds| Time::from_seconds(seconds);
        assert_eq!(running.free_by(4, 1, at(0)), Some((at(10), 4)));
        assert_eq!(running.free_by(5, 1, at(0)), Some((at(30), 7)));
        assert_eq!(running.free_by(5, 1, at(35)), Some((at(35), 7)));
        assert_eq!(running.free_by(12, 1, at(0)), None);
        assert_eq!([9, 10, 29, 30, 40].map(|now| running.len_after(at(now))), [4, 3, 3, 1, 0]);
        assert!(running.contains(at(30), 0) && !running.contains(at(31), 0) && !running.contains(at(30), 2));
        running.set_nodes(at(30), 0, 3);
        running.set_nodes(at(31), 0, 9);
        assert_eq!(running.free_by(5, 1, at(0)), Some((at(30), 9)));
        running.set_nodes(at(30), 0, 1);
        assert!(running.remove(at(30), 1) && !running.remove(at(30), 1));
        assert_eq!(running.free_by(5, 1, at(0)), Some((at(30), 5)));
    }
}
