//! Waits for work in another thread, so that Python stays responsive: signals are handled, progress is shown,
//! and the interpreter's lock is free while the work runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
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

/// Runs `work` in a thread and returns its result. Calls `tick` about twenty times a second while it runs. If
/// that fails, or Python has a signal whose handler raises an exception (as Ctrl-C does), it calls `stop` and
/// returns this exception.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    stop: impl FnOnce(),
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
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
                ));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(raised) = py.check_signals().and_then(|()| tick(py)) {
                    stop();
                    let waiting = &mut receiver;
                    // A result that comes now is dropped, as the caller has asked for none.
                    let _ = py.detach(move || waiting.recv_timeout(GRACE));
                    return Err(raised);
                }
            }
        }
    }
}

/// Runs `work` that cannot be stopped, as [`wait`] does. After an interruption it ends in the background.
pub(crate) fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    wait(py, work, || (), |_| Ok(()))
}
