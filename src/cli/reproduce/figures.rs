//! The plot of a regenerated figure: its curves, or its numbers by the published ones.

use super::report::Comparison;
use crate::allocator;
use crate::figure::draw::{Axis, BarGroup, Bars, Chart, Drawing, Kind, Look, Point, Series};
use crate::figure::looks;
use crate::paper::{Item, Verdict};
use crate::spec::Spec;

/// The plot as SVG; `None` of figures without numbers.
pub(super) fn svg(comparison: &Comparison) -> Option<String> {
    curves(comparison).or_else(|| by_published(comparison)).map(Drawing::svg)
}

fn title(comparison: &Comparison) -> String {
    format!("{} {}: {}", comparison.paper.name, comparison.figure.name, comparison.figure.title)
}

/// Items that lie on curves, with their confidence intervals: a chart for each thing that is measured, below each other.
fn curves(comparison: &Comparison) -> Option<Drawing> {
    let mut measures: Vec<(&str, &str)> = Vec::new();
    for item in &comparison.items {
        let Some(place) = item.place.as_ref().filter(|place| place.is_drawn && item.measured.is_some())
        else {
            continue;
        };
        let measure = (place.axis, measure(item));
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    let picture = |measure: (&str, &str)| {
        if measure.0.starts_with(RATIO) { bars(comparison, measure.0) } else { chart(comparison, measure) }
    };
    let charts: Vec<Drawing> = measures.into_iter().map(picture).collect();
    (!charts.is_empty()).then(|| Drawing::stacked(charts))
}

/// How the name of an axis begins along which bars stand for ratios.
const RATIO: &str = "ratio to ";

/// Bars of ratios, a group for each place; under them what is known of its log: serial jobs and the like, in percent.
fn bars(comparison: &Comparison, axis: &str) -> Drawing {
    let placed =
        comparison.items.iter().filter_map(|item| Some((item, item.place.as_ref()?, item.measured?)));
    let (mut legend, mut groups): (Vec<(String, Look)>, Vec<BarGroup>) = (Vec::new(), Vec::new());
    let mut names: Vec<&str> = Vec::new();
    for (item, place, value) in placed.filter(|(_, place, _)| place.axis == axis) {
        let bar = legend.iter().position(|(name, _)| *name == place.curve).unwrap_or_else(|| {
            legend.push((place.curve.clone(), Look::default()));
            legend.len() - 1
        });
        let group = names.iter().position(|at| *at == place.at).unwrap_or_else(|| {
            names.push(&place.at);
            let name = format!("{}\n{}{}", item.log, item.machine, facts(comparison, &item.log));
            groups.push(BarGroup { name, bars: Vec::new() });
            groups.len() - 1
        });
        let bars = &mut groups[group].bars;
        bars.resize(bars.len().max(bar + 1), None);
        bars[bar] = Some(value);
    }
    let found = looks_of(legend.iter().map(|(name, _)| name.as_str()));
    for ((_, look), found) in legend.iter_mut().zip(found) {
        *look = found;
    }
    let title = title(comparison);
    Bars { title, subtitle: String::new(), axis: axis.to_owned(), legend, groups, base: 1.0 }.draw()
}

/// The percentages that are known of a log, whatever the machine, a line for each: `33.1 % serial jobs`; what they are
/// percentages of has a line before them.
fn facts(comparison: &Comparison, log: &str) -> String {
    let of_log = |item: &&Item| item.log == log && item.machine.is_empty() && item.verdict == Verdict::None;
    let (mut lines, mut before) = (Vec::new(), "");
    for item in comparison.items.iter().filter(of_log) {
        let (Some(name), Some(percent)) = (item.item.strip_suffix(", percent"), item.measured) else {
            continue;
        };
        let (of, name) = name.split_once(", ").unwrap_or(("", name));
        if of != before {
            lines.push(format!("\n{of}:"));
        }
        before = of;
        lines.push(format!("\n{percent:.1} % {name}"));
    }
    lines.concat()
}

/// The looks of curves: those of the allocators that their names tell, as in every other plot.
fn looks_of<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Look> {
    looks(&names.map(|name| (subject(name), name)).collect::<Vec<_>>())
}

/// Gives every curve its look.
fn give_looks(series: &mut [Series]) {
    let found = looks_of(series.iter().map(|series| series.name.as_str()));
    for (series, look) in series.iter_mut().zip(found) {
        series.look = look;
    }
}

/// The allocator that the name of a curve tells; if it tells none, the name's first part.
fn subject(curve: &str) -> &str {
    let is_allocator = |word: &&str| word.parse::<Spec>().is_ok_and(|spec| allocator::find(&spec).is_ok());
    let words = curve.split(", ").flat_map(|part| [part].into_iter().chain(part.split(' ')));
    words.clone().find(is_allocator).or(words.clone().next()).unwrap_or(curve)
}

/// The chart of what is measured along an axis.
fn chart(comparison: &Comparison, (axis, unit): (&str, &str)) -> Drawing {
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
                look: Look::default(),
                kind: Kind::Curve,
                points: vec![point],
            }),
        }
    }
    give_looks(&mut series);
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let x = Axis { title: axis.to_owned(), names, ..Axis::default() };
    let y = Axis { title: unit.to_owned(), ..Axis::default() };
    Chart { title: title(comparison), subtitle: String::new(), x, y, series }.draw()
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
fn by_published(comparison: &Comparison) -> Option<Drawing> {
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
            let look = Look::default();
            series.push(Series { name, look, kind: Kind::Points, points: vec![point] });
        }
    }
    give_looks(&mut series);
    let names = found.iter().map(|_| String::new()).collect();
    let x = Axis { title: "published numbers, in their order".to_owned(), names, ..Axis::default() };
    let y = Axis { title: "measured by published".to_owned(), shows: Some(1.0), ..Axis::default() };
    Some(Chart { title: title(comparison), subtitle: String::new(), x, y, series }.draw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocator_looks_as_in_every_other_plot() {
        for (curve, allocator) in [
            ("granular-mbs", "granular-mbs"),
            ("octet-mbs easy", "octet-mbs"),
            ("16 flits, gabl", "gabl"),
            ("first-fit, BQ(25)", "first-fit"),
            ("column-snake+bf, easy", "column-snake+bf"),
        ] {
            assert_eq!(subject(curve), allocator, "{curve}");
        }
        assert_eq!(subject("queue delay"), "queue delay");
    }

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
