//! The promise of EASY to the head of the queue, for every allocator: if no job outlives its estimate, the
//! head starts no later than its shadow time when it became the head.

use meshreplay_alloc::allocator::{self, Built, Placement, Request, Served, Setup, follows_lists};
use meshreplay_base::job::{Job, Shape, Time};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::{Machine, Mesh, NodeId};
use meshreplay_sim::metrics::FinishedJob;
use meshreplay_study::audit::{Fits, Policy, PolicyCheck, Schedule, ScheduledJob, audit};
use meshreplay_study::study::Outcome;

use super::support::{Numbers, Tested, replay_with_placements, shared_log};
use meshreplay_alloc::laws::variants;

/// Parses intervals such as `0-3 7`.
fn intervals(text: &str) -> Result<Vec<(NodeId, NodeId)>, std::num::ParseIntError> {
    text.split_whitespace()
        .map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Ok((first.parse()?, last.parse()?))
        })
        .collect()
}

/// The schedule of a replay, with predictions as estimates if there are any.
pub(crate) fn schedule(outcome: &Outcome) -> Result<Schedule, std::num::ParseIntError> {
    let mut jobs = Vec::new();
    let is_predicted = outcome.summary.get("prediction_corrections").is_some();
    for (i, FinishedJob { job, record, measures }) in outcome.jobs.iter().enumerate() {
        jobs.push(ScheduledJob {
            row: i as u64 + 1,
            number: job.number,
            submit: job.submit,
            start: record.start,
            end: record.end,
            estimate: if is_predicted { record.prediction } else { job.estimate },
            procs: job.procs,
            asked: None,
            allocated: record.allocated,
            nodes: Some(intervals(&measures.more().nodes)?),
            moved: record.moves > 0,
        });
    }
    Ok(Schedule { jobs, left_out: 0 })
}

/// Whether a new allocator serves a request after a report of all busy nodes.
fn serves(spec: &Spec, request: &Request, machine: &Machine) -> bool {
    let mesh = machine.mesh();
    let Ok(Built { mut strategy, .. }) = allocator::build(spec, &Setup::new(mesh, 5)) else {
        return false;
    };
    // The builder has already reported unavailable nodes.
    let is_busy = |&node: &NodeId| mesh.is_available(node) && !machine.free().contains(node);
    let busy: Vec<NodeId> = (0..mesh.nodes()).filter(is_busy).collect();
    if !busy.is_empty() {
        strategy.taken(&Placement::of(busy), machine);
    }
    strategy.propose(request, machine).is_some()
}

/// Replays `jobs` and audits the promise. Returns the number of shadow times.
fn promises_kept(
    spec: &Spec,
    mesh: &Mesh,
    scheduler: &str,
    jobs: &[Job],
) -> Result<u64, Box<dyn std::error::Error>> {
    let outcome = replay_with_placements(jobs, &mesh.to_string(), scheduler, &spec.to_string())?;
    let schedule = schedule(&outcome)?;
    let strategy = allocator::build(spec, &Setup::new(mesh, 1))?.strategy;
    let counts = matches!(strategy.served, Served::ByCount);
    let shapes: Vec<Shape> = outcome.jobs.iter().map(|job| job.job.shape).collect();
    let mut has_place = |job: &ScheduledJob, machine: &Machine| {
        let request = Request { shape: shapes[job.row as usize - 1], ..Request::of(job.procs) };
        Some(serves(spec, &request, machine))
    };
    let fits = if counts { Fits::Counts } else { Fits::Places(&mut has_place) };
    let promised = PolicyCheck { policy: Policy::Easy, fits };
    let checked = audit(&schedule, mesh, Some(promised))
        .map_err(|violation| format!("{spec} on {mesh} under {scheduler}: {violation}"))?;
    assert_eq!(checked.void, 0, "{spec} on {mesh} under {scheduler}");
    Ok(checked.promises)
}

/// Allocators that keep EASY's promise. Allocators that move jobs suspend running jobs, which then outlive
/// their estimates, and delay the next job.
fn promising(mesh: &Mesh) -> impl Iterator<Item = Spec> {
    let moves = |spec: &Spec| {
        let built = allocator::build(spec, &Setup::new(mesh, 1));
        spec.name != "cost-free-compaction" && built.is_ok_and(|built| built.strategy.moves_jobs)
    };
    variants(mesh)
        .expect("every variant can be built")
        .into_iter()
        .map(|(spec, _)| spec)
        .filter(|spec| !moves(spec) && !follows_lists(spec))
        .collect::<Vec<_>>()
        .into_iter()
}

const SCHEDULERS: [&str; 2] = ["easy", "easy:pass=per-event"];

/// Jobs of all sizes that fit, half of them small. Estimates are exact or up to three times the run time.
fn random_jobs(numbers: &mut Numbers, nodes: u32, count: i64) -> Vec<Job> {
    let mut submit = 0;
    (0..count)
        .map(|number| {
            submit += i64::from(numbers.below(4));
            let run = 1 + i64::from(numbers.below(12));
            let estimate = run * (1 + i64::from(numbers.below(3)));
            let most = if numbers.below(2) == 0 { nodes.div_ceil(4) } else { nodes };
            let procs = 1 + numbers.below(most);
            let shape = [Shape::NearSquare, Shape::Factors, Shape::Row][numbers.below(3) as usize];
            let [submit, run, estimate] = [submit, run, estimate].map(Time::from_seconds);
            Job { number, submit, run, estimate, procs, shape, ..Job::default() }
        })
        .collect()
}

/// Keeps the jobs that the allocator serves on an idle machine.
pub(crate) fn served(spec: &Spec, mesh: &Mesh, jobs: &[Job]) -> Vec<Job> {
    let idle = Machine::new(mesh.clone());
    let fits = |job: &&Job| serves(spec, &Request::from(*job), &idle);
    jobs.iter().filter(fits).copied().collect()
}

#[test]
fn no_head_starts_after_its_shadow_time_on_random_logs() -> Tested {
    let mut numbers = Numbers(23);
    let mut promises = 0;
    for machine in [
        "13",
        "7x5",
        "4x3x3",
        "torus:6x5",
        "8x8",
        "6x5:wrap=x",
        "6x6:without=0,7,13-15,33",
        "torus:4x3x3:without=5-9",
        "torus:9",
        "torus:4x3x2",
    ] {
        let mesh: Mesh = machine.parse()?;
        for _ in 0..3 {
            let jobs = random_jobs(&mut numbers, mesh.available(), 60);
            for spec in promising(&mesh) {
                let jobs = served(&spec, &mesh, &jobs);
                for scheduler in SCHEDULERS {
                    promises += promises_kept(&spec, &mesh, scheduler, &jobs)?;
                }
            }
        }
    }
    assert!(promises > 1000, "{promises}");
    Ok(())
}

#[test]
fn no_head_starts_after_its_shadow_time_on_real_logs() -> Tested {
    for (file, machine) in [("KTH-SP2-1996-2.1-cln", "10x10"), ("SDSC-SP2-1998-4.2-cln", "16x8")] {
        let Some(log) = shared_log(file) else { continue };
        let mesh: Mesh = machine.parse()?;
        let jobs = &log.workload.jobs[..1500];
        for spec in promising(&mesh) {
            let jobs = served(&spec, &mesh, jobs);
            promises_kept(&spec, &mesh, "easy", &jobs)?;
        }
    }
    Ok(())
}
