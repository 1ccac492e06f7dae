//! Paired comparisons of replays of the same jobs: how much a mean over jobs differs, and whether more jobs
//! of the same kind would show the same difference.
//!
//! A replay keeps [`PartSums`]: sums over the five parts of its log. The sums of two replays of the same jobs
//! give a [`Difference`] with a confidence interval, so no replay has to keep its jobs.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "jobs are fewer than 2^32 per part, and positions times five fit 64 bits"
)]

use std::ops::Range;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::facts::{JobRow, Part, Trim};
use super::finished_job::FinishedJob;
use super::gather::Accumulator;
use super::registry::METRICS;
use super::replications::Interval;
use meshreplay_machine::machine::Mesh;

// The difference between the means of two replays of the same jobs, with its confidence interval.
//
// *Batch means*: the log is cut into five parts of equally many jobs, long enough that neighbouring parts
// hardly depend on each other, and the parts' ratios give the error of the whole ratio (B. Schmeiser, "Batch
// size effects in the analysis of simulation output", Operations Research 30, 1982). Parts have unequal
// weights, since waits cluster: Student's distribution gets the effective number of parts less one as its
// degrees of freedom, in the way of F. Satterthwaite, "An approximate distribution of estimates of variance
// components", Biometrics Bulletin 2, 1946. The interval is one of the logarithm of the ratio, so that no
// end is below 0.

/// One minus the confidence of intervals.
const ERROR: f64 = 0.05;

/// The fewest jobs in means with intervals. Parts of shorter logs are shorter than a day, and their intervals
/// cover the truth too seldom.
pub(super) const FEWEST_JOBS: u64 = 1000;

/// The least effective number of parts for an interval: below it nearly all of a number is in one part.
const FEWEST_PARTS: f64 = 2.0;

/// The difference between the mean of a replay and that of the base, with a confidence of 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean minus that of the base, as a share of the base's mean if `is_relative`.
    pub value: f64,
    /// Whether `value` and its interval are shares of the base's mean.
    pub is_relative: bool,
    /// Whether the numbers of all jobs, or of all replications, are exactly equal in both replays.
    pub is_equal: bool,
    /// The error of `value`, or the reason for none.
    pub uncertainty: Uncertainty,
}

/// The error of a difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Uncertainty {
    /// From the parts of the log: the standard error, of the logarithm of the ratio unless one of the means
    /// is 0.
    Parts {
        /// The standard error.
        error: f64,
        /// Degrees of freedom of Student's distribution.
        freedom: f64,
    },
    /// From replications with different seeds.
    Seeds {
        /// The standard error of the difference.
        error: f64,
        /// Number of replications.
        count: usize,
    },
    /// Means cover fewer than 1,000 jobs.
    TooShort {
        /// The jobs in means.
        jobs: u64,
    },
    /// Nearly all of the number is in one part of the log.
    InOnePart,
    /// The means are over other jobs.
    OtherJobs,
    /// Only the means are known.
    NotKept,
}

/// The ends of a 95 % confidence interval of a difference, in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval95 {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval95 {
    /// Returns whether the interval holds 0.
    pub fn holds_nothing(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }
}

/// The means of a replay and its base over one log, and how their parts deviate.
struct Deviation {
    /// The variance of `mean − slope · base mean`.
    variance: f64,
    /// Degrees of freedom of that variance.
    freedom: f64,
}

impl Difference {
    /// Returns the difference between the means of `of` and `base`, parts of the same jobs, as a share of the
    /// base's mean unless that is 0. `None` if a mean is over no jobs.
    pub fn between(of: &Parts, base: &Parts) -> Option<Self> {
        Self::between_sums(&[of], &[base])
    }

    /// Returns the difference between the sums of several means, as [`Self::between`] does for one mean.
    /// `of[k]` and `base[k]` are parts of the same jobs, and entries are of different, independent jobs.
    pub fn between_sums(of: &[&Parts], base: &[&Parts]) -> Option<Self> {
        let sum = |all: &[&Parts]| all.iter().map(|parts| parts.mean()).sum::<Option<f64>>();
        let (mean, base_mean) = (sum(of)?, sum(base)?);
        let is_relative = base_mean != 0.0;
        // Without a ratio the plain difference is estimated.
        let has_ratio = is_relative && mean != 0.0;
        let slope = if has_ratio { mean / base_mean } else { 1.0 };
        let divisor = if is_relative { base_mean } else { 1.0 };
        let value = (mean - base_mean) / divisor;
        let is_equal = of == base;
        let scale = if has_ratio { mean } else { divisor };
        let uncertainty = Self::uncertainty(of, base, slope, scale);
        Some(Self { value, is_relative, is_equal, uncertainty })
    }

