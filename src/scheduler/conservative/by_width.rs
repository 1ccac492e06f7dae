//! The reservations in classes of widths, with the shortest of those that start late.
//!
//! An opening mostly has room for whole jobs of a few widths and for shorter jobs the wider they are, and no reservation
//! that starts later is that narrow and that short. A table tells so in one look.

use std::cmp::Reverse;

use super::extents::Extent;
use super::reservation::Reservation;
use crate::job::Time;

/// The largest number of classes.
const CLASSES: usize = 64;
/// The largest number of eras.
pub(super) const ERAS: usize = 64;
/// The widths below this are found in a table.
const NARROW: u32 = 4096;
/// The number of reservations in a block.
const BLOCK: usize = 16;

/// Returns a time in whole seconds, rounded down, or the greatest number if there are more.
fn seconds(time: Time) -> u32 {
    u32::try_from(time.as_micros() / 1_000_000).unwrap_or(u32::MAX)
}

/// Reservations of similar widths, wider than those of the class before. Those with the latest starts come first. The lists are
/// in the same order.
#[derive(Clone, Debug, Default)]
struct Class {
    widest: u32,
    /// None starts later. The bound is not lowered when a reservation moves to an earlier start.
    latest: Vec<Time>,
    lengths_s: Vec<u32>,
    widths: Vec<u32>,
    numbers: Vec<u32>,
    /// The shortest length in each block.
    shortest_s: Vec<u32>,
}

impl Class {
    /// Adds reservation `number`. O(Q) in memory.
    fn insert(&mut self, &Reservation { procs, length, start, .. }: &Reservation, number: u32) {
        self.widest = procs.max(self.widest);
        let at = self.latest.partition_point(|&other| other > start);
        self.latest.insert(at, start);
        self.lengths_s.insert(at, seconds(length));
        self.widths.insert(at, procs);
        self.numbers.insert(at, number);
        self.shortest_s.truncate(at / BLOCK);
        self.sum_up();
    }

    /// Removes reservation `number`. O(Q) in memory.
    fn remove(&mut self, number: u32) {
        let Some(at) = self.numbers.iter().position(|&other| other == number) else { return };
        self.latest.remove(at);
        self.lengths_s.remove(at);
        self.widths.remove(at);
        self.numbers.remove(at);
        self.shortest_s.truncate(at / BLOCK);
        self.sum_up();
    }

    /// Adds the blocks that are missing.
    fn sum_up(&mut self) {
        let blocks = self.lengths_s.chunks(BLOCK).skip(self.shortest_s.len());
        self.shortest_s.extend(blocks.map(|block| block.iter().copied().min().unwrap_or(u32::MAX)));
    }

    /// Returns the shortest distance from number `from` to that of a reservation that is for an extent, by what is known here;
    /// the greatest number if there is none. `most_s` is the length of the extent. Distances wrap around.
    fn nearest(&self, extent: &Extent, most_s: u32, from: u32) -> u32 {
        let least = u32::try_from((extent.narrower + 1).max(0)).unwrap_or(u32::MAX);
        let spread = u32::try_from(extent.widest).unwrap_or(u32::MAX) - least;
        let count = self.latest.partition_point(|&latest| latest > extent.until);
        // No branches, so that the compiler takes several at once.
        let distance = |one: u32, procs: u32, number: u32| {
            let is_for = (one <= most_s) & (procs.wrapping_sub(least) <= spread);
            number.wrapping_sub(from) | u32::from(is_for).wrapping_sub(1)
        };
        let mut nearest = u32::MAX;
        let (lengths, widths, numbers) =
            (&self.lengths_s[..count], &self.widths[..count], &self.numbers[..count]);
        let (blocks, rest) = lengths.as_chunks::<BLOCK>();
        let blocks = blocks.iter().zip(widths.as_chunks::<BLOCK>().0).zip(numbers.as_chunks::<BLOCK>().0);
        for (((lengths, widths), numbers), _) in blocks.zip(&self.shortest_s).filter(|one| *one.1 <= most_s) {
            let mut distances = [u32::MAX; BLOCK];
            for (at, shortest) in distances.iter_mut().enumerate() {
                *shortest = distance(lengths[at], widths[at], numbers[at]);
            }
            nearest = distances.into_iter().fold(nearest, u32::min);
        }
        let begin = count - rest.len();
        for at in begin..count {
            nearest = nearest.min(distance(lengths[at], widths[at], numbers[at]));
        }
        nearest
    }
}

