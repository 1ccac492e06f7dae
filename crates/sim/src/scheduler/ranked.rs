//! The waiting jobs in an order that is constant while they wait, kept from pass to pass.

use super::wait_queue::{Admission, Slot, WaitQueue, Waiting};
use meshreplay_base::job::Time;

/// The most recent jobs that are searched one by one, however short the queue is.
const FEW: usize = 64;

/// Returns the value of a job at a time. Jobs with smaller values come first.
pub(super) type Value = fn(&Waiting, Time) -> f64;

/// The waiting jobs in the order of their values, equal values in the order of arrival.
///
/// A [`WaitQueue`] holds the jobs in this order, and its index finds the first one that may start. Recent
/// arrivals are in a short list, which is merged into the queue when it has more than about √Q jobs. So an
/// arrival takes O(√Q·log Q) amortised, and a search O(√Q + log Q), unless its bounds mislead it. Jobs that
/// have left the queue of the replay are removed when a search reaches them.
#[derive(Clone, Debug)]
pub(super) struct OrderedQueue {
    /// The value of a job, independent of the time.
    value: Value,
    /// The jobs in this order. Their slots are unrelated to the queue of the replay.
    ordered: WaitQueue,
    /// By job of `ordered`: its value, and its slot in the queue of the replay.
    keys: Vec<(f64, Slot)>,
    /// The recent jobs in this order, with their values and their slots in the queue of the replay.
    recent: Vec<(f64, Waiting)>,
    /// The generation of the slots of the queue of the replay, or `None` before the first pass.
    generation: Option<u64>,
    /// The first new slot.
    seen: Slot,
}

/// The progress of a pass through the order: slots of the ordered queue, and recent jobs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cursor {
    ordered: Slot,
    recent: usize,
}

impl OrderedQueue {
    /// Creates the order by `value`, which must not depend on the time.
    pub(super) fn by(value: Value) -> Self {
        let (ordered, keys, recent) = (WaitQueue::default(), Vec::new(), Vec::new());
        Self { value, ordered, keys, recent, generation: None, seen: 0 }
    }

    /// Adds the jobs that have arrived since the last call.
    pub(super) fn update(&mut self, queue: &WaitQueue) {
        if self.generation != Some(queue.generation()) {
            // The slots have changed, so start again.
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
        self.ordered = WaitQueue::from_jobs(all.into_iter().map(|(_, job)| job));
    }

    /// Returns the first waiting job from `place` on that `admission` admits, and moves `place` past it.
    /// `None` if there is none. The slot of the job is that in `queue`.
    pub(super) fn next(
        &mut self,
        place: &mut Cursor,
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
        // The other one stays in place for the next search.
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

    /// Returns the first admitted recent job from a position on, with its position.
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

    /// Returns the jobs of a pass: the jobs that `admits` admits, in the order of their values.
    fn plain(queue: &WaitQueue, value: Value, admits: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
        let mut jobs: Vec<Waiting> = queue.iter().filter(admits).collect();
        jobs.sort_by(|a, b| value(a, Time::ZERO).total_cmp(&value(b, Time::ZERO)).then(a.slot.cmp(&b.slot)));
        jobs
    }

    #[test]
    fn every_pass_equals_a_sort() {
        let value: Value = |job, _| job.estimate.as_seconds();
        let (mut queue, mut ranked) = (WaitQueue::default(), OrderedQueue::by(value));
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut random = move |below: u32| rng.random_range(0..below);
        let mut job = 0;
        for pass in 0..4000 {
            // The queue grows to some thousand jobs, shrinks, and is empty at times.
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
            let admission = Admission {
                free: random(100),
                extra: random(10),
                slack,
                longest: if random(2) == 0 { Time::MAX } else { Time::from_seconds(random(50).into()) },
            };
            let expected = plain(&queue, value, |job| admission.admits(job.nodes, job.estimate));
            let (mut place, mut found) = (Cursor::default(), Vec::new());
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
