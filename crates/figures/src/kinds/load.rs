//! The plot `load`: a column of the summary by load, with confidence bands over the replications.

use super::values::{OVERLOADED, OVERLOADED_MEANS, axis, charts, points, untitled};
use crate::FigureError;
use crate::curves::{Curve, in_panels};
use crate::draw::{Axis, Chart, Kind, Panels, PointLabel, Scale, Series};
use crate::kind::{Drawn, LoadAxis, PlotKind, PlotOptions, SEVERAL_LOADS, Setting, TWO_LOADS};
use crate::load::Load;
use crate::results::Results;
use meshreplay_sim::metrics::OF_WAITS;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "load",
    summary: "A column by load, with confidence bands",
    needs: SEVERAL_LOADS,
    takes: &[Setting::Value, Setting::Log, Setting::Axis],
    example: Some(TWO_LOADS),
    draw,
};

/// Draws the plot; `None` if no curve has at least two loads.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = match options.value {
        Some(column) => column,
        None if has_one_turnaround(results)? => "pairwise_mean_mean",
        None => TURNAROUND,
    };
    let y = results.chosen("--value", column)?;
    let Some(first) = results.load(0) else { return Ok(Panels::default()) };
    let utilization = results.numbers("utilization")?;
    let is_over_utilization = options.axis == Some(LoadAxis::Utilization);
    // Loads of several kinds, as jobs per second and traffic ratios, have no axis in common.
    let mut loads = (0..results.table.height()).filter_map(|row| results.load(row));
    if !is_over_utilization && loads.any(|load| load.kind != first.kind) {
        return Ok(Panels::default());
    }
    let x = |row: usize| match options.axis {
        Some(LoadAxis::Utilization) => utilization.get(row).map(|share| 100.0 * share),
        Some(LoadAxis::Factor) => results.load(row).map(|load| load.value),
        Some(LoadAxis::Arrivals) | None => results.load(row).map(Load::arrivals),
    };
    let title = match options.axis {
        Some(LoadAxis::Utilization) => "utilization (%)",
        Some(LoadAxis::Factor) => first.title(),
        Some(LoadAxis::Arrivals) | None => first.title_of_arrivals(),
    };
    let most = is_over_utilization.then_some(100.0);
    let is_late = |row: &usize| OF_WAITS.contains(&column) && results.is_overloaded(*row);
    let mut late: Vec<(String, PointLabel)> = Vec::new();
    let mut series = |Curve { name, look, rows, panel }: Curve| {
        let of_late: Vec<usize> = rows.iter().copied().filter(is_late).collect();
        let marked = points(&of_late, &|row| results.load(row), &x, &|row| y.get(row));
        late.extend(marked.iter().map(|point| {
            (panel.clone(), PointLabel { x: point.x, y: point.y, words: OVERLOADED.to_owned() })
        }));
        let points = points(&rows, &|row| results.load(row), &x, &|row| y.get(row));
        Series { name, look, kind: Kind::Curve, points }
    };
    let scale = if options.log { Scale::Log } else { Scale::Linear };
    let mut panel = |curves: Vec<Curve>| Chart {
        subtitle: curves[0].panel.clone(),
        x: Axis { most, ..Axis::titled(title) },
        y: Axis { scale, ..axis(column) },
        series: curves.into_iter().map(&mut series).collect(),
        ..Chart::default()
    };
    let panels = in_panels(results.curves_by_load(), |curve| &curve.panel).into_iter().map(&mut panel);
    let mut panels: Vec<Chart> = panels.collect();
    if panels.iter().flat_map(|panel| &panel.series).all(|series| series.points.len() < 2) {
        return Ok(Panels::default());
    }
    let note = if late.is_empty() { "" } else { OVERLOADED_MEANS };
    for panel in &mut panels {
        let here = late.iter().filter(|(name, _)| *name == panel.subtitle);
        panel.labels = here.map(|(_, label)| label.clone()).collect();
    }
    let title = format!("{} by load", untitled(column));
    Ok(charts(title, results.shared(), note.to_owned(), panels))
}

/// The default number, unless it is the same for all curves.
const TURNAROUND: &str = "turnaround_s_mean";

/// Largest relative difference of turnarounds between curves that look like one line.
const SAME: f64 = 0.005;

/// Returns true if several curves have the same mean turnaround at each load, as allocators that never refuse
/// a job have under one scheduler. Their picture would be a single line.
fn has_one_turnaround(results: &Results) -> Result<bool, FigureError> {
    let turnaround = results.numbers(TURNAROUND)?;
    let load = |row: usize| results.load(row).map(Load::arrivals);
    let curves = results.curves_by_load();
    let mut heights = curves.iter().map(|curve| {
        let points = points(&curve.rows, &|row| results.load(row), &load, &|row| turnaround.get(row));
        points.into_iter().map(|point| point.y).collect::<Vec<f64>>()
    });
    let Some(first) = heights.next() else { return Ok(false) };
    let is_same = |other: Vec<f64>| {
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= SAME * a.abs().max(b.abs());
        other.len() == first.len() && other.iter().zip(&first).all(is_near)
    };
    Ok(curves.len() > 1 && heights.all(is_same))
}
