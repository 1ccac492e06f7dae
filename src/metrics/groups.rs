//! The numbers of groups of jobs, such as the jobs of one user. The functions are those of the summary, so that the
//! means of the groups, weighted by their jobs, are the means of the replay.

use super::dispersal::Dispersal;
use super::facts::{Facts, Finished, Trim};
use super::gather::Number;
use super::metric::Metric;
use super::recorder::Recording;
use super::registry::METRICS;
use crate::engine::Record;
use crate::job::{Job, Time};
use crate::machine::Mesh;

/// A job of a replay that has ended, as saved results hold it. Times are in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupedJob {
    /// The arrival.
    pub submit_s: f64,
    /// The start.
    pub start_s: f64,
    /// The end.
    pub end_s: f64,
    /// The processors that it asked for.
    pub procs: u32,
    /// The nodes that it held.
    pub allocated: u32,
    /// The sum of the distances of all pairs of these nodes, in hops.
    pub pairwise_sum: u64,
    /// The position of its group.
    pub group: usize,
}

/// The numbers of a group of jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupNumbers {
    /// The number of jobs.
    pub jobs: u64,
    /// The number of jobs that count in means and in the median.
    pub jobs_in_means: u64,
    /// The hours for which they held nodes, times the nodes.
    pub node_hours: f64,
    /// The median of start − arrival, in seconds: the mean of the two in the middle if their number is even. `None` if
    /// no job counts.
    pub wait_s_median: Option<f64>,
    /// The means, one for each row of [`grouped_metrics`]. `None` if no job counts.
    pub means: Vec<Option<f64>>,
}

/// Returns the rows of [`METRICS`] that are computed for groups of jobs.
pub fn grouped_metrics() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(|metric| metric.is_grouped)
}

/// Returns the numbers of all jobs of a replay, and those of each of `groups` groups. `trim` says which jobs means leave
/// out, of all jobs. O(J·log J) for J jobs.
pub fn group_numbers(jobs: &[GroupedJob], trim: Trim, groups: usize) -> (GroupNumbers, Vec<GroupNumbers>) {
    let replayed = Replayed::new(jobs);
    // None of the numbers depends on the machine.
    let Ok(mesh) = Mesh::new(&[1]) else { return Default::default() };
    let finished = Finished {
        jobs: &replayed.jobs,
        records: &replayed.records,
        recording: &replayed.recording,
        traffic: None,
        mesh: &mesh,
        trim,
        is_predicted: false,
        skipped: 0,
        never_fit: 0,
        wall_s: 0.0,
    };
    let facts = Facts::new(&finished);
    let mut members = vec![(Vec::new(), Vec::new()); groups];
    for (i, job) in jobs.iter().enumerate() {
        members[job.group].0.push(i);
    }
    for &i in &facts.kept {
        members[jobs[i].group].1.push(i);
    }
    let all: Vec<usize> = (0..jobs.len()).collect();
    let whole = numbers(&facts, &all, facts.kept.clone());
    (whole, members.into_iter().map(|(of_group, kept)| numbers(&facts, &of_group, kept)).collect())
}

/// Returns the numbers of the jobs at the positions `members`, of which those in `kept` count in means.
fn numbers(facts: &Facts<'_>, members: &[usize], kept: Vec<usize>) -> GroupNumbers {
    let mut waits_s: Vec<f64> = kept.iter().map(|&i| facts.wait_s(i)).collect();
    waits_s.sort_by(f64::total_cmp);
    let node_s = |&i: &usize| facts.service_s(i) * f64::from(facts.replay.records[i].allocated);
    let jobs_in_means = kept.len() as u64;
    let of_group = facts.of(kept);
    GroupNumbers {
        jobs: members.len() as u64,
        jobs_in_means,
        node_hours: members.iter().map(node_s).sum::<f64>() / 3600.0,
        wait_s_median: median(&waits_s),
        means: grouped_metrics().map(|metric| metric.compute(&of_group).map(Number::as_f64)).collect(),
    }
}

/// Returns the median of sorted values; `None` if there are none.
fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

/// The jobs as the functions of the summary take them.
struct Replayed {
    jobs: Vec<Job>,
    records: Vec<Record>,
    recording: Recording,
}

