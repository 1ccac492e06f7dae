//! How far replays are: what the threads that run them and the one that waits for them share.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::metrics::Monitor;

/// How far a replay is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not begun.
    Waiting,
    /// It is being replayed.
    Running,
    /// It has ended, well or not.
    Ended,
}

/// One monitor per replay, how far each is, and the switch that stops them all.
#[derive(Debug)]
pub struct Running {
    monitors: Vec<Monitor>,
    states: Vec<AtomicU8>,
    stopped: AtomicBool,
}

impl Running {
    /// Of so many replays, none of which has begun.
    pub fn new(cells: usize) -> Self {
        Self {
            monitors: (0..cells).map(|_| Monitor::default()).collect(),
            states: (0..cells).map(|_| AtomicU8::new(State::Waiting as u8)).collect(),
            stopped: AtomicBool::new(false),
        }
    }

    /// Returns the monitor of a replay.
    pub fn monitor(&self, cell: usize) -> &Monitor {
        &self.monitors[cell]
    }

    pub(super) fn begin(&self, cell: usize) {
        self.states[cell].store(State::Running as u8, Ordering::Relaxed);
    }

    pub(super) fn end(&self, cell: usize) {
        self.states[cell].store(State::Ended as u8, Ordering::Relaxed);
    }

    /// How far a replay is.
    pub fn state(&self, cell: usize) -> State {
        match self.states[cell].load(Ordering::Relaxed) {
            0 => State::Waiting,
            1 => State::Running,
            _ => State::Ended,
        }
    }

    /// Stops the replays that run, and those that would.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.monitors.iter().for_each(|monitor| monitor.stop.throw());
    }

    /// Returns whether they were stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
