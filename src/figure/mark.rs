//! The mark of this program in its pages and pictures, which tells them from files of others.

use flate2::Crc;

/// The mark of a page: an element of its head.
pub(crate) const PAGE: &str = "<meta name=\"generator\" content=\"meshreplay\">";
/// The mark of a drawing: an attribute of its first element.
const DRAWING: &str = "<svg data-generator=\"meshreplay\"";
/// The mark of a PNG file: the content of a text chunk.
const PIXELS: &[u8] = b"Software\0meshreplay";

/// How many bytes the signature and the first chunk of a PNG file take, after which others may stand.
const PNG_HEADER: usize = 33;

/// How many of the first bytes of a file hold its mark, if it has one.
pub const MARKED: usize = 1024;

/// Returns the drawing with the mark.
pub fn marked_svg(svg: &str) -> String {
    svg.replacen("<svg", DRAWING, 1)
}

/// Returns the PNG file with the mark; anything too short for one stays as it is.
pub fn marked_png(png: &[u8]) -> Vec<u8> {
    let Some((header, rest)) = png.split_at_checked(PNG_HEADER) else { return png.to_vec() };
    let mut chunk = b"tEXt".to_vec();
    chunk.extend_from_slice(PIXELS);
    let mut sum = Crc::new();
    sum.update(&chunk);
    let length = (PIXELS.len() as u32).to_be_bytes();
    [header, &length, &chunk, &sum.sum().to_be_bytes(), rest].concat()
}

/// Returns whether a file that begins with `head` has a mark, so that this program has made it.
pub fn is_marked(head: &[u8]) -> bool {
    [PAGE.as_bytes(), DRAWING.as_bytes(), PIXELS]
        .iter()
        .any(|mark| head.windows(mark.len()).any(|window| window == *mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::draw::png;
    use crate::report::Report;

    #[test]
    fn our_files_are_known_and_others_are_not() -> Result<(), Box<dyn std::error::Error>> {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"/>";
        let bare = png(svg, 1.0)?;
        let marked = marked_png(&bare);
        assert!(is_marked(&marked) && !is_marked(&bare));
        let reader = resvg::tiny_skia::Pixmap::decode_png(&marked)?;
        assert_eq!(reader.data(), resvg::tiny_skia::Pixmap::decode_png(&bare)?.data());
        assert!(is_marked(marked_svg(svg).as_bytes()) && !is_marked(svg.as_bytes()));
        assert_eq!(png(&marked_svg(svg), 1.0)?, bare);
        let page = Report::default().html();
        assert!(is_marked(&page.as_bytes()[..MARKED.min(page.len())]));
        assert!(!is_marked(b"; MaxJobs: 7\n1 0 -1 10 4"));
        Ok(())
    }
}
