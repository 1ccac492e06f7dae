//! The column of a frame of details that a picture shows, as the user chooses it by `--value`.

use crate::draw::Axis;
use crate::error::FigureError;
use crate::kind::PlotOptions;
use meshreplay_base::spec::unknown;
use meshreplay_results::frame::FrameSchema;
use meshreplay_sim::metrics::{ColumnInfo, ColumnType};

/// Columns of numbers whose values are no quantity.
const NAMES: [&str; 5] = ["replay", "seed", "job", "status", "time_s"];

/// A column of numbers of a frame of details.
pub(in crate::kinds) struct FrameValue {
    column: ColumnInfo,
}

impl FrameValue {
    /// Returns the column of the jobs that the user chose, or the one named `usual`.
    pub(in crate::kinds) fn of(options: &PlotOptions<'_>, usual: &str) -> Result<Self, FigureError> {
        Self::of_frame(options, "jobs", "column of numbers of the jobs", usual)
    }

    /// Returns the column that the user chose, if it is a column of numbers of this frame, and otherwise the
    /// one named `usual`. Any other choice is an error if the user asked for this kind, and concerns other
    /// kinds if not; `what` it calls the columns.
    pub(in crate::kinds) fn of_frame(
        options: &PlotOptions<'_>,
        frame: &str,
        what: &'static str,
        usual: &str,
    ) -> Result<Self, FigureError> {
        let schema = FrameSchema::all().into_iter().find(|schema| schema.name == frame);
        let columns = schema.map(|schema| schema.columns).unwrap_or_default();
        let mut numbers: Vec<ColumnInfo> = columns
            .into_iter()
            .filter(|column| column.kind != ColumnType::Str && !NAMES.contains(&column.name))
            .collect();
        let find = |name: &str| numbers.iter().position(|column| column.name == name);
        let found = match options.value.map(|given| (given, find(given))) {
            Some((given, None)) if options.is_asked => {
                let problem = unknown(what, given, numbers.iter().map(|column| column.name));
                return Err(FigureError::UnknownColumn { option: "--value", problem });
            }
            Some((_, Some(found))) => found,
            _ => find(usual).unwrap_or_default(),
        };
        Ok(Self { column: numbers.swap_remove(found) })
    }

    /// Returns the name of the column.
    pub(in crate::kinds) fn name(&self) -> &'static str {
        self.column.name
    }

    /// Returns the steps in a unit up to which its values are told apart.
    pub(in crate::kinds) fn steps(&self) -> f64 {
        if self.column.kind == ColumnType::F64 { 1000.0 } else { 1.0 }
    }

    /// Returns the name for people, without the unit.
    pub(in crate::kinds) fn title(&self) -> String {
        let name = self.column.name;
        let ending = format!("_{}", self.column.unit);
        name.strip_suffix(&ending).unwrap_or(name).replace('_', " ")
    }

    /// Returns the unit; empty if there is none.
    pub(in crate::kinds) fn unit(&self) -> &'static str {
        self.column.unit
    }

    /// Returns an axis for the values.
    pub(in crate::kinds) fn axis(&self) -> Axis {
        let unit =
            if self.column.unit.is_empty() { String::new() } else { format!(" ({})", self.column.unit) };
        Axis { title: self.title() + &unit, ..Axis::default() }
    }
}
