//! The plot `fragmentation`: the largest free submesh over time, for the first seed of each replay.

use super::busy::{PARTS, unit};
use super::job_columns::{columns_of, job_curves, plain};
use crate::figure::draw::{Axis, Chart, Kind, Series};
use crate::figure::error::FigureError;
use crate::figure::kind::{Drawn, FEW_SLICES, Needs, PlotKind, PlotOptions};
use crate::figure::results::Results;
use crate::frame::FrameSchema;
use crate::metrics::{ColumnType, busy_nodes};
use crate::spec::unknown;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "fragmentation",
    summary: "Largest free submesh over time; --value slices_fit_1 for how many of a slice fit",
    needs: Needs::Fragmentation,
    example: Some(FEW_SLICES),
    draw,
};

/// The frame, and its column that is drawn by default.
const FRAME: &str = "fragmentation";
const DEFAULT: &str = "largest_free_submesh";

/// Draws the plot; `None` if the fragmentation was not kept. Each point is a mean over one of equally many parts of the
/// time.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let value = value(options)?;
    let curves = job_curves(results)?;
    let names = ["time_s", value.as_str(), "seed"];
    let Some(found) = columns_of(FRAME, options, &names, &curves)? else { return Ok(None) };
    let [times, values, seeds] = &found[..] else { return Ok(None) };
    let all = || times.values().flatten().copied();
    let (from, to) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let (unit_s, unit) = unit(to - from);
    let mut series = Vec::new();
    for curve in curves {
        let Some(&replay) = curve.replays.first() else { continue };
        let (Some(times), Some(values), Some(seeds)) =
            (times.get(&replay), values.get(&replay), seeds.get(&replay))
        else {
            continue;
        };
        // `columns_of` gives 0 for the first seed and 1 for others.
        let count = seeds.iter().take_while(|seed| **seed < 0.5).count();
        let last = times[..count].last().copied().unwrap_or(to);
        let ends = times[1.min(count)..count].iter().copied().chain([last]);
        let steps = times[..count].iter().zip(ends).zip(values);
        let steps = steps.map(|((&start, end), &value)| (start, end, value));
        let own = times.first().map_or((from, to), |&first| (first, last));
        let at = |(time, value): (f64, f64)| ((time - from) / unit_s, value);
        let points = plain(busy_nodes(steps, own, PARTS).into_iter().map(at).collect());
        series.push(Series { name: curve.name, look: curve.look, kind: Kind::Line, points });
    }
    let (title, unit_of_value) = title(&value);
    let chart = Chart {
        title: format!("{title} over time"),
        subtitle: results.shared_at_first_load(),
        x: Axis { title: format!("time since the first arrival ({unit})"), ..Axis::default() },
        y: Axis { title: title.to_lowercase() + unit_of_value, shows: Some(0.0), ..Axis::default() },
        series,
    };
    Ok(Some(chart.draw()))
}

/// Returns the column of the frame that is drawn: the one that the user chose, if it is a column of numbers of this
/// frame. Any other choice is an error if the user asked for this kind, and concerns other kinds if not.
fn value(options: &PlotOptions<'_>) -> Result<String, FigureError> {
    let Some(given) = options.value else { return Ok(DEFAULT.to_owned()) };
    let schema = FrameSchema::all().into_iter().find(|schema| schema.name == FRAME);
    let columns = schema.map(|schema| schema.columns).unwrap_or_default();
    let drawn = columns.iter().filter(|column| {
        column.kind != ColumnType::Str && !["replay", "seed", "time_s"].contains(&column.name)
    });
    if drawn.clone().any(|column| column.name == given) {
        return Ok(given.to_owned());
    }
    if options.is_asked {
        let problem = unknown("column of numbers", given, drawn.map(|column| column.name));
        return Err(FigureError::UnknownColumn { option: "--value", problem });
    }
    Ok(DEFAULT.to_owned())
}

/// Returns the title of a column of the frame, and its unit in parentheses.
fn title(value: &str) -> (String, &'static str) {
    match (value, value.strip_prefix("slices_fit_")) {
        (DEFAULT, _) => ("Largest free submesh".to_owned(), " (nodes)"),
        ("free", _) => ("Free nodes".to_owned(), ""),
        (_, Some(number)) => (format!("How many of slice {number} fit"), ""),
        _ => ("External fragmentation".to_owned(), ""),
    }
}
