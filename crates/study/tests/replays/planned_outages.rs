//! Planned outages of the whole machine: no job starts that would run into one by its estimate, and none is
//! kept back otherwise. Plain schedulers, which look at every job at every instant, give the same starts.

use std::sync::Arc;

use meshreplay_base::job::{Job, Time};
use meshreplay_base::spec::Spec;
use meshreplay_sim::metrics::Monitor;
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_study::study::{JobSource, Options, Replay, ReplaySpec};
use meshreplay_testing::{Numbers, Tested};

use super::scheduler_laws::schedulers;

/// Nodes of the machine, 4x4.
const NODES: u32 = 16;

/// The planned outages in seconds. Estimates are at most 90 s, so some gaps have no room for the longest
/// jobs.
const PLANNED: [[i64; 2]; 4] = [[40, 75], [150, 151], [230, 330], [450, 600]];

/// Jobs that arrive in bursts. Estimates are exact, too long or, with `overrun`, too short.
fn random_jobs(seed: u64, overrun: bool) -> Vec<Job> {
    let mut numbers = Numbers(seed);
    let mut submit_s = 0;
    let job = |number| {
        submit_s += i64::from(numbers.below(15));
        let run_s = i64::from(numbers.below(50));
        let least_s = if overrun { 0 } else { run_s };
        let estimate_s = least_s + i64::from(numbers.below(40));
        let [submit, run, estimate] = [submit_s, run_s, estimate_s].map(Time::from_seconds);
        Job { number, submit, run, estimate, procs: 1 + numbers.below(9), ..Job::default() }
    };
    (1..=80).map(job).collect()
}

/// Returns the starts of the jobs in seconds, in their order.
fn starts(
    jobs: &[Job],
    scheduler: &Spec,
    allocator: &str,
    planned: &[[i64; 2]],
) -> Result<Vec<i64>, Box<dyn std::error::Error>> {
    let spec = ReplaySpec::new("4x4".parse()?, scheduler.clone(), allocator.parse()?);
    let planned: Arc<[[Time; 2]]> = planned.iter().map(|span| span.map(Time::from_seconds)).collect();
    let source = JobSource::recorded(Arc::new(jobs.to_vec()), 0);
    let options = Options { jobs: true, audit: true, ..Options::default() };
    let mut outcomes =
        Replay::new(ReplaySpec { planned, ..spec }, source).run(&options, &Monitor::default())?;
    let outcome = outcomes.pop().ok_or("no outcome")?;
    Ok(outcome.jobs.iter().map(|job| seconds(job.record.start)).collect())
}

fn seconds(time: Time) -> i64 {
    time.as_micros() / 1_000_000
}

/// Returns whether a job that starts at `now` with this estimate ends before the next outage.
fn is_in_time(now: i64, estimate_s: i64) -> bool {
    PLANNED.iter().all(|&[begin, end]| now >= end || now + estimate_s <= begin)
}

#[test]
fn nothing_starts_that_would_run_into_a_planned_outage() -> Tested {
    for seed in 0..6 {
        let jobs = random_jobs(seed, seed % 2 == 1);
        for scheduler in schedulers()?.iter().filter(|scheduler| scheduler.name != RECORDED) {
            for allocator in ["naive", "hilbert+bf", "first-fit:turn=yes", "paging:size=1", "buddy-2d"] {
                let found = starts(&jobs, scheduler, allocator, &PLANNED)?;
                for (job, start) in jobs.iter().zip(found) {
                    let label =
                        format!("seed {seed}, {scheduler}, {allocator}: job {} at {start} s", job.number);
                    assert!(is_in_time(start, seconds(job.estimate)), "{label}");
                }
            }
        }
    }
    Ok(())
}

/// A plain scheduler.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plain {
    Fcfs,
    Easy,
    All,
}

