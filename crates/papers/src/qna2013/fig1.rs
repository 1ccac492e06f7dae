//! Fig. 1: three jobs on a mesh of 6×6, and where two more jobs go, by the procedure as printed and by the
//! corrected one.

use crate::finding::Verdict;
use crate::findings::{self, Findings, Item};
use meshreplay_alloc::allocator::{Placement, Request, Setup, build};
use meshreplay_machine::machine::{Coord, Machine};

const MACHINE: &str = "6x6";
const SIDE: i32 = 6;
/// The corners of the running jobs.
const RUNNING: [Busy; 3] = [[0, 0, 1, 2], [2, 0, 3, 1], [4, 3, 5, 5]];

/// Returns the nodes where an allocator places a job of these sides while the others run; `None` if it finds
/// none.
fn placed(allocator: &str, sides: [u32; 3]) -> Option<Vec<Coord>> {
    let mut machine = Machine::new(MACHINE.parse().ok()?);
    let mesh = machine.mesh().clone();
    let mut allocator = build(&allocator.parse().ok()?, &Setup::new(&mesh, 1)).ok()?.strategy;
    for corners in RUNNING {
        let nodes = places(&[corners]).into_iter().map(|place| mesh.node(place)).collect();
        let placement = Placement::of(nodes);
        machine.occupy(&placement.nodes).ok()?;
        allocator.taken(&placement, &machine);
    }
    let nodes = allocator.propose(&Request::sides(sides), &machine)?.nodes;
    Some(nodes.into_iter().map(|node| mesh.coord(node)).collect())
}

/// Returns the coordinates of the nodes between these corners, sorted by x first.
fn places(corners: &[Busy]) -> Vec<Coord> {
    let all = corners.iter().flat_map(|&[left, low, right, high]| {
        (low..=high).flat_map(move |y| (left..=right).map(move |x| [x.unsigned_abs(), y.unsigned_abs(), 0]))
    });
    let mut all: Vec<Coord> = all.collect();
    all.sort_unstable();
    all
}

/// Returns the item of a fact that should be as printed. `instead` describes our result where it is not.
fn item(name: &str, is_so: bool, instead: String) -> Item {
    findings::item("example", name).verdict(if is_so { Verdict::Exact } else { Verdict::Differs(instead) })
}

/// Returns numbers as the paper lists them.
fn listed(numbers: &[i32]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Judges what the paper prints of the example.
pub(super) fn judge(findings: &mut Findings<'_>) {
    findings.about("", MACHINE);
    let [printed, repaired] =
        [0, -1].map(|initial| scan(&RUNNING, SIDE, Sides { width: 3, height: 2 }, initial));
    if let (Some(printed), Some(repaired)) = (printed, repaired) {
        for item in of_3x2(&printed, &repaired) {
            item.add_to(findings);
        }
    }
    let printed = [[0, 3, 3, 4], [4, 0, 5, 1]];
    let name = "6x2 goes to (0, 3, 3, 4) and (4, 0, 5, 1)";
    let as_printed = qna(&RUNNING, SIDE, Sides { width: 6, height: 2 }, 0);
    let corners: Vec<String> = as_printed.iter().map(|corners| format!("({})", listed(corners))).collect();
    let words = format!("the procedure as it is printed gives {}", corners.join(" and "));
    item(&format!("{name}: last_covered begins with 0, as printed"), as_printed == printed, words)
        .add_to(findings);
    if let Some(mut nodes) = placed("qna", [6, 2, 1]) {
        nodes.sort_unstable();
        let words = format!("the allocator begins at {:?}", nodes.first());
        item(&format!("{name}: it begins with -1 (qna)"), nodes == places(&printed), words).add_to(findings);
    }
}

/// Returns the items about the job of 3×2: the final coverage and where the job goes.
fn of_3x2(printed: &Scan, repaired: &Scan) -> Vec<Item> {
    let mut items = Vec::new();
    let first = &printed.after_each[0][..3];
    let words = format!("{} as it is printed", listed(first));
    items.push(item("the first job covers rows 0 to 2 up to x = 2", first == [2, 2, 2], words));
    for (name, scan) in [("0, as printed", printed), ("-1", repaired)] {
        let last = scan.after_each.last().map_or(&[][..], Vec::as_slice);
        let label = format!("last_covered is 3, 3, 5, 0, 0 in the end: it begins with {name}");
        items.push(item(&label, last == [3, 3, 5, 0, 0], listed(last)));
    }
    for (name, scan, words) in [
        ("0, as printed", printed, "the procedure, as it is printed, begins at"),
        ("-1", repaired, "the procedure, repaired, begins at"),
    ] {
        let (x, y) = scan.base;
        let label = format!("3x2 goes to (1, 4): last_covered begins with {name}");
        items.push(item(&label, (x, y) == (1, 4), format!("{words} ({x}, {y})")));
    }
    if let Some(mut nodes) = placed("qna-scan", [3, 2, 1]) {
        let (x, y) = repaired.base;
        let expected = places(&[[x, y, x + 2, y + 1]]);
        nodes.sort_unstable();
        let words = format!("it begins at {:?}", nodes.first());
        items.push(item("qna-scan takes the place of the repaired procedure", nodes == expected, words));
    }
    items
}

// Procedure `Submesh_Allocation`, step by step as printed. Only two errors in the bounds of a rotated
// request are corrected. The initial value of `last_covered` is a parameter.

/// A busy submesh: x and y of its lower left corner, then of its upper right corner.
type Busy = [i32; 4];

/// The sides of a job.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub(super) width: i32,
    pub(super) height: i32,
}

