//! The times around an opening that are free for jobs of some widths.

use std::ops::RangeInclusive;

use super::profile::{Opening, Profile, Step};
use super::reservation::StepId;
use crate::job::Time;

/// The longest time around an opening that may be free for jobs of some widths. It bounds them: that many nodes are not free
/// just before and behind it, but need not be free in all of the time between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The jobs take more nodes than this.
    pub(super) narrower: i64,
    /// The jobs take at most this number of nodes.
    pub(super) widest: i64,
    pub(super) from: Time,
    pub(super) until: Time,
}

impl Extent {
    /// Returns whether it is for jobs of `procs` nodes.
    pub(super) fn is_for(&self, procs: u32) -> bool {
        (self.narrower + 1..=self.widest).contains(&i64::from(procs))
    }

    /// Returns its length.
    pub(super) fn length(&self) -> Time {
        self.until - self.from
    }
}

/// Writes the extents of an opening to `extents`, those of the widest jobs first. They are for jobs of at least
/// `narrowest` nodes that are wider than what was free throughout the opening before, and not wider than the most
/// that is free at once in it. The search goes no further than `longest` to each side, which no window of that length
/// that meets the opening leaves. O(S) with S steps up to there.
///
/// Calls `reached` with each step in the opening, but not that at its beginning, and behind it, up to which the extents of some
/// widths reach, and with these widths.
pub(super) fn extents(
    profile: &Profile,
    opening: Opening,
    (narrowest, longest): (u32, Time),
    extents: &mut Vec<Extent>,
    mut reached: impl FnMut(&Step, RangeInclusive<i64>),
) {
    extents.clear();
    let time = opening.time;
    let mut first = opening.step;
    let mut nodes = profile.step(first).free;
    let (mut after, mut least) = (profile.step(first).next, nodes);
    let inner = after;
    while let Some(step) = profile.get(after).filter(|step| step.time < time.1) {
        (nodes, least) = (nodes.max(step.free), least.min(step.free));
        after = step.next;
    }
    let narrowest = i64::from(narrowest).max(least - opening.nodes + 1);
    if nodes < narrowest {
        return;
    }
    let (earliest, latest) = (time.0 - longest, time.1 + longest);
    let mut at = inner;
    while at != after {
        reached(profile.step(at), narrowest..=nodes);
        at = profile.step(at).next;
    }
    // The number of free nodes in the step on either side, up to which the extent can grow.
    let before = |first: StepId| {
        let step = profile.step(first);
        if step.time > earliest {
            profile.get(step.previous).map_or(i64::MIN, |before| before.free)
        } else {
            i64::MIN
        }
    };
    let mut behind = |after: StepId, nodes: i64| {
        let Some(step) = profile.get(after) else { return (i64::MIN, Time::MAX) };
        reached(step, narrowest..=nodes);
        (if step.time < latest { step.free } else { i64::MIN }, step.time)
    };
    let (mut left, (mut right, mut until)) = (before(first), behind(after, nodes));
    while nodes >= narrowest {
        while left >= nodes {
            first = profile.step(first).previous;
            left = before(first);
        }
        while right >= nodes {
            after = profile.step(after).next;
            (right, until) = behind(after, nodes);
        }
        let from = profile.step(first).time;
        let next = left.max(right);
        extents.push(Extent { narrower: next.max(narrowest - 1), widest: nodes, from, until });
        nodes = next;
    }
}

impl Profile {
    /// Writes to `extents` the times in which some numbers of nodes are free that share something with the time of an opening,
    /// the longest one for each number, those of the widest jobs first. They are for jobs of at least `narrowest` nodes. The
    /// search goes no further than `longest` to each side. `near` is a guess of the step at which the time begins. O(S) with S
    /// steps up to there.
    ///
    /// Unlike [`extents`] they do not bound the times, they are those. An extent ends when the opening does, if not before, so
    /// that its beginning says no more than its length.
    pub(super) fn rooms(
        &self,
        narrowest: i64,
        longest: Time,
        (time, near): ((Time, Time), StepId),
        extents: &mut Vec<Extent>,
    ) {
        extents.clear();
        let mut first = self.at_or(near, time.0);
        let earliest = time.0 - longest;
        while self.step(first).time > earliest
            && self.get(self.step(first).previous).is_some_and(|before| before.free >= narrowest)
        {
            first = self.step(first).previous;
        }
        // The times that have begun, those for fewer nodes first, as one finds rectangles in a histogram.
        let mut begun: Vec<(Time, i64)> = Vec::new();
        let mut note = |nodes: i64, (from, until): (Time, Time)| {
            if until > time.0 && from < time.1 {
                let end = until.min(time.1);
                extents.push(Extent {
                    narrower: narrowest - 1,
                    widest: nodes,
                    from: end - (until - from),
                    until: end,
                });
            }
        };
        let mut end = Time::MAX;
        for (_, step) in self.from(first) {
            if step.time >= time.1 && (step.free < narrowest || step.time - longest > time.1) {
                end = step.time;
                break;
            }
            let mut since = step.time;
            while let Some((from, nodes)) = begun.pop_if(|begun| begun.1 > step.free) {
                note(nodes, (from, step.time));
                since = from;
            }
            if step.free >= narrowest && begun.last().is_none_or(|begun| begun.1 < step.free) {
                begun.push((since, step.free));
            }
        }
        for (from, nodes) in begun {
            note(nodes, (from, end));
        }
        // Those are dropped that are not longer than one for as many nodes.
        extents.sort_unstable_by_key(|extent| std::cmp::Reverse((extent.widest, extent.length())));
        let mut length = Time::ZERO;
        extents.retain(|extent| {
            let is_longer = extent.length() > length;
            length = length.max(extent.length());
            is_longer
        });
    }
}
