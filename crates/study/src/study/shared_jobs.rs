//! Shares the jobs of a study's logs among its replays. Jobs are loaded when a replay first needs them, and
//! are dropped after the last replay that needs them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::jobs::{JobsError, fitting, scaled_jobs};
use super::log::{LoadedLog, load_most};
use super::planned::{PlannedReplay, Study, StudyLog};
use super::replay::Replay;
use super::replay_spec::ReplaySpec;
use super::source::{JobSource, LogStream};
use meshreplay_base::job::Job;
use meshreplay_logs::{Partitions, TraceError};
use meshreplay_sim::metrics::Needs;
use meshreplay_workload::{Reason, RuleSet, Rules};

/// The reason why a replay has no jobs.
#[derive(Debug, thiserror::Error)]
pub enum LoadJobsError {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] TraceError),
    /// The log has changed since the study was planned.
    #[error("{file} has changed since the study was planned; start the study again")]
    Changed {
        /// The path of the log.
        file: String,
    },
    /// No record of the log is a job.
    #[error("{file}: no job to replay; {reason}")]
    Empty {
        /// The path of the log.
        file: String,
        /// The content of the log, in words.
        reason: String,
    },
    /// The jobs cannot be replayed on the machine.
    #[error(transparent)]
    Jobs(#[from] JobsError),
}

/// A reference-counted value that its first user makes and its last user drops.
struct Shared<T> {
    value: Mutex<Option<T>>,
    users: AtomicUsize,
}

impl<T: Clone> Shared<T> {
    /// Returns the value, and makes it first if it is absent.
    fn get(&self, make: impl FnOnce() -> Result<T, LoadJobsError>) -> Result<T, LoadJobsError> {
        // The value is stored only once it is complete, so a panic in another thread cannot leave a partial
        // one, and a poisoned lock is safe to use.
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = &*value {
            return Ok(value.clone());
        }
        let whole = make()?;
        *value = Some(whole.clone());
        Ok(whole)
    }