impl Replayed {
    fn new(played: &[GroupedJob]) -> Self {
        let time = |seconds: f64| Time::from_micros((seconds * 1e6).round() as i64);
        let job = |job: &GroupedJob| Job { submit: time(job.submit_s), procs: job.procs, ..Job::default() };
        let record = |job: &GroupedJob| Record {
            start: time(job.start_s),
            end: time(job.end_s),
            allocated: job.allocated,
            ..Record::default()
        };
        let dispersal = |job: &GroupedJob| Dispersal {
            pairwise_sum: job.pairwise_sum,
            nodes: job.allocated,
            ..Dispersal::default()
        };
        let recording = Recording {
            dispersal: played.iter().map(dispersal).collect(),
            allocate_ns: Vec::new(),
            ..Recording::default()
        };
        Self {
            jobs: played.iter().map(job).collect(),
            records: played.iter().map(record).collect(),
            recording,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns jobs of three groups, from a multiplicative generator.
    fn jobs(count: u64) -> Vec<GroupedJob> {
        let job = |i: u64| {
            let noise = |k: u64, below: u64| ((i * 7 + k).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % below;
            let submit_s = i as f64 * 600.0;
            let start_s = submit_s + noise(1, 5000) as f64 + 0.25;
            let procs = 1 + noise(3, 32) as u32;
            GroupedJob {
                submit_s,
                start_s,
                end_s: start_s + noise(2, 9000) as f64,
                procs,
                allocated: procs + noise(4, 2) as u32,
                pairwise_sum: noise(5, 900),
                group: noise(6, 3) as usize,
            }
        };
        (0..count).map(job).collect()
    }

    #[test]
    fn weighted_groups_give_the_whole() {
        for percent in [None, Some(10.0)] {
            let jobs = jobs(500);
            let (whole, groups) = group_numbers(&jobs, Trim { percent }, 3);
            assert!(groups.iter().all(|group| group.jobs > 10), "{groups:?}");
            let sum = |of: fn(&GroupNumbers) -> u64| groups.iter().map(of).sum::<u64>();
            assert_eq!(sum(|group| group.jobs), whole.jobs);
            assert_eq!(sum(|group| group.jobs_in_means), whole.jobs_in_means);
            assert_eq!(whole.jobs == whole.jobs_in_means, percent.is_none());
            let hours: f64 = groups.iter().map(|group| group.node_hours).sum();
            assert!((hours - whole.node_hours).abs() < 1e-9 * hours);
            for (i, metric) in grouped_metrics().enumerate() {
                let weighted =
                    |group: &GroupNumbers| group.means[i].unwrap_or(0.0) * group.jobs_in_means as f64;
                let mean = groups.iter().map(weighted).sum::<f64>() / whole.jobs_in_means as f64;
                let expected = whole.means[i].expect("a mean");
                assert!((mean - expected).abs() < 1e-9 * expected.max(1.0), "{}", metric.name());
            }
        }
    }

    #[test]
    fn numbers_follow_their_definitions() {
        let job = |submit_s: f64, start_s: f64, end_s: f64, allocated, group| GroupedJob {
            submit_s,
            start_s,
            end_s,
            procs: allocated,
            allocated,
            pairwise_sum: u64::from(allocated),
            group,
        };
        let jobs = [
            job(0.0, 0.0, 3600.0, 2, 0),
            job(0.0, 100.0, 7300.0, 3, 0),
            job(5.0, 10.0, 20.0, 1, 0),
            job(9.0, 9.0, 9.0, 1, 0),
        ];
        let (whole, groups) = group_numbers(&jobs, Trim::default(), 2);
        assert_eq!(whole, groups[0]);
        assert_eq!((whole.jobs, whole.wait_s_median), (4, Some(2.5)));
        assert!((whole.node_hours - (2.0 + 6.0 + 10.0 / 3600.0)).abs() < 1e-12);
        let names: Vec<&str> = grouped_metrics().map(Metric::name).collect();
        assert_eq!(names, ["wait_s_mean", "bounded_slowdown_mean", "pairwise_mean_mean"]);
        assert_eq!(whole.means[0], Some(105.0 / 4.0));
        assert_eq!(whole.means[1], Some((1.0 + 7300.0 / 7200.0 + 1.5 + 1.0) / 4.0));
        assert_eq!(whole.means[2], Some((2.0 + 1.0) / 4.0));
        let none = GroupNumbers { means: vec![None; 3], ..GroupNumbers::default() };
        assert_eq!(groups[1], none);
    }
}
