//! Finds every free submesh with given sides.

use super::{Coord, Machine, NodeSet, set_bits};

/// The bases of all free submeshes with given sides, as one bit per node: it is set if the node is such a
/// base. The memory is kept between searches.
///
/// The search is a binary erosion by doubling. It starts with the set of free nodes and shrinks it along each
/// dimension in turn: a bit stays set if it and the s − 1 bits after it are set. This takes ⌈log₂ s⌉ steps of
/// one shift and one AND each, so O(N/64 · (log a + log b + log c)) for submeshes of a × b × c.
///
/// In a dimension that wraps around, the shift is a rotation: the bits after the last one are the first ones.
/// A side as long as such a dimension has one base, position 0. So it is searched for as if the dimension
/// ended, where no other position has enough bits after it.
#[derive(Clone, Debug, Default)]
pub struct FreeSubmeshes {
    /// The number of words per row of nodes.
    words: usize,
    rows: usize,
    layers: usize,
    /// The rows of nodes. Each row starts a new word.
    bits: Vec<u64>,
    /// Scratch memory for one step.
    spare: Vec<u64>,
    /// The bases that are left in one layer. Scratch memory.
    left: Vec<u64>,
    /// For each layer whether [`Self::find_first`] has shrunk it. Scratch memory.
    is_shrunk: Vec<bool>,
}

/// One search.
#[derive(Clone, Copy)]
struct Search<'a> {
    free: &'a NodeSet,
    /// The numbers of nodes along x, y and z.
    extents: [usize; 3],
    /// The sides of the submesh.
    sizes: [usize; 3],
    /// Whether submeshes wrap around in each dimension.
    around: [bool; 3],
}

impl<'a> Search<'a> {
    /// Returns the search for submeshes with these sides; `None` if a side exceeds the machine.
    fn new(machine: &'a Machine, sizes: [u32; 3]) -> Option<Self> {
        let mesh = machine.mesh();
        let around = [0, 1, 2].map(|d| mesh.wraps(d) && sizes[d] < mesh.extents()[d]);
        let search = Self {
            free: machine.free(),
            extents: mesh.extents().map(|extent| extent as usize),
            sizes: sizes.map(|size| size as usize),
            around,
        };
        (0..3).all(|d| search.sizes[d] <= search.extents[d]).then_some(search)
    }
}

impl FreeSubmeshes {
    /// Searches for free submeshes with these sides, each at least 1, and forgets the result of the search
    /// before. If a side exceeds the machine, there is no submesh.
    pub fn find(&mut self, machine: &Machine, sizes: [u32; 3]) {
        let Some(search) = self.begin(machine, sizes) else { return };
        for z in 0..self.layers {
            self.shrink(&search, z);
        }
        let (layer, around) = (self.words * self.rows, search.around[2]);
        narrow(search.sizes[2], |shift| and_later(&mut self.bits, shift * layer, around, &mut self.spare));
    }

    /// Returns the first base in scan order of a free submesh with these sides, each at least 1; `None` if
    /// there is none. It forgets the result of the search before. It is faster than [`Self::find`], because
    /// it shrinks no layer that does not matter for this base.
    pub fn find_first(&mut self, machine: &Machine, sizes: [u32; 3]) -> Option<Coord> {
        let search = self.begin(machine, sizes)?;
        self.is_shrunk.clear();
        self.is_shrunk.resize(self.layers, false);
        let bases = if search.around[2] { self.layers } else { self.layers - search.sizes[2] + 1 };
        let mut z = 0;
        let found = loop {
            if z >= bases {
                break None;
            }
            match self.first_in_layer(&search, z) {
                Ok([x, y]) => break Some([x, y, z as u32]),
                Err(next) => z = next,
            }
        };
        self.bits.clear();
        found
    }

