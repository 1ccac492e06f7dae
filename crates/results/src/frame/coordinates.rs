//! The columns of frames that identify replays, one for each row of the table of coordinates.

use polars_core::prelude::{Column, NamedFrom, Series};

use super::name;
use meshreplay_sim::metrics::Has;
use meshreplay_sim::metrics::{ColumnInfo, ColumnType};
use meshreplay_study::study::{Coordinate, ReplaySpec};

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
