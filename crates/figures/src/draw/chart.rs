//! Charts of curves and points over two axes, with the names of curves next to their ends.

use super::axis::{Axis, Scale, Ticks, ends};
use super::drawing::{Anchor, Drawing, GRID, INK, Position, QUIET, Style, title_height};
use super::legend::{Legend, LegendEntry, Notes, Sample};
use super::look::Look;
use super::page::{Heading, Names, Page, some_of};
use super::point_labels::{PointLabel, draw_labels};
use super::text::{LINE, four_digits, widest};
use crate::span::Span;

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// The horizontal coordinate, as a value of the axis.
    pub x: f64,
    /// The vertical coordinate, as a value of the axis.
    pub y: f64,
    /// Half the width of the confidence interval; 0 if there is none.
    pub half_width: f64,
}

/// The style of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Points with markers, joined by lines.
    #[default]
    Curve,
    /// Lines with only a few markers, for many points.
    Line,
    /// Markers without lines.
    Points,
}

/// A curve or a set of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name of the series.
    pub name: String,
    /// The look of the series.
    pub look: Look,
    /// The style.
    pub kind: Kind,
    /// The points, sorted from left to right.
    pub points: Vec<Point>,
}

/// A value to compare the data with, such as a published one, drawn as a hollow mark.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The horizontal coordinate, as a value of the axis.
    pub x: f64,
    /// The vertical coordinate, as a value of the axis.
    pub y: f64,
    /// The look of its curve.
    pub look: Look,
    /// The tooltip.
    pub words: String,
}

/// A chart of curves and points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// The title of the chart.
    pub title: String,
    /// The subtitle: shared properties of all curves.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
    /// Texts beside points, drawn where there is room.
    pub labels: Vec<PointLabel>,
    /// Values to compare the data with.
    pub references: Vec<Reference>,
    /// The corners of a grey line behind the data, as values of the axes; empty for none.
    pub front: Vec<(f64, f64)>,
    /// The meaning of hollow marks, printed below the data; empty without marks.
    pub references_are: String,
    /// A remark printed below the data; empty for none.
    pub note: String,
}

/// The area of the page that shows the data, in pixels, with its axes.
struct PlotArea {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: Ticks,
    y: Ticks,
}

impl PlotArea {
    /// Returns the position on the page of the point with these values.
    fn at(&self, x: f64, y: f64) -> Position {
        (self.left + self.width * self.x.share(x), self.top + self.height * (1.0 - self.y.share(y)))
    }
}

// Lengths in pixels: the space below the data, the width and height of the data, and the least width of the
// data with names of curves at the right.
const BOTTOM: f64 = 52.0;
const WIDE: f64 = 560.0;
const HIGH: f64 = 360.0;
const NARROW: f64 = 300.0;
/// The style of a frontier.
const FRONT: Style<'_> = Style { colour: "#999999", class: "front" };
/// Height of a name on the vertical axis, in pixels.
const NAMED: f64 = 14.0;

/// Returns the axis of `values`, with about `wanted` ticks and with its ends close to the values, or with a
/// tick for each name and half a unit around the names. Without values it has no ticks.
fn ticks(axis: &Axis, values: impl Iterator<Item = f64>, wanted: usize) -> Ticks {
    if !axis.names.is_empty() {
        let marks = axis.names.iter().enumerate().map(|(i, name)| (i as f64, name.clone())).collect();
        let span = Span::new(-0.5, axis.names.len() as f64 - 0.5);
        return Ticks { span, marks, scale: axis.scale };
    }
    let mut values = values.peekable();
    if values.peek().is_none() {
        return Ticks { span: Span::new(0.0, 1.0), marks: Vec::new(), scale: Scale::Linear };
    }
    let data = axis.span(values);
    let span =
        if data.is_empty() { Span::new(0.0, 1.0) } else { ends(axis.scale, data, axis.shows, axis.most) };
    let mut ticks = Ticks::new(axis.scale, span, wanted);
    if !axis.marks.is_empty() {
        ticks.marks.clone_from(&axis.marks);
    }
    ticks
}

