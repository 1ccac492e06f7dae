//! The size that a drawing has to have, and its heading, which takes as many lines as its width asks for.

use super::letters::{LINE, width};

/// The number of units of a drawing in a millimetre of paper. It makes labels, whose font has 12 units, 7
/// points high, which journals ask for at least.
pub const UNITS_PER_MM: f64 = 12.0 / 7.0 * 72.0 / 25.4;

/// The size of a drawing and whether it has a heading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Page {
    /// The width in units of the drawing; `None` for as much as its kind usually has.
    pub width: Option<f64>,
    /// The height in units; `None` for a height that suits the width.
    pub height: Option<f64>,
    /// Whether title and subtitle are left out, because a caption says what they say.
    pub is_untitled: bool,
}

impl Page {
    /// Returns the page of a figure on paper with a width and maybe a height in millimetres.
    pub fn of_mm((width_mm, height_mm): (f64, Option<f64>)) -> Self {
        let units = |mm: f64| mm * UNITS_PER_MM;
        Self { width: Some(units(width_mm)), height: height_mm.map(units), is_untitled: false }
    }

    /// Returns this page with another width and no fixed height, for one of several panels.
    pub(super) fn panel(self, width: f64) -> Self {
        Self { width: Some(width), height: None, ..self }
    }
}

/// The lines above the data of a drawing.
pub(super) struct Heading {
    /// The lines of the title.
    pub(super) title: Vec<String>,
    /// The lines of the subtitle.
    pub(super) subtitle: Vec<String>,
}

/// The height of a line of a title, in units.
pub(super) const TITLE_LINE: f64 = 18.0;

impl Heading {
    /// Returns the heading of a page. Lines are broken if the page has a width.
    pub(super) fn new(page: Page, title: &str, subtitle: &str) -> Self {
        if page.is_untitled {
            return Self { title: Vec::new(), subtitle: Vec::new() };
        }
        let Some(room) = page.width.map(|width| width - 8.0) else {
            let line = |text: &str| vec![text.to_owned()];
            return Self { title: line(title), subtitle: line(subtitle) };
        };
        // The letters of a title are larger and bold.
        Self { title: wrapped(title, room / 1.25), subtitle: wrapped(subtitle, room) }
    }

    /// Returns the height of the heading with the space between it and the data.
    pub(super) fn height(&self) -> f64 {
        if self.title.is_empty() && self.subtitle.is_empty() {
            return 12.0;
        }
        22.0 + TITLE_LINE * (self.title.len() as f64 - 1.0) + LINE * self.subtitle.len() as f64 + 18.0
    }
}

/// Returns a text as lines that are no wider than `room`, broken at blanks. A single word may be wider.
pub(super) fn wrapped(text: &str, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}")) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
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
        // 84 mm is a column of a journal: about 34 times the height of its letters.
        let column = Page::of_mm((84.0, None)).width.unwrap_or_default();
        assert!((column / 12.0 - 34.0).abs() < 0.1, "{column}");
    }
}
