//! Fig. 3: one compaction as the text describes it. Five tasks make room for a task of 13 processors in seven
//! steps.

use crate::finding::Tolerance;
use crate::findings::{Findings, item};
use meshreplay_alloc::allocator::compaction::array::{Array, CompactionWindow, Schedule, Task};

/// The first and last processor of each task. The task on processors 0 to 10 does not move.
const TASKS: [(u32, u32); 6] = [(0, 10), (15, 15), (17, 19), (21, 24), (29, 30), (31, 33)];
const PROCESSORS: u32 = 37;
const INCOMING: u32 = 13;

/// Judges the compaction of the example.
pub(super) fn judge(findings: &mut Findings<'_>) {
    findings.about("", "37");
    let mut array = Array::new(PROCESSORS);
    for (first, last) in TASKS {
        array.insert(Task { base: first, length: last + 1 - first });
    }
    let Some(window) = CompactionWindow::left(&array, INCOMING, 0) else { return };
    let schedule = Schedule::best(&window);
    let starts: Vec<u32> = schedule.transfers(&window).iter().map(|transfer| transfer.step).collect();
    let at_once = starts.iter().filter(|&&step| step == 1).count();
    for (words, measured, printed) in [
        ("processors covered", f64::from(window.covered), "6"),
        ("sequences that move from the first step on", at_once as f64, "2"),
        ("step in which the rightmost sequence starts", f64::from(starts.first().copied().unwrap_or(0)), "5"),
        ("steps in all", f64::from(schedule.length), "7"),
        ("most steps that a task waits", f64::from(schedule.delay), "0"),
    ] {
        item("example", words)
            .measured(Some(measured))
            .published(printed, Tolerance::Absolute(0.0))
            .add_to(findings);
    }
}