    /// Returns the error of `(mean − slope · base mean) / scale`.
    fn uncertainty(of: &[&Parts], base: &[&Parts], slope: f64, scale: f64) -> Uncertainty {
        let fewest = of.iter().map(|parts| parts.jobs).min().unwrap_or_default();
        if fewest < FEWEST_JOBS {
            return Uncertainty::TooShort { jobs: fewest };
        }
        // Over other jobs, such as the ratio to the bound of jobs that got more nodes than asked for.
        if of.iter().zip(base).any(|(of, base)| of.counts != base.counts) {
            return Uncertainty::OtherJobs;
        }
        let deviations: Vec<Deviation> =
            of.iter().zip(base).filter_map(|(of, base)| deviation(of, base, slope)).collect();
        let variance: f64 = deviations.iter().map(|one| one.variance).sum();
        let freedom = match deviations.as_slice() {
            [one] => one.freedom,
            // Several logs: the equation of Welch and Satterthwaite.
            all if variance > 0.0 => {
                let squares: f64 = all.iter().map(|one| one.variance.powi(2) / one.freedom).sum();
                variance.powi(2) / squares
            }
            all => all.iter().map(|one| one.freedom).sum(),
        };
        if deviations.len() < of.len() {
            return Uncertainty::InOnePart;
        }
        Uncertainty::Parts { error: variance.sqrt() / scale.abs(), freedom }
    }

    /// Returns the difference between two means over replications, from the mean of each replication:
    /// replication i of both has the same seed and so the same jobs. Replications are independent. Their
    /// contributions to the error of the linearized ratio have the interval of Student's distribution (W. G.
    /// Cochran, "Sampling techniques", 3rd edition, 1977, §6.3). `None` without replications.
    pub fn over_replications(of: &[f64], base: &[f64]) -> Option<Self> {
        let count = of.len().min(base.len());
        let (mean, base_mean) = (Interval::of(&of[..count])?.mean, Interval::of(&base[..count])?.mean);
        let is_relative = base_mean != 0.0;
        let (slope, divisor) = if is_relative { (mean / base_mean, base_mean) } else { (1.0, 1.0) };
        let errors: Vec<f64> = of.iter().zip(base).map(|(of, base)| of - slope * base).collect();
        let error = variance(&errors).map(|variance| (variance / count as f64).sqrt() / divisor.abs());
        let uncertainty = error.map_or(Uncertainty::NotKept, |error| Uncertainty::Seeds { error, count });
        Some(Self { value: (mean - base_mean) / divisor, is_relative, is_equal: of == base, uncertainty })
    }

    /// Returns the difference between two bare means, without an interval.
    pub fn of_means(mean: f64, base_mean: f64) -> Self {
        let is_relative = base_mean != 0.0;
        let divisor = if is_relative { base_mean } else { 1.0 };
        let is_equal = mean.to_bits() == base_mean.to_bits();
        let value = (mean - base_mean) / divisor;
        Self { value, is_relative, is_equal, uncertainty: Uncertainty::NotKept }
    }

    /// Returns the interval for the best of some candidates, compared with a base that was chosen beforehand:
    /// each candidate gets an equal share of the error (the correction of Bonferroni; O. J. Dunn, "Multiple
    /// comparisons among means", Journal of the American Statistical Association 56, 1961). With one
    /// candidate it is the interval of the pair by itself. `None` if the error is unknown.
    pub fn interval(&self, candidates: usize) -> Option<Interval95> {
        let error = ERROR / candidates.max(1) as f64;
        let half_width = match self.uncertainty {
            Uncertainty::Parts { error: deviation, freedom } => quantile(error, freedom) * deviation,
            Uncertainty::Seeds { error: deviation, count } => quantile(error, count as f64 - 1.0) * deviation,
            _ => return None,
        };
        let ratio = 1.0 + self.value;
        let is_of_logarithm = matches!(self.uncertainty, Uncertainty::Parts { .. });
        let interval = if self.is_relative && is_of_logarithm && ratio > 0.0 {
            let factor = half_width.exp();
            Interval95 { low: ratio / factor - 1.0, high: ratio * factor - 1.0 }
        } else {
            let low = self.value - half_width;
            // A ratio of numbers that are never negative is at least 0.
            let least = if self.is_relative && is_of_logarithm { -1.0 } else { f64::NEG_INFINITY };
            Interval95 { low: low.max(least), high: self.value + half_width }
        };
        Some(interval)
    }

