//! Registry of the temporary files and new directories of this process. They are removed if the process ends
//! before they are complete.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, thread};

use super::claim::remove_unclaimed;
use super::operations::create_dir_all;

/// The temporary files and new directories that exist now.
struct Registry {
    /// Temporary files and directories, to be removed with their content.
    temporary: BTreeSet<PathBuf>,
    /// New directories, to be removed if they are empty.
    folders: BTreeSet<PathBuf>,
    /// Whether the process is about to end. No file may be added or renamed then.
    is_closed: bool,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { temporary: BTreeSet::new(), folders: BTreeSet::new(), is_closed: false });

/// Locks the registry and returns it. Never returns once the registry is closed, because the process is about
/// to end.
fn registry() -> MutexGuard<'static, Registry> {
    loop {
        let registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
        if !registry.is_closed {
            return registry;
        }
        drop(registry);
        thread::park();
    }
}

/// A temporary file or directory of this process, registered until this value is dropped.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a temporary file or directory by `make`, and registers its `path`. The registry is locked in
    /// between, so the process cannot end between the two steps. Fails if `make` fails.
    pub fn make<T, E>(
        make: impl FnOnce() -> Result<T, E>,
        path: impl FnOnce(&T) -> &Path,
    ) -> Result<(T, Self), E> {
        let mut registry = registry();
        let temporary = make()?;
        let path = path(&temporary).to_owned();
        registry.temporary.insert(path.clone());
        Ok((temporary, Self(path)))
    }

    /// Renames the file by `put` and returns the result. The registry is locked meanwhile, so the process
    /// ends either before or after the rename.
    pub(super) fn put<T>(self, put: impl FnOnce() -> T) -> T {
        let registry = registry();
        let placed = put();
        drop(registry);
        // Deregistering takes the lock again.
        drop(self);
        placed
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        REGISTRY.lock().unwrap_or_else(PoisonError::into_inner).temporary.remove(&self.0);
    }
}

/// A directory and its parent directories, as far as this process has made them. They are removed if they are
/// empty and unclaimed when this value is dropped, or empty when a signal ends the process.
#[derive(Debug)]
pub struct NewFolder {
    /// The directories that were made, innermost first.
    made: Vec<PathBuf>,
}

impl NewFolder {
    /// Makes the directory at `path` and its missing parent directories.
    pub fn create(path: &Path) -> io::Result<Self> {
        let mut registry = registry();
        let is_missing = |above: &&Path| !above.as_os_str().is_empty() && !above.exists();
        let made = Self { made: path.ancestors().take_while(is_missing).map(Path::to_owned).collect() };
        registry.folders.extend(made.made.iter().cloned());
        drop(registry);
        create_dir_all(path)?;
        Ok(made)
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        let mut registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
        for folder in &self.made {
            remove_unclaimed(folder);
            registry.folders.remove(folder);
        }
    }
}

/// Removes all temporary files and empty new directories, before the process ends without unwinding. Other
/// threads that would make or rename a temporary file block from now on.
pub fn remove_unfinished() {
    let mut registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    registry.is_closed = true;
    for path in &registry.temporary {
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    // Paths sort a directory before its content, so the reverse order removes the content first.
    for folder in registry.folders.iter().rev() {
        let _ = fs::remove_dir(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_folders_stay_only_with_something_in_them() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let (above, below) = (directory.path().join("a"), directory.path().join("a/b"));
        drop(NewFolder::create(&below)?);
        assert!(!above.exists());
        let both = NewFolder::create(&below)?;
        fs::write(above.join("file"), "")?;
        drop(both);
        assert!(above.exists() && !below.exists());
        drop(NewFolder::create(&above)?);
        assert!(above.exists(), "it was there before");
        Ok(())
    }
}
