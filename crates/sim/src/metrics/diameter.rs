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
//! 3. The remaining placements go to a search from the antipodes of all nodes at once, 64 nodes at a time.
//!
//! On a ring of n positions, the antipodes of a are the positions farthest from a (one for even n, two for
//! odd n). The hops from a to b are ⌊n/2⌋ minus the hops from b to the nearest antipode of a. So the diameter
//! is Σ⌊n/2⌋ minus the smallest distance between a node and an antipode of a node. The set of antipodes grows
//! by one hop in every direction until it meets the placement. Sets are bit sets, and a row grows by word
//! shifts.
//!
//! A line of m positions is half of a ring of 2·(m − 1) positions: distances are the same.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "coordinates are below 2^24, so that sums of three fit 32 bits and are doubled in 64; rows and \
         words are positions on the machine"
)]

use super::rows::{NodeRows, unrolled};
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

/// The bit sets of the search. Memory is reused between calls.
#[derive(Debug, Default)]
struct Antipodes {
    /// Positions of each ring.
    rings: [usize; 3],
    /// 64-bit words of a row along x.
    words: usize,
    /// The placement, row by row.
    nodes: Vec<u64>,
    /// The reached nodes, in the same layout.
    reached: Vec<u64>,
    /// `reached` after the next hop.
    next: Vec<u64>,
}

/// Returns the length of the ring that represents a dimension.
fn ring(side: Side) -> usize {
    if side.ring > 0 { side.ring as usize } else { (2 * (side.arc as usize - 1)).max(1) }
}

impl Antipodes {
    /// Returns the words of a bit set for these sides.
    fn words(sides: &[Side; 3]) -> usize {
        let [width, length, depth] = sides.map(ring);
        width.div_ceil(64) * length * depth
    }

    /// Returns the diameter of `runs`, at least `known`. There must be a run.
    fn diameter(&mut self, sides: &[Side; 3], runs: &[Run], known: u32) -> u32 {
        self.rings = sides.map(ring);
        self.words = self.rings[0].div_ceil(64);
        for set in [&mut self.nodes, &mut self.reached, &mut self.next] {
            set.clear();
            set.resize(Self::words(sides), 0);
        }
        let [width, length, depth] = self.rings;
        for run in runs {
            let [first, last, y, z] = [run.first, run.last, run.y, run.z].map(|at| at as usize);
            let row = (z * length + y) * self.words;
            fill(&mut self.nodes[row..row + self.words], first, last + 1);
            let opposite = |at: usize, n: usize| [(at + n / 2) % n, (at + n.div_ceil(2)) % n];
            // A ring of odd length has one antipode more than the run has nodes.
            let from = (first + width / 2) % width;
            let count = (last - first + 1 + width % 2).min(width);
            for z in &opposite(z, depth)[..=depth % 2] {
                for y in &opposite(y, length)[..=length % 2] {
                    let row = (z * length + y) * self.words;
                    let row = &mut self.reached[row..row + self.words];
                    fill(row, from, (from + count).min(width));
                    fill(row, 0, (from + count).saturating_sub(width));
                }
            }
        }
        let mut distance: u32 = self.rings.iter().map(|&n| (n / 2) as u32).sum();
        while distance > known && self.nodes.iter().zip(&self.reached).all(|(a, b)| a & b == 0) {
            self.grow();
            distance -= 1;
        }
        distance
    }

    /// Adds all neighbours of the nodes in `reached`.
    fn grow(&mut self) {
        let [width, length, depth] = self.rings;
        let words = self.words;
        for (row, next) in self.reached.chunks_exact(words).zip(self.next.chunks_exact_mut(words)) {
            grow_row(row, next, width);
        }
        let plane = length * words;
        for z in 0..depth {
            let here = z * plane;
            for other in [(z + 1) % depth * plane, (z + depth - 1) % depth * plane] {
                join(&mut self.next[here..here + plane], &self.reached[other..other + plane]);
            }
            // Along y: shift the rows of a plane by one row, with wrap-around.
            let (next, reached) = (&mut self.next[here..here + plane], &self.reached[here..here + plane]);
            join(&mut next[words..], &reached[..plane - words]);
            join(&mut next[..words], &reached[plane - words..]);
            join(&mut next[..plane - words], &reached[words..]);
            join(&mut next[plane - words..], &reached[..words]);
        }
        std::mem::swap(&mut self.reached, &mut self.next);
    }
}

/// Adds the members of `other` to `set`.
fn join(set: &mut [u64], other: &[u64]) {
    for (word, other) in set.iter_mut().zip(other) {
        *word |= other;
    }
}

/// Sets `next` to `row` and its neighbours along x, on a ring of `width` positions.
fn grow_row(row: &[u64], next: &mut [u64], width: usize) {
    let last = row.len() - 1;
    // The last position is bit `top` of the last word.
    let top = (width - 1) % 64;
    for (i, word) in next.iter_mut().enumerate() {
        // The neighbours of the word's first and last bits are in adjacent words, or at the other end of the
        // ring.
        let below = if i > 0 { row[i - 1] >> 63 } else { row[last] >> top };
        let above = if i < last { row[i + 1] << 63 } else { (row[0] & 1) << top };
        *word = row[i] | row[i] << 1 | row[i] >> 1 | below & 1 | above;
    }
    next[last] &= u64::MAX >> (63 - top);
}

/// Sets the bits from `start` (included) to `end` (excluded) of a row.
fn fill(row: &mut [u64], start: usize, end: usize) {
    if start >= end {
        return;
    }
    for (word, bits) in row.iter_mut().enumerate().take(end.div_ceil(64)).skip(start / 64) {
        let (low, high) = (start.saturating_sub(word * 64), (end - word * 64).min(64));
        // Ones from `low` upwards, and ones below `high`.
        *bits |= u64::MAX << low & u64::MAX >> (64 - high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_runs_has_the_diameter_of_its_pairs() {
        let line = |arc: u32| Side { ring: 0, arc, most: 0 };
        let ring = |n: u32| Side { ring: n, arc: n, most: 0 };
        let mut numbers = 1_u64;
        let mut below = |n: u32| {
            numbers = numbers.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((numbers >> 33) % u64::from(n)) as u32
        };
        let mut antipodes = Antipodes::default();
        for sides in [
            [ring(7), line(1), line(1)],
            [ring(64), ring(5), line(1)],
            [ring(65), line(4), ring(2)],
            [line(70), ring(6), ring(3)],
            [line(3), ring(128), line(2)],
            [ring(130), ring(4), ring(5)],
        ] {
            for _ in 0..200 {
                let mut runs = Vec::new();
                for _ in 0..=below(4) {
                    let ends = [below(sides[0].arc), below(sides[0].arc)];
                    let (y, z) = (below(sides[1].arc), below(sides[2].arc));
                    runs.push(Run { first: ends[0].min(ends[1]), last: ends[0].max(ends[1]), y, z });
                }
                let nodes = || runs.iter().flat_map(|run| (run.first..=run.last).map(|x| [x, run.y, run.z]));
                let hops = |a: [u32; 3], b: [u32; 3]| (0..3).map(|d| sides[d].hops(a[d], b[d])).sum::<u32>();
                let plain = nodes().flat_map(|a| nodes().map(move |b| hops(a, b))).max();
                assert_eq!(Some(antipodes.diameter(&sides, &runs, 0)), plain, "{sides:?} {runs:?}");
            }
        }
    }
}
