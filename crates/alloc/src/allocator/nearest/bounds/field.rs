//! The free nodes of a machine as prefix sums along two axes, laid out for vector instructions.
//!
//! The dimensions of the machine are put in order of their extents: the longest is the last *axis*, along which the
//! cells of the field are neighbours in memory. So a loop over the cells from one on is a loop over neighbouring
//! centres. The field is padded: on a line the cells beyond the ends are busy nodes, and on a ring they are the nodes
//! from its other end. So balls that reach beyond an end need no code of their own.

use super::lanes::{LANES, Lanes16, widen_8};
use meshreplay_machine::machine::{Coord, Machine};

/// The most nodes of a line whose free nodes are a difference of two sums.
pub(super) const LINE: u64 = u8::MAX as u64;

/// The free nodes of one machine state.
#[derive(Debug, Default)]
pub(in super::super) struct Field {
    /// The dimension of each axis.
    dims: [usize; 3],
    /// The extent of each axis.
    pub(in super::super) extents: [usize; 3],
    pads: [usize; 3],
    /// The number of cells between neighbours along each axis.
    pub(super) steps: [usize; 3],
    /// 1 for a free node, 0 for a busy one.
    flags: Vec<u8>,
    /// For each cell the number of free nodes before it along the last axis, modulo 2^8, as no line of a ball has more nodes than
    /// [`LINE`]. So most of what neighbouring balls need stays in the nearest caches.
    along: Vec<u8>,
    /// For each cell the number of free nodes before it along the middle axis, modulo 2^8.
    across: Vec<u8>,
    /// The same along the diagonals on which both of these axes ascend.
    rising: Vec<u8>,
    /// The same along the diagonals on which the middle axis ascends and the last one descends.
    falling: Vec<u8>,
}

impl Field {
    /// Sets the field to the free nodes of `machine`. Axes of more than one node are padded by `pad` cells, which must not
    /// be more than a ring has. O(cells).
    pub(in super::super) fn fill(&mut self, machine: &Machine, pad: usize) {
        let mesh = machine.mesh();
        let extents = mesh.extents().map(|extent| extent as usize);
        self.dims = [2, 1, 0];
        self.dims.sort_by_key(|&d| extents[d]);
        self.extents = self.dims.map(|d| extents[d]);
        self.pads = self.extents.map(|extent| if extent > 1 { pad } else { 0 });
        let [first, middle, last] = [0, 1, 2].map(|axis| self.extents[axis] + 2 * self.pads[axis] + 1);
        // The last axis has room for all lanes from its last node on.
        self.steps = [middle * (last + LANES), last + LANES, 1];
        let cells = first * self.steps[0];
        self.flags.clear();
        self.flags.resize(cells, 0);
        for sums in [&mut self.along, &mut self.across, &mut self.rising, &mut self.falling] {
            sums.resize(cells, 0);
        }
        self.set_flags(machine);
        for axis in [2, 1, 0] {
            if mesh.wraps(self.dims[axis]) {
                self.wrap(axis);
            }
        }
        self.sum_up();
    }

    /// Returns the cell of a node.
    pub(in super::super) fn cell(&self, at: [usize; 3]) -> usize {
        (0..3).map(|axis| (at[axis] + self.pads[axis]) * self.steps[axis]).sum()
    }

    /// Returns the coordinates of a node that is given by its place along each axis.
    pub(in super::super) fn coord(&self, at: [usize; 3]) -> Coord {
        let mut coord = [0; 3];
        for (&d, at) in self.dims.iter().zip(at) {
            coord[d] = at as u32;
        }
        coord
    }

    /// Returns the axes along which the machine has one node.
    pub(super) fn flat(&self) -> [bool; 3] {
        self.extents.map(|extent| extent == 1)
    }

    /// Returns the dimension of an axis.
    pub(in super::super) fn dim(&self, axis: usize) -> usize {
        self.dims[axis]
    }

    /// Returns the free nodes from a cell on: 1 for a free one, 0 for others.
    #[inline(always)]
    pub(in super::super) fn free(&self, cell: usize) -> Lanes16 {
        widen_8(lanes(&self.flags, cell))
    }

    /// Returns two sums for each lane from a cell on. Their difference is the number of free nodes on a line along the last axis,
    /// given by how many cells its beginning and its end are from the cell.
    #[inline(always)]
    pub(super) fn along(&self, cell: usize, line: [isize; 2]) -> [&[u8; LANES]; 2] {
        line.map(|end| lanes(&self.along, cell.wrapping_add_signed(end)))
    }

