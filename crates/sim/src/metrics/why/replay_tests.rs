//! Schedules of every scheduler: the times of the twin, exact sums, and the law of EASY.

use super::twin::{Event, Twin};
use super::{JobRun, JobWhy, TotalWhy, WaitCause, Why, WhyShares, explain};
use crate::engine::{JobList, OutagePlan, Parts, replay};
use crate::execution::RecordedRunTimes;
use crate::metrics::{FinishedJob, Monitor, Recorder};
use crate::scheduler::{self, SCHEDULERS};
use meshreplay_alloc::allocator::{self, Setup};
use meshreplay_base::job::{Job, Logged, Shape, Time};
use meshreplay_base::spec::Spec;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::Mesh;
use meshreplay_machine::machine::outages::{NodeChange, Outages, Treatment};
use meshreplay_testing::{Numbers, Tested};

/// A replay: its jobs with their waits as explained while it ran.
struct Replay {
    jobs: Vec<FinishedJob>,
    shares: WhyShares,
}

impl Replay {
    fn run(
        jobs: &[Job],
        mesh: &Mesh,
        scheduler: &Spec,
        allocator: &str,
        outages: Option<OutagePlan>,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        Self::with_plans(jobs, mesh, scheduler, allocator, outages, &[])
    }

    /// As [`Self::run`], with outages of the whole machine that are known in advance.
    fn with_plans(
        jobs: &[Job],
        mesh: &Mesh,
        scheduler: &Spec,
        allocator: &str,
        outages: Option<OutagePlan>,
        planned: &[[Time; 2]],
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let (mut scheduler, _) = scheduler::build(scheduler)?;
        let mut built = allocator::build(&allocator.parse()?, &Setup::new(mesh, 1))?;
        let (mut finished, monitor) = (Vec::new(), Monitor::default());
        let mut sink = |batch| {
            finished.extend(batch);
            Vec::new()
        };
        let known: Vec<_> = planned.iter().map(|&[begin, end]| (begin, end)).collect();
        let why = Why::new(mesh.available()).with_outages(&known);
        let mut recorder = Recorder::new(mesh, false, &monitor, &mut sink).with_why(why);
        let parts = Parts {
            mesh: mesh.clone(),
            scheduler: &mut *scheduler,
            allocator: &mut built.strategy,
            execution: &mut RecordedRunTimes::default(),
            timed: false,
            outages,
            planned: planned.into(),
            predictions: None,
            opening: None,
            stop: Stop::default(),
        };
        replay(&mut JobList::new(jobs, mesh)?, parts, &mut recorder)?;
        let shares = recorder.finish().why.ok_or("causes are found")?;
        Ok(Self { jobs: finished, shares })
    }

    /// Returns the schedule.
    fn runs(&self) -> Vec<JobRun> {
        let run = |FinishedJob { job, record, .. }: &FinishedJob| JobRun {
            submit: job.submit,
            start: record.start,
            end: record.end,
            nodes: record.allocated,
            limit: Some(job.estimate),
        };
        self.jobs.iter().map(run).collect()
    }

    /// Returns the causes of each job that ran. They add up to its wait, less the runs that it lost.
    fn causes(&self) -> Vec<JobWhy> {
        let causes = |FinishedJob { job, record, measures }: &FinishedJob| {
            let why = measures.more().why.expect("causes are found");
            assert_eq!(why.sum(), record.start - job.submit - record.lost, "{job:?} {record:?} {why:?}");
            why
        };
        self.jobs.iter().map(causes).collect()
    }

    fn seconds(&self, cause: WaitCause) -> f64 {
        let mut total = TotalWhy::default();
        self.causes().iter().for_each(|why| total.add(why));
        total.seconds(cause)
    }
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
fn explained_by_twin(runs: &[JobRun], nodes: u32) -> Vec<JobWhy> {
    let mut events = Vec::new();
    for (run, job) in runs.iter().zip(0..) {
        events.push((run.submit, 1, Event::Arrive(job, run.submit, run.nodes, run.limit)));
        events.push((run.start, 2, Event::Start(job)));
        events.push((run.end, if run.end > run.start { 0 } else { 3 }, Event::End(job)));
    }
    events.sort_by_key(|&(time, kind, _)| (time, kind));
    let (mut twin, mut jobs) = (Twin::new(nodes, &[]), vec![JobWhy::default(); runs.len()]);
    for (time, _, event) in events {
        twin.apply(Event::Advance(time));
        if let (Event::End(job), Some(why)) = (event, twin.apply(event)) {
            jobs[job as usize] = why;
        }
    }
    jobs
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
            let replay = Replay::run(&jobs, &mesh, &scheduler, "naive", None)?;
            let runs = replay.runs();
            let found = explain(&runs, &[(Time::ZERO, mesh.available())], &[], None);
            assert_eq!(found.jobs, explained_by_twin(&runs, mesh.available()), "{scheduler} {seed}");
            assert_eq!(found.jobs, replay.causes(), "{scheduler} {seed}");
            let free = found.total.share(WaitCause::Free);
            assert_eq!(replay.shares, WhyShares { free, overtaking: found.overtaking });
            assert!(free <= most, "{scheduler} {seed}");
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
            let replay = Replay::run(&jobs, &mesh, &Spec::named("easy"), allocator, None)?;
            assert_eq!(replay.seconds(WaitCause::Free).to_bits(), 0, "{allocator}");
            assert_eq!(replay.seconds(WaitCause::NoPlace).to_bits(), 0, "{allocator}");
        }
    }
    Ok(())
}

