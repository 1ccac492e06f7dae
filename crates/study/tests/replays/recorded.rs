//! The scheduler `recorded`: on feasible logs every job waits its recorded time. On other logs some jobs
//! start later, as in a plain reference implementation.

use meshreplay_base::job::{Job, Logged, Shape, Time};
use meshreplay_sim::engine::Record;
use meshreplay_workload::most_in_use;

use super::support::{Numbers, Tested, replay, shared_log};

/// Replays a log of ../shared/traces as recorded. Counts the jobs with another wait or another number of
/// nodes.
fn differences(
    file: &str,
    machine: &str,
    allocator: &str,
) -> Result<Option<usize>, Box<dyn std::error::Error>> {
    let Some(log) = shared_log(file) else { return Ok(None) };
    let jobs = &log.workload.jobs;
    let outcome = replay(jobs, machine, "recorded", allocator)?;
    assert_eq!(outcome.jobs.len(), jobs.len());
    let differs = |(job, record): &(&Job, &Record)| {
        Some(record.start - job.submit) != job.logged.wait
            || record.allocated != job.procs
            || record.end - record.start != job.run
    };
    let count = jobs.iter().zip(outcome.jobs.iter().map(|job| &job.record)).filter(differs).count();
    assert_eq!(outcome.summary.get("starts_delayed"), Some(count as f64));
    assert_eq!(outcome.summary.get("waits_unknown"), Some(0.0));
    Ok(Some(count))
}

#[test]
fn theta_is_replayed_as_it_was() -> Tested {
    for (machine, allocator) in [("61x72", "hilbert+bf"), ("4392", "naive")] {
        let found = differences("nonarchive-Theta-2022-waits", machine, allocator)?;
        assert!(found.is_none_or(|found| found == 0), "{machine}, {allocator}: {found:?}");
    }
    Ok(())
}

#[test]
fn mira_is_replayed_as_it_was_on_a_machine_that_its_log_fits() -> Tested {
    let Some(log) = shared_log("nonarchive-Mira-2018-waits") else { return Ok(()) };
    // The log has more busy processors than Mira's 49,152.
    let most = most_in_use(&log.workload.jobs);
    assert_eq!(most, 160_768);
    assert_eq!(differences("nonarchive-Mira-2018-waits", &most.to_string(), "naive")?, Some(0));
    let late = differences("nonarchive-Mira-2018-waits", &(most - 1).to_string(), "naive")?;
    assert!(late > Some(0), "{late:?}");
    Ok(())
}

/// Jobs of up to `procs` processors. Some run for 0 s, and some have no recorded wait.
fn random_jobs(seed: u64, procs: u32) -> Vec<Job> {
    let mut numbers = Numbers(seed);
    let mut submit_s = 0;
    let mut job = |number| {
        submit_s += i64::from(numbers.below(9) / 3);
        let (run_s, wait_s) = (i64::from(numbers.below(25) / 2), i64::from(numbers.below(50)) - 4);
        let [submit, run] = [submit_s, run_s].map(Time::from_seconds);
        let wait = (wait_s >= 0).then(|| Time::from_seconds(wait_s));
        let logged = Logged { wait, ..Logged::default() };
        let procs = 1 + numbers.below(procs);
        Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, logged }
    };
    (1..=150).map(&mut job).collect()
}

/// The start of each job in seconds. At every second: ends, then passes over all jobs in order, repeated
/// while jobs of 0 s end at once.
fn twin(jobs: &[Job], nodes: u32) -> Vec<i64> {
    let seconds = |time: Time| time.as_micros() / 1_000_000;
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&j| (jobs[j].recorded_start().unwrap_or(Time::MAX), j));
    let (mut starts, mut ends) = (vec![-1; jobs.len()], vec![-1; jobs.len()]);
    let (mut free, mut now) = (nodes, 0);
    while starts.contains(&-1) || ends.iter().any(|&end| end >= now) {
        loop {
            let over: Vec<usize> = (0..jobs.len()).filter(|&j| ends[j] == now).collect();
            for j in over {
                free += jobs[j].procs;
                ends[j] = -2;
            }
            let due = |j: usize| seconds(jobs[j].recorded_start().unwrap_or(jobs[j].submit)) <= now;
            for &j in &order {
                if starts[j] == -1 && due(j) && jobs[j].procs <= free {
                    free -= jobs[j].procs;
                    (starts[j], ends[j]) = (now, now + seconds(jobs[j].run));
                }
            }
            if !ends.contains(&now) {
                break;
            }
        }
        now += 1;
    }
    starts
}

#[test]
fn every_start_equals_that_of_the_plain_twin() -> Tested {
    let mut late = 0;
    for seed in 0..40 {
        let jobs = random_jobs(seed, if seed % 2 == 0 { 12 } else { 4 });
        let outcome = replay(&jobs, "4x4", "recorded", "naive")?;
        let starts: Vec<i64> = outcome
            .jobs
            .iter()
            .map(|job| &job.record)
            .map(|record| record.start.as_micros() / 1_000_000)
            .collect();
        assert_eq!(starts, twin(&jobs, 16), "seed {seed}");
        late += outcome
            .jobs
            .iter()
            .map(|job| &job.record)
            .zip(&jobs)
            .filter(|(r, j)| j.recorded_start() < Some(r.start))
            .count();
    }
    assert!(late > 1000, "{late} jobs were late");
    Ok(())
}

#[test]
fn a_log_without_waits_is_refused() {
    let mut jobs = random_jobs(1, 4);
    for job in &mut jobs {
        job.logged.wait = None;
    }
    let error = replay(&jobs, "4x4", "recorded", "naive").expect_err("no waits").to_string();
    assert!(error.contains("no job has a recorded wait (field 3 of a log)"), "{error}");
}
