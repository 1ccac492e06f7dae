//! What a frame consists of, told once: a table of columns, from which both the frames and `meshreplay schema` come.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};
use serde::Serialize;

use super::{FrameError, frame, name};
use crate::study::Options;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Whole numbers below 2^32.
    U32,
    /// Whole numbers below 2^64.
    U64,
    /// Whole numbers, also below 0.
    I64,
    /// Numbers.
    F64,
    /// Text.
    Str,
}

impl ColumnType {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
            Self::Str => "str",
        }
    }
}

/// When a frame has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// Unless times are not measured.
    Timed,
    /// If contention is estimated.
    Contention,
    /// If a replay has a network; null for those that have none.
    Network,
    /// If placements are kept.
    Placements,
    /// In the directory of a study, whose rows are read back and numbered.
    Study,
}

impl When {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Timed => "without --no-timing",
            Self::Contention => "with --contention",
            Self::Network => "if a replay has a --network; null for those without",
            Self::Placements => "with --placements",
            Self::Study => "in the summary of a study",
        }
    }

    fn holds(self, options: &Options) -> bool {
        match self {
            Self::Always => true,
            Self::Timed => options.timed,
            Self::Contention => options.contention,
            Self::Network => options.traffic,
            Self::Placements => options.placements,
            Self::Study => false,
        }
    }
}

/// A column of a frame.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ColumnSchema {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// What they are measured in; empty if in nothing.
    pub unit: &'static str,
    /// What they mean.
    pub meaning: &'static str,
    /// When the frame has it, in words.
    pub when: &'static str,
}

/// A frame.
#[derive(Clone, Debug, Serialize)]
pub struct FrameSchema {
    /// Its name, which is also the stem of its files.
    pub name: &'static str,
    /// What a row is.
    pub rows: &'static str,
    /// Its columns in their order.
    pub columns: Vec<ColumnSchema>,
}

/// How the value of a row is found.
pub(super) enum Value<R> {
    U32(fn(&R) -> u32),
    U64(fn(&R) -> u64),
    I64(fn(&R) -> i64),
    F64(fn(&R) -> f64),
    MaybeU64(fn(&R) -> Option<u64>),
    MaybeF64(fn(&R) -> Option<f64>),
    Str(fn(&R) -> String),
    /// Put in by whoever stacks rows of several frames.
    Added,
}

/// A column of a frame whose rows are made of `R`.
pub(super) struct Field<R> {
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    when: When,
    value: Value<R>,
}

impl<R> Field<R> {
    pub(super) const fn new(
        name: &'static str,
        unit: &'static str,
        value: Value<R>,
        meaning: &'static str,
    ) -> Self {
        Self { name, unit, meaning, when: When::Always, value }
    }

    pub(super) const fn some(
        when: When,
        name: &'static str,
        unit: &'static str,
        value: Value<R>,
        meaning: &'static str,
    ) -> Self {
        Self { name, unit, meaning, when, value }
    }

    fn schema(&self) -> ColumnSchema {
        let kind = match self.value {
            Value::U32(_) => ColumnType::U32,
            Value::U64(_) | Value::MaybeU64(_) => ColumnType::U64,
            Value::I64(_) => ColumnType::I64,
            Value::F64(_) | Value::MaybeF64(_) => ColumnType::F64,
            Value::Str(_) | Value::Added => ColumnType::Str,
        };
        let Self { name, unit, meaning, when, .. } = *self;
        ColumnSchema { name, kind, unit, meaning, when: when.words() }
    }

    fn column(&self, rows: &[R]) -> Option<Column> {
        fn of<R, T>(rows: &[R], value: fn(&R) -> T) -> Vec<T> {
            rows.iter().map(value).collect()
        }
        let label = name(self.name);
        let series = match self.value {
            Value::U32(value) => Series::new(label, of(rows, value)),
            Value::U64(value) => Series::new(label, of(rows, value)),
            Value::I64(value) => Series::new(label, of(rows, value)),
            Value::F64(value) => Series::new(label, of(rows, value)),
            Value::MaybeU64(value) => Series::new(label, of(rows, value)),
            Value::MaybeF64(value) => Series::new(label, of(rows, value)),
            Value::Str(value) => Series::new(label, of(rows, value)),
            Value::Added => return None,
        };
        Some(series.into())
    }
}

/// The frame of these rows, with the columns that the plan has.
pub(super) fn build<R>(fields: &[Field<R>], rows: &[R], options: &Options) -> Result<DataFrame, FrameError> {
    let wanted = fields.iter().filter(|field| field.when.holds(options));
    frame(wanted.filter_map(|field| field.column(rows)).collect())
}

/// The columns in words.
pub(super) fn columns<R>(fields: &[Field<R>]) -> Vec<ColumnSchema> {
    fields.iter().map(Field::schema).collect()
}
