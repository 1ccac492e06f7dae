//! What this process has begun to write, for the case that it is ended in the middle.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A temporary file or directory of this process, known as such as long as this lives.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// The file or directory at `path`.
    pub fn at(path: &Path) -> Self {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Removes all temporary files and directories of this process, which is about to end without unwinding.
pub fn remove_unfinished() {
    for path in &*UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner) {
        // One of them may be in its place by now.
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}
