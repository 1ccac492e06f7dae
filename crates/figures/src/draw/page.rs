//! The requested size of a drawing, and its heading.

use super::drawing::Drawing;
use super::text::{LINE, widest, wrapped};

/// Units of a drawing in a millimetre of paper. Labels, whose font has 12 units, become 7 points high, the
/// minimum of many journals.
const UNITS_PER_MM: f64 = 12.0 / 7.0 * 72.0 / 25.4;

/// The size of a figure on paper, in millimetres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizeMm {
    /// The width.
    pub width: f64,
    /// The height; `None` for a height that suits the width.
    pub height: Option<f64>,
}

/// The size of a drawing and whether it has a heading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Page {
    /// The width in units of the drawing; `None` for the usual width of its kind.
    pub width: Option<f64>,
    /// The height in units; `None` for a height that suits the width.
    pub height: Option<f64>,
    /// The largest height in units, for which content is left out if necessary; `None` on a screen.
    pub longest: Option<f64>,
    /// Whether title and subtitle are left out, for a figure with a caption.
    pub is_untitled: bool,
    /// Where curves are named.
    pub names: Names,
    /// The surroundings of one of several panels, whose legend and axis titles are outside of it; `None` for
    /// a whole picture.
    pub panel: Option<Surroundings>,
    /// Whether each panel is a drawing of its own.
    pub is_split: bool,
}

/// The parts of a panel that its surroundings decide.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// Whether the panel has its own unit of the horizontal axis, as those of the panels differ.
    pub has_x_unit: bool,
    /// Whether a sentence below all panels names the curves that coincide in each of them.
    pub names_coinciding: bool,
    /// The least number of lines of the subtitle, so that the data of neighbouring panels begin at one
    /// height.
    pub subtitle_lines: usize,
}

/// The place of the names of curves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// In the drawing.
    #[default]
    Inside,
    /// On a page around the drawing, which highlights some curves by the CSS classes of their looks. The
    /// drawing has no legend and no sentences on curves.
    Outside,
}

/// The largest height of a figure on paper without a given height, in millimetres.
const LONGEST_MM: f64 = 200.0;

impl Page {
    /// Returns whether this is one of several panels.
    pub(super) fn is_panel(&self) -> bool {
        self.panel.is_some()
    }

    /// Returns the page of a figure on paper.
    pub fn from_mm(size: SizeMm) -> Self {
        let units = |mm: f64| mm * UNITS_PER_MM;
        Self {
            width: Some(units(size.width)),
            height: size.height.map(units),
            longest: Some(units(size.height.unwrap_or(LONGEST_MM))),
            ..Self::default()
        }
    }

    /// Returns this page without some height that is taken by other content.
    pub(super) fn without_height(self, taken: f64) -> Self {
        let rest = |height: f64| (height - taken).max(0.0);
        Self { height: self.height.map(rest), longest: self.longest.map(rest), ..self }
    }

    /// Draws the first `count` items of a picture, or only as many as the page has room for, and at least 1.
    /// `draw` draws a number of items and a note on the others.
    pub(super) fn fitted(self, count: usize, items: &str, draw: &dyn Fn(usize) -> Drawing) -> Drawing {
        let mut shown = count;
        loop {
            let drawing = draw(shown);
            if self.has_room(&drawing) || shown <= 1 {
                return drawing.leaving_out(some_of(shown, count, items));
            }
            shown -= 1;
        }
    }

    /// Returns whether the page has room for a drawing.
    pub(super) fn has_room(self, drawing: &Drawing) -> bool {
        self.longest.is_none_or(|longest| drawing.height() <= longest.ceil())
    }
}

/// Returns the note of a picture that shows only some of its items; empty if it shows all.
pub(super) fn some_of(shown: usize, all: usize, items: &str) -> String {
    if shown < all { format!("The first {shown} of {all} {items}.") } else { String::new() }
}

/// The lines above the data of a drawing.
pub(super) struct Heading<'a> {
    /// The title in one line, for screen readers.
    pub(super) name: &'a str,
    /// The lines of the title.
    pub(super) title: Vec<String>,
    /// The lines of the subtitle.
    pub(super) subtitle: Vec<String>,
    /// Whether the lines begin at the left border and not above the data.
    pub(super) is_at_border: bool,
    /// Where curves are named.
    pub(super) names: Names,
}

/// Height of a line of a title, in units.
pub(super) const TITLE_LINE: f64 = 18.0;

/// Width of a letter of a title, which is larger and bold, relative to other letters.
const TITLE_WIDTH: f64 = 1.25;

impl<'a> Heading<'a> {
    /// Returns the heading of a page. Lines are broken if the page has a width.
    pub(super) fn new(page: Page, name: &'a str, subtitle: &str) -> Self {
        let (title, mut subtitle) = match page.width.map(|width| width - 8.0) {
            _ if page.is_untitled => (Vec::new(), Vec::new()),
            Some(room) => (wrapped(name, room / TITLE_WIDTH), wrapped(subtitle, room)),
            None => (vec![name.to_owned()], vec![subtitle.to_owned()]),
        };
        let least = page.panel.map_or(0, |panel| panel.subtitle_lines);
        subtitle.resize(subtitle.len().max(least), String::new());
        Self { name, title, subtitle, is_at_border: page.width.is_some(), names: page.names }
    }

    /// Returns the height of the heading with the space between it and the data.
    pub(super) fn height(&self) -> f64 {
        if self.title.is_empty() && self.subtitle.is_empty() {
            return 12.0;
        }
        22.0 + TITLE_LINE * (self.title.len() as f64 - 1.0) + LINE * self.subtitle.len() as f64 + 18.0
    }

    /// Returns the width of the longest line.
    pub(super) fn width(&self) -> f64 {
        let [title, subtitle] = [&self.title, &self.subtitle].map(|lines| widest(lines.iter().map(|s| &**s)));
        (title * TITLE_WIDTH).max(subtitle)
    }
}

#[cfg(test)]
mod tests {
    use super::super::text::width;
    use super::*;

    #[test]
    fn headings_take_the_lines_that_they_need() {
        let page = |width| Page { width, ..Page::default() };
        let heading = |width| Heading::new(page(width), "a title of some words", "and what all curves share");
        assert_eq!((heading(None).title.len(), heading(None).height()), (1, 56.0));
        let narrow = heading(Some(120.0));
        assert!(narrow.title.len() > 1 && narrow.subtitle.len() > 1);
        assert!(narrow.subtitle.iter().all(|line| width(line) <= 112.0), "{:?}", narrow.subtitle);
        let none = Heading::new(Page { is_untitled: true, ..page(None) }, "a", "b");
        assert!(none.title.is_empty() && none.height() < 20.0);
        assert_eq!(wrapped("averyverylongword in", 10.0), ["averyverylongword", "in"]);
        assert_eq!(wrapped("at model:jobs=9,ratio=1", 70.0), ["at", "model:jobs=9,", "ratio=1"]);
        // 84 mm is a column of a journal: about 34 times the height of its letters.
        let column = Page::from_mm(SizeMm { width: 84.0, height: None }).width.unwrap_or_default();
        assert!((column / 12.0 - 34.0).abs() < 0.1, "{column}");
    }
}
