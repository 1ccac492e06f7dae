//! Schedulers against plain loops over all jobs at every event.

use meshreplay_base::job::{Job, Shape, Time};

use super::support::{Numbers, Tested, replay};

/// A scheduler of algorithms.md §5 as a plain loop over lists. Returns the start times of `jobs` on `nodes`
/// nodes, which are only counted.
fn plain_schedule(jobs: &[Job], nodes: u32, scheduler: &str) -> Vec<Time> {
    let mut starts = vec![None; jobs.len()];
    let mut ended = vec![false; jobs.len()];
    let mut queue: Vec<usize> = Vec::new();
    let mut arrived = vec![false; jobs.len()];
    let mut order = vec![0; jobs.len()];
    let mut started = 0;
    loop {
        let arrivals = (0..jobs.len()).filter(|&j| !arrived[j]).map(|j| jobs[j].submit);
        let running = |ended: &[bool], starts: &[Option<Time>]| -> Vec<usize> {
            (0..jobs.len()).filter(|&j| starts[j].is_some() && !ended[j]).collect()
        };
        let end_of = |starts: &[Option<Time>], j: usize| starts[j].expect("it runs") + jobs[j].run;
        let ends = running(&ended, &starts).into_iter().map(|j| end_of(&starts, j));
        let Some(now) = arrivals.chain(ends).min() else { break };
        let mut events: Vec<(bool, usize)> = Vec::new();
        let mut ending = running(&ended, &starts);
        ending.retain(|&j| end_of(&starts, j) == now);
        ending.sort_by_key(|&j| order[j]);
        events.extend(ending.into_iter().map(|j| (true, j)));
        events.extend((0..jobs.len()).filter(|&j| !arrived[j] && jobs[j].submit == now).map(|j| (false, j)));
        if scheduler == "easy:pass=per-event" {
            events.sort_by_key(|event| event.0);
        }
        let count = events.len();
        for &(end, j) in &events {
            // Jobs that end now at their estimate do not count in any pass of this instant.
            ended[j] |= end && starts[j].expect("it runs") + jobs[j].estimate <= now;
        }
        for (i, (end, j)) in events.into_iter().enumerate() {
            if end {
                ended[j] = true;
            } else {
                arrived[j] = true;
                queue.push(j);
            }
            if scheduler == "easy:pass=per-event" || i + 1 == count {
                let busy = running(&ended, &starts);
                let free = nodes - busy.iter().map(|&j| jobs[j].procs).sum::<u32>();
                let active: Vec<(Time, u32)> = busy
                    .iter()
                    .map(|&j| ((starts[j].expect("it runs") + jobs[j].estimate).max(now), jobs[j].procs))
                    .collect();
                for j in plain_pass(jobs, &mut queue, free, active, now, scheduler) {
                    starts[j] = Some(now);
                    started += 1;
                    order[j] = started;
                }
            }
        }
    }
    starts.into_iter().map(|start| start.expect("every job starts")).collect()
}

/// One pass: returns the jobs that start now. `active` has (estimated end, processors) of running jobs.
fn plain_pass(
    jobs: &[Job],
    queue: &mut Vec<usize>,
    mut free: u32,
    mut active: Vec<(Time, u32)>,
    now: Time,
    scheduler: &str,
) -> Vec<usize> {
    let mut started = Vec::new();
    loop {
        let head = queue.first().copied();
        let may_start = |&&j: &&usize| {
            if jobs[j].procs > free || head.is_none() {
                return false;
            }
            if Some(j) == head || scheduler == "first-fit-queue" {
                return true;
            }
            if scheduler == "fcfs" {
                return false;
            }
            let need = jobs[head.expect("checked")].procs;
            let mut sorted = active.clone();
            sorted.sort_unstable();
            let free_at = |at: Time| free + sorted.iter().filter(|a| a.0 <= at).map(|a| a.1).sum::<u32>();
            let Some(&(shadow, _)) = sorted.iter().find(|a| free_at(a.0) >= need) else { return false };
            now + jobs[j].estimate <= shadow || free_at(shadow) >= need + jobs[j].procs
        };
        let Some(at) = queue.iter().position(|j| may_start(&j)) else { return started };
        let j = queue.remove(at);
        free -= jobs[j].procs;
        active.push((now + jobs[j].estimate, jobs[j].procs));
        started.push(j);
    }
}

#[test]
fn schedulers_equal_plain_loops_on_random_workloads() -> Tested {
    for seed in 0..60 {
        let mut numbers = Numbers(seed);
        let mut submit = 0;
        let jobs: Vec<Job> = (0..120)
            .map(|number| {
                submit += i64::from(numbers.below(12) / 3);
                let run = i64::from(numbers.below(30));
                // Some estimates are too short; these jobs run longer.
                let estimate = (run + i64::from(numbers.below(40)) - 6).max(0);
                let [submit, run, estimate] = [submit, run, estimate].map(Time::from_seconds);
                Job {
                    number,
                    submit,
                    run,
                    estimate,
                    procs: 1 + numbers.below(9),
                    shape: Shape::NearSquare,
                    ..Job::default()
                }
            })
            .collect();
        for scheduler in ["fcfs", "easy", "easy:pass=per-event", "first-fit-queue"] {
            let outcome = replay(&jobs, "12", scheduler, "naive")?;
            let found: Vec<Time> =
                outcome.jobs.iter().map(|job| &job.record).map(|record| record.start).collect();
            assert_eq!(found, plain_schedule(&jobs, 12, scheduler), "{scheduler}, seed {seed}");
        }
    }
    Ok(())
}
