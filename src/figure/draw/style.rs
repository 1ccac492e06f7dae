//! How curves look: colours that people with any colour vision tell apart, and markers and dashes that survive greyscale.

/// Colours after M. Okabe, K. Ito, "Color Universal Design", 2008; yellow, which vanishes on paper, is a brown here, and
/// black, which vanishes on dark screens, a grey.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f"];
/// Dashes, and how they follow from those drawn before them: what is more broken comes later, on top, so that curves that
/// coincide are all seen.
const DASHES: [(&str, u8); 4] = [("", 0), ("7 3", 1), ("2 3", 3), ("9 3 2 3", 2)];

/// The look of one curve: colour, marker and dash follow from a number, the same in every plot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(pub usize);

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Square,
    Triangle,
    Diamond,
    Inverted,
    Cross,
    Plus,
}

/// Shapes, and whether they are filled.
const MARKERS: [(Marker, bool); 12] = [
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

impl Style {
    /// Whether both have the same marker and dash, so that only colour tells them apart, if anything does.
    pub fn looks_like(self, other: Self) -> bool {
        self.marker() == other.marker() && self.dash() == other.dash()
    }

    /// Whether both have the same marker.
    pub fn is_marked_like(self, other: Self) -> bool {
        self.marker() == other.marker()
    }

    /// Looks of the same colour and dash with every marker, from its own on.
    pub fn remarked(self) -> impl Iterator<Item = Self> {
        (0..MARKERS.len()).map(move |i| Self(self.0 + i * COLOURS.len()))
    }

    /// Its colour, as `#rrggbb`.
    pub fn colour(self) -> &'static str {
        COLOURS[self.0 % COLOURS.len()]
    }

    /// Neighbours in number differ in marker too, so that a plot of few curves can be read without colours.
    pub(super) fn marker(self) -> (Marker, bool) {
        MARKERS[(self.0 - self.0 / COLOURS.len()) % MARKERS.len()]
    }

    pub(super) fn dash(self) -> &'static str {
        DASHES[self.0 % DASHES.len()].0
    }

    /// When it is drawn, low numbers first.
    pub(super) fn layer(self) -> u8 {
        DASHES[self.0 % DASHES.len()].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_repeat_only_after_many() {
        let looks = |count: usize, look: fn(Style) -> String| {
            (0..count).map(Style).map(look).collect::<std::collections::BTreeSet<_>>().len()
        };
        assert_eq!(looks(96, |style| format!("{} {:?}", style.colour(), style.marker())), 96);
        // What is left of them on grey paper.
        assert_eq!(looks(32, |style| format!("{:?} {}", style.marker(), style.dash())), 32);
        assert_eq!(looks(12, |style| format!("{:?}", style.marker())), 11);
    }
}
