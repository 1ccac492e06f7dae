//! A torus with its placements: the boxes for its jobs, in the order of the search.

use crate::allocator::box_sums::Sums;
use meshreplay_machine::machine::NodeId;

/// A placement of the file: the boxes of one shape at regular anchors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AnchoredShape {
    /// The sides of the boxes along x, y and z. They are not turned.
    pub(super) sides: [u32; 3],
    /// The first anchor on each axis, below the side of the torus.
    pub(super) seed: [u32; 3],
    /// The steps from an anchor to the next one on each axis, at least 1.
    pub(super) spacing: [u32; 3],
}

impl AnchoredShape {
    /// Returns the boxes of these sides at the multiples of their sides, which is the default.
    pub(super) fn aligned(sides: [u32; 3]) -> Self {
        Self { sides, seed: [0; 3], spacing: sides }
    }

    /// Returns the number of cells of a box.
    pub(super) fn size(&self) -> u32 {
        self.sides.iter().product()
    }
}

/// A torus, the nodes in its cells and the boxes that its jobs may get.
#[derive(Clone, Debug)]
pub(super) struct Torus {
    /// The numbers of cells along x, y and z.
    pub(super) dims: [u32; 3],
    /// The node in each cell, x fastest, then y, then z; `None` in cells without node.
    pub(super) nodes: Vec<Option<NodeId>>,
    /// The placements, smaller boxes first. Placements of one size keep the order of the file.
    pub(super) placements: Vec<Boxes>,
    /// How many cells have nodes.
    existing: Sums,
    /// Whether every cell has a node.
    is_full: bool,
}

/// The boxes of one placement on a torus.
#[derive(Clone, Debug)]
pub(super) struct Boxes {
    pub(super) sides: [u32; 3],
    pub(super) size: u32,
    /// The anchors on each axis in the order of the search.
    pub(super) anchors: [Vec<u32>; 3],
    /// The same anchors in rising order.
    rising: [Vec<u32>; 3],
    /// For each position of an axis, and for its end, the number of anchors below it.
    below: [Vec<u32>; 3],
    /// The index of the next placement, which is the first one with larger boxes; `None` if there is none.
    pub(super) next: Option<usize>,
}

impl Torus {
    /// Returns the torus with these cells and placements. Along a dimension that is not in `wraps` no box
    /// passes the last cell.
    pub(super) fn new(
        dims: [u32; 3],
        nodes: Vec<Option<NodeId>>,
        mut placements: Vec<AnchoredShape>,
        wraps: [bool; 3],
    ) -> Self {
        // The sort is stable.
        placements.sort_by_key(AnchoredShape::size);
        let next = |size: u32| Some(placements.partition_point(|other| other.size() <= size));
        let boxes = |placed: &AnchoredShape| {
            let next = next(placed.size()).filter(|&next| next < placements.len());
            Boxes::new(placed, dims, wraps, next)
        };
        let placements = placements.iter().map(boxes).collect();
        let existing = Sums::new(dims, |at| u32::from(nodes[cell(dims, at)].is_some()));
        let is_full = nodes.iter().all(Option::is_some);
        Self { dims, nodes, placements, existing, is_full }
    }

    /// Returns the node at a cell; `None` if the cell has no node.
    pub(super) fn node(&self, at: [u32; 3]) -> Option<NodeId> {
        self.nodes[cell(self.dims, at)]
    }

    /// Returns the nodes of a box, in the order of their cells; cells without node are skipped.
    pub(super) fn nodes_of(&self, base: [u32; 3], sides: [u32; 3]) -> impl Iterator<Item = NodeId> + '_ {
        let [width, length, depth] = sides;
        let at = move |i: u32| [i % width, i / width % length, i / width / length];
        let wrapped = move |at: [u32; 3]| [0, 1, 2].map(|d| (base[d] + at[d]) % self.dims[d]);
        (0..width * length * depth).filter_map(move |i| self.node(wrapped(at(i))))
    }

    /// Counts, for every box of `boxes`, whether all its nodes are idle. `idle` has the idle cells.
    pub(super) fn idle_boxes(&self, boxes: &Boxes, idle: &Sums) -> Sums {
        let counts = [0, 1, 2].map(|d| boxes.rising[d].len() as u32);
        Sums::new(counts, |at| u32::from(self.is_idle(boxes, at, idle)))
    }

    /// Returns whether all nodes of the box at these anchors, by their numbers in rising order, are idle.
    fn is_idle(&self, boxes: &Boxes, at: [u32; 3], idle: &Sums) -> bool {
        let base = [0, 1, 2].map(|d| boxes.rising[d][at[d] as usize]);
        // Where every cell has a node, a box has as many nodes as cells.
        let nodes = if self.is_full { boxes.size } else { self.existing.in_box(base, boxes.sides) };
        idle.in_box(base, boxes.sides) == nodes
    }

    /// Returns how many of `boxes` are idle and overlap the box of `sides` at `base`, as
    /// [`Boxes::overlapped`] does, by looking at each of them; `None` if more than `most` overlap it.
    pub(super) fn count_overlapped(
        &self,
        boxes: &Boxes,
        base: [u32; 3],
        sides: [u32; 3],
        idle: &Sums,
        most: u32,
    ) -> Option<u32> {
        let (first, counts) = boxes.overlapping(base, sides);
        if counts.iter().try_fold(1_u32, |all, &count| all.checked_mul(count)).is_none_or(|all| all > most) {
            return None;
        }
        let all = boxes.rising.each_ref().map(|anchors| anchors.len() as u32);
        let around = |d: usize, step: u32| (first[d] + step) % all[d];
        let mut idle_boxes = 0;
        for x in 0..counts[0] {
            for y in 0..counts[1] {
                for z in 0..counts[2] {
                    let at = [around(0, x), around(1, y), around(2, z)];
                    idle_boxes += u32::from(self.is_idle(boxes, at, idle));
                }
            }
        }
        Some(idle_boxes)
    }
}

