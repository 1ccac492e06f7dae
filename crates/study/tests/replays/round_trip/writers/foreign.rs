//! Accounting files of Grid Engine (`accounting`: fields separated by colons) and of LSF (`lsb.acct`: events
//! with fields separated by blanks). Both contain ended jobs only and count slots.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::TWICE;
use crate::round_trip::cluster::{Cluster, Fate, How, Job, SECOND_MS, seconds};
use crate::round_trip::truth::{COMPLETED, FAILED, Want, Written, once};

/// Reduces the fields of a job to the fields in the format.
type Known<'a> = &'a dyn Fn(&Job, Want) -> Want;

/// A log with slots as processors.
fn written(
    cluster: &Cluster,
    file: &'static str,
    format: &str,
    (text, want): (String, Known<'_>),
) -> Written {
    let (jobs, twice) = once(cluster, &|job| job.end_ms().is_some());
    let wants = jobs.iter().map(|job| {
        let slots = Cluster::cpus_of(job);
        let known = Want::of(cluster, job);
        let procs = known.procs.map(|_| slots);
        want(job, Want { id: meant(job), procs, ..known })
    });
    Written {
        stated: vec![(TWICE, twice, twice)],
        ..Written::new(file, format.to_owned(), text, wants.collect())
    }
}

/// Grid Engine: a job that was deleted while waiting has no line.
pub(super) fn grid_engine(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    // Newer versions write milliseconds.
    let in_ms = rng.random_range(0..3) == 0;
    let jobs: Vec<Job> = cluster.jobs.iter().filter(|job| job.run_ms().is_some()).cloned().collect();
    let cluster = Cluster { jobs, ..cluster.clone() };
    let lines = cluster.dumps().into_iter().flatten().map(|(job, _)| line_of_grid_engine(job, in_ms));
    let text = "# Version: 8.1.9\n".to_owned() + &lines.collect::<String>();
    let want = |job: &Job, want: Want| Want {
        status: None,
        nodes: None,
        names: [Some(name(job.user)), Some(name(job.group)), None, None],
        ..want
    };
    Some(written(&cluster, "accounting", "sge", (text, &want)))
}

/// The number and the task of a job; a task of 0 is none.
fn id(job: &Job) -> (i64, i64) {
    job.task.unwrap_or((job.number, 0))
}

/// The number and the task for the expected results.
fn meant(job: &Job) -> (i64, Option<i64>) {
    let (number, task) = id(job);
    (number, Some(task).filter(|&task| task > 0))
}

/// A name without field separators.
fn name(name: &str) -> String {
    name.replace([' ', ':', '"'], "_")
}

fn line_of_grid_engine(job: &Job, in_ms: bool) -> String {
    let (start_ms, end_ms) = job.run_ms().unwrap_or_default();
    let time = |time_ms: i64| if in_ms { time_ms } else { seconds(time_ms) };
    let (number, task) = id(job);
    let (slots, exit) =
        (Cluster::cpus_of(job), i64::from(!matches!(job.fate, Fate::Ended { how: How::Completed, .. })));
    let pe = if slots > 1 { "mpi" } else { "NONE" };
    let clock = (end_ms - start_ms) / SECOND_MS;
    let limit = job.limit_s.map_or("NONE".to_owned(), |limit_s| format!("-l h_rt={limit_s} -pe mpi {slots}"));
    format!(
        "all.q:{}:{}:{}:{}:{number}:sge:0:{}:{}:{}:0:{exit}:{clock}:140.5:12.2:104188:0:0:0:0:28001:0:0:0.0:24:0:0:0:41:549:NONE:defaultdepartment:{pe}:{slots}:{task}:152.7:7.3:0.0:{limit}:0.0:NONE:189153280:0:0\n",
        "n01.cluster",
        name(job.group),
        name(job.user),
        name(job.name).replace('\n', "_"),
        time(job.submit_ms),
        time(start_ms),
        time(end_ms),
    )
}

/// LSF: a job that was ended while waiting has the start 0 and no hosts.
pub(super) fn lsf(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    let lines = cluster.dumps().into_iter().flatten().filter(|(job, _)| job.end_ms().is_some());
    let text = lines.map(|(job, _)| line_of_lsf(cluster, job)).collect();
    let in_nodes = !cluster.is_shared && rng.random_range(0..2) == 0;
    let want = |job: &Job, want: Want| Want {
        procs: want.procs.map(|slots| if in_nodes { job.nodes.len() as i64 } else { slots }),
        status: match job.fate {
            Fate::Ended { how: How::Completed, .. } => Some(COMPLETED),
            Fate::Ended { .. } => Some(FAILED),
            _ => None,
        },
        limit_s: None,
        names: [Some(quotable(job.user)), None, Some(job.queue.to_owned()), None],
        ..want
    };
    let format = if in_nodes { "lsf:unit=nodes" } else { "lsf" };
    Some(Written { has_lists: in_nodes, ..written(cluster, "lsb.acct", format, (text, &want)) })
}

/// A name in quotes. A quote in the name is doubled; users have none.
fn quotable(name: &str) -> String {
    name.replace('"', "_")
}

fn line_of_lsf(cluster: &Cluster, job: &Job) -> String {
    let (submit_s, end_s) = (seconds(job.submit_ms), job.end_ms().map_or(0, seconds));
    let start_s = job.start_ms().map_or(0, seconds);
    let slots = Cluster::cpus_of(job);
    let (id, index) = id(job);
    let hosts: Vec<String> = match job.start_ms() {
        Some(_) if job.dice.is_multiple_of(2) => {
            cluster.node_names(job).iter().map(|node| format!("\"{}*{node}\"", job.cpus)).collect()
        }
        Some(_) => {
            let of_node = |node: &&str| vec![format!("\"{node}\""); job.cpus as usize];
            cluster.node_names(job).iter().flat_map(of_node).collect()
        }
        None => Vec::new(),
    };
    let status = if matches!(job.fate, Fate::Ended { how: How::Completed, .. }) { 64 } else { 32 };
    let listed: String = hosts.iter().map(|host| format!(" {host}")).collect();
    format!(
        "\"JOB_FINISH\" \"10.1\" {end_s} {id} 2201 33882739 {slots} {submit_s} 0 0 \
         {start_s} \"{}\" \"{}\" \"span[ptile={}]\" \"\" \"\" \"login1\" \"/scratch/a \
         b\" \"\" \"%J.out\" \"%J.err\" \"{submit_s}.{id}\" 0 {}{listed} {status} \
         60.0 \"{}\" \"#!/bin/sh;./a.out\" 79.2 6.0 966960 0 -1 0 0 3026323 0 0 0 0 -1 0 0 0 12529329 \
         6498459 -1 \"\" \"proj\" 0 {slots} \"\" \"\" {index}\n",
        quotable(job.user),
        job.queue,
        job.cpus,
        hosts.len(),
        job.name.replace('"', "\"\"").replace('\n', " "),
    )
}
