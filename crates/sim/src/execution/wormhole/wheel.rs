//! A timing wheel: an event queue with constant time per event.
//!
//! G. Varghese, T. Lauck, "Hashed and hierarchical timing wheels", SOSP 1987. The wheel is a ring of buckets,
//! one for each cycle of the near future. The bucket of a cycle is the cycle modulo the number of buckets.
//! The ring is longer than the largest distance from the current cycle to an event, so no two cycles share a
//! bucket.
//!
//! A bitmap with one bit per bucket lets the search for the next event skip 64 empty cycles at a time.

/// The events of one cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Bucket {
    /// Channels to be released because the last flits of their packets leave.
    pub(super) releases: Vec<u32>,
    /// Packets whose header requests its next channel.
    pub(super) requests: Vec<u32>,
}

/// The events of the cycles up to a fixed distance ahead.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// The ring. Its size is a power of two, at least 64.
    buckets: Vec<Bucket>,
    /// One bit per bucket, set if the bucket may hold events.
    filled: Vec<u64>,
}

impl Wheel {
    /// Creates an empty wheel for events at most `reach` cycles ahead.
    pub(super) fn new(reach: u32) -> Self {
        let size = (reach as usize + 1).next_power_of_two().max(64);
        Self { buckets: vec![Bucket::default(); size], filled: vec![0; size / 64] }
    }

    /// Returns the index of the bucket of a cycle.
    fn slot(&self, cycle: i64) -> usize {
        // A bit mask gives the remainder, because the size is a power of two; in two's complement also for
        // negative cycles.
        cycle as usize & (self.buckets.len() - 1)
    }

    /// Returns the bucket of a cycle within reach, to add an event.
    pub(super) fn at(&mut self, cycle: i64) -> &mut Bucket {
        let slot = self.slot(cycle);
        self.filled[slot / 64] |= 1 << (slot % 64);
        &mut self.buckets[slot]
    }

    /// Removes and returns the bucket of a cycle. `empty` takes its place, so that the memory of buckets is
    /// reused.
    pub(super) fn take(&mut self, cycle: i64, empty: Bucket) -> Bucket {
        let slot = self.slot(cycle);
        self.filled[slot / 64] &= !(1 << (slot % 64));
        std::mem::replace(&mut self.buckets[slot], empty)
    }

    /// Returns whether there are no events.
    pub(super) fn is_empty(&self) -> bool {
        self.filled.iter().all(|&word| word == 0)
    }

    /// Returns the first cycle after `now` with events, or `None` if the wheel is empty. O(size / 64).
    pub(super) fn next(&self, now: i64) -> Option<i64> {
        let (first, words) = (self.slot(now + 1), self.filled.len());
        let (word, bit) = (first / 64, first % 64);
        // Search once around the ring, from the bucket of cycle `now + 1`. That bucket may be in the middle
        // of a word, so the first word is read twice: first the bits from that bucket on, at last the bits
        // before it.
        for i in 0..=words {
            let at = (word + i) % words;
            let mask = match i {
                0 => u64::MAX << bit,
                _ if i == words => !(u64::MAX << bit),
                _ => u64::MAX,
            };
            let found = self.filled[at] & mask;
            if found != 0 {
                let slot = at * 64 + found.trailing_zeros() as usize;
                // The distance from the first bucket, modulo the size of the ring, is the number of cycles
                // from `now + 1` on.
                let ahead = (slot + self.buckets.len() - first) & (self.buckets.len() - 1);
                return Some(now + 1 + ahead as i64);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_cycle_is_found_wherever_the_wheel_stands() {
        for reach in [1, 63, 64, 200] {
            for now in [-70_i64, 0, 61, 1_000_003] {
                for ahead in 1..=i64::from(reach) {
                    let mut wheel = Wheel::new(reach);
                    assert_eq!(wheel.next(now), None);
                    wheel.at(now + ahead).requests.push(7);
                    assert_eq!(wheel.next(now), Some(now + ahead), "{reach} {now}");
                    assert_eq!(wheel.take(now + ahead, Bucket::default()).requests, [7]);
                    assert!(wheel.is_empty());
                }
            }
        }
    }
}