    /// Forgets the search before and returns the new one. If a side exceeds the machine, it returns `None`,
    /// and no base is found.
    fn begin<'a>(&mut self, machine: &'a Machine, sizes: [u32; 3]) -> Option<Search<'a>> {
        let [width, length, depth] = machine.mesh().extents().map(|extent| extent as usize);
        (self.words, self.rows, self.layers) = (width.div_ceil(64), length, depth);
        self.bits.clear();
        let search = Search::new(machine, sizes)?;
        self.bits.resize(self.words * length * depth, 0);
        Some(search)
    }

    /// Returns x and y of the first base in layer `z`. If there is none, it returns the next layer that may
    /// have one.
    fn first_in_layer(&mut self, search: &Search<'_>, z: usize) -> Result<[u32; 2], usize> {
        let layer = self.words * self.rows;
        // From the last layer of the submesh down to its first. As soon as no base is left, all submeshes
        // that contain the layers seen so far are ruled out, so the search goes on behind the lowest of these
        // layers.
        for step in (0..search.sizes[2]).rev() {
            let at = (z + step) % self.layers;
            if !self.is_shrunk[at] {
                self.shrink(search, at);
                self.is_shrunk[at] = true;
            }
            let here = &self.bits[at * layer..][..layer];
            let mut any = 0;
            if step + 1 == search.sizes[2] {
                self.left.clear();
                self.left.extend_from_slice(here);
                for word in here {
                    any |= word;
                }
            } else {
                for (left, word) in self.left.iter_mut().zip(here) {
                    *left &= word;
                    any |= *left;
                }
            }
            if any == 0 {
                return Err(z + step + 1);
            }
        }
        let first = self.left.iter().enumerate().find(|(_, word)| **word != 0);
        let place = |(at, word): (usize, &u64)| {
            [(at % self.words) as u32 * 64 + word.trailing_zeros(), (at / self.words) as u32]
        };
        first.map(place).ok_or(z + 1)
    }

    /// Writes the free nodes of layer `z`, shrunk along x and y.
    fn shrink(&mut self, search: &Search<'_>, z: usize) {
        let Search { free, extents: [width, length, _], sizes, around } = *search;
        let words = self.words;
        let layer = &mut self.bits[z * words * length..][..words * length];
        let first = z * length * width;
        if width.is_multiple_of(64) {
            layer.copy_from_slice(&free.words()[first / 64..][..layer.len()]);
        } else {
            for (y, row) in layer.chunks_exact_mut(words).enumerate() {
                for (at, word) in row.iter_mut().enumerate() {
                    *word = free.bits(first + y * width + at * 64, (width - at * 64).min(64));
                }
            }
        }
        // The bits behind the end of a row are 0, so no submesh crosses it. In the same way the rows after a
        // layer and the layers after the machine count as not free. Where the dimension wraps around, the
        // first ones follow.
        if words == 1 {
            narrow(sizes[0], |shift| shift_rows(layer, shift, width, around[0]));
        } else {
            for row in layer.chunks_exact_mut(words).filter(|row| row.iter().any(|word| *word != 0)) {
                shrink_row(row, sizes[0], width, around[0], &mut self.spare);
            }
        }
        narrow(sizes[1], |shift| and_later(layer, shift * words, around[1], &mut self.spare));
    }

    /// Returns the bases that were found, in scan order: sorted by z, then y, then x.
    pub fn iter(&self) -> impl Iterator<Item = Coord> + '_ {
        self.rows().flat_map(|([y, z], bits)| set_bits(bits).map(move |x| [x, y, z]))
    }

    /// Returns the rows that have a base, in scan order: y and z, and one bit per x.
    pub fn rows(&self) -> impl Iterator<Item = ([u32; 2], &[u64])> {
        let place = |row: usize| [(row % self.rows) as u32, (row / self.rows) as u32];
        let rows = self.bits.chunks_exact(self.words.max(1)).enumerate();
        rows.filter(|(_, bits)| bits.iter().any(|word| *word != 0)).map(move |(row, bits)| (place(row), bits))
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

/// Calls `step` with shifts that add up to `size` − 1. Each shift is at most 1 + the sum of the shifts before
/// it. After each step the bits that are left begin runs of 1 + (sum of the shifts so far) set bits, so in
/// the end runs of `size`.
fn narrow(size: usize, mut step: impl FnMut(usize)) {
    let mut run = 1;
    while run < size {
        let shift = run.min(size - run);
        step(shift);
        run += shift;
    }
}

/// Keeps the bits of rows of one word for which the bit `shift` positions later is set too. A row has `width`
/// bits, at most 64. If it is `around`, its first bits follow its last one.
fn shift_rows(rows: &mut [u64], shift: usize, width: usize, around: bool) {
    if around {
        let row_bits = u64::MAX >> (64 - width);
        for row in rows {
            *row &= *row >> shift | (*row << (width - shift) & row_bits);
        }
    } else {
        for row in rows {
            *row &= *row >> shift;
        }
    }
}

/// Keeps the bits of a row of several words that begin runs of `size` set bits. The row has `width` bits. If
/// it is `around`, its first bits follow its last one. `line` is scratch memory.
fn shrink_row(row: &mut [u64], size: usize, width: usize, around: bool, line: &mut Vec<u64>) {
    // The row with as many bits behind its end as runs reach there, and one word more that every step may
    // read.
    let behind = (size - 1).div_ceil(64);
    line.clear();
    line.extend_from_slice(row);
    line.resize(row.len() + behind + 2, 0);
    if around {
        let (word, bits) = (width / 64, width % 64);
        for (at, &first) in row[..behind].iter().enumerate() {
            line[word + at] |= first << bits;
            // Shifting twice moves all bits out where `bits` is 0.
            line[word + at + 1] |= first >> 1 >> (63 - bits);
        }
    }
    narrow(size, |shift| {
        let (words, bits) = (shift / 64, shift % 64);
        for at in 0..line.len() - words - 1 {
            line[at] &= line[at + words] >> bits | line[at + words + 1] << 1 << (63 - bits);
        }
    });
    row.copy_from_slice(&line[..row.len()]);
    if let (Some(last), spare @ 1..) = (row.last_mut(), width % 64) {
        *last &= (1 << spare) - 1;
    }
}

/// Keeps the bits that are also set `distance` words later. If the words are `around`, the first ones follow
/// the last one, otherwise zeros. `distance` is below the number of words. `front` is scratch memory.
fn and_later(words: &mut [u64], distance: usize, around: bool, front: &mut Vec<u64>) {
    front.clear();
    front.extend_from_slice(&words[..distance]);
    let tail = words.len() - distance;
    // Blocks of `distance` words: the words that a block is combined with are not changed before it is done.
    let mut rest = &mut *words;
    while rest.len() > distance {
        let (block, later) = rest.split_at_mut(distance);
        for (word, later) in block.iter_mut().zip(later.iter()) {
            *word &= later;
        }
        rest = later;
    }
    for (word, first) in words[tail..].iter_mut().zip(front.iter()) {
        *word &= if around { *first } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Submesh;

    #[test]
    fn places_equal_those_that_plain_counting_finds() -> Result<(), Box<dyn std::error::Error>> {
        for (text, step) in ["1", "13", "7x5", "4x3x3", "70x3", "130x2x2", "64x2", "4x3x9", "128x3"]
            .into_iter()
            .flat_map(|text| {
                let kinds = [text.to_owned(), format!("torus:{text}")];
                kinds.into_iter().flat_map(|text| [2, 5, 7, 11, 17, 1000].map(|step| (text.clone(), step)))
            })
        {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n * 7 % step == 1).collect();
            machine.occupy(&busy)?;
            let mesh = machine.mesh();
            let [width, length, depth] = mesh.extents();
            let mut free_submeshes = FreeSubmeshes::default();
            for sizes in [
                [1, 1, 1],
                [2, 1, 1],
                [3, 2, 1],
                [1, 2, 2],
                [5, 1, 2],
                [2, 3, 3],
                [66, 1, 1],
                [7, 5, 1],
                [128, 2, 1],
                [3, 1, 8],
            ] {
                free_submeshes.find(&machine, sizes);
                let free = |base: Coord| {
                    let fits = (0..3).all(|d| {
                        let extent = mesh.extents()[d];
                        base[d] + sizes[d] <= extent || (mesh.wraps(d) && sizes[d] < extent)
                    });
                    fits && Submesh { base, sizes }.is_free(&machine)
                };
                let scan = (0..depth)
                    .flat_map(|z| (0..length).flat_map(move |y| (0..width).map(move |x| [x, y, z])));
                let plain: Vec<Coord> = scan.filter(|&base| free(base)).collect();
                assert_eq!(free_submeshes.iter().collect::<Vec<_>>(), plain, "{text}: {sizes:?}");
                assert_eq!(free_submeshes.first(), plain.first().copied());
                let first = FreeSubmeshes::default().find_first(&machine, sizes);
                assert_eq!(first, plain.first().copied(), "{text}: {sizes:?}");
                for base in mesh.location_order().map(|node| mesh.coord(node)) {
                    assert_eq!(free_submeshes.contains(base), plain.contains(&base), "{text}: {sizes:?}");
                }
            }
        }
        Ok(())
    }
}
