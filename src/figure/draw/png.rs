//! Renders drawings as PNG pictures. The font is built in, so that the pictures do not depend on the fonts of a
//! machine.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Why a drawing could not be rendered.
#[derive(Debug, thiserror::Error)]
pub enum PngError {
    /// The drawing is not valid SVG.
    #[error("the plot is no valid SVG: {0}")]
    Drawing(String),
    /// The picture has too many pixels.
    #[error("a picture of {width}x{height} pixels is too large; a smaller --scale helps")]
    Size {
        /// The width in pixels.
        width: f64,
        /// The height in pixels.
        height: f64,
    },
    /// The pixels could not be encoded.
    #[error("the PNG cannot be made: {0}")]
    Encode(String),
}

/// Returns an SVG drawing as a PNG file, with `scale` pixels for each CSS pixel.
pub fn png(svg: &str, scale: f64) -> Result<Vec<u8>, PngError> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options { fontdb: Arc::new(fonts), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| PngError::Drawing(error.to_string()))?;
    let sides = [tree.size().width(), tree.size().height()];
    let [width, height] = sides.map(|side| (f64::from(side) * scale).round().max(1.0));
    let too_large = || PngError::Size { width, height };
    if !(1.0..=32_000.0).contains(&width) || !(1.0..=32_000.0).contains(&height) {
        return Err(too_large());
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(too_large)?;
    // The drawing fills the last pixels of both sides wholly.
    let (across, down) = (width as f32 / sides[0], height as f32 / sides[1]);
    resvg::render(&tree, Transform::from_scale(across, down), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| PngError::Encode(error.to_string()))
}
