//! The jobs of a cell: arrivals scaled, all within the range of time, none that the machine or the allocator can never
//! hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::log::LoadedLog;
use crate::allocator::{self, Request, Setup};
use crate::job::{Job, Shape, Time};
use crate::machine::{Machine, Mesh};
use crate::spec::{Spec, SpecError};
use crate::workload::{Oversize, Rules, Synthetic, SyntheticError, scaled};

/// What to do about jobs that do not fit.
const SKIP: &str = "--oversize skip, or oversize=skip in the rules of a study, leaves such jobs out";

/// Why jobs cannot be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JobsError {
    /// A job is larger than the machine, and nobody said that such jobs are to be left out.
    #[error("{log}: job {number} asks for {asked}, machine {machine} has {nodes}; {SKIP}")]
    TooLarge {
        /// Name of the log.
        log: String,
        /// The job's number in the log.
        number: i64,
        /// What it asks for, in words.
        asked: String,
        /// The machine.
        machine: String,
        /// Its nodes.
        nodes: u32,
    },
    /// The allocator refuses a job on an idle machine, and nobody said that such jobs are to be left out.
    #[error(
        "{log}: job {number} asks for {asked}, which '{allocator}' does not find on machine {machine} even if it is \
         idle; {SKIP}"
    )]
    NeverFits {
        /// Name of the log.
        log: String,
        /// The job's number in the log.
        number: i64,
        /// What it asks for, in words.
        asked: String,
        /// The allocator, in short.
        allocator: String,
        /// The machine.
        machine: String,
    },
    /// Without the jobs that never fit none is left.
    #[error("{log}: no job to replay on machine {machine}; all {jobs} are larger or never find a place")]
    NoneFits {
        /// Name of the log.
        log: String,
        /// The machine.
        machine: String,
        /// Number of jobs.
        jobs: usize,
    },
    /// A replay could pass the last representable time.
    #[error(
        "{log}: arrivals (field 2 of a log) times {arrival_scale:e} and run times (field 4) leave the range of time, \
         292,000 years; `meshreplay trace info` shows the log's, the arrival scale changes arrivals"
    )]
    OutOfRange {
        /// Name of the log.
        log: String,
        /// What arrivals were multiplied by.
        arrival_scale: f64,
    },
    /// A workload model gives none.
    #[error(transparent)]
    Model(#[from] SyntheticError),
    /// The allocator cannot be built.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

/// The jobs of `log`, arrivals multiplied by `arrival_scale`.
pub(super) fn scaled_jobs(log: &LoadedLog, arrival_scale: f64) -> Result<Vec<Job>, JobsError> {
    within_range(&log.name, scaled(&log.workload.jobs, arrival_scale), arrival_scale)
}

/// The jobs of a workload model by `rules`, arrivals multiplied by `arrival_scale`, and how many the rules leave out.
pub(super) fn drawn_jobs(
    model: &Synthetic,
    rules: &Rules,
    arrival_scale: f64,
    seed: u64,
    machine: &Mesh,
) -> Result<(Vec<Job>, u64), JobsError> {
    let drawn = model.draw(seed, machine.extents(), arrival_scale)?;
    let count = drawn.len();
    let jobs: Vec<Job> = drawn.into_iter().filter_map(|job| rules.drawn(job).ok()).collect();
    let left_out = (count - jobs.len()) as u64;
    Ok((within_range(&model.to_string(), jobs, arrival_scale)?, left_out))
}

/// Times beyond their range are clamped to it, and results would be wrong without a word; so even if every job waited
/// for all others, the last end must be within.
pub(super) fn within_range(log: &str, jobs: Vec<Job>, arrival_scale: f64) -> Result<Vec<Job>, JobsError> {
    let micros = |time: Time| i128::from(time.as_micros());
    let last_arrival = jobs.iter().map(|job| micros(job.submit)).max().unwrap_or_default();
    let runs: i128 = jobs.iter().map(|job| micros(job.run)).sum();
    if last_arrival + runs < micros(Time::MAX) {
        Ok(jobs)
    } else {
        Err(JobsError::OutOfRange { log: log.to_owned(), arrival_scale })
    }
}

/// The jobs of `log` that have no more processors than `machine`, and how many have more.
pub fn fitting(
    log: &str,
    jobs: &Arc<Vec<Job>>,
    machine: &Mesh,
    oversize: Oversize,
) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
    let nodes = machine.nodes();
    without(jobs, &|job| job.procs <= nodes, oversize, |misfit| {
        let (log, machine) = (log.to_owned(), machine.to_string());
        match misfit {
            Some(job) => JobsError::TooLarge {
                log,
                number: job.number,
                asked: asked(&Request::from(job)),
                machine,
                nodes,
            },
            None => JobsError::NoneFits { log, machine, jobs: jobs.len() },
        }
    })
}

