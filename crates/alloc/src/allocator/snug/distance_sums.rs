//! Sums of distances from positions and submeshes to the free nodes.
//!
//! The L1 distance is separable, so each dimension has a table of its own. The sum for a node is the sum of
//! its three entries.

use super::shapes::SubmeshShape;
use super::submesh_counts::{Count, SubmeshCounts};
use meshreplay_machine::machine::{Machine, NodeId, bits_of_word, distances_along};

/// Sums of distances to the free nodes of one machine state, separately for each dimension.
#[derive(Debug, Default)]
pub(super) struct DistanceSums {
    /// The extents of the machine.
    pub(super) extents: [usize; 3],
    /// Whether each dimension wraps around.
    pub(super) wraps: [bool; 3],
    /// For each position along a dimension the sum of hops along it to all free nodes. If the dimension
    /// wraps, the table goes round twice, so that a submesh across the border is a plain range.
    at: [Vec<i64>; 3],
    /// The prefix sums of `at`: entry i is the sum of the first i entries.
    below: [Vec<i64>; 3],
    /// The position of the smallest entry of `at`; it is not used if the dimension wraps.
    nearest: [usize; 3],
    /// Number of free nodes at each position of the current dimension.
    counts: Vec<u32>,
    /// The sums of one round of a ring.
    ring: Vec<u64>,
}

impl DistanceSums {
    /// Makes the tables for the free nodes that `counts` has. O(W + L + D), and O(W² + L² + D²) on a torus.
    pub(super) fn measure<C: Count>(&mut self, machine: &Machine, counts: &SubmeshCounts<C>) {
        let mesh = machine.mesh();
        self.extents = mesh.extents().map(|extent| extent as usize);
        self.wraps = mesh.wrap();
        for d in 0..3 {
            counts.slices(d, [0; 3], self.extents, &mut self.counts);
            self.at[d].clear();
            if self.wraps[d] {
                self.ring.resize(self.counts.len(), 0);
                distances_along(&self.counts, true, &mut self.ring);
                // Two rounds, so that a range may cross the border.
                self.at[d].extend(self.ring.iter().chain(&self.ring).map(|&far| far as i64));
            } else {
                self.at[d].extend(line(&self.counts, i64::from(machine.free_count())));
                // The sums are convex: they fall up to the median free node and rise from there.
                let falling = |pair: &[i64]| pair[1] < pair[0];
                self.nearest[d] = self.at[d].windows(2).take_while(|pair| falling(pair)).count();
            }
            let below = &mut self.below[d];
            below.clear();
            below.push(0);
            let mut sum = 0;
            below.extend(self.at[d].iter().map(|far| {
                sum += far;
                sum
            }));
        }
    }

    /// Returns, for each position of dimension `d` from `base` on, the sum of hops along `d` to all free
    /// nodes.
    pub(super) fn along(&self, d: usize, base: u32) -> &[i64] {
        &self.at[d][base as usize..]
    }

    /// Returns the number of bases that submeshes of a shape can have along each dimension. The bases are 0,
    /// 1, … below that number.
    pub(super) fn places(&self, shape: &SubmeshShape) -> [usize; 3] {
        [0, 1, 2].map(|d| {
            let (extent, side) = (self.extents[d], shape.sides[d]);
            if self.wraps[d] && side < extent { extent } else { extent - side + 1 }
        })
    }

