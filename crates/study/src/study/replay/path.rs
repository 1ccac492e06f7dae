//! The path of a replication: a source of jobs, the engine, the fold over finished jobs, and its sinks.
//!
//! The engine's thread sends finished jobs to a thread that folds them, and that thread to another one that
//! writes rows. Bounded channels connect them, so memory does not grow with the log unless jobs are kept.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::fold::{Fold, Folded, ReplayContext, TakeRows};
use super::outages::{self, first_arrival};
use super::replication::{EngineRun, Feed, Replication};
use super::{Fitting, Outcome, Replay, RunError, is_recorded, opening};
use crate::study::jobs::served;
use crate::study::log::RecordedNodes;
use crate::study::source::{BATCHES, LogStream, Ranks, StreamedArrivals};
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::{Job, Period, Time};
use meshreplay_sim::engine::{OutagePlan, ReplayError};
use meshreplay_sim::metrics::{
    BATCH, FinishedJob, JobRun, Recording, RowSink, Trim, WhyShares, count_by_shape, explain, peak_within,
};
use meshreplay_sim::scheduler;
use meshreplay_workload::most_in_use;

/// Capacity of the channel of batches.
const BATCHES_AHEAD: usize = 8;

/// Fewest jobs of a list that is folded on a thread of its own.
const FEWEST_ON_THREADS: u64 = 2 * BATCH as u64;

/// The jobs of a replication, and what happens to them from outside.
pub(super) struct Input<'a> {
    pub(super) feed: Feed<'a>,
    /// The outages, `None` without any.
    pub(super) outages: Option<OutagePlan>,
    /// The recorded nodes of the jobs, `None` unless the allocator follows them.
    pub(super) listed: Option<&'a RecordedNodes>,
}

/// The results of the engine and of the fold.
struct Ended {
    run: Result<EngineRun, RunError>,
    recording: Recording,
    folded: Result<Folded, String>,
}

