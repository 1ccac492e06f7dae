//! Accounting files of PBS Pro, Torque, Cobalt and PBS on a Cray: `date;type;job;key=value …`. Types: queued
//! (Q), start (S), rerun (R), deleted while waiting (D), end (E).

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{RERUNS, RUNNING, TWICE, clock, decimal, local, ranges};
use crate::round_trip::cluster::{Cluster, Fate, How, Job, seconds};
use crate::round_trip::truth::{FAILED, Want, Written, once};

/// The batch system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum System {
    Pro,
    Torque,
    /// Nodes are numbers, and times have fractions of a second.
    Cobalt,
    /// The host of a job is a login node, and its size is in processing elements.
    Cray,
}

/// The style of hosts and resources.
#[derive(Clone, Copy)]
struct Look {
    system: System,
    /// Selects the spelling of slots.
    slots: u32,
}

/// The number of the first node in Cobalt.
const FIRST_NODE: usize = 3840;

pub(super) fn pro(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    Some(write(cluster, rng, System::Pro))
}

pub(super) fn torque(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    Some(write(cluster, rng, System::Torque))
}

pub(super) fn cobalt(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    (!cluster.is_shared).then(|| write(cluster, rng, System::Cobalt))
}

pub(super) fn cray(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    (!cluster.is_shared).then(|| write(cluster, rng, System::Cray))
}

fn write(cluster: &Cluster, rng: &mut ChaCha8Rng, system: System) -> Written {
    let in_cpus = cluster.is_shared || rng.random_range(0..4) == 0;
    let look = Look { system, slots: rng.random_range(0..3) };
    let ended = |job: &Job| job.run_ms().is_some() && !is_requeued(job);
    let (jobs, twice) = once(cluster, &ended);
    let text: String = cluster
        .dumps()
        .into_iter()
        .flatten()
        .flat_map(|(job, is_second)| lines(cluster, job, look).into_iter().skip(usize::from(is_second)))
        .collect();
    let wants = jobs.into_iter().map(|job| Want {
        submit_s: seconds(job.submit_ms),
        nodes: match system {
            System::Cray => None,
            System::Cobalt => Some(job.nodes.iter().map(|node| (node + FIRST_NODE).to_string()).collect()),
            System::Pro | System::Torque => Some(owned(&cluster.node_names(job))),
        },
        procs: Some(if in_cpus { Cluster::cpus_of(job) } else { job.nodes.len() as i64 }),
        status: Some(status(job)),
        names: [Some(user(job)), Some(job.group.replace(' ', "_")), Some(job.queue.replace(' ', "_")), None],
        ..Want::of(cluster, job)
    });
    let count = |is: &dyn Fn(&Job) -> bool| cluster.jobs.iter().filter(|job| is(job)).count() as u64;
    let (reruns, running) = (count(&is_requeued), count(&|job| matches!(job.fate, Fate::Runs { .. })));
    // Lines of reruns may be repeated, too.
    let stated = vec![(RERUNS, reruns, 2 * reruns), (TWICE, twice, twice), (RUNNING, running, 2 * running)];
    let format = if in_cpus { "pbs:unit=cpus" } else { "pbs" };
    Written {
        stated,
        has_lists: !in_cpus && !cluster.is_shared && system != System::Cray,
        is_shared: cluster.is_shared,
        ..Written::new("20261025", format.to_owned(), text, wants.collect())
    }
}

