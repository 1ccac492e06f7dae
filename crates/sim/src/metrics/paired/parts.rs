//! Sums over the five parts of a log, kept for every replay for paired comparisons.

use std::ops::Range;

use super::super::facts::{JobRow, Part, Trim};
use super::super::finished_job::FinishedJob;
use super::super::gather::Accumulator;
use super::super::registry::METRICS;
use meshreplay_machine::machine::Mesh;

/// Parts of a log, with equally many jobs each.
const PARTS: usize = 5;

/// A number summed over each part of a log, by arrival. Parts differ by at most one job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// By part: the sum over its jobs in means.
    pub sums: [f64; PARTS],
    /// By part: the number of its jobs in means.
    pub counts: [u64; PARTS],
    /// All jobs in means, with or without this number.
    pub jobs: u64,
    /// Hash of the values of the jobs in means, in the order of the log. Parts are equal only if the value of
    /// every job is.
    hash: u64,
}

/// The part sums of the compared numbers of a replay.
#[derive(Clone, Debug, Default)]
pub struct PartSums {
    /// The number and a hash of the replayed jobs. Replays are comparable if both agree.
    jobs: (usize, u64),
    /// First and last submission in seconds, `None` without jobs.
    submitted_s: Option<(f64, f64)>,
    /// The sums by the name of the number.
    numbers: Vec<(&'static str, Parts)>,
}

/// Divides the jobs in means into parts.
#[derive(Clone, Copy, Debug)]
struct Division {
    /// The first position, and the number of jobs.
    first: usize,
    jobs: usize,
    /// The position behind the last job of each part but the last.
    ends: [usize; PARTS - 1],
}

impl Division {
    /// Divides the jobs at these positions by arrival.
    fn of(positions: Range<usize>) -> Self {
        let mut ends = [0; PARTS - 1];
        for (k, end) in ends.iter_mut().enumerate() {
            *end = positions.start + (k + 1) * positions.len() / PARTS;
        }
        Self { first: positions.start, jobs: positions.len(), ends }
    }

    /// Returns the part of the job at this position by arrival.
    fn part(&self, position: usize) -> usize {
        self.ends.iter().filter(|&&end| position >= end).count()
    }
}

impl Parts {
    /// Divides `values` into parts. An entry is a value in the mean, or `None` for a job that is not in the
    /// mean.
    pub fn of(values: impl Iterator<Item = Option<f64>>) -> Self {
        let values: Vec<Option<f64>> = values.collect();
        let mut filler = PartFiller::new(values.iter().flatten().count());
        for value in values {
            filler.add(None, value);
        }
        filler.finish().1
    }

    fn add(&mut self, part: usize, value: f64) {
        self.sums[part] += value;
        self.counts[part] += 1;
        self.hash = mix(self.hash, value.to_bits());
    }

    /// Adds the values of other jobs, or of the same jobs in another replay, part by part.
    pub fn append(&mut self, other: &Self) {
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| *sum += more);
        self.hash = mix(self.hash, other.hash);
    }

    /// Returns the mean over the counted jobs, or `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sums.iter().sum::<f64>() / count as f64)
    }

    /// Returns the number of counted jobs.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The parts of one number while jobs are added in the order of their arrival.
#[derive(Debug)]
pub struct PartFiller {
    division: Division,
    /// Added jobs.
    jobs: usize,
    /// Those of them in the mean.
    in_mean: usize,
    hash: u64,
    parts: Parts,
}

impl PartFiller {
    /// Creates the parts of a mean over `jobs` jobs.
    pub fn new(jobs: usize) -> Self {
        Self { division: Division::of(0..jobs), jobs: 0, in_mean: 0, hash: 0, parts: Parts::default() }
    }

    /// Adds the next job by its number and its value, `None` for a job that is not in the mean.
    pub fn add(&mut self, number: Option<f64>, value: Option<f64>) {
        if let Some(value) = value {
            self.parts.add(self.division.part(self.in_mean), value);
            self.in_mean += 1;
        }
        self.hash = mix(self.hash, number.unwrap_or(f64::NAN).to_bits());
        self.jobs += 1;
    }

