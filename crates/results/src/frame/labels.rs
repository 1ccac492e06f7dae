//! The columns of algorithms in summaries: one with labels, such as `allocator`, and one with resolved specs,
//! such as `allocator_spec`.
//!
//! The files of a study's cells have only the specs, because the same cell may be computed under another
//! label. Readers add the labels of the study.

use polars_core::prelude::{Column, DataFrame, DataType, NamedFrom, Series};

use super::{FrameError, name};
use meshreplay_study::study::{Coordinate, Labels};

/// Labels follow this column.
const BEFORE_LABELS: &str = "machine";

/// Specs precede the first of these columns that exists.
const BEHIND_SPECS: [&str; 2] = ["log_sha256", "run"];

/// Returns whether a frame has labels or specs.
pub(super) fn has_algorithms(frame: &DataFrame) -> bool {
    Coordinate::labelled().any(|(coordinate, labelled)| {
        [coordinate.name, labelled.spec_column].iter().any(|column| frame.column(column).is_ok())
    })
}

/// Returns whether the columns of labels hold specs, as in results of version 0.1.0 and earlier.
pub(super) fn is_unlabelled(frame: &DataFrame) -> bool {
    Coordinate::labelled().any(|(coordinate, labelled)| {
        frame.column(coordinate.name).is_ok() && frame.column(labelled.spec_column).is_err()
    })
}

/// Returns whether this is a column of labels.
pub(super) fn is_label(column: &str) -> bool {
    Coordinate::labelled().any(|(coordinate, _)| coordinate.name == column)
}

/// Gives all rows of a frame these labels, or the short forms of their specs if there are none. The frame may
/// have labels and specs, only specs, or specs in the columns of labels. Afterwards it has both, in the order
/// of the `summary` frame.
pub(super) fn relabel(frame: &mut DataFrame, labels: Option<&Labels>) -> Result<(), FrameError> {
    let height = frame.height();
    let (mut shown, mut specs) = (Vec::new(), Vec::new());
    for (coordinate, labelled) in Coordinate::labelled() {
        let Ok(found) = frame.column(labelled.spec_column).or_else(|_| frame.column(coordinate.name)) else {
            continue;
        };
        let mut column = found.cast(&DataType::String)?;
        column.rename(name(labelled.spec_column));
        let texts: Vec<String> = match labels {
            Some(labels) => vec![(labelled.of)(labels).to_owned(); height],
            None => column.str()?.iter().map(|spec| (labelled.short)(spec.unwrap_or_default())).collect(),
        };
        shown.push(Column::from(Series::new(name(coordinate.name), texts)));
        specs.push(column);
    }
    let all =
        Coordinate::labelled().flat_map(|(coordinate, labelled)| [coordinate.name, labelled.spec_column]);
    *frame = frame.drop_many(all);
    insert(frame, frame.get_column_index(BEFORE_LABELS).map_or(0, |index| index + 1), shown)?;
    let behind = BEHIND_SPECS.iter().find_map(|column| frame.get_column_index(column));
    insert(frame, behind.unwrap_or(frame.width()), specs)
}

/// Inserts columns into a frame from position `at` on.
fn insert(frame: &mut DataFrame, at: usize, columns: Vec<Column>) -> Result<(), FrameError> {
    for (i, column) in columns.into_iter().enumerate() {
        frame.insert_column(at + i, column)?;
    }
    Ok(())
}

/// Returns a frame without its labels, as the files of cells are.
pub(super) fn without_labels(frame: &DataFrame) -> DataFrame {
    frame.drop_many(Coordinate::labelled().map(|(coordinate, _)| coordinate.name))
}