impl Replication<'_> {
    /// Replays a list of jobs.
    pub(super) fn run_list(&self, listed: Option<&RecordedNodes>) -> Result<Outcome, RunError> {
        let Self { replay, seed, options, .. } = *self;
        let spec = &replay.spec;
        outages::check(spec, options)?;
        let mut fitting = replay.jobs(seed, &self.monitor.stop)?;
        if let Some(shake) = options.shake_of(spec) {
            fitting.jobs = Arc::new(spec.rules.shaken(&fitting.jobs, shake, seed));
        }
        let Fitting { jobs, skipped, misfits, .. } = &fitting;
        let outages = outages::plan(spec, options, fitting.first_arrival, seed)?;
        let is_sorted = jobs.is_sorted_by_key(|job| job.submit);
        let period = spec.covered();
        let (begun, opening) = opening::begin(period, jobs);
        let context = ReplayContext {
            mesh: &spec.machine,
            trim: Trim { period, ..options.trim },
            has: self.has(),
            listed: jobs,
            jobs: jobs.len() as u64,
            skipped: *skipped,
            never_fit: misfits.len() as u64,
            first_arrival: period.map_or_else(|| first_arrival(jobs), |period| period.from),
            why_of_peak: self.why_of_peak(jobs, period, outages.as_ref()),
            keeps_jobs: options.jobs
                || options.trim.percent.is_some()
                || period.is_some()
                || outages.is_some()
                || !is_sorted,
            ranks: None,
        };
        let outcome =
            self.run_through(Input { feed: Feed::Listed(&begun, opening), outages, listed }, &context, None)?;
        let counts_shapes = options.by_shape && options.jobs;
        Ok(Outcome {
            log_peak: (spec.scheduler.name == scheduler::RECORDED).then(|| most_in_use(jobs)),
            notes_on_nodes: listed.map(|listed| listed.notes.clone()).unwrap_or_default(),
            by_shape: if counts_shapes { count_by_shape(&outcome.jobs, misfits) } else { Vec::new() },
            ..outcome
        })
    }

    /// Replays a log while another thread reads it. Finished jobs go to `rows`, if it is given.
    pub(super) fn run_stream(
        &self,
        stream: &LogStream,
        rows: Option<TakeRows<'_>>,
    ) -> Result<Outcome, RunError> {
        let served = self.served(stream)?;
        let (buffer_size, ranks) = (stream.buffer_size().unwrap_or(0), Ranks::default());
        let ranks_of_late = (buffer_size > 0).then_some(&ranks);
        let context = self.context(stream, &served, ranks_of_late)?;
        let filter = stream.filter(&self.replay.spec.machine, &served, context.jobs);
        let (to_replay, batches) = sync_channel(BATCHES);
        thread::scope(|scope| {
            let read = move || stream.send(filter, &to_replay);
            let reading = spawn(scope, "reader", read)?;
            let mut arrivals = StreamedArrivals::new(batches, buffer_size, &ranks);
            let input = Input { feed: Feed::Streamed(&mut arrivals), outages: None, listed: None };
            let ended = self.run_through(input, &context, rows);
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
    fn context<'r>(
        &'r self,
        stream: &LogStream,
        served: &BTreeMap<Request, bool>,
        ranks: Option<&'r Ranks>,
    ) -> Result<ReplayContext<'r>, RunError> {
        let spec = &self.replay.spec;
        let mesh = &spec.machine;
        let is_small = |request: &Request| request.procs <= mesh.available();
        let fits = |request: &Request| served.get(request).is_none_or(|&fits| fits);
        let never_fit = stream.misfits(mesh, &is_small, &fits, Some(&spec.allocator_label()))?;
        let (small, larger) = stream.sizes(mesh);
        Ok(ReplayContext {
            mesh,
            trim: self.options.trim,
            has: self.has(),
            listed: &[],
            jobs: small - never_fit,
            skipped: larger + never_fit,
            never_fit,
            first_arrival: stream.first_arrival(&|request| is_small(request) && fits(request)),
            why_of_peak: None,
            keeps_jobs: false,
            ranks,
        })
    }

    /// Explains the recorded waits on a machine with only as many nodes as were in use at most within 3
    /// hours. `None` unless the recorded schedule of a machine of unknown size is replayed.
    fn why_of_peak(
        &self,
        jobs: &[Job],
        period: Option<Period>,
        outages: Option<&OutagePlan>,
    ) -> Option<WhyShares> {
        const SPAN: Time = Time::from_seconds(3 * 3600);
        let Replay { spec, assumes_size, .. } = self.replay;
        let run = |job: &Job| {
            let (start, limit) = (job.recorded_start()?, Some(job.estimate));
            Some(JobRun { submit: job.submit, start, end: start + job.run, nodes: job.procs, limit })
        };
        (*assumes_size && is_recorded(spec)).then(|| {
            let runs: Vec<JobRun> = jobs.iter().filter_map(run).collect();
            explain(&runs, &peak_within(&runs, SPAN), &self.known_outages(outages), period).shares()
        })
    }

    /// Replays the jobs of `input`, and folds finished jobs, which also go to `rows`.
    fn run_through(
        &self,
        input: Input<'_>,
        context: &ReplayContext<'_>,
        rows: Option<TakeRows<'_>>,
    ) -> Result<Outcome, RunError> {
        let blocked = Cell::new(Duration::ZERO);
        let is_short = context.jobs < FEWEST_ON_THREADS && rows.is_none();
        let ended = if is_short {
            self.run_alone(input, context, &blocked)
        } else {
            self.run_on_threads(input, context, rows, &blocked)?
        };
        let Folded { sums, jobs } = ended.folded.map_err(ReplayError::Failed)?;
        let (mut recording, EngineRun { traffic, wall }) = (ended.recording, ended.run?);
        recording.why_of_peak = context.why_of_peak;
        // Sums and files do not count as time of the replay.
        let wall = wall.saturating_sub(blocked.get());
        let wall_s = if self.options.timed { wall.as_secs_f64() } else { 0.0 };
        let (summary, parts) = context.finish(sums, &recording, traffic.as_ref(), wall_s)?;
        Ok(Outcome {
            seed: self.seed,
            skipped: context.skipped,
            never_fit: context.never_fit,
            log_peak: None,
            period: context.trim.period,
            notes_on_nodes: Vec::new(),
            jobs: if self.options.jobs { jobs } else { Vec::new() },
            names: self.replay.source.names(),
            recording,
            traffic,
            by_shape: Vec::new(),
            summary,
            parts,
        })
    }

    /// Replays and folds on this thread. Adds the time of the fold to `blocked`.
    fn run_alone(&self, input: Input<'_>, context: &ReplayContext<'_>, blocked: &Cell<Duration>) -> Ended {
        let (mut fold, mut failed) = (Fold::new(context, None), None);
        let mut take = |mut batch: Vec<FinishedJob>| {
            let began = Instant::now();
            failed = failed.take().or(fold.take(&mut batch).err());
            blocked.set(blocked.get().saturating_add(began.elapsed()));
            batch
        };
        let (run, recording) = self.observe(input, context, &mut take);
        Ended { run, recording, folded: failed.map_or_else(|| fold.finish(), Err) }
    }

    /// Replays on this thread, while one thread folds finished jobs and another one hands them to `rows`.
    /// Adds the time of waiting for the fold to `blocked`.
    fn run_on_threads(
        &self,
        input: Input<'_>,
        context: &ReplayContext<'_>,
        rows: Option<TakeRows<'_>>,
        blocked: &Cell<Duration>,
    ) -> Result<Ended, RunError> {
        let (seed, stop) = (self.seed, &self.monitor.stop);
        let (to_fold, left) = sync_channel(BATCHES_AHEAD);
        let (cleared, to_fill) = sync_channel(BATCHES_AHEAD);
        let (ended, written) = thread::scope(|scope| {
            // At most two parts of rows are in memory: one fills up while the other one is written.
            let (to_rows, parts) = rows.map(|_| sync_channel(0)).unzip();
            let writing = rows.zip(parts).map(|(rows, parts): (_, Receiver<Vec<FinishedJob>>)| {
                let write = move || parts.into_iter().try_for_each(|part| rows(seed, part));
                spawn(scope, "rows", write)
            });
            let writing = writing.transpose()?;
            let fold = move || {
                let mut fold = Fold::new(context, to_rows);
                for mut batch in left {
                    fold.take(&mut batch)?;
                    // Freed if the engine's thread does not need it.
                    let _ = cleared.try_send(batch);
                }
                fold.finish()
            };
            let folding = spawn(scope, "fold", fold)?;
            let mut take = |jobs: Vec<FinishedJob>| {
                if !send_timed(&to_fold, jobs, blocked) {
                    // The jobs cannot be kept, for a reason that another thread reports.
                    stop.throw();
                }
                // Reused memory is not requested from the system again.
                to_fill.try_recv().unwrap_or_default()
            };
            let (run, recording) = self.observe(input, context, &mut take);
            // Without senders, the other threads end.
            drop(to_fold);
            let ended = Ended { run, recording, folded: join(folding) };
            Ok::<_, RunError>((ended, writing.map_or(Ok(()), join)))
        })?;
        written.map_err(ReplayError::Failed)?;
        Ok(ended)
    }

    /// Runs the engine and passes finished jobs to `sink`. Returns the results of the engine, and what is
    /// measured besides single jobs.
    fn observe(
        &self,
        input: Input<'_>,
        context: &ReplayContext<'_>,
        sink: RowSink<'_>,
    ) -> (Result<EngineRun, RunError>, Recording) {
        let Input { feed, outages, listed } = input;
        let jobs = feed.list();
        let mut recorder = self.recorder(jobs, context, outages.as_ref(), listed, sink);
        let run = self.drive(feed, outages, listed, &mut recorder);
        (run, recorder.finish())
    }
}
/// Sends `jobs`, and adds the time blocked on a full channel to `blocked`. Returns false if the receiver is
/// gone.
fn send_timed(to: &SyncSender<Vec<FinishedJob>>, jobs: Vec<FinishedJob>, blocked: &Cell<Duration>) -> bool {
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
    use crate::study::options::Options;
    use crate::study::replay_spec::ReplaySpec;
    use crate::study::source::JobSource;
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
        (0..4 * BATCH as u32 + 7).map(job).collect()
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
            let [left, stayed] = [left, stayed].map(|options| replay.run(&options, &Monitor::default()));
            let (left, stayed) = (left?.remove(0), stayed?.remove(0));
            assert_eq!((left.jobs.len(), stayed.jobs.len()), (0, jobs.len()));
            let [left, stayed] =
                [left, stayed].map(|outcome| format!("{:?} {:?}", outcome.summary, outcome.parts));
            assert_eq!(left, stayed, "{gap} {scheduler} {allocator}");
        }
        Ok(())
    }
}
