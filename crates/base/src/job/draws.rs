//! Random number streams of a seed, one for each purpose, so that more draws for one purpose do not change
//! another.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A purpose of random numbers. The value is the number of its stream; streams are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Draws {
    /// Gaps between arrivals of a workload model.
    Gaps = 0,
    /// Sizes and shapes of jobs of a workload model.
    Shapes = 1,
    /// Run times of jobs of a workload model.
    Services = 2,
    /// Redrawn arrivals of a log.
    Arrivals = 3,
    /// Shaken run times of a log.
    Shaking = 4,
    /// Failures and repairs of nodes.
    Failures = 0x6f75_7461_6765,
}

impl Draws {
    /// Nodes of the allocator `random`. It shares the stream of [`Self::Gaps`], because a stream of its own
    /// would change published results. The draws differ: an index here, an exponential variate there.
    pub const NODES: Self = Self::Gaps;

    /// Returns the generator for this purpose.
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
        let all =
            [Draws::Gaps, Draws::Shapes, Draws::Services, Draws::Arrivals, Draws::Shaking, Draws::Failures];
        let first = all.map(|draws| draws.of_seed(7).next_u64());
        for (i, number) in first.iter().enumerate() {
            assert!(!first[..i].contains(number), "{:?}", all[i]);
        }
        assert_eq!(Draws::NODES.of_seed(7).next_u64(), ChaCha8Rng::seed_from_u64(7).next_u64());
    }
}
