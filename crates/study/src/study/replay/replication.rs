//! One replication of a replay: a source of jobs, the engine, and a measuring observer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::sums::unkept;
use super::{Fitting, Outcome, Replay, RunError, TakeRows, opening, outages};
use crate::audit::LiveAudit;
use crate::study::log::RecordedNodes;
use crate::study::options::Options;
use meshreplay_base::job::{Job, Time};
use meshreplay_base::prediction::PredictionError;
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::engine::{
    self, ArrivalSource, Fate, Observer, Opening, OutagePlan, Parts, PredictionPlan, Record, ReplayError,
};
use meshreplay_sim::execution::Traffic;
use meshreplay_sim::guest;
use meshreplay_sim::metrics::{
    Finished, Monitor, Recorder, Recording, Summary, Trim, count_by_shape, retain,
};
use meshreplay_sim::scheduler;
use meshreplay_workload::most_in_use;

/// One replication of a replay.
#[derive(Clone, Copy)]
pub(in crate::study) struct Replication<'a> {
    pub(in crate::study) replay: &'a Replay,
    pub(in crate::study) seed: u64,
    pub(in crate::study) options: &'a Options,
    pub(in crate::study) monitor: &'a Monitor,
}

/// The source of a replication's jobs.
pub(in crate::study) enum Feed<'a> {
    /// A list in memory, and the jobs that run at the beginning.
    Listed(&'a [Job], Option<Opening>),
    /// A stream that is read during the replay.
    Streamed(&'a mut dyn ArrivalSource),
}

/// The results of the engine.
pub(in crate::study) struct EngineRun {
    /// Record of each job (its start, its end and so on), in the order of the jobs.
    records: Vec<Record>,
    /// Network traffic; `None` without a network.
    traffic: Option<Traffic>,
    /// Wall-clock time, without the time blocked on the source.
    pub(super) wall: Duration,
}

impl<'a> Replication<'a> {
    /// Runs the replication. `listed` are the recorded nodes of the jobs; `rows` receives streamed jobs.
    pub(super) fn run(
        &self,
        listed: Option<&RecordedNodes>,
        rows: Option<TakeRows<'_>>,
    ) -> Result<Outcome, RunError> {
        if let Some(stream) = self.replay.stream(self.options, rows.is_some()) {
            return self.run_stream(stream, rows);
        }
        outages::check(&self.replay.spec, self.options)?;
        let fitting = self.replay.jobs(self.seed, &self.monitor.stop)?;
        if self.replay.can_drop_finished(self.options, &fitting.jobs) {
            return self.run_list(&fitting);
        }
        self.run_kept(fitting, listed)
    }

    /// Replays a list of jobs, and keeps the measurements of each job until the end.
    fn run_kept(&self, fitting: Fitting, listed: Option<&RecordedNodes>) -> Result<Outcome, RunError> {
        let Self { replay, seed, options, .. } = *self;
        let Fitting { jobs, skipped, misfits, first_arrival } = fitting;
        let never_fit = misfits.len() as u64;
        let log_peak = (replay.spec.scheduler.name == scheduler::RECORDED).then(|| most_in_use(&jobs));
        let outages = outages::plan(&replay.spec, options, first_arrival, seed)?;
        let period = replay.spec.period;
        let first = period.map_or_else(|| outages::first_arrival(&jobs), |period| period.from);
        let mut recorder = self.recorder(&jobs, first, outages.is_some(), listed);
        let (engine_jobs, opening) = opening::begin(period, &jobs);
        let mut run = self.drive(Feed::Listed(&engine_jobs, opening), outages, listed, &mut recorder)?;
        let refused = opening::complete(period, &jobs, &mut run.records);
        let mut recording = recorder.finish();
        let (jobs, EngineRun { records, traffic, wall }) = completed(jobs, run, &mut recording);
        let finished = Finished {
            jobs: &jobs,
            records: &records,
            recording: &recording,
            traffic: traffic.as_ref(),
            mesh: &replay.spec.machine,
            trim: Trim { period, ..options.trim },
            is_predicted: replay.spec.rules.prediction().is_some(),
            skipped,
            never_fit,
            wall_s: if options.timed { wall.as_secs_f64() } else { 0.0 },
        };
        let (summary, parts) = Summary::of(&finished).map_err(|error| unkept(&error))?;
        let by_shape = if options.by_shape && options.jobs {
            count_by_shape(&jobs, &records, &recording.refusals, &misfits)
        } else {
            Vec::new()
        };
        Ok(Outcome {
            skipped,
            never_fit,
            log_peak,
            period,
            refused,
            notes_on_nodes: listed.map(|listed| listed.notes.clone()).unwrap_or_default(),
            jobs,
            names: replay.source.names(),
            records,
            recording,
            traffic,
            by_shape,
            summary,
            parts,
            is_streamed: false,
            seed,
        })
    }

    /// Returns the observer that takes the measurements in the options. `jobs` is empty for a stream.
    pub(super) fn recorder(
        &self,
        jobs: &'a [Job],
        first_arrival: Time,
        has_outages: bool,
        listed: Option<&'a RecordedNodes>,
    ) -> Recorder<'a> {
        let Self { options, monitor, .. } = *self;
        let mesh = &self.replay.spec.machine;
        let mut recorder = Recorder::new(mesh, jobs.len(), options.timed, monitor);
        if options.contention {
            recorder = recorder.with_contention(mesh);
        }
        if let Some(slices) = &options.fragmentation {
            recorder = recorder.with_fragmentation(mesh, slices, first_arrival, options.jobs);
        }
        if options.placements && options.jobs {
            recorder = recorder.with_placements();
        }
        if let Some(RecordedNodes { lists, .. }) = listed {
            recorder = recorder.with_lists(jobs, lists);
        }
        if options.by_shape && options.jobs {
            recorder = recorder.with_refusals();
        }
        if has_outages {
            recorder = recorder.with_outages(mesh, jobs, first_arrival, options.jobs);
        }
        recorder
    }

    /// Replays the jobs of `feed` until all have ended or the monitor stops the replay, and reports every
    /// event to `observer`.
    pub(in crate::study) fn drive(
        &self,
        mut feed: Feed<'_>,
        outages: Option<OutagePlan>,
        recorded: Option<&RecordedNodes>,
        observer: &mut dyn Observer,
    ) -> Result<EngineRun, RunError> {
        let Self { replay: Replay { spec, guests, .. }, seed, options, monitor } = *self;
        let stop = &monitor.stop;
        let jobs = match &feed {
            Feed::Listed(jobs, _) => *jobs,
            Feed::Streamed(_) => &[][..],
        };
        let lists = recorded.map(|recorded| &recorded.lists);
        let [allocator, scheduler, network] =
            [&spec.allocator, &spec.scheduler, &spec.network].map(ToString::to_string);
        let setup = guest::Setup { label: "", mesh: &spec.machine, jobs, seed, stop, lists };
        let mut built = guests.allocator(&spec.allocator, &guest::Setup { label: &allocator, ..setup })?;
        let mut scheduler =
            guests.scheduler(&spec.scheduler, &guest::Setup { label: &scheduler, ..setup })?;
        let mut execution = guests.network(&spec.network, &guest::Setup { label: &network, ..setup })?;
        outages::check_execution(spec, outages.as_ref(), built.strategy.moves_jobs, execution.as_ref())?;
        let predictions = spec.rules.prediction().map(|given| -> Result<PredictionPlan, PredictionError> {
            Ok(PredictionPlan { predictor: given.build(jobs)?, correction: given.correction })
        });
        let opening = match &mut feed {
            Feed::Listed(_, opening) => opening.take(),
            Feed::Streamed(_) => None,
        };
        let parts = Parts {
            opening,
            mesh: Mesh::clone(&spec.machine),
            scheduler: scheduler.as_mut(),
            allocator: &mut built.strategy,
            execution: execution.as_mut(),
            timed: options.timed,
            outages,
            predictions: predictions.transpose()?,
            stop: stop.clone(),
        };
        let began = Instant::now();
        let run = |observer: &mut dyn Observer| match &mut feed {
            Feed::Listed(jobs, _) => engine::replay(jobs, parts, observer),
            Feed::Streamed(arrivals) => {
                engine::replay_stream(&mut **arrivals, parts, observer).map(|()| Vec::new())
            }
        };
        let records = if options.audit {
            let mut watch = LiveAudit::new(&spec.machine, observer, stop.clone());
            let records = run(&mut watch);
            records.and_then(|records| watch.finish().map(|()| records).map_err(ReplayError::Failed))
        } else {
            run(observer)
        };
        let records = records.map_err(|error| self.replay.reworded(error))?;
        let waited = match feed {
            Feed::Listed(..) => Duration::ZERO,
            Feed::Streamed(arrivals) => arrivals.waited(),
        };
        let wall = began.elapsed().saturating_sub(waited);
        Ok(EngineRun { records, wall, traffic: execution.traffic() })
    }
}

/// Removes the jobs that never ran, because nodes were down, from the jobs and from all results of single
/// jobs. `recording` counts them.
fn completed(
    jobs: Arc<Vec<Job>>,
    mut run: EngineRun,
    recording: &mut Recording,
) -> (Arc<Vec<Job>>, EngineRun) {
    let count = |fate| run.records.iter().filter(|record| record.fate == fate).count() as u64;
    let (given_up, never_started) = (count(Fate::GivenUp), count(Fate::NeverStarted));
    if given_up + never_started == 0 {
        return (jobs, run);
    }
    let has_run: Vec<bool> = run.records.iter().map(|record| record.fate == Fate::Completed).collect();
    recording.keep(&has_run);
    if let Some(outages) = &mut recording.outages {
        (outages.given_up, outages.never_started) = (given_up, never_started);
    }
    if let Some(traffic) = &mut run.traffic {
        retain(&mut traffic.jobs, &has_run);
    }
    retain(&mut run.records, &has_run);
    let mut left = jobs.to_vec();
    retain(&mut left, &has_run);
    (Arc::new(left), run)
}
