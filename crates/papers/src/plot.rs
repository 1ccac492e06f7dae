//! Draws the plot of a regenerated figure: its curves or bars, or else its measured numbers divided by the
//! published ones.

use super::finding::{Drawn, Finding, Mark, Place};
use super::regenerate::Comparison;
use meshreplay_figures::draw::{
    Axis, BarGroup, Bars, Chart, Drawing, Kind, Look, Page, Point, Range, Reference, Series,
};
use meshreplay_figures::looks;

/// What stands behind the name of a figure in the name of the plot of further quantities.
pub const BESIDE: &str = "-beside";

/// A plot of a regenerated figure.
pub struct Plot {
    /// The name, such as `walker2010-fig13`, which with [`BESIDE`] is that of a plot that the paper does not
    /// have.
    pub name: String,
    /// The drawing.
    pub drawing: Drawing,
}

/// Returns the plots of a figure for a page. Of a chart the first one is in the paper's form, and what is
/// measured besides, such as the same under another scheduler, is a second plot. Returns none if the figure
/// has no numbers.
pub fn plots(comparison: &Comparison, page: Page) -> Vec<Plot> {
    let name = format!("{}-{}", comparison.paper.name, comparison.figure.name);
    let plot = |name: &str, drawing: Drawing| Plot { name: name.to_owned(), drawing };
    let mut charts = curves(comparison, page);
    if charts.is_empty() {
        return by_published(comparison, page).map(|drawing| plot(&name, drawing)).into_iter().collect();
    }
    let others = if comparison.figure.is_chart { charts.split_off(1) } else { Vec::new() };
    let mut plots = vec![plot(&name, Drawing::stacked(charts))];
    if !others.is_empty() {
        plots.push(plot(&(name + BESIDE), Drawing::stacked(others)));
    }
    plots
}

/// What is said below a chart of which the paper prints no number.
const UNPRINTED: &str = "The paper draws these values and prints none of them.";

/// Returns what the hollow marks of a chart are: what the paper prints of each; empty if there are none.
fn published<'a>(marks: impl Iterator<Item = &'a Mark>) -> String {
    let mut said: Vec<&str> = Vec::new();
    for mark in marks {
        if !said.contains(&mark.said.as_str()) {
            said.push(&mark.said);
        }
    }
    if said.is_empty() { String::new() } else { format!("published: {}", said.join("; ")) }
}

/// Returns the title of a chart, which says so if the paper does not have it.
fn title(comparison: &Comparison, is_beside: bool) -> String {
    let beside = if is_beside { "Not in the paper, beside " } else { "" };
    format!("{beside}{} {}: {}", comparison.paper.name, comparison.figure.name, comparison.figure.title)
}

/// Returns the findings that lie on curves, each with its place and its measured number.
fn placed(comparison: &Comparison) -> impl Iterator<Item = (&Finding, &Place, f64)> {
    comparison
        .findings
        .iter()
        .filter_map(|finding| Some((finding, finding.place.as_ref()?, finding.measured?)))
}

