//! The accumulator: events of a schedule in, waiting times by cause out.
//! Jobs between arrival and removal are in a window of ids.

use std::collections::{BTreeMap, VecDeque};

use super::cause::{JobWhy, TotalWhy, WaitCause, WhyShares};
use crate::scheduler::{Admission, Running, RunningJobs, WaitQueue, Waiting};
use meshreplay_base::job::{JobId, NodesFor, Period, Time};

/// Splits the waiting time of jobs by cause, event by event.
///
/// Report the events of an instant in any order after [`Self::advance`] to it. Each job has an id of its own;
/// ids should ascend with arrivals, as memory holds the range of ids of jobs that were not removed. Events of
/// unknown jobs are ignored.
#[derive(Debug)]
pub struct Why {
    now: Time,
    /// The explained time: from the first to just before the second.
    period: [Time; 2],
    /// The nodes of the machine: at most, now, and the nodes now up or in use.
    most: u32,
    nodes: u32,
    up: u32,
    /// Nodes in use. More than `nodes` if a recorded schedule is impossible.
    used: u64,
    /// Nodes that become free when all running jobs have ended.
    returning: u64,
    /// Known outages of the whole machine that are not over, the next one last.
    outages: Vec<(Time, Time)>,
    jobs: Jobs,
    /// The waiting jobs that are not too large, see [`mirrored`].
    queue: WaitQueue,
    /// The last job that was added at the end of the queue.
    last: (Time, JobId),
    /// The number of jobs in the queue by nodes.
    sizes: BTreeMap<u32, u32>,
    running: RunningJobs,
    spans: Spans,
    /// The span from the last event on, or `None` after an event of this instant.
    current: Option<Span>,
    /// The jobs that arrived or returned to the queue at this instant.
    arriving: Vec<JobId>,
    /// The jobs that the allocator refused at this instant.
    refused: Vec<JobId>,
    /// Whether running jobs make room for a waiting one, and no other job starts.
    is_rearranging: bool,
    /// The submissions of the jobs that started at this instant.
    started: Vec<Time>,
    starts: u64,
    overtaking: u64,
    total: TotalWhy,
}

/// Returns the queue's entry of a job, with nodes and limit mirrored: [`WaitQueue`] finds the first job below
/// a bound, and the oldest blocked job is the first above one.
fn mirrored(job: JobId, state: &JobState) -> Waiting {
    let (nodes, estimate) = (NodesFor::exactly(u32::MAX - state.nodes), Time::MAX - state.limit);
    Waiting { slot: 0, job, submit: state.submit, procs: state.nodes, nodes, estimate }
}

/// The submission of jobs that run when a replay begins.
const LONG_AGO: Time = Time::from_micros(i64::MIN);

impl Why {
    /// Creates the accumulator for a machine of `nodes` nodes, all up, without jobs.
    pub fn new(nodes: u32) -> Self {
        Self {
            now: LONG_AGO,
            period: [LONG_AGO, Time::MAX],
            most: nodes,
            nodes,
            up: nodes,
            used: 0,
            returning: 0,
            outages: Vec::new(),
            jobs: Jobs::default(),
            queue: WaitQueue::default(),
            last: (LONG_AGO, 0),
            sizes: BTreeMap::new(),
            running: RunningJobs::default(),
            spans: Spans::default(),
            current: None,
            arriving: Vec::new(),
            refused: Vec::new(),
            is_rearranging: false,
            started: Vec::new(),
            starts: 0,
            overtaking: 0,
            total: TotalWhy::default(),
        }
    }

    /// Adds outages of the whole machine that are known in advance: beginnings and ends, disjoint and
    /// ascending.
    #[must_use]
    pub fn with_outages(mut self, outages: &[(Time, Time)]) -> Self {
        self.outages = outages.iter().rev().copied().collect();
        self
    }

    /// Explains only waiting inside the period, and counts only the starts in it.
    #[must_use]
    pub fn with_period(mut self, period: Option<Period>) -> Self {
        self.period = period.map_or(self.period, |period| [period.from, period.to]);
        self
    }

    /// Returns the time inside the period that is closest to now.
    fn inside(&self) -> Time {
        let [from, to] = self.period;
        self.now.clamp(from, to)
    }

