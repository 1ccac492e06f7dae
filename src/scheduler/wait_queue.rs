//! The waiting jobs, with an index that finds the first one that could start.

use crate::job::{JobId, NodesFor, Time};

/// Where a waiting job stands: ascending in order of arrival, valid until the next [`WaitQueue::push`].
pub type Slot = usize;

/// A waiting job as schedulers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Where it stands in the queue.
    pub slot: Slot,
    /// Which job it is.
    pub job: JobId,
    /// When it arrived.
    pub submit: Time,
    /// Processors that it asks for.
    pub procs: u32,
    /// Nodes that it will take, with which schedulers count.
    pub nodes: NodesFor,
    /// How long it is expected to run.
    pub estimate: Time,
}

/// Which waiting jobs may start now: those that take at most `free` nodes and are also short (estimate at most
/// `slack`) or narrow (at most `extra` nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Free nodes.
    pub free: u32,
    /// Nodes that may stay in use beyond the reservation.
    pub extra: u32,
    /// Time until the reservation.
    pub slack: Time,
}

impl Admission {
    /// Returns all jobs that take at most `free` nodes.
    pub fn by_count(free: u32) -> Self {
        Self { free, extra: free, slack: Time::MAX }
    }

    /// Returns whether a job may start.
    pub fn admits(&self, nodes: NodesFor, estimate: Time) -> bool {
        nodes.least <= self.free && (nodes.most <= self.extra || estimate <= self.slack)
    }
}

/// Jobs below a node of the index: how many it covers at the leaves.
const BLOCK: usize = 16;
/// The index entry of a block without jobs.
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

/// Waiting jobs in order of arrival.
///
/// Blocks of 16 places are the leaves of a binary tree of (fewest nodes, shortest estimate); the first job that
/// may start is found by descending where both minima allow it. Push, remove and a search that is not misled (no block
/// whose narrowest and shortest jobs differ) are O(log Q); the worst search is O(Q).
#[derive(Clone, Debug, Default)]
pub struct WaitQueue {
    /// Places in order of arrival; a job that has left keeps an empty place until the next compaction.
    places: Vec<Option<Queued>>,
    /// The index, root at 1, `tree[blocks + i]` for block i; empty until there are places.
    tree: Vec<(u32, Time)>,
    first: usize,
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

    /// Returns the oldest waiting job.
    pub fn head(&self) -> Option<Waiting> {
        self.get(self.first)
    }

    /// Returns the waiting job at `slot`.
    pub fn get(&self, slot: Slot) -> Option<Waiting> {
        let Queued { job, procs, nodes, estimate, submit } = (*self.places.get(slot)?)?;
        Some(Waiting { slot, job, submit, procs, nodes, estimate })
    }

    /// Returns the waiting jobs in order of arrival.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Waiting> + '_ {
        (self.first..self.places.len()).filter_map(|slot| self.get(slot))
    }

    /// Adds a job that arrives now at the end; its slot is given here, whatever it says.
    pub fn push(&mut self, Waiting { job, submit, procs, nodes, estimate, .. }: Waiting) {
        if self.places.len() == self.blocks() * BLOCK {
            self.compact();
        }
        let slot = self.places.len();
        self.places.push(Some(Queued { job, procs, nodes, estimate, submit }));
        self.waiting += 1;
        let mut node = self.blocks() + slot / BLOCK;
        while node > 0 {
            let (narrowest, shortest) = self.tree[node];
            self.tree[node] = (narrowest.min(nodes.least), shortest.min(estimate));
            node /= 2;
        }
    }

    /// Removes the job at `slot`; its id, or `None` if there is none.
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
        // Minima can grow as a job leaves: its block is read again, and every node above is made anew from its
        // children.
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

    /// Returns the first waiting job at or after `from` that `admission` admits.
    pub fn first(&self, from: Slot, admission: &Admission) -> Option<Slot> {
        let from = from.max(self.first);
        let block = from / BLOCK;
        if block >= self.blocks() {
            return None;
        }
        if let Some(slot) = self.first_in_block(from, admission) {
            return Some(slot);
        }
        // Climb until a right sibling may hold one, then descend to the leftmost such block.
        let mut node = self.blocks() + block;
        loop {
            // Right children have odd numbers; what lies right of one lies right of its parent.
            while node & 1 == 1 {
                node /= 2;
                if node <= 1 {
                    return None;
                }
            }
            if node <= 1 {
                return None;
            }
            node += 1;
            if let Some(slot) = self.descend(node, admission) {
                return Some(slot);
            }
        }
    }

    fn descend(&self, node: usize, admission: &Admission) -> Option<Slot> {
        if !self.may_hold(node, admission) {
            return None;
        }
        match node.checked_sub(self.blocks()) {
            Some(block) => self.first_in_block(block * BLOCK, admission),
            None => self.descend(2 * node, admission).or_else(|| self.descend(2 * node + 1, admission)),
        }
    }

    /// Returns whether a job below `node` of the tree may be admitted. The narrowest and the shortest can be two jobs,
    /// of which neither is admitted: then the search descends in vain.
    fn may_hold(&self, node: usize, admission: &Admission) -> bool {
        let (narrowest, shortest) = self.tree[node];
        admission.admits(NodesFor::exactly(narrowest), shortest)
    }

    /// Searches from `from` to the end of its block.
    fn first_in_block(&self, from: Slot, admission: &Admission) -> Option<Slot> {
        let end = ((from / BLOCK + 1) * BLOCK).min(self.places.len());
        let places = self.places.get(from..end)?;
        let admitted =
            |place: &Option<Queued>| place.is_some_and(|place| admission.admits(place.nodes, place.estimate));
        places.iter().position(admitted).map(|at| from + at)
    }

    fn blocks(&self) -> usize {
        self.tree.len() / 2
    }

    fn summary(&self, block: usize) -> (u32, Time) {
        let end = ((block + 1) * BLOCK).min(self.places.len());
        let jobs = self.places[(block * BLOCK).min(end)..end].iter().flatten();
        jobs.fold(NO_JOBS, |(narrowest, shortest), place| {
            (narrowest.min(place.nodes.least), shortest.min(place.estimate))
        })
    }

    /// Drops empty places and makes room for as many jobs again; amortised O(1) per push.
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
