//! Random logs under every scheduler with every allocator. The schedules are audited: no node has two jobs,
//! all times fit, and jobs start as their policy promises.

use std::sync::Arc;

use meshreplay::allocator::{self, ALLOCATORS, Served, Setup};
use meshreplay::audit::{Fits, Policy, PolicyCheck, Schedule, ScheduledJob, audit};
use meshreplay::job::{Job, Shape, Time};
use meshreplay::machine::{Mesh, parse_intervals};
use meshreplay::metrics::{FinishedJob, Monitor};
use meshreplay::scheduler::SCHEDULERS;
use meshreplay::spec::Spec;
use meshreplay::study::{JobSource, Options, Outcome, Replay, ReplaySpec};

use super::Target;

/// Small machines of every kind, so that queues are long.
const MACHINES: [&str; 7] = ["13", "6x4", "4x3x2", "torus:5x4", "torus:3x3x3", "8x4:wrap=x", "torus:9"];

pub(crate) const REPLAY: Target = Target {
    name: "replay",
    seeds: || {
        (0..80_u8)
            .map(|i| {
                (0..60_u8).map(|j| i.wrapping_mul(31).wrapping_add(j.wrapping_mul(17)) ^ (j << 3)).collect()
            })
            .collect()
    },
    words: &[],
    cost: 20,
    run: |bytes| {
        let byte = |i: usize| usize::from(bytes.get(i).copied().unwrap_or_default());
        let allocator = Spec::named(ALLOCATORS[byte(0) % ALLOCATORS.len()].name);
        let scheduler = Spec::named(SCHEDULERS[byte(1) % SCHEDULERS.len()].name);
        let machine: Mesh = MACHINES[byte(2) % MACHINES.len()].parse().expect("a machine");
        let jobs = jobs(bytes.get(3..).unwrap_or_default(), machine.nodes());
        match replay(&machine, &scheduler, &allocator, jobs) {
            Ok(outcome) => {
                check(&machine, &scheduler, &allocator, &outcome);
                format!("{scheduler} {allocator}")
            }
            Err(problem) => problem,
        }
    },
};

/// Returns a job for every four bytes: when it arrives after the one before, how long it runs, what it asks
/// for, and how well its run time is known.
fn jobs(bytes: &[u8], nodes: u32) -> Vec<Job> {
    let mut submit = Time::ZERO;
    let job = |(i, part): (usize, &[u8])| {
        let [gap, run, procs, more] =
            [0, 1, 2, 3].map(|k| i64::from(part.get(k).copied().unwrap_or_default()));
        submit = submit + Time::from_seconds(gap % 16);
        let run_s = Time::from_seconds(run % 40);
        let procs = 1 + procs as u32 % nodes;
        let estimate = Time::from_seconds((run % 40 + more % 20 - if more > 200 { 15 } else { 0 }).max(0));
        Job {
            number: i as i64 + 1,
            submit,
            run: run_s,
            estimate,
            procs,
            shape: Shape::NearSquare,
            ..Job::default()
        }
    };
    bytes.chunks(4).take(200).enumerate().map(job).collect()
}

fn replay(machine: &Mesh, scheduler: &Spec, allocator: &Spec, jobs: Vec<Job>) -> Result<Outcome, String> {
    let mut spec = ReplaySpec::new(machine.clone(), scheduler.clone(), allocator.clone());
    spec.rules = Arc::new("authors:oversize=skip".parse().expect("rules"));
    let options = Options { jobs: true, placements: true, ..Options::default() };
    let replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs), 0));
    let outcomes = replay.run(&options, &Monitor::default()).map_err(|error| error.to_string())?;
    outcomes.into_iter().next().ok_or_else(|| "no outcome".to_owned())
}

/// Audits a schedule.
fn check(machine: &Mesh, scheduler: &Spec, allocator: &Spec, outcome: &Outcome) {
    let of_schedule = |(i, FinishedJob { job, record, measures }): (usize, &FinishedJob)| ScheduledJob {
        row: i as u64 + 1,
        number: job.number,
        submit: job.submit,
        start: record.start,
        end: record.end,
        estimate: job.estimate,
        procs: job.procs,
        asked: None,
        allocated: record.allocated,
        nodes: Some(parse_intervals(&measures.more().nodes).expect("a list of nodes")),
        moved: record.moves > 0,
    };
    let schedule = Schedule { jobs: outcome.jobs.iter().enumerate().map(of_schedule).collect(), left_out: 0 };
    let strategy =
        allocator::build(allocator, &Setup::new(machine, 1)).expect("it was built before").strategy;
    let policy = match scheduler.name.as_str() {
        "fcfs" => Some(Policy::Fcfs),
        "easy" => Some(Policy::Easy),
        _ => None,
    };
    let fits = || {
        if matches!(strategy.served, Served::ByCount) && !strategy.moves_jobs {
            Fits::Counts
        } else {
            Fits::Unknown
        }
    };
    let promised = policy.map(|policy| PolicyCheck { policy, fits: fits() });
    if let Err(violation) = audit(&schedule, machine, promised) {
        panic!("{scheduler} with {allocator} on {machine}: {violation}");
    }
}
