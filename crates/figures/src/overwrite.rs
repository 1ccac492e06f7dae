//! Decides which files may be overwritten without `--force`: only pages and pictures that this program made.

use std::fs::File;
use std::io::{self, Read};
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
    #[error("{} already exists and is no page or picture that meshreplay has drawn; --force overwrites it", .0.display())]
    NotDrawn(PathBuf),
}

/// Fails if the file at `path` is not an earlier page or picture of this program, unless `force`. It accepts paths
/// without a file, empty files, devices and named pipes, which have nothing to lose.
pub fn check_overwrite(path: &Path, force: bool) -> Result<(), OverwriteError> {
    if force || !path.is_file() {
        return Ok(());
    }
    let mut head = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MARKED as u64).read_to_end(&mut head))
        .map_err(|source| OverwriteError::Unreadable { path: path.to_owned(), source })?;
    if head.is_empty() || is_marked(&head) { Ok(()) } else { Err(OverwriteError::NotDrawn(path.to_owned())) }
}
