//! The times around an opening that are free for jobs of some widths.

use std::cmp::Reverse;

use super::profile::{Opening, Profile, Step};
use super::reservation::{Nodes, StepId, nodes};
use meshreplay_base::job::Time;

/// The longest time around an opening that may be free for jobs of some widths. It bounds them: that many nodes are not free
/// just before and behind it, but need not be free in all of the time between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The jobs take more nodes than this.
    pub(super) narrower: Nodes,
    /// The jobs take at most this number of nodes.
    pub(super) widest: Nodes,
    pub(super) from: Time,
    pub(super) until: Time,
}

impl Extent {
    /// Returns its length.
    pub(super) fn length(&self) -> Time {
        self.until - self.from
    }
}

/// Calls `found` with the extents of an opening, those of the widest jobs first. They are for jobs of at least
/// `narrowest` nodes that are wider than what was free throughout the opening before, and not wider than the most
/// that is free at once in it. The search goes no further than `longest` to each side, which no window of that length
/// that meets the opening leaves. O(S) with S steps up to there.
///
/// Calls `reached` with each step in the opening, but not that at its beginning, and behind it, up to which the extents of some
/// widths reach, and with the least and the most of these widths.
pub(super) fn extents(
    profile: &Profile,
    opening: Opening,
    (narrowest, longest): (u32, Time),
    mut reached: impl FnMut(&Step, (Nodes, Nodes)),
    mut found: impl FnMut(Extent),
) {
    let time = opening.time;
    let mut first = opening.step;
    let mut most = profile.step(first).free;
    let (mut after, mut least) = (profile.step(first).next, most);
    let inner = after;
    while let Some(step) = profile.get(after).filter(|step| step.time < time.1) {
        (most, least) = (most.max(step.free), least.min(step.free));
        after = step.next;
    }
    let narrowest = nodes(narrowest).max(least - opening.nodes + 1);
    if most < narrowest {
        return;
    }
    let (earliest, latest) = (time.0 - longest, time.1 + longest);
    let mut at = inner;
    while at != after {
        reached(profile.step(at), (narrowest, most));
        at = profile.step(at).next;
    }
    // The number of free nodes in the step on either side, up to which the extent can grow.
    let before = |first: StepId| {
        let step = profile.step(first);
        if step.time > earliest {
            profile.get(step.previous).map_or(Nodes::MIN, |before| before.free)
        } else {
            Nodes::MIN
        }
    };
    let mut behind = |after: StepId, most: Nodes| {
        let Some(step) = profile.get(after) else { return (Nodes::MIN, Time::MAX) };
        reached(step, (narrowest, most));
        (if step.time < latest { step.free } else { Nodes::MIN }, step.time)
    };
    let (mut left, (mut right, mut until)) = (before(first), behind(after, most));
    while most >= narrowest {
        while left >= most {
            first = profile.step(first).previous;
            left = before(first);
        }
        while right >= most {
            after = profile.step(after).next;
            (right, until) = behind(after, most);
        }
        let from = profile.step(first).time;
        let next = left.max(right);
        found(Extent { narrower: next.max(narrowest - 1), widest: most, from, until });
        most = next;
    }
}

/// The times in which some numbers of nodes are free that share something with the time of an opening.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    /// The longest one for each number, those of the widest jobs first.
    pub(super) all: Vec<Extent>,
    /// Those that have begun, in a search from the earliest to the latest, with the numbers of nodes in ascending order.
    begun: Vec<(Time, Nodes)>,
}

impl Rooms {
    /// Finds them in an opening, for jobs of at least `narrowest` nodes. The search goes no further than `longest` to each side.
    /// `near` is a guess of the step at which the time begins. O(S) with S steps up to there.
    ///
    /// Unlike [`extents`] they do not bound the times, they are those. An extent ends when the opening does, if not before, so
    /// that its beginning says no more than its length.
    pub(super) fn find(
        &mut self,
        profile: &Profile,
        (narrowest, longest): (Nodes, Time),
        (time, near): ((Time, Time), StepId),
    ) {
        let Self { all, begun } = self;
        all.clear();
        begun.clear();
        let mut first = profile.at_or(near, time.0);
        let earliest = time.0 - longest;
        while profile.step(first).time > earliest
            && profile.get(profile.step(first).previous).is_some_and(|before| before.free >= narrowest)
        {
            first = profile.step(first).previous;
        }
        let mut note = |nodes: Nodes, (from, until): (Time, Time)| {
            if until > time.0 && from < time.1 {
                let end = until.min(time.1);
                let from = end - (until - from);
                all.push(Extent { narrower: narrowest - 1, widest: nodes, from, until: end });
            }
        };
        let mut end = Time::MAX;
        // One finds rectangles in a histogram this way.
        for (_, step) in profile.from(first) {
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
        for &(from, nodes) in &*begun {
            note(nodes, (from, end));
        }
        // Those are dropped that are not longer than one for as many nodes.
        all.sort_unstable_by_key(|extent| Reverse((extent.widest, extent.length())));
        let mut length = Time::ZERO;
        all.retain(|extent| {
            let is_longer = extent.length() > length;
            length = length.max(extent.length());
            is_longer
        });
    }
}

#[cfg(test)]
impl Extent {
    /// Returns whether it is for jobs of `procs` nodes.
    pub(super) fn is_for(&self, procs: u32) -> bool {
        (self.narrower + 1..=self.widest).contains(&nodes(procs))
    }
}
