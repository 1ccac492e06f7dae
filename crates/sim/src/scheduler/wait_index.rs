//! Bounds of the waiting jobs below each entry of a binary tree. [`super::wait_queue`] uses them to find the
//! first job that may start.

use meshreplay_base::job::{NodesFor, Time};

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
    pub(super) fn set_leaf(&mut self, block: usize, jobs: impl Iterator<Item = (u32, Time)>) {
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
    pub(super) fn join_all(&mut self) {
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
