//! Oddities in the rows of a table: counts, and their wording.
#![expect(clippy::arithmetic_side_effects, reason = "rows are counted one by one")]

use crate::facts::{EARLY_ENDS, EARLY_STARTS, UNSUBMITTED};
use crate::record::FIELDS;
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
    pub(super) queues: Queues,
    /// The durations of the record that plain numbers, without a unit, were read of.
    pub(super) plain_numbers: [bool; FIELDS],
}

/// Columns that notes name; `None` if no named column has the field.
#[derive(Clone, Copy, Default)]
pub(super) struct NotedColumns<'a> {
    /// Time limits.
    pub(super) limit: Option<NamedColumn<'a>>,
    /// States, unless the column is called as in SWF.
    pub(super) state: Option<&'a str>,
    pub(super) queue: Option<&'a str>,
}

/// A column with its name in the heading, and the unit of its times.
#[derive(Clone, Copy)]
pub(super) struct NamedColumn<'a> {
    pub(super) name: &'a str,
    pub(super) unit: &'static TimeUnit,
}

/// A job with a time limit. Times and sizes below 1 are unknown.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LimitedJob {
    pub(super) run_s: i64,
    pub(super) limit_s: i64,
    pub(super) procs: i64,
    /// Whether the job was ended at its limit.
    pub(super) has_timed_out: bool,
}

/// Counts of jobs with a run time and a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Limits {
    /// Jobs with both.
    jobs: u64,
    /// Jobs above their limit, and jobs above their limit times each of [`FACTORS`].
    longer: [u64; FACTORS.len() + 1],
    /// Jobs that were ended at their limit, and those of them that ended there by each unit.
    timed_out: u64,
    at_limit: [u64; FACTORS.len() + 1],
    /// Jobs whose limit is their run time, and jobs whose limit is that times their processors.
    used: [u64; 2],
    /// Jobs of several processors.
    wide: u64,
}

/// Counts of jobs with a number of a queue and a wait time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Queues {
    jobs: u64,
    /// Jobs that waited.
    waited: u64,
    /// Jobs whose number is their wait time in seconds.
    equal: u64,
}

/// Fewest jobs from which a rule of a whole column is concluded.
const FEWEST: u64 = 5;

/// Alternative units for a limit that is read as seconds.
const FACTORS: [(&str, i64); 2] = [("minutes", 60), ("hours", 3600)];

/// A job that runs longer than its limit by less than this has been ended a little late.
const GRACE_S: i64 = 300;

impl Counts {
    /// Counts a job by the number of its queue and its wait time.
    pub(super) fn add_queue(&mut self, queue: Option<f64>, wait_s: i64) {
        let Some(queue) = queue.filter(|_| wait_s >= 0) else { return };
        self.queues.jobs += 1;
        self.queues.waited += u64::from(wait_s > 0);
        self.queues.equal += u64::from((queue - wait_s as f64).abs() < 1.0);
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

    /// Returns what has to be said of the table as a whole.
    pub(super) fn notes(&self, has_submits: bool, columns: NotedColumns) -> Vec<String> {
        let mut notes = Vec::new();
        if self.starts_as_submits > 0 && !has_submits {
            notes.push(
                "no column holds submit times; start times stand for them, so no job waited".to_owned(),
            );
        }
        if let (Some(state), true) = (columns.state, self.numeric_states > 0) {
            notes.push(format!(
                "numbers in column '{state}' are read as those of SWF: 0 failed, 1 completed, 5 cancelled"
            ));
        }
        notes.extend(columns.limit.and_then(|column| self.limits.note(column)));
        notes.extend(columns.queue.and_then(|name| self.queues.note(name)));
        notes
    }

    /// Returns whether the limits may be no limits, or be in another unit.
    pub(super) fn has_doubtful_limits(&self, columns: NotedColumns) -> bool {
        columns.limit.is_some_and(|column| self.limits.note(column).is_some())
    }
}

impl Limits {
    /// Counts a job, if both its run time and its limit are known.
    pub(super) fn add(&mut self, job: LimitedJob) {
        let LimitedJob { run_s, limit_s, procs, has_timed_out } = job;
        if run_s <= 0 || limit_s <= 0 {
            return;
        }
        self.jobs += 1;
        let factors = [1].into_iter().chain(FACTORS.into_iter().map(|(_, factor)| factor));
        for (at, factor) in factors.enumerate() {
            let limit_s = limit_s.saturating_mul(factor);
            let late_s = limit_s.saturating_add(GRACE_S);
            let grace_s = if factor == 1 { limit_s } else { late_s };
            self.longer[at] += u64::from(run_s > grace_s);
            self.at_limit[at] += u64::from(has_timed_out && (limit_s..=late_s).contains(&run_s));
        }
        self.timed_out += u64::from(has_timed_out);
        let is_near = |used_s: i64| (used_s.saturating_sub(limit_s)).abs() <= 1;
        self.used[0] += u64::from(is_near(run_s));
        self.used[1] += u64::from(procs > 0 && is_near(run_s.saturating_mul(procs)));
        self.wide += u64::from(procs > 1);
    }

