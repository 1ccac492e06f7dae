//! Single lines of text as pixels.

use std::collections::BTreeMap;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::letters;
use super::rendering::{RenderError, options};

/// A line of text as pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The number of pixels in a row.
    pub width: usize,
    /// The opacity of each pixel, row by row.
    pub ink: Vec<u8>,
}

/// Draws lines of text in the built-in font. A line that was drawn before is not drawn again.
pub struct Words {
    options: Options<'static>,
    size: f64,
    drawn: BTreeMap<String, Word>,
}

impl Words {
    /// Returns a writer of letters of so many pixels.
    pub fn new(size: f64) -> Self {
        Self { options: options(), size, drawn: BTreeMap::new() }
    }

    /// Returns a line of text. Its letters stand on a line that is their size below the top.
    pub fn word(&mut self, text: &str) -> Result<&Word, RenderError> {
        if !self.drawn.contains_key(text) {
            let word = self.draw(text)?;
            self.drawn.insert(text.to_owned(), word);
        }
        Ok(&self.drawn[text])
    }

    fn draw(&self, text: &str) -> Result<Word, RenderError> {
        // The width is that of typical letters, with some room for wider ones.
        let width = (1.1 * letters::width(text) * self.size / letters::SIZE).ceil() + 2.0;
        let height = (1.3 * self.size).ceil();
        let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\"><text y=\"{size}\" \
             font-family=\"sans-serif\" font-size=\"{size}\">{escaped}</text></svg>",
            size = self.size
        );
        let tree =
            Tree::from_str(&svg, &self.options).map_err(|error| RenderError::Drawing(error.to_string()))?;
        let too_large = || RenderError::Size { width, height };
        let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?;
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        let ink = pixels.pixels().iter().map(|pixel| pixel.alpha()).collect();
        Ok(Word { width: width as usize, ink })
    }
}
