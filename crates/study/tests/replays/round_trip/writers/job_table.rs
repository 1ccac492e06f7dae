//! The job table of Slurm's database daemon, as exported by sites: states are Slurm's numbers, limits are
//! minutes, and missing times are 0.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::sacct::slurm;
use super::{TWICE, bracketed};
use crate::round_trip::cluster::{Cluster, Fate, How, Job, seconds};
use crate::round_trip::truth::{Want, Written, once};

/// Slurm's number for "no value", and for "no limit".
const NO_VALUE: i64 = 4_294_967_294;
const INFINITE: i64 = 4_294_967_295;

const HEADING: &str = "id_job,id_array_job,id_array_task,id_user,nodes_alloc,nodelist,cpus_req,exit_code,partition,state,timelimit,time_submit,time_eligible,time_start,time_end,time_suspended,tres_alloc";

pub(super) fn write(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    let has_tabs = rng.random_range(0..3) == 0;
    let lines = cluster.dumps().into_iter().flatten().map(|(job, _)| line(cluster, job, has_tabs));
    let heading = HEADING.replace(',', if has_tabs { "\t" } else { "," });
    let text = heading + "\n" + &lines.collect::<String>();
    let (jobs, twice) = once(cluster, &|_| true);
    let wants = jobs.iter().map(|job| {
        let want = slurm(cluster, job, false);
        let is_over = want.end_s.is_some();
        Want {
            id: (job.number, None),
            start_s: want.start_s.filter(|_| is_over),
            procs: want.procs.filter(|_| is_over),
            nodes: want.nodes.filter(|_| is_over),
            names: [None, None, None, want.names[3].clone()],
            ..want
        }
    });
    Some(Written {
        stated: vec![(TWICE, twice, twice)],
        has_lists: !cluster.is_shared,
        ..Written::new("job_table.csv", "table:time-zone=UTC".to_owned(), text, wants.collect())
    })
}

/// The number of a state.
fn state(job: &Job) -> u32 {
    match job.fate {
        Fate::Waits => 0,
        Fate::Runs { .. } => 1,
        Fate::Cancelled { .. } | Fate::Ended { how: How::Cancelled, .. } => 4,
        Fate::Ended { how: How::Completed, .. } => 3,
        Fate::Ended { how: How::Failed, .. } => 5,
        Fate::Ended { how: How::TimedOut, .. } => 6,
        Fate::Ended { how: How::Requeued, .. } => 7,
    }
}

fn line(cluster: &Cluster, job: &Job, has_tabs: bool) -> String {
    let (start_s, end_s) = (job.start_ms().map_or(0, seconds), job.end_ms().map_or(0, seconds));
    let (array, task) = job.task.unwrap_or((0, NO_VALUE));
    let (nodes, cpus, submit_s) = (job.nodes.len(), Cluster::cpus_of(job), seconds(job.submit_ms));
    let has_started = job.start_ms().is_some();
    let list = if has_started { bracketed(&cluster.node_names(job)) } else { "None assigned".to_owned() };
    let tres = if has_started { format!("1={cpus},2=4096,4={nodes}") } else { String::new() };
    let quoted = |text: &str| if has_tabs { text.to_owned() } else { format!("\"{text}\"") };
    let cells = [
        job.number.to_string(),
        array.to_string(),
        task.to_string(),
        "7001".to_owned(),
        if has_started { nodes } else { 0 }.to_string(),
        quoted(&list),
        cpus.to_string(),
        "0".to_owned(),
        cluster.partitions[job.partition].0.to_owned(),
        state(job).to_string(),
        job.limit_s.map_or(INFINITE, |limit_s| limit_s / 60).to_string(),
        submit_s.to_string(),
        submit_s.to_string(),
        start_s.to_string(),
        end_s.to_string(),
        "0".to_owned(),
        quoted(&tres),
    ];
    cells.join(if has_tabs { "\t" } else { "," }) + "\n"
}
