//! Counts the free nodes of submeshes by prefix sums over the machine (a summed-area table).

use std::fmt::Debug;
use std::ops::Range;

use meshreplay_machine::machine::{Coord, Machine};

/// An unsigned integer that is wide enough to count the nodes of a machine. The narrower it is, the more
/// counts one vector instruction adds.
///
/// Its arithmetic wraps. Prefix sums on a torus may exceed the type, but the result of adding and subtracting
/// them is exact if the result fits, and a number of nodes fits.
pub(super) trait Count: Copy + Debug + Default + Ord + Send + 'static {
    /// The largest number that the type can hold.
    const LARGEST: u32;

    /// Returns the lowest bits of `number`, as many as the type has.
    fn of(number: u32) -> Self;

    /// Returns the number as a `u32`.
    fn number(self) -> u32;

    /// Returns the sum, wrapped at the limit of the type.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// Returns the difference, wrapped at the limit of the type.
    #[must_use]
    fn minus(self, other: Self) -> Self;
}

macro_rules! counts {
    ($($number:ty),*) => {$(
        impl Count for $number {
            const LARGEST: u32 = <$number>::MAX as u32;

            fn of(number: u32) -> Self {
                number as $number
            }

            fn number(self) -> u32 {
                u32::from(self)
            }

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    )*};
}

counts!(u8, u16, u32);

/// Prefix sums of free nodes over a machine of at most [`Count::LARGEST`] nodes.
///
/// In each dimension that wraps, the sums go on beyond the end of the first round as far as submeshes do, so
/// that a submesh across the border is a plain range of positions.
/// [`meshreplay_machine::machine::FreeCounts`] does the same for submeshes around a centre, which the border
/// of a mesh clips.
///
/// The table has (W + 1)·(L + 1)·(D + 1) numbers for a machine of W × L × D nodes, and it is built in one
/// pass. On a torus it has W + s, L + s and D + s positions for submeshes of sides up to s. A count is O(1).
/// Rows of counts take one or two vectorised passes.
#[derive(Clone, Debug, Default)]
pub(super) struct SubmeshCounts<C> {
    /// The number of positions along each dimension that submeshes may cover.
    spans: [usize; 3],
    /// The longest side of submeshes that are counted.
    longest: usize,
    /// The difference between the indices of neighbouring positions along each dimension.
    strides: [usize; 3],
    /// `sums[x + y·strides[1] + z·strides[2]]` is the number of free nodes at positions below x, y and z.
    sums: Vec<C>,
}

impl<C: Count> SubmeshCounts<C> {
    /// Counts the free nodes of `machine` again if the table does not yet cover submeshes of sides up to
    /// `longest`. The state of `machine` must be unchanged.
    pub(super) fn cover(&mut self, machine: &Machine, longest: usize) {
        if longest > self.longest && machine.mesh().wraps_any() {
            self.rebuild(machine, longest);
        }
    }

    /// Counts the free nodes of `machine` for submeshes of sides up to `longest`.
    pub(super) fn rebuild(&mut self, machine: &Machine, longest: usize) {
        let mesh = machine.mesh();
        debug_assert!(mesh.nodes() <= C::LARGEST, "{mesh}");
        let extents = mesh.extents().map(|extent| extent as usize);
        self.longest = longest;
        let beyond = |d: usize| if mesh.wraps(d) { longest.min(extents[d]) - 1 } else { 0 };
        let spans = [0, 1, 2].map(|d| extents[d] + beyond(d));
        let [width, length, depth] = spans;
        if self.spans != spans {
            self.spans = spans;
            self.strides = [1, width + 1, (width + 1) * (length + 1)];
            // Entries at position 0 along a dimension are 0, and no rebuild of these spans writes them.
            self.sums.clear();
            self.sums.resize(self.strides[2] * (depth + 1), C::default());
        }
        let [_, stride, plane] = self.strides;
        for z in 0..extents[2] {
            for y in 0..extents[1] {
                let first = (z * extents[1] + y) * extents[0];
                self.fill_row(machine, first, extents[0], y, z);
            }
            self.second_round(stride, (z + 1) * plane, extents[1], length);
            if z > 0 {
                // The rows have the sums of their own plane. Adding the plane below makes them sums over all
                // planes.
                let (below, above) = self.sums[z * plane..].split_at_mut(plane);
                for (cell, below) in above.iter_mut().zip(below) {
                    *cell = cell.plus(*below);
                }
            }
        }
        self.second_round(plane, 0, extents[2], depth);
    }

    /// Goes round a ring a second time: the sums below position extent + i are the sums of a whole round plus
    /// the sums below position i. `stride` is the number of sums per position, `start` the index of position
    /// 0, and `span` the number of positions to cover. On a line, `span` is `extent`, and nothing is left to
    /// do.
    fn second_round(&mut self, stride: usize, start: usize, extent: usize, span: usize) {
        let (first, second) = self.sums[start..].split_at_mut((extent + 1) * stride);
        let whole = &first[extent * stride..];
        for (cells, before) in
            second.chunks_exact_mut(stride).zip(first[stride..].chunks_exact(stride)).take(span - extent)
        {
            for ((cell, before), whole) in cells.iter_mut().zip(before).zip(whole) {
                *cell = before.plus(*whole);
            }
        }
    }

    /// Writes the prefix sums of row (y, z), with the sums of the row before in the same plane added. `first`
    /// is the first node of the row on the machine, and `extent` is the number of nodes in a row.
    fn fill_row(&mut self, machine: &Machine, first: usize, extent: usize, y: usize, z: usize) {
        let [_, stride, plane] = self.strides;
        let from = (z + 1) * plane + (y + 1) * stride;
        let (before, rest) = self.sums.split_at_mut(from);
        let (line, before) = (&mut rest[1..stride], &before[from - stride + 1..]);
        let mut sum = C::default();
        for (chunk, (cells, before)) in line[..extent].chunks_mut(64).zip(before.chunks(64)).enumerate() {
            // 64 bits of the free set at a time: eight nodes at once by `running`, then the others one by
            // one.
            let mut bits = machine.free().bits(first + chunk * 64, cells.len());
            let (eights, others) = cells.as_chunks_mut::<8>();
            let (eights_before, _) = before.as_chunks::<8>();
            for (cells, before) in eights.iter_mut().zip(eights_before) {
                let within = running(bits & 0xff);
                bits >>= 8;
                // Byte i of `within` is the number of free nodes up to the i-th of the eight; the last is
                // their total.
                let numbers = within.to_le_bytes();
                *cells = std::array::from_fn(|i| before[i].plus(sum).plus(C::of(u32::from(numbers[i]))));
                sum = sum.plus(C::of((within >> 56) as u32));
            }
            for (cell, before) in others.iter_mut().zip(&before[8 * eights.len()..]) {
                sum = sum.plus(C::of((bits & 1) as u32));
                bits >>= 1;
                *cell = before.plus(sum);
            }
        }
        // The second round of a ring.
        let (first, second) = line.split_at_mut(extent);
        let whole = first[extent - 1];
        for (cell, before) in second.iter_mut().zip(first) {
            *cell = before.plus(whole);
        }
    }

    /// Returns the difference between the indices of neighbouring rows that [`SubmeshCounts::rows`] writes.
    pub(super) fn stride(&self) -> usize {
        self.strides[1]
    }

    /// Writes into `counts` the numbers of free nodes in submeshes of these sides whose bases (x, y, z) have
    /// every x below `places` and every y of `rows`, which must not be empty. The count for (x, y) is at
    /// index x + (y − rows.start)·stride. Entries between the rows of counts have no meaning; they let one
    /// loop without branches run over all rows.
    pub(super) fn rows(
        &self,
        sides: [usize; 3],
        places: usize,
        rows: Range<usize>,
        z: usize,
        counts: &mut Vec<C>,
    ) {
        counts.resize((rows.len() - 1) * self.strides[1] + places, C::default());
        self.layer::<false>(sides, rows.start, z + sides[2], counts);
        if z > 0 {
            self.layer::<true>(sides, rows.start, z, counts);
        }
    }

    /// Writes the counts of [`SubmeshCounts::rows`] for all planes below z, or subtracts them from `counts`.
    /// The free nodes of a rectangle follow from the sums at its four corners (inclusion and exclusion).
    fn layer<const SUBTRACT: bool>(&self, sides: [usize; 3], y: usize, z: usize, counts: &mut [C]) {
        let [_, stride, plane] = self.strides;
        let size = counts.len();
        let sums = |x: usize, y: usize| &self.sums[z * plane + y * stride + x..][..size];
        let far = sums(sides[0], y + sides[1]).iter().zip(sums(0, y + sides[1]));
        let near = sums(sides[0], y).iter().zip(sums(0, y));
        for ((count, far), near) in counts.iter_mut().zip(far).zip(near) {
            let number = far.0.minus(*far.1).minus(near.0.minus(*near.1));
            *count = if SUBTRACT { count.minus(number) } else { number };
        }
    }

    /// Writes into `counts` the number of free nodes of a submesh at each of its positions along dimension
    /// `d`, from its base on.
    pub(super) fn slices(&self, d: usize, base: Coord, sides: [usize; 3], counts: &mut Vec<u32>) {
        let (e, f) = ((d + 1) % 3, (d + 2) % 3);
        let [low_e, low_f] = [e, f].map(|d| base[d] as usize * self.strides[d]);
        let (high_e, high_f) = (low_e + sides[e] * self.strides[e], low_f + sides[f] * self.strides[f]);
        let (step, from) = (self.strides[d], base[d] as usize * self.strides[d]);
        counts.resize(sides[d], 0);
        let sum = |at: usize| self.sums[at];
        let near = |at: usize| sum(at + high_e + high_f).minus(sum(at + low_e + high_f));
        // A slice follows from the sums at its four corners. Sums at position 0 are 0, so a base there saves
        // some.
        match (low_e, low_f) {
            (0, 0) => steps(counts, from, step, |at| sum(at + high_e + high_f)),
            (0, _) => {
                steps(counts, from, step, |at| sum(at + high_e + high_f).minus(sum(at + high_e + low_f)));
            }
            (_, 0) => steps(counts, from, step, near),
            _ => steps(counts, from, step, |at| {
                near(at).minus(sum(at + high_e + low_f).minus(sum(at + low_e + low_f)))
            }),
        }
    }
}

/// Writes into `counts` the growth of `sum` with each step from index `at`: the free nodes of one slice each.
fn steps<C: Count>(counts: &mut [u32], mut at: usize, step: usize, sum: impl Fn(usize) -> C) {
    let mut last = sum(at);
    for count in counts {
        at += step;
        let next = sum(at);
        *count = next.minus(last).number();
        last = next;
    }
}

/// Returns eight running counts: byte i is the number of bits set among bits 0 to i. `bits` must be below
/// 256.
fn running(bits: u64) -> u64 {
    // SWAR (arithmetic on the bytes of one register). The product copies the eight bits into every byte; the
    // mask leaves bit i of them in byte i.
    let each = (bits * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    // Adding 127 carries into the top bit of exactly those bytes that are not 0: a 1 for each bit that was
    // set.
    let spread = ((each + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101;
    // The product adds to each byte all lower ones; no sum exceeds 8, so nothing is carried.
    spread.wrapping_mul(0x0101_0101_0101_0101)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_sums_of_bits() {
        for bits in 0..256_u32 {
            let plain =
                (0..8).map(|i| u64::from((bits & ((2 << i) - 1)).count_ones()) << (8 * i)).sum::<u64>();
            assert_eq!(running(u64::from(bits)), plain, "{bits:08b}");
        }
    }

    #[test]
    fn counts_equal_those_of_a_walk_through_the_box() -> Result<(), Box<dyn std::error::Error>> {
        for text in [
            "9",
            "6x5",
            "70x3",
            "4x3x5",
            "torus:7",
            "torus:5x6",
            "torus:3x4x2",
            "1",
            "6x5:wrap=y",
            "4x3x5:wrap=xz",
        ] {
            counts_equal_walks::<u8>(text)?;
            counts_equal_walks::<u16>(text)?;
            counts_equal_walks::<u32>(text)?;
        }
        Ok(())
    }

    fn counts_equal_walks<C: Count>(text: &str) -> Result<(), Box<dyn std::error::Error>> {
        let mut machine = Machine::new(text.parse()?);
        let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n * 11 % 7 < 3).collect();
        machine.occupy(&busy)?;
        let extents = machine.mesh().extents();
        let mut counts = SubmeshCounts::<C>::default();
        counts.rebuild(&machine, 1);
        counts.cover(&machine, extents.into_iter().max().unwrap_or(1) as usize);
        let walk = |base: Coord, sides: [u32; 3]| {
            let mut free = Vec::new();
            for z in 0..sides[2] {
                for y in 0..sides[1] {
                    for x in 0..sides[0] {
                        let at = [base[0] + x, base[1] + y, base[2] + z];
                        let node = machine.mesh().node([0, 1, 2].map(|d| at[d] % extents[d]));
                        free.extend(machine.free().contains(node).then_some([x, y, z]));
                    }
                }
            }
            free
        };
        let wraps = machine.mesh().wrap();
        let places = |d: usize, side: u32| if wraps[d] { extents[d] } else { extents[d] - side + 1 };
        let (mut rows, mut slices) = (Vec::new(), Vec::new());
        for (a, b, c) in (1..=extents[0])
            .flat_map(|a| (1..=extents[1]).flat_map(move |b| (1..=extents[2]).map(move |c| (a, b, c))))
            .step_by(3)
        {
            let sides = [a, b, c].map(|side| side as usize);
            let first = places(1, b) / 2;
            for z in 0..places(2, c) {
                let wanted = first as usize..places(1, b) as usize;
                counts.rows(sides, places(0, a) as usize, wanted, z as usize, &mut rows);
                for (x, y) in (0..places(0, a)).flat_map(|x| (first..places(1, b)).map(move |y| (x, y))) {
                    let count = rows[(y - first) as usize * counts.stride() + x as usize].number();
                    let base = [x, y, z];
                    let free = walk(base, [a, b, c]);
                    assert_eq!(count as usize, free.len(), "{text}: {sides:?} at {base:?}");
                    for d in 0..3 {
                        counts.slices(d, base, sides, &mut slices);
                        let at = |i: usize| free.iter().filter(|node| node[d] as usize == i).count();
                        assert!(slices.iter().enumerate().all(|(i, &n)| n as usize == at(i)), "{text}");
                    }
                }
            }
        }
        Ok(())
    }
}
