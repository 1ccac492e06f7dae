//! The queue of waiting jobs, with an index to find the first job that may start.

use meshreplay_base::job::{JobId, NodesFor, Time};

/// The position of a waiting job in the queue. Slots ascend in the order of arrival. They are valid until the
/// next [`WaitQueue::push`], or as long as the generation of the queue is the same.
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
    /// Requested processors.
    pub procs: u32,
    /// Nodes that it will take. Schedulers count with this number.
    pub nodes: NodesFor,
    /// Its estimated run time.
    pub estimate: Time,
}

/// Slots per leaf of the index.
const BLOCK: usize = 16;
/// Slots of a queue without an index. Comparing that many numbers costs less than maintaining bounds.
const SHORT: usize = 128;
/// The width of an empty slot.
const NO_JOB: u32 = u32::MAX;

/// The waiting jobs in the order of arrival.
///
/// A search of a short queue compares the widths of all jobs, which are contiguous in memory. A longer queue
/// has an index of minima over blocks of 16 slots. These are lower bounds: a search descends only where a job
/// with these minima would be admitted.
///
/// [`push`](Self::push) and [`remove`](Self::remove) are O(log Q) with Q waiting jobs, amortised. A search is
/// O(log Q) too, unless the bounds mislead it. In the worst case it is O(Q).
#[derive(Clone, Debug, Default)]
pub struct WaitQueue {
    /// By slot, with undefined `slot` fields. A job that has left leaves an empty entry until the next
    /// compaction.
    places: Vec<Option<Waiting>>,
    /// By slot: the fewest nodes of the job, or [`NO_JOB`].
    widths: Vec<u32>,
    /// The smallest of these widths, while the queue is short and not empty.
    narrowest: u32,
    /// The index, without blocks while the queue is short.
    index: Index,
    /// The slot of the head, the oldest waiting job, or 0 if the queue is empty.
    first: usize,
    /// Number of waiting jobs.
    waiting: usize,
    /// Number of times that slots were reassigned.
    generation: u64,
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

    /// Returns the oldest waiting job, or `None` if the queue is empty.
    pub fn head(&self) -> Option<Waiting> {
        self.get(self.first)
    }

    /// Returns the waiting job at `slot`, or `None` if there is none.
    pub fn get(&self, slot: Slot) -> Option<Waiting> {
        self.places.get(slot)?.map(|job| Waiting { slot, ..job })
    }

