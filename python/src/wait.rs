//! Waits for work in another thread, so that Python stays responsive: signals are handled, progress is shown,
//! and the interpreter's lock is free while the work runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::message;

/// The time between two looks at signals and progress.
const TICK: Duration = Duration::from_millis(50);

/// The time that work has to end after it was told to stop. It then goes on in the background, and its result
/// is lost.
const GRACE: Duration = Duration::from_millis(700);

/// The process that first used threads of the library.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Fails in a copy of a process that has used threads of the library: a fork has none of them, and would wait
/// for ever.
pub(crate) fn in_own_process() -> PyResult<()> {
    if *PROCESS.get_or_init(process::id) == process::id() {
        return Ok(());
    }
    Err(message(
        "this process is a fork of one that has used meshreplay, and has none of its threads; start workers \
         with multiprocessing.get_context(\"spawn\")",
    ))
}

/// Runs `work` in a thread and returns its result. Calls `tick` about twenty times a second while it runs. If
/// that fails, or Python has a signal whose handler raises an exception (as Ctrl-C does), it calls `stop` and
/// returns this exception.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    stop: impl FnOnce(),
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> Result<T, Interrupted<T>> {
    in_own_process()?;
    let (sender, mut receiver) = mpsc::channel();
    let run = move || {
        // Nobody receives the result after an interruption.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    };
    thread::Builder::new()
        .name("meshreplay".to_owned())
        .spawn(run)
        .map_err(|error| message(error.to_string()))?;
    loop {
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(TICK)) {
            Ok(Ok(result)) => return Ok(result),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                return Err(message(
                    "meshreplay panicked, which is a defect of it; the message is on standard error",
                )
                .into());
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = py.check_signals().and_then(|()| tick(py)) {
                    stop();
                    let waiting = &mut receiver;
                    let left = py.detach(move || waiting.recv_timeout(GRACE)).ok().and_then(Result::ok);
                    return Err(Interrupted { raised, left });
                }
            }
        }
    }
}

/// An exception that has ended a wait.
pub(crate) struct Interrupted<T> {
    pub(crate) raised: PyErr,
    /// The result of the work that was stopped, if it came in time.
    pub(crate) left: Option<T>,
}

impl<T> From<PyErr> for Interrupted<T> {
    fn from(raised: PyErr) -> Self {
        Self { raised, left: None }
    }
}

/// Runs `work` that cannot be stopped, as [`wait`] does. After an interruption it ends in the background.
pub(crate) fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    wait(py, work, || (), |_| Ok(())).map_err(|interrupted| interrupted.raised)
}
