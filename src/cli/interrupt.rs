//! Ctrl-C, SIGTERM and SIGHUP: every command ends within about a second of them, leaves no unfinished files, and ends
//! *by the signal*, so that whoever started it sees that (a shell sees 130 for SIGINT and 143 for SIGTERM, and its
//! loops stop).
//!
//! A command that has results to keep says how it is stopped and then returns on its own, with what is finished. If it
//! does not return in time, as where one step of a library takes minutes, the process is ended all the same. In all
//! other commands the process is ended at once, and so it is by a second signal.

use std::process;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
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
static SAVING: AtomicUsize = AtomicUsize::new(0);
/// The number of the first signal that came; 0 if none has.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Whether the message of the end has been begun. Whoever ends the process while another thread is at it leaves it to
/// that thread, which may hang on a standard error that nobody reads.
static SAID: AtomicBool = AtomicBool::new(false);

/// Listens to signals for the rest of the process.
pub(super) fn listen() {
    #[cfg(unix)]
    unix::listen();
    #[cfg(not(unix))]
    // Where no handler can be set Ctrl-C simply ends the process. 2 is the number of SIGINT everywhere.
    let _ = ctrlc::set_handler(|| on_signal(2));
}

/// From now on a signal calls `brake`, and the command returns on its own.
pub(super) fn stops_with(brake: impl Fn() + Send + 'static) {
    *BRAKE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(brake));
}

/// Returns how long ago a signal came; `None` if none has.
pub(super) fn age() -> Option<Duration> {
    BEGAN.get().map(Instant::elapsed)
}

/// Ends the process by the signal that has come, as the last step of `main`; returns if none has.
pub(super) fn end_if_signalled() {
    if SIGNAL.load(Ordering::SeqCst) != 0 {
        end_by_signal();
    }
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

fn on_signal(signal: i32) {
    let is_first = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    BEGAN.get_or_init(Instant::now);
    let brake = BRAKE.lock().unwrap_or_else(PoisonError::into_inner);
    match brake.as_ref() {
        Some(brake) if is_first => brake(),
        _ => end("interrupted"),
    }
    // A second signal must find this thread free.
    thread::spawn(|| {
        thread::sleep(GRACE + Duration::from_millis(250));
        end_when_saved("interrupted in the middle of a step that takes long");
    });
}

/// Ends the process once finished results are written.
pub(super) fn end_when_saved(message: &str) -> ! {
    while SAVING.load(Ordering::SeqCst) > 0 {
        thread::sleep(Duration::from_millis(10));
    }
    end(message)
}

/// Ends the process with what it has written so far. `message` is the last word of a command that cannot return.
pub(super) fn end(message: &str) -> ! {
    if !SAID.swap(true, Ordering::SeqCst) {
        complain(&format!("error: {message}"));
    }
    disk::remove_unfinished();
    end_by_signal()
}

/// Ends the process as the signal would have ended it had nobody listened.
#[expect(clippy::exit, reason = "other threads are in the middle of what nobody waits for any more")]
fn end_by_signal() -> ! {
    let signal = SIGNAL.load(Ordering::SeqCst);
    #[cfg(unix)]
    // It fails for numbers that are no signals, and then the process exits with the code that shells give to signals.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    process::exit(128 + signal)
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::thread;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    /// Starts a thread that waits for signals. Signals that are ignored stay so: `nohup` ignores SIGHUP, and shells
    /// without job control ignore SIGINT in commands that they start in the background.
    pub(super) fn listen() {
        let heard: Vec<i32> = match ignored() {
            Some(mask) => {
                [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| mask >> (signal - 1) & 1 == 0).collect()
            }
            // Without a handler SIGHUP is ignored under `nohup`, and ends the process elsewhere.
            None => vec![SIGINT, SIGTERM],
        };
        // Where no handler can be set a signal simply ends the process.
        let Ok(mut signals) = Signals::new(heard) else { return };
        thread::spawn(move || signals.forever().for_each(super::on_signal));
    }

    /// Returns the signals that this process ignores, the one of number n as bit n − 1; `None` where the operating
    /// system has no /proc that says so.
    fn ignored() -> Option<u64> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}
