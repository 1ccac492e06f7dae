//! Where nodes have become free in a profile, and which reservations could use them.
//!
//! Conservative backfilling moves a reservation only if a job fits where it did not fit before, which is where nodes have
//! become free since. [`Openings`] answers for a reservation, without a search of the profile, that it cannot move. In a
//! long queue this is the answer for nearly all.

use super::profile::{Extent, Profile};
use crate::job::Time;

/// What bounds the new windows of all jobs of some width: they begin at `from` at the earliest, and end at `until` at
/// the latest, and none is longer than `length`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bound {
    /// The widest jobs to which this applies. It applies to those wider than the bound before it allows.
    nodes: i64,
    from: Time,
    until: Time,
    length: Time,
}

impl Bound {
    /// Returns the bound of what either of two bounds allows, for jobs of at most `nodes` nodes.
    fn either(nodes: i64, one: Self, other: Self) -> Self {
        Self {
            nodes,
            from: one.from.min(other.from),
            until: one.until.max(other.until),
            length: one.length.max(other.length),
        }
    }
}

/// The times at which nodes have become free in a profile since all reservations were last known to be as early as
/// they can be.
#[derive(Clone, Debug, Default)]
pub(super) struct Openings {
    /// Whether nothing is known about the reservations, so that each may move.
    everywhere: bool,
    /// The narrowest width first. Narrow jobs have earlier, later and longer windows than wide ones.
    bounds: Vec<Bound>,
}

impl Openings {
    /// Declares that every reservation may move.
    pub(super) fn set_everywhere(&mut self) {
        self.everywhere = true;
    }

    /// Returns whether a reservation may move at all.
    pub(super) fn any(&self) -> bool {
        self.everywhere || !self.bounds.is_empty()
    }

    /// Adds the time from `from` until `until`, in which `profile` has more free nodes than before. No job is narrower
    /// than `narrowest` nodes or longer than `longest`. O(S) with S steps within `longest` around that time, and the
    /// number of bounds.
    pub(super) fn add(&mut self, profile: &Profile, time: (Time, Time), narrowest: u32, longest: Time) {
        if self.everywhere {
            return;
        }
        let extents = profile.extents(time, narrowest, longest);
        // The extents come with the widest first.
        let bound = |extent: &Extent| Bound {
            nodes: extent.nodes,
            from: extent.from,
            until: extent.until,
            length: extent.until - extent.from,
        };
        let added: Vec<Bound> = extents.iter().rev().map(bound).collect();
        self.bounds = merged(&self.bounds, &added);
    }

    /// Returns the time before which a reservation of `procs` nodes for a time of `length`, which begins at `start`, cannot
    /// move; `None` if it cannot move at all. O(log B) with B bounds, one for each width at which they change.
    pub(super) fn earliest(&self, procs: u32, length: Time, start: Time) -> Option<Time> {
        if self.everywhere {
            return Some(Time::from_micros(i64::MIN));
        }
        let procs = i64::from(procs);
        // Most reservations are wider than everything that has become free.
        if self.bounds.last().is_none_or(|widest| widest.nodes < procs) {
            return None;
        }
        let bound = self.bounds[self.bounds.partition_point(|bound| bound.nodes < procs)];
        // The job's own nodes are free for it from `start` on, so that a window which reaches `start` is long enough.
        (bound.from < start && (bound.length >= length || bound.until >= start)).then_some(bound.from)
    }
}

/// Returns bounds of what either of two lists of bounds allows.
fn merged(one: &[Bound], other: &[Bound]) -> Vec<Bound> {
    let (mut i, mut j) = (0, 0);
    let mut all = Vec::with_capacity(one.len() + other.len());
    loop {
        let bound = match (one.get(i), other.get(j)) {
            (None, None) => return all,
            (Some(&bound), None) | (None, Some(&bound)) => bound,
            (Some(&a), Some(&b)) => Bound::either(a.nodes.min(b.nodes), a, b),
        };
        // A bound has been used up when the new one reaches as far.
        i += usize::from(one.get(i).is_some_and(|a| a.nodes <= bound.nodes));
        j += usize::from(other.get(j).is_some_and(|b| b.nodes <= bound.nodes));
        match all.last_mut() {
            // Widths with the same limits share one bound.
            Some(Bound { nodes, from, until, length })
                if (*from, *until, *length) == (bound.from, bound.until, bound.length) =>
            {
                *nodes = bound.nodes;
            }
            _ => all.push(bound),
        }
    }
}