    /// Returns whether the interval excludes 0. Without an interval no difference is certain.
    pub fn is_certain(&self) -> bool {
        self.interval(1).is_some_and(|interval| !interval.holds_nothing())
    }
}

/// Returns the deviation of the parts of one log. `None` if fewer than two parts count.
fn deviation(of: &Parts, base: &Parts, slope: f64) -> Option<Deviation> {
    let (count, base_count) = (of.count() as f64, base.count() as f64);
    let parts = of.sums.len() as f64;
    let pairs = of.sums.iter().zip(&base.sums);
    let scaled = pairs.map(|(of, base)| (parts * of / count, parts * slope * base / base_count));
    let (errors, weights): (Vec<f64>, Vec<f64>) =
        scaled.map(|(of, base)| (of - base, (of + base).abs())).unzip();
    let squares: f64 = weights.iter().map(|weight| weight.powi(2)).sum();
    let effective = weights.iter().sum::<f64>().powi(2) / squares;
    let variance = variance(&errors)? / parts;
    (effective >= FEWEST_PARTS).then_some(Deviation { variance, freedom: effective - 1.0 })
}

/// Returns the sample variance of at least two values; 0 if all are equal.
fn variance(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (n - 1.0))
}

/// Returns the two-sided quantile of Student's distribution for this error.
fn quantile(error: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |student| student.inverse_cdf(1.0 - error / 2.0))
}

/// Parts of a log, with equally many jobs each.
const PARTS: usize = 5;

/// A number summed over each part of a log, by arrival. Parts differ by at most one job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// By part: the sum over its jobs in means.
    pub sums: [f64; PARTS],
    /// By part: the number of its jobs in means.
    pub counts: [u64; PARTS],
    /// All jobs in means, with or without this number.
    pub jobs: u64,
    /// Hash of the values of the jobs in means, in the order of the log. Parts are equal only if the value of
    /// every job is.
    hash: u64,
}

/// The part sums of the compared numbers of a replay.
#[derive(Clone, Debug, Default)]
pub struct PartSums {
    /// The number and a hash of the replayed jobs. Replays are comparable if both agree.
    jobs: (usize, u64),
    /// First and last submission in seconds, `None` without jobs.
    submitted_s: Option<(f64, f64)>,
    /// The sums by the name of the number.
    numbers: Vec<(&'static str, Parts)>,
}

/// Divides the jobs in means into parts.
#[derive(Clone, Copy, Debug)]
struct Division {
    /// The first position, and the number of jobs.
    first: usize,
    jobs: usize,
    /// The position behind the last job of each part but the last.
    ends: [usize; PARTS - 1],
}

impl Division {
    /// Divides the jobs at these positions by arrival.
    fn of(positions: Range<usize>) -> Self {
        let mut ends = [0; PARTS - 1];
        for (k, end) in ends.iter_mut().enumerate() {
            *end = positions.start + (k + 1) * positions.len() / PARTS;
        }
        Self { first: positions.start, jobs: positions.len(), ends }
    }

    /// Returns the part of the job at this position by arrival.
    fn part(&self, position: usize) -> usize {
        self.ends.iter().filter(|&&end| position >= end).count()
    }
}

impl Parts {
    /// Divides `values` into parts. An entry is a value in the mean, or `None` for a job that is not in the
    /// mean.
    pub fn of(values: impl Iterator<Item = Option<f64>>) -> Self {
        let values: Vec<Option<f64>> = values.collect();
        let mut filler = PartFiller::new(values.iter().flatten().count());
        for value in values {
            filler.add(None, value);
        }
        filler.finish().1
    }

    fn add(&mut self, part: usize, value: f64) {
        self.sums[part] += value;
        self.counts[part] += 1;
        self.hash = mix(self.hash, value.to_bits());
    }

