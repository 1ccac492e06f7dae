//! Grids of coloured rectangles, such as the busy time of each node, or the nodes of each job over time.

use std::collections::BTreeMap;

use super::axis::{Axis, Mark, Scale, Ticks};
use super::drawing::{Anchor, Drawing, INK, SquareRun, Squares, Style, title_height};
use super::legend::{Legend, Sample, draw_beside};
use super::page::{Heading, Page};
use super::text::{LINE, widest};
use crate::span::Span;

/// A rectangle of a grid, in units of the axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridCell {
    /// The left end, the lower end, the width and the height.
    pub place: [f64; 4],
    /// The colour, as `#rrggbb`.
    pub colour: String,
    /// The text that the pointer shows as a tooltip.
    pub words: String,
    /// The number that the rectangle shows; `None` for none.
    pub value: Option<f64>,
    /// The name of the rectangles of its kind, such as `unavailable`; empty if there is one kind only.
    pub name: String,
}

/// An axis of a grid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridAxis {
    /// The settings of the axis. Names are centred on their units, and empty names are not shown.
    pub axis: Axis,
    /// The ends.
    pub span: Span,
}

impl GridAxis {
    /// Returns an axis from 0 to `end`.
    pub fn to(end: f64, axis: Axis) -> Self {
        Self { axis, span: Span::new(0.0, end) }
    }

    /// Returns the length of the axis; above 0.
    fn length(&self) -> f64 {
        self.span.length().max(1e-9)
    }

    /// Returns about `wanted` ticks, or one for each name.
    fn marks(&self, wanted: usize) -> Vec<Mark> {
        let is_inside = |(value, _): &Mark| self.span.contains(*value);
        if !self.axis.marks.is_empty() {
            return self.axis.marks.iter().filter(|mark| is_inside(mark)).cloned().collect();
        }
        if self.axis.names.is_empty() {
            let marks = Ticks::new(Scale::Linear, self.span, wanted).marks;
            return marks.into_iter().filter(is_inside).collect();
        }
        let names = self.axis.names.iter().enumerate().filter(|(_, name)| !name.is_empty());
        names.map(|(i, name)| (i as f64 + 0.5, name.clone())).collect()
    }
}

/// A grid of coloured rectangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// The title of the grid.
    pub title: String,
    /// The subtitle: shared properties of all rectangles.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: GridAxis,
    /// The vertical axis.
    pub y: GridAxis,
    /// Whether a unit has the same length on both axes. If not, a thin gap separates neighbouring rectangles.
    pub square: bool,
    /// Whether squares of one colour are merged into one element with the tooltip of the first, which keeps
    /// large files small. Requires unit squares at whole numbers.
    pub is_merged: bool,
    /// The rectangles.
    pub cells: Vec<GridCell>,
    /// The title of their numbers, with the unit.
    pub values: String,
    /// The legend: pairs of a name and a colour (`#rrggbb`).
    pub legend: Vec<(String, String)>,
}

// Lengths in pixels: the largest width and height of the data, the space for the labels of the axes, and the
// least width of the data with a legend at the right.
const WIDE: f64 = 640.0;
const HIGH: f64 = 400.0;
const LEFT: f64 = 44.0;
const BELOW: f64 = 52.0;
const NARROW: f64 = 300.0;

