//! The jobs between arrival and removal, in a window of ids.

use std::collections::VecDeque;

use super::cause::JobWhy;
use meshreplay_base::job::{JobId, Time};

/// A job that has arrived and was not removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct JobState {
    /// The submission, which orders the queue.
    pub(super) submit: Time,
    /// Nodes that the job needs, and while it runs, holds.
    pub(super) nodes: u32,
    /// The limit of the run time; [`Time::MAX`] without one.
    pub(super) limit: Time,
    /// The start of the current wait inside the period, or of the current run.
    pub(super) since: Time,
    /// First open span of the wait.
    pub(super) from: usize,
    /// The phase of the job.
    pub(super) phase: Phase,
    /// Whether the allocator refused the job at this instant.
    pub(super) is_refused: bool,
    /// The times by cause. While the job waits: of earlier waits, and of the folded spans of this one except
    /// time that is free to start.
    pub(super) why: JobWhy,
    /// The part of `why` that belongs to earlier waits.
    pub(super) earlier: Time,
}

/// The phase of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Arrived at this instant, not yet in the queue.
    Arriving,
    /// In the queue.
    Waiting,
    /// Waiting in vain: larger than the machine.
    TooLarge,
    /// Running. `returning` nodes become free when it ends.
    Running { returning: u32 },
    /// Ended. It may return to the queue.
    Ended,
}

/// A slot of the window.
#[derive(Clone, Copy, Debug)]
enum Slot {
    /// The job has not arrived.
    Unseen,
    /// The job has arrived.
    Known(JobState),
    /// The job was removed.
    Left,
}

/// The jobs by id: from the oldest id that was not removed to the newest that has arrived.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    first: JobId,
    slots: VecDeque<Slot>,
}

impl Jobs {
    /// Adds a job. Its id must be new.
    pub(super) fn add(&mut self, job: JobId, state: JobState) {
        let Some(at) = job.checked_sub(self.first) else { return };
        while self.slots.len() <= at as usize {
            self.slots.push_back(Slot::Unseen);
        }
        self.slots[at as usize] = Slot::Known(state);
    }

    /// Returns a job that has arrived and was not removed, or `None`.
    pub(super) fn get(&mut self, job: JobId) -> Option<&mut JobState> {
        match self.slots.get_mut(job.checked_sub(self.first)? as usize)? {
            Slot::Known(state) => Some(state),
            Slot::Unseen | Slot::Left => None,
        }
    }

    /// Removes a job. Does nothing for an unknown one.
    pub(super) fn remove(&mut self, job: JobId) {
        let Some(at) = job.checked_sub(self.first) else { return };
        if let Some(slot @ Slot::Known(_)) = self.slots.get_mut(at as usize) {
            *slot = Slot::Left;
        }
        while matches!(self.slots.front(), Some(Slot::Left)) {
            self.slots.pop_front();
            self.first += 1;
        }
    }
}
