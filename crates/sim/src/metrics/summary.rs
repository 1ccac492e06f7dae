//! The summary of a replay: one row of numbers.

use std::io;
use std::ops::Range;

use super::backlog::WaitingJobs;
use super::facts::{Facts, Part, ReplayTotals, Totals, Trim, in_period};
use super::finished_job::FinishedJob;
use super::gather::{Accumulator, Number};
use super::groups::{IN_MEMORY, Waits};
use super::metric::{Has, Metric};
use super::paired::{PartAdder, PartSums, in_means, ranks};
use super::recorder::BATCH;
use super::registry::METRICS;
use meshreplay_machine::machine::Mesh;

/// The numbers of one replay, one for each row of [`METRICS`]. Means, variances and shares of jobs exclude
/// the jobs left out by [`Trim`](super::Trim). Counts and totals include all jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// By row of [`METRICS`]: its number, or `None` if the replay has none.
    numbers: Vec<Option<Number>>,
}

impl Summary {
    /// Returns the named number. `None` for an unknown name, or if the replay has no such number, such as a
    /// mean over no jobs.
    pub fn number(&self, name: &str) -> Option<Number> {
        let at = METRICS.iter().position(|metric| metric.name() == name)?;
        self.numbers[at]
    }

    /// Returns the named number as a float, `None` as in [`Summary::number`]. Counts above 2^53 are rounded.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.number(name).map(Number::as_f64)
    }
}

/// Returns the named row of [`METRICS`], if any.
pub fn metric(name: &str) -> Option<&'static Metric> {
    METRICS.iter().find(|metric| metric.name() == name)
}

#[cfg(test)]
impl Summary {
    /// Returns a summary that has only these numbers.
    pub(super) fn with(named: &[(&str, f64)]) -> Self {
        let number = |metric: &Metric| named.iter().find(|(name, _)| *name == metric.name());
        let numbers = METRICS.iter().map(|metric| number(metric).map(|(_, number)| Number::Real(*number)));
        Self { numbers: numbers.collect() }
    }
}

/// The numbers of a replay while its jobs are added.
#[derive(Debug)]
pub struct RunningSums {
    /// What the replay measures.
    has: Has,
    /// The state of each number, one for each row of [`METRICS`].
    numbers: Vec<Accumulator>,
    /// The rule for the jobs in means, and the period of the numbers.
    trim: Trim,
    /// The first and the last submission in means in seconds, `None` if all jobs are in means.
    period_s: Option<[f64; 2]>,
    totals: Totals,
    waiting: WaitingJobs,
    /// The waits of the jobs in means.
    waits: Waits,
    parts: PartAdder,
}

impl RunningSums {
    /// Creates the sums of a replay on `mesh` for `jobs` jobs, all of them in means. Values that a variance
    /// needs twice may go to a temporary file.
    pub fn new(mesh: &Mesh, has: Has, jobs: usize) -> Self {
        Self::with_trim(mesh, has, 0..jobs, Trim::default(), None)
    }

    /// Sums up J jobs in the order of the log, without those that `trim` leaves out of means. O(J), or
    /// O(J·log J) if jobs are not in the order of arrival, plus the time of a lower bound of dispersal for
    /// each job size.
    pub fn from_jobs(mesh: &Mesh, has: Has, jobs: &[FinishedJob], trim: Trim) -> Self {
        let submit_s = |i: usize| jobs[i].job.submit.as_seconds();
        let (ranks, period_s) = (ranks(jobs.len(), submit_s), trim.period_of(jobs.len(), submit_s));
        let kept = in_period(period_s, jobs.len(), submit_s);
        let in_means = in_means(&kept, ranks.as_deref());
        let mut sums = Self::with_trim(mesh, has, in_means, trim, period_s);
        for (first, batch) in (0..).step_by(BATCH).zip(jobs.chunks(BATCH)) {
            sums.add(batch, ranks.as_ref().map(|ranks| &ranks[first..]));
        }
        sums
    }

