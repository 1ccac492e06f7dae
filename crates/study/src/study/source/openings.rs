//! Counts how often logs are opened while they are replayed, for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static OPENINGS: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

/// Notes that the log at `path` is opened.
pub(super) fn note(path: &Path) {
    *OPENINGS.lock().unwrap_or_else(PoisonError::into_inner).entry(path.to_owned()).or_default() += 1;
}

/// Returns how often the log at `path` was opened since the last time that this was asked.
pub(in crate::study) fn taken(path: &Path) -> usize {
    OPENINGS.lock().unwrap_or_else(PoisonError::into_inner).remove(path).unwrap_or(0)
}
