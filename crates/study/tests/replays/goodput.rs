//! Goodput and lost work: small examples by hand, the closed form for jobs of one slice size, and
//! reproducibility.

use std::sync::Arc;

use meshreplay_base::job::{Job, Shape, Time};
use meshreplay_sim::metrics::Monitor;
use meshreplay_study::study::{JobSource, Options, Outcome, Replay, ReplaySpec};
use meshreplay_workload::Oversize;

use super::support::{Tested, placements, records};

/// Replays jobs with outages.
fn replay(
    jobs: &[Job],
    [machine, scheduler, allocator]: [&str; 3],
    [outages, on_outage]: [&str; 2],
    seed: u64,
) -> Result<Outcome, Box<dyn std::error::Error>> {
    let mut spec = ReplaySpec::new(machine.parse()?, scheduler.parse()?, allocator.parse()?);
    spec.seed = seed;
    let replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs.to_vec()), 0));
    let (outages, on_outage) = (Some(outages.parse()?), on_outage.parse()?);
    let options = Options { jobs: true, placements: true, outages, on_outage, ..Options::default() };
    replay.run(&options, &Monitor::default())?.pop().ok_or_else(|| "no replication".into())
}

fn job(number: i64, submit_s: i64, run_s: i64, procs: u32, shape: Shape) -> Job {
    let [submit, run] = [submit_s, run_s].map(Time::from_seconds);
    Job { number, submit, run, estimate: run, procs, shape, ..Job::default() }
}

#[track_caller]
fn is(outcome: &Outcome, name: &str, expected: f64) {
    let found = outcome.summary.get(name);
    assert!(found.is_some_and(|found| (found - expected).abs() < 1e-9), "{name}: {found:?}, not {expected}");
}

/// On an array of four nodes, jobs 1 and 2 have two nodes each from 0 s, job 1 for 10 s and job 2 for 20 s.
/// Job 3 arrives at 1 s and needs all four nodes for 5 s. Node 0, where job 1 runs, is down from 4 s to 12 s.
#[test]
fn by_hand_a_job_is_killed_or_its_node_drained() -> Tested {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("outages.csv");
    std::fs::write(&file, "time,node,state\n4,0,down\n12,0,up\n")?;
    let file = file.to_str().ok_or("no text")?;
    let of = |number, submit_s, run_s, procs| job(number, submit_s, run_s, procs, Shape::NearSquare);
    let jobs = [of(1, 0, 10, 2), of(2, 0, 20, 2), of(3, 1, 5, 4)];
    let parts = ["4", "fcfs", "naive"];
    let starts = |outcome: &Outcome| -> Vec<f64> {
        outcome.jobs.iter().map(|job| &job.record).map(|record| record.start.as_seconds()).collect()
    };

    // Requeue: job 1 loses 4 s on two nodes, waits for node 0 ahead of job 3, and runs from 12 s to 22 s;
    // then job 3 runs until 27 s. Of 4·27 node-seconds node 0 misses 8.
    let outcome = replay(&jobs, parts, [file, "requeue"], 1)?;
    assert_eq!(starts(&outcome), [12.0, 0.0, 22.0]);
    is(&outcome, "makespan_s", 27.0);
    is(&outcome, "available_node_s", 100.0);
    is(&outcome, "goodput", 0.8);
    is(&outcome, "lost_node_s", 8.0);
    is(&outcome, "utilization", 0.88);
    is(&outcome, "wait_s_mean", (12.0 + 21.0) / 3.0);
    is(&outcome, "jobs_killed", 1.0);
    is(&outcome, "jobs_requeued", 1.0);
    is(&outcome, "node_failures", 1.0);
    is(&outcome, "jobs_never_started", 0.0);
    let record = &outcome.jobs[0].record;
    assert_eq!((record.restarts, record.lost), (1, Time::from_seconds(4)));
    assert_eq!(outcome.jobs[0].measures.more().nodes, "0-1");

    // Drain: job 1 continues until 10 s, then node 0 is down for 2 s. Job 3 starts when job 2 ends.
    let outcome = replay(&jobs, parts, [file, "drain"], 1)?;
    assert_eq!(starts(&outcome), [0.0, 0.0, 20.0]);
    is(&outcome, "available_node_s", 98.0);
    is(&outcome, "goodput", 80.0 / 98.0);
    is(&outcome, "utilization", 80.0 / 98.0);
    is(&outcome, "lost_node_s", 0.0);
    is(&outcome, "jobs_requeued", 0.0);

    // No requeue: job 1 is killed for good, and its run is lost work. Job 3 starts at 20 s. Means exclude job
    // 1.
    let outcome = replay(&jobs, parts, [file, "requeue:limit=0"], 1)?;
    assert_eq!(starts(&outcome), [0.0, 20.0]);
    is(&outcome, "jobs", 2.0);
    is(&outcome, "jobs_given_up", 1.0);
    is(&outcome, "lost_node_s", 8.0);
    is(&outcome, "goodput", 60.0 / 92.0);

    // The node does not come up again: job 3 never starts, and job 1 runs again on the nodes of job 2.
    std::fs::write(file, "4,0,down\n")?;
    let outcome = replay(&jobs, parts, [file, "requeue"], 1)?;
    assert_eq!(starts(&outcome), [20.0, 0.0]);
    is(&outcome, "jobs_never_started", 1.0);
    is(&outcome, "goodput", 60.0 / (4.0 * 4.0 + 3.0 * 26.0));
    Ok(())
}

