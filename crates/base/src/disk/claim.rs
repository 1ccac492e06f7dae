//! Claims: locks that decide who may write into a directory of results. Either one command replaces what is
//! there, or several commands add files to it.
#![expect(clippy::arithmetic_side_effects, reason = "an instant some seconds from now")]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::folder_lock::{Sharing, lock};
use super::new_file::{is_stream, remove_leftovers};

/// The longest time that a command waits for others that start beside it, such as the parts of one study.
const PATIENCE: Duration = Duration::from_secs(10);

/// The right to write into a directory.
///
/// It is a lock on the directory itself. The operating system releases it when the process ends, in whatever
/// way it ends. Where directories cannot be locked (on some network file systems and on Windows), every
/// process gets the claim.
#[derive(Debug)]
#[must_use = "the directory is free for others as soon as the claim is dropped"]
pub struct Claim {
    /// The locked directory; `None` if nothing is locked.
    directory: Option<File>,
}

/// The reason for which a process may not write into a directory.
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

impl Claim {
    /// Returns the claim of a command that replaces the content of the directory. No other process may write
    /// there while the claim exists. Unfinished files of processes that no longer run are removed. Fails if
    /// another process has a claim.
    pub fn alone(folder: &Path) -> Result<Self, ClaimError> {
        Self::at_once(folder, Sharing::Nobody)
    }

    /// Returns the claim of a command that adds files, which other commands neither read nor replace. Other
    /// commands of this kind may write there too. Unfinished files of processes that no longer run are
    /// removed. Fails if another process has a claim by [`Self::alone`].
    pub fn shared(folder: &Path) -> Result<Self, ClaimError> {
        Self::at_once(folder, Sharing::OthersThatAdd)
    }

    /// Returns the shared claim of a command that adds the file at `path` to its directory. If `path` is a
    /// device or a FIFO, nothing is added to a directory, and the claim locks nothing.
    pub fn beside(path: &Path) -> Result<Self, ClaimError> {
        if is_stream(path) {
            return Ok(Self { directory: None });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Self::shared(folder.unwrap_or(Path::new(".")))
    }

    /// Returns the shared claim of a command that relies on files that it may have to write first. `is_there`
    /// checks them, and fails if the directory belongs to others. If it returns false, it is called again and
    /// then `write`, both under a claim for this process alone. If other processes hold claims, this waits
    /// for some seconds, as they may be doing the same. Fails if it has waited in vain, or if `is_there` or
    /// `write` fails.
    pub fn shared_after<E: From<ClaimError>>(
        folder: &Path,
        is_there: impl Fn() -> Result<bool, E>,
        write: impl Fn() -> Result<(), E>,
    ) -> Result<Self, E> {
        let until = Instant::now() + PATIENCE;
        loop {
            let sharing = if is_there()? { Sharing::OthersThatAdd } else { Sharing::Nobody };
            if let Some(mut claim) = Self::attempt(folder, sharing) {
                if sharing == Sharing::Nobody && !is_there()? {
                    write()?;
                }
                if sharing == Sharing::Nobody {
                    claim = claim.with_others();
                }
                // Another process may have replaced the files before this one had its claim, or while the
                // operating system turned the claim into a shared one.
                if is_there()? {
                    return Ok(claim);
                }
            }
            if Instant::now() > until {
                return Err(ClaimError::Busy { folder: folder.to_owned() }.into());
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Returns the claim without waiting, and removes unfinished files of processes that no longer run.
    fn at_once(folder: &Path, sharing: Sharing) -> Result<Self, ClaimError> {
        let claim =
            Self::attempt(folder, sharing).ok_or_else(|| ClaimError::Busy { folder: folder.to_owned() })?;
        remove_leftovers(folder);
        Ok(claim)
    }

    /// Returns the claim; `None` if other processes have claims with which it is not compatible.
    fn attempt(folder: &Path, sharing: Sharing) -> Option<Self> {
        lock(folder, sharing).map(|directory| Self { directory })
    }

    /// Returns the same claim, changed to a shared one.
    fn with_others(self) -> Self {
        // An exclusive lock can be turned into a shared one. If this fails, the lock stays exclusive, and
        // other processes are refused.
        let _ = self.directory.as_ref().map(File::lock_shared);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::folder_lock::remove_unclaimed;

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