    /// Adds the values of other jobs, or of the same jobs in another replay, part by part.
    pub fn append(&mut self, other: &Self) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum += more);
        self.hash = mix(self.hash, other.hash);
    }

    /// Returns the mean over the counted jobs, or `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sums.iter().sum::<f64>() / count as f64)
    }

    /// Returns the number of counted jobs.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The parts of one number while jobs are added in the order of their arrival.
#[derive(Debug)]
pub struct PartFiller {
    division: Division,
    /// Added jobs.
    jobs: usize,
    /// Those of them in the mean.
    in_mean: usize,
    hash: u64,
    parts: Parts,
}

impl PartFiller {
    /// Creates the parts of a mean over `jobs` jobs.
    pub fn new(jobs: usize) -> Self {
        Self { division: Division::of(0..jobs), jobs: 0, in_mean: 0, hash: 0, parts: Parts::default() }
    }

    /// Adds the next job by its number and its value, `None` for a job that is not in the mean.
    pub fn add(&mut self, number: Option<f64>, value: Option<f64>) {
        if let Some(value) = value {
            self.parts.add(self.division.part(self.in_mean), value);
            self.in_mean += 1;
        }
        self.hash = mix(self.hash, number.unwrap_or(f64::NAN).to_bits());
        self.jobs += 1;
    }

    /// Returns the number of jobs with a hash of their numbers, which identifies replays of the same jobs,
    /// and the parts.
    pub fn finish(self) -> ((usize, u64), Parts) {
        ((self.jobs, self.hash), Parts { jobs: self.in_mean as u64, ..self.parts })
    }
}

impl PartSums {
    /// Computes the part sums of saved jobs, in the order of the replay, on `mesh`. They equal those that the
    /// replay kept. O(J) for J jobs in the order of their arrival, otherwise O(J·log J).
    pub fn of_saved(rows: &[JobRow], trim: Trim, mesh: &Mesh) -> Self {
        let n = rows.len();
        let ranks = ranks(n, |i| rows[i].submit_s);
        let kept = trim.kept(n, |i| rows[i].submit_s);
        let jobs: Vec<FinishedJob> = rows.iter().map(FinishedJob::from).collect();
        let mut adder = PartAdder::new(in_means(&kept, ranks.as_deref()), trim);
        let part = Part { jobs: &jobs, kept, earlier: trim.earlier(n, |i| rows[i].submit_s), trim };
        for (row, metric) in METRICS.iter().enumerate().filter(|(_, metric)| metric.is_compared) {
            let mut number = Accumulator::new(&metric.compute, mesh);
            number.add(&metric.compute, &part, |i, value| adder.add(row, i, ranks.as_deref(), value));
        }
        adder.end(&jobs);
        adder.finish()
    }

    /// Returns the part sums of the named number, or `None` if it is not compared.
    pub fn get(&self, name: &str) -> Option<&Parts> {
        self.numbers.iter().find(|(other, _)| *other == name).map(|(_, parts)| parts)
    }

    /// Returns the time from the first to the last submission in seconds.
    pub fn span_s(&self) -> f64 {
        self.submitted_s.map_or(0.0, |(first, last)| last - first)
    }

    /// Returns whether the other replay has the same jobs.
    pub fn is_of_same_jobs(&self, other: &Self) -> bool {
        self.jobs == other.jobs
    }

    /// Returns whether the same number of jobs of each part is in the means of the other replay. The ratio to
    /// the bound is over fewer jobs, namely those with at least two nodes.
    pub fn counts_same_jobs(&self, other: &Self) -> bool {
        let counts = |of: &Self| of.numbers.iter().map(|(_, parts)| parts.counts).max();
        counts(self) == counts(other)
    }
}

/// The part sums of a replay while jobs are added.
#[derive(Debug)]
pub(super) struct PartAdder {
    division: Division,
    /// The number of jobs in earlier batches.
    at: usize,
    /// Hash of the jobs in earlier batches.
    hash: u64,
    /// The beginning of the period in seconds; `None` for the whole log.
    first: Option<f64>,
    /// Their first and last submission in seconds.
    submitted_s: Option<(f64, f64)>,
    /// By row of [`METRICS`]: its sums. Empty for a number that is not compared.
    numbers: Vec<Parts>,
}