    /// Returns the waiting jobs in order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Waiting> + '_ {
        (self.first..self.places.len()).filter_map(|slot| self.get(slot))
    }

    /// Returns the waiting jobs from a slot on, in order of arrival.
    pub(super) fn iter_from(&self, from: Slot) -> impl Iterator<Item = Waiting> + '_ {
        (from.max(self.first)..self.places.len()).filter_map(|slot| self.get(slot))
    }

    /// Returns the slot after the last one.
    pub(super) fn end(&self) -> Slot {
        self.places.len()
    }

    /// Returns a number that changes whenever slots become invalid. While it is the same, no slot is reused,
    /// and arriving jobs have higher slots than all others.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// Creates the queue of `jobs` in their order, with ascending slots from 0 on. O(Q).
    pub(super) fn from_jobs(jobs: impl Iterator<Item = Waiting>) -> Self {
        let places: Vec<_> = jobs.map(Some).collect();
        let mut queue = Self { waiting: places.len(), places, ..Self::default() };
        queue.compact();
        queue
    }

    /// Returns the waiting job with this submission and number, or `None` if it does not wait. O(log Q + E)
    /// with E empty slots next to it.
    pub fn find(&self, submit: Time, job: JobId) -> Option<Waiting> {
        // Jobs are sorted by submission and number. Binary search for the first one that is not before the
        // wanted one.
        let (mut low, mut high) = (self.first, self.places.len());
        while low < high {
            let middle = low.midpoint(high);
            // Skip empty slots: the next job decides.
            let next = (middle..high).find_map(|slot| self.get(slot));
            match next {
                Some(next) if (next.submit, next.job) < (submit, job) => low = next.slot + 1,
                _ => high = middle,
            }
        }
        let next = (low..self.places.len()).find_map(|slot| self.get(slot));
        next.filter(|next| (next.submit, next.job) == (submit, job))
    }

    /// Adds a job at the end of the queue, which assigns its slot and ignores the `slot` of the argument. All
    /// older slots become invalid.
    #[inline]
    pub fn push(&mut self, job: Waiting) {
        if self.places.len() == self.slots() {
            self.compact();
        }
        let slot = self.places.len();
        let Waiting { nodes, estimate, .. } = job;
        self.places.push(Some(job));
        self.widths.push(nodes.least);
        if self.is_short() {
            self.narrowest = if self.is_empty() { nodes.least } else { self.narrowest.min(nodes.least) };
        } else {
            self.index.add(slot / BLOCK, nodes.least, estimate);
        }
        self.waiting += 1;
    }

    /// Computes the smallest width of all jobs.
    fn find_narrowest(&mut self) {
        let widths = &self.widths[self.first..];
        self.narrowest = widths.iter().fold(NO_JOB, |least, &width| least.min(width));
    }

    /// Returns whether the queue has no index.
    fn is_short(&self) -> bool {
        self.index.blocks() == 0
    }

    /// Returns the number of slots before the next compaction.
    fn slots(&self) -> usize {
        if self.is_short() { SHORT } else { self.index.blocks() * BLOCK }
    }

    /// Inserts a job in the order of submissions, and of job numbers for equal submissions. The queue assigns
    /// its slot and ignores the `slot` of the argument. All older slots become invalid. O(Q).
    pub fn insert(&mut self, job: Waiting) {
        self.places.retain(Option::is_some);
        let before = |place: &Option<Waiting>| {
            place.is_some_and(|place| (place.submit, place.job) < (job.submit, job.job))
        };
        let at = self.places.partition_point(before);
        self.places.insert(at, Some(job));
        self.waiting += 1;
        self.compact();
    }

    /// Removes the job at `slot` and returns it, or `None` if there is none.
    pub fn remove(&mut self, slot: Slot) -> Option<JobId> {
        let Waiting { job, nodes, estimate, .. } = self.places.get_mut(slot)?.take()?;
        self.waiting -= 1;
        if self.waiting == 0 {
            self.places.clear();
            self.widths.clear();
            self.index = Index::default();
            self.first = 0;
            self.generation += 1;
            return Some(job);
        }
        self.widths[slot] = NO_JOB;
        while self.places.get(self.first).is_some_and(Option::is_none) {
            self.first += 1;
        }
        if !self.is_short() {
            let block = slot / BLOCK;
            self.index.remove(block, nodes.least, estimate, jobs_of(&self.places, block));
        } else if nodes.least == self.narrowest {
            self.find_narrowest();
        }
        Some(job)
    }

    /// Returns the slot of the first waiting job at or after slot `from` that `admission` admits, or `None`
    /// if there is none.
    pub fn first(&self, from: Slot, admission: &Admission) -> Option<Slot> {
        let from = from.max(self.first);
        if self.is_short() {
            // Often every job is too wide.
            let may_fit = self.narrowest <= admission.free;
            return if may_fit { self.first_among(from, self.places.len(), admission) } else { None };
        }
        let block = from / BLOCK;
        if block >= self.index.blocks() {
            return None;
        }
        // Often no job at all is admitted, which the root shows.
        if !self.index.may_hold(1, admission) {
            return None;
        }
        // Start inside the block of `from`, which is finer than the tree.
        let mut node = self.index.blocks() + block;
        if self.index.may_hold(node, admission)
            && let Some(slot) = self.first_in_block(from, admission)
        {
            return Some(slot);
        }
        // Then climb towards the root. The right sibling of a left child covers the next blocks in the order
        // of the queue. Descend there, and climb on if no job is admitted.
        loop {
            // Right children have odd numbers. The blocks after a right child are the blocks after its
            // parent.
            while node & 1 == 1 {
                node /= 2;
                if node <= 1 {
                    return None;
                }
            }
            if node <= 1 {
                return None;
            }
            // From a left child, which is even, to its right sibling.
            node += 1;
            if let Some(slot) = self.descend(node, admission) {
                return Some(slot);
            }
        }
    }

    /// Returns the slot of the first admitted job below entry `node` of the index, or `None` if there is
    /// none.
    fn descend(&self, node: usize, admission: &Admission) -> Option<Slot> {
        if !self.index.may_hold(node, admission) {
            return None;
        }
        // Entries from `blocks()` on are leaves.
        match node.checked_sub(self.index.blocks()) {
            Some(block) => self.first_in_block(block * BLOCK, admission),
            None => self.descend(2 * node, admission).or_else(|| self.descend(2 * node + 1, admission)),
        }
    }

    /// Returns the slot of the first admitted job from slot `from` to the end of its block, or `None` if
    /// there is none.
    fn first_in_block(&self, from: Slot, admission: &Admission) -> Option<Slot> {
        self.first_among(from, ((from / BLOCK + 1) * BLOCK).min(self.places.len()), admission)
    }

    /// Returns the first slot with an admitted job from `from` up to but excluding `end`, or `None` if there
    /// is none.
    fn first_among(&self, from: Slot, end: Slot, admission: &Admission) -> Option<Slot> {
        let is_admitted =
            |slot: Slot| self.places[slot].is_some_and(|place| admission.admits(place.nodes, place.estimate));
        let mut before = from;
        for widths in self.widths.get(from..end)?.chunks(BLOCK) {
            // Most jobs are too wide, and comparing a block at once takes few instructions.
            if widths.iter().fold(NO_JOB, |least, &width| least.min(width)) <= admission.free {
                let fits = |at: &usize| widths[*at] <= admission.free && is_admitted(before + *at);
                if let Some(at) = (0..widths.len()).find(fits) {
                    return Some(before + at);
                }
            }
            before += widths.len();
        }
        None
    }

    /// Removes the empty slots. If the queue is not short, builds an index with room for at least as many
    /// further jobs: O(Q), amortised O(1) per push.
    fn compact(&mut self) {
        self.places.retain(Option::is_some);
        self.first = 0;
        self.generation += 1;
        self.widths.clear();
        self.widths.extend(self.places.iter().flatten().map(|place| place.nodes.least));
        if self.places.len() <= SHORT / 2 {
            self.index = Index::default();
            self.find_narrowest();
            return;
        }
        let blocks = (2 * self.places.len() / BLOCK + 1).next_power_of_two();
        self.index = Index::new(blocks);
        for block in 0..self.places.len().div_ceil(BLOCK) {
            self.index.set_leaf(block, jobs_of(&self.places, block));
        }
        self.index.join_all();
    }
}

