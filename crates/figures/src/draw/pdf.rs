//! Renders drawings as PDF pages, whose letters can be selected and whose fonts are embedded.

use svg2pdf::{ConversionOptions, PageOptions, to_pdf};

use super::ordered_pdf::ordered;
use super::rendering::{RenderError, tree};

/// The number of CSS pixels in an inch. It makes a drawing that is 84 mm wide a page that is 84 mm wide.
const PIXELS_PER_INCH: f32 = 96.0;

/// Returns an SVG drawing as a PDF file of one page, which is as large as the drawing. `mark` is written into a comment
/// in its second line. The same drawing always gives the same bytes: the file has no date.
pub fn pdf(svg: &str, mark: &str) -> Result<Vec<u8>, RenderError> {
    let page = PageOptions { dpi: PIXELS_PER_INCH };
    let bytes = to_pdf(&tree(svg)?, ConversionOptions::default(), page)
        .map_err(|error| RenderError::Page(error.to_string()))?;
    ordered(&bytes, mark).ok_or_else(|| RenderError::Page("its objects have an unknown form".to_owned()))
}
