//! The look of a curve: a colour, a marker and a dash. Colours of a given luminance: neighbours that differ
//! in lightness stay distinct in grey print and with any colour vision.

/// The colours of curves. Each has a contrast of at least 3 to 1 on white paper and on a dark screen. All can
/// be distinguished with any kind of colour vision: a search maximized the smallest distance between two of
/// them.
pub(crate) const COLOURS: [&str; 8] =
    ["#0095ff", "#fd1f00", "#00966d", "#b432ba", "#807e1d", "#871dff", "#0b717b", "#908fb3"];

/// The dashes, as values of `stroke-dasharray`, and their layers. Curves with more gaps are drawn later, on
/// top, so that coinciding curves stay visible.
pub(crate) const DASHES: [(&str, u8); 4] = [("", 0), ("7 3", 1), ("2 3", 3), ("9 3 2 3", 2)];

/// The shape of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Marker {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle with its tip above.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A triangle with its tip below.
    Inverted,
    /// Two diagonal lines.
    Cross,
    /// A horizontal and a vertical line.
    Plus,
}

/// The shapes of markers, and whether they are filled.
pub(crate) const MARKERS: [(Marker, bool); 12] = [
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

/// The look of a curve, as positions in `COLOURS`, `MARKERS` and `DASHES`.
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

    /// Returns the CSS classes of what is drawn with this look: `look`, and one that no other look has.
    pub fn class(self) -> String {
        let Self { colour, marker, dash } = self;
        format!("look look-{colour}-{marker}-{dash}")
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

/// Returns the relative luminance of a colour `#rrggbb`, from 0 for black to 1 for white, after the W3C's
/// guidelines for accessible content.
#[cfg(test)]
pub(crate) fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let part = colour.get(at..at + 2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        linear(f64::from(part.unwrap_or_default()) / 255.0)
    };
    luminance_of([channel(1), channel(3), channel(5)])
}

/// Returns the contrast of two luminances, after the same guidelines.
#[cfg(test)]
pub(crate) fn contrast(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Returns the colour `#rrggbb` of a hue in degrees and a luminance, to the nearest step of its channels.
pub(crate) fn colour_of_hue(hue: f64, luminance: f64) -> String {
    let (mut dark, mut light) = (0.0, 1.0);
    // Luminance grows with the lightness of HSL, so bisection finds it.
    for _ in 0..20 {
        let middle = f64::midpoint(dark, light);
        let middle_luminance = luminance_of(rgb_from_hsl(hue, middle).map(linear));
        if middle_luminance < luminance { dark = middle } else { light = middle }
    }
    let [red, green, blue] = rgb_from_hsl(hue, dark).map(|part| (255.0 * part).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Returns red, green and blue, from 0 to 1, of a hue in degrees with a saturation of 0.6 and a lightness, as
/// HSL has them.
fn rgb_from_hsl(hue: f64, lightness: f64) -> [f64; 3] {
    [0.0, 8.0, 4.0].map(|shift| {
        let k = (shift + hue / 30.0).rem_euclid(12.0);
        let a = 0.6 * lightness.min(1.0 - lightness);
        lightness - a * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}

/// Returns the light of a channel of sRGB, from 0 to 1.
fn linear(part: f64) -> f64 {
    if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
}

/// Returns the luminance of red, green and blue light.
fn luminance_of([red, green, blue]: [f64; 3]) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn colours_have_the_luminance_that_they_are_made_with() {
        assert!((luminance("#ffffff") - 1.0).abs() < 1e-9 && luminance("#000000") < 1e-9);
        assert!((contrast(luminance("#777777"), 1.0) - 4.48).abs() < 0.01, "the example of the guidelines");
        for hue in 0..36 {
            for wanted in [0.05, 0.2, 0.4, 0.7] {
                let colour = colour_of_hue(f64::from(hue) * 10.0, wanted);
                assert!((luminance(&colour) - wanted).abs() < 0.01, "{colour} at {hue} for {wanted}");
            }
        }
    }
}