    /// Removes a user, and drops the value after the last one.
    fn release(&self) {
        if self.users.fetch_sub(1, Ordering::AcqRel) == 1 {
            *self.value.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

/// Key of a loaded log: its position and the rules.
type LogKey = (usize, String);

/// Key of a list of scaled jobs: the position of the log, the rules, the bits of the arrival scale, and the
/// partitions. The period follows from the log.
type JobsKey = (usize, String, u64, Option<Partitions>);

/// The jobs that fit a machine, and the number of larger jobs.
type FittingJobs = (Arc<Vec<Job>>, u64);

/// The jobs of all planned replays. Only jobs of running replays are in memory.
pub(super) struct Workloads<'a> {
    study: &'a Study,
    logs: BTreeMap<LogKey, Shared<Arc<LoadedLog>>>,
    scaled: BTreeMap<JobsKey, Shared<Arc<Vec<Job>>>>,
    /// Jobs that fit a machine, by the key of the scaled jobs and the number of available nodes.
    fitting: BTreeMap<(JobsKey, u32), Shared<FittingJobs>>,
}

fn jobs_key(PlannedReplay { log, spec, .. }: &PlannedReplay) -> JobsKey {
    (*log, spec.rules.to_string(), spec.arrival_scale.to_bits(), spec.partition.clone())
}

fn log_key(PlannedReplay { log, spec, .. }: &PlannedReplay) -> LogKey {
    (*log, spec.rules.to_string())
}

/// Adds a user of the value at `key`.
fn count<K: Ord, T>(map: &mut BTreeMap<K, Shared<T>>, key: K) {
    let new = || Shared { value: Mutex::new(None), users: AtomicUsize::new(0) };
    *map.entry(key).or_insert_with(new).users.get_mut() += 1;
}

impl<'a> Workloads<'a> {
    /// Prepares the jobs of the replays of `study` at the positions `cells`. Each of these replays must be
    /// released once.
    pub(super) fn new(study: &'a Study, cells: impl IntoIterator<Item = usize>) -> Self {
        let (logs, scaled, fitting) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut workloads = Self { study, logs, scaled, fitting };
        for cell in cells {
            let key = jobs_key(&study.cells[cell]);
            count(&mut workloads.logs, log_key(&study.cells[cell]));
            count(&mut workloads.scaled, key.clone());
            count(&mut workloads.fitting, (key, study.cells[cell].spec.machine.available()));
        }
        workloads
    }

    /// Returns the replay at position `cell` of the study with its jobs. Fails like [`Self::source`].
    pub(super) fn replay(&self, cell: usize) -> Result<Replay, LoadJobsError> {
        let PlannedReplay { spec, assumes_size, .. } = &self.study.cells[cell];
        let (spec, guests, assumes_size) = (spec.clone(), self.study.guests.clone(), *assumes_size);
        Ok(Replay { spec, source: self.source(cell)?, guests, assumes_size })
    }

    /// Returns the jobs of the replay at position `cell`, and loads them if no other replay has. Fails if the
    /// log cannot be read, has changed since planning or has no jobs that fit.
    fn source(&self, cell: usize) -> Result<JobSource, LoadJobsError> {
        let planned = &self.study.cells[cell];
        let ReplaySpec { rules, arrival_scale, machine, .. } = &planned.spec;
        if let Some(source) = &planned.source {
            return Ok(source.clone());
        }
        let (log, arrival_scale) = (&self.study.logs[planned.log], *arrival_scale);
        if let Some(model) = &log.source.model {
            let (model, rules) = (Box::new(model.clone()), Rules::clone(rules));
            return Ok(JobSource::Drawn { model, rules, arrival_scale });
        }
        let source = &log.source;
        let log = self.logs[&log_key(planned)].get(|| read(log, rules, self.most_kept()))?;
        if let Some(stream) = LogStream::new(&log, source, rules, arrival_scale) {
            stream.check(machine)?;
            let (count, skipped) = stream.sizes(machine);
            return Ok(JobSource::Streamed { stream: Box::new(stream), count, skipped });
        }
        let key = jobs_key(planned);
        let scaled = self.scaled[&key].get(|| Ok(scaled_jobs(&log, &planned.spec)?))?;
        let (jobs, _) = self.fitting[&(key, machine.available())]
            .get(|| Ok(fitting(&log.name, &scaled, machine, rules.oversize)?))?;
        let records = log.workload.left_out.total() + log.workload.jobs.len() as u64;
        Ok(JobSource::Recorded {
            skipped: records - jobs.len() as u64,
            jobs,
            arrivals: rules.arrivals,
            arrival_scale,
            names: Arc::clone(&log.names),
            log: Some(Arc::clone(&log.summary)),
        })
    }

    /// Returns how many jobs of the parts of the log are not in the period of the replay at position `cell`,
    /// once its jobs are loaded; `None` without a period.
    fn outside(&self, cell: usize) -> Option<u64> {
        let planned = &self.study.cells[cell];
        planned.spec.period?;
        let jobs = self.scaled.get(&jobs_key(planned))?.value.lock().unwrap_or_else(PoisonError::into_inner);
        Some(planned.jobs.saturating_sub(jobs.as_ref()?.len() as u64))
    }

    /// Returns the most jobs of a log that are kept: all, if a replay of the study needs them in memory.
    fn most_kept(&self) -> usize {
        let needs_all = self.study.options.need_all_jobs()
            || self.study.has.has(Needs::Partitions)
            || self.study.cells.iter().any(|cell| cell.spec.needs_all_jobs());
        if needs_all { usize::MAX } else { self.study.most_kept }
    }

    /// Releases the jobs of the replay at position `cell`, and drops those that no other replay needs.
    pub(super) fn release(&self, cell: usize) {
        let key = jobs_key(&self.study.cells[cell]);
        self.logs[&log_key(&self.study.cells[cell])].release();
        self.scaled[&key].release();
        self.fitting[&(key, self.study.cells[cell].spec.machine.available())].release();
    }
}

/// Returns the planned log from memory, or reads it again. Fails if its content has changed since planning.
pub(super) fn read(planned: &StudyLog, rules: &Rules, most: usize) -> Result<Arc<LoadedLog>, LoadJobsError> {
    if let Some(log) = &planned.loaded {
        return Ok(Arc::clone(log));
    }
    let path = &planned.source.path;
    let log = load_most(path, planned.source.read.clone(), rules.clone(), most, &mut |_, _| {})?;
    if log.summary.sha256 != planned.sha256 {
        return Err(LoadJobsError::Changed { file: path.display().to_string() });
    }
    check_jobs(&log, rules)?;
    Ok(Arc::new(log))
}

/// Fails if the log has no jobs by these rules.
pub(super) fn check_jobs(log: &LoadedLog, rules: &Rules) -> Result<(), LoadJobsError> {
    if log.jobs() > 0 {
        return Ok(());
    }
    let reason = match log.workload.left_out.total() {
        0 => match log.summary.irregularities.no_jobs {
            0 => "it has no records".to_owned(),
            lines => format!("it has no records; lines that are no jobs: {lines}"),
        },
        left_out => {
            let is_request_unread = rules.set != RuleSet::Requested
                && log.workload.left_out.count(Reason::NoProcessors) == left_out;
            let remedy = "; none of them was allocated any, --rules requested takes what they asked for, if \
                 the log has that";
            format!("left out: {}{}", log.workload.left_out, if is_request_unread { remedy } else { "" })
        }
    };
    Err(LoadJobsError::Empty { file: log.summary.path.display().to_string(), reason })
}

/// Loads the jobs of every replay of a command. Adds notes on jobs that are larger than a machine.
pub(super) fn load_jobs(study: &mut Study, notes: &mut Vec<String>) -> Result<(), LoadJobsError> {
    let workloads = Workloads::new(study, 0..study.cells.len());
    let mut sources = Vec::with_capacity(study.cells.len());
    for (i, PlannedReplay { spec, jobs, .. }) in study.cells.iter().enumerate() {
        let source = workloads.source(i)?;
        // Planning has counted the jobs of the log; a model draws the requested number.
        let fewer = jobs.saturating_sub(source.count());
        let large = workloads.outside(i).map_or(fewer, |outside| fewer.saturating_sub(outside));
        let note = format!("{}: left out {large} larger than machine {}", spec.log, spec.machine);
        if large > 0 && !notes.contains(&note) {
            notes.push(note);
        }
        sources.push(source);
    }
    for (cell, source) in study.cells.iter_mut().zip(sources) {
        (cell.jobs, cell.source) = (source.count(), Some(source));
    }
    Ok(())
}
