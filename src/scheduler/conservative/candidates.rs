//! The reservations that may move, and the starts to which they may.
//!
//! They are few in a long queue, so a compression finds them by a set of bits.

use crate::job::Time;

/// Starts to which a reservation may move: from the first time on, before the second.
pub(super) type Area = (Time, Time);

/// The largest number of areas that are kept apart for a reservation.
const APART: usize = 4;

/// The areas of one reservation. They may overlap.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Areas {
    count: usize,
    areas: [Area; APART],
}

impl Areas {
    /// Adds an area. One that meets it grows by it, and if there is no room left, the last one grows until it covers both.
    fn add(&mut self, area: Area) {
        let kept = &self.areas[..self.count];
        let met = kept.iter().position(|other| area.0 <= other.1 && other.0 <= area.1);
        match met.unwrap_or(self.count.min(APART - 1)) {
            new if new == self.count => {
                self.areas[new] = area;
                self.count += 1;
            }
            old => {
                let (from, before) = self.areas[old];
                self.areas[old] = (from.min(area.0), before.max(area.1));
            }
        }
    }

    /// Returns the areas, the earliest first.
    pub(super) fn sorted(&mut self) -> &[Area] {
        let areas = &mut self.areas[..self.count];
        areas.sort_unstable();
        areas
    }
}

/// The areas of all reservations, which are numbered in the order of the queue. A reservation without an area cannot move.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    areas: Vec<Areas>,
    /// One bit for each reservation, which tells whether it has an area. They are read 64 at a time.
    bits: Vec<u64>,
}

impl Candidates {
    /// Adds a reservation at the end of the queue, which cannot move.
    pub(super) fn push(&mut self) {
        self.areas.push(Areas::default());
        self.bits.resize(self.areas.len().div_ceil(64), 0);
    }

    /// Adds an area of reservation `at`.
    pub(super) fn add(&mut self, at: usize, area: Area) {
        self.areas[at].add(area);
        self.bits[at / 64] |= 1 << (at % 64);
    }

    /// Returns the first reservation from number `from` on that has an area; `None` if there is none. O(Q / 64).
    pub(super) fn first(&self, from: usize) -> Option<usize> {
        let word = from / 64;
        let begun = self.bits.get(word)? & (u64::MAX << (from % 64));
        let later = self.bits.iter().copied().enumerate().skip(word + 1);
        let (word, bits) = [(word, begun)].into_iter().chain(later).find(|&(_, bits)| bits != 0)?;
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Returns the areas of reservation `at`, which has none from now on.
    pub(super) fn take(&mut self, at: usize) -> Areas {
        self.bits[at / 64] &= !(1 << (at % 64));
        std::mem::take(&mut self.areas[at])
    }

    /// Removes the `count` reservations for which `leaves` says so. The others close up. O(Q), but O(Q / 64) if none can
    /// move.
    pub(super) fn remove(&mut self, count: usize, leaves: impl Fn(usize) -> bool) {
        if self.first(0).is_none() {
            // They are all alike, so it does not matter which go.
            self.areas.truncate(self.areas.len() - count);
            self.bits.truncate(self.areas.len().div_ceil(64));
            return;
        }
        let mut kept = Self::default();
        for (_, areas) in self.areas.iter().enumerate().filter(|&(number, _)| !leaves(number)) {
            kept.push();
            let last = kept.areas.len() - 1;
            kept.areas[last] = *areas;
            kept.bits[last / 64] |= u64::from(areas.count > 0) << (last % 64);
        }
        *self = kept;
    }
}