impl Chart {
    /// Returns the chart as a drawing for a screen. O(points).
    pub fn draw(&self) -> Drawing {
        self.draw_on(Page::default())
    }

    /// Returns the chart as a drawing for a page. The names of curves are at the right, next to their ends,
    /// or in a legend below the data on a narrow page.
    pub fn draw_on(&self, page: Page) -> Drawing {
        let all = self.series.len();
        page.fitted(all, "curves", &|shown| {
            let mut chart = self.clone();
            chart.series.truncate(shown);
            [&*self.note, " ", &some_of(shown, all, "curves")].concat().trim().clone_into(&mut chart.note);
            chart.draw_all(page)
        })
    }

    /// Returns the horizontal axis, with about `wanted` ticks.
    fn horizontal(&self, wanted: usize) -> Ticks {
        let points = self.series.iter().flat_map(|series| &series.points).map(|point| point.x);
        ticks(&self.x, points.chain(self.references.iter().map(|reference| reference.x)), wanted)
    }

    /// Returns the vertical axis, with about `wanted` ticks.
    fn vertical(&self, wanted: usize) -> Ticks {
        let points = || self.series.iter().flat_map(|series| &series.points);
        // Confidence intervals of data that are never negative are cut at 0.
        let least = if points().all(|point| point.y >= 0.0) { 0.0 } else { f64::NEG_INFINITY };
        let ends = |point: &Point| [(point.y - point.half_width).max(least), point.y + point.half_width];
        let heights = || points().flat_map(ends).chain(self.references.iter().map(|reference| reference.y));
        ticks(&self.y.with_zero_if_near(self.y.span(heights())), heights(), wanted)
    }

    /// Returns the title of the vertical axis, and its ends.
    pub(super) fn vertical_title(&self) -> (String, Span) {
        let span = self.vertical(6).span;
        (self.y.title(span), span)
    }

    /// Returns the chart with all of its curves.
    fn draw_all(&self, page: Page) -> Drawing {
        let heading = Heading::new(page, &self.title, &self.subtitle);
        let y = self.vertical(6);
        let left = y.width() + if page.is_panel() { 14.0 } else { 44.0 };
        let beside = widest(self.series.iter().map(|series| &*series.name)) + 44.0 + self.key();
        let has_names = !page.is_panel() && page.names == Names::Inside;
        let is_beside = has_names && page.width.is_none_or(|width| width - left - beside >= NARROW);
        let right = if is_beside { beside + if page.width.is_some() { 0.0 } else { 16.0 } } else { 14.0 };
        let wide = page.width.map_or(WIDE, |width| (width - left - right).max(60.0));
        let mut x = self.horizontal(((wide / 80.0) as usize).clamp(2, 6));
        if self.x.names.is_empty() {
            x.thin(wide);
        }
        let names = if has_names && !is_beside { self.samples() } else { Vec::new() };
        let legend = Legend::new(names, left + wide);
        let mut area = PlotArea { left, top: heading.height(), width: wide, height: HIGH, x, y };
        let is_named = page.names == Names::Inside;
        let coinciding = if is_named && !page.panel.is_some_and(|panel| panel.names_coinciding) {
            self.coincidence(&area)
        } else {
            String::new()
        };
        let from = if page.width.is_some() { 4.0 } else { left };
        let sentences = [&*coinciding, &self.references_are, &self.note];
        let notes = Notes::new(sentences, left + wide + right - from - 4.0, false);
        let has_x_title = page.panel.is_none_or(|panel| panel.has_x_unit);
        let title = if page.is_panel() { self.x.title_and_unit()[1] } else { &self.x.title };
        let below_data = if has_x_title { BOTTOM + title_height(title, page.width) } else { BOTTOM - 24.0 };
        let below = below_data + notes.height() + legend.height() + 4.0;
        let names = if is_beside { self.series.len() as f64 * LINE } else { 0.0 };
        let names = names.max(self.y.names.len() as f64 * NAMED);
        area.height = match (page.height, page.width) {
            (Some(height), _) => (height - area.top - below).max(60.0),
            (None, Some(_)) => (0.65 * wide).clamp(120.0, HIGH).max(names),
            (None, None) => HIGH.max(names),
        };
        if area.height < 240.0 {
            area.y = self.vertical(((area.height / 45.0) as usize).clamp(3, 6));
        }
        let bottom = area.top + area.height + below_data;
        let mut drawing = Drawing::titled(&heading, left, left + wide + right, bottom + below - below_data);
        self.draw_data(&mut drawing, &area, page.names);
        if has_x_title {
            drawing.title_below(area.left + area.width / 2.0, area.top + area.height + 40.0, title);
        }
        if !page.is_panel() {
            let y = area.top + area.height / 2.0;
            drawing.upright(18.0, y, area.height + 10.0, &self.y.title(area.y.span));
        }
        if is_beside {
            self.draw_names(&mut drawing, &area);
        }
        legend.draw(&mut drawing, 4.0, bottom - 6.0);
        notes.draw(&mut drawing, from, bottom + legend.height() + 7.0);
        drawing
    }

