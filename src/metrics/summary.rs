//! One replay as one row of numbers.

use super::compactions::Compactions;
use super::cost::CostSummary;
use super::recorder::Recording;
use super::traffic::TrafficSummary;
use crate::engine::Record;
use crate::job::{Job, Time};
use crate::machine::Mesh;
use crate::yardstick::PairwiseBound;

/// Which jobs means leave out, so that an empty machine at the start and a draining one at the end do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trim {
    /// Leave out this percentage of jobs, the first to arrive, and all jobs that start after the day (of 86,400 s,
    /// counted from time 0) of the last submission. `None` leaves out nobody.
    pub percent: Option<f64>,
}

/// Numbers of one replay. Means are over the jobs that [`Trim`] keeps, everything else over all jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Jobs replayed.
    pub jobs: usize,
    /// Jobs that means are over; if there are none, means are 0 here and nothing in results, see [`Self::over_jobs`].
    pub jobs_in_means: usize,
    /// Those of them that have at least two nodes.
    pub parallel_in_means: usize,
    /// From the first arrival to the last end.
    pub makespan_s: f64,
    /// Busy node-seconds by nodes and makespan, 0 to 1.
    pub utilization: f64,
    /// Share of busy node-seconds that no job asked for, because placements are larger than requests.
    pub internal_fragmentation: f64,
    /// Mean of start − arrival.
    pub wait_s_mean: f64,
    /// Mean of the time from arrival to the head of the queue, or to the start of jobs that start before.
    pub queue_delay_s_mean: f64,
    /// Mean of the time from there to the start: waiting for nodes, and for running jobs to make room.
    pub allocation_delay_s_mean: f64,
    /// Running jobs that were moved to make room, each as often as it was.
    pub moves: u64,
    /// Jobs that were moved at least once.
    pub jobs_moved: u64,
    /// Plans by which they were.
    pub compactions: Compactions,
    /// Mean of the time that jobs stood still because of that.
    pub suspended_s_mean: f64,
    /// Mean of end − arrival.
    pub turnaround_s_mean: f64,
    /// Variance of end − arrival over the jobs, in square seconds.
    pub turnaround_s_variance: f64,
    /// Mean of max(1, (wait + run) / max(run, 10 s)).
    pub bounded_slowdown_mean: f64,
    /// Mean pairwise sum, serial jobs as 0.
    pub pairwise_sum_mean: f64,
    /// Mean of the jobs' mean pairwise distances, serial jobs as 0.
    pub pairwise_mean_mean: f64,
    /// The same over jobs of at least two nodes.
    pub pairwise_mean_parallel_mean: f64,
    /// Mean of pairwise sum / bound over jobs of at least two nodes, the bound being what no placement of so many nodes
    /// is below on this machine (see [`PairwiseBound`]): 1 if every placement is of the best shape. 0 if there is no
    /// such job.
    pub pairwise_ratio_to_bound_mean: f64,
    /// Mean number of connected components.
    pub components_mean: f64,
    /// Share of jobs in one component.
    pub contiguous_share: f64,
    /// Calls that placed a job.
    pub allocate: CostSummary,
    /// Calls that were refused.
    pub refused: CostSummary,
    /// Releases.
    pub release: CostSummary,
    /// Mean of end − start.
    pub service_s_mean: f64,
    /// What the jobs' messages would do to each other, if that was estimated.
    pub contention: Option<ContentionSummary>,
    /// What the jobs sent each other, where there is a network.
    pub traffic: Option<TrafficSummary>,
}

/// Static contention in pairs of messages that meet on a link, each node of a job sending one to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContentionSummary {
    /// Mean over the jobs of pairs of their own messages.
    pub own_mean: f64,
    /// Mean over the jobs of pairs of one of theirs and one of the jobs that run as they start.
    pub others_mean: f64,
    /// Mean over the makespan of all pairs on the machine.
    pub mean: f64,
}

impl Summary {
    /// The mean over the jobs that this number is; `None` if it is one of no jobs.
    pub fn over_jobs(&self, mean: f64) -> Option<f64> {
        (self.jobs_in_means > 0).then_some(mean)
    }

    /// The mean over the jobs of at least two nodes that this number is; `None` if it is one of no jobs.
    pub fn over_parallel(&self, mean: f64) -> Option<f64> {
        (self.parallel_in_means > 0).then_some(mean)
    }
}

const DAY_S: f64 = 86_400.0;
const SHORTEST_RUN_S: f64 = 10.0;

