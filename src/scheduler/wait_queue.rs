//! The queue of waiting jobs, with an index that finds the first job that a scheduler may start.

use crate::job::{JobId, NodesFor, Time};

/// The position of a waiting job in the queue. Slots ascend in the order of arrival. They are valid until the next
/// [`WaitQueue::push`].
pub type Slot = usize;

/// A waiting job as schedulers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its position in the queue.
    pub slot: Slot,
    /// The job.
    pub job: JobId,
    /// The time of its arrival.
    pub submit: Time,
    /// The number of processors that it asks for.
    pub procs: u32,
    /// The number of nodes that it will take. Schedulers count with this number.
    pub nodes: NodesFor,
    /// Its estimated run time.
    pub estimate: Time,
}

/// The condition under which a scheduler may start a waiting job now. The job must take at most `free` nodes. It must
/// also be short (its estimate is at most `slack`) or narrow (it takes at most `extra` nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The number of free nodes.
    pub free: u32,
    /// The number of extra nodes: nodes that the reserved job does not need at its shadow time.
    pub extra: u32,
    /// The time from now until the shadow time of the reservation.
    pub slack: Time,
}

impl Admission {
    /// The condition that admits every job.
    pub const ANY: Self = Self { free: u32::MAX, extra: u32::MAX, slack: Time::MAX };

    /// Returns the condition that admits every job of at most `free` nodes.
    pub fn by_count(free: u32) -> Self {
        Self { free, extra: free, slack: Time::MAX }
    }

    /// Returns whether the condition admits a job that takes `nodes` nodes and is estimated to run for `estimate`.
    pub fn admits(&self, nodes: NodesFor, estimate: Time) -> bool {
        nodes.least <= self.free && (nodes.most <= self.extra || estimate <= self.slack)
    }
}

/// The number of slots that one leaf of the index covers.
const BLOCK: usize = 16;
/// The index entry of a block without jobs. It is the largest pair, so it does not change a minimum.
const NO_JOBS: (u32, Time) = (u32::MAX, Time::MAX);

/// A job as the queue keeps it.
#[derive(Clone, Copy, Debug)]
struct Queued {
    job: JobId,
    procs: u32,
    nodes: NodesFor,
    estimate: Time,
    submit: Time,
}

/// The waiting jobs in the order of arrival.
///
/// The index is a binary tree of minima over blocks of 16 slots, as in a segment tree. Each tree node holds the fewest
/// nodes and the shortest estimate of all jobs below it. These are lower bounds: a search descends only where a job
/// with both minima would be admitted.
///
/// [`push`](Self::push) and [`remove`](Self::remove) are O(log Q) with Q waiting jobs, amortised. A search is O(log Q)
/// too, unless the bounds mislead it: the fewest nodes and the shortest estimate of a tree node can belong to different
/// jobs. In the worst case it is O(Q).
#[derive(Clone, Debug, Default)]
pub struct WaitQueue {
    /// One entry per slot. A job that has left the queue leaves an empty entry until the next compaction.
    places: Vec<Option<Queued>>,
    /// The tree in one array, as in a binary heap: the root is entry 1, and the children of entry i are the entries 2i
    /// and 2i + 1. The leaf of block b is entry `blocks() + b`. Empty until the first job arrives.
    tree: Vec<(u32, Time)>,
    /// The slot of the head, the oldest waiting job; 0 if no job waits.
    first: usize,
    /// The number of waiting jobs.
    waiting: usize,
}

impl WaitQueue {
    /// Returns the number of waiting jobs.
    pub fn len(&self) -> usize {
        self.waiting
    }

    /// Returns whether no job waits.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Returns the oldest waiting job; `None` if no job waits.
    pub fn head(&self) -> Option<Waiting> {
        self.get(self.first)
    }

    /// Returns the waiting job at `slot`; `None` if there is none.
    pub fn get(&self, slot: Slot) -> Option<Waiting> {
        let Queued { job, procs, nodes, estimate, submit } = (*self.places.get(slot)?)?;
        Some(Waiting { slot, job, submit, procs, nodes, estimate })
    }

