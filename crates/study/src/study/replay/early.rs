//! Begins the only replay of a command while its log is read for the first time, so that reading and replaying take two
//! threads.
//!
//! What is needed to know whether the replay may run at all, such as the number of the jobs and whether all of them fit, is
//! known only at the end of the log. So the replay that has begun is a guess: everything is checked as if there were none, and
//! its outcome is taken if the jobs turn out to be those that it was given. Otherwise it is dropped, and the replay runs again.
//! It is right for logs in the order of arrival all of whose jobs fit. No list of the jobs is made meanwhile, so that after a wrong guess
//! the log is read once more.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::Replay;
use super::parts::Summed;
use super::streamed::FEWEST_LEAVING;
use crate::study::log::{LoadedLog, MOST_KEPT};
use crate::study::options::Options;
use crate::study::replay_spec::ReplaySpec;
use crate::study::source::{Batch, JobSource};
use meshreplay_base::job::{Job, Time};
use meshreplay_logs::formats::is_gzip_name;
use meshreplay_sim::metrics::Monitor;
use meshreplay_workload::scaled_submit;

/// The number of jobs that are handed over together. It is small, so that batches fit the caches.
const TOGETHER: usize = 512;

/// The bytes of a job in a compressed log and in a plain one, roughly. A log is not worth the guess if it likely has more jobs
/// than are kept.
const COMPRESSED_JOB_BYTES: u64 = 16;
const PLAIN_JOB_BYTES: u64 = 96;

/// The submit time from which on times are taken for those since 1970: the year 1973.
const UNIX_TIMES: Time = Time::from_seconds(100_000_000);

/// The number of batches that the reader is ahead of the replay before it waits, if it may still wait. They fit the caches, and
/// their memory is used again and again.
const AHEAD: usize = 32;

/// How long the reader waits before it looks again whether the replay has come nearer.
const NAP: Duration = Duration::from_micros(200);

/// How often the progress of a replay that has begun is passed on.
const TICK: Duration = Duration::from_millis(50);

/// A replay that is given the jobs of a log as they are read.
pub(in crate::study) struct Early {
    guess: Option<Guess>,
}

/// What is needed to go on with the guess.
struct Guess {
    replay: Replay,
    options: Options,
    /// The jobs that have not been handed over.
    batch: Vec<Job>,
    /// The number of jobs so far.
    jobs: usize,
    /// When the log begins, and the first and the latest arrival.
    origin: Time,
    first: Time,
    last: Time,
    running: Option<RunningGuess>,
}

/// The thread that replays the jobs.
struct RunningGuess {
    /// Sending never waits. At most [`MOST_KEPT`] jobs wait here, as many as a list may have.
    batches: Sender<Batch>,
    lead: Lead,
    begun: Begun,
}

/// How far the reader is ahead of the replay.
///
/// Jobs are mostly read faster than they are replayed. A reader that ran ahead would fill memory and take processor time from
/// the replay, which decides when the command ends. But it waits for no longer than it reads, so that a wrong log is found
/// soon whatever the replay takes.
struct Lead {
    /// The batches that were handed over last, the first one first.
    batches: VecDeque<Arc<Vec<Job>>>,
    /// When the replay began, and for how long the reader has waited since.
    began: Instant,
    waited: Duration,
}

/// A replay that has begun, and the jobs that it was given.
#[derive(Clone, Debug)]
pub(in crate::study) struct Begun(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    replay: Replay,
    options: Options,
    /// The number of jobs; not set before the log has ended.
    jobs: OnceLock<u64>,
    monitor: Arc<Monitor>,
    /// Where the results come from; nothing comes if the replay fails.
    summed: Mutex<Option<Receiver<Summed>>>,
}

/// A guess that nobody waits for any more ends.
impl Drop for Shared {
    fn drop(&mut self) {
        self.monitor.stop.throw();
    }
}

