//! A generated cluster: nodes, partitions, and jobs placed by a small first-come, first-served scheduler. The
//! truth about every job is known to the millisecond.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Milliseconds in a second and in a minute.
pub(crate) const SECOND_MS: i64 = 1000;
const MINUTE_MS: i64 = 60_000;

/// Clusters begin near one of these times, in seconds since 1970: clocks in Europe are put forward or back,
/// the end of a month, an ordinary day, a leap day.
const BEGINNINGS: [i64; 5] = [1_774_746_000, 1_792_890_000, 1_793_487_600, 1_781_500_000, 1_709_164_800];

/// A cluster and its jobs in the order of their submissions.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// The names of the nodes.
    pub(crate) nodes: Vec<String>,
    /// CPUs of each node.
    pub(crate) cpus: u32,
    /// The partitions: name and nodes.
    pub(crate) partitions: Vec<(&'static str, Vec<usize>)>,
    /// Whether jobs share nodes.
    pub(crate) is_shared: bool,
    /// The time zone of the site.
    pub(crate) zone: &'static str,
    /// All instants are multiples of this many milliseconds.
    pub(crate) grain_ms: i64,
    /// The time between the first dump and the second, or `None` for a single dump.
    pub(crate) border_ms: Option<i64>,
    /// The jobs. A run after a requeue is a separate job with the same number.
    pub(crate) jobs: Vec<Job>,
}

/// A job, or one run of a job that was requeued.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) number: i64,
    /// The array and the task, if the job is one.
    pub(crate) task: Option<(i64, i64)>,
    pub(crate) submit_ms: i64,
    /// The first submission; equal to `submit_ms` unless this run follows a requeue.
    pub(crate) first_submit_ms: i64,
    pub(crate) fate: Fate,
    /// The nodes of the job, or as many as it requested, and the CPUs on each node.
    pub(crate) nodes: Vec<usize>,
    pub(crate) cpus: u32,
    pub(crate) limit_s: Option<i64>,
    pub(crate) user: &'static str,
    pub(crate) group: &'static str,
    pub(crate) queue: &'static str,
    pub(crate) partition: usize,
    pub(crate) name: &'static str,
    /// A random number for the choices of a writer per job.
    pub(crate) dice: u32,
}

/// The state of a job at the end of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Ended {
        start_ms: i64,
        end_ms: i64,
        how: How,
    },
    /// Cancelled before it started.
    Cancelled {
        end_ms: i64,
    },
    Runs {
        start_ms: i64,
    },
    Waits,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    Completed,
    Failed,
    TimedOut,
    Cancelled,
    Requeued,
}

pub(crate) const USERS: [&str; 9] =
    ["anna", "bert", "o'neil", "zoë", "J. Doe", "x|y", "say \"hi\"", "a;b,c", "1000"];
const GROUPS: [&str; 4] = ["physics", "chem lab", "g|h", "ämter"];
const QUEUES: [&str; 3] = ["normal", "high", "long queue"];
const PARTITIONS: [&str; 3] = ["batch", "debug", "fat"];
const NAMES: [&str; 7] = ["run.sh", "my job = 3", "a|b", "x", "State=FAILED", "über \"q\"", "two\nlines | 7"];

/// Requeued jobs by the end of the interrupted run.
type Again = BTreeMap<(i64, usize), Job>;

/// Generates the cluster of a seed.
pub(crate) fn cluster(seed: u64) -> Cluster {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut cluster = machine(&mut rng);
    let jobs = jobs(&cluster, &mut rng);
    cluster.jobs = placed(&cluster, jobs, &mut rng);
    if rng.random_range(0..3) == 0 {
        leave_open(&mut cluster);
    }
    let instants: Vec<i64> = cluster.jobs.iter().map(|job| job.submit_ms).collect();
    if let (true, Some(&border_ms)) = (rng.random_range(0..3) == 0, instants.get(instants.len() / 2)) {
        cluster.border_ms = Some(border_ms);
    }
    cluster
}

/// Draws one of these values.
pub(crate) fn one_of<T: Copy>(rng: &mut ChaCha8Rng, values: &[T]) -> T {
    values[rng.random_range(0..values.len())]
}

