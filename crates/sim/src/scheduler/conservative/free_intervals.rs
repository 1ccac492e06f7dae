//! The free intervals around a freed window, by width.

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use super::profile::{FreedWindow, Nodes, Profile, ProfileWindow, Step, StepId};
use meshreplay_base::job::Time;

/// The longest time around a freed window that may be free for a range of widths. A bound only: the widths do
/// not fit just before and after it, but may not fit everywhere in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FreeInterval {
    /// Widths are above this number of nodes.
    pub(super) narrower: Nodes,
    /// Widths are at most this number of nodes.
    pub(super) widest: Nodes,
    pub(super) from: Time,
    pub(super) until: Time,
}

impl FreeInterval {
    pub(super) fn length(&self) -> Time {
        self.until - self.from
    }
}

/// Bounds of the jobs that the search is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The fewest nodes of a job.
    pub(super) narrowest: Nodes,
    /// The longest job.
    pub(super) longest: Time,
}

/// Calls `visit` with the free intervals of a freed window, in descending order of width. Widths are at least
/// `limits.narrowest`, above the nodes that were free throughout the freed window before, and at most the
/// nodes that are free at some time in it. The search extends `limits.longest` to each side, the reach of any
/// job that meets the freed window. O(S) with S steps up to there.
///
/// Calls `visit_step` with each step inside or after the freed window, except at its beginning, that the free
/// intervals of some widths reach, and with these widths.
pub(super) fn free_intervals(
    profile: &Profile,
    freed: FreedWindow,
    limits: &Limits,
    mut visit_step: impl FnMut(&Step, RangeInclusive<Nodes>),
    mut visit: impl FnMut(FreeInterval),
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
        visit_step(profile.step(at), narrowest..=most);
        at = profile.step(at).next;
    }
    // The free nodes in the step on either side, which limit the growth of the free interval.
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
        visit_step(step, narrowest..=most);
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
        visit(FreeInterval { narrower: next.max(narrowest - 1), widest: most, from, until });
        most = next;
    }
}

/// The maximal free rectangles, time by nodes, that overlap a freed window.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeRectangles {
    /// The longest rectangle for each number of nodes, in descending order of nodes.
    pub(super) all: Vec<FreeInterval>,
    /// Rectangles that have open, in a sweep from early to late, with ascending numbers of nodes.
    open: Vec<(Time, Nodes)>,
}

impl FreeRectangles {
    /// Finds the rectangles in a freed window for jobs within the limits. The search extends `limits.longest`
    /// to each side. O(S) with S steps up to there.
    ///
    /// Unlike [`free_intervals`] the result is exact, not a bound. A free interval ends at the latest with
    /// the freed window, so only its length matters, not its beginning.
    pub(super) fn find(&mut self, profile: &Profile, limits: &Limits, window: &ProfileWindow) {
        let &Limits { narrowest, longest } = limits;
        let Self { all, open } = self;
        all.clear();
        open.clear();
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
        // The stack algorithm for rectangles in a histogram.
        for (_, step) in profile.from(first) {
            if step.time >= window.until && (step.free < narrowest || step.time - longest > window.until) {
                end = step.time;
                break;
            }
            let mut since = step.time;
            while let Some((from, nodes)) = open.pop_if(|open| open.1 > step.free) {
                note(nodes, from, step.time);
                since = from;
            }
            if step.free >= narrowest && open.last().is_none_or(|open| open.1 < step.free) {
                open.push((since, step.free));
            }
        }
        for &(from, nodes) in &*open {
            note(nodes, from, end);
        }
        // Drop rectangles that are not longer than one for as many nodes.
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
    /// Returns whether the interval is for jobs of `procs` nodes.
    pub(super) fn is_for(&self, procs: u32) -> bool {
        (self.narrower + 1..=self.widest).contains(&super::nodes(procs))
    }
}
