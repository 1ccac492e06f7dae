//! What the accounting files of batch systems have in common: times of jobs, and tasks of arrays.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "known times are above 0, so that differences are in range"
)]

use crate::facts::{EARLY_ENDS, EARLY_STARTS, Oddities};
use crate::record::Record;

/// The times of a job in seconds, instants since 1970; `None` where they are unknown.
#[expect(clippy::struct_field_names, reason = "units stand in names")]
pub(super) struct JobTimes {
    pub(super) submit_s: Option<i64>,
    /// `None` also for a job that has not started.
    pub(super) start_s: Option<i64>,
    /// The time from start to end. It is negative if a clock was set back.
    pub(super) run_s: Option<i64>,
}

impl JobTimes {
    /// Returns a record with these times only, and counts oddities. A start before the submission replaces
    /// the submission. A negative run time becomes unknown.
    pub(super) fn record(self, odd: &mut Oddities) -> Record {
        let Self { submit_s, start_s, run_s } = self;
        let is_early = start_s.zip(submit_s).is_some_and(|(start_s, submit_s)| start_s < submit_s);
        let submit_s = if is_early { start_s } else { submit_s };
        let wait_s = start_s.zip(submit_s).map(|(start_s, submit_s)| start_s - submit_s);
        odd.add(EARLY_STARTS, is_early);
        odd.add(EARLY_ENDS, run_s.is_some_and(|run_s| run_s < 0));
        Record {
            submit_s: submit_s.unwrap_or(-1),
            wait_s: wait_s.unwrap_or(-1),
            run_s: run_s.map_or(-1, |run_s| run_s.max(-1)),
            ..Record::UNKNOWN
        }
    }
}

/// Returns the number of a task of an array of jobs: 123000004 for task 4 of array 123. From task 1,000,000
/// on it is 4·10¹⁸ + array · 10⁹ + index, which is beyond every number of a job and of an earlier task. `None`
/// if there is no such number, as the array or the index is larger than any of a batch system.
pub(super) fn number_of_task(array: i64, index: i64) -> Option<i64> {
    const FEW: i64 = 1_000_000;
    const MOST: i64 = 1_000_000_000;
    const BEYOND: i64 = 4_000_000_000_000_000_000;
    if index < FEW {
        return array.checked_mul(FEW)?.checked_add(index).filter(|&number| number < BEYOND);
    }
    array.checked_mul(MOST)?.checked_add(index)?.checked_add(BEYOND).filter(|_| index < MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_have_numbers_of_their_own() {
        for (array, index, number) in [
            (123, 4, Some(123_000_004)),
            (123, 999_999, Some(123_999_999)),
            (123, 1_000_000, Some(4_000_000_123_001_000_000)),
            (124, 0, Some(124_000_000)),
            (4_294_967_295, 4_000_000, Some(8_294_967_295_004_000_000)),
            (123, 1_000_000_000, None),
            (i64::MAX, 1, None),
        ] {
            assert_eq!(number_of_task(array, index), number, "{array}_{index}");
        }
    }
}
