//! The difference between the means of two replays of the same jobs, with its confidence interval.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::super::replications::Interval;
use super::bootstrap::half_width;
use super::sums::Blocks;

/// Confidence of intervals.
const CONFIDENCE: f64 = 0.95;
/// Seed of the bootstrap, fixed so that equal results have equal intervals.
const SEED: u64 = 1989;

/// The difference between the mean of a replay and that of the base, with a confidence of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean minus that of the base, as a share of the base's mean if `is_relative`.
    pub value: f64,
    /// Half the width of the confidence interval. `None` for too few jobs.
    pub half_width: Option<f64>,
    /// Whether `value` and `half_width` are shares of the base's mean.
    pub is_relative: bool,
    /// Whether the numbers of all blocks of jobs are exactly equal in both replays.
    pub is_equal: bool,
    /// Degrees of freedom of Student's distribution if the interval is from a few replications.
    pub freedom: Option<usize>,
}

impl Difference {
    /// Returns the difference between the means of `of` and `base`, blocks of the same jobs, as a share of
    /// the base's mean unless that is 0. `None` if a mean is over no jobs.
    pub fn between(of: &Blocks, base: &Blocks) -> Option<Self> {
        Self::between_sums(&[of], &[base])
    }

    /// Returns the difference between the sums of several means, as [`Self::between`] does for one mean.
    /// `of[k]` and `base[k]` are blocks of the same jobs, and entries are of different, independent jobs.
    pub fn between_sums(of: &[&Blocks], base: &[&Blocks]) -> Option<Self> {
        let means = |all: &[&Blocks]| all.iter().map(|blocks| blocks.mean()).collect::<Option<Vec<f64>>>();
        let (means, base_means) = (means(of)?, means(base)?);
        let (mean, base_mean) = (means.iter().sum::<f64>(), base_means.iter().sum::<f64>());
        let is_relative = base_mean != 0.0;
        // Linearize the ratio: its error is that of mean − ratio · base_mean, divided by base_mean. Without a
        // ratio both the slope and the divisor are 1.
        let (slope, divisor) = if is_relative { (mean / base_mean, base_mean) } else { (1.0, 1.0) };
        let is_equal = of == base;
        let mut errors: Vec<f64> = Vec::new();
        for (k, (of, base)) in of.iter().zip(base).enumerate() {
            // Sum the counts once instead of for each block.
            let (scale, base_scale) = (1.0 / of.count(), slope / base.count());
            let error = |i: usize| {
                let of = of.sums[i] - means[k] * f64::from(of.counts[i]);
                let base = base.sums[i] - base_means[k] * f64::from(base.counts[i]);
                if is_equal { 0.0 } else { (of * scale - base * base_scale) / divisor }
            };
            errors.extend((0..of.sums.len().min(base.sums.len())).map(error));
        }
        let half_width = half_width(&errors, CONFIDENCE, SEED);
        let value = (mean - base_mean) / divisor;
        Some(Self { value, half_width, is_relative, is_equal, freedom: None })
    }

    /// Returns the difference between two means over replications, from the mean of each replication:
    /// replication i of both has the same seed and so the same jobs. Replications are independent. Their
    /// contributions to the error of the ratio, linearized as in [`Self::between`], have the interval of
    /// Student's distribution (W. G. Cochran, "Sampling techniques", 3rd edition, 1977, §6.3). `None` without
    /// replications.
    pub fn over_replications(of: &[f64], base: &[f64]) -> Option<Self> {
        let count = of.len().min(base.len());
        let (mean, base_mean) = (Interval::of(&of[..count])?.mean, Interval::of(&base[..count])?.mean);
        let is_relative = base_mean != 0.0;
        let (slope, divisor) = if is_relative { (mean / base_mean, base_mean) } else { (1.0, 1.0) };
        let errors: Vec<f64> = of.iter().zip(base).map(|(of, base)| of - slope * base).collect();
        let half_width = Interval::of(&errors)?.half_width / divisor.abs();
        Some(Self {
            value: (mean - base_mean) / divisor,
            half_width: (count > 1).then_some(half_width),
            is_relative,
            is_equal: of == base,
            freedom: Some(count.saturating_sub(1)),
        })
    }

