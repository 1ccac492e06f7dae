//! The random numbers of a seed: one stream for each purpose, so that drawing more for one does not change
//! another.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// What random numbers are drawn for. The value is the number of the stream. Streams with different numbers
/// are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Draws {
    /// The gaps between arrivals of a workload model.
    Gaps = 0,
    /// The sizes and shapes of its jobs.
    Shapes = 1,
    /// Their run times.
    Services = 2,
    /// The arrivals of a log that are drawn anew.
    Arrivals = 3,
    /// The failures and repairs of nodes.
    Failures = 0x6f75_7461_6765,
}

impl Draws {
    /// The nodes of the allocator `random`. They have the numbers of [`Self::Gaps`], as in version 0.1: with
    /// a stream of its own, no earlier result would be found again. What is read from the numbers differs (an
    /// index there, an exponential variate here).
    pub const NODES: Self = Self::Gaps;

    /// Returns the generator of this purpose.
    pub fn of_seed(self, seed: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(self as u64);
        random
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn purposes_have_other_numbers() {
        let all = [Draws::Gaps, Draws::Shapes, Draws::Services, Draws::Arrivals, Draws::Failures];
        let first = all.map(|draws| draws.of_seed(7).next_u64());
        for (i, number) in first.iter().enumerate() {
            assert!(!first[..i].contains(number), "{:?}", all[i]);
        }
        assert_eq!(Draws::NODES.of_seed(7).next_u64(), ChaCha8Rng::seed_from_u64(7).next_u64());
    }
}
