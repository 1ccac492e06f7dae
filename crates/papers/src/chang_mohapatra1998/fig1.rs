//! Fig. 1: four jobs. First fit without rotation leaves the last one waiting.

use crate::finding::Tolerance;
use crate::findings::{Findings, item};
use meshreplay_alloc::allocator::{Request, Setup, build};
use meshreplay_machine::machine::Machine;

const MACHINE: &str = "4x4";
const JOBS: [[u32; 3]; 4] = [[1, 1, 1], [1, 1, 1], [1, 3, 1], [3, 2, 1]];

/// Returns how many of the jobs the allocator can place one after the other while none leaves; `None` if it
/// cannot be built.
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

/// Judges how many jobs two allocators place.
pub(super) fn judge(findings: &mut Findings<'_>) {
    findings.about("1x1, 1x1, 1x3, 3x2", MACHINE);
    for (allocator, printed) in [("first-fit", "3"), ("fixed-orientation", "4")] {
        item("placed", format!("{allocator}, jobs placed"))
            .measured(placed(allocator).map(|jobs| jobs as f64))
            .published(printed, Tolerance::Absolute(0.0))
            .add_to(findings);
    }
}
