//! A pipeline that drops finished jobs: the engine's thread sends finished jobs to a thread that sums them
//! up, and that thread to another one that writes rows. Bounded channels connect them, so memory does not
//! grow with the log.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::outages::first_arrival;
use super::replication::{Feed, Replication};
use super::sums::{JOBS_AT_ONCE, ReplayContext, TakeRows};
use super::{Fitting, Outcome, Refused, Replay, RunError};
use crate::study::jobs::served;
use crate::study::log::MOST_KEPT;
use crate::study::options::Options;
use crate::study::source::{BATCHES, LogStream, Ranks, StreamedArrivals};
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::Job;
use meshreplay_sim::engine::ReplayError;
use meshreplay_sim::metrics::FinishedJobs;

/// Finished jobs per batch. A larger batch would leave the processor's cache before it is measured.
const FEW_TOGETHER: usize = 1 << 10;
const _: () = assert!(JOBS_AT_ONCE.is_multiple_of(FEW_TOGETHER));
/// Capacity of the channel of batches.
const PARTS: usize = 8;

/// Fewest jobs of a replay in batches. A shorter list is not worth a thread.
const FEWEST_LEAVING: usize = 2 * FEW_TOGETHER;

impl Replay {
    /// Returns whether the list `jobs` can be replayed like a stream: no result needs all jobs in memory, and
    /// they are sorted by arrival. A list longer than [`MOST_KEPT`] was kept because a replay of the study
    /// needs it.
    pub(super) fn can_drop_finished(&self, options: &Options, jobs: &[Job]) -> bool {
        (FEWEST_LEAVING..=MOST_KEPT).contains(&jobs.len())
            && !options.jobs
            && !options.need_all_jobs()
            && !self.spec.needs_all_jobs()
            && jobs.is_sorted_by_key(|job| job.submit)
    }
}

impl Replication<'_> {
    /// Replays a list of jobs like a stream, see [`Replay::can_drop_finished`].
    pub(super) fn run_list(&self, fitting: &Fitting) -> Result<Outcome, RunError> {
        let Fitting { jobs, skipped, misfits, .. } = fitting;
        let context = ReplayContext {
            mesh: &self.replay.spec.machine,
            trim: self.options.trim,
            jobs: jobs.len() as u64,
            skipped: *skipped,
            never_fit: misfits.len() as u64,
            first_arrival: first_arrival(jobs),
        };
        self.run_in_parts(Feed::Listed(jobs, None), &context, None, None)
    }

    /// Replays a log while another thread reads it. Finished jobs go to `rows`, if it is given.
    pub(super) fn run_stream(
        &self,
        stream: &LogStream,
        rows: Option<TakeRows<'_>>,
    ) -> Result<Outcome, RunError> {
        let served = self.served(stream)?;
        let context = self.context(stream, &served)?;
        let filter = stream.filter(&self.replay.spec.machine, &served, context.jobs);
        let (buffer_size, ranks) = (stream.buffer_size().unwrap_or(0), Ranks::default());
        let (to_replay, batches) = sync_channel(BATCHES);
        thread::scope(|scope| {
            let read = move || stream.send(filter, &to_replay);
            let reading = spawn(scope, "reader", read)?;
            let mut arrivals = StreamedArrivals::new(batches, buffer_size, &ranks);
            let ranks = (buffer_size > 0).then_some(&ranks);
            let ended = self.run_in_parts(Feed::Streamed(&mut arrivals), &context, ranks, rows);
            // Without a receiver, the reader ends.
            drop(arrivals);
            join(reading);
            ended
        })
    }

    /// Returns which requests of the log the allocator can serve, see [`served`].
    fn served(&self, stream: &LogStream) -> Result<BTreeMap<Request, bool>, RunError> {
        let allocator = self.replay.idle_allocator(self.seed, &self.monitor.stop)?;
        Ok(served(stream.kinds(), &self.replay.spec.machine, allocator))
    }

    /// Returns the context of the replay of `stream`. Fails if a job never fits and the rules do not leave
    /// such jobs out.
    fn context(
        &self,
        stream: &LogStream,
        served: &BTreeMap<Request, bool>,
    ) -> Result<ReplayContext<'_>, RunError> {
        let spec = &self.replay.spec;
        let mesh = &spec.machine;
        let is_small = |request: &Request| request.procs <= mesh.available();
        let fits = |request: &Request| served.get(request).is_none_or(|&fits| fits);
        let never_fit = stream.misfits(mesh, &is_small, &fits, Some(&spec.allocator_label()))?;
        let (small, larger) = stream.sizes(mesh);
        let first_arrival = stream.first_arrival(&|request| is_small(request) && fits(request));
        let (jobs, skipped) = (small - never_fit, larger + never_fit);
        Ok(ReplayContext { mesh, trim: self.options.trim, jobs, skipped, never_fit, first_arrival })
    }

    /// Replays the jobs of `feed`, while one thread measures and sums up finished jobs and another one hands
    /// them to `rows`. `ranks` are the positions in the order of arrival; `None` if that is the order of the
    /// log.
    fn run_in_parts(
        &self,
        feed: Feed<'_>,
        context: &ReplayContext<'_>,
        ranks: Option<&Ranks>,
        rows: Option<TakeRows<'_>>,
    ) -> Result<Outcome, RunError> {
        let (seed, stop) = (self.seed, &self.monitor.stop);
        let is_streamed = matches!(feed, Feed::Streamed(_));
        let (to_sums, left) = sync_channel(PARTS);
        let (cleared, to_fill) = sync_channel(PARTS);
        let blocked = Cell::new(Duration::ZERO);
        let (run, sums, written, recording) = thread::scope(|scope| {
            // At most two parts of rows are in memory: one fills up while the other one is written.
            let (to_rows, parts) = rows.map(|_| sync_channel(0)).unzip();
            let writing = rows.zip(parts).map(|(rows, parts): (_, Receiver<FinishedJobs>)| {
                let write = move || parts.into_iter().try_for_each(|part| rows(seed, part));
                spawn(scope, "rows", write)
            });
            let writing = writing.transpose()?;
            let sum_up = move || context.sum_up(left, ranks, to_rows, cleared);
            let summing = spawn(scope, "sums", sum_up)?;
            let mut take = |jobs: FinishedJobs| {
                if !send_timed(&to_sums, jobs, &blocked) {
                    // The jobs cannot be kept, for a reason that another thread reports.
                    stop.throw();
                }
                // Reused memory is not requested from the system again.
                to_fill.try_recv().unwrap_or_default()
            };
            let recorder = self.recorder(&[], context.first_arrival, false, None);
            let mut recorder = recorder.with_sink(FEW_TOGETHER, JOBS_AT_ONCE, &mut take);
            let run = self.drive(feed, None, None, &mut recorder);
            let recording = recorder.finish();
            // Without senders, the other threads end.
            drop(to_sums);
            Ok::<_, RunError>((run, join(summing), writing.map_or(Ok(()), join), recording))
        })?;
        written.map_err(ReplayError::Failed)?;
        let sums = sums.map_err(ReplayError::Failed)?;
        // Sums and files do not count as time of the replay.
        let wall = run?.wall.saturating_sub(blocked.get());
        let wall_s = if self.options.timed { wall.as_secs_f64() } else { 0.0 };
        let (summary, parts) = context.finish(sums, &recording, wall_s)?;
        Ok(Outcome {
            seed,
            skipped: context.skipped,
            never_fit: context.never_fit,
            log_peak: None,
            period: None,
            refused: Refused::default(),
            notes_on_nodes: Vec::new(),
            is_streamed,
            jobs: Arc::default(),
            names: self.replay.source.names(),
            records: Vec::new(),
            recording,
            traffic: None,
            by_shape: Vec::new(),
            summary,
            parts,
        })
    }
}

