//! The diameter as a search from all antipodes of nodes at once, 64 nodes at a time.
//!
//! On a ring of n positions, the antipodes of a are the positions farthest from a (one for even n, two for
//! odd n). The hops from a to b are ⌊n/2⌋ minus the hops from b to the nearest antipode of a. So the diameter
//! is Σ⌊n/2⌋ minus the smallest distance between a node and an antipode of a node. The set of antipodes grows
//! by one hop in every direction until it meets the placement. Sets are bit sets, and a row grows by word
//! shifts.
//!
//! A line of m positions is half of a ring of 2·(m − 1) positions: distances are the same.

use super::{Run, Side};

/// The bit sets of the search. Memory is reused between calls.
#[derive(Debug, Default)]
pub(super) struct Antipodes {
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
    pub(super) fn words(sides: &[Side; 3]) -> usize {
        let [width, length, depth] = sides.map(ring);
        width.div_ceil(64) * length * depth
    }

    /// Returns the diameter of `runs`, at least `known`. There must be a run.
    pub(super) fn diameter(&mut self, sides: &[Side; 3], runs: &[Run], known: u32) -> u32 {
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
