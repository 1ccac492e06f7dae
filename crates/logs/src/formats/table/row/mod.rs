//! Makes a record of the cells of one line.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "instants are below 10^11 s and durations at most 2^40 s, so that sums of microseconds are in \
         range; casts of numbers with fractions clamp"
)]

use super::Table;
use super::counts::{Counts, LimitedJob};
use super::field::{FIELDS, Kind, sides};
use super::layout::Layout;
use super::times::Times;
use crate::error::Problem;
use crate::fields::parsed;
use crate::formats::batch::number_of_task;
use crate::formats::format::Parsed;
use crate::formats::slurm::{Fate, fate};
use crate::names::NameKind;
use crate::nodes::NO_NODES;
use crate::record::{CPU, FIELDS as FIELDS_OF_SWF, Record};
use crate::status::{CANCELLED, COMPLETED, FAILED, UNKNOWN};
use crate::times::{
    ExactDuration, Instant, InstantError, Pair, TimeUnit, exact_duration, has_fraction, is_missing, rounded_s,
};

/// Slurm's numbers for *infinite* and *no value* start here.
const SLURM_NO_LIMIT: f64 = 4_294_967_294.0;

/// The values of one line.
struct LineValues {
    /// The fields of the record. Names and times are not among them yet.
    pub(super) fields: [i64; FIELDS_OF_SWF],
    average_cpu_s: f64,
    pub(super) times: Times,
    sides: Option<[u32; 3]>,
    /// Whether the job was ended at its time limit.
    has_timed_out: bool,
    pub(super) counts: Counts,
}

impl Table {
    /// Returns the record of the cells. If the result is a problem, nothing has changed.
    pub(super) fn row(&mut self) -> Result<Parsed, Problem> {
        let counts = self.options.clock.counts;
        let mut row = LineValues {
            fields: [-1; FIELDS_OF_SWF],
            average_cpu_s: -1.0,
            times: Times::default(),
            sides: None,
            has_timed_out: false,
            counts: self.counts,
        };
        row.fields[0] = self.jobs + 1;
        let read = self
            .check_end()
            .and_then(|()| (0..FIELDS.len()).try_for_each(|field| self.read(field, &mut row)));
        if let Err(problem) = read.and_then(|()| self.check_origin(&mut row)) {
            self.options.clock.counts = counts;
            return Err(problem);
        }
        self.jobs += 1;
        let mut nodes = None;
        for (field, known) in FIELDS.iter().enumerate() {
            let Some(cell) = self.cell(field) else { continue };
            match known.kind {
                Kind::Name(PARTITION) if self.clusters.is_each() => {}
                Kind::Cluster if self.clusters.is_each() => row.fields[PARTITION] = self.cluster(),
                Kind::Name(index) => row.fields[index] = self.name(field, index),
                Kind::Nodes
                    if !self.is_missing(cell) && !NO_NODES.iter().any(|none| none.as_bytes() == cell) =>
                {
                    let cell = cell.to_vec();
                    nodes = self.names.nodes(&cell);
                }
                _ => {}
            }
        }
        for instant in row.times.instants() {
            let time_s = rounded_s(instant.micros);
            self.span_s = Some(self.span_s.map_or((time_s, time_s), |(a, b)| (a.min(time_s), b.max(time_s))));
        }
        if self.has_unix_times.is_none() {
            self.has_unix_times = row.times.instants().next().map(Instant::is_absolute);
        }
        row.settle(self.layout.column(Kind::Start).is_some());
        let queue = self.layout.column(Kind::Name(QUEUE)).and_then(|column| self.cells.get(column));
        row.counts.add_queue(queue.and_then(number), row.fields[WAIT]);
        self.counts = row.counts;
        let known = self.layout.names.len();
        let surplus = if known > 0 { self.cells.count().saturating_sub(known) } else { 0 };
        let record = Record { sides: row.sides, nodes, ..Record::from_fields(row.fields, row.average_cpu_s) };
        Ok(Parsed::Record(record, surplus))
    }

    /// Fails if the line has more cells than the heading. Delimiters at the end of the line alone are no
    /// cells.
    fn check_end(&self) -> Result<(), Problem> {
        let Some(known) = self.heading_cells.filter(|known| self.cells.count() > *known) else {
            return Ok(());
        };
        let surplus =
            |column| self.cells.get(column).filter(|cell| !cell.is_empty()).map(|cell| (column, cell));
        let Some((column, cell)) = (known + 1..=self.cells.count()).find_map(surplus) else { return Ok(()) };
        let expected = "the end of the line, as the heading has fewer columns; a cell with the delimiter in \
             it needs double quotes";
        Err(Problem::column(column, "beyond the heading", cell, expected))
    }