/// Returns the starts of the jobs under a plain scheduler that looks at every second.
fn plain_starts(jobs: &[Job], scheduler: Plain) -> Vec<i64> {
    let mut starts = vec![None; jobs.len()];
    let [estimate_s, run_s] = [|job: &Job| seconds(job.estimate), |job: &Job| seconds(job.run)];
    for now in 0.. {
        // Ends of this second come first. A job of 0 s ends in the second of its start, after a pass.
        loop {
            let before = starts.clone();
            let is_running = |i: usize| starts[i].is_some_and(|start: i64| start + run_s(&jobs[i]) > now);
            let in_use: u32 = (0..jobs.len()).filter(|&i| is_running(i)).map(|i| jobs[i].procs).sum();
            let mut free = NODES - in_use;
            // By estimates, the end of each running job with its nodes.
            let mut ends: Vec<(i64, u32)> = (0..jobs.len())
                .filter(|&i| is_running(i))
                .filter_map(|i| Some((starts[i]? + estimate_s(&jobs[i]), jobs[i].procs)))
                .collect();
            // The shadow time of the head, and the extra nodes.
            let mut head: Option<(i64, u32)> = None;
            for (i, job) in jobs.iter().enumerate() {
                if starts[i].is_some() || seconds(job.submit) > now {
                    continue;
                }
                let (fits, ends_at) = (job.procs <= free, now + estimate_s(job));
                let may_start = fits && is_in_time(now, estimate_s(job));
                let delays = head.is_some_and(|(shadow, extra)| ends_at > shadow && job.procs > extra);
                if may_start && !delays {
                    starts[i] = Some(now);
                    free -= job.procs;
                    ends.push((ends_at, job.procs));
                    if let Some((shadow, extra)) = head.as_mut().filter(|(shadow, _)| ends_at > *shadow) {
                        (*shadow, *extra) = (*shadow, *extra - job.procs);
                    }
                    continue;
                }
                match scheduler {
                    Plain::Fcfs => break,
                    Plain::Easy if head.is_none() && !may_start => {
                        let free_at = |at: i64| {
                            free + ends
                                .iter()
                                .filter(|(end, _)| *end <= at)
                                .map(|(_, procs)| procs)
                                .sum::<u32>()
                        };
                        let shadow =
                            ends.iter().map(|(end, _)| *end).filter(|&end| free_at(end) >= job.procs).min();
                        // It waits for the end of an outage: no job that starts before delays it.
                        let shadow = shadow.filter(|&at| !fits && in_time_from(now, at, estimate_s(job)));
                        head = shadow.map(|at| (at, free_at(at) - job.procs));
                    }
                    Plain::Easy | Plain::All => {}
                }
            }
            if starts == before {
                break;
            }
        }
        if starts.iter().all(Option::is_some) {
            break;
        }
    }
    starts.into_iter().flatten().collect()
}

/// Returns whether a job that starts at `at` ends before the first outage that is not over at `now`.
fn in_time_from(now: i64, at: i64, estimate_s: i64) -> bool {
    PLANNED.iter().find(|[_, end]| now < *end).is_none_or(|[begin, _]| at + estimate_s <= *begin)
}

#[test]
fn starts_equal_those_of_plain_schedulers() -> Tested {
    let mut kept_back = 0;
    for seed in 0..40 {
        let jobs = random_jobs(seed, false);
        for (name, plain) in [("fcfs", Plain::Fcfs), ("easy", Plain::Easy), ("first-fit-queue", Plain::All)] {
            let scheduler = Spec::named(name);
            let found = starts(&jobs, &scheduler, "naive", &PLANNED)?;
            assert_eq!(found, plain_starts(&jobs, plain), "seed {seed}, {name}");
            kept_back += usize::from(found != starts(&jobs, &scheduler, "naive", &[])?);
        }
    }
    assert_eq!(kept_back, 120, "outages matter in every log");
    Ok(())
}

#[test]
fn recorded_starts_are_kept() -> Tested {
    let mut jobs = random_jobs(3, false);
    let free = starts(&jobs, &Spec::named("easy"), "naive", &[])?;
    for (job, start) in jobs.iter_mut().zip(&free) {
        job.logged.wait = Some(Time::from_seconds(*start) - job.submit);
    }
    assert_eq!(starts(&jobs, &Spec::named(RECORDED), "naive", &PLANNED)?, free);
    Ok(())
}
