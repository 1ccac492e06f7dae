//! The registry of picture formats.

use std::ffi::OsStr;
use std::path::Path;

use super::draw::{RenderError, pdf, png};
use super::mark::{PAPER, marked_png, marked_svg};

/// A format of pictures.
#[derive(Clone, Copy, Debug)]
pub struct PictureFormat {
    /// The name of the format, and the extension of its files.
    pub name: &'static str,
    /// The content of the file, in a few words.
    pub summary: &'static str,
    /// Whether a picture has pixels, so that their number matters.
    pub has_pixels: bool,
    /// Converts an SVG drawing to this format, with the mark of this program. The number is the scale, in
    /// pixels per CSS pixel; formats without pixels ignore it.
    pub write: fn(&str, f64) -> Result<Vec<u8>, RenderError>,
}

/// Every format of pictures.
pub const PICTURE_FORMATS: [PictureFormat; 3] = [
    PictureFormat {
        name: "svg",
        summary: "a drawing, for pages and for further work",
        has_pixels: false,
        write: |svg, _| Ok(marked_svg(svg).into_bytes()),
    },
    PictureFormat {
        name: "png",
        summary: "pixels, for slides and messages",
        has_pixels: true,
        write: |svg, scale| Ok(marked_png(&png(svg, scale)?)),
    },
    PictureFormat {
        name: "pdf",
        summary: "a page with embedded fonts, for papers",
        has_pixels: false,
        write: |svg, _| pdf(svg, PAPER),
    },
];

/// The name of a picture file has no known extension.
#[derive(Debug, thiserror::Error)]
#[error("{file}: expected a name that ends in {}", endings())]
pub struct NoFormat {
    file: String,
}

/// Returns the format of this name; `None` if there is none.
pub fn picture_format(name: &str) -> Option<&'static PictureFormat> {
    PICTURE_FORMATS.iter().find(|format| format.name == name)
}

/// Returns the format of a file by its extension, in capital or small letters.
pub fn format_of_file(path: &Path) -> Result<&'static PictureFormat, NoFormat> {
    let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
    let format = extension.and_then(|extension| picture_format(&extension));
    format.ok_or_else(|| NoFormat { file: path.display().to_string() })
}

/// Returns the extensions of all formats in words: `.svg, .png or .pdf`.
fn endings() -> String {
    let names = PICTURE_FORMATS.map(|format| format!(".{}", format.name));
    let [first @ .., last] = &names;
    format!("{} or {last}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_marked;

    #[test]
    fn every_format_is_known_again() -> Result<(), RenderError> {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"/>";
        for format in &PICTURE_FORMATS {
            let bytes = (format.write)(svg, 1.0)?;
            assert!(is_marked(&bytes), "{}", format.name);
            let file = Path::new("a.b").with_extension(format.name.to_uppercase());
            assert_eq!(format_of_file(&file).ok().map(|found| found.name), Some(format.name));
        }
        let said =
            format_of_file(Path::new("x.jpg")).map_or_else(|error| error.to_string(), |_| String::new());
        assert_eq!(said, "x.jpg: expected a name that ends in .svg, .png or .pdf");
        Ok(())
    }
}
