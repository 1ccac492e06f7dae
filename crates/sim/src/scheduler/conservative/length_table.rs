//! The waiting reservations as three columns of numbers, and a table of minimal lengths.
//!
//! A freed window usually has room for whole jobs of few widths, and for shorter jobs the wider they are.
//! Most windows suit no reservation that starts later. The table answers that in O(1): it has a row
//! for each *time bucket* of reserved starts and a column for each width class, and holds the shortest length
//! of a reservation that starts in that bucket or later and is at most as wide as the class. Otherwise the
//! columns are scanned in the order of the queue.
//!
//! Lengths and starts are in units of about a second, rounded such that no fitting reservation is missed. A
//! search may return a reservation that is too long by less than a unit.

use std::ops::Range;

use super::free_intervals::{FreeInterval, Limits};
use super::profile::{Nodes, Reservation, nodes};
use meshreplay_base::job::Time;

/// Number of width classes.
const WIDTHS: usize = 50;
/// Number of time buckets.
const BUCKETS: usize = 128;
/// Reservations compared at a time.
const BLOCK: usize = 16;
/// Microseconds per unit of time, as a power of two.
const UNIT: u32 = 20;
/// The largest number of units. Differences fit 32 bits.
const GREAT: i32 = 1 << 30;

/// Converts a time to units, rounded down.
fn units(time: Time) -> i32 {
    (time.as_micros() >> UNIT).clamp(i64::from(-GREAT), i64::from(GREAT - 1)) as i32
}

/// Converts a time to units, rounded up.
fn units_up(time: Time) -> i32 {
    units(time - Time::from_micros(1)) + 1
}

/// Returns the class of a number: twice its logarithm to base 2, rounded down. `None` for 0.
fn class(number: u64) -> Option<usize> {
    let log = number.checked_ilog2()?;
    let is_in_upper_half = (number << 1 >> log) & 1;
    Some(2 * log as usize + is_in_upper_half as usize)
}

/// Returns the first class without numbers below a given one.
fn class_up(number: u64) -> usize {
    class(number.saturating_sub(1)).map_or(0, |class| class + 1)
}

/// A block of reservations. The last one is padded with removed reservations.
#[derive(Clone, Copy, Debug)]
struct Block {
    /// In units, rounded down. [`GREAT`] for a removed reservation.
    lengths: [i32; BLOCK],
    widths: [Nodes; BLOCK],
    /// In units, rounded up.
    starts: [i32; BLOCK],
}

impl Block {
    const EMPTY: Self = Self { lengths: [GREAT; BLOCK], widths: [0; BLOCK], starts: [0; BLOCK] };

    /// Returns the complement of a number that is negative unless reservation `i` fits.
    #[inline]
    fn fit(&self, query: &Query, i: usize) -> i32 {
        // A difference is negative if its first number is less than its second.
        !((query.longest - self.lengths[i])
            | (self.widths[i] - query.narrower - 1)
            | (query.widest - self.widths[i])
            | (self.starts[i] - query.until - 1))
    }

    /// Returns the first reservation from `from` on that may fit, or `None` if there is none.
    #[inline]
    fn first(&self, query: &Query, from: usize) -> Option<usize> {
        // No branches and no comparisons, so that the loop is vectorized.
        let any = (0..BLOCK).fold(0, |any, i| any | self.fit(query, i));
        if any >= 0 {
            return None;
        }
        (from..BLOCK).find(|&i| self.fit(query, i) < 0)
    }
}

/// A free interval in units.
#[derive(Clone, Copy, Debug)]
struct Query {
    longest: i32,
    until: i32,
    narrower: Nodes,
    widest: Nodes,
}

impl Query {
    fn new(interval: &FreeInterval) -> Self {
        let &FreeInterval { narrower, widest, until, .. } = interval;
        Self { longest: units(interval.length()), until: units(until), narrower, widest }
    }
}

/// Lengths, widths and starts of the reservations by number, with the table.
#[derive(Clone, Debug, Default)]
pub(super) struct LengthTable {
    /// Number of reservations, including removed ones.
    count: usize,
    blocks: Vec<Block>,
    /// The start of the second bucket, and the length of a bucket as a power of two, both in units.
    second: i32,
    power: u32,
    /// The table, a row of [`WIDTHS`] lengths for each bucket. Lengths fall along rows, and towards earlier
    /// rows.
    shortest: Vec<i32>,
    narrowest: u32,
    longest: Time,
    /// Reservations added since the table was built.
    added: usize,
    /// Searches without a result since the table was built.
    in_vain: usize,
}

