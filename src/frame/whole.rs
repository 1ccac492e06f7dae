//! Writes files so that they are there whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use super::FrameError;
use crate::disk::{NewFile, sync_directory};

/// How often a file is begun that another process removes before it is whole.
const ATTEMPTS: usize = 3;

/// Writes a file, which is there either as it was or whole, even if the power fails. Until it is whole it has another
/// name in the same directory, which begins with `prefix`. A process that runs the same part of a study, as a requeued
/// task whose first process still lives, may take it for a leftover and remove it: then it is written again. A device
/// or a FIFO is written into, and of a symbolic link the target is written.
pub fn write_whole(path: &Path, bytes: &[u8], prefix: &str) -> Result<(), FrameError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        let mut file = NewFile::create(path, prefix)?;
        file.write_all(bytes)?;
        file.sync()?;
        file.put()?;
        sync_directory(folder)
    };
    let mut written = write();
    for _ in 1..ATTEMPTS {
        match &written {
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => written = write(),
            _ => break,
        }
    }
    written.map_err(|source| FrameError::File { path: path.to_owned(), source })
}
