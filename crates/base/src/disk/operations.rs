//! The one way to the file system for results. Every operation passes through [`perform`], so that a *double*
//! can stand between: it sees each operation before it is done, and can let it fail. Tests have such a
//! double, which lets every operation of a command fail once. Without a double the cost is one look at memory
//! for each operation.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// What is done with a file or a directory of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// A new temporary file is made.
    Create,
    /// Bytes are written into it.
    Write,
    /// What was written is brought to the disk.
    Sync,
    /// It gets its name.
    Put,
    /// A file is removed.
    Remove,
    /// Directories are made.
    MakeFolder,
    /// The names in a directory are brought to the disk.
    SyncFolder,
    /// A file is opened for reading.
    Open,
}

/// Something that stands between this program and the file system.
pub trait Double: Send + Sync {
    /// Is called before an operation on `path`, to which `bytes` bytes are to be written. Returns how many of
    /// them may be written. If it fails, the operation fails with this error and nothing is done.
    fn before(&self, operation: Operation, path: &Path, bytes: usize) -> io::Result<usize>;
}

static DOUBLE: OnceLock<Box<dyn Double>> = OnceLock::new();

/// Puts a double between this process and the file system, for good. Returns false if there is one already.
pub fn interpose(double: Box<dyn Double>) -> bool {
    DOUBLE.set(double).is_ok()
}

/// Returns how many of `bytes` bytes may be written to `path`, which is all of them unless a double decides
/// otherwise.
pub(super) fn allowed(operation: Operation, path: &Path, bytes: usize) -> io::Result<usize> {
    DOUBLE.get().map_or(Ok(bytes), |double| double.before(operation, path, bytes))
}

/// Does an operation on `path`, again and again as long as a signal interrupts it. Network file systems
/// return `EINTR` from operations from which others do not.
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

/// Makes the directory at `path` and those above it that are missing.
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

/// Returns the text of the file at `path`. Fails if it is no UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    perform(Operation::Open, path, || fs::read_to_string(path))
}
