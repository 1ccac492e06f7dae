//! Reacts to Ctrl-C, SIGTERM and SIGHUP. Every command ends within about a second, or three if its standard
//! error is blocked, and leaves no unfinished files. It ends *by the signal*, so that its caller can see it:
//! a shell sees 130 for SIGINT and 143 for SIGTERM, and stops its loops.
//!
//! A command with results to keep sets a brake. The first signal calls the brake, and the command returns on
//! its own with what is finished. If it does not return in time, for example because one step of a library
//! takes minutes, the process is ended all the same. All other commands are ended at once, and so is every
//! command by a second signal.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};
use std::{process, thread};

use super::complain;
use crate::disk;

/// The time that a command has to stop on its own.
pub(super) const GRACE: Duration = Duration::from_millis(700);

/// Time for the last message: of a command that has saved its results, or of the process.
const PARTING: Duration = Duration::from_secs(1);

/// A function that stops the command. Only commands with results to keep have one.
type Brake = Box<dyn Fn() + Send>;

/// The brake of the running command; `None` if it has no results to keep.
static BRAKE: Mutex<Option<Brake>> = Mutex::new(None);
/// The time of the first signal.
static BEGAN: OnceLock<Instant> = OnceLock::new();
/// The number of [`Saving`] guards that are alive.
static SAVING: AtomicUsize = AtomicUsize::new(0);
/// Whether the command has saved all that it has, and only has to return.
static IS_LEAVING: AtomicBool = AtomicBool::new(false);
/// The number of the first signal; 0 if none has come.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Whether a thread has begun to print the last message. Another thread that ends the process then prints
/// nothing: the first one may hang on a blocked standard error.
static SAID: AtomicBool = AtomicBool::new(false);

/// Listens to signals for the rest of the process. Only the first call does something.
pub(super) fn listen() {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(begin);
}

/// Begins to listen.
fn begin() {
    #[cfg(unix)]
    unix::listen();
    #[cfg(not(unix))]
    // Where no handler can be set, Ctrl-C simply ends the process. SIGINT is 2 on every system.
    let _ = ctrlc::set_handler(|| on_signal(2));
}

/// Makes the first signal call `brake`. The command must then return on its own.
pub(super) fn stops_with(brake: impl Fn() + Send + 'static) {
    *BRAKE.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(brake));
}

/// Returns the time since the first signal; `None` if none has come.
pub(super) fn age() -> Option<Duration> {
    BEGAN.get().map(Instant::elapsed)
}

/// Ends the process by the signal that has come, as the last step of `main`. Returns if none has come.
pub(super) fn end_if_signalled() {
    if SIGNAL.load(Ordering::SeqCst) != 0 {
        end_by_signal();
    }
}

/// A guard that lives while finished results are written. A signal ends the process only after that.
#[derive(Debug)]
pub(super) struct Saving(());

impl Saving {
    /// Returns a guard. Results may be written while it lives.
    pub(super) fn begin() -> Self {
        SAVING.fetch_add(1, Ordering::SeqCst);
        Self(())
    }

    /// Drops the guard as the last one of a command that has only to say what it saved and to return. After a
    /// signal it gets time for that: on a busy machine it takes longer than from one look of other threads to
    /// the next.
    pub(super) fn leave(self) {
        IS_LEAVING.store(true, Ordering::SeqCst);
        drop(self);
    }

    /// Ends the process as soon as no other thread writes finished results.
    pub(super) fn end(self, message: &str) -> ! {
        let _own = self;
        wait_until_saved(1);
        end(message)
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        SAVING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Handles one signal: calls the brake on the first signal, and ends the process on the second or if there is
/// no brake.
fn on_signal(signal: i32) {
    let is_first = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    BEGAN.get_or_init(Instant::now);
    let brake = BRAKE.lock().unwrap_or_else(PoisonError::into_inner);
    match brake.as_ref() {
        Some(brake) if is_first => brake(),
        _ => end("interrupted"),
    }
    // The thread that handles signals must stay free for a second signal.
    thread::spawn(|| {
        thread::sleep(GRACE + Duration::from_millis(250));
        wait_until_saved(0);
        if IS_LEAVING.load(Ordering::SeqCst) {
            thread::sleep(PARTING);
        }
        end("interrupted in the middle of a step that takes long");
    });
}

/// Waits until at most `own` guards are left, which the caller holds.
fn wait_until_saved(own: usize) {
    while SAVING.load(Ordering::SeqCst) > own {
        thread::sleep(Duration::from_millis(10));
    }
}

/// Removes unfinished files and ends the process. Prints `message` as an error, unless standard error stays
/// blocked.
fn end(message: &str) -> ! {
    if !SAID.swap(true, Ordering::SeqCst) {
        let (text, (done, printed)) = (format!("error: {message}"), mpsc::channel());
        // Another thread may hang on a blocked standard error and hold its lock.
        let printing = thread::Builder::new().spawn(move || {
            complain(&text);
            done.send(())
        });
        if printing.is_ok() {
            let _ = printed.recv_timeout(PARTING);
        }
    }
    disk::remove_unfinished();
    end_by_signal()
}

/// Ends the process as the signal does by default.
#[expect(clippy::exit, reason = "other threads are in the middle of what nobody waits for any more")]
fn end_by_signal() -> ! {
    let signal = SIGNAL.load(Ordering::SeqCst);
    #[cfg(unix)]
    // This fails for numbers that are not signals. The process then exits with the code that shells use for
    // the signal.
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    process::exit(128 + signal)
}

#[cfg(unix)]
mod unix {
    use std::sync::Arc;
    use std::{fs, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    /// Starts a thread that waits for signals. Signals that are ignored stay ignored: `nohup` ignores SIGHUP,
    /// and shells without job control ignore SIGINT in background commands.
    ///
    /// A file that grows beyond `ulimit -f` would end the process by SIGXFSZ. With a handler, writing fails
    /// instead, and the unfinished file is removed.
    pub(super) fn listen() {
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
        let heard: Vec<i32> = match ignored() {
            Some(mask) => {
                [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| mask >> (signal - 1) & 1 == 0).collect()
            }
            // Without a handler, SIGHUP is ignored under `nohup` and ends the process otherwise.
            None => vec![SIGINT, SIGTERM],
        };
        // Where no handler can be set, a signal simply ends the process.
        let Ok(mut signals) = Signals::new(heard) else { return };
        thread::spawn(move || signals.forever().for_each(super::on_signal));
    }

    /// Returns the set of signals that this process ignores, with signal n as bit n − 1; `None` without
    /// /proc.
    fn ignored() -> Option<u64> {
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }
}
