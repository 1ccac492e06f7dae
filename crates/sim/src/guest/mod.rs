//! Guests: allocators, schedulers and execution models from outside this program.
//!
//! A guest is named by a spec, and everything about results treats it like the registered algorithms:
//! placements pass the same checks, and numbers, tables, plots and comparisons show it under its label. There
//! are two kinds:
//!
//! * `exec:./mine --flag` is a program that speaks a line protocol over standard input and output, described
//!   in docs/src/own-algorithms.md.
//! * `guest:NAME` is an object of the caller, such as a Python class or a type of another crate. The caller
//!   puts a factory into [`Guests`] under this name, and passes the table to `study::Axes` or
//!   `study::Replay`.
//!
//! The factory builds an instance for every replay, on the thread of the replay. A failing guest calls
//! [`meshreplay_base::stop::Stop::fail`] of its [`Setup`] with a complete message and then returns an
//! arbitrary value: `None` or no jobs. The message ends this replay; other replays go on.
//!
//! ```
//! use meshreplay_alloc::allocator::{Allocator, Placement, Request, Strategy};
//! use meshreplay_machine::machine::Machine;
//! use meshreplay_sim::guest::Guests;
//!
//! /// Takes the free nodes with the highest numbers.
//! struct Highest;
//!
//! impl Allocator for Highest {
//!     fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
//!         let free: Vec<u32> = machine.free().iter().collect();
//!         Some(Placement::of(free[free.len() - request.procs as usize..].to_vec()))
//!     }
//! }
//!
//! let guests = Guests::default().with_allocator("highest", |_| Ok(Strategy::of(Highest)));
//! assert!(guests.find_allocator(&"guest:highest".parse()?).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a machine has 1 to 2^24 nodes, texts have some bytes for each, and a program's time is at most \
              604,800 s; casts of numbers with fractions clamp"
)]

mod exec;
mod setup;
mod table;

pub use self::exec::files;
pub use self::setup::{JobFacts, JobTable, Setup, check_placement};
pub use self::table::{Guests, subject};
pub use meshreplay_alloc::allocator::BuildError as GuestError;

use std::collections::{BTreeMap, BTreeSet};

use super::execution::{Execution, Next, RecordedRunTimes, Started};
use super::scheduler::{Scheduler, Slot, View, WaitQueue, Waiting};
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;

// A scheduler made by a guest. The guest chooses the jobs that start, and learns which of them the allocator
// refused.

/// The decisions of a guest that is a scheduler.
pub trait Dispatcher: Send {
    /// Returns the waiting jobs that start now, in this order. `refused` has the jobs of this pass that the
    /// allocator has refused so far. Called only while jobs wait, and must only read from `view`.
    ///
    /// The jobs are started one by one. After a refusal the remaining jobs are not started, and the function
    /// is called again: the guest may name other jobs, as a scheduler with backfilling does, or none, as
    /// `fcfs` does. A pass ends when all named jobs have started, or with an empty list.
    ///
    /// A failing guest calls [`Stop::fail`] and returns an empty list.
    fn dispatch(&mut self, view: &dyn View, refused: &[JobId]) -> Vec<JobId>;
}

/// A scheduler driven by a [`Dispatcher`]. It is asked once for each instant with events, after all
/// departures and arrivals.
pub struct Dispatched<D> {
    guest: D,
    label: String,
    stop: Stop,
}

impl<D: Dispatcher> Dispatched<D> {
    /// Creates the scheduler of a guest that messages call `label`.
    pub fn new(guest: D, label: &str, stop: &Stop) -> Self {
        Self { guest, label: label.to_owned(), stop: stop.clone() }
    }