/// Sends `jobs`, and adds the time blocked on a full channel to `blocked`. Returns false if the receiver is
/// gone.
fn send_timed(to: &SyncSender<FinishedJobs>, jobs: FinishedJobs, blocked: &Cell<Duration>) -> bool {
    match to.try_send(jobs) {
        Ok(()) => true,
        Err(TrySendError::Disconnected(_)) => false,
        Err(TrySendError::Full(jobs)) => {
            let full_since = Instant::now();
            let sent = to.send(jobs);
            blocked.set(blocked.get().saturating_add(full_since.elapsed()));
            sent.is_ok()
        }
    }
}

/// Starts a thread. Fails if there can be no further one.
fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    run: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, ReplayError> {
    thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, run).map_err(|error| {
        ReplayError::Failed(format!(
            "no further thread can be begun: {error}; a replay has up to six, so give fewer with --threads, \
             or allow more processes (ulimit -u, or pids.max of a container)"
        ))
    })
}

/// Returns the result of a thread, or goes on with its panic.
fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::study::replay_spec::ReplaySpec;
    use crate::study::source::JobSource;
    use meshreplay_base::job::Time;
    use meshreplay_sim::metrics::Monitor;

    /// Jobs of scattered sizes and times, in more than three batches.
    fn jobs(gap: i64) -> Vec<Job> {
        let scattered = |i: u32, below: u32| i.wrapping_mul(0x9E37_79B1) / 64 % below;
        let job = |i: u32| Job {
            number: i64::from(i) + 1,
            submit: Time::from_seconds(i64::from(i) * gap),
            run: Time::from_seconds(i64::from(scattered(i, 500))),
            estimate: Time::from_seconds(i64::from(scattered(i, 500) + scattered(i + 7, 400))),
            procs: 1 + scattered(i + 3, 40),
            ..Job::default()
        };
        (0..4 * FEW_TOGETHER as u32 + 7).map(job).collect()
    }

    /// Numbers and sums over parts are the same whether jobs leave in batches or stay in memory.
    #[test]
    fn jobs_that_leave_in_parts_are_summed_up_as_those_that_stay() -> Result<(), Box<dyn std::error::Error>> {
        // With the longer gap most jobs start at once, with the shorter one thousands wait.
        for (gap, scheduler, allocator, contention) in [
            (40, "easy", "hilbert+bf", false),
            (9, "fcfs", "mbs", true),
            (9, "first-fit-queue:order=sjf", "first-fit", false),
        ] {
            let jobs = Arc::new(jobs(gap));
            let spec = ReplaySpec::new("8x8".parse()?, scheduler.parse()?, allocator.parse()?);
            let replay = Replay::new(spec, JobSource::recorded(Arc::clone(&jobs), 0));
            let fragmentation = if contention { Some("4x4".parse()?) } else { None };
            let left = Options { contention, fragmentation, ..Options::default() };
            let stayed = Options { jobs: true, ..left.clone() };
            assert!(replay.can_drop_finished(&left, &jobs) && !replay.can_drop_finished(&stayed, &jobs));
            let [left, stayed] = [left, stayed].map(|options| replay.run(&options, &Monitor::default()));
            let (left, mut stayed) = (left?.remove(0), stayed?.remove(0));
            stayed.strip();
            assert_eq!(format!("{left:?}"), format!("{stayed:?}"), "{gap} {scheduler} {allocator}");
        }
        Ok(())
    }
}
