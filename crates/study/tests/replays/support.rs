//! Helpers for several tests: archive logs if available, replays in one call.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex, OnceLock};

use meshreplay_base::job::Job;
use meshreplay_logs::ReadOptions;
use meshreplay_sim::engine::Record;
use meshreplay_sim::metrics::Monitor;
use meshreplay_study::study::{JobSource, LoadedLog, Options, Outcome, Replay, ReplaySpec, load};
pub(crate) use meshreplay_testing::{Numbers, Tested, shared};
use meshreplay_workload::Rules;

/// A log of ../shared/traces with the rules `authors`, read once per process.
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

/// Replays jobs by rules, which may have a prediction, without timing, and keeps the nodes of every job.
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

/// The records of the jobs.
pub(crate) fn records(outcome: &Outcome) -> Vec<Record> {
    outcome.jobs.iter().map(|job| job.record).collect()
}

/// The nodes of the jobs as intervals.
pub(crate) fn placements(outcome: &Outcome) -> Vec<&str> {
    outcome.jobs.iter().map(|job| job.measures.more().nodes.as_str()).collect()
}
