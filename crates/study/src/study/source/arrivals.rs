//! The jobs of a streamed log, in the order of arrival.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::stream::JobBatch;
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_sim::engine::{ArrivalSource, ReplayError};

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
