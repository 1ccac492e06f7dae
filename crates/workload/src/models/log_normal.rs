//! Log-normal run times in whole seconds, and the parameters that give them.

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use super::arrival_rate::positive;
use meshreplay_base::spec::{Params, SpecError};

/// A log-normal distribution of run times.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogNormal {
    /// The median in seconds.
    median_s: f64,
    /// The standard deviation of the natural logarithm.
    sigma: f64,
}

impl LogNormal {
    /// Takes the parameters `median`, in seconds, and `sigma`. Fails if a value is not above 0.
    pub(super) fn take(params: &mut Params) -> Result<Self, SpecError> {
        Ok(Self { median_s: positive(params, "median", 14_800.0)?, sigma: positive(params, "sigma", 1.0)? })
    }

    /// Returns the mean in seconds.
    pub(super) fn mean_s(self) -> f64 {
        self.median_s * (self.sigma * self.sigma / 2.0).exp()
    }

    /// Draws a run time: a whole number of seconds, at least 1.
    pub(super) fn draw_s(self, rng: &mut ChaCha8Rng) -> f64 {
        let unit: f64 = StandardNormal.sample(rng);
        (self.median_s * (self.sigma * unit).exp()).round().max(1.0)
    }
}
