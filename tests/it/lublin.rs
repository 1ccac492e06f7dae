//! The Lublin–Feitelson model against the values that its definition implies, and against its published
//! outputs.

use std::io::Read;
use std::process::{Command, Output};

use meshreplay::workload::lublin::{self, Lublin, LublinError, LublinJob, LublinOptions};
use statrs::function::gamma::gamma_lr;

use super::support::{Tested, run};

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

#[test]
fn arrivals_are_stretched_to_a_load() {
    let drawn = jobs(256, false, 1, 10_000);
    let (load, last_s) = lublin::load_of(drawn.iter().copied(), 256).expect("arrivals differ");
    assert_eq!(last_s, drawn[9_999].submit_s);
    assert_eq!(lublin::load_of(drawn[..1].iter().copied(), 256), None);
    assert_eq!(lublin::load_of([].into_iter(), 256), None);
    // The log of the command has the same jobs with later arrivals.
    let text = generate("--jobs 10000 --procs 256 --seed 1 --load 0.7", "-").stdout;
    let text = String::from_utf8(text).expect("text");
    let written: Vec<LublinJob> = text
        .lines()
        .filter(|line| !line.starts_with(';'))
        .map(|line| {
            let field = |i: usize| line.split(' ').nth(i - 1).and_then(|field| field.parse::<i64>().ok());
            let number = |i: usize| field(i).expect("a whole number");
            LublinJob {
                submit_s: number(2),
                run_s: number(4),
                procs: number(5) as u32,
                interactive: number(15) == 0,
            }
        })
        .collect();
    let factor = load / 0.7;
    let stretched: Vec<LublinJob> = drawn.iter().map(|job| job.stretched(factor)).collect();
    assert_eq!(written, stretched);
    let (load, last) = lublin::load_of(written.into_iter(), 256).expect("arrivals differ");
    assert!((load - 0.7).abs() < 1e-4, "{load}");
    assert_eq!(last, (last_s as f64 * factor).round() as i64);
}

/// Published outputs of the model's typeless stream, by the reference implementation with another generator.
#[test]
fn published_outputs_of_the_model_look_alike() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/traces");
    for (name, procs) in
        [("model-lublin_256-10k", 256), ("model-lublin_256-20k", 256), ("model-lublin_1024-20k", 1024)]
    {
        let path = format!("{directory}/{name}.swf.gz");
        let Ok(file) = std::fs::File::open(&path) else {
            println!("skipped: {path} is not there");
            continue;
        };
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("gzip");
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
            println!("{name}: {quantity}: published {theirs:.4}, ours {ours:.4}");
            assert!((theirs / ours - 1.0).abs() < tolerance, "{name}: {quantity}: {theirs} against {ours}");
        }
    }
}

fn generate(arguments: &str, output: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(["trace", "generate", "--model", "lublin", "-o", output])
        .args(arguments.split_whitespace())
        .output()
        .expect("the tool runs")
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn trace_generate_writes_the_same_log_every_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let options = "--jobs 500 --procs 64 --seed 3 --load 0.7";
    for name in ["a.swf.gz", "b.swf.gz", "a.swf"] {
        let output = generate(options, &path(name));
        assert!(output.status.success() && output.stdout.is_empty(), "{}", complaint(&output));
    }
    let bytes = |name: &str| std::fs::read(path(name)).expect("a log");
    assert_eq!(bytes("a.swf.gz"), bytes("b.swf.gz"));
    assert_eq!(generate(options, "-").stdout, bytes("a.swf"));
    let text = String::from_utf8(bytes("a.swf")).expect("text");
    for line in [
        "; Version: 2.2",
        "; MaxProcs: 64",
        "; MaxJobs: 500",
        "; UnixStartTime: 0",
        "; Note: model lublin, seed 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing: {text}");
    }
    assert!(text.contains("; Note: arrival times multiplied by "), "{text}");
    let records: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(records.len(), 500);
    assert!(records.iter().all(|line| line.split(' ').count() == 18), "{text}");

    let refused = generate(options, &path("a.swf"));
    assert_eq!(refused.status.code(), Some(1));
    assert!(complaint(&refused).contains("already exists; --force overwrites it"), "{}", complaint(&refused));
    assert!(generate(&format!("{options} --force"), &path("a.swf")).status.success());
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 3);
}

#[test]
fn trace_generate_explains_wrong_options() {
    for (arguments, output, message) in [
        ("--jobs 0 --procs 64", "-", "invalid value '0' for '--jobs <N>'"),
        ("--jobs 5 --procs 0", "-", "invalid value '0' for '--procs <P>'"),
        ("--jobs 5 --procs 64 --load 0", "-", "expected a number above 0"),
        ("--jobs 1 --procs 64 --load 0.5", "-", "a load needs jobs that arrive at different times"),
        ("--jobs 5 --procs 64 --published-sizes", "-", "go up to 128 processors, but the machine has 64"),
        ("--jobs 5 --procs 64", "a.txt", "cannot tell the format of 'a.txt'"),
    ] {
        let output = generate(arguments, output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", complaint(&output));
        assert!(complaint(&output).contains(message), "{arguments}: {}", complaint(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_bundled_log_is_what_its_note_says() {
    let file = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/traces/lublin-256-10k.swf.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file.expect("a bundled log")).read_to_string(&mut text).expect("gzip");
    let note =
        text.lines().find_map(|line| line.split_once("trace generate --model lublin ")).expect("a note");
    let again = generate(note.1, "-");
    let again = String::from_utf8(again.stdout).expect("text");
    let records = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with(';')).map(str::to_owned).collect()
    };
    assert!(records(&text) == records(&again), "the model makes another log than the bundled one");
}

#[test]
fn a_replay_of_the_model_is_a_replay_of_its_log() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let made = run(at, "trace generate --model lublin --jobs 300 --procs 64 --load 0.8 --seed 5 -o log.swf")?;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let rest = "-m 8x8 -s easy -a hilbert+bf first-fit --arrival-scale 1 0.7 --seed 5 --no-timing \
                --columns wait_s_mean,pairwise_sum_mean,utilization,makespan_s";
    let [model, log] =
        ["lublin:jobs=300,load=0.8", "log.swf"].map(|log| run(at, &format!("replay {log} {rest}")));
    let (model, log) = (model?, log?);
    assert_eq!(model.code, Some(0), "{}", model.stderr);
    // The first line has the log's name.
    let table = |text: &str| -> Vec<String> { text.lines().skip(1).map(str::to_owned).collect() };
    assert_eq!(table(&model.stdout), table(&log.stdout));
    assert!(model.stdout.contains("0.7 (load 1.14)  first-fit "), "{}", model.stdout);
    Ok(())
}
