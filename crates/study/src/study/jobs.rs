//! Selection of the jobs of a replay: scales arrival times, checks that all times are representable, and
//! finds jobs that the machine or the allocator can never serve. Depending on the rules, such jobs are left
//! out or are an error.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "a list of jobs without some of its members is not longer; sums of times are in 128 bits"
)]

use std::collections::BTreeMap;
use std::sync::Arc;

use super::log::LoadedLog;
use super::replay_spec::ReplaySpec;
use meshreplay_alloc::allocator::{BuildError, Built, Request};
use meshreplay_base::job::{Job, Shape, Time};
use meshreplay_base::spec::{Spec, SpecError};
use meshreplay_base::stop::Stop;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Machine, Mesh};
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_workload::{Model, ModelError, Oversize, Rules, scaled, scaled_submit};

/// The advice at the end of messages about jobs that do not fit.
const SKIP: &str = "--oversize skip, or oversize=skip in the rules of a study, leaves such jobs out";

/// The reason why the jobs of a log cannot be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JobsError {
    /// The jobs of a log do not suit the machine, the allocator or the scheduler, or leave the range of time.
    #[error("{log}: {problem}")]
    Unsuited {
        /// The name of the log.
        log: String,
        /// The first such job, what was expected, and a remedy, in words.
        problem: String,
    },
    /// A workload model cannot draw jobs.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The allocator or another part cannot be built from its spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A guest allocator failed while it was asked which jobs it can serve. The text is a whole message.
    #[error("{0}")]
    Failed(String),
    /// The replay was stopped.
    #[error("interrupted")]
    Interrupted,
}

impl JobsError {
    fn unsuited(log: &str, problem: String) -> Self {
        Self::Unsuited { log: log.to_owned(), problem }
    }
}

impl From<BuildError> for JobsError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Spec(error) => Self::Spec(error),
            BuildError::Failed(message) => Self::Failed(message),
            BuildError::Interrupted => Self::Interrupted,
        }
    }
}

/// Returns the jobs of `log` for a replay, with arrival times multiplied by its scale. In a period, arrivals
/// are scaled from its beginning on. The list is shared with the log if nothing differs. Fails if a replay
/// could run past the last representable time.
pub(super) fn scaled_jobs(log: &LoadedLog, spec: &ReplaySpec) -> Result<Arc<Vec<Job>>, JobsError> {
    let ReplaySpec { partition, arrival_scale, .. } = spec;
    let (partitions, arrival_scale, all) = (partition.as_ref(), *arrival_scale, &log.workload.jobs);
    if let Some(period) = spec.period {
        let mut jobs = log.jobs_in(period, spec);
        for job in jobs.iter_mut().filter(|job| job.submit >= period.from) {
            job.submit = period.from + scaled_submit(job.submit - period.from, arrival_scale);
        }
        return check_range(&log.name, &jobs, arrival_scale).map(|()| Arc::new(jobs));
    }
    let stays = |job: &Job| scaled_submit(job.submit, arrival_scale) == job.submit;
    let jobs = if partitions.is_none() && all.iter().all(stays) {
        Arc::clone(all)
    } else {
        Arc::new(scaled(&log.jobs_of(partitions), arrival_scale))
    };
    check_range(&log.name, &jobs, arrival_scale).map(|()| jobs)
}

/// Draws jobs from a workload model for `machine`. Returns the jobs that `rules` keep, with arrival times
/// multiplied by `arrival_scale`, and the number of jobs that the rules leave out.
pub(super) fn drawn_jobs(
    model: &Model,
    rules: &Rules,
    arrival_scale: f64,
    seed: u64,
    machine: &Mesh,
) -> Result<(Vec<Job>, u64), JobsError> {
    let share = f64::from(machine.available()) / f64::from(machine.nodes());
    let drawn = model.on_share(share).draw(seed, machine.extents(), arrival_scale)?;
    let count = drawn.len();
    let jobs: Vec<Job> = drawn.into_iter().filter_map(|job| rules.drawn(job).ok()).collect();
    check_range(&model.to_string(), &jobs, arrival_scale)?;
    let left_out = (count - jobs.len()) as u64;
    Ok((jobs, left_out))
}

/// Fails if a replay of `jobs` could run past the last representable time, see [`TimeRange::check`].
pub(super) fn check_range(log: &str, jobs: &[Job], arrival_scale: f64) -> Result<(), JobsError> {
    let mut range = TimeRange::EMPTY;
    for job in jobs {
        range.add(job);
    }
    range.check(log, arrival_scale)
}

/// The last arrival and the sum of all run times of jobs.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeRange {
    pub(super) last_arrival: Time,
    /// 128 bits hold the sum of any number of run times without overflow.
    run_micros: i128,
}

impl TimeRange {
    /// The range before the first job.
    pub(super) const EMPTY: Self = Self { last_arrival: Time::from_micros(i64::MIN), run_micros: 0 };

    /// Adds a job.
    pub(super) fn add(&mut self, job: &Job) {
        self.last_arrival = self.last_arrival.max(job.submit);
        self.run_micros += i128::from(job.run.as_micros());
    }

