//! Runs a replay while its jobs are read, in memory that does not grow with the log: a thread reads, another one replays,
//! and a third one sums up and passes on the jobs that have left.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use super::outages::first_arrival;
use super::{Driven, Feed, Fitting, Manner, Outcome, Replay, RunError};
use crate::allocator::Request;
use crate::engine::{Record, ReplayError};
use crate::guest;
use crate::job::{Job, Time};
use crate::machine::Mesh;
use crate::metrics::{BlockSums, Finished, LeftJobs, Monitor, Recording, RunningSums, Summary, Trim};
use crate::stop::Stop;
use crate::study::jobs::{JobsError, served};
use crate::study::log::MOST_KEPT;
use crate::study::options::Options;
use crate::study::source::{BATCHES, Batch, Incoming, LogStream, Ranks};

/// The number of jobs that leave a replay together. It is also the most rows that a part of a file of jobs has, whether jobs
/// are kept in memory or not, so that files are the same.
pub const TOGETHER: usize = 1 << 17;

/// Takes the jobs of the replication with this seed that have left, in the order of the log, as often as there are
/// [`TOGETHER`], and the rest at the end. Fails, in words, if they cannot be kept.
pub(in crate::study) type TakeRows<'a> = &'a (dyn Fn(u64, LeftJobs) -> Result<(), String> + Sync);

/// The number of jobs that leave together if all jobs are in memory anyway.
const FEW_TOGETHER: usize = 1 << 10;

/// The fewest jobs that leave in parts: fewer are not worth a thread.
pub(super) const FEWEST_LEAVING: usize = 2 * FEW_TOGETHER;

/// How the jobs that have left a replication are taken.
#[derive(Clone, Copy)]
struct TakenParts<'a> {
    seed: u64,
    /// How many leave together.
    together: usize,
    rows: Option<TakeRows<'a>>,
    /// The order in which the jobs arrived; `None` if it is that of the log.
    ranks: Option<&'a Ranks>,
}

/// A replay that has ended, all jobs of which have left.
pub(super) struct Summed {
    sums: RunningSums,
    /// The wall-clock time of the replay.
    wall: Duration,
    /// What was measured of no single job.
    recording: Recording,
}

/// Returns a number of jobs that is known already.
fn counted(jobs: u64) -> Arc<OnceLock<u64>> {
    Arc::new(jobs.into())
}

/// What is known of a streamed replay before it runs.
struct Known<'a> {
    mesh: &'a Mesh,
    trim: Trim,
    /// Which requests the allocator can serve, see [`served`].
    served: BTreeMap<Request, bool>,
    /// The number of jobs that are replayed. It is not set while they are still counted, and must be set before the last
    /// of them is handed over.
    jobs: Arc<OnceLock<u64>>,
    /// The number of records of the log that are not.
    skipped: u64,
    /// The number of jobs among these for which the allocator finds no nodes even on the idle machine.
    never_fit: u64,
    /// The first arrival of a job that is replayed.
    first_arrival: Time,
}

impl Known<'_> {
    /// Returns a part of the replay: these jobs, with their records and what was measured of them.
    fn part<'r>(&'r self, jobs: &'r [Job], records: &'r [Record], recording: &'r Recording) -> Finished<'r> {
        let Self { mesh, trim, skipped, never_fit, .. } = *self;
        let (traffic, is_predicted, wall_s) = (None, false, 0.0);
        Finished { jobs, records, recording, traffic, mesh, trim, is_predicted, skipped, never_fit, wall_s }
    }

    /// Returns the numbers of a replay, the sums over its blocks, and what was measured of no single job.
    fn finish(
        &self,
        Summed { sums, wall, recording }: Summed,
        options: &Options,
    ) -> Result<(Summary, BlockSums, Recording), RunError> {
        let wall_s = if options.timed { wall.as_secs_f64() } else { 0.0 };
        let kept = sums.finish(&Finished { wall_s, ..self.part(&[], &[], &recording) });
        let (summary, blocks) = kept.map_err(|error| unkept(&error))?;
        Ok((summary, blocks, recording))
    }

    /// Adds the jobs that leave to sums, and passes them on as `taken` says. Returns the sums of all jobs, or the reason why
    /// jobs cannot be kept.
    fn sum_up(&self, left: Receiver<LeftJobs>, taken: TakenParts<'_>) -> Result<RunningSums, String> {
        // Blocks of jobs are equal shares of all, so that sums begin when the number of jobs is known.
        let (mut sums, mut held) = (None, Vec::new());
        for jobs in left {
            held.push(jobs);
            if let Some(&jobs) = self.jobs.get() {
                self.add(sums.get_or_insert_with(|| self.no_sums(jobs)), &mut held, taken)?;
            }
        }
        let jobs = self.jobs.get().ok_or("the jobs of the log are not counted")?;
        let mut sums = sums.unwrap_or_else(|| self.no_sums(*jobs));
        self.add(&mut sums, &mut held, taken)?;
        Ok(sums)
    }

    /// Returns the sums before the first of so many jobs has left.
    fn no_sums(&self, jobs: u64) -> RunningSums {
        RunningSums::new(&self.part(&[], &[], &Recording::default()), jobs as usize)
    }

    /// Adds the jobs that are `held` to sums and passes them on.
    fn add(
        &self,
        sums: &mut RunningSums,
        held: &mut Vec<LeftJobs>,
        taken: TakenParts<'_>,
    ) -> Result<(), String> {
        for jobs in held.drain(..) {
            let ranks = taken.ranks.map(|ranks| ranks.take(sums.jobs() as usize, jobs.jobs.len()));
            sums.add(&self.part(&jobs.jobs, &jobs.records, &jobs.recording), ranks.as_deref());
            if let Some(rows) = taken.rows {
                rows(taken.seed, jobs)?;
            }
        }
        Ok(())
    }
}

