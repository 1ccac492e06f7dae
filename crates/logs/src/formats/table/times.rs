//! Times of one row: consistency checks, and one rounding per instant.
//!
//! A row needs a submission, a start and an end, or durations that imply them. All are summed to the
//! microsecond. Then each instant is rounded to seconds, half a second up; wait and run time are differences
//! of rounded instants. So consecutive jobs on the same nodes never overlap.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "instants are below 10^11 s and durations at most 2^40 s, so that sums of microseconds are in \
         range"
)]

use super::counts::Counts;
use super::field::{COUNT, FIELDS, Kind};
use super::{Delimiter, Table};
use crate::error::TraceError;
use crate::formats::format::{LineParser, Preview};
use crate::times::{DateOrder, Instant, numbers_of_date, rounded_s};

/// Times of a row, to the microsecond; `None` if missing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) submit: Option<Instant>,
    pub(super) start: Option<Instant>,
    pub(super) end: Option<Instant>,
    pub(super) wait_us: Option<i64>,
    pub(super) run_us: Option<i64>,
}

/// Times of a record, in seconds; `None` if unknown.
#[expect(clippy::struct_field_names, reason = "units stand in names")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordTimes {
    pub(super) submit_s: Option<i64>,
    pub(super) wait_s: Option<i64>,
    pub(super) run_s: Option<i64>,
}

/// Durations that differ by less than this agree: programs round or cut each time by itself.
const SLACK_US: i64 = 2_000_000;
/// The tolerance for instants without seconds.
const SLACK_OF_MINUTES_US: i64 = 62_000_000;

impl Times {
    pub(super) fn instant_mut(&mut self, kind: Kind) -> &mut Option<Instant> {
        match kind {
            Kind::Submit => &mut self.submit,
            Kind::Start => &mut self.start,
            _ => &mut self.end,
        }
    }

    /// Returns the instants that the row has.
    pub(super) fn instants(&self) -> impl Iterator<Item = Instant> {
        [self.submit, self.start, self.end].into_iter().flatten()
    }

    /// Drops the instants that are the beginning of 1970.
    pub(super) fn drop_epochs(&mut self) {
        for instant in [&mut self.submit, &mut self.start, &mut self.end] {
            *instant = instant.filter(|instant| !instant.is_epoch());
        }
    }

    /// Returns the times of the record, and counts oddities. `has_starts` is true if the table has a start
    /// column; a job without a start then never started.
    pub(super) fn settle(mut self, has_starts: bool, counts: &mut Counts) -> RecordTimes {
        self.count_contradictions(counts);
        let micros = |instant: Option<Instant>| instant.map(|instant| instant.micros);
        let (mut submit, start, end) = (micros(self.submit), micros(self.start), micros(self.end));
        let has_run = self.run_us.is_some_and(|run_us| run_us > 0);
        if has_starts && start.is_none() && !has_run {
            counts.never_started += 1;
            self.wait_us = None;
            self.run_us = None;
        }
        let from_end = || Some(end? - self.run_us?);
        let from_submit = || Some(submit? + self.wait_us?);
        let start = start.or_else(from_submit).or_else(from_end);
        let end = end.or_else(|| Some(start? + self.run_us?));
        counts.unended += u64::from(start.is_some() && end.is_none());
        if submit.is_none() && start.is_some() {
            submit = start.map(|start| start - self.wait_us.unwrap_or(0));
            counts.starts_as_submits += u64::from(self.wait_us.is_none());
        }
        if start.zip(submit).is_some_and(|(start, submit)| start < submit) {
            counts.early_starts += 1;
            submit = start;
        }
        let [submit_s, start_s, end_s] = [submit, start, end].map(|micros| micros.map(rounded_s));
        let mut run_s = end_s.zip(start_s).map(|(end_s, start_s)| end_s - start_s);
        if let (Some(start), Some(end)) = (start, end) {
            counts.vanished += u64::from(end > start && run_s == Some(0));
            counts.early_ends += u64::from(end < start);
        }
        if run_s.is_some_and(|run_s| run_s < 0) {
            run_s = Some(-1);
        }
        RecordTimes {
            submit_s,
            wait_s: start_s.zip(submit_s).map(|(start_s, submit_s)| start_s - submit_s),
            run_s,
        }
    }