    /// Advances to the instant `to`, after all events of the current one.
    pub fn advance(&mut self, to: Time) {
        if to <= self.now {
            return;
        }
        self.enqueue();
        let head = self.queue.head();
        let overtakes = |submit: &Time| head.is_some_and(|head| *submit > head.submit);
        self.overtaking += self.started.drain(..).filter(overtakes).count() as u64;
        while self.now < to {
            let boundary = self.boundary();
            let next = boundary.map_or(to, |boundary| boundary.min(to));
            self.pass_until(next);
            if boundary == Some(next) {
                self.current = None;
            }
        }
        for job in self.refused.drain(..) {
            if let Some(state) = self.jobs.get(job) {
                state.is_refused = false;
            }
        }
    }

    /// A job arrives that was submitted at `submit`, needs `nodes` nodes, and may run for `limit`; `None`
    /// without a limit. Or it returns after a run that was lost.
    pub fn arrive(&mut self, job: JobId, submit: Time, nodes: u32, limit: Option<Time>) {
        let why = self.jobs.get(job).map_or(JobWhy::default(), |state| state.why);
        let state = JobState {
            submit,
            nodes: nodes.max(1),
            limit: limit.unwrap_or(Time::MAX),
            since: self.inside(),
            from: 0,
            phase: Phase::Arriving,
            is_refused: false,
            why,
            earlier: why.sum(),
        };
        self.jobs.add(job, state);
        self.arriving.push(job);
        self.current = None;
    }

    /// A waiting job starts on `nodes` nodes.
    pub fn start(&mut self, job: JobId, nodes: u32) {
        self.stop_waiting(job);
        let Some(state) = self.jobs.get(job) else { return };
        (state.phase, state.nodes, state.since) = (Phase::Running { returning: nodes }, nodes, self.now);
        self.running.insert(Running { estimated_end: self.now + state.limit, job, nodes, start: self.now });
        self.used += u64::from(nodes);
        self.returning += u64::from(nodes);
        self.is_rearranging = false;
        let [from, to] = self.period;
        if from <= self.now && self.now < to && state.submit > LONG_AGO {
            self.starts += 1;
            self.started.push(state.submit);
        }
        self.current = None;
    }

    /// Only `nodes` nodes of a running job will become free when it ends.
    pub fn set_returning(&mut self, job: JobId, nodes: u32) {
        let Some(state) = self.jobs.get(job) else { return };
        let Phase::Running { returning } = &mut state.phase else { return };
        self.returning = self.returning - u64::from(*returning) + u64::from(nodes);
        *returning = nodes;
        self.running.set_nodes(state.since + state.limit, job, nodes);
        self.current = None;
    }

    /// A running job ends or is killed, or a waiting job leaves.
    pub fn end(&mut self, job: JobId) {
        self.stop_waiting(job);
        let Some(state) = self.jobs.get(job).filter(|state| state.phase != Phase::Ended) else { return };
        if let Phase::Running { returning } = state.phase {
            self.running.remove(state.since + state.limit, job);
            self.used -= u64::from(state.nodes);
            self.returning -= u64::from(returning);
        }
        state.phase = Phase::Ended;
        self.current = None;
    }

    /// Removes a job, after its end. Returns its waiting time by cause.
    pub fn remove(&mut self, job: JobId) -> JobWhy {
        self.end(job);
        let why = self.jobs.get(job).map_or(JobWhy::default(), |state| state.why);
        self.jobs.remove(job);
        self.total.add(&why);
        why
    }

    /// The allocator refuses a waiting job in the pass of this instant.
    pub fn refuse(&mut self, job: JobId) {
        if let Some(state) = self.jobs.get(job).filter(|state| !state.is_refused) {
            state.is_refused = true;
            self.refused.push(job);
        }
    }

    /// From now on running jobs make room for a waiting one, until that starts. Or no longer.
    pub fn set_rearranging(&mut self, is_rearranging: bool) {
        self.is_rearranging = is_rearranging;
    }

    /// From now on `up` nodes are up or in use.
    pub fn set_up(&mut self, up: u32) {
        self.up = up;
        self.current = None;
    }

    /// From now on the machine has only `nodes` nodes, all up. Jobs are too large by its first size.
    pub fn resize(&mut self, nodes: u32) {
        (self.nodes, self.up) = (nodes, nodes);
        self.current = None;
    }

    /// Returns the shares of the waiting time of the removed jobs, and of the starts.
    pub fn shares(&self) -> WhyShares {
        WhyShares { free: self.total.share(WaitCause::Free), overtaking: self.overtaking_share() }
    }

    /// Returns the waiting time of the removed jobs, by cause.
    pub fn total(&self) -> &TotalWhy {
        &self.total
    }