    /// Sets `terms` to one number for each base along each dimension. The three terms of a submesh add up to
    /// an upper bound of the distances from all its nodes but `spare` to the free nodes: the nodes left out
    /// are counted at the position where the submesh is nearest to the free nodes, separately in each
    /// dimension.
    pub(super) fn terms(&self, shape: &SubmeshShape, spare: i64, terms: &mut [Vec<i64>; 3]) {
        let places = self.places(shape);
        for (d, terms) in terms.iter_mut().enumerate() {
            let (at, below, side) = (&self.at[d], &self.below[d], shape.sides[d]);
            // `across` nodes of the submesh share each position. A difference of prefix sums is the sum over
            // a range.
            let across = (shape.nodes / side as u64) as i64;
            let sums = below[side..].iter().zip(below).map(|(high, low)| across * (high - low));
            terms.clear();
            terms.extend(sums.take(places[d]));
            if spare == 0 {
                continue;
            }
            if self.wraps[d] {
                for (term, window) in terms.iter_mut().zip(at.windows(side)) {
                    *term -= spare * window.iter().copied().min().unwrap_or(0);
                }
                continue;
            }
            // Along a line the sums are convex, so the smallest one of a range needs no search: it is the
            // last of a range that lies where they fall, the first of one that lies where they rise, and else
            // the lowest of all.
            let lowest = self.nearest[d];
            let before = (lowest + 1).saturating_sub(side).min(places[d]);
            let after = lowest.min(places[d]);
            let (falling, rest) = terms.split_at_mut(before);
            let (around, rising) = rest.split_at_mut(after - before);
            for (term, far) in falling.iter_mut().zip(&at[side - 1..]) {
                *term -= spare * far;
            }
            for term in around {
                *term -= spare * at[lowest];
            }
            for (term, far) in rising.iter_mut().zip(&at[after..]) {
                *term -= spare * far;
            }
        }
    }
}

/// Returns, for each position of a line, the sum of distances to the `nodes` nodes of `counts`, the numbers
/// of nodes by position. One sweep: each step is one farther from the nodes passed, and one nearer to all
/// others.
fn line(counts: &[u32], nodes: i64) -> impl Iterator<Item = i64> + '_ {
    let mut below = 0;
    let mut far = counts.iter().zip(0..).map(|(&count, at)| i64::from(count) * at).sum::<i64>();
    counts.iter().map(move |&count| {
        let here = far;
        below += i64::from(count);
        far += 2 * below - nodes;
        here
    })
}

/// Returns the free node with the largest sum of distances to all free nodes, the first of equals; `None` if
/// no node is free. O(L·D), or O(free nodes) if x wraps.
pub(super) fn farthest(machine: &Machine, far: &DistanceSums) -> Option<NodeId> {
    let mesh = machine.mesh();
    let [width, length, depth] = mesh.extents();
    let along = far.along(0, 0);
    let mut best: Option<(i64, NodeId)> = None;
    for z in 0..depth {
        for y in 0..length {
            let row = mesh.node([0, y, z]);
            let across = far.along(1, y)[0] + far.along(2, z)[0];
            let mut look = |x: u32| {
                let sum = along[x as usize] + across;
                if best.is_none_or(|best| sum > best.0) {
                    best = Some((sum, row + x));
                }
            };
            if far.wraps[0] {
                free_in_row(machine, row, width).for_each(look);
                continue;
            }
            // If x does not wrap, the sums along a row are convex, so the largest one is at the first or the
            // last free node.
            if let Some(first) = free_in_row(machine, row, width).next() {
                look(first);
                if let Some(last) = last_in_row(machine, row, width) {
                    look(last);
                }
            }
        }
    }
    best.map(|(_, node)| node)
}

/// Returns the x of each free node of the row that begins with node `row`, ascending; nothing if none is
/// free.
fn free_in_row(machine: &Machine, row: NodeId, width: u32) -> impl Iterator<Item = u32> + '_ {
    (0..width).step_by(64).flat_map(move |from| {
        let bits = machine.free().bits((row + from) as usize, (width - from).min(64) as usize);
        bits_of_word(bits).map(move |bit| from + bit)
    })
}

/// Returns the x of the last free node of the row that begins with node `row`; `None` if none is free.
fn last_in_row(machine: &Machine, row: NodeId, width: u32) -> Option<u32> {
    let chunks = width.div_ceil(64);
    (0..chunks).rev().find_map(|chunk| {
        let from = chunk * 64;
        let bits = machine.free().bits((row + from) as usize, (width - from).min(64) as usize);
        (bits != 0).then(|| from + 63 - bits.leading_zeros())
    })
}
