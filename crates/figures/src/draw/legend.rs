//! A legend below the data: entries from left to right, in as many lines as they need.

use super::drawing::{Anchor, Drawing, INK};
use super::letters::{LINE, width};
use super::look::Look;

/// The sample in front of a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sample<'a> {
    /// A piece of a curve with its marker.
    Curve(Look),
    /// A marker.
    Marker(Look),
    /// A square of this colour.
    Colour(&'a str),
}

/// The places of the entries of a legend.
pub(super) struct Legend<'a> {
    entries: Vec<(&'a str, Sample<'a>)>,
    /// The x of each entry and its line.
    places: Vec<(f64, usize)>,
}

impl<'a> Legend<'a> {
    /// Returns a legend whose lines are at most `room` wide. Entries stand in columns of the same width, as
    /// many as fit.
    pub(super) fn new(entries: Vec<(&'a str, Sample<'a>)>, room: f64) -> Self {
        let widest =
            entries.iter().map(|(name, sample)| sample.width() + width(name)).fold(1.0, f64::max) + 16.0;
        let columns = ((room + 16.0) / widest).floor().max(1.0) as usize;
        let places = (0..entries.len()).map(|i| ((i % columns) as f64 * widest, i / columns)).collect();
        Self { entries, places }
    }

    /// Returns the height of the legend.
    pub(super) fn height(&self) -> f64 {
        self.places.last().map_or(0.0, |(_, line)| LINE * (*line as f64 + 1.0))
    }

    /// Draws the legend with its upper left corner at `(left, top)`.
    pub(super) fn draw(&self, page: &mut Drawing, (left, top): (f64, f64)) {
        for ((name, sample), (x, line)) in self.entries.iter().zip(&self.places) {
            let (x, y) = (left + x, top + LINE * (*line as f64 + 0.5));
            let wide = sample.width() - 6.0;
            match sample {
                Sample::Curve(look) => {
                    page.curve(&[(x, y), (x + wide, y)], *look);
                    page.marker((x + wide / 2.0, y), *look, None);
                }
                Sample::Marker(look) => page.marker((x + wide / 2.0, y), *look, None),
                Sample::Colour(colour) => page.rectangle((x, y - 5.5, 11.0, 11.0), (colour, "bar"), None),
            }
            page.text((x + wide + 6.0, y + 4.0), Anchor::Start, (INK, "ink"), name);
        }
    }
}

impl Sample<'_> {
    /// Returns the width of the sample with the gap between it and the name.
    fn width(self) -> f64 {
        match self {
            Self::Curve(_) => 38.0,
            Self::Marker(_) => 16.0,
            Self::Colour(_) => 17.0,
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
