//! The reservations in classes of widths, with the shortest of those that start late.
//!
//! An opening mostly has room for whole jobs of a few widths and for shorter jobs the wider they are, and no reservation
//! that starts later is that narrow and that short. A table tells so in one look. If there are such reservations, the first one in
//! the order of the queue is asked for. So each class is in this order, and its search ends at the first.

use std::ops::RangeInclusive;

use super::class::{BLOCK, Class, Wanted, brief};
use super::eras::Eras;
use super::extents::Extent;
use super::reservation::Reservation;
use meshreplay_base::job::Time;

/// The largest number of classes.
const CLASSES: usize = 128;
/// The largest number of eras.
pub(super) const ERAS: usize = 128;
/// The widths below this are found in a table.
const NARROW: u32 = 4096;

/// The reservations in classes, and a table of them.
#[derive(Clone, Debug, Default)]
pub(super) struct ByWidth {
    classes: Vec<Class>,
    eras: Eras,
    /// For each era a row, with for each class the [brief] length of the shortest reservation of this or a narrower class that
    /// starts in this era or a later one, or has once started there.
    shortest: Vec<i32>,
    /// The same for the reservations of the class alone.
    own: Vec<i32>,
    /// The class of each small width.
    narrow: Vec<u8>,
    narrowest: u32,
    widest: u32,
    longest: Time,
    /// The number of reservations that have come since the classes were made.
    added: usize,
    /// The number of entries that have been looked at for nothing since the table was made.
    wasted: usize,
}

impl ByWidth {
    /// Adds reservation `number`, which is greater than those of the others.
    pub(super) fn push(&mut self, reservation: &Reservation, number: u32) {
        let &Reservation { procs, length, start, .. } = reservation;
        if self.classes.is_empty() {
            *self = Self { narrowest: procs, ..Self::default() };
            self.classes.push(Class::default());
            self.shortest.push(i32::MAX);
            self.own.push(i32::MAX);
        }
        self.narrowest = self.narrowest.min(procs);
        self.widest = self.widest.max(procs);
        self.longest = self.longest.max(length);
        let (of, era, width) = (self.class(procs), self.eras.of(start), self.classes.len());
        self.classes[of].push(reservation, number);
        let length = brief(length);
        // Lengths become shorter towards earlier eras.
        let rows = self.shortest.chunks_mut(width).zip(self.own.chunks_mut(width));
        for (row, own) in rows.take(era + 1).rev() {
            if own[of] <= length {
                break;
            }
            own[of] = length;
            row[of..].iter_mut().for_each(|shortest| *shortest = length.min(*shortest));
        }
        self.added += 1;
    }

    /// Removes reservation `number`, which takes `procs` nodes.
    pub(super) fn remove(&mut self, procs: u32, number: u32) {
        let class = self.class(procs);
        self.classes[class].remove(number);
    }

    /// Returns the class for jobs of `procs` nodes, the last one if they are wider than all others.
    fn class(&self, procs: u32) -> usize {
        if let Some(&class) = self.narrow.get(procs as usize) {
            return usize::from(class);
        }
        if procs >= self.widest {
            return self.classes.len() - 1;
        }
        self.classes.partition_point(|class| class.widest < procs).min(self.classes.len() - 1)
    }

    /// Returns whether the table is to be made anew, as it tells too little.
    pub(super) fn is_stale(&self, count: usize) -> bool {
        self.wasted > count + 64 || self.added > count / 2 + 16
    }

    /// Makes the classes and the table anew. `all` are the reservations by their numbers, of which only those with a length are
    /// there, and `eras` are times that divide the future into eras, in ascending order.
    pub(super) fn refresh(&mut self, all: &[Reservation], mut eras: Vec<Time>) {
        eras.truncate(ERAS - 1);
        let present = (0..).zip(all).filter(|(_, one)| one.length > Time::ZERO);
        let mut present: Vec<(u32, &Reservation)> = present.collect();
        present.sort_unstable_by_key(|(_, one)| one.procs);
        self.narrowest = present.first().map_or(0, |(_, one)| one.procs);
        self.widest = present.last().map_or(0, |(_, one)| one.procs);
        self.longest = present.iter().map(|(_, one)| one.length).max().unwrap_or_default();
        self.classes.clear();
        let size = present.len().div_ceil(CLASSES).max(BLOCK);
        let mut rest = &present[..];
        while !rest.is_empty() {
            // Those of one width stay together.
            let widest = rest[size.min(rest.len()) - 1].1.procs;
            rest = &rest[rest.partition_point(|(_, one)| one.procs <= widest)..];
            self.classes.push(Class::new(widest));
        }
        self.narrow.clear();
        let narrow = (0..NARROW.min(self.widest)).map(|procs| self.class(procs) as u8);
        self.narrow = narrow.collect();
        self.eras = Eras::new(&eras);
        for (number, one) in (0..).zip(all).filter(|(_, one)| one.length > Time::ZERO) {
            let class = self.class(one.procs);
            self.classes[class].push(one, number);
        }
        self.tabulate(&present);
        (self.added, self.wasted) = (0, 0);
    }

