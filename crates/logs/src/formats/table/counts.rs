//! Counts what is odd in the rows of a table, and puts it into words.
#![expect(clippy::arithmetic_side_effects, reason = "rows are counted one by one")]

use crate::facts::{EARLY_ENDS, EARLY_STARTS, UNSUBMITTED};
use crate::times::TimeUnit;

/// Counts of rows, or of values in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) rounded: u64,
    pub(super) early_starts: u64,
    pub(super) early_ends: u64,
    pub(super) unlimited: u64,
    pub(super) cut_numbers: u64,
    pub(super) odd_words: u64,
    pub(super) rounded_numbers: u64,
    pub(super) starts_as_submits: u64,
    pub(super) never_started: u64,
    pub(super) unended: u64,
    pub(super) vanished: u64,
    pub(super) other_waits: u64,
    pub(super) other_runs: u64,
    pub(super) numeric_states: u64,
    pub(super) limits: Limits,
}

/// A column with its name in the heading, and the unit of its times.
#[derive(Clone, Copy)]
pub(super) struct NamedColumn<'a> {
    pub(super) name: &'a str,
    pub(super) unit: &'static TimeUnit,
}

/// Counts of jobs with a run time and a limit, by how much longer they ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Limits {
    /// Jobs with both.
    jobs: u64,
    /// Jobs above their limit, and jobs above their limit times each of [`FACTORS`].
    longer: [u64; FACTORS.len() + 1],
}

/// Alternative units for a limit that is read as seconds.
const FACTORS: [(&str, i64); 2] = [("minutes", 60), ("hours", 3600)];

/// A job that runs longer than its limit by less than this has been ended a little late.
const GRACE_S: i64 = 300;

impl Counts {
    /// Counts a job by its run time and its limit, which are below 0 if they are unknown.
    pub(super) fn add_limit(&mut self, run_s: i64, limit_s: i64) {
        if run_s <= 0 || limit_s <= 0 {
            return;
        }
        self.limits.jobs += 1;
        let factors = [1].into_iter().chain(FACTORS.into_iter().map(|(_, factor)| factor));
        for (longer, factor) in self.limits.longer.iter_mut().zip(factors) {
            let grace_s = if factor == 1 { 0 } else { GRACE_S };
            *longer += u64::from(run_s > limit_s.saturating_mul(factor).saturating_add(grace_s));
        }
    }

    /// Returns oddities in words, with counts. `has_submits` is true if a column holds submit times.
    pub(super) fn rows(&self, has_submits: bool) -> impl Iterator<Item = (&'static str, u64)> + use<> {
        let rows = [
            ("durations rounded to seconds", self.rounded),
            (EARLY_STARTS, self.early_starts),
            (EARLY_ENDS, self.early_ends),
            ("time limits that are unlimited", self.unlimited),
            ("job numbers cut after their digits", self.cut_numbers),
            ("unknown words for how a job ended", self.odd_words),
            ("numbers rounded to whole ones", self.rounded_numbers),
            (UNSUBMITTED, if has_submits { self.starts_as_submits } else { 0 }),
            ("jobs without a start, which never started", self.never_started),
            ("jobs without an end, which had not ended", self.unended),
            ("jobs shorter than a second that become 0 s long", self.vanished),
            ("wait times that are not the time from submission to start, which counts", self.other_waits),
            ("run times that are not the time from start to end, which counts", self.other_runs),
        ];
        rows.into_iter().filter(|&(_, count)| count > 0)
    }

    /// Returns what has to be said of the table as a whole. `limit` is the name and the unit of the column of
    /// time limits, and `state` the name of the column of states.
    pub(super) fn notes(
        &self,
        has_submits: bool,
        limit: Option<NamedColumn>,
        state: Option<&str>,
    ) -> Vec<String> {
        let mut notes = Vec::new();
        if self.starts_as_submits > 0 && !has_submits {
            notes.push(
                "no column holds submit times; start times stand for them, so no job waited".to_owned(),
            );
        }
        if let (Some(state), true) = (state, self.numeric_states > 0) {
            notes.push(format!(
                "numbers in column '{state}' are read as those of SWF: 0 failed, 1 completed, 5 cancelled"
            ));
        }
        notes.extend(limit.and_then(|column| self.limits.note(column)));
        notes
    }
}

impl Limits {
    /// Returns the note that most jobs run longer than their limit; `None` if they do not.
    fn note(&self, column: NamedColumn) -> Option<String> {
        let NamedColumn { name, unit } = column;
        let [longer, rest @ ..] = self.longer;
        if 2 * longer <= self.jobs || self.jobs == 0 {
            return None;
        }
        // Another unit explains the limits if one job in twenty, at most, runs longer by it.
        let by_unit = FACTORS.iter().zip(rest).find(|(_, longer)| 20 * longer <= self.jobs);
        let remedy = match by_unit {
            Some(((other, _), longer)) if unit.name == "seconds" => format!(
                "; if they count {other}, as {} of {} jobs keep to them then: --columns \
                     req-time={name}:{other}",
                self.jobs - longer,
                self.jobs
            ),
            _ => String::new(),
        };
        Some(format!(
            "{longer} of {} jobs run longer than their time limit in column '{name}', which is read in \
                 {}{remedy}",
            self.jobs, unit.name
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::SECONDS;

    #[test]
    fn limits_in_another_unit_are_noticed() {
        let note = |jobs: &[(i64, i64)]| {
            let mut counts = Counts::default();
            for &(run_s, limit_s) in jobs {
                counts.add_limit(run_s, limit_s);
            }
            counts.notes(true, Some(NamedColumn { name: "limit", unit: SECONDS }), None).concat()
        };
        let found = note(&[(7200, 180), (3600, 90), (1800, 60), (10, 60), (-1, 5)]);
        assert!(found.starts_with("3 of 4 jobs run longer"), "{found}");
        assert!(
            found.ends_with("4 of 4 jobs keep to them then: --columns req-time=limit:minutes"),
            "{found}"
        );
        assert!(note(&[(7200, 2), (3600, 1)]).ends_with("req-time=limit:hours"));
        assert!(note(&[(90_000, 2), (90_000, 1)]).ends_with("which is read in seconds"));
        assert_eq!(note(&[(60, 60), (60, 60), (61, 60)]), "");
    }
}
