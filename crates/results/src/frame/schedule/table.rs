//! The rows of a table as jobs: of our own `jobs` frame, or of the table of jobs that Batsim writes.

use std::collections::BTreeMap;
use std::path::Path;

use polars_core::prelude::{Column, DataFrame, DataType, PolarsError};

use super::{ScheduleError, Selection};
use crate::frame::origin::Origin;
use crate::frame::table::Replication;
use meshreplay_base::job::Time;
use meshreplay_machine::machine::parse_intervals;
use meshreplay_study::audit::{Schedule, ScheduledJob};

/// A table with the name of its file for messages.
pub(super) struct ScheduleTable<'a> {
    pub(super) path: &'a Path,
    pub(super) frame: &'a DataFrame,
    /// The row of the file, from 0, with which the frame begins.
    pub(super) first_row: usize,
    pub(super) origin: Option<&'a Origin>,
}

impl ScheduleTable<'_> {
    /// Returns a column of the table. Fails if there is none.
    pub(super) fn column(&self, name: &'static str) -> Result<&Column, ScheduleError> {
        let missing = |_| ScheduleError::NoColumn { path: self.path.to_owned(), column: name };
        self.frame.column(name).map_err(missing)
    }

    /// Returns whether the table has this column.
    pub(super) fn has(&self, name: &str) -> bool {
        self.frame.column(name).is_ok()
    }

    /// Returns the error for a file with content that cannot be read as a table.
    fn no_table(&self, source: PolarsError) -> ScheduleError {
        ScheduleError::NoTable { path: self.path.to_owned(), source }
    }

    /// Returns the error for a value that does not have the expected form.
    fn unexpected(&self, row: usize, column: &'static str, expected: &'static str) -> ScheduleError {
        let texts = self.texts(column).unwrap_or_default();
        let found = texts.get(row).filter(|text| !text.is_empty());
        let found = found.map_or_else(|| "nothing".to_owned(), |text| format!("'{text}'"));
        ScheduleError::Value {
            path: self.path.to_owned(),
            row: self.first_row + row + 1,
            column,
            found,
            expected,
        }
    }

    fn numbers(&self, name: &'static str) -> Result<Numbers<'_>, ScheduleError> {
        let numbers = self.column(name)?.cast(&DataType::Float64).map_err(|error| self.no_table(error))?;
        let values = numbers.f64().map_err(|error| self.no_table(error))?.iter().collect();
        Ok(Numbers { table: self, name, values })
    }

    /// Returns the whole numbers of a column without rounding, because seeds may have more digits than an
    /// `f64` keeps. A missing number is `None`.
    fn whole(&self, column: &Column) -> Result<Vec<Option<u64>>, ScheduleError> {
        let numbers = column.cast(&DataType::UInt64).map_err(|error| self.no_table(error))?;
        Ok(numbers.u64().map_err(|error| self.no_table(error))?.iter().collect())
    }

    /// Returns the texts of a column. A missing text is empty.
    fn texts(&self, name: &'static str) -> Result<Vec<String>, ScheduleError> {
        let texts = self.column(name)?.cast(&DataType::String).map_err(|error| self.no_table(error))?;
        let texts = texts.str().map_err(|error| self.no_table(error))?;
        Ok(texts.iter().map(|text| text.unwrap_or_default().to_owned()).collect())
    }

    /// Returns the intervals of nodes in a row; `None` if `texts`, the values of the column, is an empty
    /// list.
    fn nodes(&self, name: &'static str, row: usize, texts: &[String]) -> Result<Nodes, ScheduleError> {
        let Some(text) = texts.get(row) else { return Ok(None) };
        let nodes = parse_intervals(text);
        nodes.map(Some).map_err(|_| self.unexpected(row, name, "intervals of nodes such as 0-3 7"))
    }

    /// Returns the number, the name and the seed of a schedule as text for messages.
    fn label(&self, Replication { replay, seed }: &Replication) -> String {
        let name = self.origin.map(|origin| origin.label(*replay as usize)).unwrap_or_default();
        if name.is_empty() {
            format!("{replay}, seed {seed}")
        } else {
            format!("{replay} ({name}), seed {seed}")
        }
    }

    /// Returns the replay number and the seed of the schedule that each row belongs to. A table without these
    /// columns has number 0 and seed 0.
    fn known(&self) -> Result<Vec<Replication>, ScheduleError> {
        let of = |name: &'static str| match self.frame.column(name) {
            Ok(column) => self.whole(column),
            Err(_) => Ok(vec![None; self.frame.height()]),
        };
        let (replays, seeds) = (of("replay")?, of("seed")?);
        let numbers = replays.into_iter().zip(seeds);
        let of_row = |(replay, seed): (Option<u64>, Option<u64>)| Replication {
            replay: replay.unwrap_or_default(),
            seed: seed.unwrap_or_default(),
        };
        Ok(numbers.map(of_row).collect())
    }

    /// Adds to `known` how many rows each schedule has.
    pub(super) fn count_known(&self, known: &mut BTreeMap<Replication, u64>) -> Result<(), ScheduleError> {
        for of in self.known()? {
            *known.entry(of).or_default() += 1;
        }
        Ok(())
    }

    pub(super) fn rows_of(&self, one: Replication) -> Result<Vec<usize>, ScheduleError> {
        let known = self.known()?;
        Ok((0..known.len()).filter(|&row| known[row] == one).collect())
    }

    /// Returns the replay number and the seed of the selected one of the schedules that are `known`.
    pub(super) fn select(
        &self,
        known: &BTreeMap<Replication, u64>,
        selection: Selection,
    ) -> Result<Replication, ScheduleError> {
        let wanted = |one: &Replication| {
            selection.replay.is_none_or(|wanted| u64::from(wanted) == one.replay)
                && selection.seed.is_none_or(|wanted| wanted == one.seed)
        };
        let chosen: Vec<Replication> = known.keys().copied().filter(wanted).collect();
        let path = self.path.to_owned();
        match chosen.as_slice() {
            [one] => Ok(*one),
            [] => Err(ScheduleError::None { path, known: known.keys().map(|one| self.label(one)).collect() }),
            _ => Err(ScheduleError::Several {
                path,
                known: chosen.iter().map(|one| self.label(one)).collect(),
            }),
        }
    }
}

