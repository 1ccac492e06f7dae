//! Numbers of groups of jobs, such as the jobs of a user. The functions are shared with the summary, so the
//! means of the groups, weighted by their jobs, are the means of the replay.

mod waits;

use std::io;

pub(super) use self::waits::{WaitQuantiles, Waits};
use super::facts::{JobRow, Part, Trim};
use super::finished_job::FinishedJob;
use super::gather::{Accumulator, Number};
use super::metric::Metric;
use super::registry::METRICS;
use meshreplay_machine::machine::Mesh;

/// The numbers of a group of jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupNumbers {
    /// Number of jobs.
    pub jobs: u64,
    /// Number of jobs in means and in the median.
    pub jobs_in_means: u64,
    /// Node-hours held by the jobs.
    pub node_hours: f64,
    /// Median of start − arrival, in seconds: the mean of the middle two for an even number. `None` if no job
    /// counts.
    pub wait_s_median: Option<f64>,
    /// Means, one for each row of [`grouped_metrics`]. `None` if no job counts.
    pub means: Vec<Option<f64>>,
}

/// Returns the rows of [`METRICS`] that are computed for groups of jobs.
pub fn grouped_metrics() -> impl Iterator<Item = &'static Metric> {
    METRICS.iter().filter(|metric| metric.is_grouped)
}

/// The numbers of all jobs of a replay, and of each group.
pub type OfGroups = (GroupNumbers, Vec<GroupNumbers>);

/// Jobs per batch. The intermediate values fit the first-level cache.
const JOBS_AT_ONCE: usize = 1 << 10;

/// Bytes of waits sorted in memory for quantiles.
pub(super) const IN_MEMORY: usize = 32 << 20;

/// The numbers of a replay and of groups of its jobs while jobs are added, in constant memory.
#[derive(Debug, Default)]
pub struct GroupSums {
    /// The sums by group.
    groups: Vec<GroupSum>,
    whole: GroupSum,
    /// The waits of the jobs in means.
    waits: Waits,
    /// The period that the numbers cover.
    trim: Trim,
}

/// The sums of a group.
#[derive(Debug)]
struct GroupSum {
    jobs: u64,
    node_s: f64,
    /// The state of each number, one for each row of [`grouped_metrics`].
    means: Vec<Accumulator>,
    /// The positions of its jobs in means, within the batch.
    positions: Vec<usize>,
    /// The positions of its jobs from before the period, whose waits inside it count.
    earlier: Vec<usize>,
}

impl GroupSums {
    /// Creates the sums before the first job. In a period, node-hours and waits are those inside it.
    pub fn new(trim: Trim) -> Self {
        Self { trim, ..Self::default() }
    }

    /// Adds jobs, the next ones in the order of the log, with the group of each. `is_in_means` selects the
    /// jobs in means by their position among `jobs`. O(J) for J jobs.
    pub fn add(&mut self, jobs: &[JobRow], groups: &[usize], is_in_means: &dyn Fn(usize) -> bool) {
        for (first, (jobs, groups)) in
            (0..).step_by(JOBS_AT_ONCE).zip(jobs.chunks(JOBS_AT_ONCE).zip(groups.chunks(JOBS_AT_ONCE)))
        {
            let most = groups.iter().copied().max().map_or(0, |most| most + 1);
            self.groups.resize_with(self.groups.len().max(most), GroupSum::default);
            let jobs: Vec<FinishedJob> = jobs.iter().map(FinishedJob::from).collect();
            let earlier = self.trim.earlier(jobs.len(), |i| jobs[i].job.submit.as_seconds());
            for i in earlier {
                self.whole.earlier.push(i);
                self.groups[groups[i]].earlier.push(i);
            }
            for (i, (job, &group)) in jobs.iter().zip(groups).enumerate() {
                let service_s = match self.trim.period {
                    Some(_) => self.trim.inside_s(job.record.start, job.record.end),
                    None => job.service_s(),
                };
                let node_s = service_s * f64::from(job.record.allocated);
                self.whole.count(node_s);
                self.groups[group].count(node_s);
                if is_in_means(first + i) {
                    self.whole.positions.push(i);
                    self.groups[group].positions.push(i);
                    self.waits.add(group, self.trim.wait_s(job));
                }
            }
            let trim = self.trim;
            self.groups.iter_mut().chain([&mut self.whole]).for_each(|group| group.add(&jobs, trim));
        }
    }

