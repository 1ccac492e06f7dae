//! Logs: the first record, to know that there is one, and all of them as a frame.

use meshreplay::cli::embedded::{self, ReplayDraft};
use meshreplay::guest::Guests;
use meshreplay::study::LogSource;
use meshreplay::trace::{self, LogNames, NameKind, Reader, Record};
use polars_core::prelude::{Column, DataFrame, NamedFrom, Series};
use pyo3::prelude::*;

use crate::error::{failure, message};
use crate::frame::Frame;
use crate::table::date;
use crate::wait::wait_for;

/// Opens the log that the arguments `words` of `replay` name and reads its first record, or every record if
/// `whole`. Returns the name of the log and that of its format.
#[pyfunction]
#[pyo3(signature = (words, whole=false))]
pub(crate) fn open_log(py: Python<'_>, words: Vec<String>, whole: bool) -> PyResult<(String, String)> {
    let source = source(&words)?;
    if let Some(model) = &source.model {
        return Ok((source.name.clone(), model.entry().name.to_owned()));
    }
    wait_for(py, move || {
        let mut reader = Reader::open(&source.path, source.read.clone()).map_err(|error| failure(&error))?;
        loop {
            match reader.next_entry().map_err(|error| failure(&error))? {
                None => break,
                Some(trace::LogEntry::Record { .. }) if !whole => break,
                Some(_) => {}
            }
        }
        Ok((source.name, reader.format().name.to_owned()))
    })?
}

/// Returns the records of a log as a frame whose columns are those of the format `table`.
#[pyfunction]
pub(crate) fn records(py: Python<'_>, words: Vec<String>) -> PyResult<Frame> {
    let source = source(&words)?;
    if source.model.is_some() {
        return Err(message(format!(
            "{} is a workload model, which draws its jobs in each replay",
            source.name
        )));
    }
    wait_for(py, move || {
        let mut records = Vec::new();
        let read = trace::read(&source.path, source.read, |record| records.push(*record));
        let summary = read.map_err(|error| failure(&error))?;
        let origin_s = summary.origin_s();
        for record in &mut records {
            record.submit_s -= origin_s;
        }
        let names = summary.names();
        let frame = Frame::new("", frame(&records, &names)?);
        Ok(match names.start() {
            Some((unix_s, _)) => {
                let begin = format!("seconds since the beginning of the log ({} UTC)", date(unix_s));
                frame.with_note("submit_s", "s", begin)
            }
            None => frame,
        })
    })?
}

/// Returns the log that the arguments name.
fn source(words: &[String]) -> PyResult<LogSource> {
    let with = ["--machine=1", "--allocator=naive"].map(str::to_owned);
    let words: Vec<String> = with.into_iter().chain(words.iter().cloned()).collect();
    let ReplayDraft { draft, .. } = embedded::replay_draft(&words, Guests::default()).map_err(message)?;
    draft.logs.into_iter().next().ok_or_else(|| message("no log is given"))
}

/// A column of a frame of records: its name, and the field of a record that it shows.
type Field = (&'static str, fn(&Record) -> i64);

/// The columns of a frame of records. What is unknown is −1 in a record.
const FIELDS: [Field; 13] = [
    ("job", |record| record.job),
    ("submit_s", |record| record.submit_s),
    ("wait_s", |record| record.fields()[2]),
    ("run_s", |record| record.run_s),
    ("procs", |record| record.allocated_procs),
    ("req_procs", |record| record.requested_procs),
    ("req_time", |record| record.fields()[8]),
    ("status", |record| record.status),
    ("user", |record| record.fields()[11]),
    ("account", |record| record.fields()[12]),
    ("app", |record| record.fields()[13]),
    ("queue", |record| record.queue),
    ("partition", |record| record.fields()[15]),
];

/// The columns of texts, as a log may have names for their numbers.
const NAMED: [(&str, NameKind); 5] = [
    ("user", NameKind::User),
    ("account", NameKind::Group),
    ("app", NameKind::Executable),
    ("queue", NameKind::Queue),
    ("partition", NameKind::Partition),
];

/// Returns the frame of `records`. A column that no record fills is left out, except the submit and run
/// times. Users, groups, applications, queues and partitions are texts, as in the jobs of results: a number
/// without a name is its digits.
fn frame(records: &[Record], names: &LogNames) -> PyResult<DataFrame> {
    let column = |(name, field): Field| {
        let values: Vec<Option<i64>> =
            records.iter().map(|record| Some(field(record)).filter(|&v| v != -1)).collect();
        let is_filled = values.iter().any(Option::is_some) || ["submit_s", "run_s"].contains(&name);
        let series = match NAMED.into_iter().find(|(other, _)| *other == name) {
            Some((_, kind)) => {
                let label = |value: &Option<i64>| value.map(|number| names.label(kind, number));
                Series::new(name.into(), values.iter().map(label).collect::<Vec<_>>())
            }
            None => Series::new(name.into(), values),
        };
        is_filled.then(|| Column::from(series))
    };
    let mut columns: Vec<Column> = FIELDS.into_iter().filter_map(column).collect();
    if records.iter().any(|record| record.sides.is_some()) {
        let shape = |record: &Record| record.sides.map(|[x, y, z]| format!("{x}x{y}x{z}"));
        columns.push(Series::new("shape".into(), records.iter().map(shape).collect::<Vec<_>>()).into());
    }
    DataFrame::new_infer_height(columns).map_err(|error| failure(&error))
}