    /// Creates the sums, with the jobs submitted in this period in means, which have these positions by
    /// arrival.
    fn with_trim(
        mesh: &Mesh,
        has: Has,
        in_means: Range<usize>,
        trim: Trim,
        period_s: Option<[f64; 2]>,
    ) -> Self {
        let state = |metric: &Metric| {
            if has.has(metric.column.needs) {
                Accumulator::new(&metric.compute, mesh)
            } else {
                Accumulator::Nothing
            }
        };
        Self {
            has,
            numbers: METRICS.iter().map(state).collect(),
            trim,
            period_s,
            totals: Totals::default(),
            waiting: WaitingJobs::default(),
            waits: Waits::default(),
            parts: PartAdder::new(in_means, trim),
        }
    }

    /// Adds `jobs`, the next ones in the order of the log. `ranks` begins with their positions in the order
    /// of arrival, or is `None` if that is the order of the log.
    pub fn add(&mut self, jobs: &[FinishedJob], ranks: Option<&[usize]>) {
        let Self { numbers, trim, period_s, totals, waiting, waits, parts, .. } = self;
        let submit_s = |i: usize| jobs[i].job.submit.as_seconds();
        let kept = in_period(*period_s, jobs.len(), submit_s);
        let part = Part { jobs, kept, earlier: trim.earlier(jobs.len(), submit_s), trim: *trim };
        for (row, (metric, number)) in METRICS.iter().zip(numbers).enumerate() {
            if metric.is_compared {
                number.add(&metric.compute, &part, |job, value| parts.add(row, job, ranks, value));
            } else {
                number.add(&metric.compute, &part, |_, _| ());
            }
        }
        totals.add(&part);
        part.kept.iter().for_each(|&i| waits.add(0, trim.wait_s(&jobs[i])));
        waiting.add(jobs);
        parts.end(jobs);
    }

    /// Returns the number of added jobs.
    pub fn jobs(&self) -> u64 {
        self.totals.jobs
    }

