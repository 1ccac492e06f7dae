//! Fig. 1: four jobs. First fit without rotation leaves the last one waiting.

use crate::evidence::{At, Evidence};
use crate::finding::Finding;
use meshreplay_alloc::allocator::{Request, Setup, build};
use meshreplay_machine::machine::Machine;

const MACHINE: &str = "4x4";
const JOBS: [[u32; 3]; 4] = [[1, 1, 1], [1, 1, 1], [1, 3, 1], [3, 2, 1]];

/// Returns how many of the jobs the allocator can place one after the other while none leaves; `None` if it cannot be
/// built.
fn placed(allocator: &str) -> Option<usize> {
    let mut machine = Machine::new(MACHINE.parse().ok()?);
    let mesh = machine.mesh().clone();
    let mut allocator = build(&allocator.parse().ok()?, &Setup::new(&mesh, 1)).ok()?.strategy;
    let mut placed = 0;
    for sides in JOBS {
        let Some(placement) = allocator.propose(&Request::sides(sides), &machine) else { break };
        machine.occupy(&placement.nodes).ok()?;
        allocator.accepted(&placement, &machine);
        placed += 1;
    }
    Some(placed)
}

/// Measures how many jobs two allocators place. The rules of the figure judge the numbers.
pub(super) fn measure(found: &mut Evidence) -> Vec<Finding> {
    for allocator in ["first-fit", "fixed-orientation"] {
        if let Some(placed) = placed(allocator) {
            let at = At { dataset: "fig1", machine: MACHINE, allocator, ..At::default() };
            found.add_measured(at, 0, &[("jobs_placed", placed as f64)]);
        }
    }
    Vec::new()
}