impl PartAdder {
    /// Creates the sums before the first job. The jobs in means have these positions by arrival.
    pub(super) fn new(in_means: Range<usize>, trim: Trim) -> Self {
        Self {
            division: Division::of(in_means),
            first: trim.period.map(|period| period.from.as_seconds()),
            at: 0,
            hash: 0,
            submitted_s: None,
            numbers: vec![Parts::default(); METRICS.len()],
        }
    }

    /// Adds the value of job `i` of the current batch to the number in `row` of [`METRICS`]. `ranks` has the
    /// positions of these jobs by arrival, or is `None` if that is the order of the log.
    pub(super) fn add(&mut self, row: usize, i: usize, ranks: Option<&[usize]>, value: f64) {
        let position = ranks.map_or(self.at + i, |ranks| ranks[i]);
        self.numbers[row].add(self.division.part(position), value);
        // A job from before the period adds to the sum of the first part and is not in its mean.
        self.numbers[row].counts[0] -= u64::from(position < self.division.first);
    }

    /// Ends a batch of `jobs`.
    pub(super) fn end(&mut self, jobs: &[FinishedJob]) {
        for FinishedJob { job, .. } in jobs {
            let submit_s = job.submit.as_seconds();
            let in_period_s = self.first.map_or(submit_s, |first| submit_s.max(first));
            let (first, last) = self.submitted_s.unwrap_or((in_period_s, in_period_s));
            self.submitted_s = Some((first.min(in_period_s), last.max(in_period_s)));
            let hash = mix(mix(self.hash, submit_s.to_bits()), job.number as u64);
            self.hash = mix(hash, u64::from(job.procs));
        }
        self.at += jobs.len();
    }

    /// Returns the part sums of all jobs.
    pub(super) fn finish(self) -> PartSums {
        let compared = METRICS.iter().zip(self.numbers).filter(|(metric, _)| metric.is_compared);
        let jobs = self.division.jobs as u64;
        let numbers = compared.map(|(metric, parts)| (metric.name(), Parts { jobs, ..parts }));
        PartSums { jobs: (self.at, self.hash), submitted_s: self.submitted_s, numbers: numbers.collect() }
    }
}

/// Returns the positions by arrival of the jobs in means, which are consecutive. `kept` are their positions
/// in the log.
pub(super) fn in_means(kept: &[usize], ranks: Option<&[usize]>) -> Range<usize> {
    let first = kept.iter().map(|&i| ranks.map_or(i, |ranks| ranks[i])).min().unwrap_or_default();
    first..first + kept.len()
}

/// Returns the position of each of `n` jobs in the order of arrival, or `None` if the jobs already have that
/// order. The sort is stable, so simultaneous arrivals keep the order of the log. `submit_s` returns the
/// arrival of a job.
pub(super) fn ranks(n: usize, submit_s: impl Fn(usize) -> f64) -> Option<Vec<usize>> {
    if (1..n).all(|i| submit_s(i - 1) <= submit_s(i)) {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| submit_s(a).total_cmp(&submit_s(b)));
    let mut ranks = vec![0; n];
    for (rank, i) in order.into_iter().enumerate() {
        ranks[i] = rank;
    }
    Some(ranks)
}