/// The state of a scan that has found a free submesh.
struct Scan {
    /// The array `last_covered`, one value for each row of bases, after each busy submesh.
    after_each: Vec<Vec<i32>>,
    /// The lower left corner of the free submesh.
    pub(super) base: (i32, i32),
    /// The sides of the job in the orientation that was found.
    sides: Sides,
}

/// Returns the free submesh for a job on a square mesh, in either orientation; `None` if there is none.
/// `initial` is the initial value of `last_covered`.
fn scan(busy: &[Busy], side: i32, sides: Sides, initial: i32) -> Option<Scan> {
    let turned = Sides { width: sides.height, height: sides.width };
    [sides, turned].into_iter().find_map(|sides| oriented(busy, side, sides, initial))
}

fn oriented(busy: &[Busy], side: i32, sides: Sides, initial: i32) -> Option<Scan> {
    let (columns, rows) = (side - sides.width + 1, side - sides.height + 1);
    if columns <= 0 || rows <= 0 {
        return None;
    }
    let cover = |&[x, y, right, high]: &Busy| {
        [(x - sides.width + 1).max(0), (y - sides.height + 1).max(0), right, high]
    };
    let mut coverages: Vec<Busy> = busy.iter().map(cover).collect();
    coverages.sort_by_key(|coverage| coverage[0]);
    let mut last_covered = vec![initial; rows.unsigned_abs() as usize];
    let mut after_each = Vec::new();
    for [left, low, right, high] in coverages {
        for row in low..=high.min(rows - 1) {
            let last = &mut last_covered[row.unsigned_abs() as usize];
            if (left..=right).contains(&(*last + 1)) {
                *last = right;
            }
        }
        after_each.push(last_covered.clone());
    }
    let row = last_covered.iter().position(|last| last + 1 < columns)?;
    let base = (last_covered[row] + 1, row as i32);
    Some(Scan { after_each, base, sides })
}

/// Returns the submeshes that procedure `QNA_Allocate` gives to a job, on a mesh with enough free nodes.
pub(super) fn qna(busy: &[Busy], side: i32, mut sides: Sides, initial: i32) -> Vec<Busy> {
    let (mut busy, mut parts) = (busy.to_vec(), Vec::new());
    let mut missing = sides.width * sides.height;
    while missing > 0 {
        let nodes = sides.width * sides.height;
        let place = if nodes <= missing { scan(&busy, side, sides, initial) } else { None };
        if let Some(Scan { base: (x, y), sides, .. }) = place {
            let part = [x, y, x + sides.width - 1, y + sides.height - 1];
            busy.push(part);
            parts.push(part);
            missing -= nodes;
        } else if nodes <= 1 {
            break;
        } else if sides.width >= sides.height {
            sides.width -= 1;
        } else {
            sides.height -= 1;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn sides(width: i32, height: i32) -> Sides {
        Sides { width, height }
    }

    const BUSY: [Busy; 3] = [[0, 0, 1, 2], [2, 0, 3, 1], [4, 3, 5, 5]];

    #[test]
    fn both_beginnings_of_last_covered_give_their_places() {
        for (initial, last, base) in [(0, [3, 3, 5, 0, 0], (1, 3)), (-1, [3, 3, 5, -1, -1], (0, 3))] {
            let found = scan(&BUSY, 6, sides(3, 2), initial);
            let found = found.as_ref().map(|scan| (scan.after_each.last().map(Vec::as_slice), scan.base));
            assert_eq!(found, Some((Some(&last[..]), base)));
        }
        assert_eq!(qna(&BUSY, 6, sides(6, 2), -1), [[0, 3, 3, 4], [4, 0, 5, 1]]);
        assert_eq!(qna(&BUSY, 6, sides(6, 2), 0), [[2, 2, 3, 5], [4, 0, 5, 1]]);
        assert!(
            scan(&[[0, 0, 5, 5]], 6, sides(1, 1), -1).is_none()
                && qna(&[[0, 0, 5, 5]], 6, sides(1, 1), -1).is_empty()
        );
    }
}