    /// Returns the number of jobs with a hash of their numbers, which identifies replays of the same jobs,
    /// and the parts.
    pub fn finish(self) -> ((usize, u64), Parts) {
        ((self.jobs, self.hash), Parts { jobs: self.in_mean as u64, ..self.parts })
    }
}

impl PartSums {
    /// Computes the part sums of saved jobs, in the order of the replay, on `mesh`. They equal those that the
    /// replay kept. O(J) for J jobs in the order of their arrival, otherwise O(J·log J).
    pub fn of_saved(rows: &[JobRow], trim: Trim, mesh: &Mesh) -> Self {
        let n = rows.len();
        let ranks = ranks(n, |i| rows[i].submit_s);
        let kept = trim.kept(n, |i| rows[i].submit_s);
        let jobs: Vec<FinishedJob> = rows.iter().map(FinishedJob::from).collect();
        let mut adder = PartAdder::new(in_means(&kept, ranks.as_deref()), trim);
        let part = Part { jobs: &jobs, kept, earlier: trim.earlier(n, |i| rows[i].submit_s), trim };
        for (row, metric) in METRICS.iter().enumerate().filter(|(_, metric)| metric.is_compared) {
            let mut number = Accumulator::new(&metric.compute, mesh);
            number.add(&metric.compute, &part, |i, value| adder.add(row, i, ranks.as_deref(), value));
        }
        adder.end(&jobs);
        adder.finish()
    }

    /// Returns the part sums of the named number, or `None` if it is not compared.
    pub fn get(&self, name: &str) -> Option<&Parts> {
        self.numbers.iter().find(|(other, _)| *other == name).map(|(_, parts)| parts)
    }

    /// Returns the time from the first to the last submission in seconds.
    pub fn span_s(&self) -> f64 {
        self.submitted_s.map_or(0.0, |(first, last)| last - first)
    }

    /// Returns whether the other replay has the same jobs.
    pub fn is_of_same_jobs(&self, other: &Self) -> bool {
        self.jobs == other.jobs
    }

    /// Returns whether the same number of jobs of each part is in the means of the other replay. The ratio to
    /// the bound is over fewer jobs, namely those with at least two nodes.
    pub fn counts_same_jobs(&self, other: &Self) -> bool {
        let counts = |of: &Self| of.numbers.iter().map(|(_, parts)| parts.counts).max();
        counts(self) == counts(other)
    }
}

/// The part sums of a replay while jobs are added.
#[derive(Debug)]
pub(in crate::metrics) struct PartAdder {
    division: Division,
    /// The number of jobs in earlier batches.
    at: usize,
    /// Hash of the jobs in earlier batches.
    hash: u64,
    /// The beginning of the period in seconds; `None` for the whole log.
    first: Option<f64>,
    /// Their first and last submission in seconds.
    submitted_s: Option<(f64, f64)>,
    /// By row of [`METRICS`]: its sums. Empty for a number that is not compared.
    numbers: Vec<Parts>,
}

impl PartAdder {
    /// Creates the sums before the first job. The jobs in means have these positions by arrival.
    pub(in crate::metrics) fn new(in_means: Range<usize>, trim: Trim) -> Self {
        Self {
            division: Division::of(in_means),
            first: trim.period.map(|period| period.from.as_seconds()),
            at: 0,
            hash: 0,
            submitted_s: None,
            numbers: vec![Parts::default(); METRICS.len()],
        }
    }

    /// Adds the value of job `i` of the current batch to the number in `row` of [`METRICS`]. `ranks` has the
    /// positions of these jobs by arrival, or is `None` if that is the order of the log.
    pub(in crate::metrics) fn add(&mut self, row: usize, i: usize, ranks: Option<&[usize]>, value: f64) {
        let position = ranks.map_or(self.at + i, |ranks| ranks[i]);
        self.numbers[row].add(self.division.part(position), value);
        // A job from before the period adds to the sum of the first part and is not in its mean.
        self.numbers[row].counts[0] -= u64::from(position < self.division.first);
    }