/// Sums up a replay of `jobs` on `mesh`; O(J), J·log J if trimmed, and once for each size of job what its bound takes.
pub fn summarize(
    jobs: &[Job],
    records: &[Record],
    recording: &Recording,
    mesh: &Mesh,
    trim: Trim,
) -> Summary {
    let first = jobs.iter().map(|job| job.submit).min().unwrap_or(Time::ZERO);
    let last = records.iter().map(|record| record.end).max().unwrap_or(first);
    let makespan_s = (last - first).as_seconds();
    let busy_s = |record: &Record| (record.end - record.start).as_seconds() * f64::from(record.allocated);
    let capacity_s = makespan_s * f64::from(mesh.nodes());
    let busy_total_s: f64 = records.iter().map(busy_s).sum();
    let unasked_s: f64 = jobs
        .iter()
        .zip(records)
        .map(|(job, record)| {
            (record.end - record.start).as_seconds() * f64::from(record.allocated - job.procs)
        })
        .sum();
    let share = |part_s: f64, whole_s: f64| if whole_s > 0.0 { part_s / whole_s } else { 0.0 };
    let kept = kept(jobs, records, trim);
    let mean = |value: &dyn Fn(usize) -> f64| average(kept.iter().map(|&i| value(i)));
    let wait_s = |i: usize| (records[i].start - jobs[i].submit).as_seconds();
    let residence_s = |i: usize| (records[i].end - jobs[i].submit).as_seconds();
    let run_s = |i: usize| (records[i].end - records[i].start).as_seconds();
    let dispersal = |i: usize| &recording.dispersal[i];
    let parallel = || kept.iter().map(|&i| dispersal(i)).filter(|d| d.nodes > 1);
    let mut bound = PairwiseBound::new(mesh);
    Summary {
        jobs: jobs.len(),
        jobs_in_means: kept.len(),
        parallel_in_means: parallel().count(),
        makespan_s,
        utilization: share(busy_total_s, capacity_s),
        internal_fragmentation: share(unasked_s, busy_total_s),
        wait_s_mean: mean(&wait_s),
        queue_delay_s_mean: mean(&|i| (records[i].head - jobs[i].submit).as_seconds()),
        allocation_delay_s_mean: mean(&|i| (records[i].start - records[i].head).as_seconds()),
        moves: records.iter().map(|record| u64::from(record.moves)).sum(),
        jobs_moved: records.iter().filter(|record| record.moves > 0).count() as u64,
        compactions: recording.compactions,
        suspended_s_mean: mean(&|i| records[i].suspended.as_seconds()),
        turnaround_s_mean: mean(&residence_s),
        turnaround_s_variance: {
            let middle_s = mean(&residence_s);
            mean(&|i| (residence_s(i) - middle_s).powi(2))
        },
        bounded_slowdown_mean: mean(&|i| (residence_s(i) / run_s(i).max(SHORTEST_RUN_S)).max(1.0)),
        pairwise_sum_mean: mean(&|i| dispersal(i).pairwise_sum as f64),
        pairwise_mean_mean: mean(&|i| dispersal(i).pairwise_mean()),
        pairwise_mean_parallel_mean: average(parallel().map(super::Dispersal::pairwise_mean)),
        pairwise_ratio_to_bound_mean: average(
            parallel().map(|d| d.pairwise_sum as f64 / bound.of(d.nodes) as f64),
        ),
        components_mean: mean(&|i| f64::from(dispersal(i).components)),
        contiguous_share: mean(&|i| f64::from(u8::from(dispersal(i).components == 1))),
        allocate: recording.allocate.summary(),
        refused: recording.refused.summary(),
        release: recording.release.summary(),
        service_s_mean: mean(&run_s),
        contention: recording.contention.as_ref().map(|record| ContentionSummary {
            own_mean: mean(&|i| record.jobs[i].own),
            others_mean: mean(&|i| record.jobs[i].others),
            mean: share(record.pair_seconds, makespan_s),
        }),
        traffic: None,
    }
}

/// Positions of the jobs that means are over.
fn kept(jobs: &[Job], records: &[Record], trim: Trim) -> Vec<usize> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    let Some(percent) = trim.percent else { return order };
    order.sort_by_key(|&i| jobs[i].submit);
    let last_s = order.last().map_or(0.0, |&i| jobs[i].submit.as_seconds());
    let end_of_day_s = ((last_s / DAY_S).floor() + 1.0) * DAY_S;
    order.drain(..(jobs.len() as f64 * percent / 100.0).ceil() as usize);
    order.retain(|&i| records[i].start.as_seconds() < end_of_day_s);
    order
}

