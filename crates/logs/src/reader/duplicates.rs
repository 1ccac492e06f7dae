//! Finds records that stand twice in a log, as in dumps of overlapping months that were put together.

use std::collections::VecDeque;

use foldhash::HashSet;

use crate::record::Record;

/// The number of records among which duplicates are found in logs that may be longer than memory.
pub(super) const NEIGHBOURS: usize = 1 << 16;

/// What two records of one run have in common: number, submission, wait, run time, allocated and requested
/// processors; and the identity of the job. Of a requeued job, each run has another start.
type Key = ([i64; 6], u64);

/// Records seen, or the last of them.
pub(super) struct Duplicates {
    seen: HashSet<Key>,
    /// The keys in the order of the log; empty if all are kept.
    order: VecDeque<Key>,
    /// Whether records are forgotten beyond [`NEIGHBOURS`].
    forgets: bool,
    /// The number of duplicates.
    pub(super) count: u64,
}

impl Duplicates {
    /// With `forgets`, duplicates are found among neighbours only, in bounded memory.
    pub(super) fn new(forgets: bool) -> Self {
        Self { seen: HashSet::default(), order: VecDeque::new(), forgets, count: 0 }
    }

    /// Returns whether the record was there before. One without a number or an identity never was. O(1).
    pub(super) fn is_known(&mut self, record: &Record, identity: Option<u64>) -> bool {
        let Some(identity) = identity.filter(|_| record.job >= 0) else { return false };
        let Record { job, submit_s, wait_s, run_s, allocated_procs, requested_procs, .. } = *record;
        let key = ([job, submit_s, wait_s, run_s, allocated_procs, requested_procs], identity);
        if !self.seen.insert(key) {
            self.count = self.count.saturating_add(1);
            return true;
        }
        if self.forgets {
            self.order.push_back(key);
            if self.order.len() > NEIGHBOURS
                && let Some(first) = self.order.pop_front()
            {
                self.seen.remove(&first);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_records_are_known_and_other_runs_are_not() {
        let run =
            Record { job: 7, submit_s: 5, wait_s: 10, run_s: 60, allocated_procs: 4, ..Record::UNKNOWN };
        let mut all = Duplicates::new(false);
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
        let (mut near, mut all) = (Duplicates::new(true), Duplicates::new(false));
        for number in 0..=NEIGHBOURS as i64 {
            assert!(!is_known(&mut near, number) && !is_known(&mut all, number));
        }
        assert_eq!((is_known(&mut near, 1), is_known(&mut all, 1)), (true, true));
        assert_eq!((is_known(&mut near, 0), is_known(&mut all, 0)), (false, true));
    }
}
