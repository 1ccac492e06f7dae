//! The jobs of a study's logs: loaded when a cell first needs them, dropped with the last one that does.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::jobs::{JobsError, fitting, scaled_jobs};
use super::log::{LoadedLog, load};
use super::planned::{PlannedReplay, Study, StudyLog};
use super::replay::Replay;
use super::replay_spec::ReplaySpec;
use super::source::JobSource;
use crate::job::Job;
use crate::trace::{ReadOptions, TraceError};

/// Why a cell has no jobs.
#[derive(Debug, thiserror::Error)]
pub enum NoJobs {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] TraceError),
    /// The log is not the one that was planned with.
    #[error("{file} has changed since the study was planned; start the study again")]
    Changed {
        /// The log.
        file: String,
    },
    /// No record of the log is a job.
    #[error("{file}: no job to replay; left out: {left_out}")]
    Empty {
        /// The log.
        file: String,
        /// What there was instead.
        left_out: String,
    },
    /// The jobs and the machine do not go together.
    #[error(transparent)]
    Jobs(#[from] JobsError),
}

/// Something that several cells share, while any of them still needs it.
struct Shared<T> {
    value: Mutex<Option<Arc<T>>>,
    users: AtomicUsize,
}

impl<T> Shared<T> {
    fn get(&self, make: impl FnOnce() -> Result<T, NoJobs>) -> Result<Arc<T>, NoJobs> {
        // A value is put in only once it is whole, so a panic elsewhere does not spoil it.
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = &*value {
            return Ok(Arc::clone(value));
        }
        let whole = Arc::new(make()?);
        *value = Some(Arc::clone(&whole));
        Ok(whole)
    }

    fn release(&self) {
        if self.users.fetch_sub(1, Ordering::AcqRel) == 1 {
            *self.value.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

/// Log, rules, and bits of the arrival scale.
type Of = (usize, String, u64);

/// The jobs of the cells that are to run. Memory is bounded by what the running cells replay.
pub(super) struct Workloads<'a> {
    study: &'a Study,
    logs: BTreeMap<(usize, String), Shared<LoadedLog>>,
    jobs: BTreeMap<Of, Shared<Vec<Job>>>,
}

fn of(PlannedReplay { log, spec, .. }: &PlannedReplay) -> Of {
    (*log, spec.rules.to_string(), spec.arrival_scale.to_bits())
}

fn count<K: Ord, T>(map: &mut BTreeMap<K, Shared<T>>, key: K) {
    let new = || Shared { value: Mutex::new(None), users: AtomicUsize::new(0) };
    *map.entry(key).or_insert_with(new).users.get_mut() += 1;
}

impl<'a> Workloads<'a> {
    /// For the cells of `study` that `cells` names, each of which is released once.
    pub(super) fn new(study: &'a Study, cells: &[usize]) -> Self {
        let mut workloads = Self { study, logs: BTreeMap::new(), jobs: BTreeMap::new() };
        for &cell in cells {
            let (log, rules, scale) = of(&study.cells[cell]);
            count(&mut workloads.logs, (log, rules.clone()));
            count(&mut workloads.jobs, (log, rules, scale));
        }
        workloads
    }

    /// The cell with its jobs.
    pub(super) fn cell(&self, cell: usize) -> Result<Replay, NoJobs> {
        let PlannedReplay { spec, log: number, .. } = &self.study.cells[cell];
        let planned = &self.study.logs[*number];
        let (rules, arrival_scale) = (spec.rules.clone(), spec.arrival_scale);
        if let Some(model) = &planned.model {
            let source = JobSource::Drawn { model: Box::new(model.clone()), rules, arrival_scale };
            return Ok(Replay { spec: spec.clone(), source });
        }
        let of = of(&self.study.cells[cell]);
        let log = self.logs[&(of.0, of.1.clone())].get(|| read(planned, spec))?;
        let jobs = self.jobs[&of].get(|| Ok(scaled_jobs(&log, arrival_scale)?))?;
        let (jobs, large) = fitting(&log.name, &jobs, &spec.machine, rules.oversize)?;
        let skipped = log.workload.left_out.total() + large;
        let source = JobSource::Recorded { jobs, skipped, arrivals: rules.arrivals, arrival_scale };
        Ok(Replay { spec: spec.clone(), source })
    }

    /// Says that a cell has ended.
    pub(super) fn release(&self, cell: usize) {
        let (log, rules, scale) = of(&self.study.cells[cell]);
        self.logs[&(log, rules.clone())].release();
        self.jobs[&(log, rules, scale)].release();
    }
}

fn read(planned: &StudyLog, spec: &ReplaySpec) -> Result<LoadedLog, NoJobs> {
    let log = load(&planned.path, ReadOptions::default(), spec.rules.clone())?;
    let file = || planned.path.display().to_string();
    if log.summary.sha256 != planned.sha256 {
        return Err(NoJobs::Changed { file: file() });
    }
    if log.workload.jobs.is_empty() {
        return Err(NoJobs::Empty { file: file(), left_out: log.workload.left_out.to_string() });
    }
    Ok(log)
}
