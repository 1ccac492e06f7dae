//! The Lublin–Feitelson model against the values that its definition implies, and against its published
//! outputs.

use meshreplay_testing::{Tested, gunzip, shared};
use meshreplay_workload::lublin::{Lublin, LublinError, LublinJob, LublinOptions};
use statrs::function::gamma::gamma_lr;

/// Parameters of one type of jobs, typed from the model's publication.
struct Type {
    serial: f64,
    pow2: f64,
    low: f64,
    lower_prob: f64,
    run: [(f64, f64); 2],
    p: (f64, f64),
    gap: (f64, f64),
}

const BATCH: Type = Type {
    serial: 0.2927,
    pow2: 0.6686,
    low: 1.2,
    lower_prob: 0.875,
    run: [(6.57, 0.823), (639.1, 0.0156)],
    p: (-0.003, 0.6986),
    gap: (6.0415 * 1.0519, 0.8531),
};
const INTERACTIVE: Type = Type {
    serial: 0.1541,
    pow2: 0.625,
    low: 1.0,
    lower_prob: 0.705,
    run: [(3.8351, 0.6605), (7.073, 0.6856)],
    p: (-0.0118, 0.9156),
    gap: (6.5510 * 0.9797, 0.6621),
};
const TYPELESS: Type = Type {
    serial: 0.244,
    pow2: 0.576,
    low: 0.8,
    lower_prob: 0.86,
    run: [(4.2, 0.94), (312.0, 0.03)],
    p: (-0.0054, 0.78),
    gap: (10.2303 * 1.0225, 0.4871),
};

impl Type {
    /// Probability of every size from 0 to `procs`, a power of two.
    fn sizes(&self, procs: u32) -> Vec<f64> {
        let high = f64::from(procs).log2();
        let middle = high - 2.5;
        let below = |p: f64| {
            let stage = |from: f64, to: f64| ((p - from) / (to - from)).clamp(0.0, 1.0);
            self.lower_prob * stage(self.low, middle) + (1.0 - self.lower_prob) * stage(middle, high)
        };
        let free = 1.0 - self.serial - self.pow2;
        let share = |size: u32| {
            let size = f64::from(size);
            below((size + 0.5).log2()) - below((size - 0.5).log2())
        };
        let mut sizes: Vec<f64> = (0..=procs).map(|n| if n < 1 { 0.0 } else { free * share(n) }).collect();
        sizes[1] += self.serial;
        for n in 0..=procs.ilog2() {
            sizes[1 << n] += self.pow2 * (below(f64::from(n) + 0.5) - below(f64::from(n) - 0.5));
        }
        sizes
    }

    /// Mean gap in seconds: weights average to 1, so a point costs half an hour on average.
    fn gap(&self) -> f64 {
        let (shape, scale) = self.gap;
        let below = |scale: f64| gamma_lr(shape, 13.0 / scale);
        (1.0 - scale).powf(-shape) * below(scale / (1.0 - scale)) / below(scale)
    }

    /// Mean of the logarithm of run times drawn for `jobs`, ⌊e^12⌋ being the longest.
    fn log_run(&self, sizes: &[f64]) -> f64 {
        let log_run = |procs: usize| {
            let p = (self.p.0 * procs as f64 + self.p.1).clamp(0.0, 1.0);
            let kept = |(shape, scale): (f64, f64)| gamma_lr(shape, 12.0 / scale);
            let sum = |(shape, scale): (f64, f64)| shape * scale * gamma_lr(shape + 1.0, 12.0 / scale);
            (p * sum(self.run[0]) + (1.0 - p) * sum(self.run[1]))
                / (p * kept(self.run[0]) + (1.0 - p) * kept(self.run[1]))
        };
        sizes.iter().enumerate().map(|(procs, share)| share * log_run(procs)).sum()
    }

