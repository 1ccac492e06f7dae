//! When jobs wait that are killed, as a node of theirs goes down: before each of their runs, and not while they run.

use std::collections::BTreeMap;

/// The waits of the jobs of a replay that were killed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KilledWaits {
    /// For each run in which a job was killed the time in seconds from which it waited for it.
    before: Vec<f64>,
    /// The end of the last of these runs, by the number of the job and the bits of its arrival, in seconds.
    last_ends: BTreeMap<(i64, u64), f64>,
}

impl KilledWaits {
    /// Returns the waits of jobs with these lost runs: the number of the job, and its arrival, the start and the end of the run in
    /// seconds. The runs of one job must be in the order of time. O(R·log R) for R runs.
    pub fn of(runs: impl IntoIterator<Item = (i64, [f64; 3])>) -> Self {
        let mut waits = Self::default();
        for (number, [submit_s, _, end_s]) in runs {
            waits.before.push(waits.since(number, submit_s));
            waits.last_ends.insert((number, submit_s.to_bits()), end_s);
        }
        waits
    }

    /// Returns for each of the runs, in their order, the time in seconds from which its job waited for it until it started.
    pub fn before(&self) -> &[f64] {
        &self.before
    }

    /// Returns the time in seconds from which a job waited for its last run: when it was killed the last time, or its arrival.
    pub fn since(&self, number: i64, submit_s: f64) -> f64 {
        self.last_ends.get(&(number, submit_s.to_bits())).copied().unwrap_or(submit_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_do_not_wait_while_they_run() {
        // Job 7 arrives at 10 s and is killed twice; another job of that number arrives later.
        let runs = [(7, [10.0, 15.0, 20.0]), (7, [10.0, 40.0, 60.0]), (7, [50.0, 50.0, 55.0])];
        let waits = KilledWaits::of(runs);
        let seconds = |times_s: &[f64]| times_s.iter().map(|time_s| *time_s as i64).collect::<Vec<_>>();
        assert_eq!(seconds(waits.before()), [10, 20, 50]);
        assert_eq!(
            seconds(&[waits.since(7, 10.0), waits.since(7, 50.0), waits.since(8, 10.0)]),
            [60, 55, 10]
        );
    }
}
