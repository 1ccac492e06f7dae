//! Locks on directories. The operating system releases them when the process ends, in whatever way it ends.

use std::fs::{File, TryLockError};
use std::path::Path;

/// The other claims with which a claim is compatible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// None.
    Nobody,
    /// Claims of other commands that add files.
    OthersThatAdd,
}

/// Locks a directory and returns it; `Some(None)` where directories cannot be locked. Returns `None` if other
/// processes have locks that are not compatible, or if another process has removed the directory meanwhile.
#[expect(clippy::option_option, reason = "the outer one is the right to go on, the inner one the lock")]
pub(super) fn lock(folder: &Path, sharing: Sharing) -> Option<Option<File>> {
    let Ok(directory) = File::open(folder) else { return Some(None) };
    let locked = match sharing {
        Sharing::Nobody => directory.try_lock(),
        Sharing::OthersThatAdd => directory.try_lock_shared(),
    };
    match locked {
        Ok(()) => is_at(&directory, folder).then_some(Some(directory)),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(_)) => Some(None),
    }
}

/// Returns whether an open directory is the one at this path.
#[cfg(unix)]
fn is_at(directory: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |there: &std::fs::Metadata| (there.dev(), there.ino());
    matches!((directory.metadata(), path.metadata()), (Ok(open), Ok(there)) if place(&open) == place(&there))
}

/// Returns true: on other systems directories are not locked.
#[cfg(not(unix))]
fn is_at(_directory: &File, _path: &Path) -> bool {
    true
}

/// Removes a directory if it is empty and no process has a claim of it.
pub(super) fn remove_unclaimed(folder: &Path) {
    if let Some(_lock) = lock(folder, Sharing::Nobody) {
        // This fails if the directory is not empty. The directory then stays.
        let _ = std::fs::remove_dir(folder);
    }
}