    /// Returns the numbers of all jobs, and of each group. Fails if the temporary file of waits fails. O(J)
    /// for J jobs, unless most jobs of a group have almost the same wait.
    pub fn finish(self) -> io::Result<OfGroups> {
        let (whole, groups) = self.waits.quantiles(self.groups.len(), IN_MEMORY)?;
        let groups = self.groups.into_iter().zip(groups);
        Ok((self.whole.finish(whole), groups.map(|(group, waits)| group.finish(waits)).collect()))
    }
}

impl Default for GroupSum {
    fn default() -> Self {
        // These numbers do not depend on the machine.
        let mesh = Mesh::default();
        let means = grouped_metrics().map(|metric| Accumulator::new(&metric.compute, &mesh)).collect();
        Self { jobs: 0, node_s: 0.0, means, positions: Vec::new(), earlier: Vec::new() }
    }
}

impl GroupSum {
    /// Counts a job with its node-seconds.
    fn count(&mut self, node_s: f64) {
        self.jobs += 1;
        self.node_s += node_s;
    }

    /// Adds the `jobs` at `positions` and `earlier` to the means, and clears both.
    fn add(&mut self, jobs: &[FinishedJob], trim: Trim) {
        if self.positions.is_empty() && self.earlier.is_empty() {
            return;
        }
        let [kept, earlier] = [&mut self.positions, &mut self.earlier].map(std::mem::take);
        let of_group = Part { jobs, kept, earlier, trim };
        for (metric, mean) in grouped_metrics().zip(&mut self.means) {
            mean.add(&metric.compute, &of_group, |_, _| ());
        }
        (self.positions, self.earlier) = (of_group.kept, of_group.earlier);
        self.positions.clear();
        self.earlier.clear();
    }

