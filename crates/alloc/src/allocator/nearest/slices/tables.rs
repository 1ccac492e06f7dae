//! The tables of slices, one radius after another.

use pulp::{Arch, Simd, WithSimd};

use super::axis::Axis;
use crate::allocator::nearest::bounds::LANES;
use meshreplay_machine::machine::{Coord, Machine, Mesh};

/// The tables of all radii together have at most so many entries, of two bytes each.
const MOST: usize = 1 << 25;

/// One number for each node of the machine.
pub(super) type Table = Vec<u16>;

/// The slices of the balls of one machine state.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// The dimension of each axis. The longest is the last one, along which entries are neighbours.
    dims: [usize; 3],
    pub(super) axes: [Axis; 3],
    /// The entries of a row along the last axis.
    pub(super) width: usize,
    /// The same for tables whose rows go on beyond both ends: on a line there is nothing, and on a ring its other end.
    wide: usize,
    /// The entries beyond the lower end of such rows.
    pad: usize,
    /// 1 for a free node, in such rows.
    flags: Table,
    /// For each radius the free nodes along the last axis, and along the middle one in wide rows.
    rows: Vec<Table>,
    columns: Vec<Table>,
    /// For each radius the free nodes of slices across each axis; across the last one in wide rows.
    pub(super) across: [Vec<Table>; 3],
    /// The sums from which the next tables across each axis, and that of whole balls, follow.
    sums: [Cones; 4],
    /// For each node the free nodes of the ball of the radius at hand.
    balls: Table,
    /// For each node the least radius with k free nodes, as far as radii have come, and the number of those that are nearer.
    pub(super) needs: Table,
    pub(super) inner: Table,
    /// For each node the number of the free nodes within that radius.
    pub(super) within: Table,
    /// Memory of tables that are not in use, of narrow and of wide rows.
    spare: [Vec<Table>; 2],
}

/// Sums of slices from each position of an axis on, upwards and downwards, each slice with a radius less than the one before; and
/// room for those of the next radius.
#[derive(Debug, Default)]
struct Cones {
    up: [Table; 2],
    down: [Table; 2],
}

/// Where rows lie across which sums run: there are `outer` times as many as the axis has positions.
#[derive(Clone, Copy)]
struct Across {
    axis: Axis,
    outer: usize,
    width: usize,
}

impl Tables {
    /// Starts with the free nodes of `machine` and no radius, of which there are to be at most `most`.
    pub(super) fn begin(&mut self, machine: &Machine, most: usize) {
        let mesh = machine.mesh();
        let extents = mesh.extents().map(|extent| extent as usize);
        self.dims = [2, 1, 0];
        self.dims.sort_by_key(|&d| extents[d]);
        self.axes = self.dims.map(|d| Axis { extent: extents[d], is_ring: mesh.wraps(d) });
        let [a, b, c] = self.axes.map(|axis| axis.extent);
        self.width = c.next_multiple_of(LANES);
        self.pad = self.axes[2].reach()[1].min(most);
        self.wide = (c + 2 * self.pad + LANES).next_multiple_of(LANES);
        let [across_a, across_b, across_c] = &mut self.across;
        let [narrow, wide] = &mut self.spare;
        for tables in [&mut self.rows, across_a, across_b] {
            narrow.append(tables);
        }
        for tables in [&mut self.columns, across_c] {
            wide.append(tables);
        }
        for table in [&mut self.balls, &mut self.needs, &mut self.inner, &mut self.within] {
            table.clear();
            table.resize(a * b * self.width, 0);
        }
        let wide = a * b * self.wide;
        self.flags.clear();
        self.flags.resize(wide, 0);
        let steps = [0, 1, 2].map(|d| [b * self.wide, self.wide, 1][self.axis(d)]);
        let [width, length, depth] = extents;
        for z in 0..depth {
            for y in 0..length {
                let from = self.pad + z * steps[2] + y * steps[1];
                for first in (0..width).step_by(64) {
                    let mut bits =
                        machine.free().bits((z * length + y) * width + first, 64.min(width - first));
                    while bits != 0 {
                        self.flags[from + (first + bits.trailing_zeros() as usize) * steps[0]] = 1;
                        bits &= bits - 1;
                    }
                }
            }
        }
        if self.axes[2].is_ring {
            let pad = self.pad;
            for row in self.flags.chunks_exact_mut(self.wide) {
                row.copy_within(c..c + pad, 0);
                row.copy_within(pad..2 * pad, pad + c);
            }
        }
    }

