//! The waiting jobs in an order that does not change while they wait, kept from pass to pass.

use super::admission::Admission;
use super::wait_queue::{Slot, WaitQueue, Waiting};
use meshreplay_base::job::Time;

/// The number of recent jobs that are searched one by one, however short the queue is.
const FEW: usize = 64;

/// A function that gives the value of a job at a time. Jobs with smaller values come first.
pub(super) type Value = fn(&Waiting, Time) -> f64;

/// The waiting jobs in the order of their values, those with equal values in the order of arrival.
///
/// The jobs stand in a [`WaitQueue`] in this order, whose index finds the first one that may start. Jobs that
/// have arrived recently stand in a short list beside it, which is merged into the queue when it has more
/// than about √Q jobs. So an arrival takes O(√Q·log Q) amortised, and a search O(√Q + log Q), unless its
/// bounds mislead it. Jobs that have left the queue of the replay are found when they would be next, and
/// removed.
#[derive(Clone, Debug)]
pub(super) struct Ranked {
    /// The value of a job. It does not depend on the time.
    value: Value,
    /// The jobs in this order. Their slots say nothing about the queue of the replay.
    ordered: WaitQueue,
    /// The value of each job of `ordered` and its slot in the queue of the replay.
    keys: Vec<(f64, Slot)>,
    /// The recent jobs in this order, with their values and their slots in the queue of the replay.
    recent: Vec<(f64, Waiting)>,
    /// The slots of the queue of the replay are those of this generation; `None` before the first pass.
    generation: Option<u64>,
    /// The first slot that has not been looked at.
    seen: Slot,
}

/// The place in the order up to which a pass has considered jobs: slots of the ordered queue and the recent
/// jobs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Place {
    ordered: Slot,
    recent: usize,
}

impl Ranked {
    /// Returns the order by `value`, which must not depend on the time.
    pub(super) fn by(value: Value) -> Self {
        let (ordered, keys, recent) = (WaitQueue::default(), Vec::new(), Vec::new());
        Self { value, ordered, keys, recent, generation: None, seen: 0 }
    }

    /// Takes in the jobs that have arrived since the last call.
    pub(super) fn update(&mut self, queue: &WaitQueue) {
        if self.generation != Some(queue.generation()) {
            // The slots are others, so that everything begins again.
            (self.generation, self.seen) = (Some(queue.generation()), 0);
            self.ordered = WaitQueue::default();
            self.keys.clear();
            self.recent.clear();
        }
        let before = self.recent.len();
        for job in queue.iter_from(self.seen) {
            self.recent.push(((self.value)(&job, Time::ZERO), job));
        }
        self.seen = queue.end();
        if self.recent.len() > before {
            self.recent.sort_by(|(a, job), (b, other)| a.total_cmp(b).then(job.slot.cmp(&other.slot)));
        }
        if self.recent.len() > FEW.max(self.ordered.len().isqrt()) {
            self.merge(queue);
        }
    }

