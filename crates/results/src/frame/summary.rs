//! The `summary` frame: one row per replay and seed. Its numbers are the rows of [`METRICS`].

use polars_core::prelude::{Column, DataFrame, NamedFrom, Series};

use super::column::Value::{Added, MaybeF64, Str, U32};
use super::column::{Field, Value, build, signed};
use super::detail::DETAILS;
use super::{FrameError, coordinates, frame, name};
use meshreplay_sim::metrics::{ColumnInfo, ColumnType, Has, METRICS, Metric, Needs, Number};
use meshreplay_study::study::{Options, Outcome, ReplaySpec};
use meshreplay_workload::Shake;
use serde::Serialize;

/// The name of the column with the largest change of run times.
pub const SHAKE: &str = "shake_percent";

/// One row of the frame: a replication of a replay.
struct SummaryRow<'a> {
    number: u32,
    spec: &'a ReplaySpec,
    outcome: &'a Outcome,
    trim_percent: Option<f64>,
    shake_percent: Option<f64>,
}

/// The column in front of the coordinates of a replay.
fn number<'a>() -> Field<SummaryRow<'a>> {
    field("replay", U32(|row| row.number)).meaning("number of the replay; the same in the `jobs` frame")
}

/// Returns the columns between the coordinates and the numbers.
fn between<'a>() -> Vec<Field<SummaryRow<'a>>> {
    vec![
        field("trim_percent", MaybeF64(|row| row.trim_percent)).unit("%").meaning(
            "percent of the period of submissions that means exclude at each end; null without --trim",
        ),
        field(SHAKE, MaybeF64(|row| row.shake_percent))
            .unit("%")
            .needs(Needs::Shaken)
            .meaning("largest change of a run time; null under the scheduler `recorded`"),
    ]
}

/// Returns the columns on the origin of a row, after the numbers and the specs of algorithms.
fn behind<'a>() -> Vec<Field<SummaryRow<'a>>> {
    vec![
        field("log_sha256", Str(|row| row.spec.log_sha256.to_string())).meaning("SHA-256 of the log's text"),
        field("version", Str(|_| env!("CARGO_PKG_VERSION").to_owned())).meaning("version of meshreplay"),
        field("run", Added).meaning(
            "id of the run, a hash of run.json, or of the study, a hash of name and options in study.json: \
             the same in every file of a directory",
        ),
        field("key", Added).needs(Needs::Study).meaning(
            "name of the cell: a hash of everything that its \
                                                       result depends on",
        ),
    ]
}

fn field<'a>(name: &'static str, value: Value<SummaryRow<'a>>) -> Field<SummaryRow<'a>> {
    Field::new(name, value)
}

/// Returns the column of `metric`, one value for each of `rows`. The value is null if the replay does not
/// have the number.
fn numbers(metric: &Metric, rows: &[SummaryRow<'_>]) -> Column {
    let label = name(metric.name());
    let numbers = rows.iter().map(|row| row.outcome.summary.number(metric.name()));
    let series = if metric.column.kind == ColumnType::I64 {
        let count = |number| if let Some(Number::Count(count)) = number { Some(signed(count)) } else { None };
        Series::new(label, numbers.map(count).collect::<Vec<_>>())
    } else {
        Series::new(label, numbers.map(|number| number.map(Number::as_f64)).collect::<Vec<_>>())
    };
    series.into()
}

fn columns_of(fields: Vec<Field<SummaryRow<'_>>>) -> impl Iterator<Item = ColumnInfo> {
    fields.into_iter().map(|field| field.column)
}

/// Returns the descriptions of all columns in the order of the frame.
pub(super) fn columns() -> Vec<ColumnInfo> {
    let front = [number().column].into_iter().chain(coordinates::in_front()).chain(columns_of(between()));
    let numbers = METRICS.iter().map(|metric| metric.column);
    let behind = coordinates::behind().chain(columns_of(behind()));
    front.chain(numbers).chain(behind).collect()
}

/// Returns the summary of `rows`, in their order. Each entry is the number of a replay, its spec, and the
/// outcome of one replication.
pub fn summary(
    rows: &[(u32, &ReplaySpec, &Outcome)],
    options: &Options,
    has: Has,
) -> Result<DataFrame, FrameError> {
    let trim_percent = options.trim.percent;
    let row = |&(number, spec, outcome): &(u32, _, _)| {
        let shake_percent = options.shake_of(spec).map(Shake::percent);
        SummaryRow { number, spec, outcome, trim_percent, shake_percent }
    };
    let rows: Vec<SummaryRow<'_>> = rows.iter().map(row).collect();
    // The seed of a row is that of the replication.
    let of_row = |row: &SummaryRow<'_>| ReplaySpec { seed: row.outcome.seed, ..row.spec.clone() };
    let specs: Vec<ReplaySpec> = rows.iter().map(of_row).collect();
    let mut columns = build(&[number()], &rows, has);
    columns.extend(coordinates::front_columns(&specs, has));
    columns.extend(build(&between(), &rows, has));
    let numbers = METRICS.iter().filter(|metric| has.has(metric.column.needs));
    columns.extend(numbers.map(|metric| self::numbers(metric, &rows)));
    columns.extend(coordinates::behind_columns(&specs));
    columns.extend(build(&behind(), &rows, has));
    frame(columns)
}

/// The description of a frame.
#[derive(Clone, Debug, Serialize)]
pub struct FrameSchema {
    /// The name of the frame, which is also the stem of its files.
    pub name: &'static str,
    /// What one row of the frame stands for.
    pub rows: &'static str,
    /// The columns in the order of the frame.
    pub columns: Vec<ColumnInfo>,
}

impl FrameSchema {
    /// Returns the schema of the `summary` frame.
    pub fn summary() -> Self {
        Self { name: "summary", rows: "one per replay and replication", columns: columns() }
    }

    /// Returns the schemas of all frames: jobs, summary, and the other details.
    pub fn all() -> Vec<Self> {
        let details = DETAILS.iter();
        let mut all: Vec<Self> = details
            .map(|detail| Self { name: detail.name, rows: detail.rows, columns: (detail.columns)() })
            .collect();
        all.insert(1, Self::summary());
        all
    }

    /// Returns the column of this name; `None` if the frame has none.
    pub fn column(&self, name: &str) -> Option<&ColumnInfo> {
        self.columns.iter().find(|column| column.name == name)
    }
}