impl LengthTable {
    /// Adds a reservation with the next number.
    pub(super) fn push(&mut self, reservation: &Reservation) {
        let &Reservation { procs, length, start, .. } = reservation;
        if self.count == 0 {
            *self = Self { narrowest: procs, ..Self::default() };
        }
        self.narrowest = self.narrowest.min(procs);
        self.longest = self.longest.max(length);
        let number = self.count;
        if number.is_multiple_of(BLOCK) {
            self.blocks.push(Block::EMPTY);
        }
        let (block, i) = (&mut self.blocks[number / BLOCK], number % BLOCK);
        (block.lengths[i], block.widths[i], block.starts[i]) = (units(length), nodes(procs), units_up(start));
        self.count += 1;
        self.enter(number);
        self.added += 1;
    }

    /// Sets the start of reservation `number`.
    pub(super) fn set_start(&mut self, number: usize, start: Time) {
        self.blocks[number / BLOCK].starts[number % BLOCK] = units_up(start);
    }

    /// Removes reservation `number`. The number is not reused.
    pub(super) fn remove(&mut self, number: usize) {
        self.blocks[number / BLOCK].lengths[number % BLOCK] = GREAT;
    }

    fn bucket(&self, start: i32) -> usize {
        let since = (i64::from(start) - i64::from(self.second)) >> self.power;
        usize::try_from(since + 1).map_or(0, |bucket| bucket.min(BUCKETS - 1))
    }

    /// Enters a reservation into the table. Usually O(1), because it stops at shorter entries.
    fn enter(&mut self, number: usize) {
        let (block, i) = (&self.blocks[number / BLOCK], number % BLOCK);
        let (length, start) = (block.lengths[i], block.starts[i]);
        let column = class_up(u64::try_from(block.widths[i]).unwrap_or(0)).min(WIDTHS - 1);
        self.shortest.resize(BUCKETS * WIDTHS, GREAT);
        let last = self.bucket(start);
        for row in self.shortest.chunks_mut(WIDTHS).take(last + 1).rev() {
            let longer = row[column..].iter_mut().take_while(|entry| **entry > length);
            if longer.map(|entry| *entry = length).count() == 0 {
                break;
            }
        }
    }

    /// Returns whether the table should be rebuilt because it rules out too little. `count` is the number of
    /// reservations.
    pub(super) fn is_stale(&self, count: usize) -> bool {
        self.in_vain > count + 64 || self.added > count / 2 + 16
    }

    /// Rebuilds the table from the remaining reservations, with buckets from the earliest start to the
    /// latest. The latest eighth of the starts, possibly far away, shares the last bucket. O(Q).
    pub(super) fn refresh(&mut self) {
        let is_left = |&number: &usize| self.blocks[number / BLOCK].lengths[number % BLOCK] < GREAT;
        let left: Vec<usize> = (0..self.count).filter(is_left).collect();
        let mut starts: Vec<i32> =
            left.iter().map(|&number| self.blocks[number / BLOCK].starts[number % BLOCK]).collect();
        self.shortest.clear();
        if let Some(near) = starts.len().checked_sub(starts.len() / 8 + 1) {
            let (earlier, &mut last, _) = starts.select_nth_unstable(near);
            self.second = earlier.iter().fold(last, |least, &start| least.min(start)).saturating_add(1);
            let length = i64::from(last).abs_diff(i64::from(self.second)) / (BUCKETS as u64 - 2);
            self.power = u64::BITS - length.leading_zeros();
        }
        for number in left {
            self.enter(number);
        }
        (self.added, self.in_vain) = (0, 0);
    }

    /// Returns bounds of the widths and lengths of the reservations, or `None` if there are none.
    pub(super) fn limits(&self) -> Option<Limits> {
        (self.count > 0).then_some(Limits { narrowest: nodes(self.narrowest), longest: self.longest })
    }

    /// Returns whether, by the table, a reservation may fit into a free interval and start after it. O(1).
    #[inline]
    pub(super) fn may_hold(&self, interval: &FreeInterval) -> bool {
        let widest = u64::try_from(interval.widest).unwrap_or(0);
        let Some(column) = class(widest) else { return false };
        // Widths are entered under their class rounded up, so the next column covers everything up to the
        // widest.
        let column = (column + 1).min(WIDTHS - 1);
        let row = self.bucket(units(interval.until)) * WIDTHS;
        self.shortest.get(row + column).is_some_and(|&shortest| shortest <= units(interval.length()))
    }

    /// Returns the shortest distance, at least `distance`, from number `origin` to a reservation that may fit
    /// into one of the free intervals and starts after it, or `None` if there is none. Distances are modulo
    /// 2^32, and the largest does not count. Intervals that the table rules out are removed. O(Q), in blocks,
    /// up to the nearest one.
    pub(super) fn nearest(
        &mut self,
        free_intervals: &mut Vec<FreeInterval>,
        origin: u32,
        distance: u32,
    ) -> Option<u32> {
        free_intervals.retain(|interval| self.may_hold(interval));
        if free_intervals.is_empty() {
            return None;
        }
        // Numbers from `from` on come first, then the numbers below the origin.
        let (from, origin_at) = (origin.wrapping_add(distance) as usize, origin as usize);
        let (last, count) = (origin_at.saturating_sub(1), self.count);
        let nearest = if from >= origin_at {
            self.first_within(free_intervals, from..count)
                .or_else(|| self.first_within(free_intervals, 0..last.min(count)))
        } else {
            self.first_within(free_intervals, from..last.min(count))
        };
        self.in_vain += usize::from(nearest.is_none());
        nearest.map(|number| (number as u32).wrapping_sub(origin))
    }

