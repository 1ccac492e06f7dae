//! Draws the plot of a regenerated figure: its curves or bars, or else its measured numbers divided by the
//! published ones.

use super::finding::{Drawn, Finding, Mark, Place};
use super::regenerate::Comparison;
use meshreplay_figures::draw::{
    Axis, BarGroup, Bars, Chart, Drawing, Kind, Look, Page, Point, Range, Reference, Series,
};
use meshreplay_figures::looks;

/// Suffix of the names of plots of further quantities, behind the name of the figure.
pub const BESIDE: &str = "-beside";

/// A plot of a regenerated figure.
pub struct Plot {
    /// The name, such as `walker2010-fig13`; with the suffix `-beside` for a plot that the paper does not
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

/// The note below a chart without printed numbers.
const UNPRINTED: &str = "The paper draws these values and prints none of them.";

/// Returns what the hollow marks of a chart are: what the paper prints of each; empty if there are none.
fn published<'a>(marks: impl Iterator<Item = &'a Mark>) -> String {
    let said = distinct(marks.map(|mark| mark.said.as_str()));
    if said.is_empty() { String::new() } else { format!("published: {}", said.join("; ")) }
}

/// Returns the items without repetitions, in the order of their first occurrences.
pub(super) fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for item in items {
        if !distinct.contains(&item) {
            distinct.push(item);
        }
    }
    distinct
}

/// Returns the index of the first item that is wanted. Adds `new` if there is none.
pub(super) fn index_of<T>(
    items: &mut Vec<T>,
    is_wanted: impl Fn(&T) -> bool,
    new: impl FnOnce() -> T,
) -> usize {
    items.iter().position(is_wanted).unwrap_or_else(|| {
        items.push(new());
        items.len() - 1
    })
}

/// Returns the title of a chart, marked if the paper does not have the chart.
fn title(comparison: &Comparison, is_beside: bool) -> String {
    let beside = if is_beside { "Not in the paper, beside " } else { "" };
    format!("{beside}{} {}: {}", comparison.paper.name, comparison.figure.name, comparison.figure.title)
}

/// Returns the findings with a place in a plot, each with its measured number.
fn placed(comparison: &Comparison) -> impl Iterator<Item = (&Finding, &Place, f64)> {
    comparison
        .findings
        .iter()
        .filter_map(|finding| Some((finding, finding.place.as_ref()?, finding.measured?)))
}

/// Returns the findings on curves with their confidence intervals, as one chart for each quantity; none if
/// there are no such findings.
fn curves(comparison: &Comparison, page: Page) -> Vec<Drawing> {
    let drawn = placed(comparison).filter(|(_, place, _)| place.drawn != Drawn::Table);
    let measures =
        distinct(drawn.map(|(_, place, _)| (place.axis.as_str(), place.quantity.as_str(), place.drawn)));
    // Charts below each other share the height of a page; the paper's chart has a page of its own.
    let below = measures.len() - usize::from(comparison.figure.is_chart && measures.len() > 1);
    let page = Page { height: page.height.map(|height| height / below.max(1) as f64), ..page };
    let mut drawings = Vec::new();
    for (i, (axis, quantity, drawn)) in measures.into_iter().enumerate() {
        // One note is enough, below the first chart, which is the paper's.
        let is_unprinted = i == 0 && comparison.figure.is_chart && comparison.marks.is_empty();
        let panel = Panel {
            comparison,
            axis,
            title: title(comparison, comparison.figure.is_chart && i > 0),
            note: if is_unprinted { UNPRINTED } else { "" }.to_owned(),
            page,
        };
        drawings.push(match drawn {
            Drawn::Bars => panel.bars(1.0),
            Drawn::BarsFromZero => panel.bars(0.0),
            Drawn::Curve | Drawn::Table => panel.chart(quantity),
        });
    }
    drawings
}

/// One chart of a figure, before it is drawn.
struct Panel<'a> {
    comparison: &'a Comparison,
    /// The title of the horizontal axis of the findings that the chart shows.
    axis: &'a str,
    title: String,
    note: String,
    page: Page,
}

