//! The places of a rim that a centre takes, by sets of the places up to each distance from the centres before.
//!
//! For each offset of an earlier centre, and each distance from it, there is the set of the places up to that far. So it takes a few
//! operations on words to find which of some places such a centre takes first, whichever these are (see `carried`).

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::allocator::nearest::carried::{Alike, Earlier};
use meshreplay_machine::machine::{Coord, Mesh, members};

/// A place of a rim, or an earlier centre, as its offset from the centre at hand along each dimension.
type Offset = [i32; 3];

/// The words that an offset takes beside its sets.
const WORDS_OF_OFFSET: usize = 6;

/// The rim of one radius.
#[derive(Debug, Default)]
pub(in super::super) struct Levels {
    radius: i32,
    /// For each dimension the positions of the ring, or 0 for a line.
    rings: Offset,
    /// The places of the rim. Sets have a bit for each of them.
    places: Vec<Offset>,
    words: usize,
    /// For each offset of an earlier centre that was met where its sets begin in `sets`, and how many there are.
    at: HashMap<Offset, (usize, usize), FixedState>,
    sets: Vec<u64>,
    /// The places that a centre takes for certain.
    kept: Vec<u64>,
}

/// The places of which some are still to be chosen.
struct Choice<'a> {
    tied: &'a mut [u64],
    /// How many of them are taken, and how many there are.
    open: u32,
    size: u32,
}

impl Levels {
    /// Starts with the rim of this radius, whose places are given as offsets along each dimension. Those of a ring are the shortest
    /// ones to their positions. Sets are kept if the rim is the same as before.
    pub(in super::super) fn begin(
        &mut self,
        mesh: &Mesh,
        radius: usize,
        places: impl Iterator<Item = Offset>,
    ) {
        let rings = [0, 1, 2].map(|d| if mesh.wraps(d) { mesh.extents()[d].cast_signed() } else { 0 });
        let (radius, places) = (radius as i32, places.collect());
        if (self.radius, self.rings, &self.places) != (radius, rings, &places) {
            *self = Self { radius, rings, places, ..Self::default() };
            self.words = self.places.len().div_ceil(64);
        }
    }

    /// Returns the places of the rim.
    pub(in super::super) fn places(&self) -> &[Offset] {
        &self.places
    }

    /// Returns the number of words of a set.
    pub(in super::super) fn words(&self) -> usize {
        self.words
    }

