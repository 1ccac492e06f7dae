//! Grids of coloured rectangles, such as the busy time of each node, or the nodes of each job over time.

use std::collections::BTreeMap;

use super::chart::Axis;
use super::drawing::{Anchor, Drawing, INK};
use super::legend::{Legend, Sample};
use super::letters::{LINE, width};
use super::page::{Heading, Page};
use super::ticks::{Scale, Ticks};

/// A rectangle of a grid, in units of the axes.
#[derive(Clone, Debug, PartialEq)]
pub struct GridCell {
    /// The left end, the lower end, the width and the height.
    pub place: [f64; 4],
    /// The colour, as `#rrggbb`.
    pub colour: String,
    /// The text that the pointer shows as a tooltip.
    pub words: String,
}

/// Rows of squares: the place of the first one, and how many follow each other to the right.
type Runs = Vec<(i64, i64, i64)>;

/// A grid of coloured rectangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// The title of the grid.
    pub title: String,
    /// What all rectangles have in common, printed below the title.
    pub subtitle: String,
    /// The horizontal axis, with its smallest and largest value.
    pub x: (Axis, [f64; 2]),
    /// The vertical axis, with its smallest and largest value.
    pub y: (Axis, [f64; 2]),
    /// Whether a unit has the same length on both axes. If not, a thin gap separates neighbouring rectangles.
    pub square: bool,
    /// Whether all rectangles are squares of one unit at whole numbers, of which those of one colour are
    /// drawn as one element with the tooltip of the first of them: for so many that files would be large.
    pub is_merged: bool,
    /// The rectangles.
    pub cells: Vec<GridCell>,
    /// The legend: pairs of a name and a colour (`#rrggbb`).
    pub legend: Vec<(String, String)>,
}

// Lengths in pixels: the largest width and height of the data, the space for the labels of the axes, and the
// narrowest data that leave the legend beside them.
const WIDE: f64 = 640.0;
const HIGH: f64 = 400.0;
const LEFT: f64 = 44.0;
const BELOW: f64 = 52.0;
const NARROW: f64 = 300.0;

impl Grid {
    /// Returns the grid as a drawing for a page, in time O(cells).
    pub fn draw_on(&self, page: Page) -> Drawing {
        let heading = Heading::new(page, &self.title, &self.subtitle);
        // Without a title the axis is lower.
        let below_data = if self.x.0.title.is_empty() { BELOW - 20.0 } else { BELOW };
        let [spans_x, spans_y] = [&self.x.1, &self.y.1].map(|[low, high]| (high - low).max(1e-9));
        let beside = self.legend.iter().map(|(name, _)| width(name)).fold(-44.0, f64::max) + 44.0;
        let y = ticks(&self.y, 8);
        let left = y.iter().map(|(_, label)| width(label)).fold(0.0, f64::max) + LEFT;
        let is_beside = page.width.is_none_or(|width| width - left - beside - 16.0 >= NARROW);
        let right = 16.0 + if is_beside { beside } else { 0.0 };
        let names = self.legend.iter().map(|(name, colour)| (name.as_str(), Sample::Colour(colour)));
        let room = page.width.unwrap_or(WIDE);
        let below = Legend::new(names.filter(|_| !is_beside).collect(), room - 8.0);
        let room = (
            page.width.map_or(WIDE, |width| (width - left - right).max(40.0)),
            page.height
                .map_or(HIGH, |height| (height - heading.height() - below_data - below.height()).max(40.0)),
        );
        let (wide, high) = match (self.square, page) {
            (true, _) => {
                let unit = (room.0 / spans_x).min(room.1 / spans_y);
                (unit * spans_x, unit * spans_y)
            }
            (false, Page { width: Some(_), height: None, .. }) => {
                (room.0, (0.65 * room.0).clamp(120.0, HIGH))
            }
            (false, _) => room,
        };
        let top = heading.height();
        let bottom = top + high;
        let across = page.width.unwrap_or(left + wide + right).max(left + wide + right);
        let mut drawing = Drawing::titled(
            (across, bottom + below_data + below.height()),
            left,
            page,
            &heading,
            &self.title,
        );
        self.draw_data(&mut drawing, (left, top), (wide, high), &y);
        below.draw(&mut drawing, (4.0, bottom + below_data - 6.0));
        for (i, (name, colour)) in self.legend.iter().enumerate().filter(|_| is_beside) {
            let y = top + 8.0 + LINE * i as f64;
            drawing.rectangle((left + wide + 14.0, y - 8.0, 11.0, 11.0), (colour, "bar"), None);
            drawing.text((left + wide + 32.0, y + 2.0), Anchor::Start, (INK, "ink"), name);
        }
        drawing
    }

