//! Finds records that stand twice in a log, as in dumps of overlapping months that were put together.

use std::collections::VecDeque;

use foldhash::{HashMap, HashSet};

use crate::record::Record;

/// Window for duplicates, in records, in logs that may exceed memory; and the most records that wait for a
/// decision.
pub(super) const NEIGHBOURS: usize = 1 << 16;

/// What two records of one run have in common: number, submission, wait, run time, allocated and requested
/// processors; and the identity of the job. Of a requeued job, each run has another start.
type Key = ([i64; 6], u64);

/// The number of a job and its identity.
type Number = (i64, u64);

/// Which records are duplicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DuplicateRule {
    /// Equal records, whose job may have other runs.
    #[default]
    Runs,
    /// The same, within [`NEIGHBOURS`] records, so that memory is bounded.
    Neighbours,
    /// Equal records, unless their number has different runs that overlap. It is that of an array then, and
    /// equal records are tasks of it; the runs of a requeued job follow one another.
    Numbers,
}

/// A record, with where it stands in the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LocatedRecord {
    pub(super) record: Record,
    /// The number of surplus fields.
    pub(super) surplus: usize,
    pub(super) line: u64,
}

/// The runs of a number.
#[derive(Clone, Copy, Debug)]
struct Runs {
    /// The last run with both times, from start to end; [`NO_RUN`] before the first.
    last: (i64, i64),
    kind: RunsKind,
    /// Equal records that were read once.
    repeats: u32,
}

/// What the runs of a number show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunsKind {
    /// There is one run, perhaps several times.
    One,
    /// There are different runs, one after the other.
    Several,
    /// Different runs overlap, so the number is that of an array.
    Overlapping,
}

/// A run that overlaps no other.
const NO_RUN: (i64, i64) = (i64::MAX, i64::MIN);

/// Records seen, or the last of them.
#[derive(Default)]
pub(super) struct Duplicates {
    rule: DuplicateRule,
    seen: HashSet<Key>,
    /// The keys in the order of the log; empty if all are kept.
    order: VecDeque<Key>,
    /// The runs of each number. Empty unless the rule is [`DuplicateRule::Numbers`].
    runs: HashMap<Number, Runs>,
    /// The rows from the first undecided one on, in the order of the log. An undecided row equals an earlier
    /// one, and has its number here: it is a task if runs of the number turn out to overlap.
    waiting: VecDeque<(LocatedRecord, Option<Number>)>,
    /// The number of duplicates.
    pub(super) count: u64,
    /// Equal records that are tasks.
    pub(super) tasks: u64,
    /// Duplicates whose number has different runs, which may be tasks of an array.
    pub(super) doubtful: u64,
}

impl Duplicates {
    /// Makes the state before the first record.
    pub(super) fn new(rule: DuplicateRule) -> Self {
        Self { rule, ..Self::default() }
    }

    /// Returns whether a row is the next one of the log. False for a duplicate, and for a row that has to
    /// wait for a decision, which [`Self::next_decided`] returns later. O(1).
    pub(super) fn admits(&mut self, row: &LocatedRecord, identity: Option<u64>) -> bool {
        // A record without a number or an identity is no duplicate.
        let number = identity.filter(|_| row.record.job >= 0).map(|identity| (row.record.job, identity));
        let kind = number.filter(|_| self.rule == DuplicateRule::Numbers);
        let kind = kind.map(|number| self.add_run(number, &row.record));
        let mut undecided = None;
        if let Some(number) = number
            && self.is_known(&row.record, number.1)
        {
            match kind {
                Some(RunsKind::Overlapping) => self.tasks = self.tasks.saturating_add(1),
                Some(_) => undecided = Some(number),
                None => {
                    self.count = self.count.saturating_add(1);
                    return false;
                }
            }
        }
        if undecided.is_none() && self.waiting.is_empty() {
            return true;
        }
        self.waiting.push_back((*row, undecided));
        false
    }

    /// Returns the next row that waited and is a job; `None` if it still has to wait. A row waits for at most
    /// [`NEIGHBOURS`] others, and until the end of the log (`is_end`).
    pub(super) fn next_decided(&mut self, is_end: bool) -> Option<LocatedRecord> {
        while let Some((_, undecided)) = self.waiting.front() {
            let is_overdue = is_end || self.waiting.len() > NEIGHBOURS;
            match undecided.and_then(|number| self.runs.get_mut(&number)) {
                Some(runs) if runs.kind != RunsKind::Overlapping => {
                    if !is_overdue {
                        return None;
                    }
                    self.count = self.count.saturating_add(1);
                    runs.repeats = runs.repeats.saturating_add(1);
                    self.doubtful = self.doubtful.saturating_add((runs.kind == RunsKind::Several).into());
                    self.waiting.pop_front();
                    continue;
                }
                Some(_) => self.tasks = self.tasks.saturating_add(1),
                None => {}
            }
            return self.waiting.pop_front().map(|(row, _)| row);
        }
        None
    }

