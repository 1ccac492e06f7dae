//! Lower bounds of starts, from the starts of earlier reservations.
//!
//! While reservations are made one after the other, nodes are only taken out of the profile. A job at least
//! as wide and as long as an earlier one then cannot start before it: wherever the job fits, the earlier one
//! would have fitted. So a search can begin at that start.

use super::profile::{Moment, NONE};
use meshreplay_base::job::Time;

/// Numbers of length classes and of width classes.
const LENGTHS: usize = 64;
pub(super) const WIDTHS: usize = 50;
/// Microseconds per unit of length, as a power of two.
const UNIT: u32 = 20;

/// By width class and length class: the latest start, with its step, of a job that is neither wider nor
/// longer than the class. Empty if there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct EarliestStarts {
    cells: Vec<Moment>,
}

/// Returns the class of a number: twice its logarithm to base 2, rounded down. `None` for 0.
pub(super) fn class(number: u64) -> Option<usize> {
    let log = number.checked_ilog2()?;
    let is_in_upper_half = (number << 1 >> log) & 1;
    Some(2 * log as usize + is_in_upper_half as usize)
}

/// Returns the first class without numbers below a given one.
pub(super) fn class_up(number: u64) -> usize {
    class(number.saturating_sub(1)).map_or(0, |class| class + 1)
}

impl EarliestStarts {
    /// Records the earliest start of a job of `procs` nodes and a length, with its step.
    pub(super) fn note(&mut self, procs: u32, length: Time, start: Moment) {
        let units = (length.as_micros().unsigned_abs() >> UNIT) + 1;
        let (width, length) = (class_up(u64::from(procs)), class_up(units));
        if width >= WIDTHS || length >= LENGTHS {
            return;
        }
        if self.cells.is_empty() {
            self.cells.resize(WIDTHS * LENGTHS, Moment { time: Time::from_micros(i64::MIN), step: NONE });
        }
        for row in self.cells.chunks_mut(LENGTHS).skip(width) {
            // Starts become later towards longer and wider jobs.
            let lower = row[length..].iter_mut().take_while(|cell| cell.time < start.time);
            if lower.map(|cell| *cell = start).count() == 0 {
                break;
            }
        }
    }

    /// Returns a lower bound of the start of a job of `procs` nodes and a length, with a guess of its step.
    /// `now` without a better bound.
    pub(super) fn bound(&self, procs: u32, length: Time, now: Time) -> Moment {
        let units = length.as_micros().unsigned_abs() >> UNIT;
        let at = class(u64::from(procs))
            .zip(class(units))
            .map(|(width, length)| width.min(WIDTHS - 1) * LENGTHS + length.min(LENGTHS - 1));
        let known = at.and_then(|at| self.cells.get(at)).filter(|bound| bound.time > now);
        known.copied().unwrap_or(Moment { time: now, step: NONE })
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Records random jobs and compares the bound of another job with the starts of the jobs that are neither
    /// wider nor longer.
    #[test]
    fn a_bound_is_the_start_of_a_job_that_is_not_wider_and_not_longer() {
        let mut rng = ChaCha8Rng::seed_from_u64(19);
        let mut raised = 0;
        for history in 0..200 {
            let (mut earliest_starts, mut jobs): (_, Vec<(u32, Time, Time)>) =
                (EarliestStarts::default(), Vec::new());
            let now = Time::from_seconds(100);
            for number in 0..60 {
                let (widest, longest) = (1_u32 << rng.random_range(1..20), 1_i64 << rng.random_range(1..45));
                let procs = rng.random_range(0..widest);
                let length = Time::from_micros(rng.random_range(1..=longest));
                let Moment { time: bound, .. } = earliest_starts.bound(procs, length, now);
                let smaller = jobs.iter().filter(|job| job.0 <= procs && job.1 <= length);
                let latest = smaller.map(|job| job.2).max().unwrap_or(now).max(now);
                assert!(now <= bound && bound <= latest, "history {history}: {procs}, {length}: {jobs:?}");
                raised += usize::from(bound > now);
                let start = Time::from_seconds(rng.random_range(0..1000));
                earliest_starts.note(procs, length, Moment { time: start, step: number });
                jobs.push((procs, length, start));
                // A job twice as wide and more than twice as long cannot fit earlier.
                let wide =
                    earliest_starts.bound(2 * procs, length + length + length + Time::from_seconds(5), now);
                assert!(procs == 0 || wide.time >= start, "{procs}, {length}, {start}: {wide:?}");
            }
        }
        assert!(raised > 1000, "{raised} earliest_starts");
    }
}