/// Adds a value to a hash, by multiplication and rotation.
fn mix(hash: u64, value: u64) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    (hash.rotate_left(5) ^ value).wrapping_mul(ODD)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn parts(values: impl ExactSizeIterator<Item = f64>) -> Parts {
        Parts::of(values.map(Some))
    }

    fn half_width(of: &Difference) -> Option<f64> {
        of.interval(1).map(|interval| (interval.high - interval.low) / 2.0)
    }

    fn wave(n: u32, factor: f64) -> Parts {
        parts((0..n).map(|i| factor * f64::from(i * i % 101)).collect::<Vec<_>>().into_iter())
    }

    #[test]
    fn intervals_follow_their_definition() {
        // Sums of the parts 10, 20, 30, 20, 20 and of the base 10, 10, 10, 10, 10, times 200.
        let of = parts((0..1000).map(|i| [10.0, 20.0, 30.0, 20.0, 20.0][i / 200]));
        let base = parts((0..1000).map(|_| 10.0));
        let found = Difference::between(&of, &base).expect("jobs");
        assert!((found.value - 1.0).abs() < 1e-12, "{found:?}");
        // e = 5·(A − 2·B) ÷ ΣA = -0.5, 0, 0.5, 0, 0; its deviation is √0.125, by √5 it is √0.025.
        // w = 30, 40, 50, 40, 40; (Σw)² ÷ Σw² = 40,000 ÷ 8,200.
        let Uncertainty::Parts { error, freedom } = found.uncertainty else { panic!("{found:?}") };
        assert!((error - 0.025_f64.sqrt()).abs() < 1e-12, "{found:?}");
        assert!((freedom - (40_000.0 / 8_200.0 - 1.0)).abs() < 1e-12, "{found:?}");
        let interval = found.interval(1).expect("an interval");
        let factor = (quantile(0.05, freedom) * error).exp();
        assert!((interval.high - (2.0 * factor - 1.0)).abs() < 1e-12, "{interval:?}");
        assert!((interval.low - (2.0 / factor - 1.0)).abs() < 1e-12, "{interval:?}");
        assert!((quantile(0.05, 4.0) - 2.776_445).abs() < 1e-5);
    }

    #[test]
    fn a_constant_share_is_certain_however_much_jobs_differ() {
        let found = Difference::between(&wave(1500, 0.9), &wave(1500, 1.0)).expect("jobs");
        assert!(found.is_relative && !found.is_equal && found.is_certain());
        assert!((found.value + 0.1).abs() < 1e-12, "{found:?}");
        assert!(half_width(&found).is_some_and(|half| half < 1e-9), "{found:?}");
    }

    #[test]
    fn sums_of_means_weigh_each_mean_once() {
        let (long, short) = ([wave(9000, 1.1), wave(9000, 1.0)], [wave(1010, 3.3), wave(1010, 3.0)]);
        let one = Difference::between_sums(&[&long[0]], &[&long[1]]);
        assert_eq!(one, Difference::between(&long[0], &long[1]));
        // The short log counts as much as the long one, and a constant share is certain.
        let of = [&long[0], &short[1]];
        let base = [&long[1], &short[1]];
        let both = Difference::between_sums(&of, &base).expect("jobs");
        let means = |all: [&Parts; 2]| all.iter().filter_map(|parts| parts.mean()).sum::<f64>();
        assert!((both.value - (means(of) / means(base) - 1.0)).abs() < 1e-12, "{both:?}");
        assert!(half_width(&both) > Some(0.0), "{both:?}");
        let all = Difference::between_sums(&[&long[0], &short[0]], &[&long[1], &short[1]]).expect("jobs");
        assert!((all.value - 0.1).abs() < 1e-12 && half_width(&all).is_some_and(|half| half < 1e-9));
    }

    #[test]
    fn replications_are_paired_by_seed() {
        // The ratio of the means is 1.05, with residuals of the replications of 0.5, −2 and 1.5. Their
        // variance is 3.25, and the quantile of Student's distribution with 2 degrees of freedom is 4.303.
        let found =
            Difference::over_replications(&[11.0, 19.0, 33.0], &[10.0, 20.0, 30.0]).expect("replications");
        assert!((found.value - 0.05).abs() < 1e-12 && found.is_relative && !found.is_certain());
        let expected = 4.302_653 * (3.25_f64 / 3.0).sqrt() / 20.0;
        assert!(half_width(&found).is_some_and(|half| (half - expected).abs() < 1e-6), "{found:?}");
        // A ratio that is equal in all replications is certain, however much they differ.
        let found =
            Difference::over_replications(&[11.0, 22.0, 33.0], &[10.0, 20.0, 30.0]).expect("replications");
        assert!((found.value - 0.1).abs() < 1e-12 && found.is_certain());
        assert!(half_width(&found).is_some_and(|half| half < 1e-12), "{found:?}");
        let one = Difference::over_replications(&[1.0], &[2.0]).expect("a replication");
        assert_eq!((one.value, one.uncertainty), (-0.5, Uncertainty::NotKept));
    }

    #[test]
    fn equal_parts_differ_by_nothing() {
        let base = wave(1000, 1.0);
        let found = Difference::between(&base, &base).expect("jobs");
        let interval = Interval95 { low: 0.0, high: 0.0 };
        assert_eq!((found.value, found.interval(1), found.is_equal), (0.0, Some(interval), true));
        assert!(!found.is_certain());
    }

    #[test]
    fn short_logs_and_single_bursts_have_no_interval() {
        let short = Difference::between(&wave(640, 2.0), &wave(640, 1.0)).expect("jobs");
        assert_eq!(short.uncertainty, Uncertainty::TooShort { jobs: 640 });
        let burst = |height: f64| parts((0..1000).map(move |i| if i < 200 { height } else { 0.001 }));
        let found = Difference::between(&burst(2.0), &burst(1.0)).expect("jobs");
        assert_eq!((found.uncertainty, found.is_certain()), (Uncertainty::InOnePart, false));
    }

    #[test]
    fn without_a_ratio_the_difference_is_estimated_itself() {
        let (some, none) = (wave(1000, 1.0), parts((0..1000).map(|_| 0.0)));
        let found = Difference::between(&some, &none).expect("jobs");
        assert!(!found.is_relative && Some(found.value) == some.mean() && found.is_certain(), "{found:?}");
        let found = Difference::between(&none, &some).expect("jobs");
        let interval = found.interval(1).expect("an interval");
        assert!((found.value + 1.0).abs() < 1e-12 && interval.low >= -1.0 && interval.high < 0.0);
        assert_eq!(Difference::between(&Parts::default(), &none), None);
    }

    /// Returns the share of runs in which the best of `count` equal series is certainly below a further one.
    fn found_below(count: usize, candidates: usize) -> f64 {
        const RUNS: usize = 2000;
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut drawn = || parts((0..1000).map(|_| rng.random::<f64>()).collect::<Vec<_>>().into_iter());
        let mut found = 0;
        for _ in 0..RUNS {
            let reference = drawn();
            let best =
                (0..count).map(|_| drawn()).min_by(|a, b| a.mean().partial_cmp(&b.mean()).expect("means"));
            let found_here = Difference::between(&best.expect("a series"), &reference).expect("jobs");
            let interval = found_here.interval(candidates).expect("an interval");
            found += usize::from(interval.high < 0.0);
        }
        found as f64 / RUNS as f64
    }

    #[test]
    fn the_best_of_many_equal_series_needs_the_correction() {
        let (plain, corrected) = (found_below(12, 1), found_below(12, 12));
        assert!(plain > 0.08 && corrected < 0.03, "{plain} and {corrected}");
        let single = found_below(1, 1);
        assert!((0.01..0.04).contains(&single), "{single}");
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
            let interval = found.interval(1).expect("an interval");
            covered += usize::from(interval.low <= 0.5 && 0.5 <= interval.high);
        }
        assert!((930..=970).contains(&covered), "{covered} of {RUNS}");
    }

    #[test]
    fn parts_differ_by_at_most_one_job_and_keep_every_sum() {
        for n in [0, 1, 4, 5, 6, 1000, 122_057] {
            let parts = Parts::of((0..n).map(|i| Some(f64::from(i))));
            let (least, most) = (parts.counts.iter().min(), parts.counts.iter().max());
            assert!(most.copied().unwrap_or(0) <= least.copied().unwrap_or(0) + 1, "{n}");
            let mean = (n > 0).then(|| (f64::from(n) - 1.0) / 2.0);
            assert_eq!((parts.count(), parts.mean()), (n as u64, mean));
        }
        let some = Parts::of([Some(4.0), None, Some(2.0), None, None].into_iter());
        assert_eq!((some.mean(), some.counts, some.jobs), (Some(3.0), [0, 0, 1, 0, 1], 2));
    }

    #[test]
    fn parts_are_equal_only_if_every_value_is() {
        let of = |values: [f64; 4]| Parts::of(values.into_iter().map(Some));
        assert_eq!(of([1.0, 2.0, 3.0, 4.0]), of([1.0, 2.0, 3.0, 4.0]));
        // The same sums, as two jobs of a long part change places.
        let wave = |swapped: usize| {
            let value = |i: usize| {
                if i == swapped {
                    i + 1
                } else if i == swapped + 1 {
                    i - 1
                } else {
                    i
                }
            };
            Parts::of((0..100).map(move |i| Some(value(i) as f64)))
        };
        let bits = |parts: Parts| parts.sums.map(f64::to_bits);
        assert!(bits(wave(7)) == bits(wave(50)) && wave(7) != wave(50));
    }
}
