//! Reads drawings for those who render them. The fonts are built in, so that pictures do not depend on the
//! fonts of a machine.

use std::sync::Arc;

use resvg::usvg::{Options, Tree, fontdb};

/// Why a drawing could not be rendered as pixels or as a page.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
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
    /// The page could not be made.
    #[error("the PDF cannot be made: {0}")]
    Page(String),
}

/// Returns the elements of an SVG drawing, with its texts set in the built-in fonts.
pub(super) fn tree(svg: &str) -> Result<Tree, RenderError> {
    Tree::from_str(svg, &options()).map_err(|error| RenderError::Drawing(error.to_string()))
}

/// Returns how drawings are read: texts are set in the built-in fonts.
pub(super) fn options() -> Options<'static> {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Options { fontdb: Arc::new(fonts), ..Options::default() }
}