    /// Ends a batch of `jobs`.
    pub(in crate::metrics) fn end(&mut self, jobs: &[FinishedJob]) {
        for FinishedJob { job, .. } in jobs {
            let submit_s = job.submit.as_seconds();
            let in_period_s = self.first.map_or(submit_s, |first| submit_s.max(first));
            let (first, last) = self.submitted_s.unwrap_or((in_period_s, in_period_s));
            self.submitted_s = Some((first.min(in_period_s), last.max(in_period_s)));
            let hash = mix(mix(self.hash, submit_s.to_bits()), job.number as u64);
            self.hash = mix(hash, u64::from(job.procs));
        }
        self.at += jobs.len();
    }

    /// Returns the part sums of all jobs.
    pub(in crate::metrics) fn finish(self) -> PartSums {
        let compared = METRICS.iter().zip(self.numbers).filter(|(metric, _)| metric.is_compared);
        let jobs = self.division.jobs as u64;
        let numbers = compared.map(|(metric, parts)| (metric.name(), Parts { jobs, ..parts }));
        PartSums { jobs: (self.at, self.hash), submitted_s: self.submitted_s, numbers: numbers.collect() }
    }
}

/// Returns the positions by arrival of the jobs in means, which are consecutive. `kept` are their positions
/// in the log.
pub(in crate::metrics) fn in_means(kept: &[usize], ranks: Option<&[usize]>) -> Range<usize> {
    let first = kept.iter().map(|&i| ranks.map_or(i, |ranks| ranks[i])).min().unwrap_or_default();
    first..first + kept.len()
}

/// Returns the position of each of `n` jobs in the order of arrival, or `None` if the jobs already have that
/// order. The sort is stable, so simultaneous arrivals keep the order of the log. `submit_s` returns the
/// arrival of a job.
pub(in crate::metrics) fn ranks(n: usize, submit_s: impl Fn(usize) -> f64) -> Option<Vec<usize>> {
    if (1..n).all(|i| submit_s(i - 1) <= submit_s(i)) {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| submit_s(a).total_cmp(&submit_s(b)));
    let mut ranks = vec![0; n];
    for (rank, i) in order.into_iter().enumerate() {
        ranks[i] = rank;
    }
    Some(ranks)
}

/// Adds a value to a hash, by multiplication and rotation.
fn mix(hash: u64, value: u64) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    (hash.rotate_left(5) ^ value).wrapping_mul(ODD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_differ_by_at_most_one_job_and_keep_every_sum() {
        for n in [0, 1, 4, 5, 6, 1000, 122_057] {
            let parts = Parts::of((0..n).map(|i| Some(f64::from(i))));
            let (least, most) = (parts.counts.iter().min(), parts.counts.iter().max());
            assert!(most.copied().unwrap_or(0) <= least.copied().unwrap_or(0) + 1, "{n}");
            let mean = (n > 0).then(|| (f64::from(n) - 1.0) / 2.0);
            assert_eq!((parts.count(), parts.mean()), (n as u64, mean));
        }
        let some = Parts::of([Some(4.0), None, Some(2.0), None, None].into_iter());
        assert_eq!((some.mean(), some.counts, some.jobs), (Some(3.0), [0, 0, 1, 0, 1], 2));
    }

    #[test]
    fn parts_are_equal_only_if_every_value_is() {
        let of = |values: [f64; 4]| Parts::of(values.into_iter().map(Some));
        assert_eq!(of([1.0, 2.0, 3.0, 4.0]), of([1.0, 2.0, 3.0, 4.0]));
        // The same sums, as two jobs of a long part change places.
        let wave = |swapped: usize| {
            let value = |i: usize| {
                if i == swapped {
                    i + 1
                } else if i == swapped + 1 {
                    i - 1
                } else {
                    i
                }
            };
            Parts::of((0..100).map(move |i| Some(value(i) as f64)))
        };
        let bits = |parts: Parts| parts.sums.map(f64::to_bits);
        assert!(bits(wave(7)) == bits(wave(50)) && wave(7) != wave(50));
    }
}