    /// Returns all numbers, and the sums over parts of the log. Fails if the temporary file of values fails.
    pub fn finish(self, whole: &ReplayTotals<'_>) -> io::Result<(Summary, PartSums)> {
        let Self { has, numbers, mut totals, waiting, waits, parts, .. } = self;
        totals.last_submission = waiting.last_submission();
        totals.backlog = waiting.finish();
        (totals.waits, _) = waits.quantiles(1, IN_MEMORY)?;
        let facts = Facts::new(whole, totals);
        let number = |(metric, number): (&Metric, Accumulator)| {
            if has.has(metric.column.needs) { number.finish(&metric.compute, &facts) } else { Ok(None) }
        };
        let numbers = METRICS.iter().zip(numbers).map(number);
        Ok((Summary { numbers: numbers.collect::<io::Result<_>>()? }, parts.finish()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Record;
    use crate::metrics::dispersal::Dispersal;
    use crate::metrics::finished_job::Measures;
    use crate::metrics::metric::Needs;
    use crate::metrics::recorder::Recording;
    use meshreplay_base::job::{Job, Shape, Time};
    use meshreplay_machine::machine::Mesh;

    fn example() -> Vec<FinishedJob> {
        let at = Time::from_seconds;
        let job = |submit, run, procs| Job {
            number: 0,
            submit: at(submit),
            run: at(run),
            estimate: at(run),
            procs,
            shape: Shape::NearSquare,
            ..Job::default()
        };
        let jobs = [job(100, 20, 2), job(100, 5, 1), job(110, 40, 4), job(86_000, 400, 4)];
        let starts = [100, 100, 130, 86_500];
        let ran = |(job, start): (&Job, i64)| Record {
            start: at(start),
            end: at(start) + job.run,
            allocated: job.procs,
            head: at((start - 20).max(job.submit.as_seconds() as i64)),
            ..Record::default()
        };
        let of = |[pairwise_sum, nodes, components]: [u32; 3]| Measures {
            dispersal: Dispersal {
                pairwise_sum: pairwise_sum.into(),
                components,
                nodes,
                ..Dispersal::default()
            },
            ..Measures::default()
        };
        let measures = [[1, 2, 1], [0, 1, 1], [12, 4, 2], [8, 4, 1]].map(of);
        let rows = jobs.iter().zip(starts).zip(measures);
        rows.map(|((job, start), measures)| FinishedJob { job: *job, record: ran((job, start)), measures })
            .collect()
    }

    fn summary(jobs: &[FinishedJob], mesh: &str, trim: Trim) -> Summary {
        summarized(jobs, mesh, trim, Has::NOTHING)
    }

    fn summarized(jobs: &[FinishedJob], mesh: &str, trim: Trim, has: Has) -> Summary {
        let mesh: Mesh = mesh.parse().expect("a machine");
        let recording = &Recording::default();
        let sums = RunningSums::from_jobs(&mesh, has, jobs, trim);
        let whole = ReplayTotals {
            recording,
            traffic: None,
            mesh: &mesh,
            trim,
            skipped: 3,
            never_fit: 2,
            wall_s: 0.5,
        };
        sums.finish(&whole).expect("numbers in memory").0
    }

    #[track_caller]
    fn is(summary: &Summary, name: &str, expected: f64) {
        assert!(summary.get(name).is_some_and(|found| near(found, expected)), "{name}: {summary:?}");
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn means_follow_their_definitions() {
        let summary = summary(&example(), "2x2", Trim::default());
        is(&summary, "makespan_s", 86_800.0);
        is(&summary, "utilization", (40.0 + 5.0 + 160.0 + 1600.0) / (86_800.0 * 4.0));
        is(&summary, "internal_fragmentation", 0.0);
        is(&summary, "wait_s_mean", (20.0 + 500.0) / 4.0);
        is(&summary, "wait_s_median", 10.0);
        is(&summary, "wait_s_p95", 500.0);
        is(&summary, "wait_s_max", 500.0);
        let work = [40.0, 5.0, 160.0, 1600.0];
        is(&summary, "wait_s_by_work_mean", (20.0 * work[2] + 500.0 * work[3]) / work.iter().sum::<f64>());
        is(&summary, "backfilled_share", 0.0);
        is(&summary, "queue_delay_s_mean", 480.0 / 4.0);
        is(&summary, "allocation_delay_s_mean", (20.0 + 20.0) / 4.0);
        is(&summary, "turnaround_s_mean", (20.0 + 5.0 + 60.0 + 900.0) / 4.0);
        let squares = 20.0_f64.powi(2) + 5.0 * 5.0 + 60.0 * 60.0 + 900.0 * 900.0;
        is(&summary, "turnaround_s_variance", squares / 4.0 - (985.0_f64 / 4.0).powi(2));
        is(&summary, "bounded_slowdown_mean", (1.0 + 1.0 + 1.5 + 2.25) / 4.0);
        is(&summary, "pairwise_sum_mean", 21.0 / 4.0);
        is(&summary, "pairwise_mean_mean", (1.0 + 2.0 + 8.0 / 6.0) / 4.0);
        is(&summary, "pairwise_mean_parallel_mean", (1.0 + 2.0 + 8.0 / 6.0) / 3.0);
        is(&summary, "pairwise_ratio_to_bound_mean", (1.0 + 12.0 / 8.0 + 1.0) / 3.0);
        is(&summary, "components_mean", 5.0 / 4.0);
        is(&summary, "contiguous_share", 0.75);
        is(&summary, "skipped", 3.0);
        is(&summary, "never_fit", 2.0);
    }

    #[test]
    fn predictions_and_processors_count_as_defined() {
        let mut jobs = example();
        // Jobs of 2, 1 and 4 processors have slowdowns per processor below 1, which count as 1.
        jobs[3].job.procs = 1;
        for (job, prediction_s) in jobs.iter_mut().zip([20, 1, 100, 300]) {
            job.record.prediction = Time::from_seconds(prediction_s);
        }
        jobs[3].record.corrections = 2;
        let of = |is_predicted| {
            summarized(&jobs, "4", Trim::default(), Has::NOTHING.with(Needs::Predictions, is_predicted))
        };
        let summary = of(true);
        is(&summary, "bounded_slowdown_per_processor_mean", (1.0 + 1.0 + 1.0 + 2.25) / 4.0);
        is(&summary, "prediction_error_s_mean", (0.0 + 4.0 + 60.0 + 100.0) / 4.0);
        is(&summary, "underpredicted_share", 0.5);
        is(&summary, "prediction_corrections", 2.0);
        assert_eq!(of(false).get("prediction_error_s_mean"), None);
    }

    #[test]
    fn nodes_that_nobody_asked_for_are_fragmentation() {
        let mut example = example();
        example[2].job.procs = 3;
        let summary = summary(&example, "4", Trim::default());
        is(&summary, "internal_fragmentation", 40.0 / (40.0 + 5.0 + 160.0 + 1600.0));
    }

    #[test]
    fn trimming_leaves_out_submissions_at_both_ends() {
        // Submissions at 100, 100, 110 and 86,000 s.
        let mut example = example();
        example[2].job.submit = Time::from_seconds(500);
        example[2].record.start = Time::from_seconds(90_000);
        let summary = summary(&example, "2x2", Trim { percent: Some(0.4), period: None });
        is(&summary, "jobs", 4.0);
        is(&summary, "jobs_in_means", 1.0);
        // The late start of the third job does not matter.
        is(&summary, "pairwise_ratio_to_bound_mean", 1.5);
        is(&summary, "wait_s_mean", 89_500.0);
        is(&summary, "makespan_s", 86_800.0);
        let kept =
            |percent, submits: &[f64]| Trim { percent, period: None }.kept(submits.len(), |i| submits[i]);
        assert_eq!(kept(Some(10.0), &[50.0, 0.0, 100.0, 10.0, 90.0, 91.0]), [0, 3, 4]);
        assert_eq!(kept(None, &[3.0, 1.0]), [0, 1]);
        assert_eq!(kept(Some(10.0), &[7.0; 3]), [0, 1, 2]);
    }

    #[test]
    fn a_mean_over_no_jobs_is_no_number() {
        let summary = summary(&example(), "2x2", Trim { percent: Some(49.9), period: None });
        is(&summary, "jobs", 4.0);
        is(&summary, "moves", 0.0);
        for name in
            ["wait_s_mean", "pairwise_ratio_to_bound_mean", "contention_mean", "packets", "no_such_number"]
        {
            assert_eq!(summary.get(name), None, "{name}");
        }
    }

    #[test]
    fn rows_are_told_apart_and_described() {
        let mut ranks = Vec::new();
        for (i, metric) in METRICS.iter().enumerate() {
            assert!(METRICS[..i].iter().all(|other| other.name() != metric.name()), "{metric:?}");
            assert!(METRICS[..i].iter().all(|other| other.label() != metric.label()), "{metric:?}");
            assert!(!metric.column.meaning.is_empty() && !metric.title().is_empty(), "{metric:?}");
            ranks.extend(metric.interval_rank);
        }
        ranks.sort_unstable();
        assert!(ranks.iter().copied().eq(1..=ranks.len() as u8), "{ranks:?}");
        assert_eq!(metric("wait_s_mean").map(Metric::label).as_deref(), Some("wait (s)"));
        assert_eq!(metric("allocate_ns_p50").map(Metric::label).as_deref(), Some("allocate (ns, median)"));
        assert_eq!(metric("allocate_ns_total").map(Metric::label).as_deref(), Some("allocate (ns in all)"));
    }
}
