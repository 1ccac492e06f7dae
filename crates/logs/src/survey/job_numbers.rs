//! Duplicate job numbers of a log.
//!
//! Most logs number jobs consecutively, so memory holds runs of consecutive numbers. Beyond a limit of runs,
//! all numbers go to an external sort.

use std::collections::{BinaryHeap, HashSet};
use std::io;
use std::mem;

use meshreplay_base::disk::Sorter;

/// Limit of runs, and of single numbers, in memory.
pub(super) const MOST: usize = 1 << 20;

/// What is known of a job number when it is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// It is new, or of a kind that may come again.
    New,
    /// It was there before.
    Before,
    /// It is known at the end.
    Later,
}

/// Job numbers read.
#[derive(Debug)]
pub(super) struct JobNumbers {
    /// Limit of runs, and of single numbers, in memory.
    most: usize,
    /// Numbers in ascending order, as most are: first and last of each run.
    ascending: Vec<(i64, i64)>,
    others: HashSet<i64>,
    /// Numbers with their lines, and whether they may come again, once there are too many of both.
    sorter: Option<Sorter>,
    /// The reason why a number is not in the temporary file; `None` if all are.
    error: Option<io::Error>,
}

/// The duplicates that are known at the end.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Duplicates {
    /// How many there are.
    pub(super) count: u64,
    /// The lines and the numbers of the first of them, in no order.
    pub(super) first: Vec<(u64, i64)>,
}

impl JobNumbers {
    /// Returns an empty set with this limit of runs, and of single numbers, in memory.
    pub(super) fn new(most: usize) -> Self {
        Self { most, ascending: Vec::new(), others: HashSet::new(), sorter: None, error: None }
    }

    /// Adds the job number of a line. With `may_repeat`, it is no duplicate.
    pub(super) fn add(&mut self, number: i64, line: u64, may_repeat: bool) -> Seen {
        if self.sorter.is_some() {
            self.sort(number, line, may_repeat);
            return Seen::Later;
        }
        let is_new = self.insert(number);
        if self.ascending.len() > self.most || self.others.len() > self.most {
            self.spill();
        }
        if is_new || may_repeat { Seen::New } else { Seen::Before }
    }

    /// Adds a number in memory. Returns true if it is new.
    fn insert(&mut self, number: i64) -> bool {
        match self.ascending.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            Some((_, last)) if *last >= number => {
                let at = self.ascending.partition_point(|&(_, last)| last < number);
                let is_there = self.ascending.get(at).is_some_and(|&(first, _)| first <= number);
                return !is_there && self.others.insert(number);
            }
            _ => self.ascending.push((number, number)),
        }
        true
    }

    /// Moves the numbers in memory to a file. They are found before all that come, as no line has the number
    /// 0.
    fn spill(&mut self) {
        self.sorter = Some(Sorter::default());
        let others: Vec<i64> = mem::take(&mut self.others).into_iter().collect();
        let runs = mem::take(&mut self.ascending).into_iter().flat_map(|(first, last)| first..=last);
        runs.chain(others).for_each(|number| self.sort(number, 0, true));
    }

    /// Adds a number to the external sort.
    fn sort(&mut self, number: i64, line: u64, may_repeat: bool) {
        // After an error the rest is of no use.
        if let (Some(sorter), None) = (&mut self.sorter, &self.error) {
            self.error = sorter.add((number, line), &[u8::from(may_repeat)]).err();
        }
    }

    /// Returns the number of duplicates reported as [`Seen::Later`], and the `most` first ones. Fails if the
    /// temporary file cannot be written or read.
    pub(super) fn duplicates(&mut self, most: usize) -> io::Result<Duplicates> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some(sorter) = self.sorter.take() else { return Ok(Duplicates::default()) };
        let (mut ascending, mut count, mut before) = (sorter.sorted()?, 0_u64, None);
        // A max-heap by line, which keeps the first lines.
        let mut first = BinaryHeap::new();
        while let Some(((number, line), may_repeat)) = ascending.next()? {
            if before.replace(number) == Some(number) && may_repeat == [0] {
                count = count.saturating_add(1);
                first.push((line, number));
                if first.len() > most {
                    first.pop();
                }
            }
        }
        Ok(Duplicates { count, first: first.into_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in runs, scattered ones and ones that repeat give what a set of all of them gives.
    #[test]
    fn duplicates_are_those_of_a_set() -> io::Result<()> {
        let noise = |i: i64, below: u64| ((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % below;
        let mut late = 0;
        for seed in 0..60_i64 {
            let (mut numbers, mut set) = (JobNumbers::new(40), HashSet::new());
            let (mut expected, mut found) = (Vec::new(), Vec::new());
            for line in 1..200_u64 {
                let draw = noise(line as i64 * 31 + seed * 977, 1 << 20);
                let number = match (seed % 4, draw % 20) {
                    (0, 0) => line as i64 - 3,
                    (0, _) | (1, 2..) => line as i64,
                    (1, _) => (draw / 32 % 300) as i64 - 50,
                    (2, _) => line as i64 * 2 - (draw / 32 % 2) as i64 * 4,
                    (_, 0) => [i64::MIN, i64::MAX, -1, 0][draw as usize / 32 % 4],
                    _ => (draw / 32 % 400) as i64 * 1_000_003 - 7,
                };
                let may_repeat = draw % 7 == 0;
                if !set.insert(number) && !may_repeat {
                    expected.push((line, number));
                }
                match numbers.add(number, line, may_repeat) {
                    Seen::Before => found.push((line, number)),
                    Seen::New | Seen::Later => {}
                }
            }
            late += u64::from(numbers.sorter.is_some());
            let shown = 3;
            let Duplicates { count, first } = numbers.duplicates(shown)?;
            assert_eq!(found.len() as u64 + count, expected.len() as u64, "{seed}");
            assert_eq!(first.len() as u64, count.min(shown as u64), "{seed}");
            let mut first = first;
            first.sort_unstable();
            found.extend(first);
            assert_eq!(found[..], expected[..found.len()], "{seed}");
        }
        assert!((15..=50).contains(&late), "{late}");
        Ok(())
    }
}
