//! The `summary` frame: one row per replay and seed. Its numbers are the rows of [`METRICS`].

use polars_core::prelude::{Column, DataFrame, NamedFrom, Series};

use super::column::Value::{Added, F64, MaybeF64, Str, U32, U64};
use super::column::{Field, Value, build, has};
use super::{FrameError, frame, name};
use meshreplay_sim::metrics::{ColumnInfo, ColumnType, METRICS, Metric, Number, When};
use meshreplay_study::study::{Options, Outcome, ReplaySpec};

/// One row of the frame: a replication of a replay.
struct SummaryRow<'a> {
    number: u32,
    spec: &'a ReplaySpec,
    outcome: &'a Outcome,
    trim_percent: Option<f64>,
}

/// Returns the columns that identify a replay. They stand before the numbers.
fn before<'a>() -> Vec<Field<SummaryRow<'a>>> {
    vec![
        field("replay", U32(|row| row.number)).meaning("number of the replay; the same in the `jobs` frame"),
        field("log", Str(|row| row.spec.log.to_string())).meaning("what was replayed"),
        field("partition", Str(|row| row.spec.partition_text()))
            .when(When::Partitions)
            .meaning("the partitions of the log whose jobs were replayed, such as `batch+debug`; `all` if no job was left out"),
        field("machine", Str(|row| row.spec.machine.to_string())).meaning("on what"),
        field("scheduler", Str(|row| row.spec.labels.scheduler.clone())).meaning("as it was typed"),
        field("allocator", Str(|row| row.spec.labels.allocator.clone())).meaning("likewise"),
        field("network", Str(|row| row.spec.labels.network.clone())).meaning("how long jobs run, likewise"),
        field("arrival_scale", F64(|row| row.spec.arrival_scale))
            .meaning("what arrival times were multiplied by"),
        field("seed", U64(|row| row.outcome.seed)).meaning("seed of everything random"),
        field("rules", Str(|row| row.spec.rules.to_string())).meaning("how records became jobs"),
        field("trim_percent", MaybeF64(|row| row.trim_percent))
            .unit("%")
            .meaning("first jobs that means leave out; null if nothing is left out"),
    ]
}

/// Returns the columns that tell where a row comes from. They stand after the numbers.
fn behind<'a>() -> Vec<Field<SummaryRow<'a>>> {
    vec![
        field("scheduler_spec", Str(|row| row.spec.scheduler.to_string()))
            .meaning("the scheduler with every default written out"),
        field("allocator_spec", Str(|row| row.spec.allocator.to_string())).meaning("the allocator, likewise"),
        field("network_spec", Str(|row| row.spec.network.to_string())).meaning("the network, likewise"),
        field("log_sha256", Str(|row| row.spec.log_sha256.to_string())).meaning("SHA-256 of the log's text"),
        field("version", Str(|_| env!("CARGO_PKG_VERSION").to_owned())).meaning("version of meshreplay"),
        field("run", Added).meaning(
            "id of the run, a hash of run.json, or of the study, a hash of name and options in study.json: the same in \
             every file of a directory",
        ),
        field("key", Added)
            .when(When::Study)
            .meaning("name of the cell: a hash of all that it depends on"),
    ]
}

fn field<'a>(name: &'static str, value: Value<SummaryRow<'a>>) -> Field<SummaryRow<'a>> {
    Field::new(name, value)
}

/// Returns the column of `metric`, one value for each of `rows`. The value is null if the replay does not have the
/// number.
fn numbers(metric: &Metric, rows: &[SummaryRow<'_>]) -> Column {
    let label = name(metric.name());
    let numbers = rows.iter().map(|row| row.outcome.summary.number(metric.name()));
    let series = if metric.column.kind == ColumnType::U64 {
        let count = |number| if let Some(Number::Count(count)) = number { Some(count) } else { None };
        Series::new(label, numbers.map(count).collect::<Vec<_>>())
    } else {
        Series::new(label, numbers.map(|number| number.map(Number::as_f64)).collect::<Vec<_>>())
    };
    series.into()
}

/// Returns the descriptions of all columns in the order of the frame.
pub(super) fn columns() -> Vec<ColumnInfo> {
    let numbers = METRICS.iter().map(|metric| metric.column);
    let before = before().into_iter().map(|field| field.column);
    before.chain(numbers).chain(behind().into_iter().map(|field| field.column)).collect()
}

/// Returns the summary of `rows`, in their order. Each entry is the number of a replay, its spec, and the outcome of
/// one replication.
pub fn summary(rows: &[(u32, &ReplaySpec, &Outcome)], options: &Options) -> Result<DataFrame, FrameError> {
    let trim_percent = options.trim.percent;
    let rows: Vec<SummaryRow<'_>> = rows
        .iter()
        .map(|&(number, spec, outcome)| SummaryRow { number, spec, outcome, trim_percent })
        .collect();
    let mut columns = build(&before(), &rows, options);
    let numbers = METRICS.iter().filter(|metric| has(options, metric.column.when));
    columns.extend(numbers.map(|metric| self::numbers(metric, &rows)));
    columns.extend(build(&behind(), &rows, options));
    frame(columns)
}
