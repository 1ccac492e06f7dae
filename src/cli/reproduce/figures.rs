//! The plot of a regenerated figure: its curves, or its numbers by the published ones.

use super::report::Comparison;
use crate::cli::results::{separate, style};
use crate::paper::Item;
use crate::render::plot::{self, Axis, Chart, Kind, Point, Series, Style};

/// The plot as SVG; `None` of figures without numbers.
pub(super) fn svg(comparison: &Comparison) -> Option<String> {
    curves(comparison).or_else(|| by_published(comparison))
}

fn title(comparison: &Comparison) -> String {
    format!("{} {}: {}", comparison.paper.name, comparison.figure.name, comparison.figure.title)
}

/// Items that lie on curves, with their confidence intervals: a chart for each thing that is measured, below each other.
fn curves(comparison: &Comparison) -> Option<String> {
    let mut measures: Vec<(&str, &str)> = Vec::new();
    for item in &comparison.items {
        let Some(place) = item.place.as_ref().filter(|_| item.measured.is_some()) else { continue };
        let measure = (place.axis, measure(item));
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    let charts: Vec<String> = measures.into_iter().map(|measure| chart(comparison, measure)).collect();
    (!charts.is_empty()).then(|| plot::stacked(&charts))
}

/// The chart of what is measured along an axis.
fn chart(comparison: &Comparison, (axis, unit): (&str, &str)) -> String {
    let of_chart = |item: &&Item| measure(item) == unit;
    let placed = comparison.items.iter().filter(of_chart);
    let placed = placed.filter_map(|item| Some((item, item.place.as_ref()?, item.measured?)));
    let (mut series, mut names): (Vec<Series>, Vec<String>) = (Vec::new(), Vec::new());
    for (item, place, y) in placed.filter(|(_, place, _)| place.axis == axis) {
        // Places that are no numbers stand beside each other in their order.
        let x = place.at.parse().unwrap_or_else(|_| {
            let at = names.iter().position(|name| *name == place.at).unwrap_or_else(|| {
                names.push(place.at.clone());
                names.len() - 1
            });
            at as f64
        });
        let point = Point { x, y, half_width: item.half_width.unwrap_or(0.0) };
        let curve = place.curve.as_str();
        let name = curve.strip_suffix(unit).and_then(|curve| curve.strip_suffix(", ")).unwrap_or(curve);
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => series.push(Series {
                name: name.to_owned(),
                style: style(name.split(',').next().unwrap_or_default()),
                kind: Kind::Curve,
                points: vec![point],
            }),
        }
    }
    separate(&mut series.iter_mut().map(|series| &mut series.style).collect::<Vec<_>>());
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let x = Axis { title: axis.to_owned(), names, ..Axis::default() };
    let y = Axis { title: unit.to_owned(), ..Axis::default() };
    Chart { title: title(comparison), subtitle: String::new(), x, y, series }.svg()
}

/// What an item of a curve measures: `gabl, turnaround, load 0.01` turnaround, as the item says between its curve and the
/// place on it, or else the curve at its end.
fn measure(item: &Item) -> &str {
    let Some(place) = &item.place else { return "" };
    let rest = item.item.strip_prefix(place.curve.as_str()).and_then(|rest| rest.strip_prefix(", "));
    let said = rest.and_then(|rest| Some(rest.split_once(", ")?.0));
    said.or_else(|| Some(place.curve.rsplit_once(", ")?.1)).unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_stands_behind_the_curve_or_in_it() {
        for (item, curve, expected) in [
            ("gabl, turnaround, load 0.01", "gabl", "turnaround"),
            ("16 flits, gabl, turnaround, load 0.01", "16 flits, gabl", "turnaround"),
            ("left-compaction, queue delay, M = 0", "left-compaction, queue delay", "queue delay"),
            ("moves, 128 processors", "left-compaction, moves of tasks", "moves of tasks"),
            ("queue delay, left-compaction, percent", "left-compaction", ""),
        ] {
            let item = Item::new(item, "", "").on_curve(curve, "x", "1");
            assert_eq!(measure(&item), expected, "{curve}");
        }
    }
}