    /// Fails if a replay could run past the last representable time. Times beyond it would be clamped, and
    /// results would be wrong without a message. In the worst case, jobs run one after the other once all
    /// have arrived, so the bound is the last arrival plus the sum of all run times.
    pub(super) fn check(self, log: &str, arrival_scale: f64) -> Result<(), JobsError> {
        let last_micros = i128::from(self.last_arrival.as_micros());
        if last_micros + self.run_micros < i128::from(Time::MAX.as_micros()) {
            return Ok(());
        }
        let problem = format!(
            "arrivals (field 2 of a log) times {arrival_scale:e} and run times (field 4) leave the range of \
             time, 292,000 years; `meshreplay trace info` shows the log's, the arrival scale changes arrivals"
        );
        Err(JobsError::unsuited(log, problem))
    }
}

/// Splits the jobs of `log` into those with at most as many processors as `machine` has available nodes, and
/// the number of larger jobs. With [`Oversize::Error`], fails on the first larger job. With
/// [`Oversize::Skip`], fails only if every job is larger.
pub fn fitting(
    log: &str,
    jobs: &Arc<Vec<Job>>,
    machine: &Mesh,
    oversize: Oversize,
) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
    let nodes = machine.available();
    let fits = |job: &Job| job.procs <= nodes;
    let (fitting, larger) = split(log, jobs, machine, oversize, &fits, None)?;
    Ok((fitting, larger.len() as u64))
}

/// Splits the jobs of `log` by whether `allocator` finds nodes for them on the idle `machine`. Fails in the
/// same cases as [`fitting`], and names the allocator by its `label`.
///
/// An allocator that may refuse a job although enough nodes are free is asked once per size and shape.
pub(super) fn placeable(
    log: &str,
    jobs: &Arc<Vec<Job>>,
    machine: &Mesh,
    allocator: Built,
    label: &str,
    stop: &Stop,
    oversize: Oversize,
) -> Result<(Arc<Vec<Job>>, Vec<Job>), JobsError> {
    let served = served(jobs.iter().map(kind_of), machine, allocator);
    if stop.is_thrown() {
        // An allocator that is stopped, or a guest that has failed, refuses every request.
        let failed = |reason: &str| JobsError::Failed(reason.to_owned());
        return Err(stop.reason().map_or(JobsError::Interrupted, failed));
    }
    let fits = |job: &Job| served.get(&kind_of(job)).is_none_or(|&fits| fits);
    split(log, jobs, machine, oversize, &fits, Some(label))
}

/// Returns the request of a job without its recorded nodes. Jobs of one size and shape have equal requests.
pub(super) fn kind_of(job: &Job) -> Request {
    Request::from(job).kind()
}

/// Fails if the scheduler follows recorded waits and no job of `log` has one.
pub(super) fn check_waits(log: &str, jobs: &[Job], scheduler: &Spec) -> Result<(), JobsError> {
    let needs_waits = scheduler.name == RECORDED && !jobs.is_empty();
    if needs_waits && jobs.iter().all(|job| job.logged.wait.is_none()) {
        let problem = format!(
            "no job has a recorded wait (field 3 of a log), and scheduler '{RECORDED}' starts jobs by it; \
             expected a log that says when its jobs started, which `meshreplay trace info` tells, or another \
             scheduler"
        );
        return Err(JobsError::unsuited(log, problem));
    }
    Ok(())
}

/// Splits `jobs` by `fits`. Fails like [`Misfits::check`].
fn split(
    log: &str,
    jobs: &Arc<Vec<Job>>,
    machine: &Mesh,
    oversize: Oversize,
    fits: &dyn Fn(&Job) -> bool,
    allocator: Option<&str>,
) -> Result<(Arc<Vec<Job>>, Vec<Job>), JobsError> {
    let Some(first) = jobs.iter().find(|job| !fits(job)) else { return Ok((Arc::clone(jobs), Vec::new())) };
    let (fitting, others): (Vec<Job>, Vec<Job>) = jobs.iter().copied().partition(|job| fits(job));
    let first = Some((Request::from(first), first.number));
    let misfits = Misfits { first, count: others.len() as u64, jobs: jobs.len() as u64 };
    misfits.check(log, machine, oversize, allocator)?;
    Ok((Arc::new(fitting), others))
}

/// The jobs that do not fit.
pub(super) struct Misfits {
    /// The request of the first one and its number; `None` if all jobs fit.
    pub(super) first: Option<(Request, i64)>,
    /// Number of jobs that do not fit.
    pub(super) count: u64,
    /// Number of all jobs.
    pub(super) jobs: u64,
}