    /// Returns the number of the cluster of the row among the partitions.
    fn cluster(&mut self) -> i64 {
        let Some(cell) = self.layout.column(Kind::Cluster).and_then(|column| self.cells.get(column)) else {
            return -1;
        };
        let cell = cell.to_vec();
        self.names.known_number(NameKind::Partition, &cell)
    }

    /// Drops epoch instants in a table of absolute times: they are unknown. Fails if instants count from
    /// different origins.
    fn check_origin(&self, row: &mut LineValues) -> Result<(), Problem> {
        let is_absolute = self.has_unix_times == Some(true) || row.times.instants().any(Instant::is_absolute);
        if is_absolute {
            row.times.drop_epochs();
        }
        let is_other =
            |instant: &Option<Instant>| instant.is_some_and(|instant| instant.is_absolute() != is_absolute);
        let kinds = [Kind::Submit, Kind::Start, Kind::End];
        let Some(kind) = kinds.into_iter().find(|&kind| is_other(row.times.instant_mut(kind))) else {
            return Ok(());
        };
        let field = FIELDS.iter().position(|field| field.kind == kind).unwrap_or_default();
        let column = self.layout.columns[field].unwrap_or_default();
        let expected = if is_absolute {
            "a time that counts from 1970, as other times of this table do; leave a column of another \
             beginning out, such as by start=none, or say that it is a duration, such as by wait=COLUMN"
        } else {
            "a time that counts from the beginning of the log, as other times of this table do; leave a \
             column of another beginning out, such as by start=none"
        };
        Err(Problem::Rule(Box::new(self.malformed(field, column, expected))))
    }

    /// Returns the cell of a field; `None` if no column has the field or the line is too short.
    pub(super) fn cell(&self, field: usize) -> Option<&[u8]> {
        self.cells.get(self.layout.columns[field]?)
    }

    /// Returns whether a cell stands for a missing value.
    pub(super) fn is_missing(&self, cell: &[u8]) -> bool {
        is_missing(cell)
            || self.layout.is_condor_table && cell == b"undefined"
            || self.options.missing.iter().any(|word| word.as_bytes() == cell)
    }

    /// Returns the number of a name field: −1 if missing; negative numbers stay unchanged.
    fn name(&mut self, field: usize, index: usize) -> i64 {
        const KINDS: [NameKind; 5] =
            [NameKind::User, NameKind::Group, NameKind::Executable, NameKind::Queue, NameKind::Partition];
        let Some(cell) = self.cell(field) else { return -1 };
        if self.is_missing(cell) {
            return -1;
        }
        let negative = cell.starts_with(b"-").then(|| number(cell)).flatten();
        if let Some(value) = negative.filter(|value| *value < 0.0) {
            return value.round() as i64;
        }
        let cell = cell.to_vec();
        self.names.number(KINDS[index - 11], &cell)
    }

    /// Reads the cell of a field, unless that is a name.
    fn read(&mut self, field: usize, row: &mut LineValues) -> Result<(), Problem> {
        let layout = &self.layout;
        let Some(column) = layout.columns[field] else { return Ok(()) };
        let Some(cell) = self.cells.get(column) else {
            return Err(Problem::TooFewFields { found: self.cells.count(), expected: column });
        };
        let kind = FIELDS[field].kind;
        if matches!(kind, Kind::Name(_) | Kind::Nodes | Kind::Cluster) || self.is_missing(cell) {
            return Ok(());
        }
        let read = match kind {
            Kind::Name(_) | Kind::Nodes | Kind::Cluster => Ok(()),
            Kind::Job => {
                row.read_job(cell);
                Ok(())
            }
            Kind::Number(CPU) => number(cell).map(|value| row.average_cpu_s = value).ok_or("a number"),
            Kind::Number(index) | Kind::Procs(index) => row.read_number(index, cell),
            Kind::Status => {
                row.read_status(cell, layout);
                Ok(())
            }
            Kind::Shape => sides(cell).map(|sides| row.sides = sides).ok_or("sides such as 4x4x2"),
            Kind::Duration(_)
                if layout.is_slurm_table && number(cell).is_some_and(|value| value >= SLURM_NO_LIMIT) =>
            {
                Ok(())
            }
            Kind::Duration(index) => row.read_duration(index, cell, layout.unit(field), self.options.pair),
            Kind::Submit | Kind::Start | Kind::End if cell == b"-1" => {
                *row.times.instant_mut(kind) = None;
                Ok(())
            }
            Kind::Submit | Kind::Start | Kind::End => {
                // Times that occur twice, as clocks are put back, are in the order that the life of a job
                // has.
                let earlier = match kind {
                    Kind::Start => row.times.submit,
                    Kind::End => row.times.start.or(row.times.submit),
                    _ => None,
                };
                let order = self.orders[field].or(self.options.clock.order);
                let earlier_us = earlier.map(|instant| instant.micros);
                let unit = layout.unit(field);
                match self.options.clock.exact_instant_after(cell, unit, order, earlier_us) {
                    Ok(instant) => *row.times.instant_mut(kind) = instant,
                    Err(error @ (InstantError::Order(_) | InstantError::TooLarge)) => {
                        let problem = self.malformed(field, column, error.expected());
                        return Err(Problem::Rule(Box::new(problem)));
                    }
                    Err(error) => return Err(self.malformed(field, column, error.expected())),
                }
                Ok(())
            }
        };
        read.map_err(|expected| self.malformed(field, column, expected))
    }
}

