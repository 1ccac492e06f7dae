//! Claims: locks on directories that decide which commands may write results there. Either one command
//! replaces the content, or several commands add files.
#![expect(clippy::arithmetic_side_effects, reason = "an instant some seconds from now")]

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::new_file::{folder_of, is_stream, remove_leftovers};

/// The longest wait for commands that start at the same time, such as the parts of one study.
const PATIENCE: Duration = Duration::from_secs(10);

/// Permission to write into a directory.
///
/// It is a lock on the directory itself. The operating system releases the lock when the process ends, even
/// if it is killed. Where directories cannot be locked (on some network file systems and on Windows), every
/// process gets the claim.
#[derive(Debug)]
#[must_use = "the directory is free for others as soon as the claim is dropped"]
pub struct Claim {
    /// The locked directory; `None` if nothing is locked.
    lock: Option<File>,
}

impl Drop for Claim {
    /// Unlocks the directory. Closing it would not do at once: a process that another thread is starting has
    /// a copy of the descriptor until it executes its program.
    fn drop(&mut self) {
        let _ = self.lock.as_ref().map(File::unlock);
    }
}

/// The reason why a process may not write into a directory.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Another process is writing there.
    #[error(
        "another meshreplay is writing into {}; wait until it has ended, or give another directory",
        .folder.display()
    )]
    Busy {
        /// The directory.
        folder: PathBuf,
    },
}

/// Attempts a lock without waiting: exclusive ([`File::try_lock`]) or shared ([`File::try_lock_shared`]).
type TryLock = fn(&File) -> Result<(), TryLockError>;

impl Claim {
    /// Claims a directory whose content the command replaces, and removes temporary files of processes that
    /// no longer run. No other process may write there while the claim exists. Fails if another process has a
    /// claim.
    pub fn alone(folder: &Path) -> Result<Self, ClaimError> {
        Self::at_once(folder, File::try_lock)
    }

    /// Claims a directory to which the command adds files of its own, and removes temporary files of
    /// processes that no longer run. Other commands of this kind may write there too. Fails if another
    /// process has a claim by [`Self::alone`].
    pub fn shared(folder: &Path) -> Result<Self, ClaimError> {
        Self::at_once(folder, File::try_lock_shared)
    }

    /// Returns the shared claim of a command that adds the file at `path` to its directory. A claim for a
    /// device or a FIFO locks nothing.
    pub fn beside(path: &Path) -> Result<Self, ClaimError> {
        if is_stream(path) { Ok(Self { lock: None }) } else { Self::shared(folder_of(path)) }
    }

    /// Returns a shared claim after the files that the command needs have been written. `is_there` checks
    /// them, and fails if the directory belongs to another study. If `is_there` returns false, it is called
    /// again, and then `write`, both under an exclusive claim. Waits up to 10 s for other processes, which
    /// may be writing the same files. Fails after that time, or if `is_there` or `write` fails.
    pub fn shared_after<E: From<ClaimError>>(
        folder: &Path,
        is_there: impl Fn() -> Result<bool, E>,
        write: impl Fn() -> Result<(), E>,
    ) -> Result<Self, E> {
        let until = Instant::now() + PATIENCE;
        loop {
            let is_shared = is_there()?;
            if let Some(directory) =
                lock(folder, if is_shared { File::try_lock_shared } else { File::try_lock })
            {
                if !is_shared {
                    if !is_there()? {
                        write()?;
                    }
                    // Downgrades the lock. If this fails, it stays exclusive, and other processes are
                    // refused.
                    let _ = directory.as_ref().map(File::lock_shared);
                }
                // Another process may have replaced the files before this one had its claim, or while the
                // operating system downgraded the lock.
                if is_there()? {
                    return Ok(Self { lock: directory });
                }
            }
            if Instant::now() > until {
                return Err(ClaimError::Busy { folder: folder.to_owned() }.into());
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Claims a directory without waiting, and removes temporary files of processes that no longer run.
    fn at_once(folder: &Path, try_lock: TryLock) -> Result<Self, ClaimError> {
        let Some(directory) = lock(folder, try_lock) else {
            return Err(ClaimError::Busy { folder: folder.to_owned() });
        };
        remove_leftovers(folder);
        Ok(Self { lock: directory })
    }
}

/// Locks a directory and returns it; `Some(None)` where directories cannot be locked. Returns `None` if
/// another process has an incompatible lock, or has removed the directory meanwhile.
#[expect(clippy::option_option, reason = "the outer one is the right to go on, the inner one the lock")]
fn lock(folder: &Path, try_lock: TryLock) -> Option<Option<File>> {
    let Ok(directory) = File::open(folder) else { return Some(None) };
    match try_lock(&directory) {
        Ok(()) => is_at(&directory, folder).then_some(Some(directory)),
        Err(TryLockError::WouldBlock) => None,
        Err(TryLockError::Error(_)) => Some(None),
    }
}

/// Returns whether an open directory is the one at `path`.
#[cfg(unix)]
fn is_at(directory: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: &std::fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((directory.metadata(), path.metadata()), (Ok(open), Ok(named)) if id(&open) == id(&named))
}

/// Returns true: on other systems directories are not locked.
#[cfg(not(unix))]
fn is_at(_directory: &File, _path: &Path) -> bool {
    true
}

/// Removes a directory if it is empty and no process claims it.
pub(super) fn remove_unclaimed(folder: &Path) {
    if let Some(_lock) = lock(folder, File::try_lock) {
        // This fails if the directory is not empty. The directory then stays.
        let _ = std::fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn one_alone_or_several_together() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let folder = directory.path();
        let alone = Claim::alone(folder)?;
        assert!(Claim::alone(folder).is_err() && Claim::shared(folder).is_err());
        drop(alone);
        let together = [Claim::shared(folder)?, Claim::shared(folder)?];
        assert!(Claim::alone(folder).is_err());
        drop(together);
        let written = std::cell::Cell::new(false);
        let write = || {
            written.set(true);
            Ok(())
        };
        let first = Claim::shared_after(folder, || Ok::<_, ClaimError>(written.get()), write)?;
        let second = Claim::shared_after(folder, || Ok::<_, ClaimError>(true), || Ok(()))?;
        assert!(Claim::alone(folder).is_err());
        remove_unclaimed(folder);
        assert!(folder.is_dir(), "a directory with a claim stays");
        drop((first, second));
        let _ = Claim::alone(folder)?;
        Ok(())
    }
}
