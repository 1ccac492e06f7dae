//! Fig. 3: one compaction as the text describes it. Five tasks make room for a task of 13 processors in seven steps.

use crate::evidence::{At, Evidence};
use crate::finding::Finding;
use meshreplay_alloc::allocator::compaction::array::{Array, Schedule, Task, Window};

/// The first and last processor of each task. The task on processors 0 to 10 does not move.
const TASKS: [(u32, u32); 6] = [(0, 10), (15, 15), (17, 19), (21, 24), (29, 30), (31, 33)];
const PROCESSORS: u32 = 37;
const INCOMING: u32 = 13;

/// Measures the compaction of the example. The rules of the figure judge the numbers.
pub(super) fn measure(found: &mut Evidence) -> Vec<Finding> {
    let mut array = Array::new(PROCESSORS);
    for (first, last) in TASKS {
        array.insert(Task { base: first, length: last + 1 - first });
    }
    let Some(window) = Window::left(&array, INCOMING) else { return Vec::new() };
    let schedule = Schedule::best(&window);
    let starts: Vec<u32> = schedule.transfers(&window).iter().map(|transfer| transfer.step).collect();
    let at_once = starts.iter().filter(|&&step| step == 1).count();
    let numbers = [
        ("covered", f64::from(window.covered)),
        ("at_once", at_once as f64),
        ("rightmost", f64::from(starts.first().copied().unwrap_or(0))),
        ("steps", f64::from(schedule.length)),
        ("waits", f64::from(schedule.delay)),
    ];
    found.add_measured(At { dataset: "fig3", machine: "37", ..At::default() }, 0, &numbers);
    Vec::new()
}