/// The first and the last node of each interval; `None` if the table has no nodes.
type Nodes = Option<Vec<(u32, u32)>>;

/// A column of numbers, which knows its table for messages.
struct Numbers<'a> {
    table: &'a ScheduleTable<'a>,
    name: &'static str,
    /// The numbers; `None` where the value is missing.
    values: Vec<Option<f64>>,
}

impl Numbers<'_> {
    /// Returns the instant or duration in a row. The table states it in seconds.
    fn time(&self, row: usize) -> Result<Time, ScheduleError> {
        let time = self.values[row].and_then(time);
        time.ok_or_else(|| self.table.unexpected(row, self.name, "a number of seconds"))
    }

    /// Returns the whole number in a row.
    fn count(&self, row: usize) -> Result<u32, ScheduleError> {
        let is_count = |count: &f64| (0.0..=f64::from(u32::MAX)).contains(count) && count.fract() == 0.0;
        let count = self.values[row].filter(is_count).map(|count| count as u32);
        count.ok_or_else(|| self.table.unexpected(row, self.name, "a whole number from 0"))
    }
}

/// Returns a number of seconds as an instant or duration, rounded to microseconds; `None` if it is too large.
fn time(seconds: f64) -> Option<Time> {
    const FARTHEST_S: f64 = 9e12;
    (seconds.abs() < FARTHEST_S).then(|| Time::from_micros((seconds * 1e6).round() as i64))
}

