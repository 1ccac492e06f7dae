//! Streaming of a log that is too long to keep: a thread reads it again during a replay.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use crate::study::jobs::{JobsError, Misfits, kind_of};
use crate::study::log::{Extent, LoadedLog, LogSource, load};
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::{Job, Time};
use meshreplay_logs::{LogEntry, LogNames, ReadOptions, Reader, TraceError};
use meshreplay_machine::machine::Mesh;
use meshreplay_workload::{Rules, scaled_submit, with_limit};

/// Jobs of the log per batch that the reader filters, and capacity of the channel of batches.
const BATCH_JOBS: usize = 4096;
pub(in crate::study) const BATCHES: usize = 8;

/// Selects the jobs of a replay and scales their arrivals.
pub(in crate::study) struct JobFilter {
    /// The number of the machine's available nodes. Larger jobs are left out.
    nodes: u32,
    /// Requests that the allocator cannot serve. Usually empty, which saves the lookup.
    refused: BTreeSet<Request>,
    /// Factor on arrival times.
    arrival_scale: f64,
    /// Jobs that may still come. Sums are sized for the number of jobs in planning.
    left: u64,
}

impl JobFilter {
    /// Returns whether the replay has `job`, and then scales its arrival.
    fn select(&self, job: &mut Job) -> bool {
        let is_refused = || !self.refused.is_empty() && self.refused.contains(&kind_of(job));
        let is_selected = job.procs <= self.nodes && !is_refused();
        if is_selected {
            job.submit = scaled_submit(job.submit, self.arrival_scale);
        }
        is_selected
    }
}

/// A log whose jobs are not in memory.
#[derive(Clone, Debug)]
pub struct LogStream {
    /// Facts about the whole log.
    log: Arc<LoadedLog>,
    extent: Arc<Extent>,
    path: PathBuf,
    read: ReadOptions,
    rules: Rules,
    arrival_scale: f64,
}

/// A predicate on requests.
pub(in crate::study) type RequestPredicate<'a> = &'a dyn Fn(&Request) -> bool;

/// A batch of jobs, or the reason why they cannot be read.
pub(in crate::study) type JobBatch = Result<Vec<Job>, String>;

impl LogStream {
    /// Returns the stream of a log that was read as in `source`; `None` if its jobs are kept in memory.
    pub(in crate::study) fn new(
        log: &Arc<LoadedLog>,
        source: &LogSource,
        rules: &Rules,
        arrival_scale: f64,
    ) -> Option<Self> {
        Some(Self {
            log: Arc::clone(log),
            extent: Arc::clone(log.extent.as_ref()?),
            path: source.path.clone(),
            read: source.read.clone(),
            rules: rules.clone(),
            arrival_scale,
        })
    }

    /// Returns the names behind the numbers of the jobs.
    pub(in crate::study) fn names(&self) -> Arc<LogNames> {
        Arc::clone(&self.log.names)
    }

    /// Returns the size of the reorder buffer that restores the order of arrival; `None` if it exceeds the
    /// limit.
    pub(in crate::study) fn buffer_size(&self) -> Option<usize> {
        self.extent.lateness.buffer_size()
    }

    /// Returns the distinct requests of the jobs.
    pub(in crate::study) fn kinds(&self) -> impl Iterator<Item = Request> {
        self.extent.kinds.keys().copied()
    }

    /// Returns the number of jobs that are no larger than `machine`, and the number of other records.
    pub(in crate::study) fn sizes(&self, machine: &Mesh) -> (u64, u64) {
        let fits = |(request, _): &(&Request, _)| request.procs <= machine.available();
        let jobs = self.extent.kinds.iter().filter(fits).map(|(_, kind_count)| kind_count.count).sum();
        (jobs, self.log.workload.left_out.total() + self.extent.jobs - jobs)
    }

    /// Returns the first arrival of a job whose request satisfies `fits`; 0 without one.
    pub(in crate::study) fn first_arrival(&self, fits: RequestPredicate<'_>) -> Time {
        let fitting = self.extent.kinds.iter().filter(|(request, _)| fits(request));
        let first = fitting.map(|(_, kind_count)| kind_count.arrives).min();
        first.map_or(Time::ZERO, |first| scaled_submit(first, self.arrival_scale))
    }

