//! Runs a replay while its jobs are read, in memory that does not grow with the log: a thread reads, another one replays,
//! and a third one sums up and passes on the jobs that have left.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::{Driven, Feed, Manner, Outcome, Replay, RunError};
use crate::allocator::Request;
use crate::engine::{Record, ReplayError};
use crate::guest;
use crate::job::Job;
use crate::machine::Mesh;
use crate::metrics::{Finished, LeftJobs, Monitor, Recording, RunningSums, Trim};
use crate::stop::Stop;
use crate::study::jobs::{JobsError, served};
use crate::study::options::Options;
use crate::study::source::{BATCHES, Incoming, LogStream};

/// The number of jobs that leave a replay together. It is also the most rows that a part of a file of jobs has, whether jobs
/// are kept in memory or not, so that files are the same.
pub const TOGETHER: usize = 1 << 17;

/// Takes the jobs of the replication with this seed that have left, in the order of the log, as often as there are
/// [`TOGETHER`], and the rest at the end. Fails, in words, if they cannot be kept.
pub(in crate::study) type TakeRows<'a> = &'a (dyn Fn(u64, LeftJobs) -> Result<(), String> + Sync);

/// What is known of a streamed replay before it runs.
struct Known<'a> {
    mesh: &'a Mesh,
    trim: Trim,
    /// Which requests the allocator can serve, see [`served`].
    served: BTreeMap<Request, bool>,
    /// The number of jobs that are replayed.
    jobs: u64,
    /// The number of records of the log that are not.
    skipped: u64,
    /// The number of jobs among these for which the allocator finds no nodes even on the idle machine.
    never_fit: u64,
}

impl Known<'_> {
    /// Returns a part of the replay: these jobs, with their records and what was measured of them.
    fn part<'r>(&'r self, jobs: &'r [Job], records: &'r [Record], recording: &'r Recording) -> Finished<'r> {
        let Self { mesh, trim, skipped, never_fit, .. } = *self;
        let (traffic, is_predicted, wall_s) = (None, false, 0.0);
        Finished { jobs, records, recording, traffic, mesh, trim, is_predicted, skipped, never_fit, wall_s }
    }

    /// Adds the jobs that leave to sums, and passes them on to `rows`, with the seed of their replication. Returns the sums of
    /// all jobs, or the reason why jobs cannot be kept.
    fn sum_up(
        &self,
        left: Receiver<LeftJobs>,
        seed: u64,
        rows: Option<TakeRows<'_>>,
    ) -> Result<RunningSums, String> {
        let mut sums = RunningSums::new(&self.part(&[], &[], &Recording::default()), self.jobs as usize);
        for jobs in left {
            sums.add(&self.part(&jobs.jobs, &jobs.records, &jobs.recording));
            if let Some(rows) = rows {
                rows(seed, jobs)?;
            }
        }
        Ok(sums)
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
        Ok(Known { mesh, trim, served, jobs: small - never_fit, skipped: larger + never_fit, never_fit })
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
        let stop = &monitor.stop;
        let known = &self.known(stream, seed, options.trim, stop)?;
        let (to_replay, batches) = sync_channel(BATCHES);
        // Two parts are in memory at most: one fills up while the other one is written.
        let (to_sums, left) = sync_channel(0);
        let (driven, sums, recording) = thread::scope(|scope| {
            let reading = scope.spawn(move || stream.send(known.mesh, &known.served, &to_replay));
            let summing = scope.spawn(move || known.sum_up(left, seed, rows));
            let mut take = |jobs: LeftJobs| {
                if to_sums.send(jobs).is_err() {
                    // The jobs cannot be kept. The other thread says why.
                    stop.throw();
                }
            };
            let mut recorder =
                self.recorder(options, &[], false, None, monitor).with_leaving(TOGETHER, &mut take);
            let mut arrivals = Incoming::new(batches);
            let feed = Feed::Streamed(&mut arrivals);
            let driven = self.drive(feed, seed, &Manner::of(options, stop), None, None, &mut recorder);
            let recording = recorder.finish();
            // Without receivers and senders the other threads end.
            drop((arrivals, to_sums));
            let sums = summing.join().unwrap_or_else(|panic| resume_unwind(panic));
            reading.join().unwrap_or_else(|panic| resume_unwind(panic));
            (driven, sums, recording)
        });
        let sums = sums.map_err(ReplayError::Failed)?;
        let Driven { wall, .. } = driven?;
        let wall_s = if options.timed { wall.as_secs_f64() } else { 0.0 };
        let kept = sums.finish(&Finished { wall_s, ..known.part(&[], &[], &recording) });
        let (summary, blocks) = kept.map_err(|error| unkept(&error))?;
        Ok(Outcome {
            skipped: known.skipped,
            never_fit: known.never_fit,
            is_streamed: true,
            names: stream.names(),
            recording,
            ..Outcome::of(seed, summary, blocks)
        })
    }
}

/// Returns the error that values for the variance cannot be kept in a temporary file.
fn unkept(error: &std::io::Error) -> ReplayError {
    ReplayError::Failed(format!(
        "a temporary file of 8 bytes for each job cannot be kept: {error}; make room where temporary files are, or set \
         TMPDIR to another directory"
    ))
}