    /// Returns whether the record was there before, and remembers it.
    fn is_known(&mut self, record: &Record, identity: u64) -> bool {
        let Record { job, submit_s, wait_s, run_s, allocated_procs, requested_procs, .. } = *record;
        let key = ([job, submit_s, wait_s, run_s, allocated_procs, requested_procs], identity);
        if !self.seen.insert(key) {
            return true;
        }
        if self.rule == DuplicateRule::Neighbours {
            self.order.push_back(key);
            if self.order.len() > NEIGHBOURS
                && let Some(first) = self.order.pop_front()
            {
                self.seen.remove(&first);
            }
        }
        false
    }

    /// Adds the run of a record to those of its number, and returns what they show.
    fn add_run(&mut self, number: Number, record: &Record) -> RunsKind {
        let unknown = Runs { last: NO_RUN, kind: RunsKind::One, repeats: 0 };
        let runs = self.runs.entry(number).or_insert(unknown);
        // A record without a start or an end decides nothing.
        if record.wait_s < 0 || record.run_s < 0 || runs.kind == RunsKind::Overlapping {
            return runs.kind;
        }
        let start_s = record.submit_s.saturating_add(record.wait_s);
        let run = (start_s, start_s.saturating_add(record.run_s));
        let last = std::mem::replace(&mut runs.last, run);
        if last != run && last != NO_RUN {
            if runs.kind == RunsKind::One {
                self.doubtful = self.doubtful.saturating_add(runs.repeats.into());
            }
            let overlaps = last.0 < run.1 && run.0 < last.1;
            runs.kind = if overlaps { RunsKind::Overlapping } else { RunsKind::Several };
        }
        runs.kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a record and returns whether it is the next one.
    fn admits(to: &mut Duplicates, record: Record, identity: Option<u64>) -> bool {
        to.admits(&LocatedRecord { record, surplus: 0, line: 0 }, identity)
    }

    #[test]
    fn equal_records_are_known_and_other_runs_are_not() {
        let run =
            Record { job: 7, submit_s: 5, wait_s: 10, run_s: 60, allocated_procs: 4, ..Record::UNKNOWN };
        let mut all = Duplicates::new(DuplicateRule::Runs);
        let admitted = [
            run,
            Record { user: 3, ..run },
            Record { wait_s: 90, ..run },
            Record { job: 8, ..run },
            Record { job: -1, ..run },
            Record { job: -1, ..run },
        ]
        .map(|record| admits(&mut all, record, Some(0)));
        assert!(
            admits(&mut all, run, Some(5)) && !admits(&mut all, run, Some(5)) && admits(&mut all, run, None)
        );
        assert_eq!((admitted, all.count), ([true, false, true, true, true, true], 2));
    }

    #[test]
    fn neighbours_are_compared_and_others_forgotten() {
        let admits = |to: &mut Duplicates, job| admits(to, Record { job, ..Record::UNKNOWN }, Some(0));
        let (mut near, mut all) =
            (Duplicates::new(DuplicateRule::Neighbours), Duplicates::new(DuplicateRule::Runs));
        for number in 0..=NEIGHBOURS as i64 {
            assert!(admits(&mut near, number) && admits(&mut all, number));
        }
        assert_eq!((admits(&mut near, 1), admits(&mut all, 1)), (false, false));
        assert_eq!((admits(&mut near, 0), admits(&mut all, 0)), (true, false));
    }

    /// Returns the records in the order in which they are read.
    fn order(numbers: &mut Duplicates, records: &[Record]) -> Vec<Record> {
        let mut read = Vec::new();
        for &record in records {
            if admits(numbers, record, Some(0)) {
                read.push(record);
            }
            while let Some(row) = numbers.next_decided(false) {
                read.push(row.record);
            }
            assert!(numbers.waiting.len() <= NEIGHBOURS);
        }
        read.extend(std::iter::from_fn(|| numbers.next_decided(true)).map(|row| row.record));
        read
    }

    /// A task of 9 s that starts at `start_s`.
    fn task(job: i64, start_s: i64) -> Record {
        Record { job, submit_s: 0, wait_s: start_s, run_s: 9, ..Record::UNKNOWN }
    }

    #[test]
    fn tasks_of_an_array_are_read_in_the_order_of_the_log() {
        // Runs of 500 overlap, but only the fifth record shows it. 7 is a requeued job.
        let records =
            [(500, 5), (500, 5), (7, 5), (500, 5), (7, 5), (500, 8), (7, 14), (500, 5), (7, 5), (9, 1)]
                .map(|(job, start_s)| task(job, start_s));
        let mut numbers = Duplicates::new(DuplicateRule::Numbers);
        let mut expected = records.to_vec();
        expected.remove(8);
        expected.remove(4);
        assert_eq!(order(&mut numbers, &records), expected);
        assert_eq!((numbers.count, numbers.tasks, numbers.doubtful), (2, 3, 2));
    }

    #[test]
    fn records_wait_in_bounded_memory() {
        let others = (0..2 * NEIGHBOURS as i64).map(|at| task(1000 + at, 0));
        let mut records = vec![task(500, 5), task(500, 5), task(500, 5)];
        records.extend(others);
        // It is too late for the first two equal records, which are counted.
        records.extend([task(500, 8), task(500, 5)]);
        let mut numbers = Duplicates::new(DuplicateRule::Numbers);
        let read = order(&mut numbers, &records);
        assert!(read[0] == records[0] && read[1..] == records[3..]);
        assert_eq!((numbers.count, numbers.tasks, numbers.doubtful), (2, 1, 2));
    }
}