    /// Returns the most radii for which there is memory on a machine.
    pub(super) fn most(mesh: &Mesh) -> usize {
        let nodes = mesh.nodes() as usize;
        let longest = mesh.extents().into_iter().max().unwrap_or(1) as usize;
        // Rows are filled up for vectors, and wide ones go on for the length of the axis at both ends, or for half of it around a ring.
        let filled = longest.next_multiple_of(LANES);
        let entries = nodes / longest * (3 * filled + 2 * (3 * filled + LANES));
        MOST / entries
    }

    /// Returns the number of radii that there are tables for.
    pub(super) fn radii(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether a larger radius has more nodes.
    pub(super) fn can_grow(&self) -> bool {
        self.radii() <= self.axes.iter().map(|axis| axis.reach()[1]).sum()
    }

    /// Adds the tables of the next radius, and counts it for the nodes with fewer than `k` free nodes within it.
    pub(super) fn grow(&mut self, arch: Arch, k: u16) {
        let radius = self.radii();
        let [a, b, _] = self.axes.map(|axis| axis.extent);
        let rows = a * b;
        let [spare_narrow, spare_wide] = &mut self.spare;
        let fresh = |spare: &mut Vec<Table>, width: usize| {
            let mut table = spare.pop().unwrap_or_default();
            table.resize(rows * width, 0);
            table
        };
        let (mut row, mut column) = (fresh(spare_narrow, self.width), fresh(spare_wide, self.wide));
        let mut across =
            [fresh(spare_narrow, self.width), fresh(spare_narrow, self.width), fresh(spare_wide, self.wide)];
        arch.dispatch(Rows { tables: self, radius, row: &mut row, column: &mut column });
        self.rows.push(row);
        self.columns.push(column);
        let [axis_a, axis_b, _] = self.axes;
        let planes = Across { axis: axis_b, outer: a, width: self.width };
        let narrow = Across { axis: axis_a, outer: 1, width: b * self.width };
        let wide = Across { axis: axis_a, outer: 1, width: b * self.wide };
        let [of_a, of_b, of_c, of_balls] = &mut self.sums;
        arch.dispatch(Widen { cones: of_a, lines: &self.rows, across: planes, out: &mut across[0] });
        arch.dispatch(Widen { cones: of_b, lines: &self.rows, across: narrow, out: &mut across[1] });
        arch.dispatch(Widen { cones: of_c, lines: &self.columns, across: wide, out: &mut across[2] });
        for (tables, table) in self.across.iter_mut().zip(across) {
            tables.push(table);
        }
        arch.dispatch(Widen {
            cones: of_balls,
            lines: &self.across[0],
            across: narrow,
            out: &mut self.balls,
        });
        let Self { balls, needs, inner, within, .. } = self;
        arch.dispatch(Count { balls, needs, inner, within, k, radius: radius as u16 });
    }

    /// Returns the entry of a node in tables of narrow rows.
    pub(super) fn cell(&self, [a, b, c]: [usize; 3]) -> usize {
        (a * self.axes[1].extent + b) * self.width + c
    }

    /// Returns the entry of a node in tables of wide rows.
    pub(super) fn wide_cell(&self, [a, b, c]: [usize; 3]) -> usize {
        (a * self.axes[1].extent + b) * self.wide + self.pad + c
    }

    /// Returns the entries between neighbours along each axis in tables of wide rows.
    pub(super) fn wide_steps(&self) -> [isize; 3] {
        [self.axes[1].extent * self.wide, self.wide, 1].map(|steps| steps as isize)
    }

    /// Returns whether a node is free.
    pub(super) fn is_free(&self, at: [usize; 3]) -> bool {
        self.flag(self.wide_cell(at)) != 0
    }

    /// Returns for the nodes from an entry of a wide row on 1 if they are free, and 0 if they are busy or not there.
    pub(super) fn free(&self, wide_cell: usize) -> &[u16; LANES] {
        self.flags[wide_cell..].first_chunk().unwrap_or(&[0; LANES])
    }

    /// Returns 1 if an entry of a wide row is a free node, and 0 if it is busy or not there.
    pub(super) fn flag(&self, wide_cell: usize) -> u16 {
        self.flags[wide_cell]
    }

    /// Returns the number of positions of each axis.
    pub(super) fn extents(&self) -> [usize; 3] {
        self.axes.map(|axis| axis.extent)
    }

    /// Returns the dimension of an axis.
    pub(super) fn dim(&self, axis: usize) -> usize {
        self.dims[axis]
    }

    /// Returns the axis of a dimension.
    pub(super) fn axis(&self, dim: usize) -> usize {
        self.dims.iter().position(|&of_axis| of_axis == dim).unwrap_or(0)
    }

    /// Returns the coordinates of a node that is given by its place along each axis.
    pub(super) fn coord(&self, at: [usize; 3]) -> Coord {
        let mut coord = [0; 3];
        for (&d, at) in self.dims.iter().zip(at) {
            coord[d] = at as u32;
        }
        coord
    }

    /// Returns the slices of a ball along an axis.
    pub(super) fn slices(&self, at: [usize; 3], radius: usize, axis: usize) -> Slices<'_> {
        let along = self.axes[axis];
        let (from, step) = if axis == 2 {
            (self.wide_cell(at), 1)
        } else {
            (self.cell(at), if axis == 1 { self.width } else { self.axes[1].extent * self.width })
        };
        let is_inside = axis == 2 || at[axis] >= radius && at[axis] + radius < along.extent;
        Slices { across: &self.across[axis], along, at: at[axis], radius, from, step, is_inside }
    }
}

