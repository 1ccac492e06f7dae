//! What each thread of a sweep does: it draws replays and runs them, one by one, or as teams.
//!
//! A *team* is several replays of one log that is too long to be kept. One thread reads the log for all of them, and each
//! replay is a thread of its own, so that replays of different speeds go on side by side. The reading thread sends each batch
//! of jobs to a channel for each replay, and waits while one of them is full. So memory has the batches between the slowest
//! replay and the reading thread, once for all replays.
//!
//! There may be more replays than threads were asked for. So each replay of a sweep, in a team or not, needs a *permit* to
//! work, of which there are as many as threads. A replay that finds no batch gives its permit to another one. So no permit
//! lies idle as long as any replay has something to do.
//!
//! Nobody waits for ever:
//!
//! 1. Who holds a permit waits only for its own threads, which sum up and write what it gives them and need no permit. (It
//!    gives the permit away before it waits for a batch, and asks for one again when the batch is there.) So it ends, or finds
//!    no batch, and the permit comes back.
//! 2. Permits are given in the order in which they were asked for. So by 1 whoever asks for one gets it.
//! 3. The reading thread has no permit. It waits only for replays whose channels are full. Such a replay works, or asks for a
//!    permit and gets it by 2; so it takes a batch, or ends and drops its end of the channel, in which case it is left out.
//! 4. A replay without a batch waits for the reading thread, which by 3 sends one, or ends and drops its end.
//! 5. A thread that draws waits while there are as many replays as threads, which end by 1 to 4, and while another thread reads
//!    the log of the next replay, which needs no permit. The thread that reads for a team runs no replay itself.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::error::SweepError;
use super::queue::{Drawn, Queue, Work};
use crate::study::replay::{ReplaySlot, RunError};
use crate::study::shared_jobs::LoadJobsError;
use crate::study::source::{Batch, LogStream, Semaphore, SemaphorePermit};

/// The news that a replay at a position of the study has ended.
pub(super) type Ended<T> = (usize, Result<T, SweepError>);

/// Runs a replay at a position of the study in its slot.
pub(super) type RunOne<'a, T> = dyn Fn(usize, ReplaySlot<'_>) -> Result<T, SweepError> + Sync + 'a;

/// A thread of a sweep.
pub(super) struct Runner<'a, T> {
    pub(super) queue: &'a Queue<'a>,
    pub(super) semaphore: &'a Semaphore,
    pub(super) one: &'a RunOne<'a, T>,
    /// Where the ends of replays are told.
    pub(super) sender: &'a Sender<Ended<T>>,
}

impl<T: Send> Runner<'_, T> {
    /// Runs replays until none is left to begin.
    pub(super) fn run(&self) {
        while let Some(work) = self.queue.next() {
            match work {
                Work::One(drawn, jobs) => {
                    let ended = self.replay(&drawn, self.semaphore.queue(), None, jobs);
                    self.end(&drawn, ended);
                }
                Work::Team(stream, team) => self.team(&stream, team),
            }
        }
    }

    /// Reads the log of `stream` for the replays of a team, which run meanwhile.
    fn team(&self, stream: &LogStream, team: Vec<Drawn<'_>>) {
        let alone = Mutex::new(Vec::new());
        let set_aside = &|cell| alone.lock().unwrap_or_else(PoisonError::into_inner).push(cell);
        thread::scope(|scope| {
            let mut replays = Vec::with_capacity(team.len());
            for drawn in team {
                let (to_replay, batches) = sync_channel(self.queue.limits.ahead);
                // Places are taken here, so that replays begin in their order.
                let (cell, permit) = (drawn.cell, self.semaphore.queue());
                let run = move || match self.replay(&drawn, permit, Some(batches), Ok(())) {
                    Err(SweepError::Replay(RunError::Threadless(_))) => set_aside(drawn.cell),
                    ended => self.end(&drawn, ended),
                };
                match thread::Builder::new().name("replay".to_owned()).spawn_scoped(scope, run) {
                    Ok(_) => replays.push(to_replay),
                    Err(_) => set_aside(cell),
                }
            }
            // A panic is told to the replays by their channels.
            let _ = catch_unwind(AssertUnwindSafe(|| stream.send(replays)));
        });
        // Replays for which there was no further thread run as if there were no teams.
        let alone = alone.into_inner().unwrap_or_else(PoisonError::into_inner);
        for cell in alone {
            self.queue.put_back(cell);
        }
    }

    /// Runs a replay as soon as it has a permit. Its jobs come through `batches`, if it is in a team; `jobs` says why there are
    /// none.
    fn replay(
        &self,
        drawn: &Drawn<'_>,
        permit: SemaphorePermit<'_>,
        batches: Option<Receiver<Batch>>,
        jobs: Result<(), LoadJobsError>,
    ) -> Result<T, SweepError> {
        permit.take();
        self.queue.running.begin(drawn.cell);
        let slot = ReplaySlot { rows: None, permit: Some(permit), batches: Cell::new(batches) };
        caught(|| jobs.map_err(SweepError::from).and_then(|()| (self.one)(drawn.cell, slot)))
    }

    /// Notes and tells that a replay has ended, and drops jobs that no other one needs.
    fn end(&self, drawn: &Drawn<'_>, ended: Result<T, SweepError>) {
        self.queue.workloads.release(drawn.cell);
        self.queue.running.end(drawn.cell);
        // Sending fails only if the receiver is gone. Then no one waits for this result any more.
        let _ = self.sender.send((drawn.cell, ended));
    }
}

/// Returns what `work` returns, and the message if it panics.
fn caught<T>(work: impl FnOnce() -> Result<T, SweepError>) -> Result<T, SweepError> {
    let ended = catch_unwind(AssertUnwindSafe(work));
    ended.unwrap_or_else(|panic| Err(SweepError::Panic(message(panic.as_ref()))))
}

/// Returns the message of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_else(|| "for an unknown reason".to_owned()))
}