    /// Makes the table of the reservations that are there.
    fn tabulate(&mut self, present: &[(u32, &Reservation)]) {
        let width = self.classes.len();
        let mut own = std::mem::take(&mut self.own);
        own.clear();
        own.resize(self.eras.len() * width, i32::MAX);
        for (_, one) in present {
            let shortest = &mut own[self.eras.of(one.start) * width + self.class(one.procs)];
            *shortest = brief(one.length).min(*shortest);
        }
        self.shortest.clear();
        self.shortest.resize(own.len(), i32::MAX);
        let mut later = vec![i32::MAX; width];
        for (row, own) in self.shortest.chunks_mut(width.max(1)).zip(own.chunks_mut(width.max(1))).rev() {
            let mut narrower = i32::MAX;
            for ((shortest, own), later) in row.iter_mut().zip(own).zip(&mut later) {
                *later = (*later).min(*own);
                *own = *later;
                narrower = narrower.min(*later);
                *shortest = narrower;
            }
        }
        self.own = own;
    }

    /// Returns the smallest width and the longest time; `None` if there is no reservation. They are bounds.
    pub(super) fn limits(&self) -> Option<(u32, Time)> {
        (!self.classes.is_empty()).then_some((self.narrowest, self.longest))
    }

    /// Returns the classes in which there may be reservations that are for an extent, and the place of its era in the table; `None`
    /// if there is none by the table. O(1).
    #[inline]
    fn classes(&self, extent: &Extent) -> Option<(RangeInclusive<usize>, usize)> {
        let last = self.class(u32::try_from(extent.widest).unwrap_or(u32::MAX));
        let row = self.eras.of(extent.until) * self.classes.len();
        if self.shortest[row + last] > brief(extent.length()) {
            return None;
        }
        let first = self.class(u32::try_from(extent.narrower + 1).unwrap_or(0));
        Some((first..=last, row))
    }

    /// Returns whether there may be reservations that are for an extent, by the table. O(1).
    #[inline]
    pub(super) fn may_hold(&self, extent: &Extent) -> bool {
        self.classes(extent).is_some()
    }

    /// Calls `found` with the number of each reservation that is for an extent: it is not longer, and starts when this is over.
    /// `all` are the reservations by their numbers. `extents` are in descending order of their widths; those of narrower jobs are
    /// not shorter.
    ///
    /// O(1) for each extent if there is none, otherwise O(Q) at most.
    pub(super) fn each_within(
        &mut self,
        extents: &[Extent],
        all: &[Reservation],
        mut found: impl FnMut(u32, &Reservation),
    ) {
        for extent in extents {
            let Some((classes, row)) = self.classes(extent) else { continue };
            let wanted = Wanted::new(extent);
            for at in classes.filter(|at| self.own[row + at] <= wanted.longest) {
                let mut from = 0;
                while let Some(number) =
                    self.classes[at].first(&wanted, (from, u32::MAX), all, &mut self.wasted)
                {
                    found(number, &all[number as usize]);
                    from = number + 1;
                }
            }
        }
    }

    /// Returns the shortest distance, but not less than a given one, from a number to that of a reservation that is for an extent:
    /// it is not longer, and starts when this is over. `None` if there is none. Distances wrap around, and the longest one does
    /// not count. `all` are the reservations by their numbers. `extents` are in descending order of their widths; those of narrower
    /// jobs are not shorter.
    ///
    /// O(1) for each extent if there is none by the table. Otherwise the search passes the blocks of reservations up to the nearest
    /// one, O(Q) at most.
    pub(super) fn nearest(
        &mut self,
        extents: &[Extent],
        all: &[Reservation],
        (origin, distance): (u32, u32),
    ) -> Option<u32> {
        if self.classes.is_empty() {
            return None;
        }
        // The numbers from `from` on and before `before` come first, and if there is none among them, those before `again`.
        let from = origin.wrapping_add(distance);
        let last = origin.saturating_sub(1);
        let (mut before, mut again) = if from >= origin { (u32::MAX, last) } else { (last, 0) };
        // Whether the table has told of a reservation that there is not.
        let (mut nearest, mut is_wrong) = (None, false);
        for extent in extents {
            let Some((classes, row)) = self.classes(extent) else { continue };
            let wanted = Wanted::new(extent);
            is_wrong = true;
            for at in classes.filter(|at| self.own[row + at] <= wanted.longest) {
                let class = &mut self.classes[at];
                if let Some(number) = class.first(&wanted, (from, before), all, &mut self.wasted) {
                    (before, again, nearest) = (number, 0, Some(number));
                } else if let Some(number) = class.first(&wanted, (0, again), all, &mut self.wasted) {
                    (again, nearest) = (number, Some(number));
                }
            }
        }
        self.wasted += usize::from(is_wrong && nearest.is_none());
        nearest.map(|number| number.wrapping_sub(origin))
    }
}
