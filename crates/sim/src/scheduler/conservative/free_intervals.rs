//! The times around a freed window that are free for jobs of some widths.

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use super::profile::{FreedWindow, Profile, Step, Window};
#[cfg(test)]
use super::reservation::nodes;
use super::reservation::{Nodes, StepId};
use meshreplay_base::job::Time;

/// The longest time around a freed window that may be free for jobs of some widths. It bounds them: that many
/// nodes are not free just before and behind it, but need not be free in all of the time between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreeInterval {
    /// The jobs take more nodes than this.
    pub(super) narrower: Nodes,
    /// The jobs take at most this number of nodes.
    pub(super) widest: Nodes,
    pub(super) from: Time,
    pub(super) until: Time,
}

impl FreeInterval {
    /// Returns its length.
    pub(super) fn length(&self) -> Time {
        self.until - self.from
    }
}

/// Bounds of the jobs that free intervals are searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// No job takes fewer nodes.
    pub(super) narrowest: Nodes,
    /// No job is longer.
    pub(super) longest: Time,
}

/// Calls `found` with the free intervals of a freed window, those of the widest jobs first. They are for jobs
/// of at least `limits.narrowest` nodes that are wider than what was free throughout the freed window before,
/// and not wider than the most that is free at once in it. The search goes no further than `limits.longest`
/// to each side, which no window of that length that meets the freed window leaves. O(S) with S steps up to
/// there.
///
/// Calls `reached` with each step in the freed window, but not that at its beginning, and behind it, up to
/// which the free intervals of some widths reach, and with these widths.
pub(super) fn free_intervals(
    profile: &Profile,
    freed: FreedWindow,
    limits: &Limits,
    mut reached: impl FnMut(&Step, RangeInclusive<Nodes>),
    mut found: impl FnMut(FreeInterval),
) {
    let window = freed.window;
    let mut first = window.step;
    let mut most = profile.step(first).free;
    let (mut after, mut least) = (profile.step(first).next, most);
    let inner = after;
    while let Some(step) = profile.get(after).filter(|step| step.time < window.until) {
        (most, least) = (most.max(step.free), least.min(step.free));
        after = step.next;
    }
    let narrowest = limits.narrowest.max(least - freed.nodes + 1);
    if most < narrowest {
        return;
    }
    let (earliest, latest) = (window.from - limits.longest, window.until + limits.longest);
    let mut at = inner;
    while at != after {
        reached(profile.step(at), narrowest..=most);
        at = profile.step(at).next;
    }
    // The number of free nodes in the step on either side, up to which the free interval can grow.
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
        reached(step, narrowest..=most);
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
        found(FreeInterval { narrower: next.max(narrowest - 1), widest: most, from, until });
        most = next;
    }
}

/// The times in which some numbers of nodes are free that share something with the time of a freed window.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeRectangles {
    /// The longest one for each number, those of the widest jobs first.
    pub(super) all: Vec<FreeInterval>,
    /// Those that have begun, in a search from the earliest to the latest, with the numbers of nodes in
    /// ascending order.
    begun: Vec<(Time, Nodes)>,
}

impl FreeRectangles {
    /// Finds them in a freed window, for jobs within the limits. The search goes no further than
    /// `limits.longest` to each side. O(S) with S steps up to there.
    ///
    /// Unlike [`free_intervals`] they do not bound the times, they are those. A free interval ends when the
    /// freed window does, if not before, so that its beginning says no more than its length.
    pub(super) fn find(&mut self, profile: &Profile, limits: &Limits, window: &Window) {
        let &Limits { narrowest, longest } = limits;
        let Self { all, begun } = self;
        all.clear();
        begun.clear();
        let mut first = profile.at_or(window.step, window.from);
        let earliest = window.from - longest;
        while profile.step(first).time > earliest
            && profile.get(profile.step(first).previous).is_some_and(|before| before.free >= narrowest)
        {
            first = profile.step(first).previous;
        }
        let mut note = |nodes: Nodes, from: Time, until: Time| {
            if until > window.from && from < window.until {
                let end = until.min(window.until);
                let from = end - (until - from);
                all.push(FreeInterval { narrower: narrowest - 1, widest: nodes, from, until: end });
            }
        };
        let mut end = Time::MAX;
        // One finds rectangles in a histogram this way.
        for (_, step) in profile.from(first) {
            if step.time >= window.until && (step.free < narrowest || step.time - longest > window.until) {
                end = step.time;
                break;
            }
            let mut since = step.time;
            while let Some((from, nodes)) = begun.pop_if(|begun| begun.1 > step.free) {
                note(nodes, from, step.time);
                since = from;
            }
            if step.free >= narrowest && begun.last().is_none_or(|begun| begun.1 < step.free) {
                begun.push((since, step.free));
            }
        }
        for &(from, nodes) in &*begun {
            note(nodes, from, end);
        }
        // Those are dropped that are not longer than one for as many nodes.
        all.sort_unstable_by_key(|interval| Reverse((interval.widest, interval.length())));
        let mut length = Time::ZERO;
        all.retain(|interval| {
            let is_longer = interval.length() > length;
            length = length.max(interval.length());
            is_longer
        });
    }
}

#[cfg(test)]
impl FreeInterval {
    /// Returns whether it is for jobs of `procs` nodes.
    pub(super) fn is_for(&self, procs: u32) -> bool {
        (self.narrower + 1..=self.widest).contains(&nodes(procs))
    }
}