/// Draws the nodes and partitions.
fn machine(rng: &mut ChaCha8Rng) -> Cluster {
    let count = rng.random_range(1..=16_usize);
    let name = |node: usize| match count % 3 {
        0 => format!("n{node:03}"),
        1 => format!("node{}", node + 1),
        _ => format!("r{}-n{node}", node % 2),
    };
    let half = count.div_ceil(2);
    let parts: Vec<Vec<usize>> = match rng.random_range(0..4) {
        0 => vec![(0..count).collect()],
        1 if count > 1 => vec![(0..half).collect(), (half..count).collect()],
        2 => vec![(0..count).collect(), (0..half).collect(), (half / 2..count).collect()],
        _ => vec![(0..count).collect(), (0..count).collect()],
    };
    Cluster {
        nodes: (0..count).map(name).collect(),
        cpus: one_of(rng, &[1, 4, 48]),
        partitions: PARTITIONS.into_iter().zip(parts).collect(),
        is_shared: rng.random_range(0..4) == 0,
        zone: one_of(rng, &["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]),
        grain_ms: one_of(rng, &[1, 100, 500, SECOND_MS, SECOND_MS, MINUTE_MS]),
        border_ms: None,
        jobs: Vec::new(),
    }
}

/// Draws jobs in the order of submission, each with its run time as if it started at once.
fn jobs(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Vec<Job> {
    let grain = |time_ms: i64| time_ms / cluster.grain_ms * cluster.grain_ms;
    let begin_s = one_of(rng, &BEGINNINGS) - rng.random_range(0..20_000);
    let (mut submit_ms, mut number) = (grain(begin_s * SECOND_MS), rng.random_range(1..5000));
    let (gap_ms, run_ms) =
        (one_of(rng, &[2_000, 200_000, 2_000_000]), one_of(rng, &[3_000, 600_000, 9_000_000]));
    let mut jobs = Vec::new();
    let mut array: Option<(i64, i64, i64)> = None;
    for _ in 0..rng.random_range(1..=30) {
        let task = match &mut array {
            Some((first, task, left)) if *left > 0 => {
                (*task, *left) = (*task + 1, *left - 1);
                Some((*first, *task))
            }
            _ => {
                if rng.random_range(0..3) > 0 {
                    submit_ms += grain(rng.random_range(0..gap_ms));
                }
                let is_array = rng.random_range(0..8) == 0;
                let first_task = one_of(rng, &[0, 7, 999_998]);
                array = is_array.then(|| (number, first_task, rng.random_range(1..4)));
                array.map(|(first, task, _)| (first, task))
            }
        };
        let partition = rng.random_range(0..cluster.partitions.len());
        let most = cluster.partitions[partition].1.len();
        let size = if rng.random_range(0..2) == 0 { 1 } else { rng.random_range(1..=most) };
        let length_ms = if rng.random_range(0..9) == 0 { 0 } else { grain(rng.random_range(0..run_ms)) };
        let how = one_of(rng, &[How::Completed, How::Completed, How::Failed, How::TimedOut, How::Cancelled]);
        let is_cancelled = rng.random_range(0..12) == 0;
        jobs.push(Job {
            number,
            task,
            submit_ms,
            first_submit_ms: submit_ms,
            fate: if is_cancelled {
                Fate::Cancelled { end_ms: submit_ms + length_ms }
            } else {
                Fate::Ended { start_ms: submit_ms, end_ms: submit_ms + length_ms, how }
            },
            nodes: (0..size).collect(),
            cpus: if cluster.is_shared { rng.random_range(1..=cluster.cpus) } else { cluster.cpus },
            limit_s: (rng.random_range(0..6) > 0).then(|| 60 * rng.random_range(1..3000)),
            user: one_of(rng, &USERS),
            group: one_of(rng, &GROUPS),
            queue: one_of(rng, &QUEUES),
            partition,
            name: one_of(rng, &NAMES),
            dice: rng.random_range(0..1 << 30),
        });
        number += one_of(rng, &[1, 1, 1, 3]);
    }
    jobs
}

/// Gives every job its nodes and its start: the earliest time with enough free CPUs on enough nodes of its
/// partition, after all earlier jobs. Some runs end early by a requeue and run again.
fn placed(cluster: &Cluster, jobs: Vec<Job>, rng: &mut ChaCha8Rng) -> Vec<Job> {
    let mut free_ms = vec![vec![i64::MIN; cluster.cpus as usize]; cluster.nodes.len()];
    let mut queue: Again = jobs.into_iter().enumerate().map(|(i, job)| ((job.submit_ms, i), job)).collect();
    let (mut done, mut next) = (Vec::new(), queue.len());
    while let Some((_, mut job)) = queue.pop_first() {
        let Fate::Ended { start_ms, end_ms, how } = job.fate else {
            done.push(job);
            continue;
        };
        let cpus = job.cpus as usize;
        let mut candidates = cluster.partitions[job.partition].1.clone();
        let turn = rng.random_range(0..candidates.len());
        candidates.rotate_left(turn);
        candidates.sort_by_key(|&node| free_ms[node][cpus - 1]);
        candidates.truncate(job.nodes.len());
        candidates.sort_unstable();
        let ready_ms = candidates.iter().map(|&node| free_ms[node][cpus - 1]).max().unwrap_or(i64::MIN);
        let start_ms_now = ready_ms.max(job.submit_ms);
        let mut end_ms = start_ms_now + (end_ms - start_ms);
        let mut how = how;
        // Both parts are longer than a second, so that they differ in formats of whole seconds.
        let is_long = end_ms - start_ms_now > 3 * cluster.grain_ms.max(SECOND_MS);
        if is_long && rng.random_range(0..10) == 0 {
            let again_ms = end_ms;
            end_ms = start_ms_now + (end_ms - start_ms_now) / 2 / cluster.grain_ms * cluster.grain_ms;
            let again = Fate::Ended { start_ms: end_ms, end_ms: again_ms, how };
            queue.insert((end_ms, next), Job { submit_ms: end_ms, fate: again, ..job.clone() });
            (how, next) = (How::Requeued, next + 1);
        }
        for &node in &candidates {
            free_ms[node][..cpus].fill(end_ms);
            free_ms[node].sort_unstable();
        }
        (job.nodes, job.fate) = (candidates, Fate::Ended { start_ms: start_ms_now, end_ms, how });
        done.push(job);
    }
    done
}

/// Ends the accounting while some jobs still run or wait.
fn leave_open(cluster: &mut Cluster) {
    let mut ends: Vec<i64> = cluster.jobs.iter().filter_map(Job::end_ms).collect();
    ends.sort_unstable();
    let Some(&now_ms) = ends.get(ends.len() * 4 / 5) else { return };
    cluster.jobs.retain(|job| job.submit_ms <= now_ms);
    for job in &mut cluster.jobs {
        job.fate = match job.fate {
            Fate::Ended { start_ms, .. } if start_ms > now_ms => Fate::Waits,
            Fate::Ended { start_ms, end_ms, .. } if end_ms > now_ms => Fate::Runs { start_ms },
            Fate::Cancelled { end_ms } if end_ms > now_ms => Fate::Waits,
            fate => fate,
        };
    }
}

impl Job {
    pub(crate) fn start_ms(&self) -> Option<i64> {
        match self.fate {
            Fate::Ended { start_ms, .. } | Fate::Runs { start_ms } => Some(start_ms),
            Fate::Cancelled { .. } | Fate::Waits => None,
        }
    }

    pub(crate) fn end_ms(&self) -> Option<i64> {
        match self.fate {
            Fate::Ended { end_ms, .. } | Fate::Cancelled { end_ms } => Some(end_ms),
            Fate::Runs { .. } | Fate::Waits => None,
        }
    }

    /// The start and the end of a finished run.
    pub(crate) fn run_ms(&self) -> Option<(i64, i64)> {
        self.start_ms().zip(self.end_ms())
    }
}

impl Cluster {
    /// The names of a job's nodes.
    pub(crate) fn node_names(&self, job: &Job) -> Vec<&str> {
        job.nodes.iter().map(|&node| self.nodes[node].as_str()).collect()
    }

    /// The total CPUs of a job on all its nodes.
    pub(crate) fn cpus_of(job: &Job) -> i64 {
        job.nodes.len() as i64 * i64::from(job.cpus)
    }

    /// The jobs of one dump, or of two dumps. Each of the two has the jobs that waited or ran in its period.
    /// The flag marks the second line of the same job.
    pub(crate) fn dumps(&self) -> Vec<Vec<(&Job, bool)>> {
        let Some(border_ms) = self.border_ms else {
            return vec![self.jobs.iter().map(|job| (job, false)).collect()];
        };
        let is_early = |job: &Job| job.submit_ms < border_ms;
        let is_late = |job: &Job| job.end_ms().is_none_or(|end_ms| end_ms >= border_ms);
        let first = self.jobs.iter().filter(|job| is_early(job)).map(|job| (job, false));
        let second = self.jobs.iter().filter(|job| is_late(job) || !is_early(job));
        vec![first.collect(), second.map(|job| (job, is_early(job))).collect()]
    }
}

/// Rounds an instant to seconds, half a second up.
pub(crate) fn seconds(time_ms: i64) -> i64 {
    (time_ms + SECOND_MS / 2).div_euclid(SECOND_MS)
}