/// The reservations in classes, and a table of them.
#[derive(Clone, Debug, Default)]
pub(super) struct ByWidth {
    classes: Vec<Class>,
    /// Times that divide the future into eras. The first era has no beginning.
    eras: Vec<Time>,
    /// For each era and class, the length in seconds of the shortest reservation of this or a narrower class that starts in
    /// this era or a later one, or has once started there.
    shortest_s: Vec<[u32; CLASSES]>,
    /// The same for the reservations of the class alone.
    own_s: Vec<[u32; CLASSES]>,
    /// The class of each small width.
    narrow: Vec<u8>,
    narrowest: u32,
    longest: Time,
    /// The number of reservations that have come since the classes were made.
    added: usize,
    /// The number of entries that have been looked at for nothing since the table was made.
    wasted: usize,
}

impl ByWidth {
    /// Adds reservation `number`. O(Q / 16) in memory.
    pub(super) fn push(&mut self, reservation: &Reservation, number: u32) {
        let &Reservation { procs, length, start, .. } = reservation;
        if self.classes.is_empty() {
            *self = Self { narrowest: procs, ..Self::default() };
            self.classes.push(Class::default());
            self.shortest_s.push([u32::MAX; CLASSES]);
            self.own_s.push([u32::MAX; CLASSES]);
        }
        self.narrowest = self.narrowest.min(procs);
        self.longest = self.longest.max(length);
        let (of, era) = (self.class(procs), self.era(start));
        self.classes[of].insert(reservation, number);
        let length = seconds(length);
        // Lengths become shorter towards earlier eras.
        for (row, own) in self.shortest_s[..=era].iter_mut().zip(&mut self.own_s).rev() {
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
        self.classes.partition_point(|class| class.widest < procs).min(self.classes.len() - 1)
    }

    /// Returns the era of a time.
    fn era(&self, time: Time) -> usize {
        self.eras.partition_point(|&begin| begin <= time)
    }

    /// Returns whether the table is to be made anew, as it tells too little.
    pub(super) fn is_stale(&self, count: usize) -> bool {
        self.wasted > count + 256 || self.added > count / 2 + 16
    }

    /// Makes the classes and the table anew. `all` are the reservations by their numbers, of which only those with a length are
    /// there, and `eras` are times that divide the future into eras, in ascending order.
    pub(super) fn refresh(&mut self, all: &[Reservation], mut eras: Vec<Time>) {
        eras.truncate(ERAS - 1);
        let present = (0..).zip(all).filter(|(_, one)| one.length > Time::ZERO);
        let mut present: Vec<(u32, &Reservation)> = present.collect();
        present.sort_unstable_by_key(|(_, one)| one.procs);
        self.narrowest = present.first().map_or(0, |(_, one)| one.procs);
        self.longest = present.iter().map(|(_, one)| one.length).max().unwrap_or_default();
        let size = present.len().div_ceil(CLASSES).max(BLOCK);
        self.classes.clear();
        let mut rest = &mut present[..];
        while !rest.is_empty() {
            // Those of one width stay together.
            let widest = rest[size.min(rest.len()) - 1].1.procs;
            let count = rest.partition_point(|(_, one)| one.procs <= widest);
            let (own, wider) = rest.split_at_mut(count);
            own.sort_unstable_by_key(|(number, one)| Reverse((one.start, *number)));
            self.classes.push(Class {
                widest,
                latest: own.iter().map(|(_, one)| one.start).collect(),
                lengths_s: own.iter().map(|(_, one)| seconds(one.length)).collect(),
                widths: own.iter().map(|(_, one)| one.procs).collect(),
                numbers: own.iter().map(|(number, _)| *number).collect(),
                shortest_s: Vec::new(),
            });
            rest = wider;
        }
        self.classes.iter_mut().for_each(Class::sum_up);
        self.narrow.clear();
        let narrow = (0..NARROW.min(self.classes.last().map_or(0, |class| class.widest)))
            .map(|procs| self.class(procs) as u8);
        self.narrow = narrow.collect();
        self.eras = eras;
        self.shortest_s.clear();
        self.shortest_s.resize(self.eras.len() + 1, [u32::MAX; CLASSES]);
        for (_, one) in present {
            let (era, class) = (self.era(one.start), self.class(one.procs));
            let shortest = &mut self.shortest_s[era][class];
            *shortest = seconds(one.length).min(*shortest);
        }
        let mut later = [u32::MAX; CLASSES];
        self.own_s = self.shortest_s.clone();
        for (row, own) in self.shortest_s.iter_mut().zip(&mut self.own_s).rev() {
            let mut narrower = u32::MAX;
            for (shortest, later) in row.iter_mut().zip(&mut later) {
                *later = (*later).min(*shortest);
                narrower = narrower.min(*later);
                *shortest = narrower;
            }
            *own = later;
        }
        (self.added, self.wasted) = (0, 0);
    }

    /// Returns the smallest width and the longest time; `None` if there is no reservation. They are bounds.
    pub(super) fn limits(&self) -> Option<(u32, Time)> {
        (!self.classes.is_empty()).then_some((self.narrowest, self.longest))
    }

    /// Calls `found` with the number of each reservation that is for an extent: it is not longer, and starts when this is over.
    /// `all` are the reservations by their numbers. `extents` are in ascending order of their widths; those of narrower jobs are
    /// not shorter. None ends before `end`.
    ///
    /// O(1) for each extent if there is none, otherwise O(Q) at most.
    pub(super) fn each_within(
        &mut self,
        extents: &[Extent],
        end: Time,
        all: &[Reservation],
        mut found: impl FnMut(u32, &Reservation),
    ) {
        let era = self.era(end);
        for extent in extents {
            let (length, length_s) = (extent.length(), seconds(extent.length()));
            let last = self.class(u32::try_from(extent.widest).unwrap_or(u32::MAX));
            if self.shortest_s[era][last] > length_s {
                continue;
            }
            let first = self.class(u32::try_from(extent.narrower + 1).unwrap_or(0));
            for (class, own) in self.classes[first..=last].iter().zip(&self.own_s[era][first..=last]) {
                if *own > length_s {
                    continue;
                }
                let late = class.latest.iter().take_while(|&&latest| latest > extent.until);
                let entries = late.zip(&class.lengths_s).zip(&class.widths).zip(&class.numbers);
                for (((_, &one_s), &procs), &number) in entries {
                    if one_s <= length_s && extent.is_for(procs) {
                        let one = &all[number as usize];
                        if one.start > extent.until && one.length <= length {
                            found(number, one);
                        } else {
                            self.wasted += 1;
                        }
                    }
                }
            }
        }
    }

    /// Returns the shortest distance, but not less than a given one, from a number to that of a reservation that is for an extent:
    /// it is not longer, and starts when this is over. `None` if there is none. Distances wrap around, and the longest one does
    /// not count. `all` are the reservations by their numbers. `extents` are in ascending order of their widths; those of narrower
    /// jobs are not shorter. None ends before `end`.
    ///
    /// O(1) for each extent if there is none, otherwise O(Q) at most.
    pub(super) fn nearest(
        &mut self,
        extents: &[Extent],
        end: Time,
        all: &[Reservation],
        (number, distance): (u32, u32),
    ) -> Option<u32> {
        if self.classes.is_empty() {
            return None;
        }
        let mut nearest = u32::MAX;
        let (era, mut is_wrong) = (self.era(end), false);
        for extent in extents {
            let length = extent.length();
            let last = self.class(u32::try_from(extent.widest).unwrap_or(u32::MAX));
            let length_s = seconds(length);
            if self.shortest_s[era][last] > length_s {
                continue;
            }
            is_wrong = true;
            let first = self.class(u32::try_from(extent.narrower + 1).unwrap_or(0));
            for (class, own) in self.classes[first..=last].iter().zip(&self.own_s[era][first..=last]) {
                if *own > length_s {
                    continue;
                }
                // Those that have gone or start earlier by now are passed over.
                let mut distance = distance;
                while let Some(far) =
                    class.nearest(extent, length_s, number.wrapping_add(distance)).checked_add(distance)
                {
                    if far >= nearest {
                        break;
                    }
                    let one = &all[number.wrapping_add(far) as usize];
                    if one.start > extent.until && one.length <= length && one.length > Time::ZERO {
                        nearest = far;
                        break;
                    }
                    self.wasted += 1;
                    distance = far + 1;
                }
            }
        }
        self.wasted += 2 * usize::from(is_wrong && nearest == u32::MAX);
        (nearest < u32::MAX).then_some(nearest)
    }
}
