//! A timing wheel (G. Varghese, T. Lauck, "Hashed and hierarchical timing wheels", SOSP 1987): a ring of buckets, one
//! for each cycle of the near future, so that an event is put and found in constant time. A bit per bucket says which
//! hold something, so that empty cycles are skipped 64 at a time.

/// What happens in one cycle.
#[derive(Clone, Debug, Default)]
pub(super) struct Bucket {
    /// Channels that are released.
    pub(super) releases: Vec<u32>,
    /// Packets whose header asks for its next channel.
    pub(super) requests: Vec<u32>,
}

/// Buckets for the cycles up to a fixed number ahead.
#[derive(Clone, Debug)]
pub(super) struct Wheel {
    buckets: Vec<Bucket>,
    /// One bit per bucket that holds something.
    filled: Vec<u64>,
}

impl Wheel {
    /// For events at most `reach` cycles ahead.
    pub(super) fn new(reach: u32) -> Self {
        let size = (reach as usize + 1).next_power_of_two().max(64);
        Self { buckets: vec![Bucket::default(); size], filled: vec![0; size / 64] }
    }

    fn slot(&self, cycle: i64) -> usize {
        // The size is a power of two, so this is the remainder, of negative cycles too.
        cycle as usize & (self.buckets.len() - 1)
    }

    /// Returns the bucket of a cycle within reach, for something to be put into.
    pub(super) fn at(&mut self, cycle: i64) -> &mut Bucket {
        let slot = self.slot(cycle);
        self.filled[slot / 64] |= 1 << (slot % 64);
        &mut self.buckets[slot]
    }

    /// Takes what happens in a cycle; `empty` is put in its place.
    pub(super) fn take(&mut self, cycle: i64, empty: Bucket) -> Bucket {
        let slot = self.slot(cycle);
        self.filled[slot / 64] &= !(1 << (slot % 64));
        std::mem::replace(&mut self.buckets[slot], empty)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.filled.iter().all(|&word| word == 0)
    }

    /// Returns the first cycle after `now` in which something happens; `None` if the wheel is empty. O(size / 64).
    pub(super) fn next(&self, now: i64) -> Option<i64> {
        let (first, words) = (self.slot(now + 1), self.filled.len());
        let (word, bit) = (first / 64, first % 64);
        // The first word comes twice: from the bit on, and at last up to it.
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