/// Returns the fewest nodes and the estimate of each job in a block.
fn jobs_of(places: &[Option<Waiting>], block: usize) -> impl Iterator<Item = (u32, Time)> + '_ {
    let end = ((block + 1) * BLOCK).min(places.len());
    places[(block * BLOCK).min(end)..end].iter().flatten().map(|place| (place.nodes.least, place.estimate))
}

// Bounds of the waiting jobs below each entry of a binary tree. The queue uses them to find the
// first job that may start.

/// The condition for starting a waiting job now. The job must take at most `free` nodes, have an estimate of
/// at most `longest`, and be short (an estimate of at most `slack`) or narrow (at most `extra` nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Free nodes.
    pub free: u32,
    /// Extra nodes: nodes that the reserved job does not need at its shadow time.
    pub extra: u32,
    /// The time from now to the shadow time of the reservation.
    pub slack: Time,
    /// The time from now to the next planned outage.
    pub longest: Time,
}

impl Admission {
    /// Admits every job.
    pub const ANY: Self = Self { free: u32::MAX, extra: u32::MAX, slack: Time::MAX, longest: Time::MAX };

    /// Admits every job of at most `free` nodes.
    pub fn by_count(free: u32) -> Self {
        Self { free, extra: free, ..Self::ANY }
    }

    /// Returns whether the condition admits a job of `nodes` nodes with this estimate.
    pub fn admits(&self, nodes: NodesFor, estimate: Time) -> bool {
        nodes.least <= self.free
            && estimate <= self.longest
            && (nodes.most <= self.extra || estimate <= self.slack)
    }
}

/// The fewest nodes of an entry without jobs. No minimum is larger.
const NONE: u32 = u32::MAX;

/// The fewest nodes and the shortest estimate of some jobs, usually of two different ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Minima {
    narrowest: u32,
    shortest: Time,
}

impl Minima {
    /// The minima of no jobs.
    const NONE: Self = Self { narrowest: NONE, shortest: Time::MAX };

