//! The pairwise sum of a fill, and lower bounds of it before the fill begins and after each node.
//!
//! A centre takes the free nodes of its whole shells, and then r others, one after the other. The pairwise
//! sum of the whole shells follows from the numbers of free nodes at each position of each dimension, which
//! are differences of prefix sums. Let f be the smallest sum of distances from a remaining node to the nodes
//! taken. Each of the r nodes adds at least f. The r nodes are distinct, so the pairs among them add at least
//! the pairwise sum of r distinct nodes of an unbounded grid, where at most 2, 4·j or 4·j² + 2 nodes are j
//! hops from a node, in one, two or three dimensions.
//!
//! * Before the fill, f is bounded by the positions alone: the other nodes lie outside the whole shells, so
//!   along some dimension they are at a position beyond these.
//! * Each time the fill chooses a node, f is the sum of this node, as no other one has a smaller sum.

use super::fill::Objective;
use super::greedy::Hops;
use meshreplay_machine::machine::{Coord, FreeCounts, Mesh, Submesh, distances_along, pairwise_along};

/// The pairwise sum of the current fill. Memory is kept between fills.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    /// The positions of the tables below, per dimension. A pick beyond them widens the tables to all
    /// positions.
    places: [Places; 3],
    /// For each dimension and place the number of nodes taken.
    taken: [Vec<u32>; 3],
    /// For each dimension and place the sum of hops along the dimension to the nodes taken.
    sums: [Vec<u64>; 3],
    hops: Hops,
    /// For each n the least pairwise sum of n nodes, or less.
    least: Vec<u64>,
    /// The pairwise sum of the nodes taken. Sums stop at the greatest number.
    sum: u64,
    /// The number of nodes that are still to be taken.
    left: u32,
    /// The largest pairwise sum that can win.
    limit: u64,
    /// The numbers of nodes at the positions of one dimension. Scratch memory.
    counts: Vec<u32>,
    /// The sums of distances at these positions. Scratch memory.
    along: Vec<u64>,
}

/// Consecutive positions along a dimension, or around a ring, that include the whole shells.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    /// The first position.
    first: u32,
    /// The number of positions.
    side: u32,
    /// Whether these are all positions of a ring. If not, their hops follow a line, and every other position
    /// has a sum of hops at least as large as the first or the last one.
    is_ring: bool,
}

/// Number of positions in the tables beyond the whole shells on each side. Most picks are within them.
const MARGIN: u32 = 8;

impl Places {
    /// Returns the positions of whole shells along dimension `d`, and at least `margin` more on either side,
    /// clipped to the machine.
    fn around(mesh: &Mesh, d: usize, whole: Submesh, margin: u32) -> Self {
        let (low, size, extent) = (whole.base[d], whole.sizes[d], mesh.extents()[d]);
        if !mesh.wraps(d) {
            let first = low.saturating_sub(margin);
            return Self { first, side: (low + size + margin).min(extent) - first, is_ring: false };
        }
        // Sums are concave on the other arc of the ring, so that they are smallest at its ends, if these
        // positions are within half the ring.
        if 2 * (size + 2 * margin) <= extent {
            let first = (low + extent - margin) % extent;
            return Self { first, side: size + 2 * margin, is_ring: false };
        }
        Self { first: low, side: extent, is_ring: true }
    }

    /// Returns all positions of dimension `d`.
    fn all(mesh: &Mesh, d: usize) -> Self {
        Self { first: 0, side: mesh.extents()[d], is_ring: mesh.wraps(d) }
    }

    /// Returns the place of position `at` in a dimension of `extent` positions. It is at least `side` if `at`
    /// is not among the places.
    fn place(self, at: u32, extent: u32) -> usize {
        let ahead = if at < self.first { at + extent - self.first } else { at - self.first };
        ahead as usize
    }
}

impl Pairs {
    /// Starts on a request for `k` nodes.
    pub(super) fn prepare(&mut self, mesh: &Mesh, k: u32) {
        let extents = mesh.extents();
        self.hops.set(mesh);
        let dims = extents.iter().filter(|&&extent| extent > 1).count();
        self.least.clear();
        // The least sum of hops from a node to n − 1 others, the hops to the last of them, and how many more
        // may be as near.
        let (mut nearest, mut distance, mut rest) = (0_u64, 0_u64, 0_u64);
        for n in 0..=u64::from(k) {
            // The sums of all n nodes have each pair twice.
            self.least.push(n.saturating_mul(nearest) / 2);
            if n > 0 {
                if rest == 0 {
                    distance += 1;
                    rest = [0, 2, 4 * distance, 4 * distance * distance + 2][dims];
                }
                (nearest, rest) = (nearest + distance, rest.saturating_sub(1));
            }
        }
    }