/// The slices of a ball along an axis.
pub(super) struct Slices<'a> {
    across: &'a [Table],
    along: Axis,
    /// The position of the centre.
    at: usize,
    radius: usize,
    /// The entry of the centre, and the entries between neighbours along the axis.
    from: usize,
    step: usize,
    /// Whether no slice lies beyond an end of the axis, or rows go on there.
    is_inside: bool,
}

impl Slices<'_> {
    /// Returns the number of free nodes of the slice at an offset from the centre, which must be within the radius and, around a ring, be the
    /// shortest way to its position.
    pub(super) fn at(&self, offset: isize) -> u32 {
        let Self { across, along, at, from, step, .. } = *self;
        let table = &across[self.radius - offset.unsigned_abs()];
        if self.is_inside {
            return table[from.wrapping_add_signed(offset * step as isize)].into();
        }
        along.place(at, offset).map_or(0, |to| table[from - at * step + to * step].into())
    }
}

/// The rows and columns of a radius, to be compiled for each set of vector instructions.
struct Rows<'a> {
    tables: &'a Tables,
    radius: usize,
    row: &'a mut [u16],
    column: &'a mut [u16],
}

impl WithSimd for Rows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { tables, radius, row, column } = self;
        let Tables { axes: [_, axis_b, axis_c], width, wide, pad, flags, rows, columns, .. } = tables;
        let ([down, up], c) = (axis_c.reach(), axis_c.extent);
        for (line, (row, flags)) in row.chunks_exact_mut(*width).zip(flags.chunks_exact(*wide)).enumerate() {
            if radius == 0 {
                row[..c].copy_from_slice(&flags[*pad..*pad + c]);
                row[c..].fill(0);
                continue;
            }
            row.copy_from_slice(&rows[radius - 1][line * width..(line + 1) * width]);
            if radius <= down {
                add(&mut row[..c], &flags[pad - radius..]);
            }
            if radius <= up {
                add(&mut row[..c], &flags[pad + radius..]);
            }
        }
        let ([down, up], b) = (axis_b.reach(), axis_b.extent);
        let line = |line: usize| line * wide..(line + 1) * wide;
        for (at, column) in column.chunks_exact_mut(*wide).enumerate() {
            if radius == 0 {
                column.copy_from_slice(&flags[line(at)]);
                continue;
            }
            column.copy_from_slice(&columns[radius - 1][line(at)]);
            let (first, at) = (at / b * b, at % b);
            for other in [
                axis_b.down(at, radius).filter(|_| radius <= down),
                axis_b.up(at, radius).filter(|_| radius <= up),
            ]
            .into_iter()
            .flatten()
            {
                add(column, &flags[line(first + other)]);
            }
        }
    }
}

/// Adds the numbers of a list to those of another one.
#[inline(always)]
fn add(sums: &mut [u16], more: &[u16]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.wrapping_add(*more);
    }
}

/// The table of the next radius, whose slices are sums of thinner ones, to be compiled for each set of vector instructions.
struct Widen<'a> {
    cones: &'a mut Cones,
    /// The thinner slices of each radius up to this one.
    lines: &'a [Table],
    across: Across,
    out: &'a mut [u16],
}