impl Replay {
    /// Returns what is known of the replay of `stream` before it runs. Fails if a job never fits and the rules leave none out.
    fn known<'a>(
        &'a self,
        stream: &LogStream,
        seed: u64,
        trim: Trim,
        stop: &Stop,
    ) -> Result<Known<'a>, RunError> {
        let mesh = &self.spec.machine;
        let label = self.spec.allocator.to_string();
        let setup = guest::Setup { label: &label, mesh, jobs: &[], seed, stop, lists: None };
        let built = self.guests.allocator(&self.spec.allocator, &setup).map_err(RunError::from)?;
        let served = served(stream.kinds(), mesh, built);
        let is_small = |request: &Request| request.procs <= mesh.available();
        let fits = |request: &Request| served.get(request).is_none_or(|&fits| fits);
        let never_fit = stream.without(mesh, (&is_small, &fits), &|log, number, asked, machine| {
            JobsError::NeverFits { log, number, asked, allocator: self.spec.allocator_label(), machine }
        })?;
        let (small, larger) = stream.sizes(mesh);
        let first_arrival = stream.first_arrival(&|request| is_small(request) && fits(request));
        let (jobs, skipped) = (small - never_fit, larger + never_fit);
        Ok(Known { mesh, trim, served, jobs: counted(jobs), skipped, never_fit, first_arrival })
    }

    /// Runs the replication with this seed of a log that is not in memory. The jobs that leave go to `rows`, if it is given.
    pub(super) fn run_streamed(
        &self,
        stream: &LogStream,
        seed: u64,
        options: &Options,
        monitor: &Monitor,
        rows: Option<TakeRows<'_>>,
    ) -> Result<Outcome, RunError> {
        let known = &self.known(stream, seed, options.trim, &monitor.stop)?;
        let (to_replay, batches) = sync_channel(BATCHES);
        let (held, ranks) = (stream.held().unwrap_or(0), &Ranks::default());
        let taken = TakenParts { seed, together: TOGETHER, rows, ranks: (held > 0).then_some(ranks) };
        let summed = thread::scope(|scope| {
            let jobs = known.jobs.get().copied().unwrap_or_default();
            let read = move || stream.send(known.mesh, (&known.served, jobs), &to_replay);
            let reading =
                thread::Builder::new().spawn_scoped(scope, read).map_err(|error| threadless(&error))?;
            let mut arrivals = Incoming::new(batches, held, ranks);
            let ended = self.in_parts(Feed::Streamed(&mut arrivals), known, options, monitor, taken);
            // Without a receiver the other thread ends.
            drop(arrivals);
            reading.join().unwrap_or_else(|panic| resume_unwind(panic));
            ended
        })?;
        let (summary, blocks, recording) = known.finish(summed, options)?;
        Ok(Outcome {
            skipped: known.skipped,
            never_fit: known.never_fit,
            is_streamed: true,
            names: stream.names(),
            recording,
            ..Outcome::of(seed, summary, blocks)
        })
    }

    /// Runs the replication with the seed of the spec while the jobs are read for the first time, the first of which arrives at
    /// `first_arrival`. They come through `batches` in the order of their arrival, and `jobs` gets their number when all
    /// have come.
    pub(super) fn run_begun(
        &self,
        (batches, first_arrival): (Receiver<Batch>, Time),
        jobs: Arc<OnceLock<u64>>,
        options: &Options,
        monitor: &Monitor,
    ) -> Result<Summed, RunError> {
        let known = Known {
            mesh: &self.spec.machine,
            trim: options.trim,
            served: BTreeMap::new(),
            jobs,
            // These two are not known yet, and only the summary has them.
            skipped: 0,
            never_fit: 0,
            first_arrival,
        };
        let ranks = Ranks::default();
        let mut arrivals = Incoming::new(batches, 0, &ranks);
        let taken = TakenParts { seed: self.spec.seed, together: FEW_TOGETHER, rows: None, ranks: None };
        self.in_parts(Feed::Streamed(&mut arrivals), &known, options, monitor, taken)
    }

    /// Runs the replication with this seed of jobs that are in memory, as one of a log that is not: another thread sums up
    /// the jobs that leave. The caller must have found that [`Self::can_leave`].
    pub(super) fn run_leaving(
        &self,
        fitting: &Fitting,
        seed: u64,
        options: &Options,
        monitor: &Monitor,
    ) -> Result<Outcome, RunError> {
        let Fitting { jobs, skipped, misfits, .. } = fitting;
        let known = Known {
            mesh: &self.spec.machine,
            trim: options.trim,
            served: BTreeMap::new(),
            jobs: counted(jobs.len() as u64),
            skipped: *skipped,
            never_fit: misfits.len() as u64,
            first_arrival: first_arrival(jobs),
        };
        let taken = TakenParts { seed, together: FEW_TOGETHER, rows: None, ranks: None };
        let begun = self.begun.as_ref().filter(|_| seed == self.spec.seed);
        let summed = match begun.and_then(|begun| begun.take(self, options, jobs.len(), monitor)) {
            Some(summed) => summed,
            None => self.in_parts(Feed::Listed(jobs), &known, options, monitor, taken)?,
        };
        let (summary, blocks, recording) = known.finish(summed, options)?;
        Ok(Outcome {
            skipped: known.skipped,
            never_fit: known.never_fit,
            jobs: Arc::clone(jobs),
            names: self.source.names(),
            recording,
            ..Outcome::of(seed, summary, blocks)
        })
    }

    /// Returns whether `jobs` may leave a replay in parts: nothing of single jobs is kept or needs all of them, and they are in
    /// the order of their arrival. Few jobs are not worth a thread, and more than a stream begins with are one.
    pub(super) fn can_leave(&self, options: &Options, jobs: &[Job]) -> bool {
        (FEWEST_LEAVING..=MOST_KEPT).contains(&jobs.len())
            && !options.jobs
            && options.need_all_jobs().is_none()
            && !self.spec.needs_all_jobs()
            && jobs.is_sorted_by_key(|job| job.submit)
    }

    /// Replays the jobs of `feed`, while another thread sums up the jobs that have left and passes them on.
    fn in_parts(
        &self,
        feed: Feed<'_>,
        known: &Known<'_>,
        options: &Options,
        monitor: &Monitor,
        taken: TakenParts<'_>,
    ) -> Result<Summed, RunError> {
        let (stop, TakenParts { seed, together, .. }) = (&monitor.stop, taken);
        // Two parts are in memory at most: one fills up while the other one is written.
        let (to_sums, left) = sync_channel(0);
        let (driven, sums, recording) = thread::scope(|scope| {
            let sum_up = move || known.sum_up(left, taken);
            let summing =
                thread::Builder::new().spawn_scoped(scope, sum_up).map_err(|error| threadless(&error))?;
            let mut take = |jobs: LeftJobs| {
                if to_sums.send(jobs).is_err() {
                    // The jobs cannot be kept. The other thread says why.
                    stop.throw();
                }
            };
            let mut recorder = self
                .recorder(options, (&[], known.first_arrival), false, None, monitor)
                .with_leaving(together, &mut take);
            let driven = self.drive(feed, seed, &Manner::of(options, stop), None, None, &mut recorder);
            let recording = recorder.finish();
            // Without a sender the other thread ends.
            drop(to_sums);
            let sums = summing.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok::<_, RunError>((driven, sums, recording))
        })?;
        let sums = sums.map_err(ReplayError::Failed)?;
        let Driven { wall, .. } = driven?;
        Ok(Summed { sums, wall, recording })
    }
}

