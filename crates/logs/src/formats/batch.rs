//! What the accounting files of batch systems have in common: times of jobs, and tasks of arrays.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "known times are above 0, so that differences are in range"
)]

use crate::facts::{EARLY_ENDS, EARLY_STARTS, Oddities};
use crate::record::Record;
use meshreplay_base::words::counted;

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

/// Jobs that became eligible to start after their submission, as after a dependency or a hold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    jobs: u64,
    late_s: i64,
    /// The time from the submission to the start of all jobs.
    waited_s: i64,
}

impl Held {
    /// Returns the arrival of a job in seconds: when it became eligible, or its submission if that is not
    /// known, or not between submission and start.
    pub(super) fn arrival(
        &mut self,
        submit_s: Option<i64>,
        eligible_s: Option<i64>,
        start_s: Option<i64>,
    ) -> Option<i64> {
        let Some(submit) = submit_s else { return eligible_s };
        let waited = |until: Option<i64>| until.map_or(0, |until| until.saturating_sub(submit).max(0));
        self.waited_s = self.waited_s.saturating_add(waited(start_s));
        let is_later = |time: &i64| *time > submit && start_s.is_none_or(|start| *time <= start);
        let Some(eligible) = eligible_s.filter(is_later) else { return submit_s };
        if start_s.is_some() {
            self.jobs += 1;
            self.late_s = self.late_s.saturating_add(waited(eligible_s));
        }
        Some(eligible)
    }

    /// Returns the note on such jobs; `None` without any. `remedy` counts from the submission.
    pub(super) fn note(self, remedy: &str) -> Option<String> {
        (self.jobs > 0).then(|| {
            let share = 100.0 * self.late_s as f64 / self.waited_s.max(1) as f64;
            format!(
                "{} became eligible after the submission, which is the arrival; that leaves out {share:.1} % \
                 of the time from submissions to starts; {remedy} counts it",
                counted(self.jobs, "job")
            )
        })
    }
}

/// Returns the job number of an array task: 123000004 for task 4 of array 123. From task 1,000,000 on it is
/// 4·10¹⁸ + array · 10⁹ + index, beyond all job numbers and earlier tasks. `None` for an array or an index
/// beyond any batch system.
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
