//! The reservations that may move, and the times in which they may have found room.
//!
//! They are few in a long queue, so a compression finds them by a set of bits.

use super::reservation::StepId;
use meshreplay_base::job::Time;

/// A time in which a reservation may have found room, from the first time on, before the second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Area {
    pub(super) time: (Time, Time),
    /// The step that began with it when it was noted.
    pub(super) step: StepId,
}

/// The largest number of areas that are kept apart for a reservation.
const APART: usize = 2;

/// The areas of one reservation. They may overlap.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Areas {
    count: usize,
    areas: [Area; APART],
}

impl Areas {
    /// Adds an area. `is_over` says of an area whether there is no room in it any more.
    #[inline]
    fn add(&mut self, area: Area, is_over: impl Fn(&Area) -> bool) {
        if self.count > 0 {
            self.add_another(area, is_over);
            return;
        }
        // One after the other, as they have been written, which is faster than together.
        let first = &mut self.areas[0];
        first.time.0 = area.time.0;
        first.time.1 = area.time.1;
        first.step = area.step;
        self.count = 1;
    }

    /// Adds an area. One that meets it grows by it. If there is no room left, those are dropped that `is_over` says of, and
    /// if there are none, the last one grows until it covers both.
    fn add_another(&mut self, area: Area, is_over: impl Fn(&Area) -> bool) {
        let meets = |other: &Area| area.time.0 < other.time.1 && other.time.0 < area.time.1;
        let met = self.areas[..self.count].iter().position(meets);
        if met.is_none() && self.count == APART {
            let mut kept = 0;
            for at in 0..APART {
                self.areas[kept] = self.areas[at];
                kept += usize::from(!is_over(&self.areas[at]));
            }
            self.count = kept;
        }
        let met = met.unwrap_or(self.count.min(APART - 1));
        if let Some(old) = self.areas[..self.count].get_mut(met) {
            let first = if old.time.0 <= area.time.0 { *old } else { area };
            *old = Area { time: (first.time.0, old.time.1.max(area.time.1)), step: first.step };
        } else {
            self.areas[met] = area;
            self.count += 1;
        }
    }

    /// Removes all areas.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Returns the areas, the earliest first.
    pub(super) fn sorted(&mut self) -> &[Area] {
        let areas = &mut self.areas[..self.count];
        if areas.len() > 1 {
            areas.sort_unstable_by_key(|area| area.time);
        }
        areas
    }
}

/// The areas of all reservations by their numbers. A reservation without an area cannot move.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    areas: Vec<Areas>,
    /// One bit for each reservation, which tells whether it has an area. They are read 64 at a time.
    bits: Vec<u64>,
}

impl Candidates {
    /// Adds a reservation with the next number, which has `areas`.
    pub(super) fn push(&mut self, areas: Areas) {
        let at = self.areas.len();
        self.areas.push(areas);
        self.bits.resize(self.areas.len().div_ceil(64), 0);
        self.bits[at / 64] |= u64::from(areas.count > 0) << (at % 64);
    }

    /// Adds an area of reservation `at`. `is_over` says of an area whether there is no room in it any more.
    #[inline]
    pub(super) fn add(&mut self, at: usize, area: Area, is_over: impl Fn(&Area) -> bool) {
        self.areas[at].add(area, is_over);
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

    /// Returns the areas of reservation `at`.
    pub(super) fn areas(&self, at: usize) -> Areas {
        self.areas[at]
    }

    /// Returns the areas of reservation `at`, which the caller clears: it has none from now on. They are not moved in memory.
    pub(super) fn take(&mut self, at: usize) -> &mut Areas {
        self.bits[at / 64] &= !(1 << (at % 64));
        &mut self.areas[at]
    }
}