    /// Returns the curves with their paths in this area.
    fn paths(&self, area: &PlotArea) -> Vec<NamedPath<'_>> {
        let path = |series: &Series| fit(series).iter().map(|point| area.at(point.x, point.y)).collect();
        let paths = self.series.iter();
        paths.map(|series| (&*series.name, path(series), series.kind != Kind::Points)).collect()
    }

    /// Returns a sentence on coinciding curves in this area; empty if there are none.
    fn coincidence(&self, area: &PlotArea) -> String {
        let paths = self.paths(area);
        coinciding_in_words(&paths, coinciding(&paths)).unwrap_or_default()
    }

    /// Returns a sentence on coinciding curves in a panel of this width; empty if there are none.
    pub(super) fn coincidence_in_panel(&self, width: f64) -> String {
        let (x, y) = (self.horizontal(6), self.vertical(6));
        let width = width - y.width() - 28.0;
        self.coincidence(&PlotArea { left: 0.0, top: 0.0, width, height: HIGH, x, y })
    }

    /// Draws the axes and the curves. Of coinciding curves that a sentence names, only the first is drawn.
    fn draw_data(&self, page: &mut Drawing, area: &PlotArea, names: Names) {
        draw_axes(page, area);
        for pair in self.front.windows(2) {
            let [(x1, y1), (x2, y2)] = [pair[0], pair[1]].map(|(x, y)| area.at(x, y));
            page.line(x1, y1, x2, y2, FRONT);
        }
        if self.series.iter().all(|series| series.points.is_empty()) && self.references.is_empty() {
            let [x, y] = [area.left + area.width / 2.0, area.top + area.height / 2.0];
            let words = if self.x.scale == Scale::Log { "nothing above 0" } else { "no values" };
            page.text(x, y, Anchor::Middle, QUIET, words);
        }
        let mut order: Vec<(usize, &Series)> = self.series.iter().enumerate().collect();
        if names == Names::Inside {
            let groups = coinciding(&self.paths(area));
            let is_drawn = |i: usize| groups.iter().any(|group| group[0] == i);
            order.retain(|(i, series)| series.kind == Kind::Points || is_drawn(*i));
        }
        // Solid curves first, so that dashed ones stay visible where curves coincide. All markers are above
        // all curves.
        order.sort_by_key(|(_, series)| series.look.layer());
        // Coinciding bands are one band, as several on each other would be a dark one.
        let bands: Vec<NamedPath<'_>> =
            self.series.iter().map(|series| (&*series.name, band(area, series).concat(), false)).collect();
        let has_band: Vec<usize> = coinciding(&bands).iter().map(|group| group[0]).collect();
        for (i, series) in &order {
            draw_curve(page, area, series, has_band.contains(i));
        }
        for (i, series) in order {
            draw_markers(page, area, series, i as f64 / self.series.len() as f64);
        }
        let markers = self.series.iter().flat_map(fit).map(|point| area.at(point.x, point.y));
        let labels = self.labels.iter().map(|label| (area.at(label.x, label.y), &*label.words));
        let [right, bottom] = [area.left + area.width, area.top + area.height];
        draw_labels(
            page,
            [area.left, area.top, right, bottom],
            markers.collect(),
            &labels.collect::<Vec<_>>(),
        );
        for reference in self.references.iter().filter(|reference| reference.y.is_finite()) {
            let (x, y) = area.at(reference.x, reference.y);
            page.hollow(x, y, Some((reference.look, &reference.words)));
        }
    }

    /// Returns the entries of a legend, in the order of the curves.
    pub(super) fn samples(&self) -> Vec<LegendEntry<'_>> {
        let sample = |series: &Series| match series.kind {
            Kind::Points => Sample::Marker(series.look),
            Kind::Curve | Kind::Line => Sample::Curve(series.look),
        };
        self.series
            .iter()
            .filter(|series| !series.points.is_empty())
            .map(|series| (series.name.as_str(), sample(series)))
            .collect()
    }

    /// Returns the width of the sample of a curve in front of its name; 0 if there are only points.
    fn key(&self) -> f64 {
        if self.series.iter().all(|series| series.kind == Kind::Points) { 0.0 } else { 24.0 }
    }

    /// Draws the names at the right, as close to the ends of their curves as possible without overlap.
    fn draw_names(&self, page: &mut Drawing, area: &PlotArea) {
        let end = |series: &Series| {
            let last = series.points.iter().rev().find(|point| point.y.is_finite())?;
            Some(area.at(last.x, last.y))
        };
        let mut ends: Vec<(&Series, Position)> =
            self.series.iter().filter_map(|series| Some((series, end(series)?))).collect();
        ends.sort_by(|a, b| a.1.1.total_cmp(&b.1.1));
        let wanted: Vec<f64> = ends.iter().map(|(_, (_, y))| *y).collect();
        // Names must not overlap: they keep the order of the curves' ends and the height of a line between
        // them.
        let heights = spread(&wanted, Span::new(area.top + 6.0, area.top + area.height), LINE);
        let right = area.left + area.width;
        for ((series, (x, y)), height) in ends.into_iter().zip(heights) {
            let (from, to) = (right + 18.0, right + 26.0 + self.key());
            if series.kind != Kind::Points {
                // A thin line joins the end of a curve with its name if the curve reaches the right edge.
                if right - x < 2.0 {
                    page.line(x + 5.0, y, right + 14.0, height, GRID);
                }
                page.curve(&[(from, height), (to, height)], series.look);
            }
            page.marker(f64::midpoint(from, to), height, series.look, None);
            page.text(to + 6.0, height + 4.0, Anchor::Start, INK, &series.name);
        }
    }
}

