//! Ctrl-C, SIGTERM and SIGHUP: every command ends within about a second of them, and leaves no unfinished files.
//!
//! A command that has results to keep says how it is stopped and then ends on its own, with what is finished. If it cannot
//! in time, as where one step of a library takes minutes, the process is ended all the same; so it is at once in all other
//! commands, and by a second signal.

use std::process;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::complain;
use crate::disk;

/// How long a command has to stop on its own.
pub(super) const GRACE: Duration = Duration::from_millis(700);

/// How the command is stopped, if it has results to keep.
type Brake = Box<dyn Fn() + Send>;

static BRAKE: Mutex<Option<Brake>> = Mutex::new(None);
static BEGAN: OnceLock<Instant> = OnceLock::new();
static SIGNALLED: AtomicBool = AtomicBool::new(false);
static SAVING: AtomicUsize = AtomicUsize::new(0);

/// Listens to signals for the rest of the process.
pub(super) fn listen() {
    // Where no handler can be set a signal simply ends the process.
    let _ = ctrlc::set_handler(on_signal);
}

/// From now on a signal calls `brake`, and the command ends on its own.
pub(super) fn stops_with(brake: impl Fn() + Send + 'static) {
    *BRAKE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(brake));
}

/// How long ago a signal came; `None` if none has.
pub(super) fn age() -> Option<Duration> {
    BEGAN.get().map(Instant::elapsed)
}

/// Finished results are being written, which a signal lets finish, as long as this lives.
#[derive(Debug)]
pub(super) struct Saving(());

impl Saving {
    pub(super) fn begin() -> Self {
        SAVING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        SAVING.fetch_sub(1, Ordering::SeqCst);
    }
}

fn on_signal() {
    let is_second = SIGNALLED.swap(true, Ordering::SeqCst);
    BEGAN.get_or_init(Instant::now);
    let brake = BRAKE.lock().unwrap_or_else(PoisonError::into_inner);
    match brake.as_ref() {
        Some(brake) if !is_second => brake(),
        _ => end("interrupted"),
    }
    // A second signal must find this thread free.
    thread::spawn(|| {
        thread::sleep(GRACE + Duration::from_millis(250));
        end_when_saved("interrupted in the middle of a step that takes long");
    });
}

/// Ends the process once finished results are written.
pub(super) fn end_when_saved(said: &str) -> ! {
    while SAVING.load(Ordering::SeqCst) > 0 {
        thread::sleep(Duration::from_millis(10));
    }
    end(said)
}

/// Ends the process with what it has written so far, as the last word of a command that cannot end otherwise.
#[expect(clippy::exit, reason = "other threads are in the middle of what nobody waits for any more")]
pub(super) fn end(said: &str) -> ! {
    complain(&format!("error: {said}"));
    disk::remove_unfinished();
    process::exit(1);
}
