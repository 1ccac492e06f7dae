//! Renders drawings as PNG pictures, and as PDF pages with selectable text and embedded fonts. The fonts are
//! built in, so that pictures do not depend on the fonts of a machine.

use std::io::Read;
use std::sync::Arc;

use flate2::read::ZlibDecoder;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use svg2pdf::{ConversionOptions, PageOptions, to_pdf};

/// Why a drawing could not be rendered as pixels or as a page.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A built-in font cannot be read.
    #[error("a built-in font cannot be read: {0}")]
    Font(String),
    /// The drawing is not valid SVG.
    #[error("the plot is no valid SVG: {0}")]
    Drawing(String),
    /// The picture has too many pixels.
    #[error("a picture of {width}x{height} pixels is too large; give a smaller --scale")]
    Size {
        /// The width in pixels.
        width: f64,
        /// The height in pixels.
        height: f64,
    },
    /// The pixels could not be encoded.
    #[error("the PNG cannot be made: {0}")]
    Encode(String),
    /// The page could not be made.
    #[error("the PDF cannot be made: {0}")]
    Page(String),
}

/// The fonts, compressed by build.rs.
const FONTS: [&[u8]; 2] =
    [include_bytes!(concat!(env!("OUT_DIR"), "/regular")), include_bytes!(concat!(env!("OUT_DIR"), "/bold"))];

/// Parses an SVG drawing, with its texts set in the built-in fonts.
fn tree(svg: &str) -> Result<Tree, RenderError> {
    let mut fonts = fontdb::Database::new();
    for compressed in FONTS {
        let mut font = Vec::new();
        let read = ZlibDecoder::new(compressed).read_to_end(&mut font);
        read.map_err(|error| RenderError::Font(error.to_string()))?;
        fonts.load_font_data(font);
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|error| RenderError::Drawing(error.to_string()))
}

/// Returns an SVG drawing as a PNG file, with `scale` pixels for each CSS pixel.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>, RenderError> {
    let tree = tree(svg)?;
    let sides = [tree.size().width(), tree.size().height()];
    let [width, height] = sides.map(|side| (f64::from(side) * scale).round().max(1.0));
    let too_large = || RenderError::Size { width, height };
    if !(1.0..=32_000.0).contains(&width) || !(1.0..=32_000.0).contains(&height) {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?;
    // The drawing fills the last pixels of both sides wholly.
    let (across, down) = (width as f32 / sides[0], height as f32 / sides[1]);
    resvg::render(&tree, Transform::from_scale(across, down), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| RenderError::Encode(error.to_string()))
}

/// CSS pixels per inch. A drawing of 84 mm becomes a page of 84 mm.
const PIXELS_PER_INCH: f32 = 96.0;

/// Converts an SVG drawing to a PDF file of one page of the same size. Its last line is a comment with
/// `mark`. The order of fonts and colours varies between runs, so two files of one drawing show the same
/// page, but may differ in bytes.
pub fn pdf(svg: &str, mark: &str) -> Result<Vec<u8>, RenderError> {
    let page = PageOptions { dpi: PIXELS_PER_INCH };
    let mut file = to_pdf(&tree(svg)?, ConversionOptions::default(), page)
        .map_err(|error| RenderError::Page(error.to_string()))?;
    file.extend_from_slice(format!("\n% {mark}\n").as_bytes());
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drawing with two fonts and bands of two opacities.
    const DRAWING: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"84mm\" height=\"60mm\" \
         viewBox=\"0 0 420 300\" font-family=\"DejaVu Sans\" font-size=\"12\"><text x=\"9\" y=\"20\">thin τ \
         ≤ é</text><text x=\"9\" y=\"60\" font-weight=\"bold\">bold</text><path d=\"M0 0 L9 9 L9 0 Z\" \
         fill=\"#ff0000\" fill-opacity=\"0.16\"/><path d=\"M0 0 L9 9 L9 0 Z\" fill=\"#0000ff\" \
         fill-opacity=\"0.5\"/></svg>";

    #[test]
    fn a_page_has_the_size_and_the_fonts_of_its_drawing() -> Result<(), Box<dyn std::error::Error>> {
        let file = pdf(DRAWING, "mark")?;
        let text = String::from_utf8_lossy(&file).into_owned();
        let numbers_of =
            |key: &str| text.split(key).nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
        let sides: Vec<f64> =
            numbers_of("/MediaBox [").split_whitespace().filter_map(|number| number.parse().ok()).collect();
        let points = [0.0, 0.0, 84.0 / 25.4 * 72.0, 60.0 / 25.4 * 72.0];
        assert_eq!(sides.len(), 4, "{text}");
        assert!(sides.iter().zip(points).all(|(side, wanted)| (side - wanted).abs() < 0.01), "{sides:?}");
        let count = |word: &str| text.matches(word).count();
        assert_eq!((count("/FontFile2"), count("/ToUnicode")), (2, 2), "{text}");
        assert!(text.contains("+DejaVuSans\n") && text.contains("+DejaVuSans-Bold\n"), "{text}");
        assert!(!text.contains("Date") && text.ends_with("%%EOF\n% mark\n"), "{text}");
        Ok(())
    }
}