    /// Fails if a replay could run past the last representable time, if a job is larger than `machine`
    /// although the rules leave none out, or if all are larger.
    pub(in crate::study) fn check(&self, machine: &Mesh) -> Result<(), JobsError> {
        let mut range = self.extent.range;
        range.last_arrival = scaled_submit(range.last_arrival, self.arrival_scale);
        range.check(&self.log.name, self.arrival_scale)?;
        let nodes = machine.available();
        let fits = |request: &Request| request.procs <= nodes;
        self.misfits(machine, &|_| true, &fits, None).map(drop)
    }

    /// Counts the jobs whose request satisfies `among` but not `fits`. Fails like the selection of jobs in
    /// memory, see [`Misfits::check`].
    pub(in crate::study) fn misfits(
        &self,
        machine: &Mesh,
        among: RequestPredicate<'_>,
        fits: RequestPredicate<'_>,
        allocator: Option<&str>,
    ) -> Result<u64, JobsError> {
        let all = || self.extent.kinds.iter().filter(|(request, _)| among(request));
        let others = || all().filter(|(request, _)| !fits(request));
        let misfits = Misfits {
            first: others()
                .min_by_key(|(_, kind_count)| kind_count.first)
                .map(|(request, of)| (*request, of.first.1)),
            count: others().map(|(_, kind_count)| kind_count.count).sum(),
            jobs: all().map(|(_, kind_count)| kind_count.count).sum(),
        };
        misfits.check(&self.log.name, machine, self.rules.oversize, allocator)
    }

    /// Returns the filter for a replay on `machine` that has `jobs` jobs, without requests that `served`
    /// denies.
    pub(in crate::study) fn filter(
        &self,
        machine: &Mesh,
        served: &BTreeMap<Request, bool>,
        jobs: u64,
    ) -> JobFilter {
        let refused = served.iter().filter(|(_, is_served)| !**is_served);
        JobFilter {
            nodes: machine.available(),
            refused: refused.map(|(request, _)| *request).collect(),
            arrival_scale: self.arrival_scale,
            left: jobs,
        }
    }

    /// The error that the log has changed.
    fn changed(&self) -> TraceError {
        TraceError::Changed(self.path.clone())
    }

    /// Reads the log again, and sends the jobs that `filter` selects to a replay. Ends early when the replay
    /// does. Errors are sent, too.
    pub(in crate::study) fn send(&self, filter: JobFilter, to_replay: &SyncSender<JobBatch>) {
        if let Err(error) = self.send_all(filter, to_replay) {
            // Sending fails only if the replay has ended, for a reason of its own.
            let _ = to_replay.send(Err(error.to_string()));
        }
    }

    fn send_all(&self, mut filter: JobFilter, to_replay: &SyncSender<JobBatch>) -> Result<(), TraceError> {
        let origin = Time::from_seconds(self.log.summary.origin_s());
        let mut reader = Reader::open(&self.path, self.read.clone())?;
        reader.forget_nodes();
        let format = reader.format();
        let (mut batch, mut read) = (Vec::with_capacity(BATCH_JOBS), 0_usize);
        while let Some(entry) = reader.next_entry()? {
            let LogEntry::Record { record, .. } = entry else { continue };
            let Ok(mut job) = self.rules.job(&with_limit(record, format)) else { continue };
            (job.submit, job.logged.submit) = (job.submit - origin, job.logged.submit - origin);
            if filter.select(&mut job) {
                filter.left = filter.left.checked_sub(1).ok_or_else(|| self.changed())?;
                batch.push(job);
            }
            read += 1;
            // Batches may be short or empty, so that the reader soon notices the end of the replay.
            if read.is_multiple_of(BATCH_JOBS) {
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH_JOBS));
                if to_replay.send(Ok(full)).is_err() {
                    return Ok(());
                }
            }
        }
        if reader.finish()?.sha256 != self.log.summary.sha256 {
            return Err(self.changed());
        }
        let _ = to_replay.send(Ok(batch));
        Ok(())
    }

    /// Reads the whole log into memory. Returns the jobs and the number of other records.
    pub(in crate::study) fn whole(&self, machine: &Mesh) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
        let unread = |error: TraceError| JobsError::Failed(error.to_string());
        self.check(machine)?;
        let log = load(&self.path, self.read.clone(), self.rules.clone()).map_err(unread)?;
        if log.summary.sha256 != self.log.summary.sha256 {
            return Err(unread(self.changed()));
        }
        let jobs = meshreplay_workload::scaled(&log.workload.jobs, self.arrival_scale);
        let jobs: Vec<Job> = jobs.into_iter().filter(|job| job.procs <= machine.available()).collect();
        let (_, skipped) = self.sizes(machine);
        Ok((Arc::new(jobs), skipped))
    }
}