/// Schedulers that try every job that fits by count, or every one that is not reserved by count, leave
/// nothing free: what the allocator refuses has no place.
#[test]
fn refused_jobs_wait_for_a_place() -> Tested {
    let mut numbers = Numbers(9);
    let mesh: Mesh = "8x8".parse()?;
    for allocator in ["first-fit", "best-fit", "frame-sliding", "buddy-2d", "anca"] {
        let mut no_place = 0.0;
        for _ in 0..50 {
            let jobs = random_jobs(&mut numbers, 40);
            let replay = Replay::run(&jobs, &mesh, &Spec::named("first-fit-queue"), allocator, None)?;
            assert_eq!(replay.seconds(WaitCause::Free).to_bits(), 0, "{allocator}");
            no_place += replay.seconds(WaitCause::NoPlace);
            let easy = Replay::run(&jobs, &mesh, &Spec::named("easy"), allocator, None)?;
            assert_eq!(easy.seconds(WaitCause::Free).to_bits(), 0, "{allocator}");
        }
        assert!(no_place > 50.0, "{allocator}: {no_place}");
    }
    Ok(())
}

#[test]
fn easy_leaves_nothing_free_during_outages() -> Tested {
    let mut numbers = Numbers(10);
    let mesh: Mesh = "4x4".parse()?;
    let mut outage = 0.0;
    for seed in 0..400 {
        let jobs = random_jobs(&mut numbers, 14);
        let mut changes = Vec::new();
        for _ in 0..12 {
            let (node, begin) = (numbers.below(16), numbers.below(200));
            for (time, is_down) in [(begin, true), (begin + 1 + numbers.below(80), false)] {
                changes.push(NodeChange { time: Time::from_seconds(i64::from(time)), node, is_down });
            }
        }
        let treatment = if seed % 2 == 0 { Treatment::Drain } else { Treatment::Requeue { limit: 3 } };
        let plan = OutagePlan { changes: Outages::listed(changes), treatment };
        let replay = Replay::run(&jobs, &mesh, &Spec::named("easy"), "naive", Some(plan))?;
        assert_eq!(replay.seconds(WaitCause::Free).to_bits(), 0, "{seed}");
        outage += replay.seconds(WaitCause::Outage);
    }
    assert!(outage > 10_000.0, "{outage}");
    Ok(())
}

#[test]
fn easy_leaves_nothing_free_before_planned_outages() -> Tested {
    let mut numbers = Numbers(11);
    let mesh: Mesh = "4x4".parse()?;
    let mut outage = 0.0;
    for seed in 0..400 {
        let jobs = random_jobs(&mut numbers, 14);
        let at = |seconds: u32| Time::from_seconds(i64::from(seconds));
        let planned: Vec<[Time; 2]> = (0..3)
            .map(|number| {
                let begin = number * 100 + 20 + numbers.below(40);
                [at(begin), at(begin + 1 + numbers.below(30))]
            })
            .collect();
        let easy = Spec::named("easy");
        let replay = Replay::with_plans(&jobs, &mesh, &easy, "naive", None, &planned)?;
        assert_eq!(replay.seconds(WaitCause::Free).to_bits(), 0, "{seed}: {planned:?}");
        for FinishedJob { job, record, .. } in &replay.jobs {
            let planned_end = record.start + job.estimate;
            let is_inside = |&[begin, end]: &[Time; 2]| begin < planned_end && record.start < end;
            assert!(!planned.iter().any(is_inside), "{seed}: {record:?} {planned:?}");
        }
        outage += replay.seconds(WaitCause::Outage);
    }
    assert!(outage > 1000.0, "{outage}");
    Ok(())
}
