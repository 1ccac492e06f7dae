//! Reads schedules of any tool: results of this program, logs with wait times, and tables of Batsim. Also
//! decides which jobs the allocator of a schedule can start.

use std::mem;
use std::path::Path;

use super::InspectError;
use crate::frame::{self, Downtimes, Replication, SavedJobs, SavedTable, Selected, Selection};
use meshreplay_alloc::allocator::{self, Contiguity, Request, Served, Setup, Strategy};
use meshreplay_base::job::{Period, Shape, Time};
use meshreplay_base::spec::Spec;
use meshreplay_logs::{Format, ReadOptions, Reader, SWF};
use meshreplay_machine::machine::outages::OutageSource;
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, NodeId, Submesh};
use meshreplay_study::audit::{KnownOutages, LogSchedule, Schedule, ScheduleStream, ScheduledJob};
use meshreplay_study::study::PeriodChoice;
use meshreplay_workload::{Rules, ShapeRule};

/// A schedule, and the facts about its replay from the summary in the same directory. Each fact is `None`
/// without a summary.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Input {
    /// The path that the schedule was read from, as messages show it.
    pub name: String,
    /// The jobs of the schedule.
    pub jobs: Jobs,
    /// Whether the schedule is a log and no result of a replay.
    pub is_log: bool,
    /// Whether it is one of the replays in a file or directory of results.
    pub is_of_replays: bool,
    /// Notes on how a log was read, each a sentence without a full stop.
    pub notes: Vec<String>,
    /// Whether nodes went down and came up. The schedule has the last run of each job only.
    pub has_outages: bool,
    /// Downtimes and killed runs; `None` if they were not kept.
    pub outages: Option<KnownOutages>,
    /// The name of the log.
    pub log: Option<String>,
    /// The machine.
    pub machine: Option<Mesh>,
    /// The spec of the scheduler.
    pub scheduler: Option<String>,
    /// The spec of the allocator.
    pub allocator: Option<String>,
    /// The workload rules.
    pub rules: Option<String>,
    /// The period that counts; `None` for all times.
    pub period: Option<CoveredPeriod>,
    /// Whether planned outages kept jobs from starting.
    pub has_planned_outages: bool,
}

/// The period of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoveredPeriod {
    /// The period.
    pub period: Period,
    /// Its beginning and its end, in words.
    pub words: String,
    /// Whether the schedule has no jobs that ended before it.
    pub is_of_replay: bool,
}

/// The jobs of a schedule, which can be read from the first to the last any number of times.
#[derive(Debug)]
pub enum Jobs {
    /// From results, or from a table of Batsim.
    Saved(SavedJobs),
    /// From a log.
    Log(LogSchedule),
}

impl Default for Jobs {
    /// Returns no jobs.
    fn default() -> Self {
        Self::Saved(SavedJobs::Whole(Schedule::default()))
    }
}

impl Jobs {
    /// Returns the jobs one by one, in the order of the file. Each may be an error, after which no more come.
    pub fn walk(&self) -> Result<ScheduleStream<'_, InspectError>, InspectError> {
        Ok(match self {
            Self::Saved(jobs) => Box::new(jobs.walk().map(|job| Ok(job?))),
            Self::Log(log) => Box::new(log.walk()?.map(|job| Ok(job?))),
        })
    }

    /// Returns how many jobs there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::Saved(jobs) => jobs.count(),
            Self::Log(log) => log.count,
        }
    }

    /// Returns the number of records of jobs that never ran.
    pub(super) fn left_out(&self) -> u64 {
        match self {
            Self::Saved(jobs) => jobs.left_out(),
            Self::Log(log) => log.left_out,
        }
    }

    /// Returns the first submission of a job that still waits at the end of a log; `None` without one.
    pub(super) fn first_waiting(&self) -> Option<Time> {
        match self {
            Self::Saved(_) => None,
            Self::Log(log) => log.first_waiting,
        }
    }

    /// Returns the number of the first job with unknown nodes; `None` if all nodes are known.
    pub(super) fn first_without_nodes(&self) -> Result<Option<i64>, InspectError> {
        match self {
            Self::Saved(jobs) => Ok(jobs.first_without_nodes()?),
            // Logs give no nodes for schedules.
            Self::Log(log) => Ok(log.walk()?.next().transpose()?.map(|job| job.number)),
        }
    }
}

/// The rule that decides whether a job can start on a machine in some state.
pub(super) enum StartRule {
    /// The job can start if enough nodes are free.
    Counts,
    /// The job can start if the allocator finds nodes for it.
    Places(Places),
    /// It is not known whether the job can start, for this reason.
    Unknown(&'static str),
}

/// An allocator that is asked whether it finds nodes for a job.
pub(super) struct Places {
    strategy: Strategy,
    /// The rule for the shape of jobs that do not ask for one.
    shape: ShapeRule,
    kind: Contiguity,
}

impl Places {
    /// Returns whether the allocator finds nodes for a job on a machine in this state, or `None` if the job's
    /// shape is not known.
    pub(super) fn has_place(&mut self, job: &ScheduledJob, machine: &Machine) -> Option<bool> {
        let request = self.request(job, machine)?;
        match self.strategy.served_on(machine) {
            Served::ByCount => {
                Some(self.strategy.nodes_for(&request, machine.mesh()).least <= machine.free_count())
            }
            Served::ByState(_) => Some(self.strategy.foresee(&request, machine).is_some()),
            Served::BySubmesh(submeshes) => {
                let mut free_submeshes = FreeSubmeshes::default();
                let mut sizes = (submeshes.sizes)(&request, machine.mesh()).into_iter();
                Some(sizes.any(|sizes| free_submeshes.find_first(machine, sizes).is_some()))
            }
        }
    }

