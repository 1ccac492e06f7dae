//! The Hilbert curve of squares and cubes, and the walk along it that all Hilbert orders share.
//!
//! The curve is defined by recursion. A cell (a square or cube) is cut into halves along every axis, which
//! gives 2^N smaller cells. The curve visits them in Gray-code order, so that consecutive cells are
//! neighbours. Inside each of them it is the same curve again, turned and mirrored.

use super::{Mesh, NodeId, Side, Sides, spliced};

/// Returns the nodes along the curve. Squares and cubes of side 2^n have the Hilbert curve from the origin to
/// the far end of the x axis. Other rectangles have the curve of [`spliced`]. Other cuboids have the curve of
/// the smallest cube of side 2^n that contains them, without the nodes that they lack; it jumps where the
/// curve of the cube leaves the cuboid.
pub(super) fn nodes(mesh: &Mesh) -> Vec<NodeId> {
    let Sides([long, middle, short]) = Sides::from_mesh(mesh);
    if short.extent == 1 {
        return spliced::nodes(mesh);
    }
    let cells: Vec<u32> = (0..long.extent).collect();
    let sides = [long, middle, short];
    let mut nodes = Vec::with_capacity(Sides(sides).nodes());
    walk(sides.map(|side| &cells[..side.extent as usize]), bits(long.extent), skilling, |at| {
        nodes.push(node(&sides, at));
    });
    nodes
}

/// Returns whether the curve is sure to be continuous: on cubes of side 2^n, and on rectangles where
/// [`spliced`] is.
pub(super) fn is_continuous(mesh: &Mesh) -> bool {
    let Sides([long, _, short]) = Sides::from_mesh(mesh);
    if short.extent == 1 {
        return spliced::is_continuous(mesh);
    }
    long == Side { extent: short.extent, ..long } && long.extent.is_power_of_two()
}

/// Returns the least n with 2^n ≥ `extent`.
pub(super) fn bits(extent: u32) -> u32 {
    extent.next_power_of_two().trailing_zeros()
}

/// Returns the number of the node at position `at` along `sides`.
pub(super) fn node<const N: usize>(sides: &[Side; N], at: [u32; N]) -> NodeId {
    sides.iter().zip(at).map(|(side, i)| side.stride * i).sum()
}

/// The orientation of the curve in a cell: rotation and reflection. The curve has axes of its own, the
/// slowest first.
#[derive(Clone, Copy)]
pub(super) struct Pose<const N: usize> {
    /// For each axis of the curve, the index of the grid's axis.
    pub(super) axes: [usize; N],
    /// For each axis of the curve, whether the curve runs along it from the far end.
    pub(super) flipped: [bool; N],
}

impl<const N: usize> Pose<N> {
    /// Returns for each axis whether a half is the farther one on the grid. `half` gives the same in the
    /// direction of the curve, which is the opposite on flipped axes.
    fn far(&self, half: [bool; N]) -> [bool; N] {
        std::array::from_fn(|i| half[i] != self.flipped[i])
    }
}

/// A rule of recursion. It returns the pose of the curve in one of the 2^N cells of a cell with pose `pose`.
/// `digit` is the number of that small cell along the curve, from 0. `half` has for each axis of the curve
/// whether the small cell is in the farther half, in the direction of the curve.
pub(super) type Turn<const N: usize> = fn(pose: Pose<N>, digit: usize, half: [bool; N]) -> Pose<N>;

/// Returns the pose by the rule of J. Skilling ("Programming the Hilbert curve", AIP Conf. Proc. 707, 2004),
/// applied from the largest cell to the smallest. Go through the axes of the curve: a farther half flips the
/// first axis, and a nearer half exchanges its axis with the first. In the end an odd number of farther
/// halves flips the first axis once more.
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

/// Visits every position of a grid in the order of the Hilbert curve in the square or cube `[0, 2^bits)^N`,
/// with the rule of recursion `turn`.
///
/// `cells[d][i]` is the cell coordinate of position i along axis d. It is below 2^bits and does not decrease
/// with i. Axis 0 is the slowest of the curve. Positions in the same cell are visited one after the other,
/// with the last axis fastest. Parts of the cube without positions are skipped as a whole. So the cost is
/// O(positions) for grids that spread over their cube, and O(positions · bits) at worst.
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

/// A part of the grid: the positions `from[d]..to[d]` of every axis d.
#[derive(Clone, Copy)]
struct Span<const N: usize> {
    from: [u32; N],
    to: [u32; N],
}

/// A walk with its grid, its rule of recursion and the function to call.
struct Walk<'a, const N: usize, V> {
    cells: [&'a [u32]; N],
    turn: Turn<N>,
    visit: V,
}

impl<const N: usize, V: FnMut([u32; N])> Walk<'_, N, V> {
    /// Visits the positions of `span`, all within one cell with sides of 2^bits, where the curve has pose
    /// `pose`.
    fn descend(&mut self, pose: Pose<N>, bits: u32, span: Span<N>) {
        if bits == 0 || (0..N).all(|d| span.to[d] - span.from[d] == 1) {
            return self.visit_all(span);
        }
        // The highest bit of a cell's coordinate is set in the farther half.
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

    /// Visits the positions of `span`, with the last axis fastest.
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

/// Returns the `digit`-th code word of the Gray code as bits, the slowest first.
fn gray<const N: usize>(digit: usize) -> [bool; N] {
    let code = digit ^ (digit >> 1);
    std::array::from_fn(|i| code >> (N - 1 - i) & 1 == 1)
}