impl Early {
    /// Returns what begins the replay of the log at `path`, if it may be able to.
    pub(in crate::study) fn new(spec: &ReplaySpec, options: &Options, path: &Path) -> Self {
        let job_bytes = if is_gzip_name(path) { COMPRESSED_JOB_BYTES } else { PLAIN_JOB_BYTES };
        let is_long = path.metadata().is_ok_and(|file| file.len() >= job_bytes * MOST_KEPT as u64);
        let needs_all = options.jobs || options.need_all_jobs().is_some() || spec.needs_all_jobs();
        let guess = || Guess {
            replay: Replay::new(spec.clone(), JobSource::recorded(Arc::default(), 0)),
            options: options.clone(),
            batch: Vec::new(),
            jobs: 0,
            origin: Time::ZERO,
            first: Time::ZERO,
            last: Time::ZERO,
            running: None,
        };
        Self { guess: (!is_long && !needs_all).then(guess) }
    }

    /// Hands over the next job of the log, whose submit time is still as recorded. Returns whether a replay has begun which is
    /// given all jobs so far.
    pub(in crate::study) fn add(&mut self, job: &Job) -> bool {
        if self.guess.as_mut().is_some_and(|guess| !guess.add(job)) {
            // The replay ends, as it is dropped.
            self.guess = None;
        }
        self.guess.as_ref().is_some_and(|guess| guess.running.is_some())
    }

    /// Returns the replay that has begun after the last job of `log`; `None` if the guess was wrong so far.
    pub(in crate::study) fn end(self, log: &LoadedLog) -> Option<Begun> {
        let Guess { batch, jobs, origin, running, .. } = self.guess?;
        let RunningGuess { batches, begun, .. } = running?;
        let is_right = origin == Time::from_seconds(log.summary.origin_s()) && jobs as u64 == log.jobs();
        // Sending fails only if the replay has failed, of which it has told.
        let is_sent = is_right && batches.send(Ok(Arc::new(batch))).is_ok();
        (is_sent && begun.0.jobs.set(jobs as u64).is_ok()).then_some(begun)
    }
}

impl Guess {
    /// Takes the next job. Returns whether the guess may still be right.
    fn add(&mut self, job: &Job) -> bool {
        let (spec, is_first) = (&self.replay.spec, self.jobs == 0);
        if is_first && job.submit >= UNIX_TIMES {
            self.origin = job.submit;
        }
        let submit = scaled_submit(job.submit - self.origin, spec.arrival_scale);
        if is_first {
            (self.first, self.last) = (submit, submit);
        }
        if submit < self.last || job.procs > spec.machine.available() || self.jobs == MOST_KEPT {
            return false;
        }
        self.last = submit;
        self.jobs += 1;
        self.batch.push(*job);
        if let Some(added) = self.batch.last_mut() {
            (added.submit, added.logged.submit) = (submit, job.logged.submit - self.origin);
        }
        let full = if self.running.is_some() { TOGETHER } else { FEWEST_LEAVING };
        self.batch.len() < full || self.hand_over()
    }

    /// Hands over the jobs that were read, and begins the replay if it has not begun. Returns whether that was possible.
    fn hand_over(&mut self) -> bool {
        if self.running.is_none() {
            self.running = self.begin();
        }
        let Some(running) = &mut self.running else { return false };
        let batch = Arc::new(std::mem::take(&mut self.batch));
        let is_sent = running.batches.send(Ok(Arc::clone(&batch))).is_ok();
        self.batch = running.lead.room_after(batch);
        is_sent
    }

