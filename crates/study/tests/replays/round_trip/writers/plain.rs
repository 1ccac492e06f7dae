//! Columns given by number, and two formats without waits: `PReMAS` (four integers per line) and the native
//! log of the iPSC/860 at NASA Ames.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{comes_twice, decimal, local};
use crate::round_trip::cluster::{Cluster, Job, seconds};
use crate::round_trip::truth::{COMPLETED, Want, Written};

/// A log of jobs without waits, names and lists.
fn written(file: &'static str, format: &str, text: String, jobs: Vec<Want>) -> Written {
    Written { has_waits: false, ..Written::new(file, format.to_owned(), text, jobs) }
}

/// Arrival, processors, run time and estimate, in whole seconds.
pub(super) fn premas(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    let ran: Vec<&Job> = cluster.jobs.iter().filter(|job| job.run_ms().is_some()).collect();
    let first_s = seconds(ran.iter().map(|job| job.submit_ms).min()?) - rng.random_range(0..2);
    let (mut text, mut jobs) = (String::new(), Vec::new());
    for (job, number) in ran.into_iter().zip(1..) {
        let (start_ms, end_ms) = job.run_ms()?;
        let (submit_s, run_s) = (seconds(job.submit_ms) - first_s, seconds(end_ms) - seconds(start_ms));
        let limit_s = job.limit_s.unwrap_or(-1);
        text += &format!("{submit_s}\t{}\t{run_s}\t{limit_s}\n", job.nodes.len());
        jobs.push(Want {
            id: (number, None),
            submit_s,
            // The start is unknown; only the run time is known.
            start_s: Some(submit_s),
            end_s: Some(submit_s + run_s),
            status: Some(COMPLETED),
            nodes: None,
            names: [None, None, None, None],
            ..Want::of(cluster, job)
        });
    }
    Some(written("log.premas", "premas", text, jobs))
}

/// User, command, nodes, seconds, and date and time of the start in California.
pub(super) fn nas(cluster: &Cluster, _: &mut ChaCha8Rng) -> Option<Written> {
    const ZONE: &str = "America/Los_Angeles";
    let (mut text, mut jobs) = (String::new(), Vec::new());
    for (job, number) in cluster.jobs.iter().filter(|job| job.run_ms().is_some()).zip(1..) {
        let (start_ms, end_ms) = job.run_ms()?;
        let (start_s, run_s) = (seconds(start_ms), seconds(end_ms) - seconds(start_ms));
        let user = job.user.replace(' ', "_");
        let when = local(start_s, ZONE, "%m/%d/%y %H:%M:%S");
        text += &format!("{user} nqs0 {} {run_s} {when}\n", job.nodes.len());
        jobs.push(Want {
            id: (number, None),
            // The format has no submissions, so starts replace them.
            submit_s: start_s,
            start_s: Some(start_s),
            end_s: Some(start_s + run_s),
            status: None,
            limit_s: None,
            nodes: None,
            names: [Some(user), None, None, None],
            is_ambiguous: comes_twice(start_s, ZONE),
            ..Want::of(cluster, job)
        });
    }
    Some(written("log.nas", "nas-ipsc", text, jobs))
}

/// Columns given by number, without a heading: submission, wait, run time, processors, user.
pub(super) fn columns(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    let (text, jobs): (Vec<String>, Vec<Want>) = cluster
        .jobs
        .iter()
        .filter_map(|job| Some((job, job.run_ms()?)))
        .zip(1..)
        .map(|((job, (start_ms, end_ms)), number)| {
            let user = job.user.replace([' ', '"', ',', ';', '|', '\''], "_");
            let times = [job.submit_ms, start_ms - job.submit_ms, end_ms - start_ms].map(decimal).join(" ");
            let known = Want::of(cluster, job);
            let names = [Some(user.clone()), None, None, None];
            let want = Want { id: (number, None), limit_s: None, nodes: None, status: None, names, ..known };
            (format!("{times} {} {user}\n", job.nodes.len()), want)
        })
        .unzip();
    let separator = [" ", "\t", ","][rng.random_range(0..3)];
    let text = text.concat().replace(' ', separator);
    let format = "columns:submit=1,wait=2,run=3,procs=4,user=5";
    Some(Written::new("log.txt", format.to_owned(), text, jobs))
}