/// Returns the mean and the variance of the time from the first start to the end of a job that needs the time
/// `work` without a failure. Failures come at `rate`, and the job restarts after each failure.
///
/// A run survives with the probability p = e^(−λT). A job has a geometric number of killed runs, 1/p − 1 on
/// average, each as long as an exponential time that is below T. So its time X satisfies X = T if the first
/// failure comes after T, and X = F + X' with a failure at F < T otherwise. The transform of X is therefore
///
///   E e^(−sX) = e^(−(s+λ)T) / (1 − λ/(s+λ) · (1 − e^(−(s+λ)T))),
///
/// and its derivatives at 0 give E X = (e^(λT) − 1)/λ and Var X = (e^(2λT) − 1 − 2λT·e^(λT))/λ².
fn time_to_end(rate: f64, work: f64) -> (f64, f64) {
    let (load, growth) = (rate * work, (rate * work).exp());
    ((growth - 1.0) / rate, (growth * growth - 1.0 - 2.0 * load * growth) / (rate * rate))
}

/// The closed form. Every job takes a slice of s nodes for T seconds, one after the other, nodes fail with
/// the rate 1/MTBF and are repaired at once, and killed jobs run again from the start. A slice fails with the
/// rate λ = s/MTBF, as the failures of its nodes are independent Poisson processes. By renewal reward the
/// share of its time that is useful is T / E X = λT / (e^(λT) − 1), see [`time_to_end`].
///
/// The mean of n jobs lies within 2.58 standard errors of its expectation with a probability of 99 %.
#[test]
fn goodput_of_one_slice_size_has_a_closed_form() -> Tested {
    const CONFIDENCE: f64 = 2.58;
    const RUN_S: f64 = 3600.0;
    for (machine, slice, jobs_per_slice, mtbf_s) in [
        // The machine is one slice, so it is busy from the first arrival to the last end.
        ("torus:4x4x4", [4, 4, 4], 3000, 64.0 * RUN_S / 0.7),
        ("6x4", [6, 4, 1], 3000, 24.0 * RUN_S / 1.5),
        // Eight slices; the last jobs end at different times.
        ("torus:8x8x8", [4, 4, 4], 400, 64.0 * RUN_S / 0.3),
    ] {
        let nodes: u32 = slice.iter().product();
        let slices = machine.parse::<meshreplay_machine::machine::Mesh>()?.nodes() / nodes;
        let count = jobs_per_slice * slices;
        let jobs: Vec<Job> =
            (1..=count).map(|i| job(i.into(), 0, RUN_S as i64, nodes, Shape::Slice(slice))).collect();
        let rule = format!("random:mtbf={mtbf_s}s,repair=0s");
        let outcome = replay(&jobs, [machine, "fcfs", "first-fit"], [&rule, "requeue"], 5)?;
        let rate = f64::from(nodes) / mtbf_s;
        let (mean_s, variance) = time_to_end(rate, RUN_S);
        let spread_s = CONFIDENCE * (variance / f64::from(count)).sqrt();
        let number = |name: &str| outcome.summary.get(name).ok_or(format!("no {name}"));

        // A job's time from its first start to its end, on average.
        let found_s = RUN_S + number("lost_node_s")? / f64::from(nodes * count);
        assert!((found_s - mean_s).abs() < spread_s, "{machine}: {found_s} s, not {mean_s} s ± {spread_s} s");

        // Attempts are geometric: 1/p on average, with the variance (1 − p)/p².
        let p = (-rate * RUN_S).exp();
        let attempts = 1.0 + number("jobs_killed")? / f64::from(count);
        let spread = CONFIDENCE * ((1.0 - p) / (p * p) / f64::from(count)).sqrt();
        assert!(
            (attempts - 1.0 / p).abs() < spread,
            "{machine}: {attempts} attempts, not {} ± {spread}",
            1.0 / p
        );

        // Repairs take no time, so all nodes are always available.
        is(&outcome, "available_node_s", number("makespan_s")? * f64::from(nodes * slices));
        if slices == 1 {
            let load = rate * RUN_S;
            let closed = load / (load.exp() - 1.0);
            let [low, high] = [mean_s + spread_s, mean_s - spread_s].map(|mean_s| RUN_S / mean_s);
            let goodput = number("goodput")?;
            assert!((low..high).contains(&goodput), "{machine}: {goodput}, not {closed} ({low} to {high})");
            is(&outcome, "utilization", 1.0);
        }
    }
    Ok(())
}

