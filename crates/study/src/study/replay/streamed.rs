//! Runs a replay while its jobs are read, in memory that does not grow with the log: a thread reads, another one replays,
//! and others measure, sum up and pass on the jobs that have left.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::outages::first_arrival;
use super::parts::{Known, Summed, TOGETHER, TakeRows, TakenParts};
use super::{Driven, Feed, Fitting, Manner, Outcome, Replay, RunError};
use crate::study::jobs::{JobsError, served};
use crate::study::log::MOST_KEPT;
use crate::study::options::Options;
use crate::study::source::{BATCHES, Incoming, LogStream, Ranks, Seat};
use meshreplay_alloc::allocator::Request;
use meshreplay_base::job::Job;
#[cfg(test)]
use meshreplay_base::job::Time;
use meshreplay_base::stop::Stop;
use meshreplay_sim::engine::ReplayError;
use meshreplay_sim::guest;
use meshreplay_sim::metrics::{LeftJobs, Monitor, Trim};

/// The number of jobs that leave a replay together. More would no longer be in the processor's cache when they are measured.
const FEW_TOGETHER: usize = 1 << 10;
const _: () = assert!(TOGETHER.is_multiple_of(FEW_TOGETHER));
/// The most such parts that wait to be summed up.
const PARTS: usize = 8;

/// The fewest jobs that leave in parts: fewer are not worth a thread.
pub(super) const FEWEST_LEAVING: usize = 2 * FEW_TOGETHER;

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
        Ok(Known { mesh, trim, served, jobs, skipped, never_fit, first_arrival })
    }

    /// Runs the replication with this seed of a log that is not in memory. The jobs that leave go to `rows`, if it is given.
    /// The jobs come from `seat`, or the log is read again for this replication.
    pub(super) fn run_streamed(
        &self,
        stream: &LogStream,
        seed: u64,
        options: &Options,
        monitor: &Monitor,
        (rows, seat): (Option<TakeRows<'_>>, Option<&Seat<'_>>),
    ) -> Result<Outcome, RunError> {
        let known = &self.known(stream, seed, options.trim, &monitor.stop)?;
        let summed = self.sum_stream(stream, known, (seed, options), monitor, (rows, seat))?;
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

    /// Replays the jobs of `stream` while they come.
    fn sum_stream(
        &self,
        stream: &LogStream,
        known: &Known<'_>,
        (seed, options): (u64, &Options),
        monitor: &Monitor,
        (rows, seat): (Option<TakeRows<'_>>, Option<&Seat<'_>>),
    ) -> Result<Summed, RunError> {
        let (held, ranks) = (stream.held().unwrap_or(0), &Ranks::default());
        let taken = TakenParts { seed, rows, ranks: (held > 0).then_some(ranks) };
        thread::scope(|scope| {
            let (batches, reading) = if let Some(batches) = seat.and_then(Seat::batches) {
                (batches, None)
            } else {
                let (to_replay, batches) = sync_channel(BATCHES);
                let read = move || stream.send(vec![to_replay]);
                let reading = thread::Builder::new().spawn_scoped(scope, read);
                (batches, Some(reading.map_err(|error| threadless(&error))?))
            };
            let sieve = stream.sieve(known.mesh, &known.served, known.jobs);
            let permit = seat.map(|seat| &seat.permit);
            let mut arrivals = Incoming::new(batches, sieve, permit, held, ranks);
            let ended = self.in_parts(Feed::Streamed(&mut arrivals), known, options, monitor, taken);
            // Without a receiver the other thread ends.
            drop(arrivals);
            if let Some(Err(panic)) = reading.map(thread::ScopedJoinHandle::join) {
                resume_unwind(panic);
            }
            ended
        })
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
            jobs: jobs.len() as u64,
            skipped: *skipped,
            never_fit: misfits.len() as u64,
            first_arrival: first_arrival(jobs),
        };
        let taken = TakenParts { seed, rows: None, ranks: None };
        let summed = self.in_parts(Feed::Listed(jobs), &known, options, monitor, taken)?;
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

    /// Replays the jobs of `feed`, while another thread measures and sums up the jobs that have left, and a third one takes
    /// their rows.
    fn in_parts(
        &self,
        feed: Feed<'_>,
        known: &Known<'_>,
        options: &Options,
        monitor: &Monitor,
        taken: TakenParts<'_>,
    ) -> Result<Summed, RunError> {
        let (stop, TakenParts { seed, rows, ranks }) = (&monitor.stop, taken);
        let (to_sums, left) = sync_channel(PARTS);
        let (cleared, to_fill) = sync_channel(PARTS);
        let (driven, sums, written, recording, blocked) = thread::scope(|scope| {
            let begin = |name: &str| thread::Builder::new().name(name.to_owned());
            // Two parts of rows are in memory at most: one fills up while the other one is written.
            let (to_rows, parts) = rows.map(|_| sync_channel(0)).unzip();
            let writing = rows.zip(parts).map(|(rows, parts): (_, Receiver<LeftJobs>)| {
                let write = move || parts.into_iter().try_for_each(|part| rows(seed, part));
                begin("rows").spawn_scoped(scope, write)
            });
            let writing = writing.transpose().map_err(|error| threadless(&error))?;
            let sum_up = move || known.sum_up(left, ranks, to_rows, cleared);
            let summing = begin("sums").spawn_scoped(scope, sum_up).map_err(|error| threadless(&error))?;
            let blocked = Cell::new(Duration::ZERO);
            let mut take = |jobs: LeftJobs| {
                let sent = match to_sums.try_send(jobs) {
                    Ok(()) => Ok(()),
                    Err(TrySendError::Disconnected(_)) => Err(()),
                    Err(TrySendError::Full(jobs)) => {
                        let full_since = Instant::now();
                        let sent = to_sums.send(jobs);
                        blocked.set(blocked.get().saturating_add(full_since.elapsed()));
                        sent.map_err(drop)
                    }
                };
                if sent.is_err() {
                    // The jobs cannot be kept. Another thread says why.
                    stop.throw();
                }
                // Memory that has been used before is not fetched from the system again.
                to_fill.try_recv().unwrap_or_default()
            };
            let mut recorder = self
                .recorder(options, (&[], known.first_arrival), false, None, monitor)
                .with_leaving((FEW_TOGETHER, TOGETHER), &mut take);
            let driven = self.drive(feed, seed, &Manner::of(options, stop), None, None, &mut recorder);
            let recording = recorder.finish();
            // Without senders the other threads end.
            drop(to_sums);
            let sums = summing.join().unwrap_or_else(|panic| resume_unwind(panic));
            let written =
                writing.map_or(Ok(()), |writing| writing.join().unwrap_or_else(|panic| resume_unwind(panic)));
            Ok::<_, RunError>((driven, sums, written, recording, blocked.get()))
        })?;
        written.map_err(ReplayError::Failed)?;
        let sums = sums.map_err(ReplayError::Failed)?;
        let Driven { wall, .. } = driven?;
        // The replay does not take longer because its numbers are summed up or written more slowly.
        Ok(Summed { sums, wall: wall.saturating_sub(blocked), recording })
    }
}

/// Returns the error that there can be no further thread.
fn threadless(error: &std::io::Error) -> RunError {
    RunError::Threadless(format!(
        "no further thread can be begun: {error}; a replay has up to six, so give fewer with --threads, or allow more \
         processes (ulimit -u, or pids.max of a container)"
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
