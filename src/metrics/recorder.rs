//! The observer that measures each placement as it is made, so that placements need not be kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::compactions::Compactions;
use super::contention::{Contention, JobContention};
use super::cost::Cost;
use super::dispersal::{Dispersal, Meter};
use crate::allocator::{Placement, Rearrangement};
use crate::engine::{Compaction, Observer};
use crate::job::{JobId, Time};
use crate::machine::{Mesh, NodeId, intervals};
use crate::stop::Stop;

/// What threads share with a running replay: its progress, and the switch that stops it.
#[derive(Debug, Default)]
pub struct Monitor {
    /// Jobs of earlier replications.
    pub earlier: AtomicUsize,
    /// Jobs that have ended so far, with those of earlier replications.
    pub finished: AtomicUsize,
    /// Set to stop the replay.
    pub stop: Stop,
}

/// All that a [`Recorder`] has measured.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Dispersal of each job's placement, by job.
    pub dispersal: Vec<Dispersal>,
    /// Duration of the call that placed each job, by job; 0 where calls are not timed.
    pub allocate_ns: Vec<u64>,
    /// Calls that placed a job.
    pub allocate: Cost,
    /// Calls that were refused.
    pub refused: Cost,
    /// Releases.
    pub release: Cost,
    /// Plans by which running jobs made room for others.
    pub compactions: Compactions,
    /// The estimate of contention; `None` unless it is wanted.
    pub contention: Option<ContentionRecord>,
    /// The nodes of each job as intervals, by job, the last ones of a job that was moved; empty unless that is wanted.
    pub placements: Vec<String>,
}

/// The static contention of a replay.
#[derive(Clone, Debug, Default)]
pub struct ContentionRecord {
    /// Of each job as it starts, by job.
    pub jobs: Vec<JobContention>,
    /// Pairs of messages that meet times the seconds that they do.
    pub pair_seconds: f64,
}

/// The observer of a replay that gathers dispersal and cost.
pub struct Recorder<'a> {
    meter: Meter,
    timed: bool,
    monitor: &'a Monitor,
    contention: Option<Contention>,
    /// Jobs that have started, where contention is estimated.
    started: Vec<bool>,
    recording: Recording,
}

impl<'a> Recorder<'a> {
    /// Makes the observer of a replay of `jobs` jobs on `mesh`; it keeps durations if `timed`.
    pub fn new(mesh: &Mesh, jobs: usize, timed: bool, monitor: &'a Monitor) -> Self {
        let recording = Recording {
            dispersal: vec![Dispersal::default(); jobs],
            allocate_ns: vec![0; jobs],
            allocate: Cost::default(),
            refused: Cost::default(),
            release: Cost::default(),
            compactions: Compactions::default(),
            contention: None,
            placements: Vec::new(),
        };
        Self { meter: Meter::new(mesh), timed, monitor, contention: None, started: Vec::new(), recording }
    }

    /// Has it estimate contention on `mesh` as well.
    #[must_use]
    pub fn with_contention(mut self, mesh: &Mesh) -> Self {
        self.contention = Some(Contention::new(mesh));
        let jobs = vec![JobContention::default(); self.recording.dispersal.len()];
        self.started = vec![false; jobs.len()];
        self.recording.contention = Some(ContentionRecord { jobs, pair_seconds: 0.0 });
        self
    }

    /// Has it keep placements as well.
    #[must_use]
    pub fn with_placements(mut self) -> Self {
        self.recording.placements = vec![String::new(); self.recording.dispersal.len()];
        self
    }

    /// Returns all that was measured.
    pub fn finish(mut self) -> Recording {
        if let (Some(contention), Some(record)) = (&self.contention, &mut self.recording.contention) {
            record.pair_seconds = contention.pair_seconds();
        }
        self.recording
    }
}

impl Observer for Recorder<'_> {
    fn allocated(&mut self, job: JobId, placement: Option<&Placement>, cost_ns: u64) {
        let recording = &mut self.recording;
        let cost = match placement {
            Some(placement) => {
                recording.dispersal[job as usize] = self.meter.measure(&placement.nodes);
                recording.allocate_ns[job as usize] = cost_ns;
                &mut recording.allocate
            }
            None => &mut recording.refused,
        };
        if self.timed { cost.add(cost_ns) } else { cost.count() }
    }

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], now: Time) {
        if let (Some(contention), Some(record)) = (&mut self.contention, &mut self.recording.contention) {
            let found = contention.add(nodes, now);
            // A job that moves counts as it was when it started.
            if !std::mem::replace(&mut self.started[job as usize], true) {
                record.jobs[job as usize] = found;
            }
        }
        if let Some(placement) = self.recording.placements.get_mut(job as usize) {
            *placement = intervals(nodes);
        }
    }

    fn vacated(&mut self, nodes: &[NodeId], now: Time) {
        if let Some(contention) = &mut self.contention {
            contention.remove(nodes, now);
        }
    }

    fn compaction(&mut self, what: Compaction, plan: &Rearrangement) {
        self.recording.compactions.count(what, plan);
    }

    fn released(&mut self, cost_ns: u64) {
        let cost = &mut self.recording.release;
        if self.timed { cost.add(cost_ns) } else { cost.count() }
    }

    fn finished(&mut self, jobs: usize) {
        let earlier = self.monitor.earlier.load(Ordering::Relaxed);
        self.monitor.finished.store(earlier + jobs, Ordering::Relaxed);
    }
}