/// The jobs of `log` that `allocator` finds a place for while nothing else runs on `machine`, and how many it does not.
///
/// An allocator that may refuse although enough nodes are free is asked once for every size and shape.
pub(super) fn placeable(
    log: &str,
    jobs: &Arc<Vec<Job>>,
    machine: &Mesh,
    allocator: &Spec,
    oversize: Oversize,
) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
    let served = served(jobs.iter().map(Request::from), machine, allocator)?;
    without(jobs, &|job| served.get(&Request::from(job)).is_none_or(|&fits| fits), oversize, |misfit| {
        let (log, machine) = (log.to_owned(), machine.to_string());
        match misfit {
            Some(job) => {
                let (number, allocator) = (job.number, allocator::short(allocator));
                JobsError::NeverFits { log, number, asked: asked(&Request::from(job)), allocator, machine }
            }
            None => JobsError::NoneFits { log, machine, jobs: jobs.len() },
        }
    })
}

/// The jobs that fit, and how many do not: `wrong` of the first of those is the error if they are one, of nobody if none
/// fits.
fn without(
    jobs: &Arc<Vec<Job>>,
    fits: &dyn Fn(&Job) -> bool,
    oversize: Oversize,
    wrong: impl Fn(Option<&Job>) -> JobsError,
) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
    let Some(misfit) = jobs.iter().find(|job| !fits(job)) else { return Ok((Arc::clone(jobs), 0)) };
    if oversize == Oversize::Error {
        return Err(wrong(Some(misfit)));
    }
    let fitting: Vec<Job> = jobs.iter().filter(|job| fits(job)).copied().collect();
    if fitting.is_empty() {
        return Err(wrong(None));
    }
    let left_out = (jobs.len() - fitting.len()) as u64;
    Ok((Arc::new(fitting), left_out))
}

/// `24 processors` or `24 processors as 6x4`.
pub(super) fn asked(request: &Request) -> String {
    match request.shape {
        Shape::NearSquare => format!("{} processors", request.procs),
        Shape::Slice(sides)
            if sides.iter().map(|&side| u128::from(side)).product::<u128>() < u128::from(request.procs) =>
        {
            format!(
                "{} processors, more than the largest box of the list has, {}",
                request.procs, request.shape
            )
        }
        shape => format!("{} processors as {shape}", request.procs),
    }
}

/// Whether each request that is not larger than the machine is served if nothing runs; nothing at all for allocators that
/// never refuse.
pub(super) fn served(
    requests: impl Iterator<Item = Request>,
    mesh: &Mesh,
    spec: &Spec,
) -> Result<BTreeMap<Request, bool>, JobsError> {
    let (entry, _) = allocator::find(spec)?;
    let mut found = BTreeMap::new();
    let (mut allocator, resolved) = allocator::build(spec, &Setup { mesh, seed: 0 })?;
    let promises = (entry.promises)(&resolved);
    // Whoever takes more than is asked for may need more than there is.
    if promises.complete && promises.exact {
        return Ok(found);
    }
    let mut machine = Machine::new(mesh.clone());
    for request in requests.filter(|request| request.procs <= mesh.nodes()) {
        found.entry(request).or_insert_with(|| {
            let Some(placement) = allocator.allocate(&request, &machine) else { return false };
            // A wrong placement is for the replay to complain of.
            if machine.occupy(&placement.nodes).is_ok() {
                machine.vacate(&placement.nodes);
            }
            allocator.released(&placement, &machine);
            true
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(shapes: &[[u32; 3]]) -> Arc<Vec<Job>> {
        let run = Time::from_seconds(1);
        let job = |(number, &sides): (i64, &[u32; 3])| {
            let Request { procs, shape } = Request::sides(sides);
            Job { number, submit: run, run, estimate: run, procs, shape }
        };
        Arc::new((1..).zip(shapes).map(job).collect())
    }

    #[test]
    fn jobs_that_never_fit_are_named_or_counted() -> Result<(), Box<dyn std::error::Error>> {
        let jobs = jobs(&[[2, 2, 1], [5, 1, 1], [1, 5, 1], [2, 2, 2], [9, 9, 9]]);
        let machine: Mesh = "5x4".parse()?;
        for (allocator, left) in [
            ("first-fit", &[1, 2][..]),
            ("first-fit:turn=yes", &[1, 2, 3]),
            ("gabl", &[1, 2, 3, 4]),
            ("naive", &[1, 2, 3, 4]),
        ] {
            let spec: Spec = allocator.parse()?;
            let (small, large) = fitting("a", &jobs, &machine, Oversize::Skip)?;
            let (found, misfits) = placeable("a", &small, &machine, &spec, Oversize::Skip)?;
            let numbers: Vec<i64> = found.iter().map(|job| job.number).collect();
            assert_eq!((numbers.as_slice(), large + misfits), (left, 5 - left.len() as u64), "{allocator}");
        }
        let message = |error: Option<JobsError>| error.map(|error| error.to_string()).unwrap_or_default();
        let found = placeable("a", &jobs, &machine, &"first-fit".parse()?, Oversize::Error);
        assert_eq!(
            message(found.err()),
            "a: job 3 asks for 5 processors as 1x5, which 'first-fit' does not find on machine 5x4 even if it is \
             idle; --oversize skip, or oversize=skip in the rules of a study, leaves such jobs out"
        );
        let found = fitting("a", &jobs, &machine, Oversize::Error);
        assert_eq!(
            message(found.err()),
            "a: job 5 asks for 729 processors as 9x9x9, machine 5x4 has 20; --oversize skip, or oversize=skip in the rules of a study, leaves such jobs out"
        );
        Ok(())
    }
}