/// Returns the points with finite coordinates.
fn fit(series: &Series) -> Vec<&Point> {
    series.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite()).collect()
}

/// Returns the lower and the upper end of the confidence band of a series.
fn band(area: &PlotArea, series: &Series) -> [Vec<Position>; 2] {
    let Span { low, high } = area.y.span;
    [-1.0, 1.0].map(|offset| {
        let end = |point: &Point| (point.y + offset * point.half_width).clamp(low, high);
        fit(series).iter().map(|point| area.at(point.x, end(point))).collect()
    })
}

/// Draws the curve of a series, and its confidence band if `has_band`. Draws nothing for a series of points.
fn draw_curve(page: &mut Drawing, area: &PlotArea, series: &Series, has_band: bool) {
    let fit = fit(series);
    if series.kind == Kind::Points {
        return;
    }
    if has_band && fit.iter().any(|point| point.half_width > 0.0) {
        let [low, high] = band(area, series);
        page.band(&low, &high, series.look);
    }
    let path: Vec<Position> = fit.iter().map(|point| area.at(point.x, point.y)).collect();
    page.curve(&path, series.look);
}

/// Draws the markers of a series. A line gets only a few of them, and `shift` (0 to 1) moves them along the
/// line, so that markers of different lines do not meet.
fn draw_markers(page: &mut Drawing, area: &PlotArea, series: &Series, shift: f64) {
    let fit = fit(series);
    let positions: Vec<Position> = fit.iter().map(|point| area.at(point.x, point.y)).collect();
    if series.kind == Kind::Line {
        for (x, y) in along(&positions, shift) {
            page.marker(x, y, series.look, None);
        }
        return;
    }
    for (point, (x, y)) in fit.iter().zip(positions) {
        let half_width = match point.half_width {
            half_width if half_width > 0.0 => format!(" ±{}", four_digits(half_width)),
            _ => String::new(),
        };
        let words =
            format!("{}: {}, {}{half_width}", series.name, four_digits(point.x), four_digits(point.y));
        page.marker(x, y, series.look, Some(&words));
    }
}

