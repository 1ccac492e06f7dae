//! The columns of a frame as a table of functions: each function computes the value of one row.

use polars_core::prelude::{
    Column, Float64Chunked, Int64Chunked, IntoSeries, NamedFrom, Series, StringChunkedBuilder, UInt64Chunked,
};

use super::name;
use meshreplay_sim::metrics::{ColumnInfo, ColumnType, Has, Needs};

/// The function that computes the value of a row, by column type. `MaybeI64`, `MaybeU64` and `MaybeF64` are
/// null for `None`. All columns of whole numbers are signed but seeds, so that differences never wrap.
pub(super) enum Value<R> {
    U32(fn(&R) -> u32),
    /// Counts above 2^63 − 1 become that number.
    U64(fn(&R) -> u64),
    Seed(fn(&R) -> u64),
    I64(fn(&R) -> i64),
    F64(fn(&R) -> f64),
    MaybeI64(fn(&R) -> Option<i64>),
    MaybeU64(fn(&R) -> Option<u64>),
    MaybeF64(fn(&R) -> Option<f64>),
    Str(fn(&R) -> String),
    /// The function writes the text of the row into an empty string. For frames with many rows: no row
    /// allocates.
    Written(fn(&R, &mut String)),
    /// The column has no function: it is added later, when the rows of several frames are stacked.
    Added,
}

/// A column of a frame, with the function that computes its values from rows of type `R`.
pub(super) struct Field<R> {
    /// The description of the column: its name, type, unit and meaning, and when it is present.
    pub(super) column: ColumnInfo,
    value: Value<R>,
}

impl<R> Field<R> {
    /// Returns a column without unit and meaning that is present in every frame.
    pub(super) const fn new(name: &'static str, value: Value<R>) -> Self {
        let kind = match value {
            Value::Seed(_) => ColumnType::U64,
            Value::U32(_) | Value::U64(_) | Value::MaybeU64(_) | Value::I64(_) | Value::MaybeI64(_) => {
                ColumnType::I64
            }
            Value::F64(_) | Value::MaybeF64(_) => ColumnType::F64,
            Value::Str(_) | Value::Written(_) | Value::Added => ColumnType::Str,
        };
        Self { column: ColumnInfo { name, kind, unit: "", meaning: "", needs: Needs::Nothing }, value }
    }

    pub(super) const fn unit(mut self, unit: &'static str) -> Self {
        self.column.unit = unit;
        self
    }

    /// Returns the column with this meaning, which `meshreplay schema` prints.
    pub(super) const fn meaning(mut self, meaning: &'static str) -> Self {
        self.column.meaning = meaning;
        self
    }

    /// Returns the column, present only in results that have what it needs.
    pub(super) const fn needs(mut self, needs: Needs) -> Self {
        self.column.needs = needs;
        self
    }

    /// Returns the polars column of `rows`; `None` if the column is added later.
    fn build(&self, rows: &[R]) -> Option<Column> {
        fn values<R, T>(rows: &[R], value: fn(&R) -> T) -> Vec<T> {
            rows.iter().map(value).collect()
        }
        let label = name(self.column.name);
        let series = match self.value {
            Value::U32(value) => {
                let values = rows.iter().map(|row| i64::from(value(row))).collect();
                Int64Chunked::from_vec(label, values).into_series()
            }
            Value::U64(value) => {
                let values = rows.iter().map(|row| signed(value(row))).collect();
                Int64Chunked::from_vec(label, values).into_series()
            }
            Value::Seed(value) => UInt64Chunked::from_vec(label, values(rows, value)).into_series(),
            Value::I64(value) => Int64Chunked::from_vec(label, values(rows, value)).into_series(),
            Value::F64(value) => Float64Chunked::from_vec(label, values(rows, value)).into_series(),
            Value::MaybeI64(value) => Series::new(label, values(rows, value)),
            Value::MaybeU64(value) => {
                Series::new(label, rows.iter().map(|row| value(row).map(signed)).collect::<Vec<_>>())
            }
            Value::MaybeF64(value) => Series::new(label, values(rows, value)),
            Value::Str(value) => Series::new(label, values(rows, value)),
            Value::Written(write) => {
                let (mut texts, mut text) = (StringChunkedBuilder::new(label, rows.len()), String::new());
                for row in rows {
                    text.clear();
                    write(row, &mut text);
                    texts.append_value(&text);
                }
                texts.finish().into_series()
            }
            Value::Added => return None,
        };
        Some(series.into())
    }
}

/// Returns a count as a signed number.
pub(super) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns the polars columns of `rows` that are present in results of such replays.
pub(super) fn build<R>(fields: &[Field<R>], rows: &[R], has: Has) -> Vec<Column> {
    let wanted = fields.iter().filter(|field| has.has(field.column.needs));
    wanted.filter_map(|field| field.build(rows)).collect()
}