fn cell([width, length, _]: [u32; 3], [x, y, z]: [u32; 3]) -> usize {
    (x + width * (y + length * z)) as usize
}

impl Boxes {
    fn new(placed: &AnchoredShape, dims: [u32; 3], wraps: [bool; 3], next: Option<usize>) -> Self {
        let anchors = [0, 1, 2].map(|d| {
            let mut anchors = anchors(dims[d], placed.seed[d], placed.spacing[d]);
            anchors.retain(|anchor| wraps[d] || anchor + placed.sides[d] <= dims[d]);
            anchors
        });
        let mut rising = anchors.clone();
        for anchors in &mut rising {
            anchors.sort_unstable();
        }
        let below = [0, 1, 2].map(|d| {
            (0..=dims[d]).map(|at| rising[d].partition_point(|&anchor| anchor < at) as u32).collect()
        });
        Self { sides: placed.sides, size: placed.size(), anchors, rising, below, next }
    }

    /// Returns all anchors in the order of the search: x outermost, then y, and z fastest.
    pub(super) fn bases(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let [xs, ys, zs] = &self.anchors;
        xs.iter().flat_map(move |&x| ys.iter().flat_map(move |&y| zs.iter().map(move |&z| [x, y, z])))
    }

    /// Returns how many of these boxes are idle and overlap the box of `sides` at `base`. `idle_boxes` is
    /// that of [`Torus::idle_boxes`]. O(1).
    pub(super) fn overlapped(&self, base: [u32; 3], sides: [u32; 3], idle_boxes: &Sums) -> u32 {
        let (first, counts) = self.overlapping(base, sides);
        if counts.contains(&0) { 0 } else { idle_boxes.in_box(first, counts) }
    }

    /// Returns which of these boxes overlap the box of `sides` at `base`: on each axis the first anchor, by
    /// its number in rising order, and how many there are from it on, which may go round.
    ///
    /// Two boxes overlap if they do so along each axis. The anchors that overlap a side form a range of
    /// positions that may wrap around, so that the boxes form a box in the grid of anchors.
    fn overlapping(&self, base: [u32; 3], sides: [u32; 3]) -> ([u32; 3], [u32; 3]) {
        let ranges = [0, 1, 2].map(|d| self.overlapping_side(d, base[d], sides[d]));
        (ranges.map(|(first, _)| first), ranges.map(|(_, count)| count))
    }

    /// Returns, for each of some positions on an axis, the position and what [`Self::overlapping`] returns
    /// for a box whose side of this length begins there.
    pub(super) fn overlapping_along(&self, d: usize, at: &[u32], side: u32) -> Vec<(u32, (u32, u32))> {
        at.iter().map(|&at| (at, self.overlapping_side(d, at, side))).collect()
    }

    /// Returns the first anchor on axis `d` whose boxes overlap a side from `base` on, and the number of such
    /// anchors.
    fn overlapping_side(&self, d: usize, base: u32, side: u32) -> (u32, u32) {
        let extent = self.below[d].len() as u32 - 1;
        let all = self.rising[d].len() as u32;
        let reach = side + self.sides[d] - 1;
        if reach >= extent {
            return (0, all);
        }
        // The first position whose box of this placement still reaches `base`.
        let from = (base + extent + 1 - self.sides[d]) % extent;
        let below = |at: u32| self.below[d][at as usize];
        let first = below(from);
        let count = match (from + reach).checked_sub(extent) {
            None => below(from + reach) - first,
            Some(wrapped) => all - first + below(wrapped),
        };
        // Behind the last anchor the grid begins again.
        (first % all.max(1), count)
    }
}