    /// Keeps the `need` members of a set of free nodes around `centre` that it takes. There must be as many. `earlier` are the centres
    /// that order them, the latest first; nodes that none orders are taken in location order.
    pub(in super::super) fn keep(
        &mut self,
        tied: &mut [u64],
        need: u32,
        (mesh, centre): (&Mesh, Coord),
        mut earlier: impl Earlier,
    ) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        kept.resize(self.words, 0);
        let size = tied.iter().map(|tied| tied.count_ones()).sum();
        let mut choice = Choice { tied, open: need, size };
        let mut alike = Alike::None;
        while choice.open > 0
            && choice.open < choice.size
            && let Some(before) = earlier.next()
        {
            let offset = [0, 1, 2].map(|d| before[d].cast_signed() - centre[d].cast_signed());
            if self.choose(offset, &mut kept, &mut choice) {
                // Places that are left are equally far from this centre, and so from others that differ from it only where they are
                // alike.
                alike = self.alike(choice.tied);
            }
            earlier.skip_like_last(alike);
        }
        let Choice { tied, open, size } = choice;
        if open < size {
            let extents = mesh.extents().map(u32::cast_signed);
            let node = |at: usize| {
                [0, 1, 2].map(|d| (centre[d].cast_signed() + self.places[at][d]).rem_euclid(extents[d]))
            };
            let numbers = members(tied).map(|at| at as usize);
            let mut rest: Vec<(Offset, usize)> = numbers.map(|at| (node(at), at)).collect();
            if let Some(last) = open.checked_sub(1) {
                rest.select_nth_unstable(last as usize);
            }
            for (_, at) in rest.into_iter().skip(open as usize) {
                tied[at / 64] &= !(1 << (at % 64));
            }
        }
        tied.iter_mut().zip(&kept).for_each(|(tied, kept)| *tied |= kept);
        self.kept = kept;
    }

    /// Returns the number of words that all sets take together.
    pub(in super::super) fn size(&self) -> usize {
        self.sets.len() + self.at.len() * WORDS_OF_OFFSET
    }

    /// Forgets all sets.
    pub(in super::super) fn forget(&mut self) {
        self.at = HashMap::default();
        self.sets = Vec::new();
    }

    /// Chooses among places by an earlier centre at an offset. Returns whether this decides about some of them.
    fn choose(&mut self, offset: Offset, kept: &mut [u64], choice: &mut Choice<'_>) -> bool {
        let (from, levels) = self.sets_of(offset);
        let words = self.words;
        let sets = &self.sets[from..from + levels * words];
        let count = |level: usize, tied: &[u64]| -> u32 {
            let set = &sets[level * words..(level + 1) * words];
            set.iter().zip(tied).map(|(set, tied)| (set & tied).count_ones()).sum()
        };
        // The level of the last place that is taken.
        let (mut low, mut high, mut before, mut within) = (0, levels - 1, 0, choice.size);
        while low < high {
            let middle = usize::midpoint(low, high);
            let found = count(middle, choice.tied);
            if found >= choice.open {
                (high, within) = (middle, found);
            } else {
                (low, before) = (middle + 1, found);
            }
        }
        if within - before == choice.size {
            return false;
        }
        let nearer = low.checked_sub(1).map(|below| &sets[below * words..low * words]);
        let set = &sets[low * words..(low + 1) * words];
        for (word, (kept, tied)) in kept.iter_mut().zip(&mut *choice.tied).enumerate() {
            let taken = *tied & nearer.map_or(0, |nearer| nearer[word]);
            *kept |= taken;
            *tied &= set[word] & !taken;
        }
        (choice.open, choice.size) = (choice.open - before, within - before);
        true
    }

    /// Returns along which dimensions the places of a set are alike.
    fn alike(&self, set: &[u64]) -> Alike {
        let mut members = members(set).map(|at| self.places[at as usize]);
        let Some(first) = members.next() else { return Alike::YZ };
        let mut is_alike = [true; 3];
        for place in members {
            for d in 0..3 {
                is_alike[d] &= place[d] == first[d];
            }
            if !is_alike[2] {
                break;
            }
        }
        Alike::by(|d| is_alike[d])
    }

    /// Returns where the sets of an offset begin, and how many there are. The offset may be of any positions of the machine.
    fn sets_of(&mut self, offset: Offset) -> (usize, usize) {
        let near = [0, 1, 2].map(|d| match self.rings[d] {
            // All positions of a line beyond the rim on one side order its places alike.
            0 => offset[d].clamp(-self.radius, self.radius),
            ring => offset[d].rem_euclid(ring),
        });
        if let Some(&found) = self.at.get(&near) {
            return found;
        }
        let added = self.add(near);
        self.at.insert(near, added);
        added
    }

    /// Adds the sets of an offset, and returns where they begin and how many there are. O(places · distances / 64).
    fn add(&mut self, offset: Offset) -> (usize, usize) {
        let hops = |place: &Offset| -> i32 {
            let along = |d: usize| match (self.rings[d], (place[d] - offset[d]).abs()) {
                (0, straight) => straight,
                (ring, straight) => (straight % ring).min(ring - straight % ring),
            };
            (0..3).map(along).sum()
        };
        let hops: Vec<i32> = self.places.iter().map(hops).collect();
        let least = hops.iter().copied().min().unwrap_or(0);
        let levels = (hops.iter().copied().max().unwrap_or(0) - least) as usize + 1;
        let from = self.sets.len();
        self.sets.resize(from + levels * self.words, 0);
        let sets = &mut self.sets[from..];
        for (place, hops) in hops.iter().enumerate() {
            sets[(hops - least) as usize * self.words + place / 64] |= 1 << (place % 64);
        }
        for at in self.words..sets.len() {
            sets[at] |= sets[at - self.words];
        }
        (from, levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::nearest::carried::{Listed, keep_first};
    use crate::allocator::nearest::rim::{Reach, rim};

    #[test]
    fn sets_choose_what_lists_of_nodes_choose() -> Result<(), Box<dyn std::error::Error>> {
        for (text, radius) in
            [("31x31", 7), ("30x29x31", 4), ("torus:9x8x20", 4), ("25x7x24:wrap=y", 5), ("torus:40", 3)]
        {
            let mesh: Mesh = text.parse()?;
            let extents = mesh.extents().map(u32::cast_signed);
            let centre = mesh.extents().map(|extent| extent / 2);
            let reaches = [0, 1, 2]
                .map(|d| if mesh.wraps(d) { Reach::Ring(extents[d]) } else { Reach::Line(extents[d]) });
            let mut levels = Levels::default();
            levels.begin(&mesh, radius, rim(radius, reaches).into_iter());
            let node = |place: &Offset| -> Coord {
                [0, 1, 2].map(|d| (centre[d].cast_signed() + place[d]).rem_euclid(extents[d]).cast_unsigned())
            };
            for seed in 1..60_u64 {
                let random =
                    |at: u64, below: u64| (at * 7919 + seed * 104_729).wrapping_mul(seed | 1) % 1009 % below;
                let is_free = |at: usize| random(at as u64, 4) > 0;
                let free: Vec<usize> = (0..levels.places.len()).filter(|&at| is_free(at)).collect();
                let earlier: Vec<Coord> = (0..8)
                    .map(|step| [0, 1, 2].map(|d| random(step * 3 + d as u64, extents[d] as u64) as u32))
                    .collect();
                for need in [1, free.len() / 3, free.len() / 2]
                    .into_iter()
                    .filter(|&need| 0 < need && need < free.len())
                {
                    let mut set = vec![0; levels.words()];
                    for at in &free {
                        set[at / 64] |= 1 << (at % 64);
                    }
                    let before = || Listed(earlier.iter().copied());
                    levels.keep(&mut set, need as u32, (&mesh, centre), before());
                    let mut kept: Vec<Coord> =
                        members(&set).map(|at| node(&levels.places[at as usize])).collect();
                    kept.sort_unstable();
                    let mut nodes: Vec<Coord> = free.iter().map(|&at| node(&levels.places[at])).collect();
                    nodes.sort_unstable();
                    keep_first(&mut nodes, need, before(), |a, b| mesh.l1(a, b));
                    nodes.sort_unstable();
                    assert_eq!(kept, nodes, "{text}, seed {seed}: {need}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn places_are_alike_where_all_have_one_position() {
        let places = vec![[0, 1, 2], [3, 1, 2], [4, 1, 1], [5, 0, 1]];
        let levels = Levels { places, ..Levels::default() };
        for (set, alike) in
            [(0b1, Alike::YZ), (0b11, Alike::YZ), (0b1100, Alike::Z), (0b111, Alike::None), (0b10, Alike::YZ)]
        {
            assert_eq!(levels.alike(&[set]), alike, "{set:b}");
        }
    }
}
