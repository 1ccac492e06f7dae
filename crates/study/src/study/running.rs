//! The progress of replays, shared by the threads that run them and the thread that waits for them.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

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
    states: Vec<AtomicU8>,
    stopped: AtomicBool,
}

impl Running {
    /// Makes the state of `cells` replays, none of which has begun.
    pub fn new(cells: usize) -> Self {
        Self {
            monitors: (0..cells).map(|_| Monitor::default()).collect(),
            states: (0..cells).map(|_| AtomicU8::new(State::Waiting as u8)).collect(),
            stopped: AtomicBool::new(false),
        }
    }

    /// Returns the monitor of the replay at position `cell`.
    pub fn monitor(&self, cell: usize) -> &Monitor {
        &self.monitors[cell]
    }

    /// Notes that the replay at position `cell` has begun.
    pub(super) fn begin(&self, cell: usize) {
        self.states[cell].store(State::Running as u8, Ordering::Relaxed);
    }

    /// Notes that the replay at position `cell` has ended.
    pub(super) fn end(&self, cell: usize) {
        self.states[cell].store(State::Ended as u8, Ordering::Relaxed);
    }

    /// Returns the state of the replay at position `cell`.
    pub fn state(&self, cell: usize) -> State {
        match self.states[cell].load(Ordering::Relaxed) {
            0 => State::Waiting,
            1 => State::Running,
            _ => State::Ended,
        }
    }

    /// Stops the replays that run, and keeps the others from beginning.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.monitors.iter().for_each(|monitor| monitor.stop.throw());
    }

    /// Returns whether [`Running::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
