//! The profile of free nodes: how many nodes will be free at each future time, according to estimates and reservations.

mod steps;

use self::steps::Steps;
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
/// O(P / 64 + 64) with P steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    steps: Steps,
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
        Self { steps: Steps::new(&steps) }
    }

    /// Removes the part of the profile before `now`.
    pub(super) fn advance(&mut self, now: Time) {
        self.steps.drop_before(self.steps.at(now), now);
    }

    /// Returns the first time from `now` on at which `procs` nodes are free for a time of `length`. The nodes count as
    /// free from `until` on, so the result is `until` at the latest.
    pub(super) fn earliest(&self, procs: u32, length: Time, now: Time, until: Time) -> Time {
        // `start` is the beginning of the current run of steps with enough free nodes; `None` within a step with too
        // few.
        let (mut start, procs) = (None::<Time>, i64::from(procs));
        self.steps.walk(self.steps.at(now), |since, least, most| {
            let since = since.max(now);
            if since >= until || start.is_some_and(|start| since >= start + length) {
                return Some(false);
            }
            if most < procs {
                start = None;
            } else if least >= procs {
                start.get_or_insert(since);
            } else {
                return None;
            }
            Some(true)
        });
        start.unwrap_or(until)
    }

    /// Takes `nodes` nodes out of the profile from `start` on for a time of `length`. A negative number gives nodes
    /// back.
    pub(super) fn take(&mut self, start: Time, length: Time, nodes: i64) {
        let end = start + length;
        if nodes == 0 || start >= end {
            return;
        }
        self.steps.split(start);
        self.steps.split(end);
        self.steps.add(self.steps.at(start), self.steps.at(end), -nodes);
        self.steps.join(end);
        self.steps.join(start);
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
        let steps = &self.steps;
        let mut first = steps.at(time.0);
        let mut after = steps.from(time.1);
        if after <= first && steps.step(first).is_some() {
            after = steps.after(first);
        }
        let (earliest, latest) = (time.0 - longest, time.1 + longest);
        let mut next = steps.most(first, after);
        let mut extents = Vec::new();
        while let Some(nodes) = next.filter(|&nodes| nodes >= i64::from(narrowest)) {
            (first, after) = (steps.back(first, nodes, earliest), steps.ahead(after, nodes, latest));
            let Some((from, _)) = steps.step(first) else { break };
            let until = steps.step(after).map_or(Time::MAX, |(since, _)| since);
            extents.push(Extent { nodes, from, until });
            // The number of free nodes in the step on either side, up to which the extent can grow.
            let before = steps.before(first).filter(|_| from > earliest).and_then(|place| steps.step(place));
            let behind = steps.step(after).filter(|&(since, _)| since < latest);
            next = [before, behind].into_iter().flatten().map(|(_, free)| free).max();
        }
        extents
    }
}

#[cfg(test)]
impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        self.steps.all() == other.steps.all()
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
                let steps = profile.steps.all();
                assert!(steps.is_sorted_by(|a, b| a.0 < b.0 && a.1 != b.1), "{profile:?}");
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
