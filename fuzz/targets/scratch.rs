//! A directory for inputs that are read from files, in memory where the system has such a place.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

/// Returns the path of a file called `name` that holds `bytes`.
pub(crate) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder().join(name);
    fs::write(&path, bytes).expect("the directory for inputs takes them");
    path
}

/// Returns the directory, which is removed by the system's own rules, as this process has one only.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<TempDir> = OnceLock::new();
    let made = || {
        let memory = Path::new("/dev/shm");
        let base = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        tempfile::Builder::new().prefix("meshreplay-fuzz-").tempdir_in(base).expect("a directory can be made")
    };
    FOLDER.get_or_init(made).path()
}
