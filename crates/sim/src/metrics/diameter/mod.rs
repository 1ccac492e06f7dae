//! The diameter of a placement on a machine that wraps around in some dimension.
//!
//! Nodes come in runs along x, so that a row of nodes costs as much as a node. Three methods in turn:
//!
//! 1. If in every dimension the shortest arc that contains all nodes is at most half the ring, no shortest
//!    path between two nodes leaves the arcs. The arcs are unrolled, and the diameter is the largest range of
//!    one of the forms ±x ± y + z, as on a mesh.
//! 2. Otherwise pairs of runs are compared, the likeliest first. No pair exceeds the sum over the dimensions
//!    of the largest hops along each. Most placements have a pair that reaches this bound, which ends the
//!    search. With few runs all pairs are compared.
//! 3. The remaining placements go to the search of `antipodes`, which handles all nodes at once.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "coordinates are below 2^24, so that sums of three fit 32 bits and are doubled in 64; rows and \
         words are positions on the machine"
)]

mod antipodes;

use super::rows::{NodeRows, unrolled};
use antipodes::Antipodes;
use meshreplay_machine::machine::Mesh;

/// Computes diameters on one machine. Memory is reused between calls.
#[derive(Debug)]
pub(super) struct Diameter {
    extents: [u32; 3],
    wraps: [bool; 3],
    sides: [Side; 3],
    runs: Vec<Run>,
    antipodes: Antipodes,
}

/// One dimension as used by a placement.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// Positions of the ring, or 0 for a line. An arc of at most half its ring is a line.
    ring: u32,
    /// Positions of the shortest arc that contains all nodes. Positions count from its start, and on a ring
    /// from 0.
    arc: u32,
    /// An upper bound of the hops between two nodes along this dimension, at most one too high.
    most: u32,
}

/// Neighbouring nodes of one row, from x = `first` to x = `last`, in positions of [`Side::arc`].
#[derive(Clone, Copy, Debug)]
struct Run {
    first: u32,
    last: u32,
    y: u32,
    z: u32,
}

/// Pairs of runs to compare per word of the search for antipodes, before that search is cheaper.
const PAIRS_PER_WORD: usize = 2;

impl Side {
    /// Returns the hops between two positions.
    fn hops(self, a: u32, b: u32) -> u32 {
        let straight = a.abs_diff(b);
        if self.ring == 0 { straight } else { straight.min(self.ring - straight) }
    }

    /// Returns the most hops along this dimension between a node of run `a` and a node of run `b`.
    fn most_hops(self, a: &Run, b: &Run) -> u32 {
        if self.ring == 0 {
            return a.last.saturating_sub(b.first).max(b.last.saturating_sub(a.first));
        }
        // The differences b − a are the integers from `low` to `high`. The hops peak at ±⌊ring/2⌋ and fall
        // from there, so otherwise the maximum is at an end.
        let low = i64::from(b.first) - i64::from(a.last);
        let high = i64::from(b.last) - i64::from(a.first);
        let half = i64::from(self.ring / 2);
        if (low..=high).contains(&half) || (low..=high).contains(&-half) {
            return self.ring / 2;
        }
        let hops = |apart: i64| apart.abs().min(i64::from(self.ring) - apart.abs()) as u32;
        hops(low).max(hops(high))
    }
}

impl Diameter {
    /// Creates the memory for placements on `mesh`.
    pub(super) fn new(mesh: &Mesh) -> Self {
        Self {
            extents: mesh.extents(),
            wraps: mesh.wrap(),
            sides: [Side::default(); 3],
            runs: Vec::new(),
            antipodes: Antipodes::default(),
        }
    }

    /// Returns the diameter of the placement in `rows`: the largest L1 distance between two nodes, in hops.
    /// `arcs` has, for each dimension, the first position and the length of the shortest arc that contains
    /// all nodes. For r runs on a machine of N nodes usually O(r), at worst O(r²) or O(N/64 · extents),
    /// whichever is less.
    pub(super) fn measure(&mut self, rows: &NodeRows, arcs: [(u32, u32); 3]) -> u32 {
        for (d, &(_, arc)) in arcs.iter().enumerate() {
            let extent = self.extents[d];
            let is_ring = self.wraps[d] && arc > extent / 2 + 1;
            self.sides[d] = if is_ring {
                Side { ring: extent, arc: extent, most: farthest(rows.counts(d)) }
            } else {
                Side { ring: 0, arc, most: arc - 1 }
            };
        }
        self.load(rows, arcs);
        if self.sides.iter().all(|side| side.ring == 0) {
            return unrolled(self.runs.iter().map(|run| [run.first, run.last, run.y, run.z]));
        }
        let most = self.sides.iter().map(|side| side.most).sum();
        let (largest, complete) = self.among_pairs(most);
        if complete { largest } else { self.antipodes.diameter(&self.sides, &self.runs, largest) }
    }

    /// Sets `runs`, with positions from the starts of the arcs.
    fn load(&mut self, rows: &NodeRows, arcs: [(u32, u32); 3]) {
        self.runs.clear();
        let starts = [0, 1, 2].map(|d| if self.sides[d].ring > 0 { 0 } else { arcs[d].0 });
        let extents = self.extents;
        let shifted =
            |d: usize, at: u32| if at < starts[d] { at + extents[d] - starts[d] } else { at - starts[d] };
        for ((y, z), spans) in rows.by_row() {
            let (y, z) = (shifted(1, y), shifted(2, z));
            // No run crosses the start of an arc, because the position before it is empty.
            let run = |(first, last)| Run { first: shifted(0, first), last: shifted(0, last), y, z };
            self.runs.extend(spans.map(run));
        }
    }

    /// Returns the largest distance among pairs of runs, and whether it is the diameter: all pairs were
    /// compared, or one reached the upper bound `most`.
    fn among_pairs(&self, most: u32) -> (u32, bool) {
        let r = self.runs.len();
        let pairs = r * (r + 1) / 2;
        let affordable = 64 + PAIRS_PER_WORD * Antipodes::words(&self.sides);
        let mut left = if pairs <= affordable { pairs } else { r.min(affordable) };
        let mut best = 0;
        for (i, a) in self.runs.iter().enumerate() {
            // From the last run backwards, because the first and the last rows are likely to be far apart.
            for b in self.runs[i..].iter().rev() {
                if left == 0 {
                    return (best, false);
                }
                left -= 1;
                best = best.max(self.distance(a, b));
                if best == most {
                    return (best, true);
                }
            }
        }
        (best, true)
    }

    /// Returns the largest distance between a node of run `a` and a node of run `b`.
    fn distance(&self, a: &Run, b: &Run) -> u32 {
        let [xs, ys, zs] = self.sides;
        xs.most_hops(a, b) + ys.hops(a.y, b.y) + zs.hops(a.z, b.z)
    }
}

/// Returns an upper bound of the hops between two filled positions of a ring: half the ring, or one less if
/// no two of them are opposite.
fn farthest(counts: &[u32]) -> u32 {
    let n = counts.len();
    let half = n / 2;
    // On a ring of odd length a position has two opposites; each pair is found from one of its sides.
    let opposite = counts.iter().zip(&counts[half..]).any(|(&a, &b)| a > 0 && b > 0)
        || counts.iter().zip(&counts[n - half..]).any(|(&a, &b)| a > 0 && b > 0);
    (half - usize::from(!opposite)) as u32
}
