//! The Lublin–Feitelson model of rigid jobs: U. Lublin, D. G. Feitelson, "The workload on parallel
//! supercomputers: modeling the characteristics of rigid jobs", J. Parallel and Distributed Computing 63(11),
//! 2003. Constants and order of steps follow the reference implementation, `m_lublin99.c` of 1999, in the
//! Parallel Workloads Archive.
//!
//! Jobs come in two streams, batch and interactive, or in one *typeless* stream that was fitted to both
//! together:
//!
//! 1. *Size*: A job is serial with a fixed probability. Otherwise its size is 2^p, with p from a two-stage
//!    uniform distribution. With another fixed probability p is rounded to an integer, so that the size is a
//!    power of two. (Some sizes that are not rounded this way are powers of two as well.)
//! 2. *Run time*: It is e^g seconds. g comes from one of two gamma distributions, one for short and one for
//!    long jobs. Large jobs choose the one for long jobs more often.
//! 3. *Arrival*: The gap to the next job is e^g/1800 points, with g from a gamma distribution. Each half hour
//!    of the day has a weight, 1 on average, and as many points as its weight. So a gap takes less time where
//!    weights are high. The weights are a gamma distribution over the 48 half hours from 5:00 on. Arrivals
//!    are cut to whole seconds, while the place within the half hour is not: so the hour of most arrivals
//!    moves by some half a second for each job, and the daily cycle is that of the model in the first ten
//!    thousand jobs or so.
//!
//! The same seed gives the same jobs. (Logarithms and powers come from the platform. Their last bits may
//! differ between platforms, so a run time may differ by a second.)
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a gap is at most the half hours of 5 days and of one more day, below 2^20 s, and jobs are at \
         most 2^32, so that the clock is below 2^52; sizes are at most 2^24 and casts of numbers with \
         fractions clamp"
)]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma};
use statrs::function::gamma::checked_gamma_lr;

/// The choices that the model leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LublinOptions {
    /// Whether there is one stream of jobs of no particular type, instead of batch and interactive jobs.
    pub typeless: bool,
    /// Whether sizes are as published, for a machine of 128 processors (interactive jobs up to 45), whatever
    /// the machine is. By default the range of sizes grows with the machine, as the authors of the model
    /// advise: the largest size is that of the machine, and the upper stage of sizes begins at 1/2^2.5 of it.
    pub published_sizes: bool,
}

/// The reason why there is no model for these options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LublinError {
    /// The machine has no processors.
    #[error("a machine of 0 processors runs no jobs; give at least 1")]
    NoProcessors,
    /// The published sizes are larger than the machine, which has this many processors.
    #[error("the published sizes go up to {PUBLISHED_PROCS} processors, but the machine has {0}")]
    TooFewProcessors(u32),
    /// A distribution refuses a constant of the model. This would be a mistake in this program.
    #[error("a constant of the model is out of range")]
    Constant,
}

/// The number of processors of the machine that the published sizes are for.
const PUBLISHED_PROCS: u32 = 128;

/// One job of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LublinJob {
    /// Submit time in seconds after the model's first midnight. Never decreases from job to job.
    pub submit_s: i64,
    /// The run time in seconds, from 1 to 162,754 = ⌊e^12⌋.
    pub run_s: i64,
    /// The number of processors, from 1 to that of the machine.
    pub procs: u32,
    /// Whether the job is interactive. It is true for all jobs of a typeless stream, as in the reference
    /// implementation.
    pub interactive: bool,
}

impl LublinJob {
    /// Returns the job with its submit time multiplied by `factor` and rounded to seconds.
    #[must_use]
    pub fn stretched(self, factor: f64) -> Self {
        Self { submit_s: (self.submit_s as f64 * factor).round() as i64, ..self }
    }
}

/// The endless stream of jobs of one seed. It makes about 10 million jobs per second.
#[derive(Clone, Debug)]
pub struct Lublin {
    rng: ChaCha8Rng,
    interactive: Stream,
    /// The batch jobs; `None` if the stream is typeless. Typeless jobs are in `interactive`.
    batch: Option<Stream>,
}

