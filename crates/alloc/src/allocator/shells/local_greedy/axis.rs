//! One axis of the box around a centre: its places, and the sums of hops along it.

use meshreplay_machine::machine::Mesh;

/// More positions than any box has.
pub(super) const FAR: u32 = 1 << 16;

/// What is known of one axis of the box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis<const N: usize> {
    /// For each place its sum, its hops to the centre, and but for the first axis its rank.
    pub(super) numbers: [u32; N],
    /// For each place the hops to the centre.
    pub(super) hops: [u32; N],
    /// Hops between two places, by the difference of the places from -N to N - 1.
    apart: [[u32; N]; 2],
    /// For each place its rank in the order of positions.
    pub(super) ranks: [u32; N],
    /// The number of places.
    pub(super) side: usize,
    /// The position of the first place; below 0 if it is beyond an end.
    pub(super) first: i64,
    /// The number of positions of the axis.
    pub(super) extent: usize,
    pub(super) wraps: bool,
    /// The number of positions of a ring that is in the box as a whole; much more otherwise.
    pub(super) ring: u32,
    /// Whether the machine goes on beyond either end of the box.
    pub(super) goes_on: [bool; 2],
    /// The number of places before that of position 0 on a ring, if this is not the first one.
    turn: usize,
}

impl<const N: usize> Axis<N> {
    /// Returns an axis of one position.
    pub(super) fn new() -> Self {
        Self {
            numbers: [0; N],
            hops: [0; N],
            apart: [[0; N]; 2],
            ranks: [0; N],
            side: 1,
            first: 0,
            extent: 1,
            wraps: false,
            ring: FAR,
            goes_on: [false; 2],
            turn: 0,
        }
    }

    /// Sets the part of an axis within `reach` of `centre`, or all of it. Returns whether one of them suits.
    pub(super) fn set(&mut self, mesh: &Mesh, d: usize, centre: u32, reach: usize) -> bool {
        let (extent, wraps) = (mesh.extents()[d] as usize, mesh.wraps(d));
        let is_part = 2 * reach + 1 < extent && (!wraps || 4 * (reach + 1) <= extent);
        let (first, side) =
            if is_part { (i64::from(centre) - reach as i64, 2 * reach + 1) } else { (0, extent) };
        if side > N {
            return false;
        }
        let end = first + side as i64;
        self.goes_on = [first > 0, end < extent as i64].map(|inside| is_part && (wraps || inside));
        self.first = if wraps { first.rem_euclid(extent as i64) } else { first };
        self.turn =
            if wraps && self.first as usize + side > extent { extent - self.first as usize } else { 0 };
        (self.side, self.extent, self.wraps) = (side, extent, wraps);
        self.ring = if wraps && !is_part { extent as u32 } else { FAR };
        for (apart, at) in self.apart.as_flattened_mut().iter_mut().zip(0..) {
            let straight = u32::abs_diff(at, N as u32);
            *apart = straight.min(self.ring.wrapping_sub(straight));
        }
        self.hops = self.hops_to(if is_part { reach } else { centre as usize });
        for place in 0..side {
            let rank = if place >= self.turn { place - self.turn } else { place + side - self.turn };
            self.ranks[place] = rank as u32;
        }
        true
    }

    /// Returns the hops from each place to one of them; numbers of no meaning behind the last place.
    #[inline(always)]
    fn hops_to(&self, place: usize) -> [u32; N] {
        let mut hops = [0; N];
        hops.copy_from_slice(&self.apart.as_flattened()[N - place % N..][..N]);
        hops
    }

    /// Returns the position of a place; `None` if the machine ends before.
    #[inline(always)]
    pub(super) fn position(&self, place: usize) -> Option<usize> {
        let at = self.first + place as i64;
        let extent = self.extent as i64;
        let at = if self.wraps && at >= extent { at - extent } else { at };
        (0..extent).contains(&at).then_some(at as usize)
    }

    /// Returns the place of a position; `None` if it is not in the box.
    pub(super) fn place(&self, position: u32) -> Option<usize> {
        let ahead = i64::from(position) - self.first;
        let ahead = if self.wraps && ahead < 0 { ahead + self.extent as i64 } else { ahead };
        usize::try_from(ahead).ok().filter(|&place| place < self.side)
    }

    #[inline(always)]
    pub(super) fn place_of_rank(&self, rank: usize) -> usize {
        let place = rank + self.turn;
        if place < self.side { place } else { place - self.side }
    }

    /// Takes a node at a place.
    #[inline(always)]
    pub(super) fn take(&mut self, place: usize, sum: u32) {
        let (numbers, hops) = (self.numbers, self.hops_to(place));
        for i in 0..N {
            self.numbers[i] = numbers[i].wrapping_add(hops[i] << sum);
        }
    }
}
