//! The register of temporary files and new directories of this process. They are removed if the process is
//! ended before they are complete.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::claim::remove_unclaimed;
use super::operations::create_dir_all;

/// The temporary files and new directories that exist now.
struct Registry {
    /// Temporary files and directories, to be removed with their content.
    temporary: BTreeSet<PathBuf>,
    /// New directories, to be removed if they are empty.
    folders: BTreeSet<PathBuf>,
    /// Whether the process is about to end. Then no file may be added or put in its place any more.
    is_closed: bool,
}

static REGISTRY: Mutex<Registry> =
    Mutex::new(Registry { temporary: BTreeSet::new(), folders: BTreeSet::new(), is_closed: false });

/// Locks the register and returns it. Once it is closed, the process is about to end, and this function never
/// returns.
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

/// A temporary file or directory of this process. It is in the register until this value is dropped.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// Makes a temporary file or directory by calling `make`, and adds its path, which `path` returns, to the
    /// register. The register is locked meanwhile, so the process cannot end between these two steps. Fails
    /// if `make` fails.
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

    /// Calls `put`, which puts the file in its place, and returns its result. The register is locked
    /// meanwhile, so the process ends either before or after that.
    pub(super) fn put<T>(self, put: impl FnOnce() -> T) -> T {
        let registry = registry();
        let placed = put();
        drop(registry);
        // It takes the lock again as it is forgotten.
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
/// empty and without a claim when this value is dropped, and if they are empty when a signal ends the
/// process.
#[derive(Debug)]
pub struct NewFolder {
    /// The directories that were made, innermost first.
    made: Vec<PathBuf>,
}

impl NewFolder {
    /// Makes the directory at `path` and its missing parent directories. Fails if that is not possible.
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

/// Removes all temporary files and empty new directories of this process, which is about to end without
/// unwinding. From now on, other threads that would make a temporary file, or put one in its place, wait
/// until the process ends.
pub fn remove_unfinished() {
    let mut registry = REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    registry.is_closed = true;
    for path in &registry.temporary {
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
    // In the order of paths a directory comes before its content, so the reverse order removes the content
    // first.
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
