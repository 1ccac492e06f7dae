//! The replays of a sweep that have not begun. They are drawn one by one, or as teams: replays that read one log while they run,
//! and are given its jobs by one thread.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::study::planned::Study;
use crate::study::running::Running;
use crate::study::shared_jobs::{LoadJobsError, LogKey, Workloads, log_key};
use crate::study::source::LogStream;

/// The most replays of a team whose rows nobody takes, or the number of threads if that is more. The more there are, the less of
/// the time of reading each of them takes: of 4 it is a quarter, of 16 hardly anything is left. But all of them are in memory,
/// each with the jobs that wait or run and some 10 MB of sums.
///
/// If rows are taken, a team has as many replays as there are threads, so that one thread reads on its own as before. Such a
/// replay has up to two parts of a file of jobs in memory, some 100 MB, and takes several times as long, so that reading is
/// less of it.
const MOST: usize = 16;

/// The most batches that the fastest replay of a team may be ahead of the slowest, beside the one that it has. With few of them,
/// replays that are slow at different times would wait for each other. All together take some 20 MB.
const BATCHES_AHEAD: usize = 32;

/// How much there may be at a time.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The number of replays that work. New ones begin when fewer than so many have begun and not ended, and that may be a whole
    /// team.
    pub(super) threads: usize,
    /// The number of replays in a team. Together with those that were there before it, there are at most `threads - 1` more.
    pub(super) team: usize,
    /// The number of batches that wait for a replay of a team.
    pub(super) ahead: usize,
}

impl Limits {
    /// Returns the limits with so many threads. `has_rows` says whether somebody takes the rows of jobs that leave.
    pub(super) fn new(threads: usize, has_rows: bool) -> Self {
        let team = if has_rows { threads } else { MOST.max(threads) };
        Self { threads, team, ahead: BATCHES_AHEAD }
    }
}

/// The replays of a sweep that have not begun.
pub(super) struct Queue<'a> {
    pub(super) study: &'a Study,
    pub(super) workloads: &'a Workloads<'a>,
    pub(super) running: &'a Running,
    /// The replays, as positions in the study, in the order in which they begin.
    cells: &'a [usize],
    /// Whether somebody takes the rows of jobs that leave.
    has_rows: bool,
    pub(super) limits: Limits,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The number of replays at the beginning of the list that have been drawn, and the positions of those behind that have
    /// been, too.
    begun: usize,
    drawn: BTreeSet<usize>,
    /// The replays that were drawn for a team and have to run on their own.
    back: Vec<usize>,
    /// The number of replays that have been drawn and have not ended.
    live: usize,
    /// What is known of the logs.
    logs: BTreeMap<LogKey, Log>,
}

/// How the jobs of a log come.
enum Log {
    /// A thread finds out.
    Examined,
    /// While the replays run.
    Stream(Box<LogStream>),
    /// From memory, or it is not known as a replay has to say it first.
    Other,
}

/// What a thread does next.
pub(super) enum Work<'a> {
    /// It runs a replay, or passes on why there are no jobs for it.
    One(Drawn<'a>, Result<(), LoadJobsError>),
    /// It reads this log for several replays.
    Team(Box<LogStream>, Vec<Drawn<'a>>),
}

/// A replay that has been drawn. It has ended when this is dropped.
pub(super) struct Drawn<'a> {
    pub(super) cell: usize,
    queue: &'a Queue<'a>,
}

impl Drop for Drawn<'_> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.live = state.live.saturating_sub(1);
        drop(state);
        self.queue.changed.notify_all();
    }
}

