//! The waits of jobs killed by node failures: before each of their runs, but not during the runs.

use std::collections::BTreeMap;

/// The waits of the killed jobs of a replay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KilledWaits {
    /// For each killed run, the start of the wait for it in seconds.
    before: Vec<f64>,
    /// The ends of the killed runs in seconds, ascending, by the number and the bits of the arrival of the
    /// job.
    ends_s: BTreeMap<(i64, u64), Vec<f64>>,
}

impl KilledWaits {
    /// Creates the waits from killed runs: the number of the job, and its arrival, the start and the end of
    /// the run in seconds. Runs must be in the order of their ends. O(R·log R) for R runs.
    pub fn of(runs: impl IntoIterator<Item = (i64, [f64; 3])>) -> Self {
        let mut waits = Self::default();
        for (number, [submit_s, start_s, end_s]) in runs {
            waits.before.push(waits.since(number, submit_s, start_s));
            waits.ends_s.entry((number, submit_s.to_bits())).or_default().push(end_s);
        }
        waits
    }

    /// Returns the start of the wait for each run, in order, in seconds.
    pub fn before(&self) -> &[f64] {
        &self.before
    }

    /// Returns the start of the wait, in seconds, for the run that started at `start_s`: the job's last
    /// kill before, or its arrival. Jobs may share number and arrival, as tasks of an array do; then it is
    /// the last kill of any of them.
    pub fn since(&self, number: i64, submit_s: f64, start_s: f64) -> f64 {
        let Some(ends_s) = self.ends_s.get(&(number, submit_s.to_bits())) else { return submit_s };
        ends_s[..ends_s.partition_point(|end_s| *end_s <= start_s)].last().copied().unwrap_or(submit_s)
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
        let last = [waits.since(7, 10.0, 70.0), waits.since(7, 50.0, 70.0), waits.since(8, 10.0, 70.0)];
        assert_eq!(seconds(&last), [60, 55, 10]);
    }

    #[test]
    fn jobs_of_one_number_and_arrival_wait_from_the_last_kill_before_their_run() {
        // Two tasks of an array run at once. One is killed at 60 s and runs again from 65 s on, the other at
        // 70 s and from 80 s on.
        let waits = KilledWaits::of([(5, [0.0, 0.0, 60.0]), (5, [0.0, 0.0, 70.0])]);
        let seconds = [waits.since(5, 0.0, 65.0), waits.since(5, 0.0, 80.0), waits.since(5, 0.0, 0.0)];
        assert_eq!((waits.before(), seconds), ([0.0; 2].as_slice(), [60.0, 70.0, 0.0]));
    }
}