/// Returns the findings on curves with their confidence intervals, as one chart for each quantity; none if
/// there are no such findings.
fn curves(comparison: &Comparison, page: Page) -> Vec<Drawing> {
    let mut measures: Vec<(&str, &str, Drawn)> = Vec::new();
    for (_, place, _) in placed(comparison).filter(|(_, place, _)| place.drawn != Drawn::Table) {
        let measure = (place.axis.as_str(), place.quantity.as_str(), place.drawn);
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    // Charts below each other share the height of a page; the paper's chart has a page of its own.
    let below = measures.len() - usize::from(comparison.figure.is_chart && measures.len() > 1);
    let page = Page { height: page.height.map(|height| height / below.max(1) as f64), ..page };
    // What is not printed is said once, below the first chart, which is the paper's.
    let picture = |(i, (axis, quantity, drawn)): (usize, (&str, &str, Drawn))| {
        let note =
            if i == 0 && comparison.figure.is_chart && comparison.marks.is_empty() { UNPRINTED } else { "" };
        let title = title(comparison, comparison.figure.is_chart && i > 0);
        match drawn {
            Drawn::Bars => bars(comparison, axis, 1.0, (title, note, page)),
            Drawn::BarsFromZero => bars(comparison, axis, 0.0, (title, note, page)),
            Drawn::Curve | Drawn::Table => chart(comparison, (axis, quantity), (title, note, page)),
        }
    };
    measures.into_iter().enumerate().map(picture).collect()
}

/// Returns bars of ratios, one group for each value along the axis. Below the bars of a log stand facts about
/// it in percent, such as the share of serial jobs.
fn bars(
    comparison: &Comparison,
    axis: &str,
    base: f64,
    (title, note, page): (String, &str, Page),
) -> Drawing {
    let (mut subjects, mut groups): (Vec<(&str, &str)>, Vec<BarGroup>) = (Vec::new(), Vec::new());
    let mut names: Vec<&str> = Vec::new();
    for (finding, place, value) in placed(comparison).filter(|(_, place, _)| place.axis == axis) {
        let bar = subjects.iter().position(|(_, name)| *name == place.series).unwrap_or_else(|| {
            subjects.push((&place.look, &place.series));
            subjects.len() - 1
        });
        let group = names.iter().position(|at| *at == place.at).unwrap_or_else(|| {
            names.push(&place.at);
            let name = if finding.log.is_empty() {
                place.at.clone()
            } else {
                format!("{}\n{}{}", finding.log, finding.machine, below_bars(comparison, &finding.log))
            };
            groups.push(BarGroup { name, ..BarGroup::default() });
            groups.len() - 1
        });
        let bars = &mut groups[group].bars;
        bars.resize(bars.len().max(bar + 1), None);
        bars[bar] = Some(value);
    }
    let marks = || comparison.marks.iter().filter(|mark| mark.place.axis == axis);
    for Mark { place, ends, said } in marks() {
        let bar = subjects.iter().position(|(_, name)| *name == place.series);
        let group = names.iter().position(|at| *at == place.at);
        if let (Some(bar), Some(group)) = (bar, group) {
            let words = format!("{}, {}, published: {said}", place.at, place.series);
            groups[group].ranges.push(Range { bar, ends: *ends, words });
        }
    }
    let notes = [published(marks()), note.to_owned()];
    let names = subjects.iter().map(|(_, name)| (*name).to_owned());
    let legend = names.zip(looks(&subjects)).collect();
    Bars { title, subtitle: String::new(), axis: axis.to_owned(), legend, groups, base, notes }.draw_on(page)
}

/// Returns the percentages that are known of a log, one per line, such as `33.1 % serial jobs`. A line before
/// them says of what they are percentages.
fn below_bars(comparison: &Comparison, log: &str) -> String {
    let (mut lines, mut before) = (Vec::new(), "");
    for finding in comparison.findings.iter().filter(|finding| finding.log == log) {
        let (Some([of, name]), Some(percent)) = (&finding.below_bars, finding.measured) else { continue };
        if of != before {
            lines.push(format!("\n{of}:"));
        }
        before = of;
        lines.push(format!("\n{percent:.1} % {name}"));
    }
    lines.concat()
}

/// Returns the chart of one quantity along one axis.
fn chart(
    comparison: &Comparison,
    (axis, quantity): (&str, &str),
    (title, note, page): (String, &str, Page),
) -> Drawing {
    let (mut series, mut names): (Vec<Series>, Vec<String>) = (Vec::new(), Vec::new());
    let mut subjects: Vec<(&str, &str)> = Vec::new();
    let of_chart = |place: &Place| place.axis == axis && place.quantity == quantity;
    for (finding, place, y) in placed(comparison).filter(|(_, place, _)| of_chart(place)) {
        // Values that are not numbers stand next to each other, in the order of the findings.
        let x = place.at.parse().unwrap_or_else(|_| {
            let at = names.iter().position(|name| *name == place.at).unwrap_or_else(|| {
                names.push(place.at.clone());
                names.len() - 1
            });
            at as f64
        });
        let point = Point { x, y, half_width: finding.half_width.unwrap_or(0.0) };
        if let Some(series) = series.iter_mut().find(|series| series.name == place.series) {
            series.points.push(point);
        } else {
            let (name, look) = (place.series.clone(), Look::default());
            series.push(Series { name, look, kind: Kind::Curve, points: vec![point] });
            subjects.push((&place.look, &place.series));
        }
    }
    for (series, look) in series.iter_mut().zip(looks(&subjects)) {
        series.look = look;
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    let marks = || comparison.marks.iter().filter(|mark| of_chart(&mark.place));
    let reference = |mark: &Mark| {
        let of = series.iter().find(|series| series.name == mark.place.series)?;
        let words = format!("{}, published: {}", mark.place.series, mark.said);
        Some(Reference { x: mark.place.at.parse().ok()?, y: mark.ends.0, look: of.look, words })
    };
    let references = marks().filter_map(reference).collect();
    let x = Axis { title: axis.to_owned(), names, ..Axis::default() };
    let y = Axis { title: quantity.to_owned(), ..Axis::default() };
    let (references_are, note) = (published(marks()), note.to_owned());
    Chart { title, x, y, series, references, references_are, note, ..Chart::default() }.draw_on(page)
}

/// Returns a chart of the ratios of measured to published numbers, in the order of the figure; a ratio of 1
/// means equal. `None` if there are no such ratios.
fn by_published(comparison: &Comparison, page: Page) -> Option<Drawing> {
    // Counts of comparisons are left out, because they are not measurements.
    let is_number = |finding: &&Finding| finding.ratio().is_some() && !finding.is_ordering;
    let found: Vec<&Finding> = comparison.findings.iter().filter(is_number).collect();
    if found.len() < 2 {
        return None;
    }
    let mut series: Vec<Series> = Vec::new();
    for (i, finding) in found.iter().enumerate() {
        let name = [finding.log.as_str(), finding.machine.as_str()].join(" ").trim().to_owned();
        let point = Point { x: i as f64, y: finding.ratio()?, half_width: 0.0 };
        if let Some(series) = series.iter_mut().find(|series| series.name == name) {
            series.points.push(point);
        } else {
            series.push(Series { name, look: Look::default(), kind: Kind::Points, points: vec![point] });
        }
    }
    let subjects: Vec<(&str, &str)> =
        series.iter().map(|series| (series.name.as_str(), series.name.as_str())).collect();
    let looks = looks(&subjects);
    for (series, look) in series.iter_mut().zip(looks) {
        series.look = look;
    }
    let names = found.iter().map(|_| String::new()).collect();
    let x = Axis { title: "published numbers, in their order".to_owned(), names, ..Axis::default() };
    let y = Axis { title: "measured by published".to_owned(), shows: Some(1.0), ..Axis::default() };
    Some(Chart { title: title(comparison, false), x, y, series, ..Chart::default() }.draw_on(page))
}
