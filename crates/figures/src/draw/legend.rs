//! Legends at the right of the data or below it, and sentences below a chart.

use super::drawing::{Anchor, Drawing, INK, QUIET, Style};
use super::look::Look;
use super::text::{LINE, width, wrapped};

/// An entry of a legend: its name and its sample.
pub(super) type LegendEntry<'a> = (&'a str, Sample<'a>);

/// The sample in front of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sample<'a> {
    /// A piece of a curve with its marker.
    Curve(Look),
    /// A marker.
    Marker(Look),
    /// A square with the colour and the pattern of a part of stacked bars.
    Pattern(Look),
    /// A square of this colour.
    Colour(&'a str),
}

/// A legend below the data.
pub(super) struct Legend<'a> {
    entries: Vec<LegendEntry<'a>>,
    /// The x of each entry and its line.
    places: Vec<(f64, usize)>,
}

impl<'a> Legend<'a> {
    /// Returns a legend with lines of at most `room`. Entries form columns of equal width, as many as fit.
    pub(super) fn new(entries: Vec<LegendEntry<'a>>, room: f64) -> Self {
        let widest =
            entries.iter().map(|(name, sample)| sample.width() + width(name)).fold(1.0, f64::max) + 16.0;
        let columns = ((room + 16.0) / widest).floor().max(1.0) as usize;
        let places = (0..entries.len()).map(|i| ((i % columns) as f64 * widest, i / columns)).collect();
        Self { entries, places }
    }

    pub(super) fn height(&self) -> f64 {
        self.places.last().map_or(0.0, |(_, line)| LINE * (*line as f64 + 1.0))
    }

    /// Draws the legend with its upper left corner at `(left, top)`.
    pub(super) fn draw(&self, page: &mut Drawing, left: f64, top: f64) {
        for ((name, sample), (x, line)) in self.entries.iter().zip(&self.places) {
            let (x, y) = (left + x, top + LINE * (*line as f64 + 0.5));
            let wide = sample.width() - 6.0;
            match sample {
                Sample::Curve(look) => {
                    page.curve(&[(x, y), (x + wide, y)], *look);
                    page.marker(x + wide / 2.0, y, *look, None);
                }
                Sample::Marker(look) => page.marker(x + wide / 2.0, y, *look, None),
                Sample::Pattern(look) => draw_pattern(page, x, y - 5.5, *look),
                Sample::Colour(colour) => draw_square(page, x, y - 5.5, colour),
            }
            page.text(x + wide + 6.0, y + 4.0, Anchor::Start, INK, name);
        }
    }
}

/// Draws a legend to the right of the data, which end at `right` and begin at `top`, with an entry on each
/// line.
pub(super) fn draw_beside(page: &mut Drawing, right: f64, top: f64, entries: &[LegendEntry<'_>]) {
    for (i, (name, sample)) in entries.iter().enumerate() {
        let y = top + 8.0 + LINE * i as f64;
        match sample {
            Sample::Curve(look) | Sample::Marker(look) => page.marker(right + 20.0, y - 2.0, *look, None),
            Sample::Pattern(look) => draw_pattern(page, right + 14.0, y - 8.0, *look),
            Sample::Colour(colour) => draw_square(page, right + 14.0, y - 8.0, colour),
        }
        page.text(right + 32.0, y + 2.0, Anchor::Start, INK, name);
    }
}

fn draw_square(page: &mut Drawing, x: f64, y: f64, colour: &str) {
    page.rectangle(x, y, 11.0, 11.0, Style { colour, class: "bar" }, None);
}

fn draw_pattern(page: &mut Drawing, x: f64, y: f64, look: Look) {
    draw_square(page, x, y, look.colour());
    page.hatch([x, y, 11.0, 11.0], look.marker);
}

impl Sample<'_> {
    /// Returns the width of the sample with the gap between it and the name.
    fn width(self) -> f64 {
        match self {
            Self::Curve(_) => 38.0,
            Self::Marker(_) => 16.0,
            Self::Pattern(_) | Self::Colour(_) => 17.0,
        }
    }
}

/// Width of the hollow mark in front of a sentence, with the gap behind it.
const MARK: f64 = 18.0;

/// The sentences below a chart.
pub(super) struct Notes {
    /// The lines, and whether each begins with a hollow mark.
    lines: Vec<(bool, String)>,
    /// Whether the marks are frames of bars and not circles.
    are_frames: bool,
}

impl Notes {
    /// Breaks sentences into lines of at most `room`. Empty sentences take no line. The second sentence
    /// explains hollow marks and begins with one, which is a frame below bars.
    pub(super) fn new([first, marks, last]: [&str; 3], room: f64, are_frames: bool) -> Self {
        let plain = |text: &str| wrapped(text, room).into_iter().map(|line| (false, line));
        let marked = wrapped(marks, room - MARK).into_iter().enumerate().map(|(i, line)| (i == 0, line));
        Self { lines: plain(first).chain(marked).chain(plain(last)).collect(), are_frames }
    }

    pub(super) fn height(&self) -> f64 {
        LINE * self.lines.len() as f64
    }

    /// Returns the height that [`Self::below`] takes below a drawing of this width.
    pub(super) fn height_of(sentence: &str, width: f64) -> f64 {
        let height = Self::new([sentence, "", ""], width - 8.0, false).height();
        if height > 0.0 { height + 8.0 } else { 0.0 }
    }

    /// Returns a drawing with a sentence below it; unchanged if the sentence is empty.
    pub(super) fn below(drawing: Drawing, sentence: &str) -> Drawing {
        if sentence.is_empty() {
            return drawing;
        }
        let (width, notes) = (drawing.width(), Self::new([sentence, "", ""], drawing.width() - 8.0, false));
        let height = Self::height_of(sentence, width);
        drawing.with_below(height, |page, top| notes.draw(page, 4.0, top + 12.0))
    }

    /// Draws the lines from `(x, y)` on.
    pub(super) fn draw(&self, page: &mut Drawing, x: f64, y: f64) {
        for (i, (is_marked, line)) in self.lines.iter().enumerate() {
            let y = y + LINE * i as f64;
            match (is_marked, self.are_frames) {
                (true, true) => page.frame(x + 1.0, y - 10.0, 12.0, 12.0, "published"),
                (true, false) => page.hollow(x + 7.0, y - 4.0, None),
                (false, _) => {}
            }
            let x = if *is_marked { x + MARK } else { x };
            page.text(x, y, Anchor::Start, QUIET, line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stand_in_columns_as_many_as_fit() {
        let names = ["a", "somewhat longer", "b", "c", "d"];
        let lines = |room: f64| -> Vec<usize> {
            let entries = names.iter().map(|name| (*name, Sample::Marker(Look::default()))).collect();
            let legend = Legend::new(entries, room);
            assert!(legend.height() >= LINE);
            legend.places.iter().map(|(_, line)| *line).collect()
        };
        assert_eq!(lines(1000.0), [0; 5]);
        assert_eq!(lines(290.0), [0, 0, 1, 1, 2]);
        assert_eq!(lines(10.0), [0, 1, 2, 3, 4]);
        assert!(Legend::new(Vec::new(), 10.0).height().abs() < 1e-9);
    }
}
