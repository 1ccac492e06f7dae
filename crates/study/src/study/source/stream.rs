//! Streaming of a log that is too long to keep: a thread reads it again during a replay,
//! which gets the jobs in the order of arrival.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::study::jobs::{JobsError, Misfits, kind_of};
use crate::study::log::{Extent, LoadedLog, LogSource, load};
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_logs::{LogEntry, LogNames, ReadOptions, Reader, TraceError};
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::engine::{ArrivalSource, ReplayError};
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
type RequestPredicate<'a> = &'a dyn Fn(&Request) -> bool;

/// A batch of jobs, or the reason why they cannot be read.
type JobBatch = Result<Vec<Job>, String>;

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

/// The receiving end of a [`LogStream`](super::LogStream). A bounded reorder buffer restores the order of
/// arrival.
pub(in crate::study) struct StreamedArrivals<'a> {
    batches: Receiver<JobBatch>,
    /// Last batch, and the position of its next job.
    batch: Vec<Job>,
    position: usize,
    /// Time blocked on the reader.
    waited: Duration,
    /// Number of the next job of the log. It cannot overflow, because the log has at most as many jobs as in
    /// planning.
    next: JobId,
    /// Size of the reorder buffer, and the jobs in it by arrival and number.
    buffer_size: usize,
    buffer: BTreeMap<(Time, JobId), Job>,
    /// Number of jobs that were handed out, and the positions of those out of order.
    rank: JobId,
    ranks: &'a Ranks,
}

impl<'a> StreamedArrivals<'a> {
    /// The source of the jobs in `batches`, with a reorder buffer of `buffer_size` jobs. Notes the order of
    /// arrival in `ranks`.
    pub(in crate::study) fn new(batches: Receiver<JobBatch>, buffer_size: usize, ranks: &'a Ranks) -> Self {
        Self {
            batches,
            batch: Vec::new(),
            position: 0,
            waited: Duration::ZERO,
            next: 0,
            buffer_size,
            buffer: BTreeMap::new(),
            rank: 0,
            ranks,
        }
    }

    /// Returns the next job of the log, and waits for its batch if necessary; `None` after the last one.
    fn next_of_log(&mut self) -> Result<Option<&Job>, ReplayError> {
        while self.position == self.batch.len() {
            let began = Instant::now();
            let received = self.batches.recv();
            self.waited = self.waited.saturating_add(began.elapsed());
            // The reader drops its end after the last batch.
            let Ok(batch) = received else { return Ok(None) };
            (self.batch, self.position) = (batch.map_err(ReplayError::Failed)?, 0);
        }
        Ok(self.batch.get(self.position))
    }

    /// Consumes the next job of the log.
    fn pass(&mut self) {
        self.position += 1;
        self.next += 1;
    }
}

impl ArrivalSource for StreamedArrivals<'_> {
    fn next_job(&mut self) -> Result<Option<(JobId, &Job)>, ReplayError> {
        if self.buffer_size == 0 {
            let id = self.next;
            return Ok(self.next_of_log()?.map(|job| (id, job)));
        }
        while self.buffer.len() <= self.buffer_size {
            let Some(&job) = self.next_of_log()? else { break };
            self.buffer.insert((job.submit, self.next), job);
            self.pass();
        }
        Ok(self.buffer.first_key_value().map(|(&(_, id), job)| (id, job)))
    }

    fn advance(&mut self) -> Result<(), ReplayError> {
        if self.buffer_size == 0 {
            self.pass();
        } else if let Some(((_, id), _)) = self.buffer.pop_first() {
            self.ranks.note(id, self.rank);
            self.rank += 1;
        }
        Ok(())
    }

    fn waited(&self) -> Duration {
        self.waited
    }
}

/// Positions of jobs in the order of arrival, where they differ from the order of the log. Written by the
/// engine's thread when jobs arrive, and consumed by the thread of the sums when jobs have left.
#[derive(Debug, Default)]
pub(in crate::study) struct Ranks(Mutex<BTreeMap<JobId, JobId>>);

impl Ranks {
    /// Notes the position of job `id` of the log.
    fn note(&self, id: JobId, rank: JobId) {
        if id != rank {
            // A change of the map cannot panic halfway.
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, rank);
        }
    }

    /// Returns and forgets the positions of the jobs of the log from `first` on. All of these jobs must have
    /// arrived.
    pub(in crate::study) fn take(&self, first: usize, count: usize) -> Vec<usize> {
        let mut ranks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = |id: usize| ranks.remove(&(id as JobId)).map_or(id, |rank| rank as usize);
        (first..).take(count).map(rank).collect()
    }
}