/// Arithmetic mean; 0 of nothing.
fn average(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_u64);
    for value in values {
        sum += value;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Shape;
    use crate::metrics::{Cost, Dispersal};

    fn example() -> (Vec<Job>, Vec<Record>, Recording) {
        let at = Time::from_seconds;
        let job = |submit, run, procs| Job {
            number: 0,
            submit: at(submit),
            run: at(run),
            estimate: at(run),
            procs,
            shape: Shape::NearSquare,
        };
        let jobs = vec![job(100, 20, 2), job(100, 5, 1), job(110, 40, 4), job(86_000, 400, 4)];
        let starts = [100, 100, 130, 86_500];
        let ran = |(job, start): (&Job, i64)| Record {
            start: at(start),
            end: at(start) + job.run,
            allocated: job.procs,
            head: at((start - 20).max(job.submit.as_seconds() as i64)),
            ..Record::default()
        };
        let records = jobs.iter().zip(starts).map(ran).collect();
        let of = |pairwise_sum, nodes, components| Dispersal {
            pairwise_sum,
            components,
            nodes,
            ..Dispersal::default()
        };
        let recording = Recording {
            dispersal: vec![of(1, 2, 1), of(0, 1, 1), of(12, 4, 2), of(8, 4, 1)],
            allocate_ns: vec![0; 4],
            allocate: Cost::default(),
            refused: Cost::default(),
            release: Cost::default(),
            compactions: Compactions::default(),
            contention: None,
            placements: Vec::new(),
        };
        (jobs, records, recording)
    }

    fn mesh() -> Mesh {
        Mesh::new(&[2, 2]).expect("a machine")
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn means_follow_their_definitions() {
        let (jobs, records, recording) = example();
        let summary = summarize(&jobs, &records, &recording, &mesh(), Trim::default());
        assert!(near(summary.makespan_s, 86_800.0));
        assert!(near(summary.utilization, (40.0 + 5.0 + 160.0 + 1600.0) / (86_800.0 * 4.0)));
        assert!(near(summary.internal_fragmentation, 0.0));
        assert!(near(summary.wait_s_mean, (20.0 + 500.0) / 4.0));
        assert!(near(summary.queue_delay_s_mean, 480.0 / 4.0));
        assert!(near(summary.allocation_delay_s_mean, (20.0 + 20.0) / 4.0));
        assert!(near(summary.turnaround_s_mean, (20.0 + 5.0 + 60.0 + 900.0) / 4.0));
        let squares = 20.0_f64.powi(2) + 5.0 * 5.0 + 60.0 * 60.0 + 900.0 * 900.0;
        assert!(near(summary.turnaround_s_variance, squares / 4.0 - (985.0_f64 / 4.0).powi(2)));
        assert!(near(summary.bounded_slowdown_mean, (1.0 + 1.0 + 1.5 + 2.25) / 4.0));
        assert!(near(summary.pairwise_sum_mean, 21.0 / 4.0));
        assert!(near(summary.pairwise_mean_mean, (1.0 + 2.0 + 8.0 / 6.0) / 4.0));
        assert!(near(summary.pairwise_mean_parallel_mean, (1.0 + 2.0 + 8.0 / 6.0) / 3.0));
        assert!(near(summary.pairwise_ratio_to_bound_mean, (1.0 + 12.0 / 8.0 + 1.0) / 3.0));
        assert!(near(summary.components_mean, 5.0 / 4.0) && near(summary.contiguous_share, 0.75));
    }

    #[test]
    fn nodes_that_nobody_asked_for_are_fragmentation() {
        let (mut jobs, records, recording) = example();
        jobs[2].procs = 3;
        let mesh = "4".parse().expect("a machine");
        let summary = summarize(&jobs, &records, &recording, &mesh, Trim::default());
        assert!(near(summary.internal_fragmentation, 40.0 / (40.0 + 5.0 + 160.0 + 1600.0)));
    }

    #[test]
    fn trimming_leaves_out_the_first_and_those_after_the_last_day() {
        let (jobs, records, recording) = example();
        let summary = summarize(&jobs, &records, &recording, &mesh(), Trim { percent: Some(25.0) });
        assert_eq!((summary.jobs, summary.jobs_in_means), (4, 2));
        // A job of 2 nodes is left out, and so is the last.
        assert!(near(summary.pairwise_ratio_to_bound_mean, 1.5));
        assert!(near(summary.wait_s_mean, 10.0) && near(summary.makespan_s, 86_800.0));
    }
}
