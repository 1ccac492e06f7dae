//! Fig. 1: three jobs on a mesh of 6×6, and where two more would go.

use crate::allocator::{Placement, Request, Setup, build};
use crate::machine::{Coord, Machine};
use crate::paper::evidence::Evidence;
use crate::paper::figure::Experiment;
use crate::paper::item::{Item, Verdict};

pub(super) const EXPERIMENT: Experiment = Experiment { studies: &[], surveyed: &[], timed: false, judge };

const MACHINE: &str = "6x6";
/// Corners of the jobs that run.
const RUNNING: [[u32; 4]; 3] = [[0, 0, 1, 2], [2, 0, 3, 1], [4, 3, 5, 5]];

/// The nodes between two corners.
fn between([left, low, right, high]: [u32; 4], machine: &Machine) -> Vec<u32> {
    (low..=high).flat_map(|y| (left..=right).map(move |x| machine.mesh().node([x, y, 0]))).collect()
}

/// Where an allocator puts a job of these sides, the others running.
fn placed(allocator: &str, sides: [u32; 3]) -> Option<Vec<Coord>> {
    let mut machine = Machine::new(MACHINE.parse().ok()?);
    let mesh = machine.mesh().clone();
    let (mut allocator, _) = build(&allocator.parse().ok()?, &Setup { mesh: &mesh, seed: 1 }).ok()?;
    for corners in RUNNING {
        let placement = Placement::of(between(corners, &machine));
        allocator.occupied(&placement, &machine);
        machine.occupy(&placement.nodes).ok()?;
    }
    let nodes = allocator.allocate(&Request::sides(sides), &machine)?.nodes;
    Some(nodes.into_iter().map(|node| mesh.coord(node)).collect())
}

/// An example: allocator, sides, the corners printed, in words.
type Example = (&'static str, [u32; 3], &'static [[u32; 4]], &'static str);

const EXAMPLES: [Example; 2] = [
    ("qna-scan", [3, 2, 1], &[[1, 4, 3, 5]], "3x2 goes to (1, 4)"),
    ("qna", [6, 2, 1], &[[0, 3, 3, 4], [4, 0, 5, 1]], "6x2 goes to (0, 3, 3, 4) and (4, 0, 5, 1)"),
];

fn judge(_: &Evidence) -> Vec<Item> {
    let item = |(allocator, sides, printed, words): Example| {
        let found = placed(allocator, sides)?;
        let machine = Machine::new(MACHINE.parse().ok()?);
        let mut expected: Vec<u32> = printed.iter().flat_map(|&corners| between(corners, &machine)).collect();
        let mut nodes: Vec<u32> = found.iter().map(|&at| machine.mesh().node(at)).collect();
        expected.sort_unstable();
        nodes.sort_unstable();
        let verdict = if nodes == expected {
            Verdict::Exact
        } else {
            // The procedure takes the lowest row that has room, which is below the place printed.
            let [x, y, _] = found.first()?;
            Verdict::Differs(format!("the procedure, as it is printed, begins at ({x}, {y})"))
        };
        Some(Item { verdict, ..Item::new(&format!("{allocator}: {words}"), "", MACHINE) })
    };
    EXAMPLES.into_iter().filter_map(item).collect()
}
