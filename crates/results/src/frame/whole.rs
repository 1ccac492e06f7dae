//! Writes files atomically: a file is either complete or unchanged.

use std::cell::Cell;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::FrameError;
use meshreplay_base::disk::{NewFile, read_to_string, sync_directory};

/// The number of attempts to write a file, because another process may remove the unfinished file.
const ATTEMPTS: usize = 3;

/// The number of bytes that are written at a time.
const BUFFER: usize = 256 << 10;

/// Returns the text of a file; `None` if the file or its directory does not exist.
pub fn read_if_there(path: &Path) -> Result<Option<String>, FrameError> {
    match read_to_string(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        read => read.map(Some).map_err(|source| FrameError::Unreadable { path: path.to_owned(), source }),
    }
}

/// Writes a file atomically: even if the power fails, the file is either complete or unchanged. The bytes
/// first go to a temporary file in the same directory, and its name begins with `prefix`.
///
/// Another process may run the same part of the study, for example when a task was requeued but its first
/// process still lives. That process may remove the temporary file as a leftover. Then the file is written
/// again. Devices and named pipes are written directly, and for a symbolic link its target is written.
pub fn write_whole(path: &Path, bytes: &[u8], prefix: &str) -> Result<(), FrameError> {
    write_filled(path, prefix, &|file| file.write_all(bytes))
}

/// A sink for the parts of a text.
pub type Put<'p, E> = &'p mut dyn FnMut(&str) -> Result<(), E>;

/// Writes a file as [`write_whole`] does, whose text `content` hands over in parts, one after the other.
/// `content` may be called again if a directory was not there yet. Fails also if `content` does.
pub fn write_text<E: From<FrameError>>(
    path: &Path,
    prefix: &str,
    content: &dyn Fn(Put<'_, E>) -> Result<(), E>,
) -> Result<(), E> {
    // Keeps an error of `content` apart from errors of writing.
    let failed = Cell::new(None);
    let written = write_filled(path, prefix, &|file| {
        let (mut file, mut unwritable) = (BufWriter::with_capacity(BUFFER, file), None);
        let filled = content(&mut |text| {
            file.write_all(text.as_bytes()).map_err(|source| {
                unwritable = Some(io::Error::from(source.kind()));
                FrameError::File { path: path.to_owned(), source }.into()
            })
        });
        let Err(error) = filled else { return file.flush() };
        let stopped = unwritable.unwrap_or_else(|| io::ErrorKind::Other.into());
        failed.set(Some(error));
        Err(stopped)
    });
    match (failed.take(), written) {
        (Some(error), Err(_)) => Err(error),
        (_, written) => Ok(written?),
    }
}

/// Writes a file as [`write_whole`] does. `content` writes it, and may be called again if a directory was not
/// there yet.
pub(super) fn write_filled(
    path: &Path,
    prefix: &str,
    content: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FrameError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        let mut file = NewFile::create(path, prefix)?;
        content(&mut file)?;
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
