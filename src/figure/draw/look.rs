//! How a curve looks: a colour, a marker and a dash.

/// Colours of curves. Each has a contrast of at least 3 to 1 on white paper and on dark screens, and people with any
/// colour vision tell all of them from each other; they were found by a search for the largest of the smallest
/// distances.
pub const COLOURS: [&str; 8] =
    ["#0095ff", "#fd1f00", "#00966d", "#b432ba", "#807e1d", "#871dff", "#0b717b", "#908fb3"];

/// Dashes, and when curves with them are drawn: what is more broken comes later, on top, so that curves that coincide
/// are all seen.
pub const DASHES: [(&str, u8); 4] = [("", 0), ("7 3", 1), ("2 3", 3), ("9 3 2 3", 2)];

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc or a ring.
    Circle,
    /// A square.
    Square,
    /// A triangle with its tip above.
    Triangle,
    /// A square on a corner.
    Diamond,
    /// A triangle with its tip below.
    Inverted,
    /// Two lines from corner to corner.
    Cross,
    /// A horizontal and a vertical line.
    Plus,
}

/// Shapes of markers, and whether they are filled.
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

/// The look of a curve: positions in [`COLOURS`], [`MARKERS`] and [`DASHES`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Look {
    /// Which colour it has.
    pub colour: usize,
    /// Which marker it has.
    pub marker: usize,
    /// Which dash it has.
    pub dash: usize,
}

impl Look {
    /// Returns the colour as `#rrggbb`.
    pub fn colour(self) -> &'static str {
        COLOURS[self.colour]
    }

    pub(super) fn marker(self) -> (Marker, bool) {
        MARKERS[self.marker]
    }

    pub(super) fn dash(self) -> &'static str {
        DASHES[self.dash].0
    }

    /// When the curve is drawn, low numbers first.
    pub(super) fn layer(self) -> u8 {
        DASHES[self.dash].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the relative luminance of a colour, after the W3C's guidelines for accessible content.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits")) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    #[test]
    fn colours_are_seen_on_white_and_on_dark() {
        let contrast = |a: f64, b: f64| (a.max(b) + 0.05) / (a.min(b) + 0.05);
        for colour in COLOURS {
            for paper in ["#ffffff", "#14181c"] {
                let found = contrast(luminance(colour), luminance(paper));
                assert!(found >= 3.0, "{colour} on {paper}: {found:.2}");
            }
        }
    }
}
