//! Schedules of any tool: results of ours, logs with wait times, tables of Batsim; and what their allocator can serve.

use std::path::Path;

use super::error::InspectError;
use crate::allocator::{self, Contiguity, Request, Served, Setup, Strategy};
use crate::audit::{self, Schedule, ScheduledJob};
use crate::frame::{self, Selected, Selection, Sheet};
use crate::job::Shape;
use crate::machine::{Cuboid, Frames, Machine, Mesh, NodeId};
use crate::spec::Spec;
use crate::trace::{Format, SWF};
use crate::workload::{Rules, ShapeRule};

/// A schedule, and what the summary beside it says of its replay. Each is `None` if there is no summary.
#[derive(Debug, Default)]
pub struct Input {
    /// Where it was read from, as messages call it.
    pub name: String,
    /// The schedule.
    pub schedule: Schedule,
    /// Name of the log.
    pub log: Option<String>,
    /// The machine.
    pub machine: Option<Mesh>,
    /// The scheduler's spec.
    pub scheduler: Option<String>,
    /// The allocator's spec.
    pub allocator: Option<String>,
    /// The workload rules.
    pub rules: Option<String>,
}

/// What decides whether a job can start.
pub(super) enum StartRule {
    /// As many free nodes as it takes.
    Counts,
    /// Whether the allocator has a place for it.
    Places(Places),
    /// That cannot be told, for this reason.
    Unknown(&'static str),
}

/// Asks an allocator whether it has a place for a job.
pub(super) struct Places {
    strategy: Strategy,
    /// The shape of jobs that bring none.
    shape: ShapeRule,
    kind: Contiguity,
}

impl Places {
    /// Returns whether a job has a place on a machine in this state; `None` if its shape is not known.
    pub(super) fn has_place(&mut self, job: &ScheduledJob, machine: &Machine) -> Option<bool> {
        let request = self.request(job, machine)?;
        match self.strategy.served {
            Served::ByCount => {
                Some(self.strategy.nodes_for(&request, machine.mesh()).least <= machine.free_count())
            }
            Served::ByState(_) => Some(self.strategy.foresee(&request, machine).is_some()),
            Served::BySubmesh(submeshes) => {
                let mut frames = Frames::default();
                Some((submeshes.sizes)(&request, machine.mesh()).into_iter().any(|sizes| {
                    frames.find(machine, sizes);
                    frames.first().is_some()
                }))
            }
        }
    }

    /// What a job has asked for, as far as the number of its nodes confirms it: the shape that the rules give it or,
    /// where its nodes are a box, that box.
    fn request(&self, job: &ScheduledJob, machine: &Machine) -> Option<Request> {
        let mesh = machine.mesh();
        let takes = |request: &Request| self.strategy.nodes_for(request, mesh).most == job.allocated;
        let ruled = Request { procs: job.procs, shape: self.shape.shape(job.procs) };
        let nodes: Vec<NodeId> = job.each_node().collect();
        let own =
            Cuboid::around(mesh, &nodes).map(|place| Request { shape: Shape::Sides(place.sizes), ..ruled });
        // A box says more than the rule, as a job may have brought its own shape; parts may form another box by chance.
        let candidates =
            if self.kind == Contiguity::Contiguous { [own, Some(ruled)] } else { [Some(ruled), own] };
        candidates.into_iter().flatten().find(takes)
    }
}

impl Input {
    /// Reads a directory of `replay -o`, or a file: a log if its name says so, or else a table.
    pub fn read(path: &Path, selection: Selection) -> Result<Self, InspectError> {
        let nothing = |schedule| Self { name: path.display().to_string(), schedule, ..Self::default() };
        if Format::of_path(path) == Some(SWF) {
            return Ok(nothing(audit::read_swf(path)?));
        }
        let Selected { of, schedule, .. } = frame::read_schedule(path, selection)?;
        let mut input = nothing(schedule);
        if let (true, Some((replay, seed))) = (path.is_dir(), of) {
            input.describe(&Sheet::read(path)?, replay, seed);
        }
        Ok(input)
    }

    fn describe(&mut self, sheet: &Sheet, replay: u32, seed: u64) {
        let label = |name: &str, i: usize| sheet.column(name).map(|column| column.label(i));
        let same = |i: &usize| {
            label("replay", *i) == Some(replay.to_string()) && label("seed", *i) == Some(seed.to_string())
        };
        let Some(row) = (0..sheet.height()).find(same) else { return };
        self.log = label("log", row);
        self.machine = label("machine", row).and_then(|machine| machine.parse().ok());
        self.scheduler = label("scheduler", row);
        self.allocator = label("allocator", row);
        self.rules = label("rules", row);
    }

    /// What decides on `machine` whether a job can start. Counts decide where the allocator is not known.
    pub(super) fn start_rule(&self, machine: &Mesh) -> StartRule {
        let spec = self.allocator.as_ref().and_then(|spec| spec.parse::<Spec>().ok());
        let built = spec.and_then(|spec| {
            let (entry, _) = allocator::find(&spec).ok()?;
            Some((allocator::build(&spec, &Setup { mesh: machine, seed: 0 }).ok()?.strategy, entry.kind))
        });
        let Some((strategy, kind)) = built else { return StartRule::Counts };
        if strategy.moves_jobs {
            return StartRule::Unknown("the allocator makes jobs wait for others that move");
        }
        if matches!(strategy.served, Served::ByCount) {
            return StartRule::Counts;
        }
        if self.schedule.jobs.iter().any(|job| job.nodes.is_none()) {
            return StartRule::Unknown(
                "the allocator may refuse jobs although enough processors are free, and their nodes are not here; \
                 `replay -o --placements` keeps them",
            );
        }
        let rules = self.rules.as_ref().and_then(|rules| rules.parse::<Rules>().ok());
        let shape = rules.map(|rules| rules.shape).unwrap_or_default();
        StartRule::Places(Places { strategy, shape, kind })
    }

    /// Returns the machine, as given or else as the results have it.
    pub(super) fn machine(&self, given: Option<&Mesh>) -> Result<Mesh, InspectError> {
        let known = given.or(self.machine.as_ref()).cloned();
        known.ok_or_else(|| InspectError::NoMachine(self.name.clone()))
    }
}
