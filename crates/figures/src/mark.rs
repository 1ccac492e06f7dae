//! The mark in pages and pictures of this program. Only marked files are overwritten without `--force`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::Crc;

/// The mark of an HTML page: an element of its head.
pub const PAGE: &str = "<meta name=\"generator\" content=\"meshreplay\">";
/// The mark of an SVG drawing: an attribute of its first element.
const DRAWING: &str = "<svg data-generator=\"meshreplay\"";
/// The mark of a PDF file: a comment in its last line, or near its first in files of version 0.2.0 and older.
pub(super) const PAPER: &str = "drawn by meshreplay";
/// The mark of a PNG file: the content of a text chunk.
const PIXELS: &[u8] = b"Software\0meshreplay";

/// The number of bytes in the signature and the first chunk (IHDR) of a PNG file. Text chunks may follow
/// them.
const PNG_HEADER: usize = 33;

/// The number of bytes at either end of a file within which a mark stands, if the file has one.
pub const MARKED: usize = 1024;

/// Returns the SVG text with the mark.
pub fn marked_svg(svg: &str) -> String {
    svg.replacen("<svg", DRAWING, 1)
}

/// Returns the PNG file with the mark. Bytes that are too short for a PNG file are returned unchanged.
pub fn marked_png(png: &[u8]) -> Vec<u8> {
    let Some((header, rest)) = png.split_at_checked(PNG_HEADER) else { return png.to_vec() };
    let mut chunk = b"tEXt".to_vec();
    chunk.extend_from_slice(PIXELS);
    let mut sum = Crc::new();
    sum.update(&chunk);
    // The length counts the data alone, without the four bytes of the type.
    let length = (PIXELS.len() as u32).to_be_bytes();
    // A chunk of PNG consists of the length of its data, its type, its data, and a CRC of type and data.
    [header, &length, &chunk, &sum.sum().to_be_bytes(), rest].concat()
}

/// Returns whether an end of a file contains a mark of this program.
pub fn is_marked(bytes: &[u8]) -> bool {
    [PAGE.as_bytes(), DRAWING.as_bytes(), PAPER.as_bytes(), PIXELS]
        .iter()
        .any(|mark| bytes.windows(mark.len()).any(|window| window == *mark))
}

/// Why a file must not be overwritten.
#[derive(Debug, thiserror::Error)]
pub enum OverwriteError {
    /// The file cannot be read, so its content is unknown.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file is not a page or picture of this program.
    #[error("{} already exists and is no page or picture that meshreplay has drawn; --force overwrites \
         it", .0.display())]
    NotDrawn(PathBuf),
}

/// Fails if the file at `path` is not an earlier page or picture of this program, unless `force`. It accepts
/// paths without a file, empty files, devices and named pipes, which have nothing to lose.
pub fn check_overwrite(path: &Path, force: bool) -> Result<(), OverwriteError> {
    if force || !path.is_file() {
        return Ok(());
    }
    let ends =
        ends_of(path).map_err(|source| OverwriteError::Unreadable { path: path.to_owned(), source })?;
    if ends.is_empty() || is_marked(&ends) { Ok(()) } else { Err(OverwriteError::NotDrawn(path.to_owned())) }
}

/// Returns the bytes at the beginning and at the end of a file that can hold a mark.
fn ends_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut ends = Vec::new();
    file.by_ref().take(MARKED as u64).read_to_end(&mut ends)?;
    let tail = file.metadata()?.len().saturating_sub(MARKED as u64);
    file.seek(SeekFrom::Start(tail))?;
    file.take(MARKED as u64).read_to_end(&mut ends)?;
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::png;

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
        assert!(is_marked(format!("<!doctype html>\n<head>{PAGE}").as_bytes()));
        assert!(!is_marked(b"; MaxJobs: 7\n1 0 -1 10 4"));
        Ok(())
    }
}
