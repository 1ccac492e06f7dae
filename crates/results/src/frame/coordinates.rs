//! The columns of frames that identify replays, one for each row of the table of coordinates.

use polars_core::prelude::{Column, DataFrame, DataType, NamedFrom, Series};

use super::{FrameError, name};
use meshreplay_sim::metrics::{ColumnInfo, ColumnType, Has};
use meshreplay_study::study::{Coordinate, Labels, ReplaySpec};

/// Describes the columns before the numbers: labels of algorithms, and other coordinates.
pub(super) fn in_front() -> impl Iterator<Item = ColumnInfo> {
    Coordinate::by_column().into_iter().map(Coordinate::column_info)
}

/// Describes the columns after the numbers: specs of algorithms with every default written out.
pub(super) fn behind() -> impl Iterator<Item = ColumnInfo> {
    Coordinate::labelled().map(|(coordinate, labelled)| ColumnInfo {
        name: labelled.spec_column,
        meaning: labelled.spec_meaning,
        ..coordinate.column_info()
    })
}

/// Returns the columns before the numbers, one row per spec.
pub(super) fn front_columns(specs: &[ReplaySpec], has: Has) -> Vec<Column> {
    let kept = Coordinate::by_column().into_iter().filter(|row| has.has(row.column_info().needs));
    let column = |row: &Coordinate| {
        let numbers = || specs.iter().map(|spec| row.json(spec).1);
        let series = match row.column_info().kind {
            ColumnType::F64 => {
                Series::new(name(row.name), numbers().map(|value| value.as_f64()).collect::<Vec<_>>())
            }
            ColumnType::U64 => {
                Series::new(name(row.name), numbers().map(|value| value.as_u64()).collect::<Vec<_>>())
            }
            _ => Series::new(name(row.name), specs.iter().map(|spec| row.shown(spec)).collect::<Vec<_>>()),
        };
        series.into()
    };
    kept.map(column).collect()
}

/// Returns the columns after the numbers, one row per spec.
pub(super) fn behind_columns(specs: &[ReplaySpec]) -> Vec<Column> {
    let column = |(coordinate, labelled): (&Coordinate, &meshreplay_study::study::Labelled)| {
        let texts: Vec<String> = specs.iter().map(|spec| coordinate.text(spec)).collect();
        Series::new(name(labelled.spec_column), texts).into()
    };
    Coordinate::labelled().map(column).collect()
}

// The columns of algorithms in summaries: one with labels, such as `allocator`, and one with resolved specs,
// such as `allocator_spec`.
//
// The files of a study's cells have only the specs, because the same cell may be computed under another
// label. Readers add the labels of the study.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::FrameSchema;

    #[test]
    fn every_coordinate_has_a_column_in_every_frame_of_replays() -> Result<(), Box<dyn std::error::Error>> {
        let needs = Coordinate::listed().map(|row| row.column_info().needs);
        let has = needs.fold(Has::NOTHING, |has, needs| has.with(needs, true));
        let schemas = FrameSchema::all();
        for row in Coordinate::listed() {
            let base = ReplaySpec::new("4x4".parse()?, "fcfs".parse()?, "naive".parse()?);
            let mut other = base.clone();
            assert!((row.set)(&mut other, row.example), "{}", row.name);
            let specs = [base, other];
            let columns = [front_columns(&specs, has), behind_columns(&specs)].concat();
            let found = columns.iter().find(|column| column.name() == row.column()).ok_or(row.name)?;
            assert_eq!(found.get(1)?.str_value(), row.example, "{}", row.name);
            for frame in ["summary", "shapes", "slices", "tidy"] {
                let schema = schemas.iter().find(|schema| schema.name == frame).ok_or(frame)?;
                let holds = |column: &str| schema.column(column).is_some();
                // All replays of a log have its period.
                if (row.name, frame) == ("period", "tidy") {
                    continue;
                }
                assert!(holds(row.column()), "{} in {frame}", row.name);
                assert!(
                    holds(row.name) || frame == "tidy" && holds("replay_partition"),
                    "{} in {frame}",
                    row.name
                );
            }
        }
        Ok(())
    }
}
