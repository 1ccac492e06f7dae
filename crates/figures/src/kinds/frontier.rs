//! The plot `frontier`: the dispersal of jobs against the cost of the allocator per job.

use super::values::{TimeUnit, axis, mean, untitled};
use crate::curves::{Curve, in_panels};
use crate::draw::{Axis, Chart, Kind, Panel, Panels, Point, PointLabel, Scale, Series};
use crate::kind::{Drawn, PlotKind, PlotOptions, Setting};
use crate::load::Load;
use crate::results::Results;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "frontier",
    summary: "Dispersal against what an allocator costs per job",
    needs: "times (calls_ns_per_job); leave out --no-timing, and replay results of version 1.0 again",
    takes: &[Setting::Value],
    example: None,
    draw,
};

/// Draws the plot; `None` if the calls were not timed.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("pairwise_mean_mean");
    let Ok(costs) = results.numbers("calls_ns_per_job") else { return Ok(Panels::default()) };
    let cost = |row: usize| costs.get(row).filter(|ns| *ns > 0.0);
    let y = results.chosen("--value", column)?;
    let unit = TimeUnit::for_durations((0..results.table.height()).filter_map(cost));
    let same_load = |a: &usize, b: &usize| {
        results.load_columns().iter().all(|name| results.label(*a, name) == results.label(*b, name))
    };
    let panel = |curves: Vec<Curve>| {
        let (subtitle, mut labels, mut at_first_load) = (curves[0].panel.clone(), Vec::new(), Vec::new());
        let series = |Curve { name, look, rows, .. }: Curve| {
            // Each load is one point: the median cost of its replications, and the mean of their values.
            let loads: Vec<&[usize]> = rows.chunk_by(same_load).collect();
            let mut point = |rows: &&[usize]| {
                let x = median(rows.iter().filter_map(|&row| cost(row)).collect())? / unit.ns;
                let y = mean(rows.iter().map(|&row| y.get(row)))?;
                let words = results.load(rows[0]).filter(|_| loads.len() > 1).map(Load::short);
                labels.extend(words.map(|words| PointLabel { x, y, words }));
                Some(Point { x, y, half_width: 0.0 })
            };
            let points: Vec<Point> = loads.iter().filter_map(&mut point).collect();
            let is_first = |rows: &&[usize]| same_load(&rows[0], &0);
            at_first_load.extend(loads.iter().filter(|rows| is_first(rows)).filter_map(&mut point));
            Series { name, look, kind: if points.len() > 1 { Kind::Curve } else { Kind::Points }, points }
        };
        let series: Vec<Series> = curves.into_iter().map(series).collect();
        let title = format!("allocator calls per job ({})", unit.name);
        let x = Axis { scale: Scale::Log, ..Axis::titled(title) };
        Chart {
            subtitle,
            x,
            y: axis(column),
            series,
            labels,
            front: front(at_first_load),
            ..Chart::default()
        }
    };
    let panels =
        in_panels(results.curves(results.load_columns()), |curve| &curve.panel).into_iter().map(panel);
    let panels: Vec<Chart> = panels.collect();
    let load = results.load(0).filter(|_| panels.iter().any(|panel| !panel.labels.is_empty()));
    let note = load.map(|load| format!("{} beside points, where there is room. ", load.name()));
    let is_front = panels.iter().any(|panel| !panel.front.is_empty());
    let front = match load.map(Load::short) {
        _ if !is_front => String::new(),
        Some(load) => format!("Grey line: the frontier at {load}."),
        None => "Grey line: the frontier.".to_owned(),
    };
    Ok(Panels {
        title: format!("{} against the cost of the allocator", untitled(column)),
        subtitle: results.shared(),
        panels: panels.into_iter().map(Panel::Chart).collect(),
        columns: 3,
        aspect: Some(0.8),
        note: note.unwrap_or_default() + &front,
        ..Panels::default()
    })
}

/// Returns the corners of the line along the points that no other point is below and left of; none for fewer
/// than two such points.
fn front(mut points: Vec<Point>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for Point { x, y, .. } in points {
        match corners.last() {
            Some((_, lowest)) if y >= *lowest => {}
            Some(&(_, lowest)) => corners.extend([(x, lowest), (x, y)]),
            None => corners.push((x, y)),
        }
    }
    if corners.len() > 1 { corners } else { Vec::new() }
}

/// Returns the median of some values; `None` without any.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(if values.len() % 2 == 1 { upper } else { f64::midpoint(values[middle - 1], upper) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frontier_joins_what_nothing_beats() {
        let points = |all: &[(f64, f64)]| -> Vec<Point> {
            all.iter().map(|&(x, y)| Point { x, y, half_width: 0.0 }).collect()
        };
        let found = front(points(&[(3.0, 2.0), (1.0, 5.0), (2.0, 6.0), (3.0, 1.0), (4.0, 1.0)]));
        assert_eq!(found, [(1.0, 5.0), (3.0, 5.0), (3.0, 1.0)]);
        assert!(front(points(&[(1.0, 1.0), (2.0, 2.0)])).is_empty());
    }
}
