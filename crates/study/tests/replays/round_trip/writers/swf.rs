//! The Standard Workload Format: 18 numbers per line. Names are numbers, and jobs that have not ended are
//! missing.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{TWICE, decimal};
use crate::round_trip::cluster::{Cluster, Fate, Job, SECOND_MS, seconds};
use crate::round_trip::truth::{Want, Written, once};

pub(super) fn write(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    let is_written = |job: &Job| job.end_ms().is_some();
    let (jobs, twice) = once(cluster, &is_written);
    let first_ms = cluster.jobs.iter().map(|job| job.submit_ms).min()? / SECOND_MS * SECOND_MS;
    let base_ms = if rng.random_range(0..3) == 0 { 0 } else { first_ms };
    let has_decimals = rng.random_range(0..3) > 0;
    let (is_float, in_cpus) = (rng.random_range(0..4) == 0, cluster.is_shared || rng.random_range(0..3) == 0);
    let mut text = String::new();
    if rng.random_range(0..2) == 0 {
        text += &format!("; Version: 2.2\n; UnixStartTime: {}\n", base_ms / SECOND_MS);
    }
    // Times are exact, or differences of rounded instants.
    let time = |from_ms: i64, to_ms: i64| {
        if has_decimals { decimal(to_ms - from_ms) } else { (seconds(to_ms) - seconds(from_ms)).to_string() }
    };
    let procs = |job: &Job| if in_cpus { Cluster::cpus_of(job) } else { job.nodes.len() as i64 };
    for (job, _) in cluster.dumps().into_iter().flatten().filter(|(job, _)| is_written(job)) {
        let status = Want::of(cluster, job).status.unwrap_or(-1);
        let (wait, run, got) = match job.fate {
            Fate::Ended { start_ms, end_ms, .. } => {
                (time(job.submit_ms, start_ms), time(start_ms, end_ms), procs(job))
            }
            // Allocated processors are unknown or 0, and the wait ends with the cancellation.
            Fate::Cancelled { end_ms } if job.dice % 2 == 0 => {
                (time(job.submit_ms, end_ms), "0".to_owned(), 0)
            }
            _ => ("-1".to_owned(), "-1".to_owned(), -1),
        };
        let limit = job.limit_s.unwrap_or(-1);
        let fields = [job.number.to_string(), time(base_ms, job.submit_ms), wait, run, got.to_string()];
        let rest = format!(
            "-1 -1 {} {limit} -1 {status} {} {} -1 {} {} -1 -1",
            procs(job),
            1 + job.user.len(),
            1 + job.group.len(),
            1 + job.queue.len(),
            1 + job.partition
        );
        let line = fields.join(" ") + " " + &rest;
        let as_float =
            |field: &str| if field.contains('.') { field.to_owned() } else { format!("{field}.0") };
        let line = if is_float { line.split(' ').map(as_float).collect::<Vec<_>>().join(" ") } else { line };
        text += &(line + "\n");
    }
    let number = |name: &str| Some((1 + name.len()).to_string());
    let wants = jobs.into_iter().map(|job| Want {
        id: (job.number, None),
        submit_s: seconds(job.submit_ms) - base_ms / SECOND_MS,
        start_s: job.start_ms().map(|start_ms| seconds(start_ms) - base_ms / SECOND_MS),
        end_s: job.run_ms().map(|(_, end_ms)| seconds(end_ms) - base_ms / SECOND_MS),
        procs: job.start_ms().map(|_| procs(job)),
        nodes: None,
        names: [
            number(job.user),
            number(job.group),
            number(job.queue),
            Some((1 + job.partition).to_string()),
        ],
        ..Want::of(cluster, job)
    });
    Some(Written {
        stated: vec![(TWICE, twice, twice)],
        ..Written::new("log.swf", "swf".to_owned(), text, wants.collect())
    })
}
