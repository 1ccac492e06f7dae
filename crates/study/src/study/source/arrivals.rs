//! The jobs that another thread reads, as they come, in the order of their arrival.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::filter::JobFilter;
use super::semaphore::SemaphorePermit;
use super::stream::Batch;
use meshreplay_base::job::{Job, JobId};
use meshreplay_sim::engine::{Arrivals, ReplayError};

/// The message about a log that has grown beyond the numbers of jobs since it was planned.
const TOO_MANY: &str =
    "the log has more jobs than when the replay was planned, and more than can be numbered";

/// The jobs that another thread reads, as they come. Jobs that stand behind their place in the order of arrival are brought to
/// it: so many others are held back that no job comes too late.
pub(in crate::study) struct StreamedArrivals<'a> {
    batches: Receiver<Batch>,
    /// The jobs that came last, and the number of those that were taken from them.
    batch: Arc<Vec<Job>>,
    taken: usize,
    /// Selects the jobs of this replay.
    filter: JobFilter,
    /// The next job of the replay; `None` if it has not been read.
    selected: Option<Job>,
    /// The permit to work, which other replays have while this one waits; `None` if it needs none.
    permit: Option<&'a SemaphorePermit<'a>>,
    /// Time blocked on the reader and on the semaphore.
    waited: Duration,
    next: JobId,
    /// The number of jobs that are held back, and these jobs.
    most_held: usize,
    held: BinaryHeap<Held>,
    /// The number of jobs that were handed out, and where their order is noted.
    rank: JobId,
    ranks: &'a Ranks,
}

impl<'a> StreamedArrivals<'a> {
    /// Makes the source of the jobs in `batches` that `filter` selects, for a replay with this permit. It holds `most_held`
    /// jobs back, and notes the order of arrivals in `ranks`.
    pub(in crate::study) fn new(
        batches: Receiver<Batch>,
        filter: JobFilter,
        permit: Option<&'a SemaphorePermit<'a>>,
        most_held: usize,
        ranks: &'a Ranks,
    ) -> Self {
        Self {
            batches,
            batch: Arc::default(),
            taken: 0,
            filter,
            selected: None,
            permit,
            waited: Duration::ZERO,
            next: 0,
            most_held,
            held: BinaryHeap::new(),
            rank: 0,
            ranks,
        }
    }

    /// Returns the next batch, and waits for it if need be; `None` after the last one.
    fn next_batch(&mut self) -> Option<Batch> {
        match self.batches.try_recv() {
            Ok(batch) => Some(batch),
            Err(TryRecvError::Disconnected) => None,
            Err(TryRecvError::Empty) => {
                let began = Instant::now();
                let wait = || self.batches.recv().ok();
                let batch = match self.permit {
                    Some(permit) => permit.release_while(wait),
                    None => wait(),
                };
                self.waited = self.waited.saturating_add(began.elapsed());
                batch
            }
        }
    }

    /// Reads up to the next job of the replay, or to the end of the log.
    fn wait(&mut self) -> Result<(), ReplayError> {
        while self.selected.is_none() {
            let Some(&job) = self.batch.get(self.taken) else {
                // The other end is dropped after the last batch.
                let Some(batch) = self.next_batch() else { break };
                (self.batch, self.taken) = (batch.map_err(ReplayError::Failed)?, 0);
                continue;
            };
            // There are no more jobs than in a list in memory.
            self.taken = self.taken.saturating_add(1);
            self.selected = self.filter.select(job).map_err(ReplayError::Failed)?;
        }
        if self.next == JobId::MAX && self.selected.is_some() {
            // The number behind that of the last job has to exist, too.
            return Err(ReplayError::Failed(TOO_MANY.to_owned()));
        }
        Ok(())
    }

    /// Passes the next job. Fails if the one behind it would have no number.
    fn pass(&mut self) -> Result<(), ReplayError> {
        self.selected = None;
        let next = self.next.checked_add(1);
        self.next = next.ok_or_else(|| ReplayError::Failed(TOO_MANY.to_owned()))?;
        Ok(())
    }
}

impl Arrivals for StreamedArrivals<'_> {
    fn next_job(&mut self) -> Result<Option<(JobId, &Job)>, ReplayError> {
        if self.most_held == 0 {
            self.wait()?;
            return Ok(self.selected.as_ref().map(|job| (self.next, job)));
        }
        while self.held.len() <= self.most_held {
            self.wait()?;
            let Some(job) = self.selected else { break };
            self.held.push(Held { id: self.next, job });
            self.pass()?;
        }
        Ok(self.held.peek().map(|Held { id, job }| (*id, job)))
    }

    fn advance(&mut self) -> Result<(), ReplayError> {
        if self.most_held == 0 {
            return self.pass();
        }
        if let Some(Held { id, .. }) = self.held.pop() {
            self.ranks.note(id, self.rank);
            // There are no more ranks than positions in the log, which are counted above.
            self.rank = self.rank.saturating_add(1);
        }
        Ok(())
    }

    fn waited(&self) -> Duration {
        self.waited
    }
}

/// The positions of jobs in the order of arrival, where they are not those in the log. One thread notes them while jobs arrive,
/// and another one takes them when the jobs have left.
#[derive(Debug, Default)]
pub(in crate::study) struct Ranks(Mutex<BTreeMap<JobId, JobId>>);

impl Ranks {
    /// Notes the position of the job at `id` of the log.
    fn note(&self, id: JobId, rank: JobId) {
        if id != rank {
            // Nothing can panic between the two halves of a change of the map.
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, rank);
        }
    }

    /// Returns the positions of the jobs of the log from `first` on, and forgets them. All of these jobs must have arrived.
    pub(in crate::study) fn take(&self, first: usize, count: usize) -> Vec<usize> {
        let mut ranks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rank = |id: usize| ranks.remove(&(id as JobId)).map_or(id, |rank| rank as usize);
        (first..).take(count).map(rank).collect()
    }
}

/// A job that is held back. The greatest one is the one that arrives first, as a heap hands out the greatest; of those that arrive
/// together it is the first one of the log.
struct Held {
    id: JobId,
    job: Job,
}

impl Ord for Held {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.job.submit, other.id).cmp(&(self.job.submit, self.id))
    }
}

impl PartialOrd for Held {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Held {}
