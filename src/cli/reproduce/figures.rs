//! The plot of a regenerated figure: its curves, or its numbers by the published ones.

use super::report::Comparison;
use crate::cli::results::style;
use crate::paper::Item;
use crate::render::plot::{Axis, Chart, Kind, Point, Series, Style};

/// The plot as SVG; `None` of figures without numbers.
pub(super) fn svg(comparison: &Comparison) -> Option<String> {
    curves(comparison).or_else(|| by_published(comparison))
}

fn title(comparison: &Comparison) -> String {
    format!("{} {}: {}", comparison.paper.name, comparison.figure.name, comparison.figure.title)
}

/// Items that lie on curves, with their confidence intervals.
fn curves(comparison: &Comparison) -> Option<String> {
    let placed =
        comparison.items.iter().filter_map(|item| Some((item, item.place.as_ref()?, item.measured?)));
    let (mut series, mut axis, mut names): (Vec<Series>, &str, Vec<String>) = (Vec::new(), "", Vec::new());
    for (item, place, y) in placed {
        axis = place.axis;
        // Places that are no numbers stand beside each other in their order.
        let x = place.at.parse().unwrap_or_else(|_| {
            let at = names.iter().position(|name| *name == place.at).unwrap_or_else(|| {
                names.push(place.at.clone());
                names.len() - 1
            });
            at as f64
        });
        let point = Point { x, y, half_width: item.half_width.unwrap_or(0.0) };
        match series.iter_mut().find(|series| series.name == place.curve) {
            Some(series) => series.points.push(point),
            None => series.push(Series {
                name: place.curve.clone(),
                style: style(place.curve.split(',').next().unwrap_or_default()),
                kind: Kind::Curve,
                points: vec![point],
            }),
        }
    }
    for i in 1..series.len() {
        while (0..i).any(|j| series[j].style.looks_like(series[i].style)) {
            series[i].style.0 += 1;
        }
    }
    if series.is_empty() {
        return None;
    }
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let unit = comparison.items.iter().find_map(unit).unwrap_or_default();
    let x = Axis { title: axis.to_owned(), names, ..Axis::default() };
    let y = Axis { title: unit, ..Axis::default() };
    Some(Chart { title: title(comparison), subtitle: String::new(), x, y, series }.svg())
}

/// What the items of curves measure: `gabl, turnaround, load 0.01` measures turnaround.
fn unit(item: &Item) -> Option<String> {
    let curve = &item.place.as_ref()?.curve;
    let rest = item.item.strip_prefix(curve.as_str())?.trim_start_matches(", ");
    Some(rest.split(',').next()?.to_owned())
}

/// Measured by published numbers, in the order of the figure; 1 is equal.
fn by_published(comparison: &Comparison) -> Option<String> {
    // Counts of comparisons are no measurements.
    let is_number = |item: &&Item| item.ratio().is_some() && !item.is_ordering;
    let found: Vec<&Item> = comparison.items.iter().filter(is_number).collect();
    if found.len() < 2 {
        return None;
    }
    let mut series: Vec<Series> = Vec::new();
    for (i, item) in found.iter().enumerate() {
        let name = [item.log.as_str(), item.machine.as_str()].join(" ").trim().to_owned();
        let point = Point { x: i as f64, y: item.ratio()?, half_width: 0.0 };
        if let Some(series) = series.iter_mut().find(|series| series.name == name) {
            series.points.push(point);
        } else {
            let style = Style(series.len());
            series.push(Series { name, style, kind: Kind::Points, points: vec![point] });
        }
    }
    let names = found.iter().map(|_| String::new()).collect();
    let x = Axis { title: "published numbers, in their order".to_owned(), names, ..Axis::default() };
    let y = Axis { title: "measured by published".to_owned(), shows: Some(1.0), ..Axis::default() };
    Some(Chart { title: title(comparison), subtitle: String::new(), x, y, series }.svg())
}