/// Returns a few positions at equal distances along a path. `shift` (0 to 1) moves the first one.
fn along(path: &[Position], shift: f64) -> Vec<Position> {
    const STEP: f64 = 110.0;
    const MOST: f64 = 6.0;
    let length = |pair: &[Position]| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1);
    let step = STEP.max(path.windows(2).map(length).sum::<f64>() / MOST);
    let (mut positions, mut left) = (Vec::new(), step * (0.2 + 0.8 * shift));
    for pair in path.windows(2) {
        let whole = length(pair);
        let mut passed = 0.0;
        // `left` is the distance to the next position, `passed` the part of this segment before it.
        while passed + left <= whole {
            passed += left;
            left = step;
            let part = |from: f64, to: f64| from + (to - from) * passed / whole;
            positions.push((part(pair[0].0, pair[1].0), part(pair[0].1, pair[1].1)));
        }
        left -= whole - passed;
    }
    positions
}

/// Moves the ascending positions `wanted` into `room` and at least `distance` apart. Greedy: one pass from
/// each end. O(n), close to the wanted positions but not optimal.
fn spread(wanted: &[f64], room: Span, distance: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    let mut least = room.low;
    for place in &mut places {
        *place = place.max(least);
        least = *place + distance;
    }
    let mut most = room.high;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - distance;
    }
    places
}

/// Draws the grid lines, and the ticks with their labels.
fn draw_axes(page: &mut Drawing, area: &PlotArea) {
    let (right, bottom) = (area.left + area.width, area.top + area.height);
    for (value, label) in &area.y.marks {
        let (_, y) = area.at(area.x.span.low, *value);
        page.line(area.left, y, right, y, GRID);
        page.text(area.left - 7.0, y + 4.0, Anchor::End, INK, label);
    }
    for (value, label) in &area.x.marks {
        let (x, _) = area.at(*value, area.y.span.low);
        page.line(x, bottom, x, bottom + 5.0, INK);
        page.label(x, bottom + 19.0, label);
    }
    page.line(area.left, bottom, right, bottom, INK);
}

/// Largest distance between coinciding curves, in pixels.
const NEAR: f64 = 1.0;

/// A curve: its name, its path in pixels from left to right, and whether lines join its points.
type NamedPath<'a> = (&'a str, Vec<Position>, bool);

