//! The profile of free nodes: how many nodes will be free at each future time, according to estimates and reservations.

use super::super::running_jobs::RunningJobs;
use crate::job::Time;

/// The shortest length of time, one microsecond.
pub(super) const TICK: Time = Time::from_micros(1);

/// The longest time around an opening that may be free for jobs of some widths. It bounds them: that many nodes are not free
/// just before and behind it, but need not be free in all of the time between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// The jobs take more nodes than this.
    narrower: i64,
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
}

/// A time at which nodes are free, and the index of the step that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: Time,
    step: usize,
}

/// A time in which nodes have become free, from the first time on, before the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) time: (Time, Time),
    /// How many have become free.
    nodes: i64,
    /// The index of a step near its beginning.
    step: usize,
}

/// A change of the list of steps: a new step comes before the one at an index, or that one goes.
#[derive(Clone, Copy, Debug)]
struct Edit {
    at: usize,
    new: Option<(Time, i64)>,
}

/// A step function of time. Each step is a pair: the time at which it begins, and the number of free nodes from then
/// on. The last step lasts for ever.
///
/// A count can fall below 0 if an allocator took more nodes than were reserved. No job fits there. All operations are
/// O(P) with P steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Profile {
    steps: Vec<(Time, i64)>,
}

impl Profile {
    /// Returns the profile with `free` nodes free now and the nodes of each running job free from its estimated end on.
    /// Jobs that have outlived their estimates are expected to end one tick from now.
    pub(super) fn new(now: Time, free: u32, running: &RunningJobs) -> Self {
        let mut free = i64::from(free);
        let mut steps = vec![(now, free)];
        for job in running.iter() {
            let end = job.estimated_end.max(now + TICK);
            free += i64::from(job.nodes);
            match steps.last_mut() {
                // Jobs that end together share one step.
                Some(last) if last.0 == end => last.1 = free,
                _ => steps.push((end, free)),
            }
        }
        Self { steps }
    }

    /// Removes the part of the profile before `now`.
    pub(super) fn advance(&mut self, now: Time) {
        let current = self.step_at(now);
        self.steps.drain(..current);
        if let Some(first) = self.steps.first_mut() {
            first.0 = first.0.max(now);
        }
    }

    /// Returns the first time from `now` on at which `procs` nodes are free for a time of `length`. The nodes count as
    /// free from `until` on, so the result is `until` at the latest.
    pub(super) fn earliest(&self, procs: u32, length: Time, now: Time, until: Time) -> Time {
        self.earliest_within(procs, length, (now, until), until).map_or(until, |found| found.start)
    }

    /// Returns the first time in `area` at which `procs` nodes are free for a time of `length`; `None` if there is none.
    /// The area has its first time and ends before its second. The nodes count as free from `until` on.
    pub(super) fn earliest_within(
        &self,
        procs: u32,
        length: Time,
        (from, before): (Time, Time),
        until: Time,
    ) -> Option<Found> {
        let procs = i64::from(procs);
        let first = self.step_at(from);
        // `found` is the beginning of the current run of steps with enough free nodes, and `end` the time up to which it
        // has to last; `None` within a step with too few.
        let mut found: Option<Found> = None;
        let mut end = Time::MAX;
        for (at, &(since, free)) in self.steps.iter().enumerate().skip(first) {
            let since = since.max(from);
            match found {
                Some(_) if since >= end => return found,
                None if since >= before => return None,
                _ => {}
            }
            if free < procs {
                found = None;
            } else if found.is_none() {
                found = Some(Found { start: since, step: at });
                end = (since + length).min(until);
            }
        }
        found
    }

    /// Takes `nodes` nodes out of the profile from `start` on for a time of `length`. A negative number gives nodes
    /// back.
    pub(super) fn take(&mut self, start: Time, length: Time, nodes: i64) {
        let first = self.steps.partition_point(|step| step.0 < start);
        let edits = self.change(first, (start, start + length), nodes);
        self.apply(edits.into_iter().flatten());
    }

    /// Moves a reservation of `procs` nodes for a time of `length` from `start` to an earlier start that has been found,
    /// and returns the time that it no longer takes. The time that it takes before and after the move is left as it is,
    /// which is most of it if the move is short.
    pub(super) fn bring_forward(&mut self, start: Time, to: Found, length: Time, procs: u32) -> Opening {
        let procs = i64::from(procs);
        let (end, new_end) = (start + length, to.start + length);
        let left = (start.max(new_end), end);
        let first = to.step + usize::from(self.steps[to.step].0 < to.start);
        let step = first + self.steps[first..].partition_point(|step| step.0 < left.0);
        let given = self.change(step, left, -procs);
        if new_end <= start {
            self.apply(given.into_iter().flatten());
            let taken = self.change(first, (to.start, new_end), procs);
            self.apply(taken.into_iter().flatten());
        } else {
            // Between the two times lies one that stays as it is, so that neither needs to know the other's edits.
            let taken = self.change(first, (to.start, start), procs);
            self.apply(taken.into_iter().chain(given).flatten());
        }
        Opening { time: left, nodes: procs, step }
    }

