//! Texts beside points, placed greedily: each takes the first free place around its point.

use super::drawing::{Anchor, Drawing, Position, QUIET};
use super::text::width;

/// A text beside a point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointLabel {
    /// The horizontal coordinate of the point, as a value of the axis.
    pub x: f64,
    /// The vertical coordinate of the point, as a value of the axis.
    pub y: f64,
    /// The text.
    pub words: String,
}

/// The left, upper, right and lower end of a rectangle, in pixels.
type Ends = [f64; 4];

/// Half the side of the square that a marker takes, in pixels.
const MARKER: f64 = 5.0;

/// The space at each side of a text, in pixels.
const GAP: f64 = 1.5;

/// Returns whether two rectangles have common points.
fn meet(a: &Ends, b: &Ends) -> bool {
    a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]
}

/// Draws texts within `area`: at the right of their points, at the left, above or below, where they cover
/// neither a marker nor another text. A text without such a place is left out. O((markers + texts) · texts).
pub(super) fn draw_labels(
    page: &mut Drawing,
    area: Ends,
    markers: Vec<Position>,
    texts: &[(Position, &str)],
) {
    let square = |(x, y)| [x - MARKER, y - MARKER, x + MARKER, y + MARKER];
    let mut taken: Vec<Ends> = markers.into_iter().map(square).collect();
    for (i, &((x, y), words)) in texts.iter().enumerate() {
        // Coinciding points have one text.
        let is_same = |(point, text): &&(Position, &str)| {
            *text == words && (point.0 - x).abs() < MARKER && (point.1 - y).abs() < MARKER
        };
        if texts[..i].iter().any(|text| is_same(&text)) {
            continue;
        }
        let half = width(words) / 2.0;
        let beside = half + 8.0;
        let middles = [(x + beside, y), (x - beside, y), (x, y - 13.0), (x, y + 13.0)];
        let is_free = |place: &Ends| {
            let is_inside =
                place[0] >= area[0] && place[1] >= area[1] && place[2] <= area[2] && place[3] <= area[3];
            is_inside && !taken.iter().any(|other| meet(place, other))
        };
        let places = middles.map(|(x, y)| ((x, y), [x - half - GAP, y - 6.0, x + half + GAP, y + 6.0]));
        if let Some(((x, y), place)) = places.into_iter().find(|(_, place)| is_free(place)) {
            page.text(x, y + 4.0, Anchor::Middle, QUIET, words);
            taken.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::page::{Heading, Page};
    use super::*;

    /// The number of texts at `at` that are drawn within `area` among these markers.
    fn count(area: Ends, markers: &[Position], at: &[Position]) -> usize {
        let mut page = Drawing::titled(&Heading::new(Page::default(), "", ""), 0.0, 300.0, 300.0);
        let words: Vec<String> = (0..at.len()).map(|i| format!("×0.8{i}")).collect();
        let texts: Vec<_> = at.iter().zip(&words).map(|(point, words)| (*point, &**words)).collect();
        draw_labels(&mut page, area, markers.to_vec(), &texts);
        page.svg().matches("×0.8").count()
    }

    #[test]
    fn texts_cover_no_marker_and_no_other_text() {
        let (all, middle) = ([0.0, 0.0, 300.0, 300.0], (100.0, 100.0));
        assert_eq!(count(all, &[middle], &[middle]), 1);
        // Right, left, above and below; a fifth text has no place.
        assert_eq!(count(all, &[middle], &[middle; 5]), 4);
        let around = [(120.0, 100.0), (80.0, 100.0), (100.0, 88.0), (100.0, 112.0)];
        assert_eq!(count(all, &[&[middle], &around[..]].concat(), &[middle]), 0);
        assert_eq!(count([95.0, 95.0, 105.0, 105.0], &[middle], &[middle]), 0, "no text outside of the area");
    }
}