/// Returns the anchors on an axis of `side` cells in the order of the search: `seed`, `seed` + `spacing`, and
/// so on modulo the side, until the seed comes back.
pub(super) fn anchors(side: u32, seed: u32, spacing: u32) -> Vec<u32> {
    let mut anchors = vec![seed];
    loop {
        let last = anchors[anchors.len() - 1];
        let next = ((u64::from(last) + u64::from(spacing)) % u64::from(side)) as u32;
        if next == seed {
            return anchors;
        }
        anchors.push(next);
    }
}

/// Returns a placement for each box whose sides are powers of two and fit into `dims`, at the multiples of
/// its sides. Smaller boxes come first; boxes of one size are sorted by half-perimeter, smallest first, and
/// then by the sides along x, then y, longest first.
pub(super) fn powers_of_two(dims: [u32; 3]) -> Vec<AnchoredShape> {
    let powers = |extent: u32| (0..=extent.ilog2()).map(|power| 1 << power);
    let [width, length, depth] = dims;
    let mut placements: Vec<AnchoredShape> = powers(width)
        .flat_map(|x| powers(length).flat_map(move |y| powers(depth).map(move |z| [x, y, z])))
        .map(AnchoredShape::aligned)
        .collect();
    let reversed = |sides: [u32; 3]| sides.map(std::cmp::Reverse);
    placements
        .sort_by_key(|placed| (placed.size(), placed.sides.iter().sum::<u32>(), reversed(placed.sides)));
    placements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_go_round_until_the_seed_comes_back() {
        for (side, seed, spacing, expected) in [
            (4, 0, 2, vec![0, 2]),
            (4, 1, 1, vec![1, 2, 3, 0]),
            (3, 1, 2, vec![1, 0, 2]),
            (4, 1, 4, vec![1]),
            (6, 0, 4, vec![0, 4, 2]),
            (5, 2, 8, vec![2, 0, 3, 1, 4]),
            (1, 0, 1, vec![0]),
        ] {
            assert_eq!(anchors(side, seed, spacing), expected, "{side} {seed} {spacing}");
        }
    }

    #[test]
    fn overlapped_boxes_equal_those_found_by_comparing_nodes() {
        let dims = [5, 4, 3];
        let cells = || (0..60).map(|i| [i % 5, i / 5 % 4, i / 20]);
        for (mine, other) in [([2, 2, 1], [2, 2, 2]), ([1, 1, 1], [5, 1, 3]), ([3, 4, 2], [4, 2, 2])] {
            for spacing in [[1, 1, 1], [2, 2, 2], [3, 1, 2]] {
                let placements = vec![
                    AnchoredShape::aligned(mine),
                    AnchoredShape { sides: other, seed: [3, 1, 2], spacing },
                ];
                // Cells 7, 14 and so on have no node; cells 3, 14, 25 and so on are in use.
                let nodes = (0..60).map(|i| (i % 7 != 0 || i == 0).then_some(i)).collect();
                let torus = Torus::new(dims, nodes, placements, [true; 3]);
                let is_idle = |node: NodeId| node % 11 != 3;
                let idle = Sums::new(dims, |at| u32::from(torus.node(at).is_some_and(is_idle)));
                let boxes = &torus.placements[1];
                let idle_boxes = torus.idle_boxes(boxes, &idle);
                for base in cells() {
                    let taken: Vec<NodeId> = torus.nodes_of(base, mine).collect();
                    if taken.len() < mine.iter().product::<u32>() as usize {
                        continue;
                    }
                    let overlapped = |at: &[u32; 3]| {
                        let mut nodes = torus.nodes_of(*at, boxes.sides);
                        nodes.any(|node| taken.contains(&node))
                            && torus.nodes_of(*at, boxes.sides).all(is_idle)
                    };
                    let plain = boxes.bases().filter(overlapped).count() as u32;
                    let fast = boxes.overlapped(base, mine, &idle_boxes);
                    assert_eq!(fast, plain, "{other:?} {spacing:?} {base:?}");
                    let counted = torus.count_overlapped(boxes, base, mine, &idle, 60);
                    assert_eq!(counted, Some(plain), "{other:?} {spacing:?} {base:?}");
                }
            }
        }
    }

    #[test]
    fn the_default_has_every_box_of_powers_of_two() {
        let sides: Vec<[u32; 3]> = powers_of_two([4, 2, 1]).iter().map(|placed| placed.sides).collect();
        assert_eq!(sides, [[1, 1, 1], [2, 1, 1], [1, 2, 1], [2, 2, 1], [4, 1, 1], [4, 2, 1]]);
        assert_eq!(powers_of_two([5, 5, 4]).len(), 27);
    }
}