fn is_requeued(job: &Job) -> bool {
    matches!(job.fate, Fate::Ended { how: How::Requeued, .. })
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// A user name without blanks, which PBS does not allow in values.
fn user(job: &Job) -> String {
    job.user.replace([' ', '"', ';'], "_")
}

/// PBS has only exit status 271 (signal 15) for a cancelled job.
fn status(job: &Job) -> i64 {
    match job.fate {
        Fate::Ended { how: How::Completed, .. } => 1,
        Fate::Ended { how: How::Cancelled, .. } => 5,
        _ => FAILED,
    }
}

/// The lines of a job, in order of time.
fn lines(cluster: &Cluster, job: &Job, look: Look) -> Vec<String> {
    let id = match job.task {
        Some((array, task)) if look.system != System::Torque => format!("{array}[{task}].pbs01"),
        // Torque 2 has hyphens.
        Some((array, task)) if look.slots == 2 => format!("{array}-{task}.torque.site"),
        Some((array, task)) => format!("{array}[{task}].torque.site"),
        None => format!("{}.pbs01", job.number),
    };
    let line = |time_ms: i64, kind: char, values: &str| {
        format!("{};{kind};{id};{values}\n", local(seconds(time_ms), cluster.zone, "%m/%d/%Y %H:%M:%S"))
    };
    let queue = job.queue.replace(' ', "_");
    let mut lines = vec![line(job.submit_ms, 'Q', &format!("queue={queue}"))];
    let Some(start_ms) = job.start_ms() else {
        lines.extend(job.end_ms().map(|end_ms| line(end_ms, 'D', "requestor=anna@site")));
        return lines;
    };
    let begun = begun(cluster, job, look, start_ms);
    lines.push(line(start_ms, 'S', &begun));
    let Some(end_ms) = job.end_ms() else { return lines };
    if is_requeued(job) {
        // Torque writes no values on this line.
        lines.push(line(end_ms, 'R', if look.system == System::Torque { "" } else { &begun }));
        return lines;
    }
    let exit = match status(job) {
        1 => 0,
        5 => 271,
        _ => 1 + job.dice % 255,
    };
    let used = clock_of(seconds(end_ms) - seconds(start_ms));
    let ended = format!(
        "{begun} session=4711 end={} Exit_status={exit} resources_used.cput=00:00:00 \
             resources_used.walltime={used}",
        instant(end_ms, look)
    );
    lines.push(line(end_ms, 'E', &ended));
    lines
}

/// `HH:MM:SS` with hours above 24.
fn clock_of(length_s: i64) -> String {
    let hours = length_s / 3600;
    format!("{hours:02}{}", &clock(length_s % 3600)[2..])
}

/// A time in seconds since 1970.
fn instant(time_ms: i64, look: Look) -> String {
    if look.system == System::Cobalt { decimal(time_ms) } else { seconds(time_ms).to_string() }
}

/// The hosts and the requested resources of a job.
fn resources(cluster: &Cluster, job: &Job, look: Look) -> String {
    let names = cluster.node_names(job);
    let (nodes, cpus) = (names.len(), job.cpus);
    let all = cpus as usize * nodes;
    let slots = |name: &&str| match (look.system, look.slots) {
        (System::Pro, 0) if cpus == 1 => format!("{name}/0"),
        (System::Pro, _) => format!("{name}/{}*{cpus}", job.dice % 3),
        (_, 0) => (0..cpus).map(|slot| format!("{name}/{slot}")).collect::<Vec<_>>().join("+"),
        (_, _) if cpus == 1 => format!("{name}/{}", job.dice % 8),
        (_, _) => format!("{name}/0-{}", cpus - 1),
    };
    let joined = |spelt: &dyn Fn(&&str) -> String| names.iter().map(spelt).collect::<Vec<_>>().join("+");
    match look.system {
        System::Pro => format!(
            "exec_host={} exec_vnode={} Resource_List.ncpus={all} Resource_List.nodect={nodes} \
             Resource_List.place=scatter Resource_List.select={nodes}:ncpus={cpus}",
            joined(&slots),
            joined(&|name| format!("({name}:ncpus={cpus})")),
        ),
        System::Torque => format!(
            "exec_host={} Resource_List.neednodes={nodes}:ppn={cpus} Resource_List.nodect={nodes} \
             Resource_List.nodes={nodes}:ppn={cpus}",
            joined(&slots)
        ),
        System::Cobalt => {
            let numbers: Vec<String> = job.nodes.iter().map(|node| (node + FIRST_NODE).to_string()).collect();
            let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
            let list = ranges(&numbers).join(",");
            format!(
                "args=\"\" cwd=/scratch/a exec_host=\"{list}\" Resource_List.ncpus={all} \
                 Resource_List.nodect={nodes} resources_used.location=\"{list}\" \
                 resources_used.nodect={nodes}"
            )
        }
        System::Cray => format!(
            "exec_host=login{}/0 exec_vnode=(login2:ncpus=1) Resource_List.mppnppn={cpus} \
             Resource_List.mppwidth={all} Resource_List.ncpus=1 Resource_List.nodect=1",
            job.dice % 3
        ),
    }
}

/// The values on the line of a job's start.
fn begun(cluster: &Cluster, job: &Job, look: Look, start_ms: i64) -> String {
    let limit = job.limit_s.map(|limit_s| match look.system {
        System::Cobalt => format!(" Resource_List.walltime={limit_s}"),
        _ => format!(" Resource_List.walltime={}", clock_of(limit_s)),
    });
    let submit = instant(job.first_submit_ms, look);
    format!(
        "user={} group={} project=_pbs_project_default jobname={} queue={} ctime={submit} qtime={submit} \
         etime={} start={} {}{}",
        user(job),
        job.group.replace(' ', "_"),
        job.name.replace([' ', '"', '\n'], "_"),
        job.queue.replace(' ', "_"),
        instant(job.submit_ms, look),
        instant(start_ms, look),
        resources(cluster, job, look),
        limit.unwrap_or_default()
    )
}
