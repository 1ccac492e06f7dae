//! Spans: the intervals between events, with the thresholds that decide the cause of each waiting job.
//!
//! Open spans are a list. A job that starts scans those since its arrival. [`Spans::fold`] adds all spans to
//! all jobs that waited through them: offline dominance sums, a sweep over limits with a Fenwick tree over
//! nodes (P. Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and
//! Experience 24(3), 1994). O((S + Q)·log(S + Q)) for S spans and Q jobs.

use super::cause::{JobWhy, WaitCause};
use meshreplay_base::job::Time;

/// An interval without events and its thresholds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// Length.
    pub(super) length: Time,
    /// Nodes that no job uses, up or down.
    pub(super) room: u32,
    /// Free nodes, at most `room`.
    pub(super) free: u32,
    /// Time to the next known outage; [`Time::MAX`] if none is known.
    pub(super) until_outage: Time,
    /// Time to the shadow time of the oldest blocked job; [`Time::MAX`] if nothing is reserved.
    pub(super) until_shadow: Time,
    /// Extra nodes.
    pub(super) extra: u32,
}

impl Span {
    /// Returns the cause for a waiting job that is not too large, apart from refusals.
    pub(super) fn cause(&self, nodes: u32, limit: Time) -> WaitCause {
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
pub(super) struct Spans(pub(super) Vec<Span>);

/// A job that waited through all open spans.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole<Job> {
    pub(super) limit: Time,
    pub(super) nodes: u32,
    pub(super) job: Job,
}

impl Spans {
    /// Adds the spans from `from` on to a job, except time that is free to start. O(spans).
    pub(super) fn scan(&self, from: usize, nodes: u32, limit: Time, why: &mut JobWhy) {
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
    pub(super) fn is_full(&self, waiting: usize) -> bool {
        let spans = self.0.len();
        spans >= 64 && spans * spans >= 16 * waiting
    }

    /// Passes the sums of all open spans to `add` for each job, except time that is free to start, and
    /// removes the spans.
    pub(super) fn fold<Job: Copy>(&mut self, jobs: &mut [Whole<Job>], mut add: impl FnMut(Job, &JobWhy)) {
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