/// The area of the page that shows the data, in pixels.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Grid {
    /// Returns the grid as a drawing for a page, in time O(cells).
    pub fn draw_on(&self, page: Page) -> Drawing {
        let heading = Heading::new(page, &self.title, &self.subtitle);
        // Without a title the axis is lower.
        let below_data = if self.x.axis.title.is_empty() { BELOW - 20.0 } else { BELOW };
        let below_data = below_data + title_height(&self.x.axis.title, page.width);
        let beside = match self.legend.len() {
            0 => 0.0,
            _ => widest(self.legend.iter().map(|(name, _)| &**name)) + 44.0,
        };
        let y = self.y.marks(8);
        let left = widest(y.iter().map(|(_, label)| &**label)) + LEFT;
        let is_beside = page.width.is_none_or(|width| width - left - beside - 16.0 >= NARROW);
        let right = 16.0 + if is_beside { beside } else { 0.0 };
        let entries = self.legend.iter().map(|(name, colour)| (name.as_str(), Sample::Colour(colour)));
        let (beside, below): (Vec<_>, Vec<_>) = entries.partition(|_| is_beside);
        let below = Legend::new(below, page.width.unwrap_or(WIDE) - 8.0);
        let top = heading.height();
        let wide = page.width.map_or(WIDE, |width| (width - left - right).max(40.0));
        let around = top + below_data + below.height();
        let longest = page.longest.map_or(HIGH, |longest| (longest - around).clamp(40.0, HIGH));
        let most = if page.is_panel() && self.square { HIGH } else { f64::INFINITY };
        let high = page.height.map_or(longest, |height| (height - around).max(40.0).min(most));
        let (width, height) = match (self.square, page) {
            (true, _) => {
                let unit = (wide / self.x.length()).min(high / self.y.length());
                (unit * self.x.length(), unit * self.y.length())
            }
            (false, Page { width: Some(_), height: None, .. }) => (wide, (0.65 * wide).clamp(120.0, HIGH)),
            (false, _) => (wide, high),
        };
        let bottom = top + height;
        let across = page.width.unwrap_or(left + width + right).max(left + width + right);
        let mut drawing = Drawing::titled(&heading, left, across, bottom + below_data + below.height());
        let area = Area { left, top, width, height };
        self.draw_cells(&mut drawing, area);
        self.draw_axes(&mut drawing, area, &y);
        below.draw(&mut drawing, 4.0, bottom + below_data - 6.0);
        draw_beside(&mut drawing, left + width, top, &beside);
        drawing
    }

    fn at_x(&self, area: Area, value: f64) -> f64 {
        area.left + area.width * (value - self.x.span.low) / self.x.length()
    }

    fn at_y(&self, area: Area, value: f64) -> f64 {
        area.top + area.height - area.height * (value - self.y.span.low) / self.y.length()
    }

    /// Draws the rectangles.
    fn draw_cells(&self, page: &mut Drawing, area: Area) {
        if self.is_merged {
            return self.draw_merged(page, area);
        }
        for GridCell { place: [x, y, units_x, units_y], colour, words, .. } in &self.cells {
            let width = area.width * units_x / self.x.length();
            let height = area.height * units_y / self.y.length();
            // Very small rectangles get no gap, because the gap would hide them. Squares extend a little
            // under their right and upper neighbours, which are drawn later; otherwise light lines would show
            // between them.
            let hair = |side: f64| match (self.square, side < 3.0) {
                (true, _) => -0.4,
                (false, true) => 0.0,
                (false, false) => 0.6,
            };
            let up = if self.square { hair(height) } else { 0.0 };
            let top = self.at_y(area, y + units_y) + up;
            let style = Style { colour, class: "cell" };
            let (wide, high) = (width - hair(width), height - hair(height));
            page.rectangle(self.at_x(area, *x), top, wide, high, style, Some(words));
        }
    }

    /// Draws the axes. `y` holds the ticks of the vertical axis.
    fn draw_axes(&self, page: &mut Drawing, area: Area, y: &[Mark]) {
        let Area { left, top, width, height } = area;
        let (right, bottom) = (left + width, top + height);
        let marks = self.x.marks(((width / 80.0) as usize).clamp(2, 8));
        let mut x = Ticks { span: self.x.span, marks, scale: Scale::Linear };
        if self.x.axis.names.is_empty() {
            x.thin(width);
        }
        for (value, label) in x.marks {
            let x = self.at_x(area, value);
            page.line(x, bottom, x, bottom + 5.0, INK);
            page.label(x, bottom + 19.0, &label);
        }
        let mut last = f64::INFINITY;
        for (value, label) in y {
            let y = self.at_y(area, *value);
            // Labels of a low axis would overlap.
            if last - y >= LINE - 2.0 {
                last = y;
                page.line(left - 5.0, y, left, y, INK);
                page.text(left - 8.0, y + 4.0, Anchor::End, INK, label);
            }
        }
        page.line(left, bottom, right, bottom, INK);
        page.line(left, top, left, bottom, INK);
        if !self.x.axis.title.is_empty() {
            page.title_below(left + width / 2.0, bottom + 40.0, &self.x.axis.title);
        }
        page.upright(18.0, top + height / 2.0, height + 10.0, &self.y.axis.title);
    }

    /// Draws the squares of each colour as one element.
    fn draw_merged(&self, page: &mut Drawing, area: Area) {
        let (x, y) = (self.at_x(area, 0.0), self.at_y(area, 0.0));
        let squares = Squares { x, y, side: area.width / self.x.length() };
        let mut by_colour: BTreeMap<&str, (usize, &str, Vec<SquareRun>)> = BTreeMap::new();
        let mut rows = Vec::new();
        let extend = |runs: &mut Vec<SquareRun>, x: i64, y: i64| match runs.last_mut() {
            Some(run) if run.y == y && run.x + run.length == x => run.length += 1,
            _ => runs.push(SquareRun { x, y, length: 1 }),
        };
        let mut cells: Vec<&GridCell> = self.cells.iter().collect();
        cells.sort_by(|a, b| a.place[1].total_cmp(&b.place[1]).then(a.place[0].total_cmp(&b.place[0])));
        for cell in cells {
            let (x, y) = (cell.place[0] as i64, cell.place[1] as i64);
            extend(&mut rows, x, y);
            let (count, _, runs) = by_colour.entry(&cell.colour).or_insert((0, &cell.words, Vec::new()));
            *count += 1;
            extend(runs, x, y);
        }
        // The most frequent colour lies below all squares, so that no paper is seen between them.
        let most = by_colour.iter().max_by_key(|(_, (count, ..))| *count);
        let Some((colour, words)) = most.map(|(colour, (_, words, _))| (*colour, *words)) else { return };
        page.runs(squares, &rows, colour, 0.1, words);
        for (other, (_, words, runs)) in by_colour.iter().filter(|(other, _)| **other != colour) {
            page.runs(squares, runs, other, 0.0, words);
        }
    }

    /// Returns the size in pixels of a unit in a square grid of `width` × `height` units on a page.
    pub fn unit(page: Page, width: f64, height: f64) -> f64 {
        let room = page.width.map_or(WIDE, |width| (width - LEFT - 30.0).max(40.0));
        (room / width).min(page.height.map_or(HIGH, |high| high.min(HIGH)) / height)
    }
}