impl WithSimd for Widen<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { cones: Cones { up, down }, lines, across: Across { axis, outer, width }, out } = self;
        let radius = lines.len() - 1;
        for sums in up.iter_mut().chain(&mut *down) {
            sums.resize(out.len(), 0);
        }
        let ([up_before, up_next], [down_before, down_next]) = (up, down);
        let [most_down, most_up] = axis.reach();
        for number in 0..outer {
            let first = number * axis.extent;
            let row = |at: usize| (first + at) * width..(first + at + 1) * width;
            for at in 0..axis.extent {
                let here = &lines[radius][row(at)];
                for (next, before, other, last, most) in [
                    (&mut *up_next, &*up_before, axis.up(at, 1), axis.up(at, most_up + 1), most_up),
                    (
                        &mut *down_next,
                        &*down_before,
                        axis.down(at, 1),
                        axis.down(at, most_down + 1),
                        most_down,
                    ),
                ] {
                    let next = &mut next[row(at)];
                    next.copy_from_slice(here);
                    let Some(other) = other.filter(|_| radius > 0) else { continue };
                    add(next, &before[row(other)]);
                    // On a ring the cone of the neighbour reaches one position too far.
                    if let Some(last) = last.filter(|_| axis.is_ring && radius > most) {
                        for (next, less) in next.iter_mut().zip(&lines[radius - 1 - most][row(last)]) {
                            *next = next.wrapping_sub(*less);
                        }
                    }
                }
                let sums = up_next[row(at)].iter().zip(&down_next[row(at)]).zip(here);
                for (out, ((up, down), here)) in out[row(at)].iter_mut().zip(sums) {
                    *out = up.wrapping_add(*down).wrapping_sub(*here);
                }
            }
        }
        std::mem::swap(up_before, up_next);
        std::mem::swap(down_before, down_next);
    }
}

/// Counts the radii with fewer than k nodes, to be compiled for each set of vector instructions.
struct Count<'a> {
    balls: &'a [u16],
    needs: &'a mut [u16],
    inner: &'a mut [u16],
    within: &'a mut [u16],
    k: u16,
    radius: u16,
}

impl WithSimd for Count<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { balls, needs, inner, within, k, radius } = self;
        for (((&ball, need), inner), within) in balls.iter().zip(needs).zip(inner).zip(within) {
            // Numbers of larger balls may be beyond 16 bits.
            let (is_next, is_short) = (*need == radius, ball < k);
            *within = if is_next { ball } else { *within };
            *need += u16::from(is_next && is_short);
            *inner = if is_next && is_short { ball } else { *inner };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::NodeId;

    #[test]
    fn slices_and_needs_are_those_that_are_counted() -> Result<(), Box<dyn std::error::Error>> {
        let mut tables = Tables::default();
        for text in
            ["9", "torus:9", "7x5", "torus:7x6", "3x4x5", "torus:5x6x4", "4x7x5:wrap=xz", "torus:2x1x18"]
        {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<NodeId> =
                (0..machine.mesh().nodes()).filter(|n| (n * n + n / 3) % 4 == 1).collect();
            machine.occupy(&busy)?;
            let (mesh, k) = (machine.mesh(), machine.free_count() / 2);
            let free: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
            tables.begin(&machine, 100);
            while tables.can_grow() {
                let radius = tables.radii();
                tables.grow(Arch::new(), k as u16);
                for node in 0..mesh.nodes() {
                    let centre = mesh.coord(node);
                    let at = [0, 1, 2].map(|axis| centre[tables.dim(axis)] as usize);
                    let within = |radius: usize| {
                        free.iter().filter(move |&&node| mesh.l1(centre, node) as usize <= radius)
                    };
                    for axis in 0..3 {
                        let (d, along) = (tables.dim(axis), tables.axes[axis]);
                        let [down, up] = along.reach().map(|reach| reach.min(radius) as isize);
                        let slices = tables.slices(at, radius, axis);
                        for offset in -down..=up {
                            let to = along.place(at[axis], offset);
                            let counted = within(radius).filter(|node| Some(node[d] as usize) == to).count();
                            let slice = to.map_or(0, |_| slices.at(offset) as usize);
                            assert_eq!(
                                slice, counted,
                                "{text}: {centre:?}, radius {radius}, {offset} along {d}"
                            );
                        }
                    }
                    let need = (0..=radius).find(|&radius| within(radius).count() >= k as usize);
                    let need = need.unwrap_or(radius + 1);
                    let cell = tables.cell(at);
                    assert_eq!(usize::from(tables.needs[cell]), need, "{text}: {centre:?}");
                    if need > 0 {
                        assert_eq!(usize::from(tables.inner[cell]), within(need - 1).count());
                    }
                    if need <= radius {
                        assert_eq!(usize::from(tables.within[cell]), within(need).count());
                    }
                }
            }
        }
        Ok(())
    }
}
