//! An independent simulation of outages on an array, second by second and without indexes. The engine must
//! give the same runs, lost work and node-seconds.

use std::sync::Arc;

use meshreplay_base::job::{Job, Shape, Time};
use meshreplay_sim::metrics::{FinishedJob, Monitor};
use meshreplay_study::study::{JobSource, Options, Outcome, Replay, ReplaySpec};

use super::support::{Numbers, Tested};

/// A change of a node: the second, the node, and whether it goes down.
type Change = (i64, usize, bool);

/// The result of a job.
#[derive(Clone, Debug, Default, PartialEq)]
struct Run {
    start_s: i64,
    end_s: i64,
    nodes: Vec<usize>,
    restarts: u32,
    lost_s: i64,
}

/// The results of the simulation.
#[derive(Debug, Default)]
struct Found {
    /// The runs of the jobs that have ended, in the order of the jobs.
    runs: Vec<Run>,
    given_up: u32,
    never_started: u32,
    lost_node_s: i64,
    available_node_s: i64,
    kills: u32,
}

/// Frees the nodes of a job.
fn free(holder: &mut [Option<usize>], job: usize) {
    holder.iter_mut().filter(|held| **held == Some(job)).for_each(|held| *held = None);
}

/// Kills a run. Returns whether the job returns to the queue.
fn kill(run: &mut Run, now: i64, limit: u32, found: &mut Found) -> bool {
    let ran_s = now - run.start_s;
    run.lost_s += ran_s;
    found.lost_node_s += ran_s * run.nodes.len() as i64;
    found.kills += 1;
    let returns = run.restarts < limit;
    run.restarts += u32::from(returns);
    found.given_up += u32::from(!returns);
    returns
}

/// Simulates jobs (submission, run time, processors) on an array of `size` nodes. A job takes the lowest free
/// nodes. `limit` is the maximum number of requeues, or `None` for draining: jobs continue. With `strict`, no
/// job passes an older waiting job; otherwise every job that fits starts.
fn simulate(
    jobs: &[(i64, i64, usize)],
    size: usize,
    changes: &[Change],
    limit: Option<u32>,
    strict: bool,
) -> Found {
    let (mut found, mut runs, mut in_use_s) =
        (Found::default(), vec![Run::default(); jobs.len()], Vec::new());
    let (mut holder, mut is_down) = (vec![None; size], vec![false; size]);
    let (mut waiting, mut has_ended) = (vec![false; jobs.len()], vec![false; jobs.len()]);
    let (mut now, mut last_end) = (0, 0);
    let last_change = changes.iter().map(|change| change.0).max().unwrap_or(0);
    let first = jobs.iter().map(|job| job.0).min().unwrap_or(0);
    loop {
        // Ends.
        for job in 0..jobs.len() {
            if holder.contains(&Some(job)) && runs[job].end_s == now {
                free(&mut holder, job);
                has_ended[job] = true;
                last_end = now;
            }
        }
        for &(_, node, goes_down) in changes.iter().filter(|change| change.0 == now) {
            is_down[node] = goes_down;
            if let (true, Some(job), Some(limit)) = (goes_down, holder[node], limit) {
                waiting[job] = kill(&mut runs[job], now, limit, &mut found);
                free(&mut holder, job);
                last_end = now;
            }
        }
        // Arrivals, then starts in the order of arrival.
        for job in (0..jobs.len()).filter(|&job| jobs[job].0 == now) {
            waiting[job] = true;
        }
        for job in (0..jobs.len()).filter(|&job| waiting[job]).collect::<Vec<_>>() {
            let is_free = |&node: &usize| holder[node].is_none() && !is_down[node];
            let nodes: Vec<usize> = (0..size).filter(is_free).take(jobs[job].2).collect();
            if nodes.len() == jobs[job].2 {
                for &node in &nodes {
                    holder[node] = Some(job);
                }
                (runs[job].start_s, runs[job].end_s, runs[job].nodes) = (now, now + jobs[job].1, nodes);
                waiting[job] = false;
            } else if strict {
                break;
            }
        }
        in_use_s.push((0..size).filter(|&node| holder[node].is_some() || !is_down[node]).count() as i64);
        let nobody_runs = holder.iter().all(Option::is_none);
        if nobody_runs && now >= last_change && jobs.iter().all(|job| job.0 <= now) {
            // No more events. Remove jobs that need more nodes than are up, so that other jobs may start.
            let down = is_down.iter().filter(|down| **down).count();
            for job in (0..jobs.len()).filter(|&job| jobs[job].2 + down > size) {
                found.never_started += u32::from(std::mem::take(&mut waiting[job]));
            }
            if waiting.iter().all(|waits| !waits) {
                break;
            }
            // Other jobs start at the same time, so simulate this second once more.
            in_use_s.pop();
        } else {
            now += 1;
        }
    }
    found.available_node_s = in_use_s[first as usize..last_end.max(first) as usize].iter().sum();
    found.runs = (0..jobs.len()).filter(|&job| has_ended[job]).map(|job| runs[job].clone()).collect();
    found
}

