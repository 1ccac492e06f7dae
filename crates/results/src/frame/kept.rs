//! Checks that the file of a cell is complete and belongs to the cell in its name.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::FrameError;
use super::FrameSchema;
use super::read::read_file;
use meshreplay_base::disk::{open, read};

/// The last four bytes of a Parquet file. The four bytes before them hold the length of the footer.
const MAGIC: &[u8] = b"PAR1";
const END: u64 = 8;

/// Returns whether the file is a complete Parquet file with metadata that name the cell `key`. It returns
/// false for an empty file, for a part of a file, for the result of another cell, and for a file that cannot
/// be read.
pub(super) fn is_result_of(path: &Path, key: &str) -> bool {
    has_key(path, key).unwrap_or(false)
}

/// Returns whether the file is a complete Parquet file with metadata that name the cell `key`. Fails for a
/// file that is there and cannot be read now, as on a disk that is not reached: whoever took such a file for
/// none would lose a result.
pub(super) fn has_key(path: &Path, key: &str) -> io::Result<bool> {
    // The metadata are JSON with one space after each colon, so the key can be found by its bytes.
    let named = format!("\"key\": \"{key}\"");
    match footer(path) {
        Ok(footer) => Ok(footer.windows(named.len()).any(|window| window == named.as_bytes())),
        Err(error) => match error.kind() {
            io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound => Ok(false),
            _ => Err(error),
        },
    }
}

/// Reads the footer of a Parquet file. The footer holds the metadata as plain text, so that they are found
/// without decoding the file.
fn footer(path: &Path) -> io::Result<Vec<u8>> {
    // Opening a named pipe (FIFO) would wait for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut file = open(path)?;
    let size = file.seek(SeekFrom::End(0))?;
    let mut end = [0; END as usize];
    file.seek(SeekFrom::Start(size.checked_sub(END).ok_or(io::ErrorKind::UnexpectedEof)?))?;
    file.read_exact(&mut end)?;
    let (length, magic) = end.split_at(4);
    // The length is stored in little-endian order: the last byte is the highest.
    let length = length.iter().rev().fold(0_u64, |sum, &byte| sum << 8 | u64::from(byte));
    if magic != MAGIC || length + END > size {
        return Err(io::ErrorKind::InvalidData.into());
    }
    file.seek(SeekFrom::Start(size - END - length))?;
    let mut footer = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact(&mut footer)?;
    Ok(footer)
}

/// Reads the file of a cell in a directory that another user may have written. Returns its bytes if it is a
/// regular file, belongs to the cell `key`, and has only columns of the frame `name`. Otherwise returns a
/// sentence on the problem. The outer error means that the file cannot be read.
pub(super) fn read_checked(
    path: &Path,
    key: &str,
    name: &str,
) -> Result<Result<Vec<u8>, String>, FrameError> {
    let unreadable = |source| FrameError::Unreadable { path: path.to_owned(), source };
    if !fs::symlink_metadata(path).map_err(unreadable)?.is_file() {
        return Ok(Err(format!("{} is no regular file", path.display())));
    }
    if !has_key(path, key).map_err(unreadable)? {
        return Ok(Err(format!("{} is damaged or the result of another cell", path.display())));
    }
    let frame = read_file(path)?;
    let schema = FrameSchema::all().into_iter().find(|schema| schema.name == name);
    let knows = |column: &str| schema.as_ref().is_some_and(|schema| schema.column(column).is_some());
    if let Some(odd) = frame.get_column_names().into_iter().find(|column| !knows(column.as_str())) {
        return Ok(Err(format!(
            "{} has the column '{odd}', which the {name} of a cell do not have",
            path.display()
        )));
    }
    read(path).map(Ok).map_err(unreadable)
}