impl LineValues {
    /// Reads a job number: the digits at the start. Without digits, the default number stays.
    fn read_job(&mut self, cell: &[u8]) {
        if let Some(value) = number(cell) {
            self.fields[0] = value.round() as i64;
            return;
        }
        if let Some(number) = task(cell) {
            self.fields[0] = number;
            return;
        }
        let length = cell.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if let Some(value) = parsed(&cell[..length]) {
            self.counts.cut_numbers += 1;
            self.fields[0] = value;
        }
    }

    /// Reads a number. The error describes the expected text.
    fn read_number(&mut self, index: usize, cell: &[u8]) -> Result<(), &'static str> {
        let value = number(cell).ok_or("a number")?;
        self.counts.rounded_numbers += u64::from(value.fract() != 0.0);
        self.fields[index] = value.round() as i64;
        Ok(())
    }

    /// Reads how the job ended: a word, or a number of the Standard Workload Format, Slurm or `HTCondor`.
    fn read_status(&mut self, cell: &[u8], layout: &Layout) {
        if let Some(value) = number(cell) {
            let number = value.round() as i64;
            let is_other = layout.is_slurm_table || layout.is_condor_table;
            self.counts.numeric_states += u64::from(!is_other);
            self.fields[10] = match number {
                number if layout.is_slurm_table => status_of_slurm(number).unwrap_or(-1),
                number if layout.is_condor_table => status_of_condor(number),
                number => number,
            };
            return;
        }
        self.has_timed_out = is_timeout(cell);
        let status = status(&String::from_utf8_lossy(cell));
        self.counts.odd_words += u64::from(status.is_none());
        self.fields[10] = status.unwrap_or(-1);
    }

    /// Reads a duration. The error describes the expected text.
    fn read_duration(
        &mut self,
        index: usize,
        cell: &[u8],
        plain: &TimeUnit,
        pair: Option<Pair>,
    ) -> Result<(), &'static str> {
        if pair.is_none() && !cell.contains(&b'-') && cell.split(|&byte| byte == b':').count() == 2 {
            return Err(
                "hours, minutes and seconds, or the parameter colon=minutes-seconds or colon=hours-minutes",
            );
        }
        match exact_duration(cell, plain, pair.unwrap_or(Pair::HoursMinutes)) {
            Ok(ExactDuration::Micros(micros)) => {
                self.counts.plain_numbers[index] |= number(cell).is_some();
                self.counts.rounded += u64::from(has_fraction(micros));
                self.fields[index] = rounded_s(micros);
                match index {
                    WAIT => self.times.wait_us = Some(micros),
                    RUN => self.times.run_us = Some(micros),
                    _ => {}
                }
            }
            Ok(ExactDuration::Unlimited) => self.counts.unlimited += 1,
            Ok(ExactDuration::Missing) => {}
            // Negative numbers are odd; keep them unchanged.
            Err(expected) => match number(cell).filter(|value| *value < 0.0) {
                Some(value) => self.fields[index] = value.round() as i64,
                // A clock was set back while the job ran. The start and the end count, if they are known.
                None if is_negative(cell, plain) => {}
                None => return Err(expected),
            },
        }
        Ok(())
    }

    /// Sets the submit, wait and run times of the record. `has_starts` is true if a column holds starts.
    fn settle(&mut self, has_starts: bool) {
        let settled = self.times.settle(has_starts, &mut self.counts);
        self.fields[1] = settled.submit_s.unwrap_or(-1);
        self.fields[WAIT] = settled.wait_s.unwrap_or(self.fields[WAIT]);
        self.fields[RUN] = settled.run_s.unwrap_or(self.fields[RUN]);
        let job = LimitedJob {
            run_s: self.fields[RUN],
            limit_s: self.fields[LIMIT],
            procs: self.fields[PROCS],
            has_timed_out: self.has_timed_out,
        };
        self.counts.limits.add(job);
    }
}

