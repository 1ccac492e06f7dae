//! The plot `load`: a column of the summary by load, with confidence bands over the replications.

use std::mem::discriminant;

use super::values::{axis, points, untitled};
use crate::FigureError;
use crate::draw::{Axis, Chart, Kind, Scale, Series};
use crate::kind::{Drawn, LoadAxis, Needs, PlotKind, PlotOptions, SEVERAL_LOADS, Setting, TWO_LOADS};
use crate::load::Load;
use crate::results::{Curve, Results};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "load",
    summary: "A column by load, with confidence bands",
    needs: Needs::Summary(SEVERAL_LOADS),
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
    let Some(first) = results.load(0) else { return Ok(None) };
    // Loads of several kinds, as jobs per second and traffic ratios, have no axis in common.
    let is_of_kind = |load: Load| discriminant(&load) == discriminant(&first);
    let is_one_kind = (0..results.table.height()).filter_map(|row| results.load(row)).all(is_of_kind);
    if options.axis != Some(LoadAxis::Utilization) && !is_one_kind {
        return Ok(None);
    }
    let utilization = results.numbers("utilization")?;
    let x = |row: usize| match options.axis {
        None | Some(LoadAxis::Arrivals) => results.load(row).map(Load::arrivals),
        Some(LoadAxis::Utilization) => utilization.get(row).map(|share| 100.0 * share),
        Some(LoadAxis::Factor) => results.load(row).map(Load::value),
    };
    let (title, most) = match options.axis {
        None | Some(LoadAxis::Arrivals) => (first.title_of_arrivals(), None),
        Some(LoadAxis::Utilization) => ("utilization (%)", Some(100.0)),
        Some(LoadAxis::Factor) => (first.title(), None),
    };
    let series = |Curve { name, look, rows }: Curve| {
        let points = points(&rows, &|row| results.load_key(row), &x, &|row| y.get(row));
        Series { name, look, kind: Kind::Curve, points }
    };
    let series: Vec<Series> = results.curves_by_load().into_iter().map(series).collect();
    if series.iter().all(|series| series.points.len() < 2) {
        return Ok(None);
    }
    let scale = if options.log { Scale::Log } else { Scale::Linear };
    let chart = Chart {
        title: format!("{} by load", untitled(column)),
        subtitle: results.shared(),
        x: Axis { most, ..Axis::titled(title) },
        y: Axis { scale, ..axis(column) },
        series,
        ..Chart::default()
    };
    Ok(Some(chart.draw_on(options.page)))
}

/// The number that is drawn where curves differ in it.
const TURNAROUND: &str = "turnaround_s_mean";

/// The largest part of a turnaround by which curves may differ and still be one line.
const SAME: f64 = 0.005;

/// Returns whether there are several curves and all have the same mean turnaround at each load, as allocators
/// have that never refuse a job, under one scheduler. A picture of them would be a single line.
fn has_one_turnaround(results: &Results) -> Result<bool, FigureError> {
    let turnaround = results.numbers(TURNAROUND)?;
    let load = |row: usize| results.load(row).map(Load::arrivals);
    let curves = results.curves_by_load();
    let mut heights = curves.iter().map(|curve| {
        let points = points(&curve.rows, &|row| results.load_key(row), &load, &|row| turnaround.get(row));
        points.into_iter().map(|point| point.y).collect::<Vec<f64>>()
    });
    let Some(first) = heights.next() else { return Ok(false) };
    let is_same = |other: Vec<f64>| {
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= SAME * a.abs().max(b.abs());
        other.len() == first.len() && other.iter().zip(&first).all(is_near)
    };
    Ok(curves.len() > 1 && heights.all(is_same))
}