/// Returns the positions of the curves in groups that coincide, in the order of their first curves.
pub(super) fn coinciding(curves: &[NamedPath<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, (_, path, is_path)) in curves.iter().enumerate() {
        let is_like = |group: &&mut Vec<usize>| {
            let (_, first, is_first_path) = &curves[group[0]];
            is_path == is_first_path && coincide(first, path, *is_path)
        };
        match groups.iter_mut().find(is_like) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// The largest number of coinciding curves of a group that are all named.
const LISTED: usize = 6;

/// Returns a sentence that names the coinciding curves of these groups; `None` if there are none.
fn coinciding_in_words(curves: &[NamedPath<'_>], mut groups: Vec<Vec<usize>>) -> Option<String> {
    if groups.len() == 1 && curves.len() > 3 {
        return Some(format!("All {} curves coincide.", curves.len()));
    }
    groups.retain(|group| group.len() > 1);
    let clause = |group: &Vec<usize>| {
        let names: Vec<&str> = group.iter().map(|&i| curves[i].0).collect();
        let listed = if names.len() > LISTED { &names[..LISTED - 2] } else { &names[..names.len() - 1] };
        let last = if names.len() > LISTED {
            format!("{} more", names.len() - listed.len())
        } else {
            names.last()?.to_string()
        };
        Some(format!("{} and {last} coincide", listed.join(", ")))
    };
    let clauses: Vec<String> = groups.iter().filter_map(clause).collect();
    (!clauses.is_empty()).then(|| format!("{}.", clauses.join("; ")))
}

/// Returns whether two curves are nowhere farther apart than [`NEAR`]. Points without lines have to be
/// equally many.
fn coincide(a: &[Position], b: &[Position], are_paths: bool) -> bool {
    let is_near = |(a, b): (&Position, &Position)| (a.0 - b.0).abs() <= NEAR && (a.1 - b.1).abs() <= NEAR;
    let (Some(ends_a), Some(ends_b)) = (a.first().zip(a.last()), b.first().zip(b.last())) else {
        return false;
    };
    if a.len() == b.len() && a.iter().zip(b).all(is_near) {
        return true;
    }
    are_paths
        && is_near((ends_a.0, ends_b.0))
        && is_near((ends_a.1, ends_b.1))
        && follows(a, b)
        && follows(b, a)
}

/// Returns whether every point of `points` is above or below the path at most by [`NEAR`]. O(points + path).
fn follows(points: &[Position], path: &[Position]) -> bool {
    let mut next = 1;
    points.iter().all(|&(x, y)| {
        while next + 1 < path.len() && path[next].0 < x {
            next += 1;
        }
        let Some(&[from, to]) = path.get(next - 1..=next) else { return false };
        let part = if to.0 > from.0 { ((x - from.0) / (to.0 - from.0)).clamp(0.0, 1.0) } else { 0.0 };
        let (low, high) = if to.0 - from.0 < NEAR {
            // A steep piece: every height between its ends is on it.
            (from.1.min(to.1), from.1.max(to.1))
        } else {
            let y = from.1 + part * (to.1 - from.1);
            (y, y)
        };
        y >= low - NEAR && y <= high + NEAR
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_order_and_their_distance() {
        let places = spread(&[10.0, 11.0, 12.0, 90.0, 99.0], Span::new(0.0, 100.0), 10.0);
        assert_eq!(places, [10.0, 20.0, 30.0, 90.0, 100.0]);
        assert_eq!(spread(&[99.0, 99.0, 99.0], Span::new(0.0, 100.0), 10.0), [80.0, 90.0, 100.0]);
        assert!(spread(&[], Span::new(0.0, 1.0), 1.0).is_empty());
    }

    #[test]
    fn a_line_has_markers_at_even_distances() {
        let corner = [(0.0, 0.0), (110.0, 0.0), (110.0, 330.0)];
        assert_eq!(along(&corner, 1.0), [(110.0, 0.0), (110.0, 110.0), (110.0, 220.0), (110.0, 330.0)]);
        assert_eq!(along(&corner, 0.0)[..2], [(22.0, 0.0), (110.0, 22.0)]);
        assert_eq!(along(&[(0.0, 0.0), (9000.0, 0.0)], 0.5).len(), 6);
        assert!(along(&[(1.0, 1.0)], 0.5).is_empty() && along(&[(1.0, 1.0); 3], 0.5).is_empty());
    }

    #[test]
    fn coinciding_curves_are_drawn_once() {
        let series = |name: &str, y: f64| Series {
            name: name.to_owned(),
            look: Look::default(),
            kind: Kind::Curve,
            points: vec![Point { x: 0.0, y: 1.0, half_width: 0.0 }, Point { x: 1.0, y, half_width: 0.0 }],
        };
        let series = vec![series("a", 2.0), series("b", 2.0), series("c", 3.0)];
        let chart = Chart { series, ..Chart::default() };
        let count = |names: Names| {
            let svg = chart.draw_on(Page { names, width: Some(400.0), ..Page::default() }).svg();
            (svg.matches("<title>").count(), svg.contains("a and b coincide."))
        };
        // A page around the drawing shows any of them.
        assert_eq!([Names::Inside, Names::Outside].map(count), [(4, true), (6, false)]);
    }

    #[test]
    fn bands_stay_within_the_axes() {
        let points =
            vec![Point { x: 0.0, y: 5.0, half_width: 50.0 }, Point { x: 1.0, y: 9.0, half_width: 1.0 }];
        let series = vec![Series { name: "a".to_owned(), look: Look::default(), kind: Kind::Curve, points }];
        for scale in [Scale::Linear, Scale::Log] {
            let y = Axis { scale, ..Axis::default() };
            let text = Chart { y, series: series.clone(), ..Chart::default() }.draw().svg();
            let band = text.split("<path").find(|path| path.contains("\"band\"")).expect("a band");
            let lowest = (56.0 + HIGH).to_string();
            let numbers = band.split(['"', ' ', 'M', 'L', 'Z']).filter_map(|word| word.parse::<f64>().ok());
            assert!(numbers.fold(0.0, f64::max) <= WIDE + 100.0, "{band}");
            assert!(band.contains(&format!(" {lowest} ")), "{band}");
            assert!(!text.contains(">-"), "{text}");
        }
    }

    #[test]
    fn values_that_are_no_numbers_are_left_out() {
        let point = |y: f64| Point { x: 1.0, y, half_width: 0.0 };
        let points = vec![point(f64::NAN), point(2.0), point(f64::INFINITY)];
        let series = Series { name: "a<b".to_owned(), look: Look::default(), kind: Kind::Points, points };
        let chart = Chart { series: vec![series], ..Chart::default() };
        let text = chart.draw().svg();
        assert!(!text.contains("NaN") && !text.contains("inf") && text.contains("a&lt;b"), "{text}");
        assert_eq!(text.matches("a&lt;b: ").count(), 1);
    }

    #[test]
    fn curves_on_each_other_are_named() {
        let line = |points: &[(f64, f64)]| points.to_vec();
        let straight = line(&[(0.0, 0.0), (100.0, 50.0)]);
        let bent = line(&[(0.0, 0.4), (50.0, 25.5), (100.0, 50.2)]);
        let other = line(&[(0.0, 0.0), (50.0, 29.0), (100.0, 50.0)]);
        let said = |curves: &[(&'static str, &Vec<(f64, f64)>)]| {
            let curves: Vec<_> = curves.iter().map(|(name, path)| (*name, (*path).clone(), true)).collect();
            coinciding_in_words(&curves, coinciding(&curves))
        };
        assert_eq!(said(&[("a", &straight), ("b", &bent)]).as_deref(), Some("a and b coincide."));
        assert_eq!(said(&[("a", &straight), ("b", &other)]), None);
        let four = [("a", &straight), ("b", &other), ("c", &bent), ("d", &other)];
        assert_eq!(said(&four).as_deref(), Some("a and c coincide; b and d coincide."));
        let all = [("a", &straight), ("b", &bent), ("c", &bent), ("d", &straight)];
        assert_eq!(said(&all).as_deref(), Some("All 4 curves coincide."));
        assert_eq!(said(&all[..3]).as_deref(), Some("a, b and c coincide."));
        // Neither a shorter curve nor an empty one coincides.
        assert_eq!(said(&[("a", &straight), ("b", &line(&[(0.0, 0.0), (50.0, 25.0)]))]), None);
        assert_eq!(said(&[("a", &Vec::new()), ("b", &Vec::new())]), None);
        let points = |path: &Vec<(f64, f64)>| ("p", path.clone(), false);
        let said = |curves: &[NamedPath<'static>]| coinciding_in_words(curves, coinciding(curves));
        assert_eq!(said(&[points(&straight), points(&bent)]), None);
        assert_eq!(said(&[points(&bent), points(&bent)]).as_deref(), Some("p and p coincide."));
        let many = vec![points(&straight); 9];
        let one = said(&[many, vec![points(&bent)]].concat());
        assert_eq!(one.as_deref(), Some("p, p, p, p and 5 more coincide."));
    }
}
