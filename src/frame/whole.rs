//! Files that are there whole or not at all.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::FrameError;

/// How names of files that are being written begin.
pub const TEMPORARY: &str = ".meshreplay-";

/// How often a file is begun that another process removes before it is whole.
const ATTEMPTS: usize = 3;

/// Writes a file that is there either as it was or whole, even if the power fails. Until it is whole it has another
/// name in the same directory, which begins with `prefix`. A process that runs the same part of a study, as a requeued
/// task whose first process still lives, may take it for a leftover and remove it: then it is written again.
pub fn write_whole(path: &Path, bytes: &[u8], prefix: &str) -> Result<(), FrameError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(prefix).tempfile_in(folder)?;
        file.write_all(bytes)?;
        make_readable(file.as_file())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
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

/// Makes sure that a file's new name is on disk.
#[cfg(unix)]
fn sync_directory(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Makes sure that a file's new name is on disk; elsewhere directories cannot be opened for that.
#[cfg(not(unix))]
fn sync_directory(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Lets everybody read a result: temporary files are private at first.
#[cfg(unix)]
pub(super) fn make_readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

/// Lets everybody read a result; elsewhere temporary files are as readable as others.
#[cfg(not(unix))]
pub(super) fn make_readable(_file: &File) -> io::Result<()> {
    Ok(())
}