impl Lublin {
    /// Returns the stream of jobs for a machine of `procs` processors.
    ///
    /// On a machine whose number of processors is no power of two, rounded sizes go up to the largest power
    /// of two that fits.
    pub fn new(procs: u32, options: LublinOptions, seed: u64) -> Result<Self, LublinError> {
        if procs == 0 {
            return Err(LublinError::NoProcessors);
        }
        if options.published_sizes && procs < PUBLISHED_PROCS {
            return Err(LublinError::TooFewProcessors(procs));
        }
        let stream = |constants| Stream::new(constants, procs, options.published_sizes);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut interactive, mut batch) = if options.typeless {
            (stream(&TYPELESS)?, None)
        } else {
            (stream(&INTERACTIVE)?, Some(stream(&BATCH)?))
        };
        for stream in batch.iter_mut().chain([&mut interactive]) {
            stream.arrivals.advance(&mut rng);
        }
        Ok(Self { rng, interactive, batch })
    }
}

impl Iterator for Lublin {
    type Item = LublinJob;

    fn next(&mut self) -> Option<LublinJob> {
        let next_interactive = self.interactive.arrivals.clock_s;
        // The stream with the earlier arrival is next; interactive jobs go first at the same second.
        let batch = self.batch.as_mut().filter(|batch| batch.arrivals.clock_s < next_interactive);
        let interactive = batch.is_none();
        let stream = batch.unwrap_or(&mut self.interactive);
        let submit_s = stream.arrivals.clock_s;
        stream.arrivals.advance(&mut self.rng);
        let procs = stream.draw_size(&mut self.rng);
        let run_s = stream.draw_run(procs, &mut self.rng);
        Some(LublinJob { submit_s, run_s, procs, interactive })
    }
}

/// Returns the offered load, and the submit time of the last job in seconds. The load is the work of the jobs
/// divided by the capacity of `procs` processors from the first to the last arrival, Σ procs·run /
/// (procs·span). `None` without jobs, or if all arrive at once. O(jobs) time, O(1) memory.
pub fn load_of(mut jobs: impl Iterator<Item = LublinJob>, procs: u32) -> Option<(f64, i64)> {
    let work = |job: &LublinJob| f64::from(job.procs) * job.run_s as f64;
    let first = jobs.next()?;
    let (whole, last_s) =
        jobs.fold((work(&first), first.submit_s), |(whole, _), job| (whole + work(&job), job.submit_s));
    let span = last_s - first.submit_s;
    (span > 0).then(|| (whole / (f64::from(procs) * span as f64), last_s))
}

/// Constants of one stream, named as in the reference implementation.
#[derive(Debug)]
struct Constants {
    /// The probability that a job is serial.
    serial_prob: f64,
    /// The probability that a job is parallel and its size is rounded to a power of two. The remaining
    /// probability, 1 − `serial_prob` − `pow2_prob`, is that of any other parallel size.
    pow2_prob: f64,
    /// The logarithm (base 2) of the smallest parallel size.
    u_low: f64,
    /// Base-2 logarithm of the size between the two stages of the uniform distribution, on a machine of 128
    /// processors.
    u_med: f64,
    /// The logarithm (base 2) of the largest size on a machine of 128 processors.
    u_hi: f64,
    /// The probability that a parallel size comes from the lower stage.
    u_prob: f64,
    /// Shape and scale of the two gamma distributions of the logarithm (base e) of the run time in seconds:
    /// first that of short jobs, then that of long jobs.
    run: [(f64, f64); 2],
    /// A job takes the distribution of short jobs with probability pa · size + pb, clamped to 0 to 1. pa is
    /// negative, as large jobs run longer.
    pa: f64,
    pb: f64,
    /// Shape and scale of the gamma distribution of the logarithm (base e) of gaps in rush hours, in seconds.
    /// The shape is multiplied by `arar` for gaps at all hours.
    gap: (f64, f64),
    /// Shape and scale of the gamma distribution of arrivals over the half hours of the day.
    day: (f64, f64),
    /// The ratio of the mean logarithm of all gaps to the mean logarithm of the gaps in rush hours ("arrival
    /// rush to all ratio").
    arar: f64,
}