    /// Draws the rectangles and the axes. `y` holds the ticks of the vertical axis.
    fn draw_data(
        &self,
        page: &mut Drawing,
        (left, top): (f64, f64),
        (wide, high): (f64, f64),
        y: &[(f64, String)],
    ) {
        let [spans_x, spans_y] = [&self.x.1, &self.y.1].map(|[low, high]| (high - low).max(1e-9));
        let (right, bottom) = (left + wide, top + high);
        let at_x = |value: f64| left + wide * (value - self.x.1[0]) / spans_x;
        let at_y = |value: f64| bottom - high * (value - self.y.1[0]) / spans_y;
        if self.is_merged {
            self.draw_merged(page, ((at_x(0.0), at_y(0.0)), wide / spans_x));
        }
        for GridCell { place: [x, y, cell_width, cell_height], colour, words } in
            self.cells.iter().filter(|_| !self.is_merged)
        {
            let (width, height) = (wide * cell_width / spans_x, high * cell_height / spans_y);
            // Very small rectangles get no gap, because the gap would hide them. Squares reach a little under
            // their neighbours to the right and above, which are drawn later, so that no light line is seen
            // between them.
            let hair = |side: f64| match (self.square, side < 3.0) {
                (true, _) => -0.4,
                (false, true) => 0.0,
                (false, false) => 0.6,
            };
            let up = if self.square { hair(height) } else { 0.0 };
            let place = (at_x(*x), at_y(y + cell_height) + up, width - hair(width), height - hair(height));
            page.rectangle(place, (colour, "cell"), Some(words));
        }
        let mut x =
            Ticks::at((self.x.1[0], self.x.1[1]), ticks(&self.x, ((wide / 80.0) as usize).clamp(2, 8)));
        if self.x.0.names.is_empty() {
            x.thin(wide);
        }
        for (value, label) in x.at {
            page.line((at_x(value), bottom), (at_x(value), bottom + 5.0), (INK, "ink"));
            page.label((at_x(value), bottom + 19.0), &label);
        }
        let mut last = f64::INFINITY;
        // Labels of a low axis would lie on each other.
        for (value, label) in y.iter().filter(|(value, _)| {
            let is_shown = last - at_y(*value) >= LINE - 2.0;
            last = if is_shown { at_y(*value) } else { last };
            is_shown
        }) {
            page.line((left - 5.0, at_y(*value)), (left, at_y(*value)), (INK, "ink"));
            page.text((left - 8.0, at_y(*value) + 4.0), Anchor::End, (INK, "ink"), label);
        }
        page.line((left, bottom), (right, bottom), (INK, "ink"));
        page.line((left, top), (left, bottom), (INK, "ink"));
        if !self.x.0.title.is_empty() {
            page.text((left + wide / 2.0, bottom + 40.0), Anchor::Middle, (INK, "ink"), &self.x.0.title);
        }
        page.upright((18.0, top + high / 2.0), high + 10.0, &self.y.0.title);
    }

    /// Draws the squares of each colour as one element. `place` is the position of (0, 0), and the side of a
    /// square.
    fn draw_merged(&self, page: &mut Drawing, place: ((f64, f64), f64)) {
        let mut of_colour: BTreeMap<&str, (usize, &str, Runs)> = BTreeMap::new();
        let mut rows = Runs::new();
        let extend = |runs: &mut Runs, (x, y): (i64, i64)| match runs.last_mut() {
            Some((from, row, length)) if *row == y && *from + *length == x => *length += 1,
            _ => runs.push((x, y, 1)),
        };
        let mut cells: Vec<&GridCell> = self.cells.iter().collect();
        cells.sort_by(|a, b| a.place[1].total_cmp(&b.place[1]).then(a.place[0].total_cmp(&b.place[0])));
        for cell in cells {
            let at = (cell.place[0] as i64, cell.place[1] as i64);
            extend(&mut rows, at);
            let (count, _, runs) = of_colour.entry(&cell.colour).or_insert((0, &cell.words, Vec::new()));
            *count += 1;
            extend(runs, at);
        }
        // The most frequent colour lies below all squares, so that no paper is seen between them.
        let Some((colour, words)) = of_colour
            .iter()
            .max_by_key(|(_, (count, _, _))| *count)
            .map(|(colour, (_, words, _))| (*colour, *words))
        else {
            return;
        };
        page.runs(place, &rows, (colour, 0.1), words);
        for (other, (_, words, runs)) in of_colour.iter().filter(|(other, _)| **other != colour) {
            page.runs(place, runs, (other, 0.0), words);
        }
    }

    /// Returns the size in pixels that a unit has in a square grid of this many units on a page.
    pub fn unit(page: Page, (spans_x, spans_y): (f64, f64)) -> f64 {
        let room = page.width.map_or(WIDE, |width| (width - LEFT - 30.0).max(40.0));
        (room / spans_x).min(page.height.unwrap_or(HIGH) / spans_y)
    }
}

/// Returns the ticks of an axis with its ends: about `wanted` of them, or one for each name that is not
/// empty.
fn ticks((axis, [low, high]): &(Axis, [f64; 2]), wanted: usize) -> Vec<(f64, String)> {
    if !axis.marks.is_empty() {
        return axis.marks.iter().filter(|(value, _)| (*low..=*high).contains(value)).cloned().collect();
    }
    if axis.names.is_empty() {
        let at = Ticks::new(Scale::Linear, (*low, *high), wanted).at;
        return at.into_iter().filter(|(value, _)| (*low..=*high).contains(value)).collect();
    }
    let names = axis.names.iter().enumerate().filter(|(_, name)| !name.is_empty());
    names.map(|(i, name)| (i as f64 + 0.5, name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use resvg::tiny_skia::Pixmap;

    use super::super::png::png;
    use super::*;

    /// Returns a machine of so many nodes to a side in five colours.
    fn squares(side: usize, is_merged: bool) -> String {
        let colours = ["#e1ecf6", "#a9bed5", "#7190b3", "#3a6291", "#08306b"];
        let cell = |i: usize| {
            let (x, y) = (i % side, i / side);
            let colour = colours[(x * x + 3 * x * y + y / 2) % 5].to_owned();
            GridCell { place: [x as f64, y as f64, 1.0, 1.0], colour, words: format!("{x} {y}") }
        };
        let axis = || (Axis::default(), [0.0, side as f64]);
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
        // Squares have sides of 40 pixels, of which those at the borders may be mixed.
        assert!(differ * 10 < single.pixels().len(), "{differ} of {} pixels differ", single.pixels().len());
        let (single, merged) = (squares(100, false).len(), squares(100, true).len());
        assert!(merged * 12 < single, "{merged} and {single} bytes");
        Ok(())
    }
}
