//! The jobs of a replay: arrivals scaled, all within the range of time, none that the machine or the allocator can
//! never hold.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::log::LoadedLog;
use crate::allocator::{self, Built, Request, Setup};
use crate::job::{Job, Shape, Time};
use crate::machine::{Machine, Mesh};
use crate::spec::{Spec, SpecError};
use crate::workload::{Oversize, Rules, Synthetic, SyntheticError, scaled};

/// What to do about jobs that do not fit.
const SKIP: &str = "--oversize skip, or oversize=skip in the rules of a study, leaves such jobs out";

/// Why jobs cannot be replayed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JobsError {
    /// A job is larger than the machine, and the rules do not leave such jobs out.
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
    /// The allocator refuses a job on an idle machine, and the rules do not leave such jobs out.
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

/// Returns the jobs of `log` with arrivals multiplied by `arrival_scale`.
pub(super) fn scaled_jobs(log: &LoadedLog, arrival_scale: f64) -> Result<Vec<Job>, JobsError> {
    within_range(&log.name, scaled(&log.workload.jobs, arrival_scale), arrival_scale)
}

/// Returns the jobs that a workload model draws and `rules` keep, with arrivals multiplied by `arrival_scale`, and how
/// many the rules leave out.
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

/// Returns `jobs` if a replay of them cannot pass the last representable time. Times beyond are clamped to it, and
/// results would be wrong without a word; so even if every job waited for all others, the last end must be within.
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

/// Splits the jobs of `log` into those that have no more processors than `machine` and a count of the rest. With
/// [`Oversize::Error`], fails on the first that has more; with [`Oversize::Skip`], fails only if none is left.
pub fn fitting(
    log: &str,
    jobs: &Arc<Vec<Job>>,
    machine: &Mesh,
    oversize: Oversize,
) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
    let nodes = machine.nodes();
    split(log, jobs, machine, oversize, &|job| job.procs <= nodes, |log, number, asked, machine| {
        JobsError::TooLarge { log, number, asked, machine, nodes }
    })
}

/// Splits the jobs of `log` into those that `allocator` finds a place for while nothing else runs on `machine` and a
/// count of the rest. Fails as [`fitting`] does.
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
    let fits = |job: &Job| served.get(&Request::from(job)).is_none_or(|&fits| fits);
    split(log, jobs, machine, oversize, &fits, |log, number, asked, machine| {
        let allocator = allocator::short(allocator);
        JobsError::NeverFits { log, number, asked, allocator, machine }
    })
}

/// Splits `jobs` into those that fit and a count of the rest. With [`Oversize::Error`], fails on the first misfit with
/// what `misfit` makes of the log, the job's number, what it asks for and the machine; with [`Oversize::Skip`], fails
/// only if nothing fits.
fn split(
    log: &str,
    jobs: &Arc<Vec<Job>>,
    machine: &Mesh,
    oversize: Oversize,
    fits: &dyn Fn(&Job) -> bool,
    misfit: impl Fn(String, i64, String, String) -> JobsError,
) -> Result<(Arc<Vec<Job>>, u64), JobsError> {
    let Some(first) = jobs.iter().find(|job| !fits(job)) else { return Ok((Arc::clone(jobs), 0)) };
    let (log, machine) = (log.to_owned(), machine.to_string());
    if oversize == Oversize::Error {
        return Err(misfit(log, first.number, asked(&Request::from(first)), machine));
    }
    let fitting: Vec<Job> = jobs.iter().filter(|job| fits(job)).copied().collect();
    if fitting.is_empty() {
        return Err(JobsError::NoneFits { log, machine, jobs: jobs.len() });
    }
    let left_out = (jobs.len() - fitting.len()) as u64;
    Ok((Arc::new(fitting), left_out))
}

/// What `request` asks for in words: `24 processors` or `24 processors as 6x4`.
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

/// Returns for each of `requests` that is not larger than the machine whether the allocator serves it while nothing
/// else runs. The map is empty for allocators that never refuse.
pub(super) fn served(
    requests: impl Iterator<Item = Request>,
    mesh: &Mesh,
    spec: &Spec,
) -> Result<BTreeMap<Request, bool>, JobsError> {
    let mut found = BTreeMap::new();
    let Built { promises, mut strategy, .. } = allocator::build(spec, &Setup { mesh, seed: 0 })?;
    // Whoever takes more than is asked for may need more than there is.
    if promises.complete && promises.exact {
        return Ok(found);
    }
    let machine = Machine::new(mesh.clone());
    for request in requests.filter(|request| request.procs <= mesh.nodes()) {
        found.entry(request).or_insert_with(|| strategy.propose(&request, &machine).is_some());
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
