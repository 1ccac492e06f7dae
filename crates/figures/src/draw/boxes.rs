//! Box plots: a row for each distribution, with its name at the left.

use super::axis::{Axis, Ticks, ends};
use super::drawing::{Anchor, Drawing, GRID, INK, PAPER, Style, title_height};
use super::legend::Notes;
use super::look::Look;
use super::page::{Heading, Page, some_of};
use super::text::{four_digits, widest};
use crate::span::Span;

/// The shares of the values at the ends of the whiskers and of the box, and at the median.
pub const BOX_SHARES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// A distribution as a box.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxRow {
    /// The name of the row.
    pub name: String,
    /// The look of the box.
    pub look: Look,
    /// The values at [`BOX_SHARES`].
    pub marks: [f64; 5],
    /// The mean, which a dot shows.
    pub mean: f64,
}

/// A box plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Boxes {
    /// The title of the plot.
    pub title: String,
    /// The subtitle: shared properties of all rows.
    pub subtitle: String,
    /// The axis of the values. A logarithmic axis shows values of 0 and below at its left end.
    pub x: Axis,
    /// The rows, from above.
    pub rows: Vec<BoxRow>,
}

// Lengths in pixels: the data, a row and its box.
const WIDE: f64 = 560.0;
const ROW: f64 = 30.0;
const BOX: f64 = 16.0;
/// Height of the labels and of the title of the axis, in pixels.
const BELOW: f64 = 52.0;

impl Boxes {
    /// Returns the plot as a drawing for a page.
    pub fn draw_on(&self, page: Page) -> Drawing {
        let all = self.rows.len();
        page.fitted(all, "rows", &|shown| {
            let rows = self.rows[..shown].to_vec();
            Notes::below(Self { rows, ..self.clone() }.draw_rows(page), &some_of(shown, all, "rows"))
        })
    }

    /// Returns the axis of the values, which begins at 0 if 0 is near.
    fn axis(&self) -> (Axis, Span) {
        let values = || self.rows.iter().flat_map(|row| row.marks.into_iter().chain([row.mean]));
        let axis = self.x.with_zero_if_near(self.x.span(values()));
        let data = axis.span(values());
        let data = if data.is_empty() { Span::new(0.0, 1.0) } else { data };
        let ends = ends(axis.scale, data, axis.shows, axis.most);
        (axis, ends)
    }

    /// Returns the title of the axis, and its ends.
    pub(super) fn title(&self) -> (String, Span) {
        let (axis, ends) = self.axis();
        (axis.title(ends), ends)
    }

    /// Returns the height of a row on a page, for `count` rows from `top` on.
    fn row_height(page: Page, top: f64, count: f64, natural: f64) -> f64 {
        let most = |height: f64| ((height - top - BELOW) / count).max(natural * 0.6);
        match (page.height, page.longest) {
            (Some(height), _) if page.is_panel() => natural.min(most(height)),
            (Some(height), _) => most(height),
            (None, Some(longest)) => natural.min(most(longest)),
            (None, None) => natural,
        }
    }