    /// Takes `nodes` nodes out of the steps within a time, and returns what is to be done to the steps at its start and at
    /// its end. `first` is the index of the first step that begins at the start or later.
    fn change(&mut self, first: usize, (start, end): (Time, Time), nodes: i64) -> [Option<Edit>; 2] {
        if nodes == 0 || start >= end {
            return [None, None];
        }
        let mut last = first;
        while let Some(step) = self.steps.get_mut(last).filter(|step| step.0 < end) {
            step.1 -= nodes;
            last += 1;
        }
        // The counts before the start, and just before the end.
        let before = first.checked_sub(1).map(|at| self.steps[at].1);
        let inside = if last > first { self.steps[last - 1].1 } else { before.unwrap_or_default() - nodes };
        // A step that was not there is needed, as the count changes by `nodes` there. One that was there is needed no more
        // if it has the same count as the one before it now.
        let edit = |at: usize, time: Time, free: i64, before: Option<i64>| match self.steps.get(at) {
            Some(step) if step.0 == time => (before == Some(step.1)).then_some(Edit { at, new: None }),
            _ => Some(Edit { at, new: Some((time, free)) }),
        };
        let at_start = edit(first, start, before.unwrap_or_default() - nodes, before);
        [at_start, edit(last, end, inside + nodes, Some(inside))]
    }

    /// Inserts and removes steps. The edits are in ascending order, with the indices of before.
    ///
    /// Where one step comes and one goes, only the steps between them shift. In a long profile this is much less than all
    /// behind each of them.
    fn apply(&mut self, edits: impl Iterator<Item = Edit>) {
        // The edits that are still to be made, all of one kind. Those that have been made leave the indices of these as they
        // are.
        let (mut open, mut count) = ([Edit { at: 0, new: None }; 4], 0_usize);
        for edit in edits {
            let last = count.checked_sub(1).map(|last| open[last]);
            match (last, edit.new) {
                (Some(Edit { at, new: Some(new) }), None) => {
                    self.steps.copy_within(at..edit.at, at + 1);
                    self.steps[at] = new;
                    count -= 1;
                }
                (Some(Edit { at, new: None }), Some(new)) => {
                    self.steps.copy_within(at + 1..edit.at, at);
                    self.steps[edit.at - 1] = new;
                    count -= 1;
                }
                _ => {
                    open[count] = edit;
                    count += 1;
                }
            }
        }
        for edit in open[..count].iter().rev() {
            match edit.new {
                Some(new) => self.steps.insert(edit.at, new),
                None => drop(self.steps.remove(edit.at)),
            }
        }
    }

    /// Returns an opening in `time`, in which `nodes` nodes have become free.
    pub(super) fn opening(&self, time: (Time, Time), nodes: i64) -> Opening {
        Opening { time, nodes, step: self.step_at(time.0) }
    }

    /// Writes the extents of an opening to `extents`, those of the narrowest jobs first. They are for jobs of at least
    /// `narrowest` nodes that are wider than what was free throughout the opening before, and not wider than the most
    /// that is free at once in it. The search goes no further than `longest` to each side, which no window of that length
    /// that meets the opening leaves. O(S) with S steps up to there.
    pub(super) fn extents(&self, opening: Opening, narrowest: u32, longest: Time, extents: &mut Vec<Extent>) {
        extents.clear();
        let (steps, time) = (&self.steps[..], opening.time);
        let mut first = opening.step.min(steps.len().saturating_sub(1));
        while first > 0 && steps[first].0 > time.0 {
            first -= 1;
        }
        while steps.get(first + 1).is_some_and(|step| step.0 <= time.0) {
            first += 1;
        }
        let Some(&(_, mut nodes)) = steps.get(first) else { return };
        let (mut after, mut least) = (first + 1, nodes);
        while let Some(&(_, free)) = steps.get(after).filter(|step| step.0 < time.1) {
            (nodes, least) = (nodes.max(free), least.min(free));
            after += 1;
        }
        let narrowest = i64::from(narrowest).max(least - opening.nodes + 1);
        let (earliest, latest) = (time.0 - longest, time.1 + longest);
        // The number of free nodes in the step on either side, up to which the extent can grow.
        let before = |first: usize| {
            let inside = first > 0 && steps[first].0 > earliest;
            if inside { steps[first - 1].1 } else { i64::MIN }
        };
        let behind = |after: usize| match steps.get(after) {
            Some(&(since, free)) if since < latest => free,
            _ => i64::MIN,
        };
        let (mut left, mut right) = (before(first), behind(after));
        while nodes >= narrowest {
            while left >= nodes {
                first -= 1;
                left = before(first);
            }
            while right >= nodes {
                after += 1;
                right = behind(after);
            }
            let until = steps.get(after).map_or(Time::MAX, |step| step.0);
            let from = steps[first].0;
            let next = left.max(right);
            extents.push(Extent { narrower: next.max(narrowest - 1), widest: nodes, from, until });
            nodes = next;
        }
        extents.reverse();
    }

