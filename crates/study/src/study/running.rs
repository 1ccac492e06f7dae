//! The progress of replays, shared by the threads that run them and the waiting thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use meshreplay_sim::metrics::Monitor;

/// The state of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The replay has not begun.
    Waiting,
    /// The replay is running.
    Running,
    /// The replay has ended, with a result or with an error.
    Ended,
}

/// The monitors and states of all replays of a study, and the switch that stops them all.
#[derive(Debug)]
pub struct Running {
    monitors: Vec<Monitor>,
    states: Mutex<Vec<State>>,
    stopped: AtomicBool,
}

impl Running {
    /// The state of `cells` waiting replays.
    pub fn new(cells: usize) -> Self {
        Self {
            monitors: (0..cells).map(|_| Monitor::default()).collect(),
            states: Mutex::new(vec![State::Waiting; cells]),
            stopped: AtomicBool::new(false),
        }
    }

    /// Returns the monitor of the replay at position `cell`.
    pub fn monitor(&self, cell: usize) -> &Monitor {
        &self.monitors[cell]
    }

    fn states(&self) -> MutexGuard<'_, Vec<State>> {
        // Changes of the list are atomic.
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state of the replay at position `cell`.
    pub fn set(&self, cell: usize, state: State) {
        self.states()[cell] = state;
    }

    /// Returns the state of the replay at position `cell`.
    pub fn state(&self, cell: usize) -> State {
        self.states()[cell]
    }

    /// Stops the running replays, and keeps the others from beginning.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.monitors.iter().for_each(|monitor| monitor.stop.throw());
    }

    /// Returns whether [`Running::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