/// Returns the jobs in `rows` of our own `jobs` frame.
pub(super) fn ours(table: &ScheduleTable<'_>, rows: &[usize]) -> Result<Vec<ScheduledJob>, ScheduleError> {
    let (submit, start) = (table.numbers("submit_s")?, table.numbers("start_s")?);
    let (end, estimate) = (table.numbers("end_s")?, table.numbers("estimate_s")?);
    // Schedulers planned with the predictions where there are any.
    let predictions = table.has("prediction_s").then(|| table.numbers("prediction_s")).transpose()?;
    let predicted = |row: usize| predictions.as_ref().filter(|numbers| numbers.values[row].is_some());
    let (procs, allocated) = (table.numbers("procs")?, table.numbers("allocated")?);
    let numbers = table.numbers("job")?;
    let moves = table.has("moves").then(|| table.numbers("moves")).transpose()?;
    let nodes = if table.has("nodes") { table.texts("nodes")? } else { Vec::new() };
    let job = |&row: &usize| {
        Ok(ScheduledJob {
            row: (table.first_row + row) as u64 + 1,
            number: numbers.values[row].unwrap_or(0.0) as i64,
            submit: submit.time(row)?,
            start: start.time(row)?,
            end: end.time(row)?,
            estimate: predicted(row).unwrap_or(&estimate).time(row)?,
            procs: procs.count(row)?,
            asked: None,
            allocated: allocated.count(row)?,
            nodes: table.nodes("nodes", row, &nodes)?,
            moved: moves.as_ref().is_some_and(|moves| moves.values[row].unwrap_or(0.0) > 0.0),
        })
    };
    rows.iter().map(job).collect()
}

/// The state of a job that ran to its end, as Batsim names it.
const DONE: &str = "COMPLETED_SUCCESSFULLY";

/// Returns for each row of Batsim's table whether its job never started: it has no start, or one before 0.
/// Fails if a job without a start has ended well, or has no state although the table has states.
fn never_started(table: &ScheduleTable<'_>, start: &Numbers<'_>) -> Result<Vec<bool>, ScheduleError> {
    let starts = table.texts(start.name)?;
    let states = table.has("final_state").then(|| table.texts("final_state")).transpose()?;
    let is_never = |(row, text): (usize, &String)| match start.values[row] {
        Some(seconds) if seconds >= 0.0 => Ok(false),
        None if !text.is_empty() => Err(table.unexpected(row, start.name, "a number of seconds")),
        _ => match states.as_ref().map(|states| states[row].as_str()) {
            Some(DONE) => Err(table.unexpected(row, start.name, "when it started, as it has ended well")),
            Some("") => Err(table.unexpected(row, "final_state", "a state such as REJECTED")),
            _ => Ok(true),
        },
    };
    starts.iter().enumerate().map(is_never).collect()
}

/// Returns the jobs of Batsim's table, sorted by arrival and then by number. Jobs that never started are left
/// out and counted.
pub(super) fn batsim(table: &ScheduleTable<'_>) -> Result<Schedule, ScheduleError> {
    let (submit, start) = (table.numbers("submission_time")?, table.numbers("starting_time")?);
    let (end, estimates) = (table.numbers("finish_time")?, table.numbers("requested_time")?);
    let procs = table.numbers("requested_number_of_resources")?;
    let (ids, places) = (table.texts("job_id")?, table.texts("allocated_resources")?);
    let never_started = never_started(table, &start)?;
    let mut schedule = Schedule::default();
    for (row, id) in ids.iter().enumerate() {
        if never_started[row] {
            schedule.left_out += 1;
            continue;
        }
        // Batsim may write the name of the workload before the number: w0!17.
        let number = id.rsplit('!').next().and_then(|number| number.parse().ok());
        let nodes = table.nodes("allocated_resources", row, &places)?.filter(|nodes| !nodes.is_empty());
        let held: u64 = nodes.iter().flatten().map(|(first, last)| u64::from(last - first) + 1).sum();
        let (start, end, procs) = (start.time(row)?, end.time(row)?, procs.count(row)?);
        // Jobs without a requested time get their run time as estimate.
        let estimate = estimates.values[row].filter(|&seconds| seconds >= 0.0).and_then(time);
        schedule.jobs.push(ScheduledJob {
            row: row as u64 + 1,
            number: number.unwrap_or(row as i64 + 1),
            submit: submit.time(row)?,
            start,
            end,
            estimate: estimate.unwrap_or(end - start),
            procs,
            asked: None,
            allocated: if nodes.is_some() { u32::try_from(held).unwrap_or(u32::MAX) } else { procs },
            nodes,
            moved: false,
        });
    }
    schedule.jobs.sort_by_key(|job| (job.submit, job.number));
    Ok(schedule)
}