    /// Counts a row whose wait or run time contradicts its instants, which take precedence.
    fn count_contradictions(&self, counts: &mut Counts) {
        let differs = |from: Option<Instant>, to: Option<Instant>, length_us: Option<i64>| {
            let (Some(from), Some(to), Some(length_us)) = (from, to, length_us) else { return false };
            let is_coarse = from.has_minutes_only || to.has_minutes_only;
            let slack_us = if is_coarse { SLACK_OF_MINUTES_US } else { SLACK_US };
            (to.micros - from.micros - length_us).abs() >= slack_us && to.micros >= from.micros
        };
        counts.other_waits += u64::from(differs(self.submit, self.start, self.wait_us));
        counts.other_runs += u64::from(differs(self.start, self.end, self.run_us));
    }
}

// Finds the order of day and month in a table by a look at its dates before the first row is read.
//
// `05/04/2024` may be 4 May or 5 April. One date such as `13/05/2024` fixes the order for all rows of its
// column, also for earlier rows.

/// The order of day and month in a column, and a date that decides it.
struct DecidedOrder {
    order: DateOrder,
    example: String,
}

impl Table {
    /// Reads rows until every date column is decided, the dates prove unambiguous, or the table ends. Columns
    /// with ambiguous dates only follow the other columns.
    pub(super) fn find_orders(&mut self, lines: Preview<'_>) -> Result<(), TraceError> {
        if self.options.clock.order.is_some() {
            return Ok(());
        }
        let (mut is_either, mut decided) = (false, [const { None }; COUNT]);
        while let Some(line) = lines()? {
            if line.trim_ascii_start().starts_with(b"#") && self.has_begun {
                continue;
            }
            if !self.has_begun {
                match self.start(&line) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(_) if line.trim_ascii_start().starts_with(b"#") => continue,
                    // The reading itself reports the problem.
                    Err(_) => break,
                }
            }
            if line.trim_ascii_start().starts_with(b";") && !self.has_semicolons() {
                continue;
            }
            // The reading itself reports a stray quote.
            if self.split(&line) != Ok(true) || self.is_heading_again(&line) {
                continue;
            }
            let has_fixed = self.look_at_dates(&mut is_either, &mut decided);
            if has_fixed && !is_either || self.are_all(&decided) {
                break;
            }
        }
        self.partial.clear();
        self.rows_over_lines = 0;
        (self.has_begun, self.delimiter) = (false, self.options.delimiter.unwrap_or(Delimiter::Blanks));
        let mut found = decided.iter().flatten();
        let Some(first) = found.next() else { return Ok(()) };
        let (first, example) = (first.order, &first.example);
        let all_have = |order: DateOrder| decided.iter().flatten().all(|other| other.order == order);
        if all_have(first) {
            self.orders = [Some(first); COUNT];
            let (order, number) = match first {
                DateOrder::DayFirst => ("day", "first"),
                DateOrder::MonthFirst => ("month", "second"),
            };
            self.order_notes.push(format!(
                "dates are read with the {order} first: the {number} number of {example} is no month; \
                     --dates to choose"
            ));
        } else {
            self.orders = decided.map(|decided| decided.map(|decided| decided.order));
            self.order_notes.push("the order of day and month differs among the columns of dates".to_owned());
        }
        Ok(())
    }

    /// Looks at the dates of a row. Returns true if one of its instants is unambiguous or no date.
    fn look_at_dates(&self, is_either: &mut bool, decided: &mut [Option<DecidedOrder>; COUNT]) -> bool {
        let mut has_fixed = false;
        for (field, _) in FIELDS.iter().enumerate().filter(|(_, row)| row.kind.is_instant()) {
            let Some(cell) = self.cell(field) else { continue };
            if self.is_missing(cell) {
                continue;
            }
            match numbers_of_date(cell) {
                None => has_fixed = true,
                Some([first, second]) => {
                    *is_either = true;
                    let order = match (first > 12, second > 12) {
                        (true, false) => DateOrder::DayFirst,
                        (false, true) => DateOrder::MonthFirst,
                        _ => continue,
                    };
                    let example = || String::from_utf8_lossy(cell).chars().take(10).collect();
                    decided[field].get_or_insert_with(|| DecidedOrder { order, example: example() });
                }
            }
        }
        has_fixed
    }

    /// Returns true if the order is known for every column of instants.
    fn are_all(&self, decided: &[Option<DecidedOrder>; COUNT]) -> bool {
        let instants = FIELDS.iter().enumerate().filter(|(_, row)| row.kind.is_instant());
        instants
            .filter(|(field, _)| self.layout.columns[*field].is_some())
            .all(|(field, _)| decided[field].is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "times of a row may be missing")]
    fn at(micros: i64) -> Option<Instant> {
        Some(Instant { micros, is_date: false, has_minutes_only: false })
    }

    #[test]
    fn every_sufficient_subset_gives_the_same_times() {
        // 0.6, 10.5 and 15.4 s: the wait is 9.9 and the run 4.9 s.
        let all = Times {
            submit: at(600_000),
            start: at(10_500_000),
            end: at(15_400_000),
            wait_us: Some(9_900_000),
            run_us: Some(4_900_000),
        };
        let expected = RecordTimes { submit_s: Some(1), wait_s: Some(10), run_s: Some(4) };
        for subset in [
            all,
            Times { wait_us: None, run_us: None, ..all },
            Times { start: None, end: None, ..all },
            Times { start: None, run_us: None, ..all },
            Times { start: None, wait_us: None, ..all },
            Times { submit: None, end: None, ..all },
            Times { submit: None, run_us: None, ..all },
            Times { submit: None, start: None, ..all },
            Times { wait_us: None, end: None, ..all },
        ] {
            let mut counts = Counts::default();
            assert_eq!(subset.settle(subset.start.is_some(), &mut counts), expected, "{subset:?}");
            assert_eq!(counts, Counts::default(), "{subset:?}");
        }
    }

    #[test]
    fn what_is_odd_is_counted() {
        let counted = |times: Times, has_starts: bool| {
            let mut counts = Counts::default();
            (times.settle(has_starts, &mut counts), counts)
        };
        let times =
            Times { submit: at(0), start: at(60_000_000), end: at(3_660_000_000), ..Times::default() };
        let (settled, counts) =
            counted(Times { wait_us: Some(1_000_000), run_us: Some(60_000_000), ..times }, true);
        assert_eq!((settled.wait_s, settled.run_s), (Some(60), Some(3600)));
        assert_eq!(counts, Counts { other_waits: 1, other_runs: 1, ..Counts::default() });
        let (settled, counts) =
            counted(Times { submit: at(0), end: at(9_000_000), ..Times::default() }, true);
        assert_eq!(settled, RecordTimes { submit_s: Some(0), ..RecordTimes::default() });
        assert_eq!(counts, Counts { never_started: 1, ..Counts::default() });
        let (settled, counts) = counted(Times { end: None, ..times }, true);
        assert_eq!((settled.wait_s, settled.run_s), (Some(60), None));
        assert_eq!(counts, Counts { unended: 1, ..Counts::default() });
        let (settled, counts) = counted(Times { end: at(60_300_000), ..times }, true);
        assert_eq!((settled.run_s, counts), (Some(0), Counts { vanished: 1, ..Counts::default() }));
        let (settled, counts) = counted(Times { submit: at(70_000_000), ..times }, true);
        assert_eq!((settled.submit_s, settled.wait_s), (Some(60), Some(0)));
        assert_eq!(counts, Counts { early_starts: 1, ..Counts::default() });
        let (settled, counts) = counted(Times { end: at(50_000_000), ..times }, true);
        assert_eq!((settled.run_s, counts), (Some(-1), Counts { early_ends: 1, ..Counts::default() }));
    }
}
