//! Slurm's accounting as JSON, and its text log of completed jobs.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

use super::sacct::{slurm, state, stated};
use super::{UNSUBMITTED, bracketed, comes_twice, local};
use crate::round_trip::cluster::{Cluster, Fate, How, Job, seconds};
use crate::round_trip::truth::{Want, Written, once};

/// The style of a version of the data parser.
#[derive(Clone, Copy)]
struct Look {
    /// Whether numbers are objects, and states lists.
    has_objects: bool,
    in_cpus: bool,
    /// Whether a job that never started has its end as its start, as in old versions.
    starts_at_end: bool,
    /// Whether jobs have the member with their node list. Reduced files may lack it.
    has_nodes: bool,
}

/// `sacct --json`.
pub(super) fn json(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    let look = Look {
        has_objects: rng.random_range(0..2) == 0,
        in_cpus: cluster.is_shared || rng.random_range(0..4) == 0,
        starts_at_end: rng.random_range(0..3) == 0,
        has_nodes: rng.random_range(0..4) > 0,
    };
    let jobs: Vec<Value> =
        cluster.dumps().into_iter().flatten().map(|(job, _)| object(cluster, job, look)).collect();
    let text = json!({"meta": {"plugin": {"type": "openapi/dbv0.0.38"}}, "errors": [], "jobs": jobs});
    let is_pretty = rng.random_range(0..2) == 0;
    let text = if is_pretty { serde_json::to_string_pretty(&text) } else { serde_json::to_string(&text) };
    let (jobs, twice) = once(cluster, &|_| true);
    let wants = jobs.iter().map(|job| {
        let want = slurm(cluster, job, look.in_cpus);
        Want { id: (job.number, None), nodes: want.nodes.filter(|_| look.has_nodes), ..want }
    });
    let format = if look.in_cpus { "slurm-json:unit=cpus" } else { "slurm-json" };
    Some(Written {
        stated: stated(&jobs, twice),
        has_lists: !look.in_cpus && !cluster.is_shared && look.has_nodes,
        is_shared: cluster.is_shared,
        ..Written::new("log.json", format.to_owned(), text.ok()? + "\n", wants.collect())
    })
}

/// A job as an object.
fn object(cluster: &Cluster, job: &Job, look: Look) -> Value {
    let number = |value: Option<i64>| match (look.has_objects, value) {
        (true, Some(value)) => json!({"set": true, "infinite": false, "number": value}),
        (true, None) => json!({"set": false, "infinite": true, "number": 0}),
        (false, value) => json!(value),
    };
    let word = state(job);
    let word = word.split(' ').next().unwrap_or_default();
    let (start_s, end_s) = (job.start_ms().map(seconds), job.end_ms().map(seconds));
    let (nodes, cpus) = (job.nodes.len(), Cluster::cpus_of(job));
    let count = |kind: &str, count: i64| json!({"type": kind, "name": "", "id": 1, "count": count});
    let tres = json!([count("cpu", cpus), count("mem", 4096), count("node", nodes as i64)]);
    let start_s = match job.fate {
        Fate::Cancelled { .. } if look.starts_at_end => end_s.unwrap_or(0),
        _ => start_s.unwrap_or(0),
    };
    let has_started = job.start_ms().is_some();
    let mut object = json!({
        "account": job.group, "user": job.user, "partition": cluster.partitions[job.partition].0,
        "qos": job.queue, "name": job.name, "job_id": job.number, "cluster": "c",
        "allocation_nodes": if has_started { nodes } else { 0 },
        "nodes": if has_started { bracketed(&cluster.node_names(job)) } else { "None assigned".to_owned() },
        "array": {
            "job_id": job.task.map_or(0, |(array, _)| array),
            "task_id": number(job.task.map(|(_, task)| task)),
        },
        "state": {"current": if look.has_objects { json!([word]) } else { json!(word) }, "reason": "None"},
        "time": {
            "elapsed": job.run_ms().map_or(0, |(start_ms, end_ms)| seconds(end_ms) - seconds(start_ms)),
            "eligible": seconds(job.submit_ms), "submission": seconds(job.submit_ms),
            "start": start_s, "end": end_s.unwrap_or(0), "suspended": 0,
            "limit": number(job.limit_s.map(|limit_s| limit_s / 60)),
        },
        "required": {"CPUs": cpus, "memory": 0},
        "tres": {"allocated": if has_started { tres.clone() } else { json!([]) }, "requested": tres},
        "steps": [{"nodes": {"count": 99}, "time": {"start": 1}, "state": "CANCELLED", "step": {"job_id": 1}}],
    });
    if let (false, Some(members)) = (look.has_nodes, object.as_object_mut()) {
        members.remove("nodes");
    }
    object
}

