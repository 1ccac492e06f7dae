//! The columns of a table: numbers or texts, as Polars holds them.

use polars_core::prelude::{
    BooleanChunked, ChunkFilter, Column as FrameColumn, DataType, Float64Chunked, StringChunked,
};

use crate::frame::FrameError;

/// A column of a [`SavedTable`](super::SavedTable).
#[derive(Clone, Debug)]
pub struct Column {
    /// The name of the column.
    pub name: String,
    values: Values,
}

#[derive(Clone, Debug)]
enum Values {
    /// Names and specs. A missing value is an empty text.
    Text(StringChunked),
    Number {
        numbers: Numbers,
        /// Whether the type of the column is an integer.
        is_whole: bool,
        /// The values as text, if the column holds whole numbers and some have more digits than an `f64`
        /// keeps, as seeds may.
        exact: Option<StringChunked>,
    },
}

/// The numbers of a column, one per row; some may be missing. Clones share their memory.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Float64Chunked);

impl Numbers {
    /// Returns the number of row `i`; `None` if it is missing.
    pub fn get(&self, i: usize) -> Option<f64> {
        // Most columns lack no number, and a slice needs no further checks.
        self.0.cont_slice().map_or_else(|_| self.0.get(i), |numbers| numbers.get(i).copied())
    }

    /// Returns the number of each row.
    pub fn iter(&self) -> impl Iterator<Item = Option<f64>> + Clone + '_ {
        (0..self.0.len()).map(|i| self.get(i))
    }
}

/// A value of a column. Two keys of one column are equal exactly if the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key<'a> {
    /// The bits of a number.
    Number(u64),
    /// A text, or a whole number that an `f64` would round.
    Text(&'a str),
    /// A missing number.
    Missing,
}

impl Column {
    pub(super) fn from_frame(column: &FrameColumn) -> Result<Self, FrameError> {
        let name = column.name().to_string();
        let dtype = column.dtype();
        // An empty column of numbers in CSV is read as text. A column of text always has a value.
        let is_empty = column.null_count() == column.len() && !column.is_empty();
        let values = if *dtype == DataType::String && !is_empty {
            Values::Text(column.str()?.rechunk().into_owned())
        } else {
            let numbers = Numbers(column.cast(&DataType::Float64)?.f64()?.rechunk().into_owned());
            let is_whole = dtype.is_integer();
            let exact = if is_whole && numbers.have_rounded() {
                Some(column.cast(&DataType::String)?.str()?.rechunk().into_owned())
            } else {
                None
            };
            Values::Number { numbers, is_whole, exact }
        };
        Ok(Self { name, values })
    }

    /// Returns the column with the rows whose entry in `mask` is true.
    pub(super) fn filtered(&self, mask: &BooleanChunked) -> Result<Self, FrameError> {
        let values = match &self.values {
            Values::Text(texts) => Values::Text(texts.filter(mask)?.rechunk().into_owned()),
            Values::Number { numbers, is_whole, exact } => Values::Number {
                numbers: Numbers(numbers.0.filter(mask)?.rechunk().into_owned()),
                is_whole: *is_whole,
                exact: exact.as_ref().map(|texts| texts.filter(mask)).transpose()?,
            },
        };
        Ok(Self { name: self.name.clone(), values })
    }

    /// Returns the number of rows.
    pub(super) fn height(&self) -> usize {
        match &self.values {
            Values::Text(texts) => texts.len(),
            Values::Number { numbers, .. } => numbers.0.len(),
        }
    }

    /// Returns the numbers of the column. Returns `None` for a column of texts.
    pub fn numbers(&self) -> Option<&Numbers> {
        match &self.values {
            Values::Number { numbers, .. } => Some(numbers),
            Values::Text(_) => None,
        }
    }

    /// Returns whether the type of the column is an integer.
    pub fn is_whole(&self) -> bool {
        matches!(self.values, Values::Number { is_whole: true, .. })
    }

    /// Returns the text of row `i`; `None` in a column of numbers.
    pub fn text(&self, i: usize) -> Option<&str> {
        match &self.values {
            Values::Text(texts) => Some(texts.get(i).unwrap_or_default()),
            Values::Number { .. } => None,
        }
    }

    /// Returns the value of row `i` as a label: a text unchanged, a number with as few digits as possible,
    /// `none` for a missing number.
    pub fn label(&self, i: usize) -> String {
        match self.key(i) {
            Key::Text(text) => text.to_owned(),
            Key::Number(bits) => f64::from_bits(bits).to_string(),
            Key::Missing => "none".to_owned(),
        }
    }

    /// Returns the value of row `i` for comparisons within this column.
    pub fn key(&self, i: usize) -> Key<'_> {
        match &self.values {
            Values::Text(texts) => Key::Text(texts.get(i).unwrap_or_default()),
            Values::Number { exact: Some(texts), .. } => texts.get(i).map_or(Key::Missing, Key::Text),
            Values::Number { numbers, .. } => {
                numbers.get(i).map_or(Key::Missing, |number| Key::Number(number.to_bits()))
            }
        }
    }

    /// Returns the whole number in row `i` with all of its digits; `None` if the row has none.
    pub fn whole(&self, i: usize) -> Option<u64> {
        match self.key(i) {
            Key::Text(text) => text.parse().ok(),
            Key::Number(bits) => Some(f64::from_bits(bits) as u64),
            Key::Missing => None,
        }
    }

    /// Returns whether some of these rows have different values.
    pub fn varies(&self, mut rows: impl Iterator<Item = usize>) -> bool {
        rows.next().is_some_and(|first| rows.any(|row| self.key(row) != self.key(first)))
    }
}

impl Numbers {
    /// Returns whether some number is such that an `f64` may have rounded it, if it was an integer.
    fn have_rounded(&self) -> bool {
        const MOST: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
        // Every integer from the limit on may be rounded: the limit plus 1 becomes the limit itself.
        self.0.iter().flatten().any(|number| number.abs() >= MOST)
    }
}