    /// Returns the waiting jobs in order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Waiting> + '_ {
        (self.first..self.places.len()).filter_map(|slot| self.get(slot))
    }

    /// Returns the waiting job with this submission and number; `None` if it does not wait. O(log Q + E) with E places
    /// beside it that are empty.
    pub fn find(&self, submit: Time, job: JobId) -> Option<Waiting> {
        // Jobs stand in the order of these two. Binary search for the first one that is not before the wanted one.
        let (mut low, mut high) = (self.first, self.places.len());
        while low < high {
            let middle = low.midpoint(high);
            // Places of jobs that have left say nothing, so the next job after them decides.
            let next = (middle..high).find_map(|slot| self.get(slot));
            match next {
                Some(next) if (next.submit, next.job) < (submit, job) => low = next.slot + 1,
                _ => high = middle,
            }
        }
        let next = (low..self.places.len()).find_map(|slot| self.get(slot));
        next.filter(|next| (next.submit, next.job) == (submit, job))
    }

    /// Adds a job at the end of the queue. The queue gives it a slot; the `slot` of the argument is ignored. All older
    /// slots become invalid.
    pub fn push(&mut self, Waiting { job, submit, procs, nodes, estimate, .. }: Waiting) {
        if self.places.len() == self.blocks() * BLOCK {
            self.compact();
        }
        let slot = self.places.len();
        self.places.push(Some(Queued { job, procs, nodes, estimate, submit }));
        self.waiting += 1;
        let mut node = self.blocks() + slot / BLOCK;
        // A new job can only lower minima, so it is enough to update the path from its leaf to the root.
        while node > 0 {
            let (narrowest, shortest) = self.tree[node];
            self.tree[node] = (narrowest.min(nodes.least), shortest.min(estimate));
            node /= 2;
        }
    }

    /// Adds a job at its place in the order of submissions, among jobs with the same submission in the order of the
    /// jobs. The queue gives it a slot; the `slot` of the argument is ignored. All older slots become invalid. O(Q).
    pub fn insert(&mut self, Waiting { job, submit, procs, nodes, estimate, .. }: Waiting) {
        self.places.retain(Option::is_some);
        let before =
            |place: &Option<Queued>| place.is_some_and(|place| (place.submit, place.job) < (submit, job));
        let at = self.places.partition_point(before);
        self.places.insert(at, Some(Queued { job, procs, nodes, estimate, submit }));
        self.waiting += 1;
        self.compact();
    }

    /// Removes the job at `slot` and returns it; `None` if there is none.
    pub fn remove(&mut self, slot: Slot) -> Option<JobId> {
        let Queued { job, .. } = self.places.get_mut(slot)?.take()?;
        self.waiting -= 1;
        if self.waiting == 0 {
            self.places.clear();
            self.tree.fill(NO_JOBS);
            self.first = 0;
            return Some(job);
        }
        while self.places.get(self.first).is_some_and(Option::is_none) {
            self.first += 1;
        }
        // Minima can rise when a job leaves. The leaf is computed again from its block, and then every entry above it
        // from its two children.
        let block = slot / BLOCK;
        let mut node = self.blocks() + block;
        self.tree[node] = self.summary(block);
        while node > 1 {
            node /= 2;
            let (left, right) = (self.tree[2 * node], self.tree[2 * node + 1]);
            self.tree[node] = (left.0.min(right.0), left.1.min(right.1));
        }
        Some(job)
    }

    /// Returns the slot of the first waiting job at or after slot `from` that `admission` admits; `None` if there is
    /// none.
    pub fn first(&self, from: Slot, admission: &Admission) -> Option<Slot> {
        let from = from.max(self.first);
        let block = from / BLOCK;
        if block >= self.blocks() {
            return None;
        }
        // The search begins inside the block of `from`, which the tree does not resolve.
        if let Some(slot) = self.first_in_block(from, admission) {
            return Some(slot);
        }
        // Then the search climbs towards the root. The right sibling of a left child covers the next blocks in the
        // order of the queue. The search descends there and climbs on if it finds no admitted job.
        let mut node = self.blocks() + block;
        loop {
            // Right children have odd numbers. The blocks after a right child are the blocks after its parent.
            while node & 1 == 1 {
                node /= 2;
                if node <= 1 {
                    return None;
                }
            }
            if node <= 1 {
                return None;
            }
            // An even number: from a left child to its right sibling.
            node += 1;
            if let Some(slot) = self.descend(node, admission) {
                return Some(slot);
            }
        }
    }

    /// Returns the slot of the first admitted job below entry `node` of the tree; `None` if there is none.
    fn descend(&self, node: usize, admission: &Admission) -> Option<Slot> {
        if !self.may_hold(node, admission) {
            return None;
        }
        // Entries from `blocks()` on are leaves.
        match node.checked_sub(self.blocks()) {
            Some(block) => self.first_in_block(block * BLOCK, admission),
            None => self.descend(2 * node, admission).or_else(|| self.descend(2 * node + 1, admission)),
        }
    }

    /// Returns whether a job below entry `node` of the tree may be admitted. `true` can be wrong: the fewest nodes and
    /// the shortest estimate may belong to two jobs, neither of which is admitted. `false` is always right.
    fn may_hold(&self, node: usize, admission: &Admission) -> bool {
        let (narrowest, shortest) = self.tree[node];
        // This tests a job that may not exist, with the minimum of both values. Every real job below is at least as
        // wide and as long.
        admission.admits(NodesFor::exactly(narrowest), shortest)
    }

    /// Returns the slot of the first admitted job from slot `from` to the end of its block; `None` if there is none.
    fn first_in_block(&self, from: Slot, admission: &Admission) -> Option<Slot> {
        let end = ((from / BLOCK + 1) * BLOCK).min(self.places.len());
        let places = self.places.get(from..end)?;
        let admitted =
            |place: &Option<Queued>| place.is_some_and(|place| admission.admits(place.nodes, place.estimate));
        places.iter().position(admitted).map(|at| from + at)
    }

    /// Returns the number of leaves of the tree, a power of two; 0 if the tree is empty.
    fn blocks(&self) -> usize {
        self.tree.len() / 2
    }

    /// Returns the fewest nodes and the shortest estimate of the jobs in a block.
    fn summary(&self, block: usize) -> (u32, Time) {
        let end = ((block + 1) * BLOCK).min(self.places.len());
        let jobs = self.places[(block * BLOCK).min(end)..end].iter().flatten();
        jobs.fold(NO_JOBS, |(narrowest, shortest), place| {
            (narrowest.min(place.nodes.least), shortest.min(place.estimate))
        })
    }

    /// Removes the empty slots and builds a tree with room for at least as many further jobs: O(Q), and amortised O(1)
    /// per push.
    fn compact(&mut self) {
        self.places.retain(Option::is_some);
        self.first = 0;
        let blocks = (2 * self.places.len() / BLOCK + 1).next_power_of_two();
        self.tree = vec![NO_JOBS; 2 * blocks];
        for block in 0..blocks {
            self.tree[blocks + block] = self.summary(block);
        }
        for node in (1..blocks).rev() {
            let (left, right) = (self.tree[2 * node], self.tree[2 * node + 1]);
            self.tree[node] = (left.0.min(right.0), left.1.min(right.1));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn a_job_that_returns_has_its_old_place() {
        let mut queue = WaitQueue::default();
        let job = |job: JobId| {
            let submit = Time::from_seconds(i64::from(job / 2));
            let (nodes, estimate) = (NodesFor::exactly(job + 1), Time::from_seconds(1));
            Waiting { slot: 0, job, submit, procs: job + 1, nodes, estimate }
        };
        (0..40).filter(|number| number % 3 > 0).for_each(|number| queue.push(job(number)));
        queue.remove(0);
        for returned in [21, 0, 39, 1] {
            queue.insert(job(returned));
        }
        let order: Vec<JobId> = queue.iter().map(|waiting| waiting.job).collect();
        let expected = (0..40).filter(|number| number % 3 > 0 || [0, 21, 39].contains(number));
        assert_eq!(order, expected.collect::<Vec<_>>());
        assert_eq!((queue.len(), queue.head().map(|head| head.job)), (order.len(), Some(0)));
        let narrow = queue.first(3, &Admission::by_count(22));
        assert_eq!(narrow.and_then(|slot| queue.get(slot)).map(|found| found.job), Some(4));
    }

    #[test]
    fn every_search_equals_a_plain_scan() {
        let mut queue = WaitQueue::default();
        let mut plain: Vec<(JobId, NodesFor, Time)> = Vec::new();
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut random = move |below: u64| rng.random_range(0..below);
        for step in 0..20_000_u32 {
            let grow = if step / 4000 % 2 == 0 { 6 } else { 3 };
            if random(10) < grow || plain.is_empty() {
                let least = random(100) as u32 + 1;
                let nodes = NodesFor { least, most: least + random(3) as u32 };
                let estimate = Time::from_seconds(random(1000) as i64);
                let submit = Time::from_seconds(i64::from(step));
                queue.push(Waiting { slot: 0, job: step, submit, procs: least, nodes, estimate });
                plain.push((step, nodes, estimate));
            } else {
                let at = random(plain.len() as u64) as usize;
                let slot = queue.iter().nth(at).map(|waiting| waiting.slot);
                assert_eq!(slot.and_then(|slot| queue.remove(slot)), Some(plain.remove(at).0));
            }
            assert_eq!(queue.head().map(|head| head.job), plain.first().map(|job| job.0));
            let wanted = random(u64::from(step) + 2) as JobId;
            let found = queue.find(Time::from_seconds(i64::from(wanted)), wanted).map(|waiting| waiting.job);
            assert_eq!(found, plain.iter().map(|job| job.0).find(|&job| job == wanted));
            let submits = |job: Waiting| job.submit == Time::from_seconds(i64::from(job.job));
            assert!(queue.head().is_none_or(submits));
            let admission = Admission {
                free: random(60) as u32,
                extra: random(5) as u32,
                slack: Time::from_seconds(random(40) as i64),
            };
            let after = random(plain.len() as u64 + 1) as usize;
            let from = queue.iter().nth(after).map_or(queue.places.len(), |waiting| waiting.slot);
            let found =
                queue.first(from, &admission).and_then(|slot| queue.get(slot)).map(|waiting| waiting.job);
            let expected = plain[after..].iter().find(|job| admission.admits(job.1, job.2)).map(|job| job.0);
            assert_eq!(found, expected, "step {step}");
            assert_eq!(queue.len(), plain.len());
        }
    }
}