    /// Returns the minima of these jobs and those of `other`.
    fn and(self, other: Self) -> Self {
        Self { narrowest: self.narrowest.min(other.narrowest), shortest: self.shortest.min(other.shortest) }
    }
}

/// A segment tree of minima over blocks of the queue: each entry has the fewest nodes and the shortest
/// estimate of all jobs below it.
///
/// The tree is an array like a binary heap: the root is entry 1, and the children of entry i are the entries
/// 2i and 2i + 1. The leaf of block b is entry `blocks() + b`. There are no entries until the first block
/// exists.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    entries: Vec<Minima>,
}

impl Index {
    /// Creates an index of `blocks` empty blocks, a power of two.
    pub(super) fn new(blocks: usize) -> Self {
        Self { entries: vec![Minima::NONE; 2 * blocks] }
    }

    /// Returns the number of leaves, a power of two, or 0 if the tree is empty.
    pub(super) fn blocks(&self) -> usize {
        self.entries.len() / 2
    }

    /// Adds a job to a block. O(log Q).
    pub(super) fn add(&mut self, block: usize, least: u32, estimate: Time) {
        let job = Minima { narrowest: least, shortest: estimate };
        let mut entry = self.blocks() + block;
        // A new job only lowers minima, so it is enough to update the path from its leaf to the root.
        while entry > 0 {
            self.entries[entry] = self.entries[entry].and(job);
            entry /= 2;
        }
    }

    /// Sets the leaf of a block. [`Self::join`] updates the entries above.
    fn set_leaf(&mut self, block: usize, jobs: impl Iterator<Item = (u32, Time)>) {
        let minima = jobs.map(|(narrowest, shortest)| Minima { narrowest, shortest });
        let leaf = self.blocks() + block;
        self.entries[leaf] = minima.fold(Minima::NONE, Minima::and);
    }

    /// Sets the jobs of a block after the removal of a job with these nodes and this estimate. O(log Q).
    pub(super) fn remove(
        &mut self,
        block: usize,
        least: u32,
        estimate: Time,
        jobs: impl Iterator<Item = (u32, Time)>,
    ) {
        // Minima can rise only where they belonged to the removed job.
        let has_minimum = |minima: Minima| minima.narrowest == least || minima.shortest == estimate;
        let mut entry = self.blocks() + block;
        if !has_minimum(self.entries[entry]) {
            return;
        }
        self.set_leaf(block, jobs);
        while entry > 1 {
            entry /= 2;
            if !has_minimum(self.entries[entry]) {
                return;
            }
            self.join(entry);
        }
    }

    /// Computes all entries above the leaves. O(entries).
    fn join_all(&mut self) {
        (1..self.blocks()).rev().for_each(|entry| self.join(entry));
    }

    /// Computes an entry from its two children.
    fn join(&mut self, entry: usize) {
        self.entries[entry] = self.entries[2 * entry].and(self.entries[2 * entry + 1]);
    }

    /// Returns whether a job below an entry may be admitted. `true` can be wrong, because the minima usually
    /// belong to two jobs, and because a job may take more than its fewest nodes. `false` is always right.
    pub(super) fn may_hold(&self, entry: usize, admission: &Admission) -> bool {
        // Test a job with both minima, which may not exist. Every real job below this entry is at least as
        // wide and as long.
        let Minima { narrowest, shortest } = self.entries[entry];
        admission.admits(NodesFor::exactly(narrowest), shortest)
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
        let mut is_seen = [false; 2];
        for step in 0..24_000_u32 {
            is_seen[usize::from(queue.is_short())] = true;
            // The queue becomes long enough for an index of several levels, and short again.
            let grow = if step / 6000 % 2 == 0 { 9 } else { 1 };
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
                longest: Time::from_seconds(random(60) as i64),
            };
            let after = random(plain.len() as u64 + 1) as usize;
            let from = queue.iter().nth(after).map_or(queue.places.len(), |waiting| waiting.slot);
            let found =
                queue.first(from, &admission).and_then(|slot| queue.get(slot)).map(|waiting| waiting.job);
            let expected = plain[after..].iter().find(|job| admission.admits(job.1, job.2)).map(|job| job.0);
            assert_eq!(found, expected, "step {step}");
            assert_eq!(queue.len(), plain.len());
        }
        assert_eq!(is_seen, [true; 2]);
    }
}