    fn check(&self, jobs: &[LublinJob], procs: u32, what: &str) {
        let close = |found: f64, expected: f64, tolerance: f64, quantity: &str| {
            let off = (found / expected - 1.0).abs();
            assert!(off < tolerance, "{what}: {quantity} is {found}, the model implies {expected}");
        };
        let sizes = self.sizes(procs);
        assert!((sizes.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{what}");
        let implied =
            |is: fn(u32) -> bool| (0..=procs).filter(|&n| is(n)).map(|n| sizes[n as usize]).sum::<f64>();
        close(share(jobs, |n| n == 1), implied(|n| n == 1), 0.01, "the serial share");
        close(
            share(jobs, u32::is_power_of_two),
            implied(u32::is_power_of_two),
            0.01,
            "the power-of-two share",
        );
        let mean = (1..).zip(&sizes[1..]).map(|(n, share)| f64::from(n) * share).sum();
        close(average(jobs, |job| f64::from(job.procs)), mean, 0.01, "the mean size");
        // Run times lose their fractions, half a second on average.
        let log_run = average(jobs, |job| (job.run_s as f64 + 0.5).ln());
        close(log_run, self.log_run(&sizes), 0.01, "the mean logarithm of run times");
        let span = jobs[jobs.len() - 1].submit_s - jobs[0].submit_s;
        close(span as f64 / (jobs.len() - 1) as f64, self.gap(), 0.02, "the mean gap");
    }
}

fn share(jobs: &[LublinJob], is: fn(u32) -> bool) -> f64 {
    average(jobs, |job| f64::from(u8::from(is(job.procs))))
}

fn average(jobs: &[LublinJob], value: impl Fn(&LublinJob) -> f64) -> f64 {
    jobs.iter().map(value).sum::<f64>() / jobs.len() as f64
}

fn jobs(procs: u32, typeless: bool, seed: u64, count: usize) -> Vec<LublinJob> {
    let options = LublinOptions { typeless, ..LublinOptions::default() };
    Lublin::new(procs, options, seed).expect("a model").take(count).collect()
}

#[test]
fn a_million_jobs_are_as_the_model_implies() {
    let of_type = |jobs: &[LublinJob], interactive: bool| -> Vec<LublinJob> {
        jobs.iter().copied().filter(|job| job.interactive == interactive).collect()
    };
    for procs in [128, 256, 1024] {
        let both = jobs(procs, false, 1, 2_000_000);
        BATCH.check(&of_type(&both, false), procs, "batch");
        INTERACTIVE.check(&of_type(&both, true), procs, "interactive");
        TYPELESS.check(&jobs(procs, true, 1, 1_000_000), procs, "typeless");
    }
}

#[test]
fn jobs_keep_to_their_bounds() {
    for procs in [1, 2, 3, 5, 8, 100, 128, 240, 400, 1000, 1024, 16_777_216] {
        for typeless in [false, true] {
            let jobs = jobs(procs, typeless, 7, 50_000);
            assert!(jobs.is_sorted_by_key(|job| job.submit_s));
            assert!(jobs.iter().all(|job| (1..=procs).contains(&job.procs)), "{procs}");
            assert!(jobs.iter().all(|job| (1..=162_754).contains(&job.run_s)), "{procs}");
            assert!(!typeless || jobs.iter().all(|job| job.interactive));
        }
    }
}

#[test]
fn a_seed_is_a_log() {
    assert_eq!(jobs(256, false, 1, 5000), jobs(256, false, 1, 5000));
    assert_ne!(jobs(256, false, 1, 5000), jobs(256, false, 2, 5000));
    assert_ne!(jobs(256, false, 1, 5000), jobs(256, true, 1, 5000));
}

#[test]
fn published_sizes_do_not_grow_with_the_machine() {
    let published = LublinOptions { published_sizes: true, ..LublinOptions::default() };
    let jobs: Vec<LublinJob> = Lublin::new(1024, published, 1).expect("a model").take(100_000).collect();
    let largest =
        |interactive| jobs.iter().filter(|job| job.interactive == interactive).map(|job| job.procs).max();
    assert_eq!((largest(false), largest(true)), (Some(128), Some(45)));
    assert_eq!(Lublin::new(100, published, 1).err(), Some(LublinError::TooFewProcessors(100)));
    assert_eq!(Lublin::new(0, LublinOptions::default(), 1).err(), Some(LublinError::NoProcessors));
}

/// Published outputs of the model's typeless stream, by the reference implementation with another generator.
#[test]
fn published_outputs_of_the_model_look_alike() -> Tested {
    for (name, procs) in
        [("model-lublin_256-10k", 256), ("model-lublin_256-20k", 256), ("model-lublin_1024-20k", 1024)]
    {
        let Some(path) = shared(&format!("traces/{name}.swf.gz")) else { continue };
        let text = gunzip(&path)?;
        let theirs: Vec<LublinJob> = text
            .lines()
            .filter(|line| !line.starts_with(';'))
            .map(|line| {
                let field: Vec<i64> =
                    line.split_whitespace().map(|field| field.parse().expect("a number")).collect();
                LublinJob { submit_s: field[1], run_s: field[3], procs: field[4] as u32, interactive: true }
            })
            .collect();
        let ours = jobs(procs, true, 1, 1_000_000);
        let log_run = |jobs: &[LublinJob]| average(jobs, |job| (job.run_s as f64 + 0.5).ln());
        let gap = |jobs: &[LublinJob]| jobs[jobs.len() - 1].submit_s as f64 / jobs.len() as f64;
        let rows = [
            ("serial share", share(&theirs, |n| n == 1), share(&ours, |n| n == 1), 0.03),
            (
                "power-of-two share",
                share(&theirs, u32::is_power_of_two),
                share(&ours, u32::is_power_of_two),
                0.03,
            ),
            (
                "mean size",
                average(&theirs, |job| f64::from(job.procs)),
                average(&ours, |job| f64::from(job.procs)),
                0.1,
            ),
            ("mean log run time", log_run(&theirs), log_run(&ours), 0.03),
            // A few gaps of days dominate: over seeds, the mean of 10,000 gaps has a standard deviation of 7
            // %.
            ("mean gap in seconds", gap(&theirs), gap(&ours), 0.2),
        ];
        for (quantity, theirs, ours, tolerance) in rows {
            assert!((theirs / ours - 1.0).abs() < tolerance, "{name}: {quantity}: {theirs} against {ours}");
        }
    }
    Ok(())
}