    /// Returns the share of starts that overtook a job submitted earlier, which still waited after all starts
    /// of the instant; 0 without starts. Includes all instants before the current one.
    pub fn overtaking_share(&self) -> f64 {
        if self.starts > 0 { self.overtaking as f64 / self.starts as f64 } else { 0.0 }
    }

    /// Moves the jobs that arrived at this instant and still wait to the queue.
    fn enqueue(&mut self) {
        let mut arriving = std::mem::take(&mut self.arriving);
        for job in arriving.drain(..) {
            let Some(state) = self.jobs.get(job).filter(|state| state.phase == Phase::Arriving) else {
                continue;
            };
            if state.nodes > self.most {
                state.phase = Phase::TooLarge;
                continue;
            }
            (state.phase, state.from) = (Phase::Waiting, self.spans.0.len());
            *self.sizes.entry(state.nodes).or_default() += 1;
            let (entry, key) = (mirrored(job, state), (state.submit, job));
            if self.queue.is_empty() || key > self.last {
                self.queue.push(entry);
                self.last = key;
            } else {
                self.queue.insert(entry);
            }
        }
        self.arriving = arriving;
    }

    /// Completes the wait of a job. Does nothing for a job that does not wait.
    fn stop_waiting(&mut self, job: JobId) {
        let inside = self.inside();
        let Some(state) = self.jobs.get(job) else { return };
        let waited = inside - state.since;
        match state.phase {
            Phase::Arriving | Phase::Running { .. } | Phase::Ended => {}
            Phase::TooLarge => state.why.add(WaitCause::TooLarge, waited),
            Phase::Waiting => {
                self.spans.scan(state.from, state.nodes, state.limit, &mut state.why);
                let others = state.why.sum() - state.earlier;
                state.why.add(WaitCause::Free, waited - others);
                if let Some(entry) = self.queue.find(state.submit, job) {
                    self.queue.remove(entry.slot);
                }
                let nodes = state.nodes;
                match self.sizes.get_mut(&nodes) {
                    Some(count) if *count > 1 => *count -= 1,
                    _ => drop(self.sizes.remove(&nodes)),
                }
                if self.queue.is_empty() {
                    self.spans.0.clear();
                }
            }
        }
    }

    /// Returns the next beginning or end of a known outage or of the period.
    fn boundary(&self) -> Option<Time> {
        let outage = self.outages.last().map(|&(begin, end)| if begin > self.now { begin } else { end });
        outage.into_iter().chain(self.period.into_iter().filter(|&end| end > self.now)).min()
    }

    /// Adds the interval from now to `next`, and moves there.
    fn pass_until(&mut self, next: Time) {
        let [from, to] = self.period;
        if !self.queue.is_empty() && from <= self.now && self.now < to {
            let current = self.current.unwrap_or_else(|| self.span());
            self.current = Some(current);
            let span = Span { length: next - self.now, ..current };
            if self.is_rearranging {
                // All jobs of the queue, so that none keeps its mark.
                self.refused.clear();
                self.refused.extend(self.queue.iter().map(|waiting| waiting.job));
            }
            for &job in &self.refused {
                let Some(state) = self.jobs.get(job).filter(|state| state.phase == Phase::Waiting) else {
                    continue;
                };
                if span.cause(state.nodes, state.limit) == WaitCause::Free {
                    state.why.add(WaitCause::NoPlace, span.length);
                }
            }
            self.spans.0.push(span);
            if self.spans.is_full(self.queue.len()) {
                self.fold();
            }
        }
        self.now = next;
        self.outages.pop_if(|&mut (_, end)| end <= next);
    }

    /// Folds the open spans into the waiting jobs.
    fn fold(&mut self) {
        let mut whole = Vec::new();
        for Waiting { job, .. } in self.queue.iter() {
            let Some(state) = self.jobs.get(job) else { continue };
            if state.from == 0 {
                whole.push(Whole { limit: state.limit, nodes: state.nodes, job });
            } else {
                self.spans.scan(state.from, state.nodes, state.limit, &mut state.why);
                state.from = 0;
            }
        }
        self.spans.fold(&mut whole, |job, sums| {
            if let Some(state) = self.jobs.get(job) {
                state.why += sums;
            }
        });
    }

