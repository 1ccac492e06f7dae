//! The numbers of groups of jobs, such as the jobs of one user. The functions are those of the summary, so that the
//! means of the groups, weighted by their jobs, are the means of the replay.

mod waits;

use std::io;

use self::waits::Waits;
use super::dispersal::Dispersal;
use super::facts::{Facts, Finished, Trim};
use super::gather::{Number, Partial};
use super::metric::Metric;
use super::recorder::Recording;
use super::registry::METRICS;
use crate::engine::Record;
use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::Mesh;

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

/// The numbers of all jobs of a replay, and those of each group.
pub type OfGroups = (GroupNumbers, Vec<GroupNumbers>);

/// Returns the numbers of all jobs of a replay, and those of each of `groups` groups. `trim` says which jobs means leave
/// out, of all jobs. O(J·log J) for J jobs.
/// Fails as [`GroupSums::finish`] does.
pub fn group_numbers(jobs: &[GroupedJob], trim: Trim, groups: usize) -> io::Result<OfGroups> {
    let mut sums = GroupSums::new(groups);
    sums.add_kept(jobs, &trim.kept(jobs.len(), |i| jobs[i].submit_s, |i| jobs[i].start_s));
    sums.finish()
}

/// The numbers of a replay and of groups of its jobs while jobs are added. Memory does not grow with the number of jobs.
#[derive(Debug)]
pub struct GroupSums {
    groups: Vec<GroupSum>,
    whole: GroupSum,
    /// The waits of the jobs that count in means.
    waits: Waits,
}

/// What is known of a group so far.
#[derive(Debug)]
struct GroupSum {
    jobs: u64,
    node_s: f64,
    /// What is known of each number, one for each row of [`grouped_metrics`].
    means: Vec<Partial>,
}

impl GroupSums {
    /// Returns the sums of `groups` groups without jobs.
    pub fn new(groups: usize) -> Self {
        let each = (0..groups).map(|_| GroupSum::default()).collect();
        Self { groups: each, whole: GroupSum::default(), waits: Waits::new(groups) }
    }

    /// Adds jobs, which follow those added before. All of them count in means. O(J) for J jobs.
    pub fn add(&mut self, jobs: &[GroupedJob]) {
        self.add_kept(jobs, &(0..jobs.len()).collect::<Vec<_>>());
    }

    /// Adds jobs, which follow those added before, and of which those at the positions `kept` count in means.
    pub fn add_kept(&mut self, jobs: &[GroupedJob], kept: &[usize]) {
        let replayed = Replayed::new(jobs);
        replayed.with_facts(|facts| {
            let mut members = vec![(Vec::new(), Vec::new()); self.groups.len()];
            for (i, job) in jobs.iter().enumerate() {
                members[job.group].0.push(i);
            }
            for &i in kept {
                members[jobs[i].group].1.push(i);
                self.waits.add(jobs[i].group, facts.wait_s(i));
            }
            self.whole.add(facts, &(0..jobs.len()).collect::<Vec<_>>(), kept.to_vec());
            for (group, (of_group, kept)) in self.groups.iter_mut().zip(members) {
                if !of_group.is_empty() {
                    group.add(facts, &of_group, kept);
                }
            }
        });
    }

    /// Returns the numbers of all jobs, and those of each group. Fails if waits cannot be kept in a temporary file. O(J) for
    /// J jobs, unless most of a group have almost the same wait.
    pub fn finish(self) -> io::Result<OfGroups> {
        let (whole, groups) = self.waits.medians()?;
        let groups = self.groups.into_iter().zip(groups);
        Ok((self.whole.finish(whole), groups.map(|(group, waits)| group.finish(waits)).collect()))
    }
}

impl Default for GroupSum {
    fn default() -> Self {
        let means = Replayed::new(&[])
            .with_facts(|none| grouped_metrics().map(|metric| metric.begin(none, false)).collect());
        Self { jobs: 0, node_s: 0.0, means }
    }
}

impl GroupSum {
    /// Adds the jobs at the positions `members`, of which those in `kept` count in means.
    fn add(&mut self, facts: &Facts<'_>, members: &[usize], kept: Vec<usize>) {
        self.jobs += members.len() as u64;
        for &i in members {
            self.node_s += facts.service_s(i) * f64::from(facts.replay.records[i].allocated);
        }
        let of_group = facts.of(kept);
        for (metric, mean) in grouped_metrics().zip(&mut self.means) {
            metric.add(mean, &of_group);
        }
    }

    /// Returns the numbers. `waits` has the number of jobs that count and the median of their waits.
    fn finish(self, waits: (u64, Option<f64>)) -> GroupNumbers {
        let means = Replayed::new(&[]).with_facts(|none| {
            // Nothing can fail, as no values are in a file.
            let mean = |(metric, mean): (&Metric, Partial)| metric.finish(mean, none).ok().flatten();
            grouped_metrics().zip(self.means).map(|both| mean(both).map(Number::as_f64)).collect()
        });
        GroupNumbers {
            jobs: self.jobs,
            jobs_in_means: waits.0,
            node_hours: self.node_s / 3600.0,
            wait_s_median: waits.1,
            means,
        }
    }
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

    /// Calls `act` with the facts about these jobs.
    fn with_facts<T>(&self, act: impl FnOnce(&Facts<'_>) -> T) -> T {
        // None of the numbers depends on the machine.
        let mesh = Mesh::default();
        act(&Facts::of_part(&Finished {
            jobs: &self.jobs,
            records: &self.records,
            recording: &self.recording,
            traffic: None,
            mesh: &mesh,
            trim: Trim::default(),
            is_predicted: false,
            skipped: 0,
            never_fit: 0,
            wall_s: 0.0,
        }))
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
            let (whole, groups) = group_numbers(&jobs, Trim { percent }, 3).expect("memory");
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
    fn jobs_in_parts_give_the_same_numbers() -> io::Result<()> {
        let jobs = jobs(500);
        for size in [1, 7, 499, 500] {
            let mut sums = GroupSums::new(3);
            jobs.chunks(size).for_each(|part| sums.add(part));
            assert_eq!(sums.finish()?, group_numbers(&jobs, Trim::default(), 3)?);
        }
        Ok(())
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
        let (whole, groups) = group_numbers(&jobs, Trim::default(), 2).expect("memory");
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
