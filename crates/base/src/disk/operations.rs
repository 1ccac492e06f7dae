//! File-system access for results. Every operation passes through [`perform`], where tests can interpose a
//! test double that sees each operation before it happens and can make it fail. Without a double the cost is
//! one load per operation.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// An operation on a file or a directory of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Make a temporary file.
    Create,
    /// Write bytes to it.
    Write,
    /// Sync its content to disk.
    Sync,
    /// Rename it to its final name.
    Put,
    /// Remove a file.
    Remove,
    /// Make directories.
    MakeFolder,
    /// Sync the names in a directory to disk.
    SyncFolder,
    /// Open a file for reading.
    Open,
}

/// A test double for the file system.
pub trait Double: Send + Sync {
    /// Called before an operation on `path` that writes up to `bytes` bytes. Returns how many bytes may be
    /// written. An error makes the operation fail with it, and nothing is done.
    fn before(&self, operation: Operation, path: &Path, bytes: usize) -> io::Result<usize>;
}

static DOUBLE: OnceLock<Box<dyn Double>> = OnceLock::new();

/// Installs a double for the rest of the process. Returns false if there is one already.
pub fn interpose(double: Box<dyn Double>) -> bool {
    DOUBLE.set(double).is_ok()
}

/// Returns how many of `bytes` bytes may be written to `path`: all, unless a double decides otherwise.
pub(super) fn allowed(operation: Operation, path: &Path, bytes: usize) -> io::Result<usize> {
    DOUBLE.get().map_or(Ok(bytes), |double| double.before(operation, path, bytes))
}

/// Does an operation on `path`, and repeats it while signals interrupt it. Network file systems return
/// `EINTR` from operations that are not interrupted elsewhere.
pub(super) fn perform<T>(
    operation: Operation,
    path: &Path,
    mut act: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    loop {
        match allowed(operation, path, 0).and_then(|_| act()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Removes the file at `path`. Fails if there is none.
pub fn remove_file(path: &Path) -> io::Result<()> {
    perform(Operation::Remove, path, || fs::remove_file(path))
}

/// Makes the directory at `path` and its missing parent directories.
pub fn create_dir_all(path: &Path) -> io::Result<()> {
    perform(Operation::MakeFolder, path, || fs::create_dir_all(path))
}

/// Opens the file at `path` for reading.
pub fn open(path: &Path) -> io::Result<File> {
    perform(Operation::Open, path, || File::open(path))
}

/// Returns the bytes of the file at `path`.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    perform(Operation::Open, path, || fs::read(path))
}

/// Returns the text of the file at `path`. Fails if it is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    perform(Operation::Open, path, || fs::read_to_string(path))
}
