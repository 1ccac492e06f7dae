//! Renders drawings as PNG pictures.

use resvg::tiny_skia::{Pixmap, Transform};

use super::rendering::{RenderError, tree};

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
