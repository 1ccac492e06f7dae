//! Who writes into a directory of results: one command that replaces what is there, or several that add to it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::new_file::{is_stream, remove_leftovers};

/// How long a command waits for others that are about to begin beside it, such as the parts of one study.
const PATIENCE: Duration = Duration::from_secs(10);

/// The right to write into a directory. It is a lock on the directory itself, which the operating system gives back
/// when the process ends, however it ends. Where directories cannot be locked (some network file systems, Windows)
/// everybody has it.
#[derive(Debug)]
#[must_use = "the directory is free for others as soon as the claim is dropped"]
pub struct Claim {
    directory: Option<File>,
}

/// Why nothing may be written into a directory.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Somebody else writes there.
    #[error(
        "another meshreplay is writing into {}; wait until it has ended, or give another directory",
        .folder.display()
    )]
    Busy {
        /// The directory.
        folder: PathBuf,
    },
}

/// Whom a claim goes along with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    Nobody,
    OthersThatAdd,
}

impl Claim {
    /// Returns the claim of a command that replaces what the directory holds: nobody else may write there meanwhile.
    /// What dead processes have left unfinished is removed.
    pub fn alone(folder: &Path) -> Result<Self, ClaimError> {
        Self::at_once(folder, Sharing::Nobody)
    }

    /// Returns the claim of a command that adds files which others neither read nor replace; others of its kind may
    /// write there too. What dead processes have left unfinished is removed.
    pub fn shared(folder: &Path) -> Result<Self, ClaimError> {
        Self::at_once(folder, Sharing::OthersThatAdd)
    }

    /// Returns the shared claim of a command that adds the file at `path`; a device or a FIFO adds nothing to a
    /// directory.
    pub fn beside(path: &Path) -> Result<Self, ClaimError> {
        if is_stream(path) {
            return Ok(Self { directory: None });
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Self::shared(folder.unwrap_or(Path::new(".")))
    }

    /// Returns the shared claim of a command that may first have to write what all others then rely on. While
    /// `is_there` is false nobody else may write; then `write` is called. Others that do the same at the same time are
    /// waited for.
    pub fn shared_after<E: From<ClaimError>>(
        folder: &Path,
        is_there: impl Fn() -> Result<bool, E>,
        write: impl FnOnce() -> Result<(), E>,
    ) -> Result<Self, E> {
        let until = Instant::now() + PATIENCE;
        loop {
            if is_there()?
                && let Some(claim) = Self::attempt(folder, Sharing::OthersThatAdd)
            {
                // It may have been replaced before the claim was there.
                if is_there()? {
                    return Ok(claim);
                }
            } else if let Some(claim) = Self::attempt(folder, Sharing::Nobody) {
                write()?;
                return Ok(claim.with_others());
            }
            if Instant::now() > until {
                return Err(ClaimError::Busy { folder: folder.to_owned() }.into());
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn at_once(folder: &Path, sharing: Sharing) -> Result<Self, ClaimError> {
        let claim =
            Self::attempt(folder, sharing).ok_or_else(|| ClaimError::Busy { folder: folder.to_owned() })?;
        remove_leftovers(folder);
        Ok(claim)
    }

    /// Returns the claim, or `None` if others have one that does not go along with it.
    fn attempt(folder: &Path, sharing: Sharing) -> Option<Self> {
        let Ok(directory) = File::open(folder) else { return Some(Self { directory: None }) };
        let locked = match sharing {
            Sharing::Nobody => directory.try_lock(),
            Sharing::OthersThatAdd => directory.try_lock_shared(),
        };
        match locked {
            Ok(()) => Some(Self { directory: Some(directory) }),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Self { directory: None }),
        }
    }

    /// Returns the same claim, which others now go along with.
    fn with_others(self) -> Self {
        // A lock that could be had alone can be shared; if not, it stays as it is, and others are refused.
        let _ = self.directory.as_ref().map(File::lock_shared);
        self
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
        let first = Claim::shared_after(folder, || Ok::<_, ClaimError>(false), || Ok(()))?;
        let second = Claim::shared_after(folder, || Ok::<_, ClaimError>(true), || Ok(()))?;
        assert!(Claim::alone(folder).is_err());
        drop((first, second));
        let _ = Claim::alone(folder)?;
        Ok(())
    }
}