    /// Begins the replay. Returns nothing if there can be no further thread.
    fn begin(&self) -> Option<RunningGuess> {
        let (batches, incoming) = channel();
        let (to_taker, summed) = channel();
        let monitor: Arc<Monitor> = Arc::default();
        let of_thread = Arc::clone(&monitor);
        let (replay, options, first) = (self.replay.clone(), self.options.clone(), self.first);
        let run = move || {
            if let Ok(summed) = replay.run_begun((incoming, first), &options, &of_thread) {
                // Sending fails only if nobody wants the results any more.
                let _ = to_taker.send(summed);
            }
        };
        thread::Builder::new().name("replay".to_owned()).spawn(run).ok()?;
        let (replay, options) = (self.replay.clone(), self.options.clone());
        let (jobs, summed) = (OnceLock::new(), Mutex::new(Some(summed)));
        let begun = Begun(Arc::new(Shared { replay, options, jobs, monitor, summed }));
        let lead = Lead { batches: VecDeque::new(), began: Instant::now(), waited: Duration::ZERO };
        Some(RunningGuess { batches, lead, begun })
    }
}

impl Lead {
    /// Notes a batch that was handed over, waits until the replay is not far behind, and returns room for the next batch.
    fn room_after(&mut self, batch: Arc<Vec<Job>>) -> Vec<Job> {
        self.batches.push_back(batch);
        if self.batches.len() <= AHEAD {
            return Vec::with_capacity(TOGETHER);
        }
        let Some(mut first) = self.batches.pop_front() else { return Vec::new() };
        loop {
            // The replay has a batch until it takes the next one.
            if let Some(room) = Arc::get_mut(&mut first) {
                room.clear();
                return std::mem::take(room);
            }
            if self.waited > self.began.elapsed() / 2 {
                return Vec::with_capacity(TOGETHER);
            }
            let since = Instant::now();
            thread::sleep(NAP);
            self.waited += since.elapsed();
        }
    }
}

impl Begun {
    /// Returns the results of the replay that has begun, if it is `replay` with these options and was given so many jobs. It
    /// waits for them, passes its progress on to `monitor`, and stops if `monitor` says so. `None` if the guess was wrong,
    /// if the replay has failed, and whenever it is asked for again.
    pub(super) fn take(
        &self,
        replay: &Replay,
        options: &Options,
        jobs: u64,
        monitor: &Monitor,
    ) -> Option<Summed> {
        let Shared { monitor: of_thread, summed, .. } = &*self.0;
        // Nothing can panic while the receiver is taken.
        let summed = summed.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        if !self.0.is_of(replay, options, jobs) {
            of_thread.stop.throw();
            return None;
        }
        loop {
            match summed.recv_timeout(TICK) {
                Ok(summed) => return Some(summed),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    monitor.finished.store(of_thread.finished.load(Ordering::Relaxed), Ordering::Relaxed);
                    if monitor.stop.is_thrown() {
                        of_thread.stop.throw();
                    }
                }
            }
        }
    }
}