/// The constants of batch jobs.
static BATCH: Constants = Constants {
    serial_prob: 0.2927,
    pow2_prob: 0.6686,
    u_low: 1.2,
    u_med: 5.0,
    u_hi: 7.0,
    u_prob: 0.875,
    run: [(6.57, 0.823), (639.1, 0.0156)],
    pa: -0.003,
    pb: 0.6986,
    gap: (6.0415, 0.8531),
    day: (6.1271, 5.2740),
    arar: 1.0519,
};

/// The constants of interactive jobs.
static INTERACTIVE: Constants = Constants {
    serial_prob: 0.1541,
    pow2_prob: 0.625,
    u_low: 1.0,
    u_med: 3.0,
    u_hi: 5.5,
    u_prob: 0.705,
    run: [(3.8351, 0.6605), (7.073, 0.6856)],
    pa: -0.0118,
    pb: 0.9156,
    gap: (6.5510, 0.6621),
    day: (8.9186, 3.6680),
    arar: 0.9797,
};

/// The constants of the stream that was fitted to batch and interactive jobs together.
static TYPELESS: Constants = Constants {
    serial_prob: 0.244,
    pow2_prob: 0.576,
    u_low: 0.8,
    u_med: 4.5,
    u_hi: 7.0,
    u_prob: 0.86,
    run: [(4.2, 0.94), (312.0, 0.03)],
    pa: -0.0054,
    pb: 0.78,
    gap: (10.2303, 0.4871),
    day: (8.1737, 3.9631),
    arar: 1.0225,
};

/// One stream of jobs: its constants, distributions and clock.
#[derive(Clone, Debug)]
struct Stream {
    constants: &'static Constants,
    sizes: Sizes,
    /// The distributions of the logarithm (base e) of the run time in seconds: of short jobs, of long jobs.
    runs: [Gamma<f64>; 2],
    arrivals: ArrivalCycle,
}

impl Stream {
    /// Returns a stream whose clock is at midnight. The caller moves the clock to the first arrival.
    fn new(constants: &'static Constants, procs: u32, published_sizes: bool) -> Result<Self, LublinError> {
        let Constants { gap, day, run: [short, long], .. } = constants;
        Ok(Self {
            constants,
            sizes: Sizes::new(constants, procs, published_sizes),
            runs: [gamma(short.0, short.1)?, gamma(long.0, long.1)?],
            arrivals: ArrivalCycle {
                gap: gamma(gap.0 * constants.arar, gap.1)?,
                weights: weights(day.0, day.1)?,
                bucket: 0,
                points: 0.0,
                remainder: 0.0,
                clock_s: 0,
            },
        })
    }

    /// Draws the number of processors of a job.
    fn draw_size(&self, rng: &mut ChaCha8Rng) -> u32 {
        let (Constants { serial_prob, pow2_prob, u_prob, .. }, sizes) = (self.constants, &self.sizes);
        // As in the reference implementation, one random number decides between a serial job, a rounded size
        // and any size.
        let u: f64 = rng.random();
        if u <= *serial_prob {
            return 1;
        }
        let (from, to) = if rng.random::<f64>() <= *u_prob {
            (sizes.low, sizes.middle)
        } else {
            (sizes.middle, sizes.high)
        };
        let p = from + (to - from) * rng.random::<f64>();
        if u <= serial_prob + pow2_prob {
            // Adding one half and cutting off the fraction rounds p, which is positive.
            1 << ((p + 0.5) as u32).min(sizes.procs.ilog2())
        } else {
            ((p.exp2() + 0.5) as u32).clamp(1, sizes.procs)
        }
    }

    /// Draws the run time of a job of `procs` processors, in seconds.
    fn draw_run(&self, procs: u32, rng: &mut ChaCha8Rng) -> i64 {
        /// The greatest logarithm of a run time; longer run times are drawn again. e^12 s are 45 hours.
        const LOG_SECONDS_MAX: f64 = 12.0;
        let p = (self.constants.pa * f64::from(procs) + self.constants.pb).clamp(0.0, 1.0);
        loop {
            let is_short = rng.random::<f64>() <= p;
            let g = self.runs[usize::from(!is_short)].sample(rng);
            if g <= LOG_SECONDS_MAX {
                return g.exp() as i64;
            }
        }
    }
}

/// Returns the gamma distribution with this shape and scale.
fn gamma(shape: f64, scale: f64) -> Result<Gamma<f64>, LublinError> {
    Gamma::new(shape, scale).map_err(|_| LublinError::Constant)
}