    /// Returns the job's request, or `None` if it is not known. The job's shape is not recorded, so there are
    /// two candidates: the shape by the workload rules, and, if the job's nodes form a submesh, the sides of
    /// that submesh. A candidate is right if the allocator would take as many nodes for it as the job has.
    fn request(&self, job: &ScheduledJob, machine: &Machine) -> Option<Request> {
        let mesh = machine.mesh();
        let takes = |request: &Request| self.strategy.nodes_for(request, mesh).most == job.allocated;
        let ruled = Request { shape: self.shape.shape(job.number, job.procs), ..Request::of(job.procs) };
        let nodes: Vec<NodeId> = job.each_node().collect();
        let own =
            Submesh::around(mesh, &nodes).map(|place| Request { shape: Shape::Sides(place.sizes), ..ruled });
        // Under a contiguous allocator the submesh of the nodes is the better evidence, as the job may have
        // asked for its own shape. Under other allocators the nodes can form a submesh by chance.
        let candidates =
            if self.kind == Contiguity::Contiguous { [own, Some(ruled)] } else { [Some(ruled), own] };
        candidates.into_iter().flatten().find(takes)
    }
}

/// Returns the format of the file at `path` if it is surely a log: its name is that of SWF, or its first line
/// is that of a format that records starts and ends and that looks like no other, such as a dump of a batch
/// system. `None` for any other file, and for one that cannot be read.
pub fn log_format(path: &Path) -> Option<&'static Format> {
    if Format::of_path(path) == Some(SWF) {
        return Some(SWF);
    }
    let reader = Reader::open(path, ReadOptions::default()).ok().filter(|_| path.is_file())?;
    Some(reader.format()).filter(|format| format.records_starts)
}

impl Input {
    /// Reads a schedule from a directory that `replay -o` wrote, or from a file. A file is read as a log if a
    /// format is given or if [`log_format`] finds one, and otherwise as a table of results or of Batsim.
    /// Tables contain all jobs, whatever partition is selected. `period` is the choice of the period; by
    /// default that of the replay or, for accounting dumps, that which the log covers.
    pub fn read(
        path: &Path,
        selection: Selection,
        options: &ReadOptions,
        period: Option<&PeriodChoice>,
    ) -> Result<Self, InspectError> {
        let nothing = |jobs| Self { name: path.display().to_string(), jobs, ..Self::default() };
        // Tables must be files, because they are read more than once.
        if options.format.is_some() || path.as_os_str() == "-" || log_format(path).is_some() {
            let mut log = LogSchedule::read(path, options.clone(), period)?;
            let (notes, covered) = (mem::take(&mut log.notes), log.period.take());
            let period = covered.map(|(period, words)| CoveredPeriod { period, words, is_of_replay: false });
            return Ok(Self { notes, is_log: true, period, ..nothing(Jobs::Log(log)) });
        }
        let Selected { of, jobs, has_outages, .. } = frame::read_schedule(path, selection)?;
        let mut input = Self { is_of_replays: of.is_some(), has_outages, ..nothing(Jobs::Saved(jobs)) };
        if let (true, Some(of)) = (path.is_dir(), of) {
            let summary = SavedTable::read(path)?;
            summary.check_jobs(path, &|other| (*other == of).then(|| input.jobs.count()))?;
            input.describe(&summary, of);
            input.has_planned_outages = frame::outages(path)? == Some(OutageSource::Recorded);
            if has_outages {
                let saved = frame::read_downtimes(path, &|number| number == of.replay)?;
                input.outages = saved.map(|mut saved| known(&saved.remove(&of).unwrap_or_default()));
            }
        }
        input.choose(period)?;
        Ok(input)
    }

    /// Replaces the period of results by the choice. Fails if that is a date, or empty.
    fn choose(&mut self, choice: Option<&PeriodChoice>) -> Result<(), InspectError> {
        match choice {
            None | Some(PeriodChoice::Auto) => {}
            Some(PeriodChoice::Off) => self.period = None,
            Some(PeriodChoice::Between(from, to)) => {
                let ends = from.parse().ok().zip(to.parse().ok());
                let period = ends.and_then(|(from_s, to_s)| Period::from_seconds(from_s, to_s));
                let wrong =
                    || InspectError::Period { name: self.name.clone(), given: format!("{from}..{to}") };
                let words = format!("{from} s to {to} s");
                let given = CoveredPeriod { period: period.ok_or_else(wrong)?, words, is_of_replay: false };
                let is_same = |own: &CoveredPeriod| own.period == given.period && own.is_of_replay;
                if !self.period.as_ref().is_some_and(is_same) {
                    self.period = Some(given);
                }
            }
        }
        Ok(())
    }