#[test]
fn one_seed_gives_one_result_on_any_number_of_threads() -> Tested {
    let jobs: Vec<Job> =
        (0..200).map(|i| job(i, i * 40, 30 + i % 7 * 50, 1 + (i % 13) as u32, Shape::NearSquare)).collect();
    let text = |seed, scheduler| -> Result<String, String> {
        let parts = ["torus:6x5", scheduler, "best-of:gabl|mm"];
        let outcome = replay(&jobs, parts, ["random:mtbf=3h,repair=5min", "requeue:limit=2"], seed);
        let outcome = outcome.map_err(|error| error.to_string())?;
        Ok(format!("{:?} {:?} {:?}", records(&outcome), outcome.summary, placements(&outcome)))
    };
    for scheduler in ["easy", "conservative"] {
        let alone = text(4, scheduler)?;
        assert_ne!(alone, text(5, scheduler)?);
        let text = &text;
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(move || text(4, scheduler))).collect();
            for thread in threads {
                assert_eq!(thread.join().map_err(|_| "a panic".to_owned()), Ok(Ok(alone.clone())));
            }
        });
    }
    Ok(())
}

#[test]
fn a_job_that_arrives_after_many_changes_still_waits_for_its_nodes() -> Tested {
    // More outages between the two jobs than the limit for an idle machine.
    let jobs = [job(1, 0, 10, 2, Shape::NearSquare), job(2, 3_000_000, 1, 4, Shape::NearSquare)];
    let mut waited = 0;
    for seed in 0..6 {
        let outcome =
            replay(&jobs, ["4", "fcfs", "naive"], ["random:mtbf=100s,repair=50s", "requeue"], seed)?;
        is(&outcome, "jobs_never_started", 0.0);
        waited += u32::from(outcome.jobs[1].record.start > jobs[1].submit);
    }
    assert!(waited > 2, "{waited}");
    Ok(())
}

#[test]
fn allocators_that_leave_out_the_first_job_meet_the_same_failures() -> Tested {
    // A row of five nodes does not fit on a 4 × 4 mesh.
    let first = job(1, 0, 10, 5, Shape::Row);
    let others = (2..40).map(|i| job(i, 500 + i * 40, 400, 4, Shape::NearSquare));
    let jobs: Vec<Job> = [first].into_iter().chain(others).collect();
    let downtimes = |allocator: &str| -> Result<_, Box<dyn std::error::Error>> {
        let mut spec = ReplaySpec::new("4x4".parse()?, "fcfs".parse()?, allocator.parse()?);
        Arc::make_mut(&mut spec.rules).oversize = Oversize::Skip;
        let replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs.clone()), 0));
        let outages = Some("random:mtbf=2h,repair=5min".parse()?);
        let options = Options { jobs: true, outages, on_outage: "drain".parse()?, ..Options::default() };
        let outcome = replay.run(&options, &Monitor::default())?.pop().ok_or("no replication")?;
        Ok((outcome.never_fit, outcome.recording.outages.ok_or("no outages")?.downtimes))
    };
    let ((kept, all), (left_out, fewer)) = (downtimes("naive")?, downtimes("first-fit")?);
    assert_eq!((kept, left_out), (0, 1));
    let common = all.len().min(fewer.len()) - 1;
    assert!(common > 3 && all[..common] == fewer[..common], "{all:?} {fewer:?}");
    Ok(())
}
