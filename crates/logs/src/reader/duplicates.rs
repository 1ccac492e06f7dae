//! Finds records that stand twice in a log, as in dumps of overlapping months that were put together.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use foldhash::{HashMap, HashSet};

use crate::record::Record;

/// Window for duplicates, in records, in logs that may exceed memory.
pub(super) const NEIGHBOURS: usize = 1 << 16;

/// What two records of one run have in common: number, submission, wait, run time, allocated and requested
/// processors; and the identity of the job. Of a requeued job, each run has another start.
type Key = ([i64; 6], u64);

/// Which records are duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DuplicateRule {
    /// Equal records, whose job may have other runs.
    Runs,
    /// The same, within [`NEIGHBOURS`] records, so that memory is bounded.
    Neighbours,
    /// Equal records, unless their number has different runs that overlap. It is that of an array then, and
    /// equal records are tasks of it; the runs of a requeued job follow one another.
    Numbers,
}

/// Records seen, or the last of them.
pub(super) struct Duplicates {
    rule: DuplicateRule,
    seen: HashSet<Key>,
    /// The keys in the order of the log; empty if all are kept.
    order: VecDeque<Key>,
    /// The last run, from start to end, of each number and identity; [`OVERLAPPING`] if two runs overlap.
    /// Empty unless numbers are looked at.
    runs: HashMap<(i64, u64), (i64, i64)>,
    /// Duplicates whose number has no runs that overlap so far.
    held: HashMap<(i64, u64), Vec<Record>>,
    /// Records that were held and are tasks of arrays.
    released: VecDeque<Record>,
    /// The number of duplicates.
    pub(super) count: u64,
    /// Equal records that are tasks.
    pub(super) tasks: u64,
}

/// The run of a number with different runs that overlap.
const OVERLAPPING: (i64, i64) = (i64::MIN, i64::MIN);

impl Duplicates {
    /// Makes the state before the first record.
    pub(super) fn new(rule: DuplicateRule) -> Self {
        Self {
            rule,
            seen: HashSet::default(),
            order: VecDeque::new(),
            runs: HashMap::default(),
            held: HashMap::default(),
            released: VecDeque::new(),
            count: 0,
            tasks: 0,
        }
    }

    /// Returns whether the record was there before. One without a number or an identity never was. O(1).
    pub(super) fn is_known(&mut self, record: &Record, identity: Option<u64>) -> bool {
        let Some(identity) = identity.filter(|_| record.job >= 0) else { return false };
        let Record { job, submit_s, wait_s, run_s, allocated_procs, requested_procs, .. } = *record;
        let is_array = self.rule == DuplicateRule::Numbers && self.is_of_array(record, identity);
        let key = ([job, submit_s, wait_s, run_s, allocated_procs, requested_procs], identity);
        if !self.seen.insert(key) {
            if is_array {
                self.tasks = self.tasks.saturating_add(1);
                return false;
            }
            if self.rule == DuplicateRule::Numbers {
                self.held.entry((job, identity)).or_default().push(*record);
            }
            self.count = self.count.saturating_add(1);
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

    /// Returns whether the number of a record has different runs that overlap. If the run of this record is
    /// the first that shows it, the records that were held under the number are released.
    fn is_of_array(&mut self, record: &Record, identity: u64) -> bool {
        let number = (record.job, identity);
        // A record without a start or an end decides nothing.
        let start_s = record.submit_s.saturating_add(record.wait_s);
        let run = (record.wait_s >= 0 && record.run_s >= 0)
            .then(|| (start_s, start_s.saturating_add(record.run_s)));
        match (self.runs.entry(number), run) {
            (Entry::Occupied(last), _) if *last.get() == OVERLAPPING => return true,
            (_, None) => return false,
            (Entry::Vacant(place), Some(run)) => {
                place.insert(run);
                return false;
            }
            (Entry::Occupied(mut last), Some(run)) => {
                let (start_s, end_s) = last.insert(run);
                let overlaps = start_s < run.1 && run.0 < end_s && (start_s, end_s) != run;
                if !overlaps {
                    return false;
                }
                last.insert(OVERLAPPING);
            }
        }
        let held = self.held.remove(&number).unwrap_or_default();
        self.count = self.count.saturating_sub(held.len() as u64);
        self.tasks = self.tasks.saturating_add(held.len() as u64);
        self.released.extend(held);
        true
    }

    /// Returns the next record that was taken for a duplicate and is a task of an array.
    pub(super) fn next_task(&mut self) -> Option<Record> {
        self.released.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_records_are_known_and_other_runs_are_not() {
        let run =
            Record { job: 7, submit_s: 5, wait_s: 10, run_s: 60, allocated_procs: 4, ..Record::UNKNOWN };
        let mut all = Duplicates::new(DuplicateRule::Runs);
        let known = [
            run,
            Record { user: 3, ..run },
            Record { wait_s: 90, ..run },
            Record { job: 8, ..run },
            Record { job: -1, ..run },
            Record { job: -1, ..run },
        ]
        .map(|record| all.is_known(&record, Some(0)));
        assert!(!all.is_known(&run, Some(5)) && all.is_known(&run, Some(5)) && !all.is_known(&run, None));
        assert_eq!((known, all.count), ([false, true, false, false, false, false], 2));
    }

    #[test]
    fn neighbours_are_compared_and_others_forgotten() {
        let job = |job: i64| Record { job, ..Record::UNKNOWN };
        let is_known = |to: &mut Duplicates, number| to.is_known(&job(number), Some(0));
        let (mut near, mut all) =
            (Duplicates::new(DuplicateRule::Neighbours), Duplicates::new(DuplicateRule::Runs));
        for number in 0..=NEIGHBOURS as i64 {
            assert!(!is_known(&mut near, number) && !is_known(&mut all, number));
        }
        assert_eq!((is_known(&mut near, 1), is_known(&mut all, 1)), (true, true));
        assert_eq!((is_known(&mut near, 0), is_known(&mut all, 0)), (false, true));
    }

    #[test]
    fn equal_records_of_a_number_with_runs_that_overlap_are_tasks() {
        let task =
            |start_s: i64| Record { job: 500, submit_s: 0, wait_s: start_s, run_s: 9, ..Record::UNKNOWN };
        let mut numbers = Duplicates::new(DuplicateRule::Numbers);
        let known = [task(5), task(5), task(5), Record { job: 7, ..task(5) }, Record { job: 7, ..task(5) }]
            .map(|record| numbers.is_known(&record, Some(0)));
        assert_eq!((known, numbers.count, numbers.next_task()), ([false, true, true, false, true], 3, None));
        // A requeued job runs again after its first run.
        assert!(!numbers.is_known(&Record { job: 7, ..task(14) }, Some(0)));
        assert!(numbers.is_known(&Record { job: 7, ..task(5) }, Some(0)));
        // A run that overlaps the first one releases the two.
        assert!(!numbers.is_known(&task(8), Some(0)) && !numbers.is_known(&task(5), Some(0)));
        let released = [numbers.next_task(), numbers.next_task(), numbers.next_task()];
        assert_eq!(released, [Some(task(5)), Some(task(5)), None]);
        assert_eq!((numbers.count, numbers.tasks), (2, 3));
    }
}
