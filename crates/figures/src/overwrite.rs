//! Decides which files may be overwritten without `--force`: only pages and pictures that this program made.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::mark::{MARKED, is_marked};

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
