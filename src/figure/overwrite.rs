//! Which files may be overwritten without being asked: those that this program has drawn itself.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::mark::{MARKED, is_marked};

/// Why a file is not overwritten.
#[derive(Debug, thiserror::Error)]
pub enum OverwriteError {
    /// What it holds is not known.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{} already exists and is no page or picture that meshreplay has drawn; --force overwrites it", .0.display())]
    NotDrawn(PathBuf),
}

/// Fails if the file at `path` holds anything but an earlier page or picture of this program, unless `force`. Devices
/// and FIFOs hold nothing that could be lost.
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