    /// Returns the slots of `jobs`. The replay fails if one of them does not wait, is named twice or was
    /// refused in this pass. Looks at the queue up to the last of them.
    fn slots(&self, jobs: &[JobId], queue: &WaitQueue, pass: &Pass) -> Option<Vec<Slot>> {
        let mut named = BTreeSet::new();
        let mut waiting: BTreeMap<JobId, Option<Slot>> = jobs.iter().map(|&job| (job, None)).collect();
        let mut missing = waiting.len();
        for Waiting { job, slot, .. } in queue.iter() {
            if missing == 0 {
                break;
            }
            if let Some(place) = waiting.get_mut(&job) {
                *place = Some(slot);
                missing -= 1;
            }
        }
        let mut slots = Vec::with_capacity(jobs.len());
        for job in jobs {
            let is_refused = pass.are_refused.contains(job);
            let is_named = !named.insert(*job);
            match waiting.get(job).copied().flatten() {
                Some(slot) if !is_refused && !is_named => slots.push(slot),
                _ => {
                    let problem = match (is_refused, is_named) {
                        (true, _) => "the allocator has refused at this instant already",
                        (_, true) => "its list has twice",
                        _ => "does not wait",
                    };
                    let label = &self.label;
                    self.stop.fail(format!(
                        "scheduler '{label}' starts job {job}, which {problem}; expected different jobs of \
                             the queue"
                    ));
                    return None;
                }
            }
        }
        Some(slots)
    }
}

/// The events of a pass.
#[derive(Default)]
struct Pass {
    /// The refused jobs, in this order.
    refused: Vec<JobId>,
    /// The same as a set.
    are_refused: BTreeSet<JobId>,
}

/// O(P·log N) for an answer of N jobs of which the last is at place P of the queue. A pass has R + 1
/// questions to the guest if the allocator refuses R jobs.
impl<D: Dispatcher> Scheduler for Dispatched<D> {
    fn start_jobs(&mut self, view: &mut dyn View) {
        let mut pass = Pass::default();
        while !view.queue().is_empty() && !view.stopped() {
            let jobs = self.guest.dispatch(view, &pass.refused);
            if view.stopped() {
                return;
            }
            // Slots stay valid while jobs only leave the queue.
            let Some(slots) = self.slots(&jobs, view.queue(), &pass) else { return };
            let Some(place) = slots.iter().position(|&slot| !view.try_start(slot)) else { return };
            pass.refused.push(jobs[place]);
            pass.are_refused.insert(jobs[place]);
        }
    }
}

/// Run times given by a guest.
pub trait RunTime: Send {
    /// Returns the run time, at least 0, of a job that starts now. `None` if the guest has failed and has
    /// called [`Stop::fail`].
    fn run_time(&mut self, started: &Started<'_>) -> Option<Time>;

    /// The job has ended or was killed. Does nothing by default.
    fn ended(&mut self, _job: JobId) {}
}

/// An execution model with run times from a [`RunTime`], asked at each start. Jobs can be moved and killed as
/// with recorded run times.
pub struct OwnRunTimes<R> {
    guest: R,
    ends: RecordedRunTimes,
}

impl<R: RunTime> OwnRunTimes<R> {
    /// Creates the execution model of a guest.
    pub fn new(guest: R) -> Self {
        Self { guest, ends: RecordedRunTimes::default() }
    }
}

impl<R: RunTime> Execution for OwnRunTimes<R> {
    fn start(&mut self, started: Started<'_>) {
        if let Some(run) = self.guest.run_time(&started) {
            self.ends.start(Started { job: &Job { run, ..*started.job }, ..started });
        }
    }

    fn postpone(&mut self, jobs: &[(JobId, Time)]) {
        self.ends.postpone(jobs);
    }

    fn postpones(&self) -> bool {
        true
    }

    fn cancel(&mut self, job: JobId) {
        self.ends.cancel(job);
        self.guest.ended(job);
    }

    fn cancels(&self) -> bool {
        true
    }

    fn end_of(&self, job: JobId) -> Option<Time> {
        self.ends.end_of(job)
    }

    fn next_completion(&mut self, until: Time, stop: &Stop) -> Next {
        self.ends.next_completion(until, stop)
    }

    fn advance(&mut self, until: Time, done: &mut Vec<JobId>) {
        let before = done.len();
        self.ends.advance(until, done);
        done[before..].iter().for_each(|&job| self.guest.ended(job));
    }
}
