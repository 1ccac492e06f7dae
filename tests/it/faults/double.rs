//! A test double for file operations, between the program and the file system.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meshreplay::disk::{self, Double, Operation};

/// The fault to inject.
#[derive(Clone, Debug, Default)]
pub(super) enum Mode {
    /// No faults, and no counting.
    #[default]
    Off,
    /// No faults; operations are counted.
    Count,
    /// The operation with this number fails.
    Fail { at: usize, error: i32 },
    /// The operation with this number and all after it fail.
    FailFrom { at: usize, error: i32 },
    /// Every write is short: half of the bytes.
    Short,
    /// A signal interrupts every operation once (EINTR).
    Interrupt,
    /// The directory is copied before every operation.
    Copy { into: PathBuf },
}

#[derive(Debug, Default)]
struct State {
    mode: Mode,
    seen: usize,
    /// Whether the last operation was interrupted.
    is_interrupted: bool,
    /// Files with unsynced content, and directories with unsynced names.
    dirty: BTreeSet<PathBuf>,
    new_names: BTreeSet<PathBuf>,
    /// Operations in the wrong order, in words.
    broken_order: Vec<String>,
}

/// Controls the double from a test.
#[derive(Clone, Debug)]
pub(super) struct Faults {
    root: PathBuf,
    state: Arc<Mutex<State>>,
}

impl Faults {
    /// Installs the double for this process. `root` is the directory that [`Mode::Copy`] copies.
    pub(super) fn begin(root: &Path) -> Self {
        let faults = Self { root: root.to_owned(), state: Arc::default() };
        assert!(disk::interpose(Box::new(faults.clone())), "there is a double already");
        faults
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the mode and resets the count.
    pub(super) fn set(&self, mode: Mode) {
        *self.state() = State { mode, ..State::default() };
    }

    /// Stops all faults. Returns the number of operations, and the operations in the wrong order.
    pub(super) fn end(&self) -> (usize, Vec<String>) {
        let State { seen, mut broken_order, new_names, .. } = std::mem::take(&mut *self.state());
        broken_order.extend(
            new_names
                .iter()
                .map(|folder| format!("new names in {} are not brought to the disk", folder.display())),
        );
        (seen, broken_order)
    }
}

impl Double for Faults {
    fn before(&self, operation: Operation, path: &Path, bytes: usize) -> io::Result<usize> {
        let mut state = self.state();
        let interrupts = matches!(state.mode, Mode::Interrupt);
        if interrupts && !std::mem::replace(&mut state.is_interrupted, true) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        state.is_interrupted = false;
        state.seen += 1;
        let seen = state.seen;
        match state.mode.clone() {
            Mode::Off => {
                state.seen = 0;
                return Ok(bytes);
            }
            Mode::Fail { at, error } if at == seen => return Err(io::Error::from_raw_os_error(error)),
            Mode::FailFrom { at, error } if at <= seen => return Err(io::Error::from_raw_os_error(error)),
            Mode::Copy { into } => super::copy(&self.root, &into.join(seen.to_string()))?,
            _ => {}
        }
        // Relative paths are relative to the root.
        let path = &self.root.join(path);
        let folder = path.parent().map(Path::to_owned).unwrap_or_default();
        match operation {
            Operation::Write => drop(state.dirty.insert(path.to_owned())),
            Operation::Sync => drop(state.dirty.remove(path)),
            Operation::Put => {
                if state.dirty.contains(path) {
                    state
                        .broken_order
                        .push(format!("{} gets its name before it is on the disk", path.display()));
                }
                state.new_names.insert(folder);
            }
            Operation::SyncFolder => {
                let plain: PathBuf = path.components().collect();
                state.new_names.retain(|name| *name != plain);
            }
            _ => {}
        }
        Ok(if matches!(state.mode, Mode::Short) { bytes.div_ceil(2) } else { bytes })
    }
}