impl Panel<'_> {
    /// Returns bars, which begin at `base`: one group for each value along the axis. Below the bars of a log
    /// stand facts about it in percent, such as the share of serial jobs.
    fn bars(self, base: f64) -> Drawing {
        let Self { comparison, axis, title, note, page } = self;
        let (mut subjects, mut groups): (Vec<(&str, &str)>, Vec<BarGroup>) = (Vec::new(), Vec::new());
        let mut names: Vec<&str> = Vec::new();
        for (finding, place, value) in placed(comparison).filter(|(_, place, _)| place.axis == axis) {
            let subject = (place.look.as_str(), place.series.as_str());
            let bar = index_of(&mut subjects, |(_, name)| *name == place.series, || subject);
            let group = index_of(&mut names, |at| *at == place.at, || &place.at);
            if group == groups.len() {
                let name = if finding.log.is_empty() {
                    place.at.clone()
                } else {
                    format!("{}\n{}{}", finding.log, finding.machine, below_bars(comparison, &finding.log))
                };
                groups.push(BarGroup { name, ..BarGroup::default() });
            }
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
        let notes = [published(marks()), note];
        let names = subjects.iter().map(|(_, name)| (*name).to_owned());
        let legend = names.zip(looks(&subjects)).collect();
        let axis = axis.to_owned();
        Bars { title, axis, legend, groups, base, notes, ..Bars::default() }.draw_on(page)
    }

    /// Returns the chart of one quantity along the axis.
    fn chart(self, quantity: &str) -> Drawing {
        let Self { comparison, axis, title, note, page } = self;
        let (mut series, mut names): (Vec<Series>, Vec<String>) = (Vec::new(), Vec::new());
        let mut subjects: Vec<(&str, &str)> = Vec::new();
        let is_in_chart = |place: &Place| place.axis == axis && place.quantity == quantity;
        for (finding, place, y) in placed(comparison).filter(|(_, place, _)| is_in_chart(place)) {
            // Values that are not numbers stand next to each other, in the order of the findings.
            let x = place.at.parse().unwrap_or_else(|_| {
                index_of(&mut names, |name| *name == place.at, || place.at.clone()) as f64
            });
            let subject = (place.look.as_str(), place.series.as_str());
            index_of(&mut subjects, |(_, name)| *name == place.series, || subject);
            let point = Point { x, y, half_width: finding.half_width.unwrap_or(0.0) };
            add_point(&mut series, &place.series, Kind::Curve, point);
        }
        for (series, look) in series.iter_mut().zip(looks(&subjects)) {
            series.look = look;
            series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        let marks = || comparison.marks.iter().filter(|mark| is_in_chart(&mark.place));
        let reference = |mark: &Mark| {
            let curve = series.iter().find(|series| series.name == mark.place.series)?;
            let words = format!("{}, published: {}", mark.place.series, mark.said);
            Some(Reference { x: mark.place.at.parse().ok()?, y: mark.ends.0, look: curve.look, words })
        };
        let references = marks().filter_map(reference).collect();
        let x = Axis { title: axis.to_owned(), names, ..Axis::default() };
        let y = Axis { title: quantity.to_owned(), ..Axis::default() };
        let references_are = published(marks());
        Chart { title, x, y, series, references, references_are, note, ..Chart::default() }.draw_on(page)
    }
}

/// Adds a point to the curve of this name, or begins the curve with it.
fn add_point(series: &mut Vec<Series>, name: &str, kind: Kind, point: Point) {
    let new = || Series { name: name.to_owned(), look: Look::default(), kind, points: Vec::new() };
    let i = index_of(series, |series| series.name == name, new);
    series[i].points.push(point);
}

/// Returns the percentages that are known of a log, one per line, such as `33.1 % serial jobs`. A heading
/// comes before them, such as `parallel jobs:`.
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

/// Returns a chart of the ratios of measured to published numbers, in the order of the figure; a ratio of 1
/// means equal. `None` if there are no such ratios.
fn by_published(comparison: &Comparison, page: Page) -> Option<Drawing> {
    // Counts of comparisons are left out, because they are not measurements.
    let is_number = |finding: &&Finding| finding.ratio().is_some() && !finding.is_ordering;
    let ratios: Vec<&Finding> = comparison.findings.iter().filter(is_number).collect();
    if ratios.len() < 2 {
        return None;
    }
    let mut series: Vec<Series> = Vec::new();
    // The first number is at the top.
    for (i, finding) in ratios.iter().rev().enumerate() {
        let name = format!("{} {}", finding.log, finding.machine).trim().to_owned();
        let point = Point { x: finding.ratio()?, y: i as f64, half_width: 0.0 };
        add_point(&mut series, &name, Kind::Points, point);
    }
    let subjects: Vec<(&str, &str)> = series.iter().map(|series| (&*series.name, &*series.name)).collect();
    let looks = looks(&subjects);
    for (series, look) in series.iter_mut().zip(looks) {
        series.look = look;
    }
    series.reverse();
    let names = ratios.iter().rev().map(|finding| finding.item.clone()).collect();
    let y = Axis { names, ..Axis::default() };
    let measured = "measured number divided by the published one".to_owned();
    let x = Axis { title: measured, shows: Some(1.0), ..Axis::default() };
    Some(Chart { title: title(comparison, false), x, y, series, ..Chart::default() }.draw_on(page))
}
