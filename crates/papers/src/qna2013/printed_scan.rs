//! Procedure `Submesh_Allocation`, step by step as printed. Only two errors in the bounds of a rotated
//! request are corrected. The initial value of `last_covered` is a parameter.

/// A busy submesh: x and y of its lower left corner, then of its upper right corner.
pub(super) type Busy = [i32; 4];

/// The sides of a job.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    pub(super) width: i32,
    pub(super) height: i32,
}

/// The state of a scan that has found a free submesh.
pub(super) struct Scan {
    /// The array `last_covered`, one value for each row of bases, after each busy submesh.
    pub(super) after_each: Vec<Vec<i32>>,
    /// The lower left corner of the free submesh.
    pub(super) base: (i32, i32),
    /// The sides of the job in the orientation that was found.
    sides: Sides,
}

/// Returns the free submesh for a job on a square mesh, in either orientation; `None` if there is none.
/// `initial` is the initial value of `last_covered`.
pub(super) fn scan(busy: &[Busy], side: i32, sides: Sides, initial: i32) -> Option<Scan> {
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
