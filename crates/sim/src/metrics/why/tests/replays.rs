//! Schedules of every scheduler: the times of the twin, exact sums, and the law of EASY.

use super::super::{Explained, Run, WaitCause, explain};
use super::Numbers;
use super::twin::{Event, Twin};
use crate::engine::{Observer, Parts, Placed, replay};
use crate::execution::RecordedRunTimes;
use crate::scheduler::{self, SCHEDULERS};
use meshreplay_alloc::allocator::{self, Setup};
use meshreplay_base::job::{Job, JobId, Logged, Shape, Time};
use meshreplay_base::spec::Spec;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::Mesh;
use meshreplay_testing::Tested;

struct Unobserved;

impl Observer for Unobserved {
    fn allocated(&mut self, _job: JobId, _placed: Option<Placed<'_>>, _cost_ns: u64) {}
    fn released(&mut self, _cost_ns: u64) {}
}

/// Replays jobs and returns the schedule.
fn schedule(jobs: &[Job], mesh: &Mesh, scheduler: &Spec, allocator: &str) -> Result<Vec<Run>, String> {
    let (mut scheduler, _) = scheduler::build(scheduler).map_err(|error| error.to_string())?;
    let allocator: Spec = allocator.parse().map_err(|error| format!("{error}"))?;
    let mut built = allocator::build(&allocator, &Setup::new(mesh, 1)).map_err(|error| error.to_string())?;
    let parts = Parts {
        mesh: mesh.clone(),
        scheduler: &mut *scheduler,
        allocator: &mut built.strategy,
        execution: &mut RecordedRunTimes::default(),
        timed: false,
        outages: None,
        predictions: None,
        stop: Stop::default(),
    };
    let records = replay(jobs, parts, &mut Unobserved).map_err(|error| error.to_string())?;
    let runs = jobs.iter().zip(&records).map(|(job, record)| Run {
        submit: job.submit,
        start: record.start,
        end: record.end,
        nodes: record.allocated,
        limit: Some(job.estimate),
    });
    Ok(runs.collect())
}

/// Jobs that arrive in bursts, with estimates that are exact, too long or too short.
fn random_jobs(numbers: &mut Numbers, nodes: u32) -> Vec<Job> {
    let mut submit_s = 0;
    let mut job = |number| {
        submit_s += i64::from(numbers.below(12) / 3);
        let run_s = i64::from(numbers.below(30));
        let estimate_s = if numbers.below(4) == 0 { 15 } else { run_s } + i64::from(numbers.below(20));
        let [submit, run, estimate] = [submit_s, run_s, estimate_s].map(Time::from_seconds);
        let logged =
            Logged { wait: Some(Time::from_seconds(i64::from(numbers.below(40)))), ..Logged::default() };
        let most = if numbers.below(3) == 0 { nodes } else { 5 };
        Job {
            number,
            submit,
            run,
            estimate,
            procs: 1 + numbers.below(most),
            shape: Shape::NearSquare,
            logged,
        }
    };
    (1..=50).map(&mut job).collect()
}

/// Explains a schedule by the twin.
fn explained_by_twin(runs: &[Run], nodes: u32) -> Vec<super::JobWhy> {
    let mut events = Vec::new();
    for (run, job) in runs.iter().zip(0..) {
        events.push((run.submit, 1, Event::Arrive(job, run.submit, run.nodes, run.limit)));
        events.push((run.start, 2, Event::Start(job)));
        events.push((run.end, if run.end > run.start { 0 } else { 3 }, Event::End(job)));
    }
    events.sort_by_key(|&(time, kind, _)| (time, kind));
    let (mut twin, mut jobs) = (Twin::new(nodes, &[]), vec![super::JobWhy::default(); runs.len()]);
    for (time, _, event) in events {
        twin.apply(Event::Advance(time));
        if let (Event::End(job), Some(why)) = (event, twin.apply(event)) {
            jobs[job as usize] = why;
        }
    }
    jobs
}

/// Checks that the times of each job add up to its wait.
fn check_sums(runs: &[Run], found: &Explained) {
    for (run, why) in runs.iter().zip(&found.jobs) {
        assert_eq!(why.sum(), run.start - run.submit, "{run:?} {why:?}");
    }
}

/// The schedulers of the registry and variants of EASY, with the largest share of waiting that is free to
/// start: 0 under EASY by arrival, unless none is promised.
fn schedulers() -> Result<Vec<(Spec, f64)>, Box<dyn std::error::Error>> {
    let is_easy = |name: &str| if name == "easy" { 0.0 } else { 1.0 };
    let mut specs: Vec<_> = SCHEDULERS.iter().map(|row| (Spec::named(row.name), is_easy(row.name))).collect();
    for (text, most) in [
        ("easy:pass=per-event", 0.0),
        ("easy:backfill=sjbf", 0.0),
        ("easy:order=sjf", 1.0),
        ("conservative:pass=per-event,compress=once", 1.0),
        ("bypass-queue:threshold=7", 1.0),
    ] {
        specs.push((text.parse()?, most));
    }
    Ok(specs)
}

#[test]
fn random_schedules_give_the_times_of_the_twin_and_easy_leaves_nothing_free() -> Tested {
    let mut numbers = Numbers(7);
    let mesh: Mesh = "4x4".parse()?;
    let mut waited = 0.0;
    for seed in 0..1_000 {
        let jobs = random_jobs(&mut numbers, mesh.available());
        for (scheduler, most) in schedulers()? {
            let runs = schedule(&jobs, &mesh, &scheduler, "naive")?;
            let found = explain(&runs, &[(Time::ZERO, mesh.available())], &[]);
            assert_eq!(found.jobs, explained_by_twin(&runs, mesh.available()), "{scheduler} {seed}");
            check_sums(&runs, &found);
            assert!(found.total.share(WaitCause::Free) <= most, "{scheduler} {seed}");
            assert!(scheduler.name != "fcfs" || found.overtaking.to_bits() == 0, "{seed}");
            waited += found.total.seconds(WaitCause::Reserved);
        }
    }
    assert!(waited > 10_000.0, "{waited}");
    Ok(())
}

#[test]
fn easy_leaves_nothing_free_with_any_allocator_that_never_refuses() -> Tested {
    let mut numbers = Numbers(8);
    let mesh: Mesh = "5x5:without=3,7-10,20,22-24".parse()?;
    for allocator in ["naive", "hilbert+bf", "mbs", "paging:size=0", "gen-alg", "mm"] {
        for _ in 0..50 {
            let jobs = random_jobs(&mut numbers, mesh.available());
            let runs = schedule(&jobs, &mesh, &Spec::named("easy"), allocator)?;
            let found = explain(&runs, &[(Time::ZERO, mesh.available())], &[]);
            check_sums(&runs, &found);
            assert_eq!(found.total.share(WaitCause::Free).to_bits(), 0, "{allocator}");
        }
    }
    Ok(())
}
