//! The walk along a Hilbert curve that all Hilbert orders share.

use super::{NodeId, Side};

/// Returns the least n with 2^n ≥ `extent`.
pub(super) fn bits(extent: u32) -> u32 {
    extent.next_power_of_two().trailing_zeros()
}

/// Returns the node at position `at` along `sides`.
pub(super) fn node<const N: usize>(sides: &[Side; N], at: [u32; N]) -> NodeId {
    sides.iter().zip(at).map(|(side, i)| side.stride * i).sum()
}

/// How the curve lies in a square or cube of 2^k cells a side: which real axis each of its own axes is, slowest
/// first, and whether it runs along it from the far end.
#[derive(Clone, Copy)]
pub(super) struct Pose<const N: usize> {
    pub(super) axes: [usize; N],
    pub(super) flipped: [bool; N],
}

impl<const N: usize> Pose<N> {
    /// Per own axis, whether the half that the curve calls `half` is the farther one of the real axis.
    fn far(&self, half: [bool; N]) -> [bool; N] {
        std::array::from_fn(|i| half[i] != self.flipped[i])
    }
}

/// The pose in the `digit`-th of the 2^N halves-per-side cells of a cell that is in the pose given. `half` tells per
/// own axis whether that is the farther half.
pub(super) type Turn<const N: usize> = fn(pose: Pose<N>, digit: usize, half: [bool; N]) -> Pose<N>;

/// J. Skilling's rule ("Programming the Hilbert curve", AIP Conf. Proc. 707, 2004), read from the top: per own axis,
/// a farther half flips the first axis, a nearer one exchanges it with the first; an odd number of farther halves
/// flips the first once more.
pub(super) fn skilling<const N: usize>(mut pose: Pose<N>, _digit: usize, half: [bool; N]) -> Pose<N> {
    for (i, &far) in half.iter().enumerate() {
        if far {
            pose.flipped[0] = !pose.flipped[0];
        } else {
            pose.axes.swap(0, i);
            pose.flipped.swap(0, i);
        }
    }
    pose.flipped[0] ^= half.iter().filter(|&&far| far).count() % 2 == 1;
    pose
}

/// Visits every position of a grid in the order of the Hilbert curve in the square or cube `[0, 2^bits)^N`.
///
/// `cells[d][i]` is the cell, ascending in i and below 2^bits, in which position i of axis d lies; axis 0 is the
/// curve's slowest. Positions in the same cell are visited in turn, the last axis fastest. Parts of the cube without
/// positions are skipped whole, so the cost is O(positions) for grids that spread over their cube, and
/// O(positions · bits) at worst.
pub(super) fn walk<const N: usize>(
    cells: [&[u32]; N],
    bits: u32,
    turn: Turn<N>,
    visit: impl FnMut([u32; N]),
) {
    let pose = Pose { axes: std::array::from_fn(|i| i), flipped: [false; N] };
    let to = cells.map(|cells| cells.len() as u32);
    Walk { cells, turn, visit }.descend(pose, bits, Span { from: [0; N], to });
}

/// The positions `from[d]..to[d]` of every axis.
#[derive(Clone, Copy)]
struct Span<const N: usize> {
    from: [u32; N],
    to: [u32; N],
}

struct Walk<'a, const N: usize, V> {
    cells: [&'a [u32]; N],
    turn: Turn<N>,
    visit: V,
}

impl<const N: usize, V: FnMut([u32; N])> Walk<'_, N, V> {
    /// Visits the positions of `span`, which lie in one cell of 2^bits a side.
    fn descend(&mut self, pose: Pose<N>, bits: u32, span: Span<N>) {
        if bits == 0 || (0..N).all(|d| span.to[d] - span.from[d] == 1) {
            return self.visit_all(span);
        }
        let farther = 1 << (bits - 1);
        let middle: [u32; N] = std::array::from_fn(|d| {
            let (from, to) = (span.from[d], span.to[d]);
            from + self.cells[d][from as usize..to as usize].partition_point(|cell| cell & farther == 0)
                as u32
        });
        for digit in 0..1_usize << N {
            let half = gray::<N>(digit);
            let mut part = span;
            for (d, far) in pose.axes.into_iter().zip(pose.far(half)) {
                if far {
                    part.from[d] = middle[d];
                } else {
                    part.to[d] = middle[d];
                }
            }
            if (0..N).all(|d| part.from[d] < part.to[d]) {
                self.descend((self.turn)(pose, digit, half), bits - 1, part);
            }
        }
    }

    fn visit_all(&mut self, span: Span<N>) {
        let mut at = span.from;
        loop {
            (self.visit)(at);
            let Some(d) = (0..N).rev().find(|&d| at[d] + 1 < span.to[d]) else { return };
            at[d] += 1;
            at[d + 1..].copy_from_slice(&span.from[d + 1..]);
        }
    }
}

/// Returns the `digit`-th corner in Gray-code order, as bits of which the first is the slowest.
fn gray<const N: usize>(digit: usize) -> [bool; N] {
    let code = digit ^ (digit >> 1);
    std::array::from_fn(|i| code >> (N - 1 - i) & 1 == 1)
}
