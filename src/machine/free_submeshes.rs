//! Finds every free submesh with given sides.

use super::{Coord, Machine};

/// The bases of all free submeshes with given sides, as one bit per node: it is set if the node is such a base. The
/// memory is kept between searches.
///
/// The search is a binary erosion by doubling. It starts with the set of free nodes and shrinks it along each dimension
/// in turn: a bit stays set if it and the s − 1 bits after it are set. This takes ⌈log₂ s⌉ steps of one shift and one
/// AND each. O(N/64 · (log a + log b + log c)) for submeshes of a × b × c. Submeshes do not wrap around a torus.
#[derive(Clone, Debug, Default)]
pub struct FreeSubmeshes {
    /// The number of words per row of nodes.
    words: usize,
    rows: usize,
    layers: usize,
    /// The rows of nodes. Each row starts a new word.
    bits: Vec<u64>,
}

impl FreeSubmeshes {
    /// Searches for free submeshes with these sides, each at least 1, and forgets the result of the search before. If a
    /// side exceeds the machine, there is no submesh.
    pub fn find(&mut self, machine: &Machine, sizes: [u32; 3]) {
        let [width, length, depth] = machine.mesh().extents().map(|extent| extent as usize);
        (self.words, self.rows, self.layers) = (width.div_ceil(64), length, depth);
        self.bits.clear();
        let sizes = sizes.map(|size| size as usize);
        if sizes[0] > width || sizes[1] > length || sizes[2] > depth {
            return;
        }
        for row in 0..length * depth {
            for word in 0..self.words {
                let (from, bits) = (row * width + word * 64, (width - word * 64).min(64));
                self.bits.push(machine.free().bits(from, bits));
            }
        }
        // The bits behind the end of a row are 0, so no submesh crosses it. In the same way the rows after a layer and
        // the layers after the machine count as not free.
        for row in self.bits.chunks_exact_mut(self.words) {
            narrow(sizes[0], |shift| shift_and(row, shift));
        }
        let words = self.words;
        for layer in self.bits.chunks_exact_mut(words * length) {
            narrow(sizes[1], |shift| and_later(layer, shift * words));
        }
        let layer = words * length;
        narrow(sizes[2], |shift| and_later(&mut self.bits, shift * layer));
    }

    /// Returns the bases that were found, in scan order: sorted by z, then y, then x.
    pub fn iter(&self) -> impl Iterator<Item = Coord> + '_ {
        let place = |at: usize| {
            let row = at / self.words;
            ((at % self.words) as u32 * 64, (row % self.rows) as u32, (row / self.rows) as u32)
        };
        self.bits.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(move |(at, &word)| {
            let (x, y, z) = place(at);
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                (rest != 0).then(|| {
                    rest &= rest - 1;
                    [x + bit, y, z]
                })
            })
        })
    }

    /// Returns whether `base` is the base of a free submesh. It must be a node of the machine.
    pub fn contains(&self, base: Coord) -> bool {
        let [x, y, z] = base.map(|c| c as usize);
        let word = self.bits.get((z * self.rows + y) * self.words + x / 64);
        word.is_some_and(|word| word >> (x % 64) & 1 == 1)
    }

    /// Returns the first base in scan order; `None` if there is no free submesh.
    pub fn first(&self) -> Option<Coord> {
        self.iter().next()
    }
}

/// Calls `step` with shifts that add up to `size` − 1. Each shift is at most 1 + the sum of the shifts before it. After
/// each step the bits that are left begin runs of 1 + (sum of the shifts so far) set bits, so in the end runs of
/// `size`.
fn narrow(size: usize, mut step: impl FnMut(usize)) {
    let mut run = 1;
    while run < size {
        let shift = run.min(size - run);
        step(shift);
        run += shift;
    }
}

/// Keeps the bits of a row for which the bit `shift` positions later is set too.
fn shift_and(row: &mut [u64], shift: usize) {
    let (words, bits) = (shift / 64, shift % 64);
    for at in 0..row.len() {
        let word = |i: usize| row.get(i).copied().unwrap_or(0);
        let low = word(at + words) >> bits;
        let high = if bits == 0 { 0 } else { word(at + words + 1) << (64 - bits) };
        row[at] &= low | high;
    }
}

/// Keeps the bits that are also set `distance` words later.
fn and_later(words: &mut [u64], distance: usize) {
    for at in 0..words.len() {
        words[at] &= words.get(at + distance).copied().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Submesh;

    #[test]
    fn places_equal_those_that_plain_counting_finds() -> Result<(), Box<dyn std::error::Error>> {
        for (text, step) in
            [("1", 2), ("13", 5), ("7x5", 6), ("4x3x3", 7), ("70x3", 11), ("130x2x2", 17), ("64x2", 9)]
        {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n * 7 % step == 1).collect();
            machine.occupy(&busy)?;
            let mesh = machine.mesh();
            let [width, length, depth] = mesh.extents();
            let mut free_submeshes = FreeSubmeshes::default();
            for sizes in
                [[1, 1, 1], [2, 1, 1], [3, 2, 1], [1, 2, 2], [5, 1, 2], [2, 3, 3], [66, 1, 1], [7, 5, 1]]
            {
                free_submeshes.find(&machine, sizes);
                let free = |base: Coord| {
                    let fits = (0..3).all(|d| base[d] + sizes[d] <= mesh.extents()[d]);
                    let place = Submesh { base, sizes };
                    fits && place.nodes(&machine).iter().all(|&node| machine.free().contains(node))
                };
                let scan = (0..depth)
                    .flat_map(|z| (0..length).flat_map(move |y| (0..width).map(move |x| [x, y, z])));
                let plain: Vec<Coord> = scan.filter(|&base| free(base)).collect();
                assert_eq!(free_submeshes.iter().collect::<Vec<_>>(), plain, "{text}: {sizes:?}");
                assert_eq!(free_submeshes.first(), plain.first().copied());
                for base in mesh.location_order().map(|node| mesh.coord(node)) {
                    assert_eq!(free_submeshes.contains(base), plain.contains(&base), "{text}: {sizes:?}");
                }
            }
        }
        Ok(())
    }
}