/// Range of parallel sizes on the machine. `low`, `middle` and `high` are base-2 logarithms of the smallest
/// size, the border between the stages and the largest size.
#[derive(Clone, Debug)]
struct Sizes {
    low: f64,
    middle: f64,
    high: f64,
    /// The processors of the machine.
    procs: u32,
}

impl Sizes {
    /// Returns the range for a machine of `procs` processors, as published or grown with the machine.
    fn new(constants: &Constants, procs: u32, published: bool) -> Self {
        let high = if published { constants.u_hi } else { f64::from(procs).log2() };
        let low = constants.u_low.min(high);
        // On very small machines the middle would be below the low end. Then all sizes come from the upper
        // stage.
        let middle = if published { constants.u_med } else { (high - 2.5).max(low) };
        Self { low, middle, high, procs }
    }
}

/// The number of half hours of a day.
const BUCKETS: usize = 48;
/// The length of a half hour in seconds.
const BUCKET_SECONDS: f64 = 1800.0;

/// The arrivals of one stream, and its clock.
#[derive(Clone, Debug)]
struct ArrivalCycle {
    /// The distribution of the logarithm (base e) of gaps, in seconds of average weight.
    gap: Gamma<f64>,
    /// The weight of each half hour of the day from midnight on, 1 on average.
    weights: [f64; BUCKETS],
    /// Half hour of the day of the last arrival drawn.
    bucket: usize,
    /// The points of that half hour up to the arrival, of as many as its weight.
    points: f64,
    /// The same as a share of the half hour, from 0 to 1.
    remainder: f64,
    /// The time of that arrival, which is the next to be handed out, in seconds after the first midnight.
    clock_s: i64,
}

impl ArrivalCycle {
    /// Moves the clock to the next arrival. As in the reference implementation, the clock has whole seconds.
    fn advance(&mut self, rng: &mut ChaCha8Rng) {
        /// The greatest logarithm of a gap; longer gaps are drawn again. e^13 s are 5 days.
        const LOG_SECONDS_MAX: f64 = 13.0;
        let g = loop {
            let g = self.gap.sample(rng);
            if g <= LOG_SECONDS_MAX {
                break g;
            }
        };
        self.points += g.exp() / BUCKET_SECONDS;
        // First the half hours whose ends the gap passes.
        let mut gap_s = 0.0;
        while self.points > self.weights[self.bucket] {
            self.points -= self.weights[self.bucket];
            self.bucket = (self.bucket + 1) % BUCKETS;
            gap_s += BUCKET_SECONDS;
        }
        // Then the parts of the first and of the last half hour.
        let remainder = self.points / self.weights[self.bucket];
        gap_s += BUCKET_SECONDS * (remainder - self.remainder);
        self.remainder = remainder;
        self.clock_s += gap_s as i64;
    }
}

/// Returns the weight of each half hour of the day from midnight on, 1 on average. The gamma distribution
/// begins in the eleventh half hour, at 5:00, as in the reference implementation, and not at 11 o'clock.
fn weights(shape: f64, scale: f64) -> Result<[f64; BUCKETS], LublinError> {
    const START: usize = 11;
    let below = |x: f64| checked_gamma_lr(shape, x / scale).map_err(|_| LublinError::Constant);
    let mut weights = [0.0; BUCKETS];
    for i in START..START + BUCKETS {
        // The share of the gamma distribution in the i-th half hour. Half hours after midnight wrap around to
        // the start of the same day.
        weights[(i - 1) % BUCKETS] = below(i as f64 + 0.5)? - below(i as f64 - 0.5)?;
    }
    let mean = weights.iter().sum::<f64>() / BUCKETS as f64;
    Ok(weights.map(|weight| weight / mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_a_day_sum_to_48_and_peak_by_day() {
        for constants in [&BATCH, &INTERACTIVE, &TYPELESS] {
            let weights = weights(constants.day.0, constants.day.1).expect("constants");
            assert!((weights.iter().sum::<f64>() - 48.0).abs() < 1e-9);
            assert!(weights.iter().all(|&weight| weight > 0.0));
            let peak = (0..BUCKETS).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
            assert!(peak.is_some_and(|peak| (22..32).contains(&peak)), "{peak:?}");
        }
    }
}