    /// Returns the index of the step at `time`. A time before the first step belongs to the first step.
    fn step_at(&self, time: Time) -> usize {
        self.steps.partition_point(|step| step.0 <= time).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const SECONDS: usize = 60;

    /// Returns the first second at which the counts per second allow it; `until` if there is none before.
    fn plain_earliest(free: &[i64], procs: i64, length: usize, now: usize, until: usize) -> usize {
        let fits = |at: usize| at >= until || free.get(at).is_none_or(|&free| free >= procs);
        (now..until).find(|&start| (start..start + length).all(fits)).unwrap_or(until)
    }

    fn at(second: usize) -> Time {
        Time::from_seconds(second as i64)
    }

    /// Returns the number of free nodes in each second.
    fn per_second(profile: &Profile) -> Vec<i64> {
        (0..SECONDS).map(|second| profile.steps[profile.step_at(at(second))].1).collect()
    }

    #[test]
    fn every_answer_equals_that_of_a_count_per_second() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut random = move |below: usize| rng.random_range(0..below);
        let mut moves = 0;
        for _ in 0..200 {
            let mut profile = Profile::new(Time::ZERO, 20, &RunningJobs::default());
            let (mut plain, mut now) = (vec![20_i64; SECONDS], 0);
            for _ in 0..30 {
                now += random(3) / 2;
                profile.advance(at(now));
                let (start, length) = (now + random(SECONDS / 2 - 15), 1 + random(15));
                let nodes = random(12) as i64 - 4;
                profile.take(at(start), at(length), nodes);
                plain[start..start + length].iter_mut().for_each(|free| *free -= nodes);
                let (procs, length) = (random(25), 1 + random(20));
                let until = now + 1 + random(SECONDS);
                let expected = plain_earliest(&plain, procs as i64, length, now, until);
                // Beyond the plain counts all 20 are free again.
                if procs <= 20 {
                    assert_eq!(
                        profile.earliest(procs as u32, at(length), at(now), at(until)),
                        at(expected),
                        "{procs} for {length} from {now} until {until}: {profile:?}"
                    );
                }
                // A reservation that is made and then moves.
                let (start, procs) = (now + random(10), 1 + random(4));
                let length = 1 + random(15);
                profile.take(at(start), at(length), procs as i64);
                plain[start..start + length].iter_mut().for_each(|free| *free -= procs as i64);
                let area = (at(now + random(3)), at(start));
                if let Some(found) = profile.earliest_within(procs as u32, at(length), area, at(start)) {
                    let earlier = (found.start.as_micros() / 1_000_000) as usize;
                    profile.bring_forward(at(start), found, at(length), procs as u32);
                    plain[start..start + length].iter_mut().for_each(|free| *free += procs as i64);
                    plain[earlier..earlier + length].iter_mut().for_each(|free| *free -= procs as i64);
                    moves += 1;
                }
                assert!(profile.steps.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1), "{profile:?}");
                assert_eq!(per_second(&profile)[now..], plain[now..]);
            }
        }
        assert!(moves > 1000, "{moves} moves");
    }

    /// Nodes are given back at random, and for all widths and lengths the windows are compared that had too few free nodes
    /// before and have enough after.
    #[test]
    fn no_window_that_an_opening_makes_possible_leaves_its_extent() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut random = move |below: usize| rng.random_range(0..below);
        let mut windows = 0;
        for _ in 0..300 {
            let mut profile = Profile::new(Time::ZERO, 12, &RunningJobs::default());
            for _ in 0..25 {
                profile.take(at(random(40)), at(1 + random(12)), random(4) as i64);
            }
            let before = per_second(&profile);
            let (from, length, nodes) = (random(40), 1 + random(10), 1 + random(3) as i64);
            profile.take(at(from), at(length), -nodes);
            let (after, longest) = (per_second(&profile), 12);
            let mut extents = Vec::new();
            let opening = profile.opening((at(from), at(from + length)), nodes);
            profile.extents(opening, 2, at(longest), &mut extents);
            assert!(
                extents.is_sorted_by(|a, b| a.widest < b.widest && a.from <= b.from && a.until >= b.until)
            );
            for (procs, length) in (2..16_u32).flat_map(|procs| (1..=longest).map(move |l| (procs, l))) {
                for start in 0..SECONDS - length {
                    let fits = |free: &[i64]| free[start..start + length].iter().all(|&n| n >= procs.into());
                    if fits(&after) && !fits(&before) {
                        let extent = extents.iter().find(|extent| extent.is_for(procs));
                        let extent = extent.expect("its width has an extent");
                        assert!(extent.from <= at(start) && at(start + length) <= extent.until);
                        windows += 1;
                    }
                }
            }
        }
        assert!(windows > 10_000, "{windows} windows");
    }
}
