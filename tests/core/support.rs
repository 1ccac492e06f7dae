//! What several tests need: archive logs if they are there, replays in one call, a generator of numbers.

use std::collections::HashMap;
use std::error::Error;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use meshreplay::job::Job;
use meshreplay::metrics::Monitor;
use meshreplay::study::{JobSource, LoadedLog, Options, Outcome, Replay, ReplaySpec, load};
use meshreplay::trace::ReadOptions;
use meshreplay::workload::Rules;

/// What tests return.
pub(crate) type Tested = Result<(), Box<dyn Error>>;

/// A file of the material that is shared beside the project, or `None`, saying that the test is skipped.
pub(crate) fn shared(file: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).join(file);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: ../shared/{file} is absent");
    None
}

/// The text of a gzip file.
pub(crate) fn gunzip(path: &PathBuf) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path)?).read_to_string(&mut text)?;
    Ok(text)
}

/// A log of ../shared/traces by the authors' rules, read once per process.
pub(crate) fn shared_log(file: &str) -> Option<Arc<LoadedLog>> {
    type Logs = Mutex<HashMap<String, Arc<LoadedLog>>>;
    static LOGS: OnceLock<Logs> = OnceLock::new();
    let path = shared(&format!("traces/{file}.swf.gz"))?;
    let mut logs = LOGS.get_or_init(Mutex::default).lock().expect("no test panics while it reads a log");
    if !logs.contains_key(file) {
        let log = load(&path, ReadOptions::default(), Rules::default()).expect("the log is readable");
        logs.insert(file.to_owned(), Arc::new(log));
    }
    logs.get(file).cloned()
}

/// Replays jobs without timing.
pub(crate) fn replay(
    jobs: &[Job],
    machine: &str,
    scheduler: &str,
    allocator: &str,
) -> Result<Outcome, Box<dyn Error>> {
    replayed(jobs, [machine, scheduler, allocator], &Options { jobs: true, ..Options::default() })
}

/// Replays jobs by rules that may have a prediction, without timing, and keeps the nodes of every job.
pub(crate) fn replay_by(
    rules: &Rules,
    jobs: &[Job],
    [machine, scheduler, allocator]: [&str; 3],
) -> Result<Outcome, Box<dyn Error>> {
    let options = Options { jobs: true, placements: true, ..Options::default() };
    let spec = ReplaySpec::new(machine.parse()?, scheduler.parse()?, allocator.parse()?);
    let replay = Replay::new(
        ReplaySpec { rules: Arc::new(rules.clone()), ..spec },
        JobSource::recorded(Arc::new(jobs.to_vec()), 0),
    );
    replay.run(&options, &Monitor::default())?.pop().ok_or_else(|| "no replication".into())
}

/// Replays jobs without timing, and keeps the nodes of every job.
pub(crate) fn replay_with_placements(
    jobs: &[Job],
    machine: &str,
    scheduler: &str,
    allocator: &str,
) -> Result<Outcome, Box<dyn Error>> {
    let options = Options { jobs: true, placements: true, ..Options::default() };
    replayed(jobs, [machine, scheduler, allocator], &options)
}

fn replayed(
    jobs: &[Job],
    [machine, scheduler, allocator]: [&str; 3],
    options: &Options,
) -> Result<Outcome, Box<dyn Error>> {
    let replay = Replay::new(
        ReplaySpec::new(machine.parse()?, scheduler.parse()?, allocator.parse()?),
        JobSource::recorded(Arc::new(jobs.to_vec()), 0),
    );
    replay.run(options, &Monitor::default())?.pop().ok_or_else(|| "no replication".into())
}

/// A small generator (a 64-bit linear congruence) for histories; the same numbers on every machine.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// The next number below `bound`.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }
}