impl Misfits {
    /// Returns their number. With [`Oversize::Error`], fails on the first one, because it is larger than
    /// `machine` or, if `allocator` is given, because that finds no nodes for it. With [`Oversize::Skip`],
    /// fails only if no job fits.
    pub(super) fn check(
        &self,
        log: &str,
        machine: &Mesh,
        oversize: Oversize,
        allocator: Option<&str>,
    ) -> Result<u64, JobsError> {
        let Some((request, number)) = self.first else { return Ok(0) };
        let problem = if oversize == Oversize::Error {
            let (asked, nodes) = (asked(&request), machine.available());
            let remedy = self.remedy(allocator);
            match allocator {
                None => format!("job {number} asks for {asked}, machine {machine} has {nodes}; {remedy}"),
                Some(allocator) => format!(
                    "job {number} asks for {asked}, which '{allocator}' does not find on machine {machine} \
                     even if it is idle; {remedy}"
                ),
            }
        } else if self.count == self.jobs {
            let jobs = self.jobs;
            format!("no job to replay on machine {machine}; all {jobs} are larger or never find a place")
        } else {
            return Ok(self.count);
        };
        Err(JobsError::unsuited(log, problem))
    }

    /// Returns the advice at the end of a message. It is not to leave out most jobs of a log.
    fn remedy(&self, allocator: Option<&str>) -> String {
        let Self { count, jobs, .. } = self;
        match allocator {
            _ if 2 * count <= *jobs => SKIP.to_owned(),
            None => {
                format!("{count} of {jobs} jobs are larger, so give a larger machine, such as --machine auto")
            }
            Some(_) => {
                format!("{count} of {jobs} jobs have no place, so give another allocator or a larger machine")
            }
        }
    }
}

/// Returns `request` in words, such as `24 processors` or `24 processors as 6x4`.
pub(super) fn asked(request: &Request) -> String {
    let processors = counted(request.procs, "processor");
    match request.shape {
        Shape::NearSquare => processors,
        Shape::Slice(sides)
            if sides.iter().map(|&side| u128::from(side)).product::<u128>() < u128::from(request.procs) =>
        {
            format!("{processors}, more than the largest box of the list has, {}", request.shape)
        }
        shape => format!("{processors} as {shape}"),
    }
}

/// Asks the allocator once for each request on the idle machine, and returns whether it finds nodes. Requests
/// larger than the machine are not in the map. The map is empty for allocators that never refuse a request
/// while enough nodes are free.
pub(super) fn served(
    requests: impl Iterator<Item = Request>,
    mesh: &Mesh,
    Built { promises, mut strategy, .. }: Built,
) -> BTreeMap<Request, bool> {
    let mut is_served = BTreeMap::new();
    // An allocator that is not exact may need more nodes than the machine has, so it is asked too.
    if promises.complete && promises.exact {
        return is_served;
    }
    let machine = Machine::new(mesh.clone());
    for request in requests.filter(|request| request.procs <= mesh.available()) {
        is_served.entry(request).or_insert_with(|| strategy.propose(&request, &machine).is_some());
    }
    is_served
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_alloc::allocator;

    fn jobs(shapes: &[[u32; 3]]) -> Arc<Vec<Job>> {
        let run = Time::from_seconds(1);
        let job = |(number, &sides): (i64, &[u32; 3])| {
            let Request { procs, shape, .. } = Request::sides(sides);
            Job { number, submit: run, run, estimate: run, procs, shape, ..Job::default() }
        };
        Arc::new((1..).zip(shapes).map(job).collect())
    }

    #[test]
    fn jobs_that_never_fit_are_named_or_counted() -> Result<(), Box<dyn std::error::Error>> {
        let jobs = jobs(&[[2, 2, 1], [5, 1, 1], [1, 5, 1], [2, 2, 2], [9, 9, 9]]);
        let (machine, stop): (Mesh, Stop) = ("5x4".parse()?, Stop::default());
        let built = |spec: &Spec| allocator::build(spec, &allocator::Setup::new(&machine, 0));
        for (allocator, left) in [
            ("first-fit", &[1, 2][..]),
            ("first-fit:turn=yes", &[1, 2, 3]),
            ("gabl", &[1, 2, 3, 4]),
            ("naive", &[1, 2, 3, 4]),
        ] {
            let spec: Spec = allocator.parse()?;
            let (small, large) = fitting("a", &jobs, &machine, Oversize::Skip)?;
            let (found, misfits) =
                placeable("a", &small, &machine, built(&spec)?, allocator, &stop, Oversize::Skip)?;
            let numbers: Vec<i64> = found.iter().map(|job| job.number).collect();
            assert_eq!(
                (numbers.as_slice(), large + misfits.len() as u64),
                (left, 5 - left.len() as u64),
                "{allocator}"
            );
        }
        let message = |error: Option<JobsError>| error.map(|error| error.to_string()).unwrap_or_default();
        let found = placeable(
            "a",
            &jobs,
            &machine,
            built(&"first-fit".parse()?)?,
            "first-fit",
            &stop,
            Oversize::Error,
        );
        assert_eq!(
            message(found.err()),
            "a: job 3 asks for 5 processors as 1x5, which 'first-fit' does not find on machine 5x4 even if \
             it is idle; --oversize skip, or oversize=skip in the rules of a study, leaves such jobs out"
        );
        let found = fitting("a", &jobs, &machine, Oversize::Error);
        assert_eq!(
            message(found.err()),
            "a: job 5 asks for 729 processors as 9x9x9, machine 5x4 has 20; --oversize skip, or \
                 oversize=skip in the rules of a study, leaves such jobs out"
        );
        Ok(())
    }
}