    /// Returns the thresholds from now on.
    fn span(&self) -> Span {
        let left = |nodes: u32| u64::from(nodes).saturating_sub(self.used) as u32;
        let (room, free) = (left(self.nodes), left(self.up.min(self.nodes)));
        let (until_outage, free) = match self.outages.last() {
            Some(&(begin, _)) if begin <= self.now => (Time::MAX, 0),
            Some(&(begin, _)) => (begin - self.now, free),
            None => (Time::MAX, free),
        };
        let (until_shadow, extra) = self.reservation(free, until_outage).unwrap_or((Time::MAX, u32::MAX));
        Span { length: Time::ZERO, room, free, until_outage, until_shadow, extra }
    }

    /// Returns the time to the shadow time of the oldest blocked job, and the extra nodes. `None` if nothing
    /// is reserved, or if no waiting job fits, so that it does not matter.
    fn reservation(&self, free: u32, until_outage: Time) -> Option<(Time, u32)> {
        let (&least, _) = self.sizes.first_key_value()?;
        if least > free {
            return None;
        }
        // Nodes and limits are negated in this queue. Every job that is wider than the free nodes is blocked.
        let (extra, slack) = ((u32::MAX - free).saturating_sub(1), Time::from_micros(-1));
        let is_blocked = Admission { extra, slack, ..Admission::ANY };
        let mut from = 0;
        loop {
            let blocked = self.queue.get(self.queue.first(from, &is_blocked)?)?;
            from = blocked.slot + 1;
            let (nodes, limit) = (blocked.procs, Time::MAX - blocked.estimate);
            // A job that does not fit even when all running jobs have ended waits for nodes to come up, and
            // one that would run into the next known outage for its end. Without outages there is none.
            if u64::from(nodes - free) > self.returning {
                continue;
            }
            let (shadow, free_then) = self.running.free_by(nodes, free, self.now)?;
            let until_shadow = shadow - self.now;
            let is_interrupted = until_outage < Time::MAX && until_shadow + limit > until_outage;
            if !is_interrupted {
                return Some((until_shadow, free_then - nodes));
            }
        }
    }
}

/// A job that has arrived and was not removed.
#[derive(Clone, Copy, Debug)]
struct JobState {
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
    phase: Phase,
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
enum Phase {
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
struct Jobs {
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

// Spans: the intervals between events, with the thresholds that decide the cause of each waiting job.
//
// Open spans are a list. A job that starts scans those since its arrival. `Spans::fold` adds all spans to
// all jobs that waited through them: offline dominance sums, a sweep over limits with a Fenwick tree over
// nodes (P. Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and
// Experience 24(3), 1994). O((S + Q)·log(S + Q)) for S spans and Q jobs.

/// An interval without events and its thresholds.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// Length.
    length: Time,
    /// Nodes that no job uses, up or down.
    room: u32,
    /// Free nodes, at most `room`.
    free: u32,
    /// Time to the next known outage; [`Time::MAX`] if none is known.
    until_outage: Time,
    /// Time to the shadow time of the oldest blocked job; [`Time::MAX`] if nothing is reserved.
    until_shadow: Time,
    /// Extra nodes.
    extra: u32,
}

impl Span {
    /// Returns the cause for a waiting job that is not too large, apart from refusals.
    fn cause(&self, nodes: u32, limit: Time) -> WaitCause {
        if nodes > self.room {
            WaitCause::NoRoom
        } else if nodes > self.free || limit > self.until_outage {
            WaitCause::Outage
        } else if nodes > self.extra && limit > self.until_shadow {
            WaitCause::Reserved
        } else {
            WaitCause::Free
        }
    }
}

/// The open spans.
#[derive(Debug, Default)]
struct Spans(Vec<Span>);

/// A job that waited through all open spans.
#[derive(Clone, Copy, Debug)]
struct Whole<Job> {
    limit: Time,
    nodes: u32,
    job: Job,
}

impl Spans {
    /// Adds the spans from `from` on to a job, except time that is free to start. O(spans).
    fn scan(&self, from: usize, nodes: u32, limit: Time, why: &mut JobWhy) {
        let mut sums = JobWhy::default();
        for span in self.0.iter().skip(from) {
            sums.add(span.cause(nodes, limit), span.length);
        }
        for cause in [WaitCause::NoRoom, WaitCause::Outage, WaitCause::Reserved] {
            why.add(cause, sums[cause]);
        }
    }

    /// Returns whether there are enough spans to fold them into `waiting` jobs: about √Q, so that a scan and
    /// the share of an event in a fold have similar costs.
    fn is_full(&self, waiting: usize) -> bool {
        let spans = self.0.len();
        spans >= 64 && spans * spans >= 16 * waiting
    }