    /// Returns the plot with all of its rows.
    fn draw_rows(&self, page: Page) -> Drawing {
        let heading = Heading::new(page, &self.title, &self.subtitle);
        let names = widest(self.rows.iter().map(|row| &*row.name));
        // Names above their rows leave a narrow page to the data.
        let are_above = page.width.is_some_and(|width| names > 0.35 * width);
        let left = if are_above { 12.0 } else { names + 20.0 };
        let wide = page.width.map_or(WIDE, |width| (width - left - 20.0).max(60.0));
        let top = heading.height() + 4.0;
        let natural = ROW + if are_above { 12.0 } else { 0.0 };
        let count = self.rows.len().max(1) as f64;
        let row = Self::row_height(page, top, count, natural);
        let bottom = top + row * count;
        let (axis, span) = self.axis();
        let mut ticks = Ticks::new(axis.scale, span, ((wide / 80.0) as usize).clamp(2, 6));
        ticks.thin(wide);
        let at = |value: f64| left + wide * ticks.share(value).clamp(0.0, 1.0);
        let title = if page.is_panel() { String::new() } else { axis.title(span) };
        let below = if page.is_panel() { BELOW - 20.0 } else { BELOW + title_height(&title, page.width) };
        let mut drawing = Drawing::titled(&heading, left, left + wide + 20.0, bottom + below);
        for (value, label) in &ticks.marks {
            drawing.line(at(*value), top, at(*value), bottom, GRID);
            drawing.label(at(*value), bottom + 19.0, label);
        }
        drawing.line(left, bottom, left + wide, bottom, INK);
        drawing.title_below(left + wide / 2.0, bottom + 40.0, &title);
        for (i, box_row) in self.rows.iter().enumerate() {
            let middle = top + row * (i as f64 + 0.5) + if are_above { 7.0 } else { 0.0 };
            if are_above {
                drawing.text(left, middle - 13.0, Anchor::Start, INK, &box_row.name);
            } else {
                drawing.text(left - 8.0, middle + 4.0, Anchor::End, INK, &box_row.name);
            }
            draw_box(&mut drawing, box_row, &at, middle);
        }
        drawing
    }
}

/// Draws one row at the height `y`. `at` returns the x of a value.
fn draw_box(page: &mut Drawing, row: &BoxRow, at: &dyn Fn(f64) -> f64, y: f64) {
    let [low, first, median, third, high] = row.marks.map(at);
    let half = BOX / 2.0;
    let class = page.class_of("box", row.look);
    let style = Style { colour: row.look.colour(), class: &class };
    for (from, to) in [(low, first), (third, high)] {
        page.line(from, y, to, y, style);
    }
    for end in [low, high] {
        page.line(end, y - half / 2.0, end, y + half / 2.0, style);
    }
    let words =
        format!("{}: {}; mean {}", row.name, row.marks.map(four_digits).join(", "), four_digits(row.mean));
    page.rectangle(first, y - half, (third - first).max(2.0), BOX, style, Some(&words));
    // A box with its ends close to each other is a line; a median in it would hide it.
    if third - first >= 6.0 {
        page.rectangle(median - 1.0, y - half, 2.0, BOX, PAPER, None);
    }
    page.dot(at(row.mean), y);
}

#[cfg(test)]
mod tests {
    use super::super::axis::Scale;
    use super::*;

    #[test]
    fn boxes_stand_where_their_numbers_are() {
        let row = |name: &str, marks: [f64; 5]| BoxRow {
            name: name.to_owned(),
            look: Look::default(),
            marks,
            mean: marks[2],
        };
        let rows = vec![row("a", [0.0, 10.0, 20.0, 30.0, 100.0]), row("b", [0.0; 5])];
        let boxes =
            |scale| Boxes { rows: rows.clone(), x: Axis { scale, ..Axis::default() }, ..Boxes::default() };
        let text = boxes(Scale::Linear).draw_on(Page::default()).svg();
        assert!(text.contains("a: 0, 10.00, 20.00, 30.00, 100.0; mean 20.00"), "{text}");
        let widths: Vec<f64> = text
            .split("<rect")
            .filter(|part| part.contains("\"box\""))
            .filter_map(|part| part.split("width=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        // The axis is 4 % longer than the data at the right, and ends at 0 at the left.
        assert_eq!(widths, [(20.0 / 104.0 * WIDE * 100.0_f64).round() / 100.0, 2.0]);
        let text = boxes(Scale::Log).draw_on(Page::default()).svg();
        assert!(!text.contains("NaN") && !text.contains("inf"));
        let narrow = Page { width: Some(200.0), ..Page::default() };
        assert!(boxes(Scale::Linear).draw_on(narrow).svg().contains("viewBox=\"0 0 200 "));
    }
}