impl<'a> Queue<'a> {
    /// Makes the queue of the replays of `study` at the positions `cells`. `has_rows` says whether
    /// somebody takes the rows of jobs that leave.
    pub(super) fn new(
        study: &'a Study,
        workloads: &'a Workloads<'a>,
        running: &'a Running,
        cells: &'a [usize],
        limits: Limits,
        has_rows: bool,
    ) -> Self {
        let (state, changed) = (Mutex::default(), Condvar::new());
        Self { study, workloads, running, cells, has_rows, limits, state, changed }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing can panic in the middle of a change of the state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what is to be done next, and waits for it if there are enough replays, or if another thread finds out how the
    /// jobs of the next one come. Replays are drawn in their order; the others of a team come forward. `None` after the last
    /// one.
    pub(super) fn next(&'a self) -> Option<Work<'a>> {
        let mut state = self.state();
        loop {
            let cell = state.back.last().copied().or_else(|| state.first(self.cells))?;
            if state.live >= self.limits.threads {
                state = self.wait(state);
                continue;
            }
            if state.back.pop().is_some() {
                return Some(Work::One(self.drawn(&mut state, cell), Ok(())));
            }
            let key = log_key(&self.study.cells[cell]);
            match state.logs.get(&key) {
                Some(Log::Examined) => state = self.wait(state),
                Some(Log::Stream(stream)) => {
                    let stream = stream.clone();
                    return Some(self.team(&mut state, stream, &key));
                }
                None if self.may_share(cell) => {
                    state.logs.insert(key.clone(), Log::Examined);
                    drop(state);
                    let found = self.examined(cell);
                    state = self.state();
                    self.changed.notify_all();
                    match found {
                        Ok(found) => {
                            state.logs.insert(key, found);
                        }
                        Err(error) => {
                            state.logs.remove(&key);
                            return Some(Work::One(self.draw(&mut state), Err(error)));
                        }
                    }
                }
                _ => return Some(Work::One(self.draw(&mut state), Ok(()))),
            }
        }
    }

    /// Puts a replay of a team back, so that it runs on its own.
    pub(super) fn put_back(&self, cell: usize) {
        self.state().back.push(cell);
    }

    fn wait<'g>(&self, state: MutexGuard<'g, State>) -> MutexGuard<'g, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether it is worth to find out how the jobs of the replay at position `cell` come: there are others of its log,
    /// and they may be replayed while they are read.
    fn may_share(&self, cell: usize) -> bool {
        let needs_all = self.study.options.need_all_jobs().is_some()
            || self.study.options.jobs && !self.has_rows
            || self.study.cells[cell].spec.needs_all_jobs();
        !needs_all && !self.running.is_stopped() && self.workloads.are_several(cell)
    }

    /// Finds out how the jobs of the replay at position `cell` come.
    fn examined(&self, cell: usize) -> Result<Log, LoadJobsError> {
        let found = catch_unwind(AssertUnwindSafe(|| self.workloads.stream(cell)));
        // The replay itself will panic again, and end by that.
        let Ok(found) = found else { return Ok(Log::Other) };
        let spec = &self.study.cells[cell].spec;
        let is_stream = |stream: &LogStream| spec.can_stream(stream, &self.study.options, self.has_rows);
        Ok(found?.filter(is_stream).map_or(Log::Other, |stream| Log::Stream(Box::new(stream))))
    }

    /// Draws the next replay and others of its log, whose key is `key`, as many as may be together.
    fn team(&'a self, state: &mut State, stream: Box<LogStream>, key: &LogKey) -> Work<'a> {
        let most = self.limits.team;
        let is_of_team = |cell: usize| {
            let planned = &self.study.cells[cell];
            planned.log == key.0 && log_key(planned) == *key && !planned.spec.needs_all_jobs()
        };
        let behind = self.cells.iter().enumerate().skip(state.begun);
        let others = behind.filter(|&(at, &cell)| !state.drawn.contains(&at) && is_of_team(cell));
        let of_team: Vec<usize> = others.take(most).map(|(at, _)| at).collect();
        if of_team.len() < most {
            // No other replay has the log.
            state.logs.remove(key);
        }
        if of_team.len() < 2 {
            return Work::One(self.draw(state), Ok(()));
        }
        let team = of_team.iter().map(|&at| self.drawn(state, self.cells[at])).collect();
        state.drawn.extend(of_team);
        Work::Team(stream, team)
    }

    /// Draws the next replay.
    fn draw(&'a self, state: &mut State) -> Drawn<'a> {
        let at = state.begun;
        state.begun += 1;
        self.drawn(state, self.cells[at])
    }

    fn drawn(&'a self, state: &mut State, cell: usize) -> Drawn<'a> {
        state.live += 1;
        Drawn { cell, queue: self }
    }
}

impl State {
    /// Returns the first replay of `cells` that has not been drawn; `None` if all have been.
    fn first(&mut self, cells: &[usize]) -> Option<usize> {
        while self.drawn.remove(&self.begun) {
            self.begun += 1;
        }
        cells.get(self.begun).copied()
    }
}
