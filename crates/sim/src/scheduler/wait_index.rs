//! Bounds of the waiting jobs below each entry of a binary tree, with which [`super::wait_queue`] finds the
//! first job that a scheduler may start.

use super::admission::Admission;
use meshreplay_base::job::{NodesFor, Time};

/// The number of jobs from which on widths are told apart. A search of a shorter queue costs less than the
/// classes.
const MANY: usize = 1024;
/// The largest number of classes of widths.
const CLASSES: usize = 32;
/// The fewest nodes where there are no jobs. No minimum is larger.
const NONE: u32 = u32::MAX;

/// A binary tree of minima over blocks of the queue, as in a segment tree. Each entry holds the fewest nodes
/// of all jobs below it, and the shortest estimate of those that are not wider than a class of widths, for
/// each class.
///
/// The classes have about equally many jobs each, and one width each where there are few widths. With one
/// class for all widths, the fewest nodes and the shortest estimate of an entry mostly belong to two jobs,
/// and a search in a long queue would look below nearly every entry for a job that has both.
///
/// The tree is an array as of a binary heap: the root is entry 1, and the children of entry i are the entries
/// 2i and 2i + 1. The leaf of block b is entry `blocks() + b`. There are no entries until the first block
/// exists.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// The widest jobs of each class, in ascending order. The last class has no limit.
    classes: Vec<u32>,
    /// The fewest nodes below each entry.
    narrowest: Vec<u32>,
    /// The shortest estimate below each entry, of the jobs of each class and the narrower ones: one row for
    /// each entry.
    shortest: Vec<Time>,
}

/// A condition, with the class in which jobs of as many nodes as are free are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) admission: &'a Admission,
    class: usize,
}

impl Index {
    /// Returns an index of `blocks` empty blocks, a power of two, with classes for jobs that take these
    /// numbers of nodes. O(Q log Q) for Q jobs.
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

    /// Returns the number of leaves, a power of two; 0 if the tree is empty.
    pub(super) fn blocks(&self) -> usize {
        self.narrowest.len() / 2
    }

    /// Adds a job to a block. O(log Q).
    pub(super) fn add(&mut self, block: usize, least: u32, estimate: Time) {
        let class = self.class(least);
        let mut entry = self.blocks() + block;
        // A new job can only lower minima, so it is enough to update the path from its leaf to the root.
        while entry > 0 {
            self.lower(entry, class, least, estimate);
            entry /= 2;
        }
    }

    /// Sets the jobs of a block, and only of its leaf; [`Self::join`] does the rest.
    pub(super) fn set_leaf(&mut self, block: usize, jobs: impl Iterator<Item = (u32, Time)>) {
        let leaf = self.blocks() + block;
        self.narrowest[leaf] = NONE;
        let count = self.classes.len();
        self.shortest[leaf * count..][..count].fill(Time::MAX);
        for (least, estimate) in jobs {
            self.lower(leaf, self.class(least), least, estimate);
        }
    }

    /// Sets the jobs of a block from which a job with these nodes and this estimate has been removed. O(log
    /// Q).
    pub(super) fn remove(
        &mut self,
        block: usize,
        least: u32,
        estimate: Time,
        jobs: impl Iterator<Item = (u32, Time)>,
    ) {
        let class = self.class(least);
        let mut entry = self.blocks() + block;
        // Minima can rise only where they are those of the job that has been removed.
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

    /// Returns whether a minimum of an entry may be that of a job in `class`.
    fn has_minimum(&self, entry: usize, class: usize, least: u32, estimate: Time) -> bool {
        let count = self.classes.len();
        // The shortest estimate of a wider class is at most that of this class, so that it is looked at here,
        // too.
        self.narrowest[entry] == least || self.shortest[entry * count + class] == estimate
    }

    /// Computes every entry above the leaves. O(entries).
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

    /// Lowers the minima of an entry to those of a job in `class`.
    fn lower(&mut self, entry: usize, class: usize, least: u32, estimate: Time) {
        self.narrowest[entry] = self.narrowest[entry].min(least);
        let count = self.classes.len();
        for shortest in &mut self.shortest[entry * count + class..(entry + 1) * count] {
            *shortest = estimate.min(*shortest);
        }
    }

    /// Returns the class of jobs that take this number of nodes.
    fn class(&self, nodes: u32) -> usize {
        self.classes.partition_point(|&widest| widest < nodes)
    }

    /// Returns the condition as [`Self::may_hold`] takes it.
    pub(super) fn wanted<'a>(&self, admission: &'a Admission) -> Wanted<'a> {
        Wanted { admission, class: self.class(admission.free) }
    }

    /// Returns whether a job below an entry may be admitted. `true` can be wrong, where jobs of the widest
    /// class that may fit do not all fit, and where a job takes more nodes than it must. `false` is always
    /// right.
    pub(super) fn may_hold(&self, entry: usize, Wanted { admission, class }: Wanted<'_>) -> bool {
        // This tests a job that may not exist, with the minimum of both values. Every real job that can fit
        // below this entry is at least as wide and as long.
        let shortest = self.shortest[entry * self.classes.len() + class];
        admission.admits(NodesFor::exactly(self.narrowest[entry]), shortest)
    }
}