    /// Fails if a partition was selected and no schedule is a log.
    pub fn check_partition(options: &ReadOptions, schedules: &[&Self]) -> Result<(), InspectError> {
        match schedules {
            [first, ..]
                if options.partition.is_some() && !schedules.iter().any(|schedule| schedule.is_log) =>
            {
                Err(InspectError::NoLog(first.name.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Copies the facts about a replication from the rows of a summary. Changes nothing if there is no such
    /// row.
    fn describe(&mut self, summary: &SavedTable, of: Replication) {
        let label = |name: &str, i: usize| summary.column(name).map(|column| column.label(i));
        let Some(row) = (0..summary.height()).find(|i| summary.replication(*i) == Some(of)) else { return };
        self.log = label("log", row);
        self.machine = label("machine", row).and_then(|machine| machine.parse().ok());
        self.scheduler = label("scheduler_spec", row);
        self.allocator = label("allocator_spec", row);
        self.rules = label("rules", row);
        let scale = summary.number("arrival_scale", row).unwrap_or(1.0);
        let covered = label("period", row).and_then(|period| period.parse::<Period>().ok());
        self.period = covered.map(|period| period.scaled(scale)).map(|period| CoveredPeriod {
            period,
            words: format!("{} s to {} s", period.from.as_seconds(), period.to.as_seconds()),
            is_of_replay: true,
        });
    }

    /// Returns the rule that decides whether a job can start on `machine`. If the allocator is not known, it
    /// is enough that enough nodes are free. Fails if the jobs cannot be read.
    pub(super) fn start_rule(&self, machine: &Mesh) -> Result<StartRule, InspectError> {
        if self.has_outages {
            return Ok(StartRule::Unknown("nodes went down and came up"));
        }
        if self.has_planned_outages {
            return Ok(StartRule::Unknown("planned outages kept jobs from starting"));
        }
        let spec = self.allocator.as_ref().and_then(|spec| spec.parse::<Spec>().ok());
        if spec.as_ref().is_some_and(Spec::is_guest) {
            return Ok(StartRule::Unknown(
                "the allocator is from outside, and only it knows which jobs it refuses",
            ));
        }
        let built = spec.and_then(|spec| {
            let (entry, _) = allocator::find(&spec).ok()?;
            Some((allocator::build(&spec, &Setup::new(machine, 0)).ok()?.strategy, entry.kind))
        });
        let Some((strategy, kind)) = built else { return Ok(StartRule::Counts) };
        if strategy.moves_jobs {
            return Ok(StartRule::Unknown("the allocator makes jobs wait for others that move"));
        }
        if matches!(strategy.served, Served::ByCount) {
            return Ok(StartRule::Counts);
        }
        if self.jobs.first_without_nodes()?.is_some() {
            return Ok(StartRule::Unknown(
                "the allocator may refuse jobs although enough processors are free, and their nodes are not \
                 here; `replay -o --placements` keeps them",
            ));
        }
        let rules = self.rules.as_ref().and_then(|rules| rules.parse::<Rules>().ok());
        let shape = rules.map(|rules| rules.shape).unwrap_or_default();
        Ok(StartRule::Places(Places { strategy, shape, kind }))
    }

    /// Returns the time in which all running and waiting jobs are known; `None` for all times.
    pub(super) fn known_queue(&self) -> Option<Period> {
        let all = Period { from: Time::from_micros(i64::MIN), to: Time::MAX };
        let Period { from, to } = self.period.as_ref().map_or(all, |inside| inside.period);
        let to = self.jobs.first_waiting().map_or(to, |waiting| waiting.min(to));
        (from, to).ne(&(all.from, all.to)).then_some(Period { from, to })
    }

    /// Returns the machine that is given, or else the machine of the summary. Fails if neither is known.
    pub(super) fn machine(&self, given: Option<&Mesh>) -> Result<Mesh, InspectError> {
        let known = given.or(self.machine.as_ref()).cloned();
        known.ok_or_else(|| InspectError::NoMachine(self.name.clone()))
    }
}

/// Converts saved outages for audits. All times fit, because those of the results do.
fn known(saved: &Downtimes) -> KnownOutages {
    let time = |time_s: f64| {
        if time_s.is_finite() { Time::from_micros((time_s * 1e6).round() as i64) } else { Time::MAX }
    };
    let down = saved.down.iter().map(|down| (down.nodes.clone(), time(down.from_s), time(down.until_s)));
    let killed = saved.killed.iter().map(|run| {
        let [submit, start, end] = run.row.times_s().map(time);
        ScheduledJob {
            row: run.killed_in.unwrap_or_default(),
            number: run.row.number,
            submit,
            start,
            end,
            estimate: end - start,
            procs: run.row.procs,
            asked: None,
            allocated: run.row.allocated,
            nodes: (!run.nodes.is_empty()).then(|| run.nodes.clone()),
            moved: false,
        }
    });
    KnownOutages { down: down.collect(), killed: killed.collect() }
}
