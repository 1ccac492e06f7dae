//! Fig. 1: four jobs, of which first fit in the orientations asked for leaves the last one waiting.

use crate::allocator::{Request, Setup, build};
use crate::machine::Machine;
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::{Item, Published, Tolerance};

pub(super) const EXPERIMENT: Experiment = Experiment { studies: &[], surveyed: &[], timed: false, judge };

const MACHINE: &str = "4x4";
const JOBS: [[u32; 3]; 4] = [[1, 1, 1], [1, 1, 1], [1, 3, 1], [3, 2, 1]];

/// How many of the jobs are placed, in their order, none of them leaving.
fn placed(allocator: &str) -> Option<usize> {
    let mut machine = Machine::new(MACHINE.parse().ok()?);
    let mesh = machine.mesh().clone();
    let mut allocator = build(&allocator.parse().ok()?, &Setup { mesh: &mesh, seed: 1 }).ok()?.strategy;
    let mut placed = 0;
    for sides in JOBS {
        let Some(placement) = allocator.propose(&Request::sides(sides), &machine) else { break };
        machine.occupy(&placement.nodes).ok()?;
        allocator.accepted(&placement, &machine);
        placed += 1;
    }
    Some(placed)
}

fn judge(_: &Evidence) -> Vec<Item> {
    let item = |(allocator, printed): (&str, &str)| {
        let published = Published::parse(printed)?;
        let item = Item::new(&format!("{allocator}, jobs placed"), "1x1, 1x1, 1x3, 3x2", MACHINE);
        Some(item.compared(published, placed(allocator)? as f64, Tolerance::Absolute(0.0)))
    };
    [("first-fit", "3"), ("fixed-orientation", "4")].into_iter().filter_map(item).collect()
}