/// Returns the error that there can be no further thread.
fn threadless(error: &std::io::Error) -> ReplayError {
    ReplayError::Failed(format!(
        "no further thread can be begun: {error}; a replay has up to five, so give fewer with --threads, or allow more \
         processes (ulimit -u, or pids.max of a container)"
    ))
}

/// Returns the error that values for the variance cannot be kept in a temporary file.
fn unkept(error: &std::io::Error) -> ReplayError {
    ReplayError::Failed(format!(
        "a temporary file of 8 bytes for each job cannot be kept: {error}; make room where temporary files are, or set \
         TMPDIR to another directory"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::replay_spec::ReplaySpec;
    use crate::study::source::JobSource;

    /// Jobs of scattered sizes and times, more than three parts and some.
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

    /// The numbers and the sums over blocks of jobs are the same whether jobs leave or stay.
    #[test]
    fn jobs_that_leave_in_parts_are_summed_up_as_those_that_stay() -> Result<(), Box<dyn std::error::Error>> {
        // Under the longer gap most start at once, under the shorter one thousands wait.
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
            assert!(replay.can_leave(&left, &jobs) && !replay.can_leave(&stayed, &jobs));
            let [left, stayed] = [left, stayed].map(|options| replay.run(&options, &Monitor::default()));
            let (left, mut stayed) = (left?.remove(0), stayed?.remove(0));
            stayed.strip();
            assert_eq!(format!("{left:?}"), format!("{stayed:?}"), "{gap} {scheduler} {allocator}");
        }
        Ok(())
    }
}