    /// Returns the same as [`Self::along`] for the middle axis.
    #[inline(always)]
    pub(super) fn across(&self, cell: usize, line: [isize; 2]) -> [&[u8; LANES]; 2] {
        line.map(|end| lanes(&self.across, cell.wrapping_add_signed(end)))
    }

    /// Returns the same as [`Self::along`] for the diagonals on which both of these axes ascend.
    #[inline(always)]
    pub(super) fn rising(&self, cell: usize, line: [isize; 2]) -> [&[u8; LANES]; 2] {
        line.map(|end| lanes(&self.rising, cell.wrapping_add_signed(end)))
    }

    /// Returns the same as [`Self::along`] for the diagonals on which the middle axis ascends and the last one descends.
    #[inline(always)]
    pub(super) fn falling(&self, cell: usize, line: [isize; 2]) -> [&[u8; LANES]; 2] {
        line.map(|end| lanes(&self.falling, cell.wrapping_add_signed(end)))
    }

    /// Sets the flags of the free nodes, 64 nodes of a row after those of the row before, so that rows that lie across
    /// the last axis stay in the cache.
    fn set_flags(&mut self, machine: &Machine) {
        let [width, length, depth] = machine.mesh().extents().map(|extent| extent as usize);
        let mut steps = [0; 3];
        for (axis, &d) in self.dims.iter().enumerate() {
            steps[d] = self.steps[axis];
        }
        let origin = self.cell([0; 3]);
        for z in 0..depth {
            for from in (0..width).step_by(64) {
                for y in 0..length {
                    let cell = origin + z * steps[2] + y * steps[1] + from * steps[0];
                    let count = 64.min(width - from);
                    let mut bits = machine.free().bits((z * length + y) * width + from, count);
                    while bits != 0 {
                        self.flags[cell + bits.trailing_zeros() as usize * steps[0]] = 1;
                        bits &= bits - 1;
                    }
                }
            }
        }
    }

    /// Continues a ring for as many cells as it is padded by at both ends.
    fn wrap(&mut self, axis: usize) {
        let (step, pad, extent) = (self.steps[axis], self.pads[axis], self.extents[axis]);
        let lines = if axis == 0 { self.flags.len() } else { self.steps[axis - 1] };
        for line in self.flags.chunks_exact_mut(lines) {
            line.copy_within(extent * step..(extent + pad) * step, 0);
            line.copy_within(pad * step..2 * pad * step, (extent + pad) * step);
        }
    }

    /// Computes the prefix sums of the flags.
    fn sum_up(&mut self) {
        let [slab, row, _] = self.steps;
        for (sums, flags) in self.along.chunks_exact_mut(row).zip(self.flags.chunks_exact(row)) {
            let mut before = 0_u8;
            for (sum, &flag) in sums.iter_mut().zip(flags) {
                *sum = before;
                before = before.wrapping_add(flag);
            }
        }
        // The next cell of a diagonal is one further, or one nearer, than the next one across.
        for (sums, step) in
            [(&mut self.across, row), (&mut self.rising, row + 1), (&mut self.falling, row - 1)]
        {
            for (sums, flags) in sums.chunks_exact_mut(slab).zip(self.flags.chunks_exact(slab)) {
                sum_up_by_steps(sums, flags, step);
            }
        }
    }
}

/// Sets each sum to the number of flags so many cells before it, twice as many, and so on.
fn sum_up_by_steps(sums: &mut [u8], flags: &[u8], step: usize) {
    let first = step.min(sums.len());
    sums[..first].fill(0);
    // Sums a step apart lie in two slices, so that the compiler sees that they can be computed side by side.
    for from in (step..sums.len()).step_by(step) {
        let (done, open) = sums.split_at_mut(from);
        let before = done[from - step..].iter().zip(&flags[from - step..from]);
        for (sum, (before, flag)) in open.iter_mut().zip(before) {
            *sum = before.wrapping_add(*flag);
        }
    }
}

/// Returns the lanes from a cell on.
#[inline(always)]
fn lanes(cells: &[u8], from: usize) -> &[u8; LANES] {
    const NONE: &[u8; LANES] = &[0; LANES];
    cells[from..].first_chunk().unwrap_or(NONE)
}