    /// Moves the recent jobs into the ordered queue. O(Q log Q) for the index of a long queue.
    fn merge(&mut self, queue: &WaitQueue) {
        let ordered = std::mem::take(&mut self.ordered);
        let mut old = ordered.iter().map(|job| (self.keys[job.slot], job)).peekable();
        let mut new = std::mem::take(&mut self.recent).into_iter().peekable();
        let mut all = Vec::with_capacity(ordered.len() + new.len());
        loop {
            let is_old = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(&((a, slot), _)), Some((b, job))) => a.total_cmp(b).then(slot.cmp(&job.slot)).is_lt(),
            };
            let next =
                if is_old { old.next() } else { new.next().map(|(value, job)| ((value, job.slot), job)) };
            all.extend(next.filter(|&((_, slot), job)| waits(queue, slot, &job)));
        }
        self.keys = all.iter().map(|&(key, _)| key).collect();
        self.ordered = WaitQueue::of(all.into_iter().map(|(_, job)| job));
    }

    /// Returns the first job from `place` on that waits and that `admission` admits, and moves `place` behind
    /// it; `None` if there is none. The slot of the job is that in `queue`.
    pub(super) fn next(
        &mut self,
        place: &mut Place,
        queue: &WaitQueue,
        admission: &Admission,
    ) -> Option<Waiting> {
        let old = self.next_ordered(place.ordered, queue, admission);
        let new = self.next_recent(place.recent, queue, admission);
        let first_is_old = match (old, new) {
            (None, None) => return None,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some((at, _)), Some((other, job))) => {
                let ((a, slot), b) = (self.keys[at], self.recent[other].0);
                a.total_cmp(&b).then(slot.cmp(&job.slot)).is_lt()
            }
        };
        // The other one stays where it is for the next search.
        if first_is_old {
            let (at, job) = old?;
            place.ordered = at + 1;
            Some(job)
        } else {
            let (at, job) = new?;
            place.recent = at + 1;
            Some(job)
        }
    }

    /// Returns the first admitted job of the ordered queue from a slot on, with its slot there.
    fn next_ordered(
        &mut self,
        from: Slot,
        queue: &WaitQueue,
        admission: &Admission,
    ) -> Option<(Slot, Waiting)> {
        loop {
            let at = self.ordered.first(from, admission)?;
            let (job, slot) = (self.ordered.get(at)?, self.keys[at].1);
            if waits(queue, slot, &job) {
                return Some((at, Waiting { slot, ..job }));
            }
            self.ordered.remove(at);
        }
    }

    /// Returns the first admitted job of the recent ones from a place on, with its place.
    fn next_recent(&self, from: usize, queue: &WaitQueue, admission: &Admission) -> Option<(usize, Waiting)> {
        let rest = self.recent.get(from..)?;
        let is_next =
            |job: &Waiting| admission.admits(job.nodes, job.estimate) && waits(queue, job.slot, job);
        let at = from + rest.iter().position(|(_, job)| is_next(job))?;
        Some((at, self.recent[at].1))
    }
}

/// Returns whether a job still waits at a slot of the queue.
fn waits(queue: &WaitQueue, slot: Slot, job: &Waiting) -> bool {
    queue.get(slot).is_some_and(|waiting| waiting.job == job.job)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use meshreplay_base::job::NodesFor;

    /// Returns the jobs of a pass: those that `admits` admits, in the order of their values.
    fn plain(queue: &WaitQueue, value: Value, admits: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
        let mut jobs: Vec<Waiting> = queue.iter().filter(admits).collect();
        jobs.sort_by(|a, b| value(a, Time::ZERO).total_cmp(&value(b, Time::ZERO)).then(a.slot.cmp(&b.slot)));
        jobs
    }

    #[test]
    fn every_pass_equals_a_sort() {
        let value: Value = |job, _| job.estimate.as_seconds();
        let (mut queue, mut ranked) = (WaitQueue::default(), Ranked::by(value));
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut random = move |below: u32| rng.random_range(0..below);
        let mut job = 0;
        for pass in 0..4000 {
            // The queue grows to some thousand jobs, shrinks, and is empty now and then.
            let (arrive, start) = if pass / 1000 % 2 == 0 { (6, 3) } else { (2, 9) };
            for _ in 0..random(arrive) {
                let (nodes, estimate) =
                    (NodesFor::exactly(random(90) + 1), Time::from_seconds(random(50).into()));
                let submit = Time::from_seconds(pass);
                queue.push(Waiting { slot: 0, job, submit, procs: nodes.least, nodes, estimate });
                job += 1;
            }
            if random(3) == 0 {
                continue; // a pass in which nothing fits does not look at the jobs
            }
            ranked.update(&queue);
            let slack = Time::from_seconds(random(50).into());
            let admission = Admission { free: random(100), extra: random(10), slack };
            let expected = plain(&queue, value, |job| admission.admits(job.nodes, job.estimate));
            let (mut place, mut found) = (Place::default(), Vec::new());
            while let Some(next) = ranked.next(&mut place, &queue, &admission) {
                found.push(next);
                // Some start, and leave the queue; the others are refused.
                if found.len() as u32 <= start && random(2) == 0 {
                    assert_eq!(queue.remove(next.slot), Some(next.job));
                }
            }
            assert_eq!(found, expected, "pass {pass}");
        }
        assert!(job > 4000);
    }
}