    /// Returns the note that limits are none or are in another unit; `None` if they look like limits.
    fn note(&self, column: NamedColumn) -> Option<String> {
        self.used_note(column.name).or_else(|| self.unit_note(column))
    }

    /// Returns the note that the column has what jobs used.
    fn used_note(&self, name: &str) -> Option<String> {
        let all = |used: u64| used == self.jobs && self.jobs >= 2 * FEWEST;
        let what = match self.used {
            [run, _] if all(run) => "run time",
            [_, work] if all(work) && self.wide > 0 => "run time times its processors",
            _ => return None,
        };
        Some(format!(
            "the time limit of all {} jobs in column '{name}' is the job's {what}, so it may be the time \
                 that was used: --columns req-time=none reads no limits",
            self.jobs
        ))
    }

    /// Returns the note that jobs run longer than their limit, with the unit that explains it.
    fn unit_note(&self, column: NamedColumn) -> Option<String> {
        let NamedColumn { name, unit } = column;
        let [longer, rest @ ..] = self.longer;
        let is_in_seconds = unit.name == "seconds";
        // Another unit is proven if nearly all jobs that were ended at their limit ended there by it.
        let is_proof = |(_, count): &(_, &u64)| self.timed_out > 1 && 10 * **count >= 9 * self.timed_out;
        let [in_seconds, others @ ..] = &self.at_limit;
        let proven = FACTORS.iter().zip(others).find(is_proof);
        let proven = proven.filter(|_| is_in_seconds && 10 * in_seconds < self.timed_out);
        if self.jobs == 0 || 2 * longer <= self.jobs && proven.is_none() {
            return None;
        }
        // Another unit explains the limits if one job in twenty, at most, runs longer by it.
        let by_unit = FACTORS.iter().zip(rest).find(|(_, longer)| 20 * longer <= self.jobs);
        let remedy = match (proven, by_unit) {
            (Some(((other, _), at_limit)), _) => format!(
                "; it counts {other}, as {at_limit} of {} jobs that timed out ended at their limit then: \
                     --columns req-time={name}:{other}",
                self.timed_out
            ),
            (None, Some(((other, _), longer))) if is_in_seconds => format!(
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

impl Queues {
    /// Returns the note that the column of queues has wait times; `None` if it does not.
    fn note(&self, name: &str) -> Option<String> {
        let is_wait = self.equal == self.jobs && self.jobs >= FEWEST && self.waited >= FEWEST;
        is_wait.then(|| {
            format!(
                "column '{name}' is the wait time of all {} jobs, so it names no queues: --columns \
                     queue=none reads none",
                self.jobs
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::times::SECONDS;

    fn noted(counts: &Counts) -> String {
        let limit = Some(NamedColumn { name: "limit", unit: SECONDS });
        counts.notes(true, NotedColumns { limit, state: None, queue: Some("queue") }).concat()
    }

    #[test]
    fn jobs_that_timed_out_prove_a_unit() {
        let mut counts = Counts::default();
        // Four of ten jobs run longer than their limit; three of them timed out after 2 hours.
        for (run_s, limit_s, has_timed_out) in
            [(7203, 120, true), (7200, 120, true), (7290, 120, true), (150, 120, false)]
        {
            counts.limits.add(LimitedJob { run_s, limit_s, procs: 1, has_timed_out });
        }
        for _ in 0..6 {
            counts.limits.add(LimitedJob { run_s: 10, limit_s: 120, procs: 1, has_timed_out: false });
        }
        let found = noted(&counts);
        assert!(found.contains("it counts minutes, as 3 of 3 jobs that timed out"), "{found}");
    }

    #[test]
    fn limits_that_were_used_and_queues_that_are_waits_are_noticed() {
        for (factor, what) in [(1, "the job's run time, so"), (4, "run time times its processors")] {
            let mut counts = Counts::default();
            for run_s in 10..30 {
                counts.limits.add(LimitedJob {
                    run_s,
                    limit_s: factor * run_s,
                    procs: 4,
                    has_timed_out: false,
                });
                counts.add_queue(Some(run_s as f64), run_s + factor - 1);
            }
            let found = noted(&counts);
            assert!(found.contains(what), "{found}");
            assert_eq!(found.contains("is the wait time of all 20 jobs"), factor == 1, "{found}");
        }
    }

    #[test]
    fn limits_in_another_unit_are_noticed() {
        let note = |jobs: &[(i64, i64)]| {
            let mut counts = Counts::default();
            for &(run_s, limit_s) in jobs {
                counts.limits.add(LimitedJob { run_s, limit_s, ..LimitedJob::default() });
            }
            noted(&counts)
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