    fn finish(self, waits: WaitQuantiles) -> GroupNumbers {
        let means = self.means.into_iter().map(|mean| mean.mean().map(Number::as_f64)).collect();
        GroupNumbers {
            jobs: self.jobs,
            jobs_in_means: waits.count,
            node_hours: self.node_s / 3600.0,
            wait_s_median: waits.median_s,
            means,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Trim;

    /// Returns the numbers of jobs that are added together.
    fn group_numbers(jobs: &[JobRow], groups: &[usize], trim: Trim) -> io::Result<OfGroups> {
        let mut sums = GroupSums::new(trim);
        let kept = trim.kept(jobs.len(), |i| jobs[i].submit_s);
        sums.add(jobs, groups, &|i| kept.binary_search(&i).is_ok());
        sums.finish()
    }

    /// Returns jobs of three groups, from a multiplicative generator.
    fn jobs(count: u64) -> (Vec<JobRow>, Vec<usize>) {
        let job = |i: u64| {
            let noise = |k: u64, below: u64| ((i * 7 + k).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % below;
            let submit_s = i as f64 * 600.0;
            let start_s = submit_s + noise(1, 5000) as f64 + 0.25;
            let procs = 1 + noise(3, 32) as u32;
            let row = JobRow {
                number: i as i64,
                submit_s,
                start_s,
                end_s: start_s + noise(2, 9000) as f64,
                procs,
                allocated: procs + noise(4, 2) as u32,
                pairwise_sum: noise(5, 900),
                why: None,
            };
            (row, noise(6, 3) as usize)
        };
        (0..count).map(job).unzip()
    }

    #[test]
    fn weighted_groups_give_the_whole() {
        for percent in [None, Some(10.0)] {
            let (jobs, groups) = jobs(2500);
            let (whole, groups) =
                group_numbers(&jobs, &groups, Trim { percent, period: None }).expect("memory");
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
                // The jobs have no causes of waiting.
                let Some(expected) = whole.means[i] else { continue };
                assert!((mean - expected).abs() < 1e-9 * expected.max(1.0), "{}", metric.name());
            }
        }
    }

    #[test]
    fn numbers_are_inside_the_period() {
        let period: meshreplay_base::job::Period = "600000..900000".parse().expect("a period");
        let (jobs, groups) = jobs(2500);
        let trim = Trim { percent: None, period: Some(period) };
        let (whole, of_groups) = group_numbers(&jobs, &groups, trim).expect("memory");
        for group in 0..4 {
            let [mut wait_s, mut node_s, mut count] = [0.0; 3];
            let inside = |from_s: f64, to_s: f64| (to_s.min(900_000.0) - from_s.max(600_000.0)).max(0.0);
            for (job, _) in jobs.iter().zip(&groups).filter(|(_, of)| group == 3 || **of == group) {
                wait_s += inside(job.submit_s, job.start_s);
                node_s += inside(job.start_s, job.end_s) * f64::from(job.allocated);
                count += f64::from(u8::from((600_000.0..=900_000.0).contains(&job.submit_s)));
            }
            let numbers = of_groups.get(group).unwrap_or(&whole);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * b;
            let expected = wait_s / count;
            assert!(
                count > 10.0 && near(numbers.means[0].expect("a mean"), expected),
                "{expected} {count} {numbers:?}"
            );
            assert!(near(numbers.node_hours, node_s / 3600.0), "{numbers:?}");
        }
    }

    #[test]
    fn jobs_in_parts_give_the_same_numbers() -> io::Result<()> {
        let (jobs, groups) = jobs(2500);
        for size in [1, 7, 1024, 2499, 2500] {
            let mut sums = GroupSums::default();
            for (jobs, groups) in jobs.chunks(size).zip(groups.chunks(size)) {
                sums.add(jobs, groups, &|_| true);
            }
            assert_eq!(sums.finish()?, group_numbers(&jobs, &groups, Trim::default())?);
        }
        Ok(())
    }

    #[test]
    fn numbers_follow_their_definitions() {
        let job = |submit_s: f64, start_s: f64, end_s: f64, allocated| JobRow {
            number: 1,
            submit_s,
            start_s,
            end_s,
            procs: allocated,
            allocated,
            pairwise_sum: u64::from(allocated),
            why: None,
        };
        let jobs = [
            job(0.0, 0.0, 3600.0, 2),
            job(0.0, 100.0, 7300.0, 3),
            job(5.0, 10.0, 20.0, 1),
            job(9.0, 9.0, 9.0, 1),
        ];
        let (whole, groups) = group_numbers(&jobs, &[1; 4], Trim::default()).expect("memory");
        assert_eq!(whole, groups[1]);
        assert_eq!((whole.jobs, whole.wait_s_median), (4, Some(2.5)));
        assert!((whole.node_hours - (2.0 + 6.0 + 10.0 / 3600.0)).abs() < 1e-12);
        let names: Vec<&str> = grouped_metrics().map(Metric::name).collect();
        assert_eq!(names[..3], ["wait_s_mean", "bounded_slowdown_mean", "pairwise_mean_mean"]);
        assert_eq!(whole.means[0], Some(105.0 / 4.0));
        assert_eq!(whole.means[1], Some((1.0 + 7300.0 / 7200.0 + 1.5 + 1.0) / 4.0));
        assert_eq!(whole.means[2], Some((2.0 + 1.0) / 4.0));
        assert!(whole.means[3..].iter().all(Option::is_none), "no job has causes of waiting");
        let none = GroupNumbers { means: vec![None; names.len()], ..GroupNumbers::default() };
        assert_eq!(groups[0], none);
    }
}