/// Returns true for a duration with a minus before it, such as `-00:00:16`.
fn is_negative(cell: &[u8], plain: &TimeUnit) -> bool {
    let rest = cell.strip_prefix(b"-");
    rest.is_some_and(|rest| {
        matches!(exact_duration(rest, plain, Pair::HoursMinutes), Ok(ExactDuration::Micros(_)))
    })
}

/// Returns the number of a task of an array, such as `123_4` or `123[4]`; `None` for other texts.
fn task(cell: &[u8]) -> Option<i64> {
    let (array, index) = std::str::from_utf8(cell).ok()?.split_once(['_', '['])?;
    number_of_task(array.parse().ok()?, index.strip_suffix(']').unwrap_or(index).parse().ok()?)
}

/// The places of the wait time and the run time in a record, from 0.
const WAIT: usize = 2;
const RUN: usize = 3;
/// The places of other fields, from 0.
const PROCS: usize = 4;
const LIMIT: usize = 8;
const QUEUE: usize = 14;
const PARTITION: usize = 15;

/// Returns a number. Values below 9·10¹⁸ stay in the range of an `i64` when they are rounded.
fn number(cell: &[u8]) -> Option<f64> {
    let value: f64 = parsed(cell)?;
    (value.is_finite() && value.abs() < 9e18).then_some(value)
}

/// Words of other systems than Slurm, with the status of the Standard Workload Format.
const WORDS: [(&str, i64); 22] = [
    ("complete", COMPLETED),
    ("completed_successfully", COMPLETED),
    ("pass", COMPLETED),
    ("passed", COMPLETED),
    ("success", COMPLETED),
    ("succeeded", COMPLETED),
    ("finished", COMPLETED),
    ("done", COMPLETED),
    ("ok", COMPLETED),
    ("true", COMPLETED),
    ("completed_failed", FAILED),
    ("completed_walltime_reached", FAILED),
    ("completed_killed", FAILED),
    ("failure", FAILED),
    ("fail", FAILED),
    ("false", FAILED),
    ("error", FAILED),
    ("exited", FAILED),
    ("canceled", CANCELLED),
    ("killed", CANCELLED),
    ("rejected", UNKNOWN),
    ("aborted", FAILED),
];

/// Slurm's numbers for the states of jobs, from 0 on: pending, running, suspended, completed, cancelled,
/// failed, timeout, node failure, preempted, boot failure, deadline, out of memory. Some tables, such as the
/// `job_table` of slurmdbd, have them in place of words.
const STATES: [i64; 12] =
    [UNKNOWN, UNKNOWN, UNKNOWN, COMPLETED, CANCELLED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED];

/// Returns the SWF status for Slurm's number of a state; `None` if unknown.
fn status_of_slurm(state: i64) -> Option<i64> {
    STATES.get(usize::try_from(state).ok()?).copied()
}

/// Returns the SWF status for `HTCondor`'s number of a state (`JobStatus`): 3 is removed, 4 completed. In all
/// other states a job has not ended.
fn status_of_condor(state: i64) -> i64 {
    match state {
        3 => CANCELLED,
        4 => COMPLETED,
        _ => UNKNOWN,
    }
}

/// Returns true for the word of a job that was ended at its time limit.
fn is_timeout(cell: &[u8]) -> bool {
    [&b"TIMEOUT"[..], b"COMPLETED_WALLTIME_REACHED"].iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Returns the SWF status for a batch system's word, in any case: 1 completed, 0 failed (also by its time
/// limit or its node), 5 cancelled, −1 not ended. `None` for an unknown word. Only the first word counts, as
/// in `CANCELLED by 1000`. Known are Slurm's words, without its ambiguous two-letter codes, and some of other
/// systems.
pub(super) fn status(text: &str) -> Option<i64> {
    let word = text.split(' ').next().unwrap_or_default().to_ascii_uppercase();
    match fate(word.as_bytes()) {
        Fate::Ended(status) if word.len() > 3 => Some(status),
        Fate::Waits | Fate::Runs if word.len() > 3 => Some(UNKNOWN),
        _ => {
            let word = word.trim_end_matches('+');
            WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|&(_, status)| status)
        }
    }
}

#[cfg(test)]
mod status_tests {
    use super::*;

    #[test]
    fn words_have_numbers() {
        for (word, number) in [
            ("COMPLETED", Some(1)),
            ("CANCELLED by 1000", Some(5)),
            ("CANCELLED+", Some(5)),
            ("out_of_me+", Some(0)),
            ("Done+", Some(1)),
            ("TIMEOUT", Some(0)),
            ("RUNNING", Some(-1)),
            ("Out_of_memory", Some(0)),
            ("Canceled", Some(5)),
            ("done", Some(1)),
            ("pending", Some(-1)),
            ("F", None),
            ("odd", None),
        ] {
            assert_eq!(status(word), number, "{word}");
        }
    }
}

#[cfg(test)]
mod tests;
