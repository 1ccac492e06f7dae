//! How curves look: colours that people with any colour vision tell apart, and markers and dashes that survive greyscale.

/// Colours after M. Okabe, K. Ito, "Color Universal Design", 2008; yellow, which vanishes on paper, is a brown here, and
/// black, which vanishes on dark screens, a grey.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#7f7f7f"];
const DASHES: [&str; 4] = ["", "7 3", "2 3", "9 3 2 3"];

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
}

const MARKERS: [Marker; 6] =
    [Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond, Marker::Inverted, Marker::Cross];

impl Style {
    /// Whether both have the same colour and marker.
    pub fn looks_like(self, other: Self) -> bool {
        self.colour() == other.colour() && self.marker() == other.marker()
    }

    /// Its colour, as `#rrggbb`.
    pub fn colour(self) -> &'static str {
        COLOURS[self.0 % COLOURS.len()]
    }

    /// Neighbours in number differ in marker too, so that a plot of few curves can be read without colours.
    pub(super) fn marker(self) -> Marker {
        MARKERS[(self.0 + 5 * (self.0 / COLOURS.len())) % MARKERS.len()]
    }

    pub(super) fn dash(self) -> &'static str {
        DASHES[(self.0 + self.0 / COLOURS.len()) % DASHES.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_repeat_only_after_many() {
        let mut looks: Vec<_> = (0..48).map(|i| (Style(i).colour(), Style(i).marker() as u8)).collect();
        looks.sort_unstable();
        looks.dedup();
        assert_eq!(looks.len(), 48);
    }
}
