//! Coverage of confidence intervals of paired differences, on many simulated series.

use meshreplay_sim::metrics::{Difference, Parts};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A kind of simulated replays.
struct Simulation {
    name: &'static str,
    /// The number of jobs.
    jobs: usize,
    /// Coefficient of the autoregression of order 1 from job to job.
    memory: f64,
    /// Draws an independent deviation with mean 0.
    shock: fn(&mut ChaCha8Rng) -> f64,
    /// The values of a job in both replays, from the deviation and an independent uniform number.
    pair: fn(f64, f64) -> (f64, f64),
    /// The true difference of the means, as a share of the base's mean.
    truth: f64,
}

fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    rng.random::<f64>() - 0.5
}

/// Returns an exponential deviation, skewed to the right like wait times.
fn skewed(rng: &mut ChaCha8Rng) -> f64 {
    -(1.0 - rng.random::<f64>()).ln() - 1.0
}

/// Ten percent less for each job, plus independent noise.
fn tenth_less(common: f64, own: f64) -> (f64, f64) {
    let base = 50.0 + common;
    (0.9 * base + own, base)
}

/// The same mean, and a difference that persists for many jobs.
fn same_mean(common: f64, own: f64) -> (f64, f64) {
    (20.0 + common, 20.0 + own)
}

const SIMULATIONS: [Simulation; 6] = [
    Simulation { name: "no memory", jobs: 1000, memory: 0.0, shock: uniform, pair: same_mean, truth: 0.0 },
    Simulation { name: "some memory", jobs: 1000, memory: 0.5, shock: uniform, pair: same_mean, truth: 0.0 },
    Simulation { name: "much memory", jobs: 2000, memory: 0.9, shock: uniform, pair: same_mean, truth: 0.0 },
    Simulation { name: "skewed", jobs: 1500, memory: 0.8, shock: skewed, pair: same_mean, truth: 0.0 },
    Simulation {
        name: "a tenth less",
        jobs: 1000,
        memory: 0.9,
        shock: skewed,
        pair: tenth_less,
        truth: -0.1,
    },
    Simulation { name: "a long log", jobs: 5000, memory: 0.9, shock: skewed, pair: same_mean, truth: 0.0 },
];

/// Returns the difference of two drawn replays.
fn drawn(of: &Simulation, rng: &mut ChaCha8Rng) -> Difference {
    let mut deviation = 0.0;
    let mut next = || {
        deviation = of.memory * deviation + (of.shock)(rng);
        (of.pair)(deviation, rng.random::<f64>() - 0.5)
    };
    // Warm-up: the first jobs are dropped.
    let values: Vec<(f64, f64)> = (0..of.jobs + 200).map(|_| next()).skip(200).collect();
    let (one, base): (Vec<f64>, Vec<f64>) = values.into_iter().unzip();
    let parts = |values: Vec<f64>| Parts::of(values.into_iter().map(Some));
    Difference::between(&parts(one), &parts(base)).expect("means over jobs")
}

#[test]
fn intervals_cover_the_truth_in_93_to_97_percent() {
    const SERIES: usize = 400;
    let mut covered_in_all = 0;
    for (i, simulation) in SIMULATIONS.iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(i as u64);
        let covers = |found: &Difference| {
            let interval = found.interval(1).expect("many jobs");
            interval.low <= simulation.truth && simulation.truth <= interval.high
        };
        let covered = (0..SERIES).map(|_| drawn(simulation, &mut rng)).filter(covers).count();
        let percent = 100.0 * covered as f64 / SERIES as f64;
        println!("{}: {percent} %", simulation.name);
        // Fixed seeds. The share over 400 series has a standard error of 1.1 %.
        assert!((93.0..=97.0).contains(&percent), "{}: {percent} %", simulation.name);
        covered_in_all += covered;
    }
    let percent = 100.0 * covered_in_all as f64 / (SERIES * SIMULATIONS.len()) as f64;
    assert!((93.0..=97.0).contains(&percent), "{percent} %");
}

#[test]
fn differences_that_are_there_are_found() {
    let simulation = &SIMULATIONS[4];
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    assert!((0..50).all(|_| drawn(simulation, &mut rng).is_certain()));
}
