//! The look of a curve: a colour, a marker and a dash.

/// The colours of curves. Each has a contrast of at least 3 to 1 on white paper and on a dark screen. All can
/// be distinguished with any kind of colour vision: a search maximized the smallest distance between two of
/// them.
pub const COLOURS: [&str; 8] =
    ["#0095ff", "#fd1f00", "#00966d", "#b432ba", "#807e1d", "#871dff", "#0b717b", "#908fb3"];

/// The dashes, as values of `stroke-dasharray`, and their layers. Curves with more gaps are drawn later and
/// so on top. Therefore curves at the same position stay visible.
pub const DASHES: [(&str, u8); 4] = [("", 0), ("7 3", 1), ("2 3", 3), ("9 3 2 3", 2)];

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle with its tip above.
    Triangle,
    /// A square that stands on a corner.
    Diamond,
    /// A triangle with its tip below.
    Inverted,
    /// Two diagonal lines.
    Cross,
    /// A horizontal and a vertical line.
    Plus,
}

/// The shapes of markers, and whether they are filled.
pub const MARKERS: [(Marker, bool); 12] = [
    (Marker::Circle, true),
    (Marker::Square, true),
    (Marker::Triangle, true),
    (Marker::Diamond, true),
    (Marker::Inverted, true),
    (Marker::Cross, true),
    (Marker::Circle, false),
    (Marker::Square, false),
    (Marker::Triangle, false),
    (Marker::Diamond, false),
    (Marker::Inverted, false),
    (Marker::Plus, true),
];

/// The look of a curve, as positions in [`COLOURS`], [`MARKERS`] and [`DASHES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Look {
    /// The position of its colour.
    pub colour: usize,
    /// The position of its marker.
    pub marker: usize,
    /// The position of its dash.
    pub dash: usize,
}

impl Look {
    /// Returns the colour as `#rrggbb`.
    pub fn colour(self) -> &'static str {
        COLOURS[self.colour]
    }

    /// Returns the shape of the marker, and whether it is filled.
    pub(super) fn marker(self) -> (Marker, bool) {
        MARKERS[self.marker]
    }

    /// Returns the dash as a value of `stroke-dasharray`; empty for a solid line.
    pub(super) fn dash(self) -> &'static str {
        DASHES[self.dash].0
    }

    /// Returns the layer of the curve: curves with lower numbers are drawn first.
    pub(super) fn layer(self) -> u8 {
        DASHES[self.dash].1
    }
}

#[cfg(test)]
mod tests {
    use super::super::lightness::{contrast, luminance};
    use super::*;

    #[test]
    fn colours_are_seen_on_white_and_on_dark() {
        for colour in COLOURS {
            for paper in ["#ffffff", "#14181c"] {
                let found = contrast(luminance(colour), luminance(paper));
                assert!(found >= 3.0, "{colour} on {paper}: {found:.2}");
            }
        }
    }
}