/// The same replay by the engine.
fn replayed(
    jobs: &[(i64, i64, usize)],
    size: usize,
    changes: &[Change],
    [scheduler, treatment]: [&str; 2],
) -> Result<Outcome, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("outages.csv");
    let line = |(time, node, down): &Change| format!("{time},{node},{}\n", if *down { "down" } else { "up" });
    std::fs::write(&file, changes.iter().map(line).collect::<String>())?;
    let spec = ReplaySpec::new(size.to_string().parse()?, scheduler.parse()?, "naive".parse()?);
    let job = |(i, &(submit_s, run_s, procs)): (usize, &(i64, i64, usize))| {
        let [submit, run] = [submit_s, run_s].map(Time::from_seconds);
        Job {
            number: i as i64,
            submit,
            run,
            estimate: run,
            procs: procs as u32,
            shape: Shape::NearSquare,
            ..Job::default()
        }
    };
    let jobs: Vec<Job> = jobs.iter().enumerate().map(job).collect();
    let replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs), 0));
    let (outages, on_outage) = (Some(file.to_str().ok_or("no text")?.parse()?), treatment.parse()?);
    let options = Options { jobs: true, placements: true, outages, on_outage, ..Options::default() };
    replay.run(&options, &Monitor::default())?.pop().ok_or_else(|| "no replication".into())
}

#[test]
fn a_simulation_second_by_second_gives_the_same() -> Tested {
    let (mut kills, mut never, mut given_up) = (0, 0, 0);
    for seed in 0..150 {
        let mut numbers = Numbers(seed);
        let size = 2 + numbers.below(9) as usize;
        let mut submit_s = 3;
        let job = |_| {
            submit_s += i64::from(numbers.below(9));
            (submit_s, 1 + i64::from(numbers.below(25)), 1 + numbers.below(size as u32) as usize)
        };
        let jobs: Vec<(i64, i64, usize)> = (0..25).map(job).collect();
        let (mut changes, mut is_down, mut time_s) = (Vec::new(), vec![false; size], 0);
        for _ in 0..30 {
            time_s += i64::from(numbers.below(14));
            let node = numbers.below(size as u32) as usize;
            is_down[node] = !is_down[node];
            changes.push((time_s, node, is_down[node]));
        }
        for scheduler in ["fcfs", "first-fit-queue"] {
            for (treatment, limit) in [
                ("requeue", Some(1000)),
                ("requeue:limit=1", Some(1)),
                ("requeue:limit=0", Some(0)),
                ("drain", None),
            ] {
                let expected = simulate(&jobs, size, &changes, limit, scheduler == "fcfs");
                let outcome = replayed(&jobs, size, &changes, [scheduler, treatment])?;
                let label = format!("seed {seed}, {scheduler}, {treatment}");
                let run = |FinishedJob { record, measures, .. }: &FinishedJob| {
                    let nodes = &measures.more().nodes;
                    let runs = meshreplay_machine::machine::parse_intervals(nodes).expect("intervals");
                    let nodes = runs.into_iter().flat_map(|(a, b)| a as usize..=b as usize).collect();
                    let [start_s, end_s, lost_s] =
                        [record.start, record.end, record.lost].map(|time| time.as_seconds() as i64);
                    Run { start_s, end_s, nodes, restarts: record.restarts, lost_s }
                };
                let found: Vec<Run> = outcome.jobs.iter().map(run).collect();
                assert_eq!(found, expected.runs, "{label}");
                let record = outcome.recording.outages.as_ref().ok_or("no outages")?;
                assert!((record.lost_node_s - expected.lost_node_s as f64).abs() < 1e-6, "{label}");
                assert_eq!(record.kills, u64::from(expected.kills), "{label}");
                assert_eq!(record.given_up, u64::from(expected.given_up), "{label}");
                assert_eq!(record.never_started, u64::from(expected.never_started), "{label}");
                let busy: i64 =
                    expected.runs.iter().map(|run| (run.end_s - run.start_s) * run.nodes.len() as i64).sum();
                kills += expected.kills;
                never += expected.never_started;
                given_up += expected.given_up;
                if expected.runs.is_empty() {
                    continue;
                }
                for (name, expected) in [
                    ("available_node_s", expected.available_node_s as f64),
                    ("goodput", busy as f64 / expected.available_node_s as f64),
                    ("utilization", (busy + expected.lost_node_s) as f64 / expected.available_node_s as f64),
                ] {
                    let found = outcome.summary.get(name).ok_or("no number")?;
                    assert!((found - expected).abs() < 1e-9, "{label}: {name} is {found}, not {expected}");
                }
            }
        }
    }
    assert!(kills > 2_000 && never > 100 && given_up > 500, "{kills} {never} {given_up}");
    Ok(())
}
