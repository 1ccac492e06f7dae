//! Grids of coloured rectangles, such as the busy time of each node, or the nodes of each job over time.

use super::chart::Axis;
use super::drawing::{Anchor, Drawing, INK, LINE, width};
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
    /// The rectangles.
    pub cells: Vec<GridCell>,
    /// The legend: pairs of a name and a colour (`#rrggbb`).
    pub legend: Vec<(String, String)>,
}

// Lengths in pixels: the space above the data, and the largest width and height of the data.
const TOP: f64 = 56.0;
const WIDE: f64 = 640.0;
const HIGH: f64 = 400.0;

impl Grid {
    /// Returns the grid as a drawing, in time O(cells).
    pub fn draw(&self) -> Drawing {
        let [spans_x, spans_y] = [&self.x.1, &self.y.1].map(|[low, high]| (high - low).max(1e-9));
        let (wide, high) = if self.square {
            let unit = (WIDE / spans_x).min(HIGH / spans_y);
            (unit * spans_x, unit * spans_y)
        } else {
            (WIDE, HIGH)
        };
        let ticks = |(axis, [low, high]): &(Axis, [f64; 2]), wanted: usize| -> Vec<(f64, String)> {
            if axis.names.is_empty() {
                let at = Ticks::new(Scale::Linear, (*low, *high), wanted).at;
                return at.into_iter().filter(|(value, _)| (*low..=*high).contains(value)).collect();
            }
            let names = axis.names.iter().enumerate().filter(|(_, name)| !name.is_empty());
            names.map(|(i, name)| (i as f64 + 0.5, name.clone())).collect()
        };
        let (x, y) = (ticks(&self.x, 8), ticks(&self.y, 8));
        let left = y.iter().map(|(_, label)| width(label)).fold(0.0, f64::max) + 44.0;
        let (right, bottom) = (left + wide, TOP + high);
        let legend = self.legend.iter().map(|(name, _)| width(name)).fold(-44.0, f64::max) + 44.0;
        let size = (right + 16.0 + legend, bottom + 52.0);
        let mut page = Drawing::titled(size, left, &self.title, &self.subtitle);
        let at_x = |value: f64| left + wide * (value - self.x.1[0]) / spans_x;
        let at_y = |value: f64| bottom - high * (value - self.y.1[0]) / spans_y;
        for GridCell { place: [x, y, cell_width, cell_height], colour, words } in &self.cells {
            let (width, height) = (wide * cell_width / spans_x, high * cell_height / spans_y);
            // Very small rectangles get no gap, because the gap would hide them.
            let hair = |side: f64| if self.square || side < 3.0 { 0.0 } else { 0.6 };
            let place = (at_x(*x), at_y(y + cell_height), width - hair(width), height - hair(height));
            page.rectangle(place, (colour, "cell"), Some(words));
        }
        for (value, label) in x {
            page.line((at_x(value), bottom), (at_x(value), bottom + 5.0), (INK, "ink"));
            page.text((at_x(value), bottom + 19.0), Anchor::Middle, (INK, "ink"), &label);
        }
        for (value, label) in y {
            page.line((left - 5.0, at_y(value)), (left, at_y(value)), (INK, "ink"));
            page.text((left - 8.0, at_y(value) + 4.0), Anchor::End, (INK, "ink"), &label);
        }
        page.line((left, bottom), (right, bottom), (INK, "ink"));
        page.line((left, TOP), (left, bottom), (INK, "ink"));
        page.text((left + wide / 2.0, bottom + 40.0), Anchor::Middle, (INK, "ink"), &self.x.0.title);
        page.upright((18.0, TOP + high / 2.0), &self.y.0.title);
        for (i, (name, colour)) in self.legend.iter().enumerate() {
            let y = TOP + 8.0 + LINE * i as f64;
            page.rectangle((right + 14.0, y - 8.0, 11.0, 11.0), (colour, "bar"), None);
            page.text((right + 32.0, y + 2.0), Anchor::Start, (INK, "ink"), name);
        }
        page
    }
}
