//! Columns in another form: times as dates, and nodes as lists.

use std::collections::BTreeMap;

use polars_arrow::array::{Array, ListArray, PrimitiveArray, Utf8ViewArray};
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, Field, TimeUnit};
use polars_arrow::offset::Offsets;

/// The columns of times since the beginning of a log.
const TIMES: [&str; 3] = ["submit_s", "start_s", "end_s"];
const NODES: &str = "nodes";

/// The forms of columns that are not those of the files.
#[derive(Clone, Default)]
pub(crate) struct Forms {
    /// The beginning of the log of each replay in microseconds since 1970; times become dates.
    pub(crate) starts_us: Option<BTreeMap<i64, i64>>,
    /// Whether intervals of nodes become lists of numbers.
    pub(crate) has_lists: bool,
}

impl Forms {
    /// Changes the type of a column.
    pub(crate) fn change(&self, field: &mut Field) {
        if self.starts_us.is_some() && TIMES.contains(&field.name.as_str()) {
            field.dtype = dates();
            field.metadata = None;
        } else if self.has_lists && field.name == NODES {
            field.dtype = lists();
        }
    }

    /// Changes the columns of a batch, which have these names. A date is missing where a log has no
    /// beginning.
    pub(crate) fn apply(&self, names: &[String], columns: &mut [Box<dyn Array>]) {
        let replays = names.iter().position(|name| name == "replay");
        let replays = replays.and_then(|at| columns[at].as_any().downcast_ref::<PrimitiveArray<i64>>());
        let replays: Vec<Option<i64>> =
            replays.map(|column| column.iter().map(Option::<&i64>::copied).collect()).unwrap_or_default();
        for (name, column) in names.iter().zip(columns) {
            if let (Some(starts_us), true) = (&self.starts_us, TIMES.contains(&name.as_str()))
                && let Some(seconds) = column.as_any().downcast_ref::<PrimitiveArray<f64>>()
            {
                let date = |(seconds, replay): (Option<&f64>, &Option<i64>)| {
                    Some(starts_us.get(&(*replay)?)? + (seconds? * 1e6).round() as i64)
                };
                let found: Vec<Option<i64>> = seconds.iter().zip(&replays).map(date).collect();
                *column = PrimitiveArray::from(found).to(dates()).boxed();
            } else if self.has_lists
                && name == NODES
                && let Some(texts) = column.as_any().downcast_ref::<Utf8ViewArray>()
            {
                *column = listed(texts).boxed();
            }
        }
    }
}

fn dates() -> ArrowDataType {
    ArrowDataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()))
}

fn lists() -> ArrowDataType {
    ListArray::<i64>::default_datatype(ArrowDataType::Int64)
}

/// Returns the numbers in intervals of nodes such as `0-3 7`.
fn listed(texts: &Utf8ViewArray) -> ListArray<i64> {
    let (mut numbers, mut lengths, mut is_known) = (Vec::new(), Vec::new(), Vec::new());
    for text in texts {
        let before = numbers.len();
        for part in text.unwrap_or_default().split_whitespace() {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            if let (Ok(first), Ok(last)) = (first.parse::<i64>(), last.parse::<i64>()) {
                numbers.extend(first..=last);
            }
        }
        lengths.push(numbers.len() - before);
        is_known.push(text.is_some());
    }
    // The numbers of nodes of all jobs are in memory, so that their count is no overflow.
    let offsets = Offsets::<i64>::try_from_lengths(lengths.into_iter()).unwrap_or_default();
    let values = PrimitiveArray::from_vec(numbers).boxed();
    ListArray::new(lists(), offsets.into(), values, Some(Bitmap::from_iter(is_known)))
}