    /// Returns the difference between two bare means, without an interval.
    pub fn of_means(mean: f64, base_mean: f64) -> Self {
        let is_relative = base_mean != 0.0;
        let divisor = if is_relative { base_mean } else { 1.0 };
        let is_equal = mean.to_bits() == base_mean.to_bits();
        let value = (mean - base_mean) / divisor;
        Self { value, half_width: None, is_relative, is_equal, freedom: None }
    }

    /// Returns whether the confidence interval excludes 0. Without an interval no difference is certain.
    pub fn is_certain(&self) -> bool {
        self.is_certain_among(1)
    }

    /// Returns whether the interval still excludes 0 if `pairs` pairs are compared, see
    /// [`Self::half_width_among`].
    pub fn is_certain_among(&self, pairs: usize) -> bool {
        self.half_width_among(pairs).is_some_and(|half_width| self.value.abs() > half_width)
    }

    /// Returns half the width of the interval for one of `pairs` pairs, such that the confidence holds for
    /// all of them at once: each pair gets an equal share of the error (the correction of Bonferroni; O. J.
    /// Dunn, "Multiple comparisons among means", Journal of the American Statistical Association 56, 1961).
    /// The interval is widened by the ratio of the quantiles of its distribution: Student's with few
    /// replications, otherwise the normal one.
    pub fn half_width_among(&self, pairs: usize) -> Option<f64> {
        let student = self.freedom.and_then(|freedom| StudentsT::new(0.0, 1.0, freedom as f64).ok());
        let quantile = |error: f64| match student {
            Some(student) => student.inverse_cdf(1.0 - error / 2.0),
            None => Normal::standard().inverse_cdf(1.0 - error / 2.0),
        };
        let error = 1.0 - CONFIDENCE;
        let widening = quantile(error / pairs.max(1) as f64) / quantile(error);
        Some(self.half_width? * widening)
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn blocks(values: impl ExactSizeIterator<Item = f64>) -> Blocks {
        Blocks::of(values.map(Some))
    }

    #[test]
    fn a_constant_share_is_certain_however_much_jobs_differ() {
        let base = blocks((0..500).map(|i| f64::from(i * i % 101)));
        let of = blocks((0..500).map(|i| 0.9 * f64::from(i * i % 101)));
        let found = Difference::between(&of, &base).expect("jobs");
        assert!(found.is_relative && !found.is_equal && found.is_certain());
        assert!(
            (found.value + 0.1).abs() < 1e-12 && found.half_width.is_some_and(|half| half < 1e-9),
            "{found:?}"
        );
    }

    #[test]
    fn sums_of_means_weigh_each_mean_once() {
        let wave = |n: u32, factor: f64| {
            blocks((0..n).map(|i| factor * f64::from(i * i % 101)).collect::<Vec<_>>().into_iter())
        };
        let (long, short) = ([wave(900, 1.1), wave(900, 1.0)], [wave(90, 3.3), wave(90, 3.0)]);
        let one = Difference::between_sums(&[&long[0]], &[&long[1]]);
        assert_eq!(one, Difference::between(&long[0], &long[1]));
        // The short log counts as much as the long one, and a constant share is certain.
        let of = [&long[0], &short[1]];
        let base = [&long[1], &short[1]];
        let both = Difference::between_sums(&of, &base).expect("jobs");
        let means = |all: [&Blocks; 2]| all.iter().filter_map(|blocks| blocks.mean()).sum::<f64>();
        assert!((both.value - (means(of) / means(base) - 1.0)).abs() < 1e-12 && both.half_width > Some(0.0));
        let all = Difference::between_sums(&[&long[0], &short[0]], &[&long[1], &short[1]]).expect("jobs");
        assert!((all.value - 0.1).abs() < 1e-12 && all.half_width.is_some_and(|half| half < 1e-9), "{all:?}");
    }

    #[test]
    fn replications_are_paired_by_seed() {
        // The ratio of the means is 1.05, with residuals of the replications of 0.5, −2 and 1.5. Their
        // variance is 3.25, and the quantile of Student's distribution with 2 degrees of freedom is 4.303.
        let found =
            Difference::over_replications(&[11.0, 19.0, 33.0], &[10.0, 20.0, 30.0]).expect("replications");
        assert!((found.value - 0.05).abs() < 1e-12 && found.is_relative && !found.is_certain());
        let half_width = 4.302_653 * (3.25_f64 / 3.0).sqrt() / 20.0;
        assert!(found.half_width.is_some_and(|half| (half - half_width).abs() < 1e-6), "{found:?}");
        // A ratio that is equal in all replications is certain, however much they differ.
        let found =
            Difference::over_replications(&[11.0, 22.0, 33.0], &[10.0, 20.0, 30.0]).expect("replications");
        assert!((found.value - 0.1).abs() < 1e-12 && found.is_certain());
        assert!(found.half_width.is_some_and(|half| half < 1e-12), "{found:?}");
        let one = Difference::over_replications(&[1.0], &[2.0]).expect("a replication");
        assert_eq!((one.value, one.half_width), (-0.5, None));
    }

    #[test]
    fn equal_blocks_differ_by_nothing() {
        let base = blocks((0..60).map(f64::from));
        let found = Difference::between(&base, &base).expect("jobs");
        assert_eq!((found.value, found.half_width, found.is_equal), (0.0, Some(0.0), true));
        assert!(!found.is_certain());
    }

    #[test]
    fn the_best_of_twelve_equal_series_is_seldom_certainly_below_another() {
        const SERIES: usize = 12;
        const RUNS: usize = 50;
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let (mut plain, mut corrected) = (0, 0);
        for _ in 0..RUNS {
            let drawn: Vec<Blocks> = (0..SERIES)
                .map(|_| blocks((0..200).map(|_| rng.random::<f64>()).collect::<Vec<_>>().into_iter()))
                .collect();
            let mean = |blocks: &&Blocks| blocks.mean().unwrap_or(f64::INFINITY);
            let best = drawn.iter().min_by(|a, b| mean(a).total_cmp(&mean(b))).expect("twelve series");
            let found: Vec<Difference> =
                drawn.iter().filter_map(|other| Difference::between(best, other)).collect();
            plain += usize::from(found.iter().any(Difference::is_certain));
            corrected +=
                usize::from(found.iter().any(|found| found.is_certain_among(SERIES * (SERIES - 1) / 2)));
        }
        // Without the correction most runs find a difference that does not exist; with it at most 5 % would.
        assert!(plain > RUNS / 2 && corrected <= RUNS / 10, "{plain} and {corrected} of {RUNS}");
    }

    #[test]
    fn intervals_of_ratios_over_replications_cover_the_truth() {
        // The numbers of one seed have most of their randomness in common, so their ratio is nearly equal for
        // every seed.
        const RUNS: usize = 1000;
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut covered = 0;
        for _ in 0..RUNS {
            let mut draw = || rng.random_range(-1.0..1.0_f64);
            let pair = |(common, own, other): (f64, f64, f64)| {
                (3.0 * (1.0 + 0.2 * common + 0.02 * own), 2.0 * (1.0 + 0.2 * common + 0.02 * other))
            };
            let (of, base): (Vec<f64>, Vec<f64>) = (0..6).map(|_| pair((draw(), draw(), draw()))).unzip();
            let found = Difference::over_replications(&of, &base).expect("replications");
            covered += usize::from(found.half_width.is_some_and(|half| (found.value - 0.5).abs() <= half));
        }
        assert!((930..=970).contains(&covered), "{covered} of {RUNS}");
    }

    #[test]
    fn the_best_of_twelve_equal_allocators_is_seldom_certainly_below_another_with_few_seeds() {
        const RUNS: usize = 400;
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        let mut found = 0;
        for _ in 0..RUNS {
            let drawn: Vec<Vec<f64>> =
                (0..12).map(|_| (0..5).map(|_| rng.random_range(9.0..11.0)).collect()).collect();
            let sum = |means: &&Vec<f64>| means.iter().sum::<f64>();
            let best = drawn.iter().min_by(|a, b| sum(a).total_cmp(&sum(b))).expect("twelve allocators");
            let pairs = drawn.iter().filter_map(|other| Difference::over_replications(best, other));
            found += usize::from(pairs.into_iter().any(|found| found.is_certain_among(66)));
        }
        assert!(found <= RUNS / 20, "{found} of {RUNS}");
    }

    #[test]
    fn without_a_base_the_difference_is_absolute_and_few_jobs_have_no_interval() {
        let (of, base) = (blocks((0..9).map(f64::from)), blocks((0..9).map(|_| 0.0)));
        let found = Difference::between(&of, &base).expect("jobs");
        assert_eq!((found.value, found.half_width, found.is_relative), (4.0, None, false));
        assert!(!found.is_certain());
        assert_eq!(Difference::between(&Blocks::default(), &base), None);
    }
}
