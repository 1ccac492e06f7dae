//! A linear array of processors with its tasks: first fit, and plans that move tasks to make room for another
//! one.
//!
//! O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces queuing delays in
//! partitionable-array machines", 1996. Processors are numbered from 0 at the left. `window`
//! finds the place for the incoming task and the tasks that must move, and `schedule` finds the step of each
//! of their elements.

mod schedule;
mod window;

pub use self::schedule::{Schedule, Suspension, Transfer};
pub use self::window::{CompactionWindow, Shift};

/// A running job on adjacent processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its leftmost processor.
    pub base: u32,
    /// The number of its processors.
    pub length: u32,
}

impl Task {
    /// Returns the number of the processor to the right of its last one.
    pub fn end(self) -> u32 {
        self.base + self.length
    }
}

/// A linear array of processors, with its tasks from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    processors: u32,
    tasks: Vec<Task>,
}

impl Array {
    /// Returns an array of `processors` processors without tasks.
    pub fn new(processors: u32) -> Self {
        Self { processors, tasks: Vec::new() }
    }

    /// Returns the number of processors of the array, free or not.
    pub fn processors(&self) -> u32 {
        self.processors
    }

    /// Returns all tasks from left to right.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// Returns the number of free processors. O(tasks).
    pub fn free(&self) -> u32 {
        self.processors - self.tasks.iter().map(|task| task.length).sum::<u32>()
    }

    /// Returns the first processor of the leftmost free block of at least `length` processors; `None` if
    /// there is none. O(tasks).
    pub fn first_fit(&self, length: u32) -> Option<u32> {
        let mut from = 0;
        for task in &self.tasks {
            if task.base - from >= length {
                return Some(from);
            }
            from = task.end();
        }
        (self.processors - from >= length).then_some(from)
    }

    /// Adds a task on free processors. O(tasks).
    pub fn insert(&mut self, task: Task) {
        let at = self.tasks.partition_point(|other| other.base < task.base);
        self.tasks.insert(at, task);
    }

    /// Removes the task that begins at processor `base` and returns it; `None` if no task begins there.
    /// O(tasks).
    pub fn remove(&mut self, base: u32) -> Option<Task> {
        let at = self.tasks.binary_search_by_key(&base, |task| task.base).ok()?;
        Some(self.tasks.remove(at))
    }

    /// Returns the mirror image of the array, where processors are numbered from the right end.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let tasks = self.tasks.iter().rev().map(|task| self.mirror(*task)).collect();
        Self { processors: self.processors, tasks }
    }

    /// Returns the mirror image of a task, where processors are numbered from the right end.
    pub fn mirror(&self, task: Task) -> Task {
        Task { base: self.processors - task.end(), length: task.length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_fit_takes_the_leftmost_block_that_is_long_enough() {
        let mut array = Array::new(10);
        array.insert(Task { base: 6, length: 2 });
        array.insert(Task { base: 1, length: 2 });
        assert_eq!([1, 2, 3, 4].map(|length| array.first_fit(length)), [Some(0), Some(3), Some(3), None]);
        assert_eq!(array.free(), 6);
        assert_eq!(array.remove(6), Some(Task { base: 6, length: 2 }));
        assert_eq!((array.first_fit(7), array.first_fit(8), array.remove(6)), (Some(3), None, None));
    }
}
