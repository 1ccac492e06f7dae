//! The profile of free nodes: how many nodes will be free at each future time, according to estimates and reservations.

use super::running_jobs::RunningJobs;
use crate::job::Time;

/// The shortest length of time, one microsecond.
pub(super) const TICK: Time = Time::from_micros(1);

/// The widest times around an opening: `nodes` nodes may be free throughout it from `from` until `until`. It bounds
/// them: the nodes are not free before and after, but need not be free in all of the time between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) nodes: i64,
    pub(super) from: Time,
    pub(super) until: Time,
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
        // `start` is the beginning of the current run of steps with enough free nodes; `None` within a step with too
        // few.
        let mut start: Option<Time> = None;
        for &(since, free) in &self.steps[self.step_at(now)..] {
            let since = since.max(now);
            if since >= until || start.is_some_and(|start| since >= start + length) {
                break;
            }
            if free < i64::from(procs) {
                start = None;
            } else {
                start.get_or_insert(since);
            }
        }
        start.unwrap_or(until)
    }

    /// Takes `nodes` nodes out of the profile from `start` on for a time of `length`. A negative number gives nodes
    /// back.
    pub(super) fn take(&mut self, start: Time, length: Time, nodes: i64) {
        let end = start + length;
        if nodes == 0 || start >= end {
            return;
        }
        let first = self.split(start);
        let last = self.split(end);
        for step in &mut self.steps[first..last] {
            step.1 -= nodes;
        }
        self.join(last);
        self.join(first);
    }

    /// Moves a reservation of `procs` nodes for a time of `length` from `start` to `earlier`, and returns the time that
    /// it no longer takes. The time that it takes before and after the move is left as it is, which is most of it if
    /// the move is short.
    pub(super) fn bring_forward(
        &mut self,
        start: Time,
        earlier: Time,
        length: Time,
        procs: u32,
    ) -> (Time, Time) {
        let (end, new_end) = (start + length, earlier + length);
        let left = (start.max(new_end), end);
        self.take(left.0, left.1 - left.0, -i64::from(procs));
        self.take(earlier, start.min(new_end) - earlier, i64::from(procs));
        left
    }

    /// Returns, for each number of nodes from the most that are free at once within a time down to `narrowest`, the
    /// longest time around it that may be free. Neighbouring numbers with the same extent share the entry of the largest.
    /// The search goes no further than `longest` to each side, which no window of that length that touches the time
    /// leaves.
    pub(super) fn extents(&self, time: (Time, Time), narrowest: u32, longest: Time) -> Vec<Extent> {
        let mut first = self.step_at(time.0);
        let mut after = self.steps.partition_point(|step| step.0 < time.1).max(first + 1);
        let within = self.steps.get(first..after).unwrap_or_default();
        let (earliest, latest) = (time.0 - longest, time.1 + longest);
        let mut next = within.iter().map(|step| step.1).max();
        let mut extents = Vec::new();
        while let Some(nodes) = next.filter(|&nodes| nodes >= i64::from(narrowest)) {
            // The number of free nodes in the step on either side, up to which the extent can grow.
            let before = |first: usize| {
                let inside = first > 0 && self.steps[first].0 > earliest;
                inside.then(|| self.steps[first - 1].1)
            };
            let behind =
                |after: usize| self.steps.get(after).filter(|step| step.0 < latest).map(|step| step.1);
            while before(first).is_some_and(|free| free >= nodes) {
                first -= 1;
            }
            while behind(after).is_some_and(|free| free >= nodes) {
                after += 1;
            }
            let until = self.steps.get(after).map_or(Time::MAX, |step| step.0);
            extents.push(Extent { nodes, from: self.steps[first].0, until });
            next = before(first).max(behind(after));
        }
        extents
    }

    /// Returns the index of the step at `time`. A time before the first step belongs to the first step.
    fn step_at(&self, time: Time) -> usize {
        self.steps.partition_point(|step| step.0 <= time).saturating_sub(1)
    }

    /// Makes a step begin at `time` if none does, and returns its index.
    fn split(&mut self, time: Time) -> usize {
        let at = self.steps.partition_point(|step| step.0 < time);
        if self.steps.get(at).is_none_or(|step| step.0 != time) {
            let free = self.steps[at.saturating_sub(1)].1;
            self.steps.insert(at, (time, free));
        }
        at
    }

    /// Removes the step at index `at` if it has the same count as the one before it.
    fn join(&mut self, at: usize) {
        if at > 0 && at < self.steps.len() && self.steps[at - 1].1 == self.steps[at].1 {
            self.steps.remove(at);
        }
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

    #[test]
    fn every_answer_equals_that_of_a_count_per_second() {
        let at = |second: usize| Time::from_seconds(second as i64);
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut random = move |below: usize| rng.random_range(0..below);
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
                assert!(profile.steps.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1), "{profile:?}");
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
            }
        }
    }
}