impl Shared {
    /// Returns whether the replay that has begun is this one.
    fn is_of(&self, replay: &Replay, options: &Options, jobs: u64) -> bool {
        // The format and the SHA-256 of a log are found when it is read, and are those of the log which was given anyway.
        let of_guess = Options { input_format: options.input_format.clone(), ..self.options.clone() };
        let log_sha256 = Arc::clone(&replay.spec.log_sha256);
        let spec = ReplaySpec { log_sha256, ..self.replay.spec.clone() };
        of_guess == *options && spec.identity() == replay.spec.identity() && self.jobs.get() == Some(&jobs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::log::{LogSource, load_most};
    use crate::study::replay::RunError;
    use crate::study::source::LogStream;
    use meshreplay_logs::ReadOptions;
    use meshreplay_workload::Rules;

    /// The memory of batches is used again as soon as the replay has no use for it, and a replay that takes none does not
    /// stop the reader.
    #[test]
    fn a_reader_waits_for_a_replay_but_not_for_ever() {
        let mut lead = Lead { batches: VecDeque::new(), began: Instant::now(), waited: Duration::ZERO };
        let batch = |number: i64| Arc::new(vec![Job { number, ..Job::default() }; TOGETHER]);
        let first = batch(0);
        let place = first.as_ptr();
        assert!((1..=AHEAD).all(|_| lead.room_after(batch(1)).is_empty()));
        lead.batches[0] = first;
        let room = lead.room_after(batch(2));
        assert_eq!((room.as_ptr(), room.len(), room.capacity()), (place, 0, TOGETHER));
        // Nobody takes these.
        let kept: Vec<Arc<Vec<Job>>> = (0..3 * AHEAD as i64).map(batch).collect();
        for batch in &kept {
            assert_eq!(lead.room_after(Arc::clone(batch)).capacity(), TOGETHER);
        }
        assert!(lead.waited > Duration::ZERO && lead.batches.len() == AHEAD);
        assert!(kept.iter().all(|batch| batch.len() == TOGETHER));
    }

    /// Writes a log of this many jobs, of which the one at `late` stands behind its place, and that begins at `first_s`.
    fn log(jobs: u64, late: Option<u64>, first_s: u64) -> String {
        let line = |job: u64| {
            let submit_s = if Some(job) == late { 0 } else { first_s + job * 90 };
            let (run_s, procs) = (job * 7919 % 400 + 1, job * 31 % 40 + 1);
            format!(
                "{job} {submit_s} -1 {run_s} {procs} -1 -1 {procs} {} -1 1 1 1 -1 -1 -1 -1 -1\n",
                run_s * 2
            )
        };
        (1..=jobs).map(line).collect()
    }

    /// A replay of the jobs of a log, that which has begun, and the directory of the log.
    type Begins = (Replay, Option<Begun>, tempfile::TempDir);

    /// Reads the log while a replay may begin, and keeps all jobs if `keeps`.
    fn begun(
        text: &str,
        (spec, options): (&ReplaySpec, &Options),
        keeps: bool,
    ) -> Result<Begins, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.log");
        std::fs::write(&path, text)?;
        let mut early = Early::new(spec, options, &path);
        let kept = (Rules::default(), MOST_KEPT);
        let log = load_most(&path, ReadOptions::default(), kept, &mut |job| !early.add(job) || keeps)?;
        let begun = early.end(&log);
        let given = LogSource::new("a.log", path, ReadOptions::default())?;
        let source = match LogStream::new(&log, &given, &Rules::default(), 1.0) {
            Some(stream) => {
                let (count, skipped) = stream.sizes(&spec.machine);
                JobSource::Streamed { stream: Box::new(stream), count, skipped }
            }
            None => JobSource::recorded(Arc::clone(&log.workload.jobs), 0),
        };
        Ok((Replay::new(spec.clone(), source), begun, folder))
    }

    /// Runs a replay. Returns its results, of which only the way in which they came about is left out.
    fn run(replay: &Replay, options: &Options) -> Result<String, RunError> {
        let mut outcomes = replay.run(options, &Monitor::default())?;
        for outcome in &mut outcomes {
            (outcome.is_streamed, outcome.names) = (false, Arc::default());
        }
        Ok(format!("{outcomes:?}"))
    }

    /// The outcome of a replay that has begun is that of one which has not, and what cannot begin, or turns out to be another
    /// one, runs as usual.
    #[test]
    fn a_replay_that_begins_early_ends_as_any_other() -> Result<(), Box<dyn std::error::Error>> {
        let spec = ReplaySpec::new("8x8".parse()?, "easy".parse()?, "mbs".parse()?);
        let options = Options { contention: true, ..Options::default() };
        let (few, enough) = (FEWEST_LEAVING as u64 - 1, FEWEST_LEAVING as u64 + 1000);
        // The list of jobs is given up when a replay has begun, and not made again if that was a wrong guess.
        for (text, of_first, begins, is_given_up) in [
            (log(enough, None, 7), spec.clone(), true, true),
            (log(few, None, 7), spec.clone(), false, false),
            (log(enough, Some(few / 2), 7), spec.clone(), false, false),
            (log(enough, Some(enough), 7), spec.clone(), false, true),
            // Times since 1970 are those of the log here, as this format has none.
            (log(enough, None, 1_000_000_000), spec.clone(), false, true),
            (
                log(enough, None, 7),
                ReplaySpec {
                    machine: "5x5".parse::<meshreplay_machine::machine::Mesh>()?.into(),
                    ..spec.clone()
                },
                false,
                false,
            ),
        ] {
            let (listed, _, _folder) = begun(&text, (&of_first, &options), true)?;
            let expected = run(&Replay { spec: spec.clone(), ..listed }, &options)?;
            for keeps in [true, false] {
                let (replay, begun, _folder) = begun(&text, (&of_first, &options), keeps)?;
                assert_eq!(begun.is_some(), begins);
                let is_listed = matches!(replay.source, JobSource::Recorded { .. });
                assert_eq!(is_listed, keeps || !is_given_up);
                let early = Replay { spec: spec.clone(), begun: begun.clone(), ..replay.clone() };
                assert_eq!(run(&early, &options)?, expected);
                // Nothing is left of what was taken.
                assert!(begun.is_none_or(|begun| {
                    begun.take(&early, &options, enough, &Monitor::default()).is_none()
                }));
            }
        }
        Ok(())
    }

    /// Accounting logs have times since 1970, which are counted from the first job.
    #[test]
    fn times_since_1970_count_from_the_first_job() -> Result<(), Box<dyn std::error::Error>> {
        let mut text = "JobID|Submit|Start|End|State|NNodes|Timelimit\n".to_owned();
        for job in 1..=FEWEST_LEAVING + 1000 {
            let at = |later: usize| {
                let minutes = job + later;
                format!("2024-05-{:02}T{:02}:{:02}:00", 1 + minutes / 1440, minutes / 60 % 24, minutes % 60)
            };
            let line = format!("{job}|{}|{}|{}|COMPLETED|{}|02:00:00\n", at(0), at(1), at(3), job % 9 + 1);
            text.push_str(&line);
        }
        let spec = ReplaySpec::new("8x8".parse()?, "easy".parse()?, "mbs".parse()?);
        for keeps in [true, false] {
            let (replay, begun, _folder) = begun(&text, (&spec, &Options::default()), keeps)?;
            assert!(begun.is_some());
            let expected = replay.run(&Options::default(), &Monitor::default())?;
            let early = Replay { begun, ..replay };
            let found = early.run(&Options::default(), &Monitor::default())?;
            let jobs = found.first().and_then(|outcome| outcome.summary.get("jobs"));
            assert_eq!(jobs, Some((FEWEST_LEAVING + 1000) as f64));
            assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        }
        Ok(())
    }

    #[test]
    fn a_replay_of_another_kind_is_not_taken() -> Result<(), Box<dyn std::error::Error>> {
        let spec = ReplaySpec::new("8x8".parse()?, "easy".parse()?, "mbs".parse()?);
        let options = Options::default();
        let jobs = FEWEST_LEAVING as u64 + 1000;
        for (allocator, audit, count, is_taken) in [
            ("mbs", false, jobs, true),
            ("naive", false, jobs, false),
            ("mbs", true, jobs, false),
            ("mbs", false, jobs - 1, false),
        ] {
            let (replay, begun, _folder) = begun(&log(jobs, None, 7), (&spec, &options), false)?;
            let asked = Replay {
                spec: ReplaySpec {
                    allocator: allocator.parse::<meshreplay_base::spec::Spec>()?.into(),
                    ..spec.clone()
                },
                ..replay
            };
            let options = Options { audit, ..options.clone() };
            let found = begun.and_then(|begun| begun.take(&asked, &options, count, &Monitor::default()));
            assert_eq!(found.is_some(), is_taken, "{allocator} {audit} {count}");
        }
        Ok(())
    }
}