    /// Returns a lower bound of the pairwise sum of the fill of k nodes around `centre`. `shell` is the shell
    /// of the k-th nearest free node.
    pub(super) fn bound(
        &mut self,
        counts: &FreeCounts,
        mesh: &Mesh,
        k: u32,
        centre: Coord,
        shell: usize,
    ) -> u64 {
        let Some(whole) = whole_shells(mesh, centre, shell) else { return self.least[k as usize] };
        let taken = counts.in_place(whole);
        let mut sum = 0_u64;
        let (mut least, mut beyond) = ([0; 3], [u64::MAX; 3]);
        for d in 0..3 {
            let places = Places::around(mesh, d, whole, 1);
            sum = sum.saturating_add(self.count(counts, mesh, d, whole, places));
            let (before, rest) = self.along.split_at(places.place(whole.base[d], mesh.extents()[d]));
            let (_, behind) = rest.split_at(whole.sizes[d] as usize);
            beyond[d] = before.iter().chain(behind).copied().min().unwrap_or(u64::MAX);
            least[d] = self.along.iter().copied().min().unwrap_or(0);
        }
        let all: u64 = least.iter().sum();
        let first = (0..3).map(|d| beyond[d].saturating_add(all - least[d])).min().unwrap_or(0);
        let left = k - taken;
        let rest = u64::from(left).saturating_mul(first);
        sum.saturating_add(rest).saturating_add(self.least[left as usize])
    }

    /// Starts the fill of k nodes around `centre`, which can win with a pairwise sum of at most `limit`.
    pub(super) fn start(
        &mut self,
        counts: &FreeCounts,
        mesh: &Mesh,
        k: u32,
        centre: Coord,
        shell: usize,
        limit: u64,
    ) {
        (self.sum, self.left, self.limit) = (0, k, limit);
        let whole = whole_shells(mesh, centre, shell);
        self.left -= whole.map_or(0, |whole| counts.in_place(whole));
        for d in 0..3 {
            let around = whole.unwrap_or(Submesh { base: centre, sizes: [1; 3] });
            self.places[d] = Places::around(mesh, d, around, MARGIN);
            if let Some(whole) = whole {
                let sum = self.count(counts, mesh, d, whole, self.places[d]);
                self.sum = self.sum.saturating_add(sum);
                self.taken[d].clone_from(&self.counts);
                self.sums[d].clone_from(&self.along);
            } else {
                let side = self.places[d].side as usize;
                self.taken[d].clear();
                self.taken[d].resize(side, 0);
                self.sums[d].clear();
                self.sums[d].resize(side, 0);
            }
        }
    }

    /// Lets the tables of dimension `d` have all positions.
    #[cold]
    fn widen(&mut self, mesh: &Mesh, d: usize) {
        let (before, all, extent) = (self.places[d], Places::all(mesh, d), mesh.extents()[d]);
        self.counts.clear();
        self.counts.resize(extent as usize, 0);
        for (count, i) in self.taken[d].iter().zip(0..) {
            self.counts[((before.first + i) % extent) as usize] = *count;
        }
        self.places[d] = all;
        self.taken[d].clone_from(&self.counts);
        self.sums[d].resize(extent as usize, 0);
        distances_along(&self.taken[d], all.is_ring, &mut self.sums[d]);
    }

    /// Sets `along` to the sums of hops along dimension `d` from each of `places` to the free nodes of the
    /// whole shells, and returns the sum of hops along it over the pairs of these nodes.
    fn count(&mut self, counts: &FreeCounts, mesh: &Mesh, d: usize, whole: Submesh, places: Places) -> u64 {
        let (side, extent) = (places.side as usize, mesh.extents()[d]);
        self.counts.clear();
        self.counts.resize(side, 0);
        let mut slice = whole;
        slice.sizes[d] = 1;
        let mut taken = 0;
        for i in 0..whole.sizes[d] {
            slice.base[d] = (whole.base[d] + i) % extent;
            let count = counts.in_place(slice);
            self.counts[places.place(slice.base[d], extent)] = count;
            taken += count;
        }
        self.along.resize(side, 0);
        distances_along(&self.counts, places.is_ring, &mut self.along);
        pairwise_along(&self.counts, taken, places.is_ring)
    }
}

impl Objective for Pairs {
    type Total = u64;

    fn add(&mut self, mesh: &Mesh, pick: Coord) -> bool {
        let (mut at, mut nearest) = ([0; 3], 0_u64);
        for d in 0..3 {
            at[d] = self.places[d].place(pick[d], mesh.extents()[d]);
            if at[d] >= self.sums[d].len() {
                self.widen(mesh, d);
                at[d] = pick[d] as usize;
            }
            nearest = nearest.saturating_add(self.sums[d][at[d]]);
        }
        let rest = u64::from(self.left).saturating_mul(nearest);
        if self.sum.saturating_add(rest).saturating_add(self.least[self.left as usize]) > self.limit {
            return false;
        }
        self.sum = self.sum.saturating_add(nearest);
        self.left -= 1;
        for (d, at) in at.into_iter().enumerate() {
            self.taken[d][at] += 1;
            self.hops.add(d, at, &mut self.sums[d]);
        }
        true
    }

    fn total(&self) -> u64 {
        self.sum
    }
}

/// Returns the nodes nearer to `centre` than `shell`, as a submesh; `None` if there are none.
fn whole_shells(mesh: &Mesh, centre: Coord, shell: usize) -> Option<Submesh> {
    let radius = shell.checked_sub(1)? as u32;
    let mut whole = Submesh { base: centre, sizes: [1; 3] };
    for (d, at) in centre.into_iter().enumerate() {
        let extent = mesh.extents()[d];
        (whole.base[d], whole.sizes[d]) = if !mesh.wraps(d) {
            let low = at.saturating_sub(radius);
            (low, (at + radius + 1).min(extent) - low)
        } else if 2 * radius + 1 >= extent {
            (0, extent)
        } else {
            ((at + extent - radius) % extent, 2 * radius + 1)
        };
    }
    Some(whole)
}
