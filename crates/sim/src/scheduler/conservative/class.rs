//! Reservations of similar widths.

use super::extents::Extent;
use super::reservation::{Nodes, Reservation, nodes};
use meshreplay_base::job::Time;

/// The number of reservations in a block.
pub(super) const BLOCK: usize = 16;

/// The number of microseconds in a unit of brief times, as a power of two. It is about a second.
const UNIT: u32 = 20;

/// The greatest number that is compared with others. The difference of two of them fits 32 bits.
const GREAT: i32 = 1 << 30;

/// Returns a brief form of a time, in whole units, rounded down, or the nearest number there is. It tells whether a time is longer
/// than another, but for those that are nearly equal.
#[inline]
pub(super) fn brief(time: Time) -> i32 {
    (time.as_micros() >> UNIT).clamp(i64::from(-GREAT), i64::from(GREAT - 1)) as i32
}

/// Returns a brief form of a time, rounded up. If one time is later than another, it is more than the form of the other that is
/// rounded down.
#[inline]
pub(super) fn brief_up(time: Time) -> i32 {
    brief(time - Time::from_micros(1)) + 1
}

/// What is asked for: reservations for an extent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    end: Time,
    length: Time,
    narrower: Nodes,
    widest: Nodes,
    /// The length of the extent and its end in brief.
    pub(super) longest: i32,
    until: i32,
}

impl Wanted {
    /// Returns what is asked for an extent.
    pub(super) fn new(extent: &Extent) -> Self {
        Self {
            end: extent.until,
            length: extent.length(),
            narrower: extent.narrower,
            widest: extent.widest,
            longest: brief(extent.length()),
            until: brief(extent.until),
        }
    }

    /// Returns whether a reservation that is there, of one of the widths, is not longer than the extent and starts when this is
    /// over.
    fn is(&self, one: &Reservation) -> bool {
        one.start > self.end && one.length <= self.length && one.length > Time::ZERO
    }
}

/// Some reservations in the order of their numbers. What is left of the last block of a class is filled with reservations
/// that nobody asks for.
#[derive(Clone, Copy, Debug)]
struct Block {
    lengths: [i32; BLOCK],
    widths: [Nodes; BLOCK],
    /// None starts later, rounded up. The bound is not lowered when a reservation moves to an earlier start, but when a search
    /// finds this out.
    latest: [i32; BLOCK],
    numbers: [u32; BLOCK],
}

impl Block {
    const EMPTY: Self =
        Self { lengths: [GREAT; BLOCK], widths: [0; BLOCK], latest: [-GREAT; BLOCK], numbers: [0; BLOCK] };

    /// Returns the place of the first reservation from number `from` on that is wanted, by what is known here; `BLOCK` or more if
    /// there is none.
    fn first(&self, wanted: &Wanted, from: u32) -> usize {
        let &Wanted { narrower, widest, longest, until, .. } = wanted;
        let from = from.cast_signed();
        let mut places = [0_u32; BLOCK];
        // No branches and no comparisons, so that the compiler takes several at once. The difference of two numbers is negative if
        // the first is less than the second. All numbers are small enough for that.
        for (at, place) in places.iter_mut().enumerate() {
            let (width, number) = (self.widths[at], self.numbers[at].cast_signed());
            let is_not = (longest - self.lengths[at])
                | (width - narrower - 1)
                | (widest - width)
                | (self.latest[at] - until - 1)
                | (number - from);
            *place = !(is_not >> 31).cast_unsigned() & (1 << at);
        }
        places.into_iter().fold(0, |places, place| places | place).trailing_zeros() as usize
    }

    /// Returns the bounds of the reservations.
    fn bounds(&self) -> Bounds {
        let shortest = self.lengths.iter().fold(GREAT, |a, &b| a.min(b));
        Bounds { shortest, latest: self.latest.iter().fold(-GREAT, |a, &b| a.max(b)) }
    }
}

/// The shortest length and the latest start of some reservations.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    shortest: i32,
    latest: i32,
}

/// Reservations of similar widths, wider than those of the class before, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Class {
    pub(super) widest: u32,
    /// The number of reservations, with those that have gone.
    count: usize,
    blocks: Vec<Block>,
    /// The first number in each block, and the bounds of those in it.
    bounds: Vec<(u32, Bounds)>,
}

impl Class {
    /// Returns a class without reservations.
    pub(super) fn new(widest: u32) -> Self {
        Self { widest, ..Self::default() }
    }

    /// Adds reservation `number`, which is greater than those of the others. O(1).
    pub(super) fn push(&mut self, &Reservation { procs, length, start, .. }: &Reservation, number: u32) {
        self.widest = procs.max(self.widest);
        let place = self.count % BLOCK;
        if place == 0 {
            self.blocks.push(Block::EMPTY);
            self.bounds.push((number, Bounds { shortest: GREAT, latest: -GREAT }));
        }
        let (length, start) = (brief(length), brief_up(start));
        if let (Some(block), Some((_, bounds))) = (self.blocks.last_mut(), self.bounds.last_mut()) {
            (block.lengths[place], block.widths[place]) = (length, nodes(procs));
            (block.latest[place], block.numbers[place]) = (start, number);
            bounds.shortest = bounds.shortest.min(length);
            bounds.latest = bounds.latest.max(start);
        }
        self.count += 1;
    }

    /// Returns the block in which a number would be; 0 if it is before all.
    fn block(&self, number: u32) -> usize {
        self.bounds.partition_point(|&(first, _)| first <= number).saturating_sub(1)
    }

    /// Removes reservation `number`. O(log Q).
    pub(super) fn remove(&mut self, number: u32) {
        let at = self.block(number);
        let Some(block) = self.blocks.get_mut(at) else { return };
        if let Some(place) = block.numbers.iter().position(|&other| other == number) {
            (block.lengths[place], block.latest[place]) = (GREAT, -GREAT);
            self.bounds[at].1 = block.bounds();
        }
    }

    /// Returns the first number from `from` on and before `before` of a reservation that is wanted; `None` if there is none. `all`
    /// are the reservations by their numbers. The bounds of those that start earlier by now are lowered, and their count is added to
    /// `in_vain`. O(Q) in blocks.
    pub(super) fn first(
        &mut self,
        wanted: &Wanted,
        (from, before): (u32, u32),
        all: &[Reservation],
        in_vain: &mut usize,
    ) -> Option<u32> {
        if from >= before {
            return None;
        }
        for at in self.block(from)..self.blocks.len() {
            let (first, Bounds { shortest, latest }) = self.bounds[at];
            if first >= before {
                break;
            }
            if shortest > wanted.longest || latest <= wanted.until {
                continue;
            }
            let block = &mut self.blocks[at];
            let mut place = block.first(wanted, from);
            while let Some(&number) = block.numbers.get(place).filter(|&&number| number < before) {
                let one = &all[number as usize];
                if wanted.is(one) {
                    return Some(number);
                }
                block.latest[place] = brief_up(one.start);
                self.bounds[at].1 = block.bounds();
                *in_vain += 1;
                place = block.first(wanted, number + 1);
            }
        }
        None
    }
}