    /// Returns the first of `numbers` whose reservation may fit into one of the free intervals and starts
    /// after it.
    fn first_within(&self, free_intervals: &[FreeInterval], numbers: Range<usize>) -> Option<usize> {
        let mut before = numbers.end;
        for interval in free_intervals {
            let query = Query::new(interval);
            let mut from = numbers.start % BLOCK;
            for (number, block) in (0..before.div_ceil(BLOCK)).zip(&self.blocks).skip(numbers.start / BLOCK) {
                if let Some(i) = block.first(&query, from) {
                    before = before.min(number * BLOCK + i);
                    break;
                }
                from = 0;
            }
        }
        (before < numbers.end).then_some(before)
    }

    /// Calls `visit` with the number of each reservation that may fit into one of the free intervals and
    /// starts after it. O(Q).
    pub(super) fn each_within(&mut self, free_intervals: &[FreeInterval], mut visit: impl FnMut(usize)) {
        let mut from = 0;
        while let Some(number) = self.first_within(free_intervals, from..self.count) {
            visit(number);
            from = number + 1;
        }
        self.in_vain += usize::from(from == 0);
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::super::profile::NONE;
    use super::*;

    fn at(second: i64) -> Time {
        Time::from_seconds(second)
    }

    #[test]
    fn units_are_in_the_order_of_times() {
        let mut rng = ChaCha8Rng::seed_from_u64(17);
        for _ in 0..10_000 {
            let mut time = || Time::from_micros(rng.random::<i64>() >> rng.random_range(0..60));
            let (one, other) = (time(), time());
            assert!(units(one.min(other)) <= units(one.max(other)));
            assert!(one <= other || units_up(one) > units(other), "{one:?}, {other:?}");
        }
    }

    #[test]
    fn every_reservation_that_an_interval_holds_is_found() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut random = move |below: i64| rng.random_range(0..below);
        let mut found_in_all = 0;
        for history in 0..40 {
            let (mut all, mut table): (Vec<Reservation>, _) = (Vec::new(), LengthTable::default());
            let latest = 50 + random(2000);
            for step in 0..400 {
                for _ in 0..random(if step == 0 { 300 } else { 3 }) {
                    let (procs, start, length) =
                        (1 + random(40) as u32, at(random(latest)), at(1 + random(200)));
                    let one =
                        Reservation { procs, from: 0, until: 0, next: NONE, previous: NONE, start, length };
                    table.push(&one);
                    all.push(one);
                }
                if all.is_empty() {
                    continue;
                }
                // One reservation moves to an earlier start, and one may be removed.
                let moved = random(all.len() as i64) as usize;
                all[moved].start = at(random(1 + all[moved].start.as_micros() / 1_000_000));
                table.set_start(moved, all[moved].start);
                let gone = random(all.len() as i64) as usize;
                if history % 3 > 0 && all[gone].length > Time::ZERO {
                    table.remove(gone);
                    all[gone].length = Time::ZERO;
                }
                if table.is_stale(all.len()) {
                    table.refresh();
                }
                let (widest, from) = (1 + random(45) as Nodes, random(latest));
                let (narrower, until) = (random(i64::from(widest)) as Nodes, at(from + random(250)));
                let interval = FreeInterval { narrower, widest, from: at(from), until };
                let fits = |one: &Reservation| {
                    interval.is_for(one.procs)
                        && one.length > Time::ZERO
                        && one.length <= interval.length()
                        && one.start > interval.until
                };
                let fitting: Vec<usize> = (0..all.len()).filter(|&number| fits(&all[number])).collect();
                found_in_all += fitting.len();
                assert!(fitting.is_empty() || table.may_hold(&interval), "{interval:?}");
                let mut found = Vec::new();
                table.each_within(&[interval], |number| found.push(number));
                assert!(fitting.iter().all(|number| found.contains(number)), "{fitting:?}: {found:?}");
                let origin = random(all.len() as i64) as u32;
                let distance = |&number: &usize| (number as u32).wrapping_sub(origin);
                let nearest = fitting.iter().map(distance).filter(|&distance| distance < u32::MAX).min();
                let named = table.nearest(&mut vec![interval], origin, 0);
                assert!(
                    nearest.is_none_or(|nearest| named.is_some_and(|named| named <= nearest)),
                    "{interval:?}"
                );
            }
        }
        assert!(found_in_all > 1000, "{found_in_all}");
    }
}