#[cfg(test)]
mod tests {
    use resvg::tiny_skia::Pixmap;

    use super::super::png;
    use super::*;

    /// Returns a machine of `side` × `side` nodes in five colours.
    fn squares(side: usize, is_merged: bool) -> String {
        let colours = ["#e1ecf6", "#a9bed5", "#7190b3", "#3a6291", "#08306b"];
        let cell = |i: usize| {
            let (x, y) = (i % side, i / side);
            let colour = colours[(x * x + 3 * x * y + y / 2) % 5].to_owned();
            let (place, words) = ([x as f64, y as f64, 1.0, 1.0], format!("{x} {y}"));
            GridCell { place, colour, words, ..GridCell::default() }
        };
        let axis = || GridAxis::to(side as f64, Axis::default());
        let cells = (0..side * side).map(cell).collect();
        let grid = Grid { x: axis(), y: axis(), square: true, is_merged, cells, ..Grid::default() };
        grid.draw_on(Page::default()).svg()
    }

    #[test]
    fn merged_squares_look_as_single_ones_do() -> Result<(), Box<dyn std::error::Error>> {
        let pixels = |is_merged| -> Result<Pixmap, Box<dyn std::error::Error>> {
            Ok(Pixmap::decode_png(&png(&squares(10, is_merged), 1.0)?)?)
        };
        let (single, merged) = (pixels(false)?, pixels(true)?);
        let pairs = single.pixels().iter().zip(merged.pixels());
        let differ = pairs.filter(|(a, b)| a.red().abs_diff(b.red()) > 4).count();
        // Squares have sides of 40 pixels, and pixels at their borders may be mixed.
        assert!(differ * 10 < single.pixels().len(), "{differ} of {} pixels differ", single.pixels().len());
        let (single, merged) = (squares(100, false).len(), squares(100, true).len());
        assert!(merged * 12 < single, "{merged} and {single} bytes");
        Ok(())
    }
}
