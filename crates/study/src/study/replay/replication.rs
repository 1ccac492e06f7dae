//! One replication of a replay: the engine with its parts, and the measuring observer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::fold::{JOBS_AT_ONCE, ReplayContext};
use super::{Outcome, Replay, RunError, TakeRows, explains, is_recorded, outages};
use crate::audit::LiveAudit;
use crate::study::log::RecordedNodes;
use crate::study::options::Options;
use crate::study::replay_spec::Coordinate;
use meshreplay_alloc::allocator::follows_lists;
use meshreplay_base::job::{Job, Time};
use meshreplay_base::prediction::PredictionError;
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::engine::{
    self, ArrivalSource, JobList, Observer, Opening, OutagePlan, Parts, PredictionPlan, ReplayError,
};
use meshreplay_sim::execution::{Traffic, has_traffic};
use meshreplay_sim::guest;
use meshreplay_sim::metrics::{Has, Monitor, Needs, Recorder, RowSink, Why};
use meshreplay_sim::scheduler::RECORDED;

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

impl<'a> Feed<'a> {
    /// Returns the list; empty for a stream.
    pub(super) fn list(&self) -> &'a [Job] {
        match self {
            Self::Listed(jobs, _) => jobs,
            Self::Streamed(_) => &[],
        }
    }
}

/// The results of the engine.
pub(in crate::study) struct EngineRun {
    /// Network traffic; `None` without a network.
    pub(super) traffic: Option<Traffic>,
    /// Wall-clock time, without the time blocked on the source.
    pub(super) wall: Duration,
}

impl Replication<'_> {
    /// Runs the replication. `listed` are the recorded nodes of the jobs; `rows` receives streamed jobs.
    pub(super) fn run(
        &self,
        listed: Option<&RecordedNodes>,
        rows: Option<TakeRows<'_>>,
    ) -> Result<Outcome, RunError> {
        match self.replay.stream(self.options, rows.is_some()) {
            Some(stream) => self.run_stream(stream, rows),
            None => self.run_list(listed),
        }
    }

    /// Returns the requirements of columns that the replication meets.
    pub(super) fn has(&self) -> Has {
        let Self { replay, options, .. } = *self;
        let spec = &replay.spec;
        let is_tree = spec.machine.levels().is_some();
        Coordinate::with_given(options.has(), || std::iter::once(spec))
            .with(Needs::Trees, is_tree)
            .with(Needs::TreeFragmentation, is_tree && options.fragmentation.is_some())
            .with(Needs::Network, has_traffic(&spec.network))
            .with(Needs::Predictions, spec.rules.prediction().is_some())
            // Every log has starts to compare with.
            .with(Needs::Recorded, true)
            .with(Needs::RecordedNodes, follows_lists(&spec.allocator))
            .with(Needs::Why, options.why || explains(spec, replay.source.is_of_site(), replay.assumes_size))
    }

    /// Returns the outages that are known in advance: those of the file of outages, or else of the log.
    fn planned(&self, outages: Option<&OutagePlan>) -> Arc<[[Time; 2]]> {
        let of_file = outages.map(|plan| &plan.changes.planned).filter(|planned| !planned.is_empty());
        of_file.map_or_else(|| Arc::clone(&self.replay.spec.planned), |planned| planned.as_slice().into())
    }

    /// The same as pairs of a beginning and an end.
    pub(super) fn known_outages(&self, outages: Option<&OutagePlan>) -> Vec<(Time, Time)> {
        self.planned(outages).iter().map(|&[begin, end]| (begin, end)).collect()
    }

    /// Returns the observer that takes the measurements in the options and passes jobs to `sink`. `jobs` is
    /// empty for a stream.
    pub(super) fn recorder<'r>(
        &'r self,
        jobs: &'r [Job],
        context: &ReplayContext<'_>,
        outages: Option<&OutagePlan>,
        listed: Option<&'r RecordedNodes>,
        sink: RowSink<'r>,
    ) -> Recorder<'r> {
        let (Self { options, monitor, .. }, first_arrival) = (*self, context.first_arrival);
        let mesh = &self.replay.spec.machine;
        let mut recorder = Recorder::new(mesh, options.timed, monitor, sink);
        if options.contention {
            recorder = recorder.with_contention(mesh);
        }
        if let Some(slices) = &options.fragmentation {
            recorder = recorder.with_fragmentation(mesh, slices, first_arrival, options.jobs);
        }
        if options.why || is_recorded(&self.replay.spec) {
            let known = self.known_outages(outages);
            let why = Why::new(mesh.available()).with_period(context.trim.period).with_outages(&known);
            recorder = recorder.with_why(why);
        }
        if options.placements && options.jobs {
            let kept = if context.keeps_jobs { usize::MAX } else { JOBS_AT_ONCE };
            recorder = recorder.with_placements(kept);
        }
        if let Some(RecordedNodes { lists, .. }) = listed {
            recorder = recorder.with_lists(jobs, lists);
        }
        if options.by_shape && options.jobs {
            recorder = recorder.with_refusals();
        }
        if outages.is_some() {
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
        let jobs = feed.list();
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
            // Recorded starts are kept, whatever was planned.
            planned: match &*spec.scheduler.name {
                RECORDED => Arc::default(),
                _ => self.planned(outages.as_ref()),
            },
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
        let mut list;
        let arrivals = match feed {
            Feed::Listed(jobs, _) => {
                list = JobList::new(jobs, &spec.machine)?;
                &mut list
            }
            Feed::Streamed(arrivals) => arrivals,
        };
        let ran = if options.audit {
            let mut watch = LiveAudit::new(&spec.machine, observer, stop.clone());
            let ran = engine::replay(arrivals, parts, &mut watch);
            ran.and_then(|()| watch.finish().map_err(ReplayError::Failed))
        } else {
            engine::replay(arrivals, parts, observer)
        };
        ran.map_err(|error| self.replay.reworded(error))?;
        let wall = began.elapsed().saturating_sub(arrivals.waited());
        Ok(EngineRun { wall, traffic: execution.traffic() })
    }
}