/// The text log of completed jobs.
pub(super) fn jobcomp(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    let in_cpus = cluster.is_shared || rng.random_range(0..4) == 0;
    // Old versions do not write the submission.
    let is_old = rng.random_range(0..5) == 0;
    let is_written = |job: &Job| job.end_ms().is_some();
    let (jobs, twice) = once(cluster, &is_written);
    let lines = cluster.dumps().into_iter().flatten().filter(|(job, _)| is_written(job));
    let text: String = lines.map(|(job, _)| line(cluster, job, is_old)).collect();
    let wants = jobs.iter().map(|job| {
        let want = slurm(cluster, job, in_cpus);
        let times = [Some(want.submit_s), want.start_s, job.end_ms().map(seconds)];
        let twice = |time_s: &Option<i64>| time_s.is_some_and(|time_s| comes_twice(time_s, cluster.zone));
        let start_s = job.start_ms().or(job.end_ms()).map(seconds);
        Want {
            id: (job.number, None),
            submit_s: start_s.filter(|_| is_old).unwrap_or(want.submit_s),
            is_ambiguous: times.iter().any(twice),
            ..want
        }
    });
    let unsubmitted = if is_old { jobs.len() as u64 } else { 0 };
    let stated = stated(&jobs, twice).into_iter();

    let format =
        format!("slurm-jobcomp:time-zone={}{}", cluster.zone, if in_cpus { ",unit=cpus" } else { "" });
    Some(Written {
        stated: stated.chain([(UNSUBMITTED, unsubmitted, unsubmitted + twice)]).collect(),
        has_lists: !in_cpus && !cluster.is_shared,
        is_shared: cluster.is_shared,
        ..Written::new("slurm_jobcomp.log", format, text, wants.collect())
    })
}

/// The line of a job that has ended.
fn line(cluster: &Cluster, job: &Job, is_old: bool) -> String {
    let time = |time_ms: i64| local(seconds(time_ms), cluster.zone, "%Y-%m-%dT%H:%M:%S");
    let end_ms = job.end_ms().unwrap_or_default();
    let (nodes, cpus) = (job.nodes.len() as i64, Cluster::cpus_of(job));
    let has_started = job.start_ms().is_some();
    let word = match job.fate {
        // A requeued job waits again after its run.
        Fate::Ended { how: How::Requeued, .. } => "PENDING".to_owned(),
        _ => state(job).split(' ').next().unwrap_or_default().to_owned(),
    };
    let submit = time(job.submit_ms);
    let array = job.task.map(|(array, task)| format!(" ArrayJobId={array} ArrayTaskId={task}"));
    format!(
        "JobId={} UserId={}(1000) GroupId=users(100) Name={} JobState={word} Partition={} TimeLimit={} \
         StartTime={} EndTime={} NodeList={} NodeCnt={} ProcCnt={} WorkDir=/scratch runs ReservationName= \
         Tres=cpu={cpus},node={nodes} Account={} QOS={} WcKey= Cluster=c{}{} DerivedExitCode=0:0 \
         ExitCode=0:0 \n",
        job.number,
        job.user,
        job.name.replace('\n', " "),
        cluster.partitions[job.partition].0,
        job.limit_s.map_or("UNLIMITED".to_owned(), |limit_s| (limit_s / 60).to_string()),
        time(job.start_ms().unwrap_or(end_ms)),
        time(end_ms),
        if has_started { bracketed(&cluster.node_names(job)) } else { "(null)".to_owned() },
        if has_started { nodes } else { 0 },
        if has_started { cpus } else { 0 },
        job.group,
        job.queue,
        if is_old { String::new() } else { format!(" SubmitTime={submit} EligibleTime={submit}") },
        array.unwrap_or_default(),
    )
}
