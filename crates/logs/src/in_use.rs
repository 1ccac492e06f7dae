//! Counts the processors that the jobs of a log have in use at once.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "numbers of processors are above 0, so that their negatives exist; sums are clamped"
)]

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Changes of the number in use, in the order for one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    /// A job releases its nodes, available to starts at the same instant.
    End,
    Start,
    /// A job of zero length holds its nodes in addition to all starts of the instant, and releases them
    /// before the next such job.
    Passing,
}

/// Counts the processors in use over time, from the runs of jobs. Times are of any type, such as seconds.
#[derive(Clone, Debug)]
pub struct InUse<T> {
    /// The changes of the number of processors in use that are not counted yet, the earliest on top, and of
    /// one instant in the order of [`Change`].
    changes: BinaryHeap<Reverse<(T, Change, i64)>>,
    /// Processors in use after the counted changes, and the peak.
    used: i64,
    most: i64,
    /// All changes before this time are counted; `None` if none is.
    settled: Option<T>,
    /// Whether a run began before that time, so that the numbers are too small.
    is_late: bool,
}

impl<T: Ord> Default for InUse<T> {
    fn default() -> Self {
        Self { changes: BinaryHeap::new(), used: 0, most: 0, settled: None, is_late: false }
    }
}

impl<T: Copy + Ord> InUse<T> {
    /// Adds a run of a job on `procs` processors. A run that ends before it starts adds nothing. O(log n) for
    /// n runs that are not settled.
    pub fn add(&mut self, start: T, end: T, procs: i64) {
        match start.cmp(&end) {
            Ordering::Less => self
                .changes
                .extend([Reverse((start, Change::Start, procs)), Reverse((end, Change::End, -procs))]),
            Ordering::Equal => self.changes.push(Reverse((start, Change::Passing, procs))),
            Ordering::Greater => return,
        }
        self.is_late |= self.settled.is_some_and(|settled| start < settled);
    }

    /// Adds the runs of `others`, which must not have been settled.
    pub fn extend(&mut self, others: Self) {
        self.changes.extend(others.changes);
    }

    /// Counts and drops the changes before `time`, to bound the memory. No later run may begin before `time`;
    /// [`Self::is_late`] reports violations.
    pub fn settle(&mut self, time: T) {
        if self.settled.is_some_and(|settled| settled >= time) {
            return;
        }
        self.settled = Some(time);
        while let Some(&Reverse((when, ..))) = self.changes.peek()
            && when < time
        {
            self.count();
        }
    }

    /// Counts the earliest change.
    fn count(&mut self) {
        if let Some(Reverse((_, change, procs))) = self.changes.pop() {
            let used = self.used.saturating_add(procs);
            self.most = self.most.max(used);
            if change != Change::Passing {
                self.used = used;
            }
        }
    }

    /// Returns whether a run began before a time that was settled. Then [`Self::most`] is no use, and the
    /// runs have to be added again without settling.
    pub fn is_late(&self) -> bool {
        self.is_late
    }

    /// Returns the largest number of processors in use at once; 0 without runs. Of one instant, ends come
    /// before starts, and runs without length come last, one after the other. O(n·log n) for n runs that are
    /// not settled.
    pub fn most(mut self) -> u64 {
        while !self.changes.is_empty() {
            self.count();
        }
        self.most.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn ends_of_an_instant_come_before_its_starts() {
        let most = |runs: &[(i64, i64, i64)]| {
            let mut used = InUse::default();
            for &(start, end, procs) in runs {
                used.add(start, end, procs);
            }
            used.most()
        };
        assert_eq!(most(&[(0, 10, 4), (10, 15, 3), (12, 13, 2)]), 5);
        // A run of zero length adds to the runs that start with it, and not to ended ones.
        assert_eq!(most(&[(0, 10, 4), (10, 15, 3), (10, 10, 2), (12, 13, 1), (12, 11, 9)]), 5);
        assert_eq!(most(&[(0, 10, 4), (10, 10, 16), (10, 10, 1), (10, 12, 2)]), 18);
        assert_eq!(most(&[(0, 10, 4), (10, 15, 3)]), 4);
        assert_eq!(most(&[]), 0);
    }

    #[test]
    fn what_is_settled_counts_as_before_and_late_runs_are_noticed() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..200 {
            let (mut at_once, mut settled) = (InUse::default(), InUse::default());
            let mut submit = 0_i64;
            for _ in 0..60 {
                submit += rng.random_range(0..5);
                let start = submit + rng.random_range(0..20);
                let (end, procs) = (start + rng.random_range(0..30), rng.random_range(1..9));
                settled.settle(submit);
                at_once.add(start, end, procs);
                settled.add(start, end, procs);
            }
            assert!(!settled.is_late() && settled.changes.len() < 120);
            assert_eq!(settled.clone().most(), at_once.most());
            settled.add(submit - 1, submit, 1);
            assert!(settled.is_late());
        }
    }
}
