//! Fig. 3: one compaction, as the text tells it: five tasks make room for one of 13 processors in seven steps.

use crate::allocator::compaction::array::{Array, Schedule, Task, Window};
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::{Item, Published, Tolerance};

pub(super) const EXPERIMENT: Experiment = Experiment { studies: &[], surveyed: &[], timed: false, judge };

/// First and last processors of the tasks; those up to 10 stay.
const TASKS: [(u32, u32); 6] = [(0, 10), (15, 15), (17, 19), (21, 24), (29, 30), (31, 33)];
const PROCESSORS: u32 = 37;
const INCOMING: u32 = 13;

fn judge(_: &Evidence) -> Vec<Item> {
    let mut array = Array::new(PROCESSORS);
    for (first, last) in TASKS {
        array.insert(Task { base: first, length: last + 1 - first });
    }
    let Some(window) = Window::left(&array, INCOMING) else { return Vec::new() };
    let schedule = Schedule::best(&window);
    let starts: Vec<u32> = schedule.transfers(&window).iter().map(|transfer| transfer.step).collect();
    let item = |(name, printed, measured): (&str, &str, u32)| {
        let published = Published::parse(printed)?;
        Some(Item::new(name, "", "37").compared(published, f64::from(measured), Tolerance::Absolute(0.0)))
    };
    let facts = [
        ("processors covered", "6", window.covered),
        (
            "sequences that move from the first step on",
            "2",
            starts.iter().filter(|&&step| step == 1).count() as u32,
        ),
        ("step in which the rightmost sequence starts", "5", starts.first().copied().unwrap_or(0)),
        ("steps in all", "7", schedule.length),
        ("most steps that a task waits", "0", schedule.delay),
    ];
    facts.into_iter().filter_map(item).collect()
}
