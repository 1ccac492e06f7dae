//! The circular block bootstrap: the confidence interval of a mean of dependent values.
//!
//! H. R. Künsch, "The jackknife and the bootstrap for general stationary observations", Annals of Statistics
//! 17, 1989, draws blocks of consecutive values with replacement, which keeps the dependence within blocks.
//! D. N. Politis, J. P. Romano, "A circular block-resampling procedure for stationary data", in: Exploring
//! the Limits of Bootstrap, 1992, continues blocks at the start of the series, so that every value is drawn
//! equally often.
//!
//! The interval is symmetric: its half width is the quantile of the absolute deviation of the drawn means (P.
//! Hall, "On symmetric bootstrap confidence intervals", Journal of the Royal Statistical Society B 50, 1988).
//! A series of n values has only n/l independent blocks of length l. So the half width is multiplied by the
//! ratio of the quantiles of Student's t with n/l − 1 degrees of freedom and the normal distribution, and by
//! the usual factor for a variance about an estimated mean.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::block_length::block_length;

/// Number of drawn series.
const DRAWN: usize = 1000;
/// The fewest values with an interval.
const FEWEST: usize = 50;

/// Returns half the width of the confidence interval of the sum of `values`, whose mean is 0, for a
/// confidence between 0 and 1. Blocks have the length of [`block_length`]. `None` for fewer than 50 values,
/// and 0 if all are 0. Equal arguments give the same bits on every machine. O(n·√n + 1000·n/l) for n values
/// and blocks of length l.
pub fn half_width(values: &[f64], confidence: f64, seed: u64) -> Option<f64> {
    let n = values.len();
    if n < FEWEST {
        return None;
    }
    if values.iter().all(|&value| value == 0.0) {
        return Some(0.0);
    }
    let length = block_length(values);
    let blocks = n.div_ceil(length);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Prefix sums: the sum of a block takes two look-ups. The series continues by one block, so blocks can
    // start anywhere.
    let mut sums = Vec::with_capacity(n + length + 1);
    sums.push(0.0);
    for i in 0..n + length {
        sums.push(sums[i] + values[i % n]);
    }
    let drawn = |_| {
        let total: f64 = (0..blocks)
            .map(|_| {
                let start = rng.random_range(0..n);
                sums[start + length] - sums[start]
            })
            .sum();
        // The drawn series is up to one block longer than the original.
        (total * n as f64 / (blocks * length) as f64).abs()
    };
    let mut deviations: Vec<f64> = (0..DRAWN).map(drawn).collect();
    deviations.sort_unstable_by(f64::total_cmp);
    let at = ((confidence * DRAWN as f64) as usize).min(DRAWN - 1);
    Some(deviations[at] * widening(n as f64 / length as f64, confidence))
}

/// Returns the factor of an interval from finitely many independent blocks compared to infinitely many.
fn widening(blocks: f64, confidence: f64) -> f64 {
    // A two-sided interval of confidence c ends at the quantile of (1 + c) / 2.
    let share = f64::midpoint(1.0, confidence);
    let student = StudentsT::new(0.0, 1.0, blocks - 1.0).map_or(f64::INFINITY, |t| t.inverse_cdf(share));
    let normal = Normal::standard().inverse_cdf(share);
    student / normal * (blocks / (blocks - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_independent_values_are_those_of_student() {
        // 1 and −1 in an order without memory, by the parity of the bits of a multiplicative sequence.
        let values: Vec<f64> = (0..1024_u64)
            .map(|i| {
                if (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32).count_ones().is_multiple_of(2) {
                    1.0
                } else {
                    -1.0
                }
            })
            .collect();
        let mean = values.iter().sum::<f64>() / 1024.0;
        let values: Vec<f64> = values.iter().map(|value| value - mean).collect();
        // The standard deviation of the sum is √1024 = 32.
        let half_width = half_width(&values, 0.95, 1).unwrap_or_default();
        assert!((50.0..80.0).contains(&half_width), "{half_width}");
    }

    #[test]
    fn few_values_have_no_interval_and_equal_ones_a_point() {
        assert_eq!(half_width(&[0.0; 49], 0.95, 1), None);
        assert_eq!(half_width(&[0.0; 50], 0.95, 1), Some(0.0));
    }

    #[test]
    fn the_seed_decides() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i * i % 17 - 8)).collect();
        let of = |seed| half_width(&values, 0.95, seed).map(f64::to_bits);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }
}
