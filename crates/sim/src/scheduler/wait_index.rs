//! Bounds of the waiting jobs below each entry of a binary tree. [`super::wait_queue`] uses them to find the
//! first job that may start.

use meshreplay_base::job::{NodesFor, Time};

/// The condition for starting a waiting job now. The job must take at most `free` nodes, and must be short
/// (an estimate of at most `slack`) or narrow (at most `extra` nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Free nodes.
    pub free: u32,
    /// Extra nodes: nodes that the reserved job does not need at its shadow time.
    pub extra: u32,
    /// The time from now to the shadow time of the reservation.
    pub slack: Time,
}

impl Admission {
    /// Admits every job.
    pub const ANY: Self = Self { free: u32::MAX, extra: u32::MAX, slack: Time::MAX };

    /// Admits every job of at most `free` nodes.
    pub fn by_count(free: u32) -> Self {
        Self { free, extra: free, slack: Time::MAX }
    }

    /// Returns whether the condition admits a job of `nodes` nodes with this estimate.
    pub fn admits(&self, nodes: NodesFor, estimate: Time) -> bool {
        nodes.least <= self.free && (nodes.most <= self.extra || estimate <= self.slack)
    }
}

/// The fewest jobs with several width classes. A search of a shorter queue costs less than the classes.
const MANY: usize = 1024;
/// The most width classes.
const CLASSES: usize = 32;
/// The fewest nodes of an entry without jobs. No minimum is larger.
const NONE: u32 = u32::MAX;

/// A segment tree of minima over blocks of the queue. Each entry holds the fewest nodes of all jobs below it
/// and, for each width class, the shortest estimate of the jobs that are not wider than the class.
///
/// The classes have about equally many jobs, and one width each if there are few widths. With one class for
/// all widths, the fewest nodes and the shortest estimate of an entry would usually belong to two jobs, and a
/// search in a long queue would look below nearly every entry for a job with both.
///
/// The tree is an array like a binary heap: the root is entry 1, and the children of entry i are the entries
/// 2i and 2i + 1. The leaf of block b is entry `blocks() + b`. There are no entries until the first block
/// exists.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The widest jobs of each class, ascending. The last class has no limit.
    classes: Vec<u32>,
    /// By entry: the fewest nodes below it.
    narrowest: Vec<u32>,
    /// By entry and class: the shortest estimate below the entry, of jobs of the class and narrower ones. One
    /// row for each entry.
    shortest: Vec<Time>,
}

/// An admission with the width class of the free nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Query<'a> {
    pub(super) admission: &'a Admission,
    class: usize,
}

impl Index {
    /// Creates an index of `blocks` empty blocks, a power of two, with classes for jobs of these numbers of
    /// nodes. O(Q log Q) for Q jobs.
    pub(super) fn new(blocks: usize, mut widths: Vec<u32>) -> Self {
        let mut classes = vec![NONE];
        if widths.len() >= MANY {
            widths.sort_unstable();
            let count = widths.len();
            let mut distinct = widths.clone();
            distinct.dedup();
            classes = if distinct.len() <= CLASSES {
                distinct
            } else {
                (1..=CLASSES).map(|class| widths[class * count / CLASSES - 1]).collect()
            };
            classes.dedup();
            if let Some(widest) = classes.last_mut() {
                *widest = NONE;
            }
        }
        let shortest = vec![Time::MAX; 2 * blocks * classes.len()];
        Self { narrowest: vec![NONE; 2 * blocks], shortest, classes }
    }

    /// Returns the number of leaves, a power of two, or 0 if the tree is empty.
    pub(super) fn blocks(&self) -> usize {
        self.narrowest.len() / 2
    }

    /// Adds a job to a block. O(log Q).
    pub(super) fn add(&mut self, block: usize, least: u32, estimate: Time) {
        let class = self.class(least);
        let mut entry = self.blocks() + block;
        // A new job only lowers minima, so it is enough to update the path from its leaf to the root.
        while entry > 0 {
            self.lower(entry, class, least, estimate);
            entry /= 2;
        }
    }

    /// Sets the leaf of a block. [`Self::join`] updates the entries above.
    pub(super) fn set_leaf(&mut self, block: usize, jobs: impl Iterator<Item = (u32, Time)>) {
        let leaf = self.blocks() + block;
        self.narrowest[leaf] = NONE;
        let count = self.classes.len();
        self.shortest[leaf * count..][..count].fill(Time::MAX);
        for (least, estimate) in jobs {
            self.lower(leaf, self.class(least), least, estimate);
        }
    }

    /// Sets the jobs of a block after the removal of a job with these nodes and this estimate. O(log Q).
    pub(super) fn remove(
        &mut self,
        block: usize,
        least: u32,
        estimate: Time,
        jobs: impl Iterator<Item = (u32, Time)>,
    ) {
        let class = self.class(least);
        let mut entry = self.blocks() + block;
        // Minima can rise only where they belonged to the removed job.
        if !self.has_minimum(entry, class, least, estimate) {
            return;
        }
        self.set_leaf(block, jobs);
        while entry > 1 {
            entry /= 2;
            if !self.has_minimum(entry, class, least, estimate) {
                return;
            }
            self.join(entry);
        }
    }

    /// Returns whether a minimum of an entry may belong to a job in `class`.
    fn has_minimum(&self, entry: usize, class: usize, least: u32, estimate: Time) -> bool {
        let count = self.classes.len();
        // The shortest estimate of a wider class is at most that of this class, so this comparison covers it.
        self.narrowest[entry] == least || self.shortest[entry * count + class] == estimate
    }

    /// Computes all entries above the leaves. O(entries).
    pub(super) fn join_all(&mut self) {
        (1..self.blocks()).rev().for_each(|entry| self.join(entry));
    }

    /// Computes an entry from its two children.
    fn join(&mut self, entry: usize) {
        let count = self.classes.len();
        self.narrowest[entry] = self.narrowest[2 * entry].min(self.narrowest[2 * entry + 1]);
        let (above, below) = self.shortest.split_at_mut(2 * entry * count);
        let (left, right) = below.split_at(count);
        let row = &mut above[entry * count..][..count];
        for ((all, left), right) in row.iter_mut().zip(left).zip(right) {
            *all = *left.min(right);
        }
    }

    /// Lowers the minima of an entry by a job in `class`.
    fn lower(&mut self, entry: usize, class: usize, least: u32, estimate: Time) {
        self.narrowest[entry] = self.narrowest[entry].min(least);
        let count = self.classes.len();
        for shortest in &mut self.shortest[entry * count + class..(entry + 1) * count] {
            *shortest = estimate.min(*shortest);
        }
    }

    /// Returns the class of jobs of `nodes` nodes.
    fn class(&self, nodes: u32) -> usize {
        self.classes.partition_point(|&widest| widest < nodes)
    }

    /// Returns the query for [`Self::may_hold`].
    pub(super) fn query<'a>(&self, admission: &'a Admission) -> Query<'a> {
        Query { admission, class: self.class(admission.free) }
    }

    /// Returns whether a job below an entry may be admitted. `true` can be wrong, if not all jobs of the
    /// widest relevant class fit, or if a job takes more than its fewest nodes. `false` is always right.
    pub(super) fn may_hold(&self, entry: usize, Query { admission, class }: Query<'_>) -> bool {
        // Test a job with both minima, which may not exist. Every real job below this entry that can fit is
        // at least as wide and as long.
        let shortest = self.shortest[entry * self.classes.len() + class];
        admission.admits(NodesFor::exactly(self.narrowest[entry]), shortest)
    }
}