    /// Passes the sums of all open spans to `add` for each job, except time that is free to start, and
    /// removes the spans.
    fn fold<Job: Copy>(&mut self, jobs: &mut [Whole<Job>], mut add: impl FnMut(Job, &JobWhy)) {
        jobs.sort_unstable_by_key(|job| job.limit);
        let mut sweep = Sweep::new(&self.0);
        for job in jobs {
            add(job.job, &sweep.sums(job.nodes, job.limit));
        }
        self.0.clear();
    }
}

/// Time that is added to a sum for all jobs that are longer than `limit` and need more than a number of
/// nodes.
struct Term {
    limit: Time,
    /// Position of the number of nodes in the tree.
    at: usize,
    cause: WaitCause,
    /// Microseconds, negative to cancel another term.
    time: i64,
}

/// The sums of spans for jobs in ascending order of limits.
///
/// Each cause is a sum of dominance terms: reserved time is the length of the span, for jobs of more than
/// `extra` nodes and longer than `until_shadow`, less the same for jobs of more than `free` nodes. Wrapping
/// arithmetic: sums are exact whenever they fit 64 bits.
struct Sweep {
    /// The thresholds of nodes, ascending.
    bounds: Vec<u32>,
    /// By position in `bounds`: the time with fewer unused, and with fewer free nodes than jobs need that
    /// exceed as many thresholds.
    no_room: Vec<i64>,
    not_free: Vec<i64>,
    /// Terms by descending limit. Those below the last limit have moved to `tree`.
    later: Vec<Term>,
    /// A Fenwick tree of the times of outages and reservations. Position 1 is for every job, position i + 2
    /// for jobs of more than `bounds[i]` nodes.
    tree: Vec<[i64; 2]>,
}

impl Sweep {
    fn new(spans: &[Span]) -> Self {
        let mut bounds: Vec<u32> = spans.iter().flat_map(|span| [span.room, span.free, span.extra]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let rank = |nodes: u32| bounds.partition_point(|&bound| bound < nodes);
        let count = bounds.len();
        let (mut no_room, mut not_free, mut later) = (vec![0; count + 1], vec![0; count + 1], Vec::new());
        for span in spans {
            let (time, until_outage) = (span.length.as_micros(), span.until_outage);
            let (room, free, extra) = (rank(span.room), rank(span.free), rank(span.extra));
            no_room[room + 1] += time;
            not_free[free + 1] += time;
            let mut add = |limit, at, cause, time| later.push(Term { limit, at, cause, time });
            if span.extra < span.free && span.until_shadow < until_outage {
                for (limit, sign) in [(span.until_shadow, 1), (until_outage, -1)] {
                    add(limit, extra + 2, WaitCause::Reserved, sign * time);
                    add(limit, free + 2, WaitCause::Reserved, -sign * time);
                }
            }
            if until_outage < Time::MAX {
                add(until_outage, 1, WaitCause::Outage, time);
                add(until_outage, free + 2, WaitCause::Outage, -time);
            }
        }
        for at in 1..=count {
            no_room[at] += no_room[at - 1];
            not_free[at] += not_free[at - 1];
        }
        later.sort_unstable_by_key(|term| std::cmp::Reverse(term.limit));
        Self { bounds, no_room, not_free, later, tree: vec![[0; 2]; count + 2] }
    }

    /// Returns the sums for a job. Limits must ascend from call to call. O(log spans), amortised.
    fn sums(&mut self, nodes: u32, limit: Time) -> JobWhy {
        while let Some(term) = self.later.pop_if(|term| term.limit < limit) {
            let (mut at, column) = (term.at, usize::from(term.cause == WaitCause::Reserved));
            while let Some(sums) = self.tree.get_mut(at) {
                sums[column] = sums[column].wrapping_add(term.time);
                at += at & at.wrapping_neg();
            }
        }
        let rank = self.bounds.partition_point(|&bound| bound < nodes);
        let (mut at, mut sums) = (rank + 1, [0_i64; 2]);
        while at > 0 {
            let part = self.tree[at];
            sums = [sums[0].wrapping_add(part[0]), sums[1].wrapping_add(part[1])];
            at &= at - 1;
        }
        let no_room = self.no_room[rank];
        let outage = self.not_free[rank].wrapping_sub(no_room).wrapping_add(sums[0]);
        let mut why = JobWhy::default();
        why[WaitCause::NoRoom] = Time::from_micros(no_room);
        why[WaitCause::Outage] = Time::from_micros(outage);
        why[WaitCause::Reserved] = Time::from_micros(sums[1]);
        why
    }
}
