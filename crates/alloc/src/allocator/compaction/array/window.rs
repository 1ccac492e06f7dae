//! The window of an incoming task: the processors that can be freed in the fewest steps, and the tasks that
//! must move.

use super::{Array, Task};

/// A task that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    /// The task before the move.
    pub task: Task,
    /// The distance of the move in processors.
    pub distance: u32,
    /// Whether it moves to the right; otherwise it moves to the left.
    pub rightwards: bool,
}

impl Shift {
    /// Returns the first processor of the task after the move.
    pub fn target(&self) -> u32 {
        if self.rightwards { self.task.base + self.distance } else { self.task.base - self.distance }
    }
}

/// The processors for an incoming task, and the tasks that move to make them free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionWindow {
    /// Its first processor.
    pub base: u32,
    /// The number of its processors.
    pub length: u32,
    /// The number of its processors that have a task before the moves: `S_O` in the paper.
    pub covered: u32,
    /// Whether the next processor in the direction of the moves has a task. It is false at the end of the
    /// array.
    pub next_is_busy: bool,
    /// The tasks that move. The rightmost one comes first if they move left, and the leftmost one if they
    /// move right.
    pub shifts: Vec<Shift>,
}

impl CompactionWindow {
    /// Returns the window for a task of `length` processors if tasks move to the left; `None` if fewer than
    /// `length + spare` processors are free. The window covers as few busy processors as possible; of equals
    /// the leftmost is taken. By Theorem 1, some best window ends where a free block ends, so only these are
    /// compared. O(tasks).
    pub fn left(array: &Array, length: u32, spare: u32) -> Option<Self> {
        let tasks = array.tasks();
        // Prefix sums: the number of processors of all tasks before each one.
        let mut before = Vec::with_capacity(tasks.len() + 1);
        before.push(0);
        for task in tasks {
            before.push(before[before.len() - 1] + task.length);
        }
        // The best window: the processors covered, the base, and the number of tasks left of its right end.
        let mut best: Option<(u32, u32, usize)> = None;
        let (mut first, mut from) = (0, 0);
        for i in 0..=tasks.len() {
            let end = tasks.get(i).map_or(array.processors(), |task| task.base);
            let block = end - std::mem::replace(&mut from, tasks.get(i).map_or(end, |task| task.end()));
            // The window needs a free block at its right end, and enough free processors up to there.
            if block == 0 || end - before[i] < length.saturating_add(spare) {
                continue;
            }
            let base = end - length;
            // Two pointers: bases grow with `i`, so `first` (the first task that reaches into the window)
            // never moves back.
            while first < i && tasks[first].end() <= base {
                first += 1;
            }
            // All processors of the tasks from `first` on are covered, but for the part of `first` left of
            // the window.
            let outside = tasks.get(first).map_or(0, |task| base.saturating_sub(task.base));
            let covered = if first < i { before[i] - before[first] - outside } else { 0 };
            if best.is_none_or(|(fewest, ..)| covered < fewest) {
                best = Some((covered, base, i));
            }
        }
        let (covered, base, behind) = best?;
        Some(Self {
            base,
            length,
            covered,
            next_is_busy: base > 0 && tasks.iter().any(|task| task.base < base && base <= task.end()),
            shifts: shifts(&tasks[..behind], base),
        })
    }

    /// Returns the window for a task of `length` processors if tasks move to the right; `None` if fewer
    /// processors are free. It is the mirror image of [`Self::left`] on the mirrored array.
    pub fn right(array: &Array, length: u32, spare: u32) -> Option<Self> {
        let mirrored = Self::left(&array.mirrored(), length, spare)?;
        let back = |shift: &Shift| Shift { task: array.mirror(shift.task), rightwards: true, ..*shift };
        let shifts = mirrored.shifts.iter().map(back).collect();
        let place = array.mirror(Task { base: mirrored.base, length });
        Some(Self { base: place.base, shifts, ..mirrored })
    }
}

/// Returns the moves to the left after which all tasks end before or at `base`, the rightmost task first; an
/// empty list if none has to move.
fn shifts(tasks: &[Task], base: u32) -> Vec<Shift> {
    let (mut edge, mut shifts) = (base, Vec::new());
    for &task in tasks.iter().rev() {
        // The subtraction never fails if enough processors on the left are free. A task that is not in the
        // way ends the list, as no task to its left is in the way either.
        let Some(target) = edge.checked_sub(task.length).filter(|&target| target < task.base) else { break };
        shifts.push(Shift { task, distance: task.base - target, rightwards: false });
        edge = target;
    }
    shifts
}

impl Array {
    /// Carries out a plan: moves the tasks of `window`, and adds the incoming task.
    pub fn carry_out(&mut self, window: &CompactionWindow) {
        // The task that is farthest from the window moves first, so that no two tasks ever overlap.
        for shift in window.shifts.iter().rev() {
            if let Some(task) = self.remove(shift.task.base) {
                self.insert(Task { base: shift.target(), ..task });
            }
        }
        self.insert(Task { base: window.base, length: window.length });
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn every_window_equals_brute_force() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut random = move |below: u32| rng.random_range(0..below);
        for _ in 0..3000 {
            let processors = 4 + random(30);
            let (mut array, mut at) = (Array::new(processors), random(4));
            while at < processors {
                let length = (1 + random(6)).min(processors - at);
                array.insert(Task { base: at, length });
                at += length + random(3);
            }
            let busy: Vec<bool> = (0..processors)
                .map(|p| array.tasks().iter().any(|task| task.base <= p && p < task.end()))
                .collect();
            for length in 1..=array.free() {
                // Every window that has enough free processors up to its right end, wherever that is.
                let covered =
                    |base: u32| busy[base as usize..(base + length) as usize].iter().filter(|b| **b).count();
                let fits = |base: &u32| {
                    busy[..(base + length) as usize].iter().filter(|b| !**b).count() >= length as usize
                };
                let fewest = (0..=processors - length).filter(fits).map(covered).min();
                let window = CompactionWindow::left(&array, length, 0).expect("enough are free");
                assert_eq!(Some(window.covered as usize), fewest, "{array:?} {length}");
                assert_eq!(covered(window.base), window.covered as usize);
                let next = window.base > 0 && busy[window.base as usize - 1];
                assert_eq!(window.next_is_busy, next);
                let mut after = array.clone();
                after.carry_out(&window);
                assert!(after.tasks().windows(2).all(|pair| pair[0].end() <= pair[1].base), "{after:?}");
                assert_eq!(after.free(), array.free() - length);
                let lengths = |array: &Array| array.tasks().iter().map(|task| task.length).sum::<u32>();
                assert_eq!(lengths(&after), lengths(&array) + length);
                let right = CompactionWindow::right(&array, length, 0).expect("enough are free");
                let mut after = array.clone();
                after.carry_out(&right);
                assert!(after.tasks().windows(2).all(|pair| pair[0].end() <= pair[1].base), "{after:?}");
            }
            assert_eq!(CompactionWindow::left(&array, array.free() + 1, 0), None);
        }
    }
}
