//! Confidence intervals of the ratios of a table: of means over the same jobs, or over replications.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::results::Results;
use meshreplay_results::frame::{FrameError, JobColumns, JobOrder, Replication, SavedTable};
use meshreplay_sim::metrics::{Difference, PartFiller, Parts, Trim, metric};

/// The results behind the cells of a table: their rows in the summary.
pub struct Ratios<'a> {
    /// The summary.
    pub table: &'a SavedTable,
    /// The column of the summary that is shown.
    pub value: &'a str,
    /// The jobs of each replay in parts; empty if the results have no jobs or the number is no mean over
    /// jobs.
    jobs: BTreeMap<Replication, JobsInParts>,
}

/// The jobs of one replay in parts of the log: their count with a hash of their numbers by arrival, and the
/// measured values.
type JobsInParts = ((usize, u64), Parts);

/// The sums of several results of the same jobs.
struct Summed {
    results: usize,
    parts: Parts,
}

/// The jobs of one replay while a file is read that has them.
enum Filling {
    /// The jobs come in the order of arrival, so none has to be kept.
    Sorted(PartFiller),
    /// The jobs come in another order: the arrival, the number and the value of each. They are sorted when
    /// all are known.
    Unsorted(Vec<(f64, Option<f64>, Option<f64>)>),
}

impl Filling {
    /// Begins a replay with this number and order of jobs.
    fn begin(size: Option<JobOrder>, is_trimmed: bool) -> Self {
        match size {
            Some(size) if size.is_sorted && !is_trimmed => Self::Sorted(PartFiller::new(size.jobs as usize)),
            _ => Self::Unsorted(Vec::new()),
        }
    }

    fn add(&mut self, submit_s: f64, number: Option<f64>, value: Option<f64>) {
        match self {
            Self::Sorted(filler) => filler.add(number, value),
            Self::Unsorted(jobs) => jobs.push((submit_s, number, value)),
        }
    }

    fn finish(self) -> JobsInParts {
        let filler = match self {
            Self::Sorted(filler) => filler,
            Self::Unsorted(mut jobs) => {
                // The sort is stable: jobs that arrive together keep the order of the log.
                jobs.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut filler = PartFiller::new(jobs.iter().filter(|(.., value)| value.is_some()).count());
                for (_, number, value) in jobs {
                    filler.add(number, value);
                }
                filler
            }
        };
        filler.finish()
    }
}

impl<'a> Ratios<'a> {
    /// Reads the jobs in `folder`, if there are any and the number is a mean over jobs. There are no
    /// intervals for several rows of one replay with a part of its jobs each. Reads the jobs twice, a part of
    /// the file at a time. Memory: 40 bytes for each job of one replay at a time if its log is not in the
    /// order of arrival.
    pub fn read(table: &'a SavedTable, value: &'a str, folder: &Path) -> Result<Self, FrameError> {
        let mut ratios = Self { table, value, jobs: BTreeMap::new() };
        let rows: BTreeSet<_> = (0..table.height()).map(|row| table.replication(row)).collect();
        // Means over a period count the time inside it, which columns of jobs do not have.
        let is_whole = rows.len() == table.height() && table.column("period").is_none();
        let trim = Trim { percent: table.number("trim_percent", 0), period: None };
        let Some((column, less)) = metric(value).and_then(|metric| metric.of_jobs).filter(|_| is_whole)
        else {
            return Ok(ratios);
        };
        let sizes = sizes(folder)?;
        let mut names = vec!["replay", "seed", "job", "submit_s", column];
        names.extend(less.filter(|less| *less != "submit_s"));
        let mut current: Option<(Replication, Filling)> = None;
        let mut period_s = None;
        SavedTable::visit_details::<FrameError>(folder, "jobs", &names, &|_| true, &mut |part| {
            let numbers = |name: &str| part.numbers(name);
            let (Some(values), Some(submit), Some(number)) =
                (numbers(column), numbers("submit_s"), numbers("job"))
            else {
                return Ok(());
            };
            let less = less.and_then(numbers);
            for (key, rows) in part.replications() {
                if current.as_ref().is_none_or(|(last, _)| *last != key) {
                    let size = sizes.get(&key).copied();
                    period_s = size.and_then(|size| trim.period_s(size.ends_s[0], size.ends_s[1]));
                    if let Some((key, before)) =
                        current.replace((key, Filling::begin(size, trim.percent.is_some())))
                    {
                        ratios.jobs.insert(key, before.finish());
                    }
                }
                let Some((_, filling)) = &mut current else { continue };
                for i in rows {
                    let less = less.map_or(Some(0.0), |less| less.get(i));
                    let submit_s = submit.get(i).unwrap_or(0.0);
                    let is_in_means =
                        period_s.is_none_or(|[from_s, to_s]: [f64; 2]| (from_s..=to_s).contains(&submit_s));
                    let value = values.get(i).zip(less).filter(|_| is_in_means);
                    filling.add(submit_s, number.get(i), value.map(|(value, less)| value - less));
                }
            }
            Ok(())
        })?;
        ratios.jobs.extend(current.map(|(key, filling)| (key, filling.finish())));
        Ok(ratios)
    }

    /// Returns the ends of the interval of a ratio of the results in rows `of` and `base` of the summary:
    /// over replications with the same seeds, or over the same jobs for single results and for equal
    /// replications. `None` if the results cannot be paired.
    pub fn ends(&self, of: &[usize], base: &[usize]) -> Option<[f64; 2]> {
        if of == base {
            return None;
        }
        let difference = if self.is_repeated(of) && self.is_repeated(base) {
            let (jobs, parts) = self.jobs.get(&self.table.replication(*of.first()?)?)?;
            let (base_jobs, base_parts) = self.jobs.get(&self.table.replication(*base.first()?)?)?;
            if jobs != base_jobs {
                return None;
            }
            Difference::between(parts, base_parts)
        } else {
            let seeds = self.table.column("seed")?;
            if !of.iter().map(|&i| seeds.key(i)).eq(base.iter().map(|&i| seeds.key(i))) {
                return None;
            }
            let values = |rows: &[usize]| {
                rows.iter().map(|&i| self.table.number(self.value, i)).collect::<Option<Vec<f64>>>()
            };
            Difference::over_replications(&values(of)?, &values(base)?)
        }?;
        ends_of(&difference)
    }

    /// Returns the ends of the interval of a ratio of two means over several results, such as the loads of a
    /// log, from the parts of logs. Results of the same jobs are not independent, so their parts are added.
    /// `None` unless both sides have equally many results of the same jobs.
    pub fn ends_over_results(&self, of: &[usize], base: &[usize]) -> Option<[f64; 2]> {
        if of == base {
            return None;
        }
        let (of, base) = (self.summed(of)?, self.summed(base)?);
        let is_alike = |((jobs, one), (base_jobs, other)): (_, _)| {
            let (one, other): (&Summed, &Summed) = (one, other);
            jobs == base_jobs && one.results == other.results
        };
        if of.len() != base.len() || !of.iter().zip(&base).all(is_alike) {
            return None;
        }
        let parts = |all: &BTreeMap<_, Summed>| all.values().map(|sum| sum.parts.clone()).collect::<Vec<_>>();
        let (of, base) = (parts(&of), parts(&base));
        let [of, base] = [&of, &base].map(|all| all.iter().collect::<Vec<&Parts>>());
        let difference = Difference::between_sums(&of, &base)?;
        ends_of(&difference)
    }

    /// Returns the ends of the interval of a ratio of two means over several results with several seeds each,
    /// from the means of each seed. `None` unless both sides have the same seeds equally often, or if seeds
    /// have no effect.
    pub fn ends_over_seeds(&self, of: &[usize], base: &[usize]) -> Option<[f64; 2]> {
        let (of, base) = (self.means_by_seed(of)?, self.means_by_seed(base)?);
        if of == base || !of.iter().map(|(seed, _)| seed).eq(base.iter().map(|(seed, _)| seed)) {
            return None;
        }
        let [of, base] = [of, base].map(|means| means.into_iter().map(|(_, mean)| mean).collect::<Vec<_>>());
        let has_effect = |means: &[f64]| means.windows(2).any(|pair| pair[0].to_bits() != pair[1].to_bits());
        if !has_effect(&of) && !has_effect(&base) {
            return None;
        }
        let difference = Difference::over_replications(&of, &base)?;
        ends_of(&difference)
    }

    /// Returns the mean of the rows of each seed, with the seed and the number of its rows, in the order of
    /// seeds.
    fn means_by_seed(&self, rows: &[usize]) -> Option<Vec<((u64, usize), f64)>> {
        let mut by_seed: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for &row in rows {
            let seed = self.table.number("seed", row)?;
            by_seed.entry(seed as u64).or_default().push(self.table.number(self.value, row)?);
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        Some(by_seed.into_iter().map(|(seed, values)| ((seed, values.len()), mean(&values))).collect())
    }

    /// Adds the parts of the results that have the same jobs. `None` if jobs are unknown, or if other jobs
    /// count in one of several results of the same jobs.
    fn summed(&self, rows: &[usize]) -> Option<BTreeMap<(usize, u64), Summed>> {
        let mut all: BTreeMap<(usize, u64), Summed> = BTreeMap::new();
        for &row in rows {
            let (jobs, parts) = self.jobs.get(&self.table.replication(row)?)?;
            let Some(sum) = all.get_mut(jobs) else {
                all.insert(*jobs, Summed { results: 1, parts: parts.clone() });
                continue;
            };
            if sum.parts.counts != parts.counts {
                return None;
            }
            sum.results += 1;
            sum.parts.append(parts);
        }
        Some(all)
    }

    /// Returns true if the number is the same in all of these rows, with the same jobs if they were kept, so
    /// that seeds have no effect.
    fn is_repeated(&self, rows: &[usize]) -> bool {
        let jobs = |row: usize| self.table.replication(row).and_then(|key| self.jobs.get(&key));
        let number = |row: usize| self.table.number(self.value, row).map(f64::to_bits);
        rows.windows(2).all(|pair| number(pair[0]) == number(pair[1]) && jobs(pair[0]) == jobs(pair[1]))
    }
}

/// Returns the ends of the interval of a ratio, by itself; `None` without an interval or a ratio.
fn ends_of(difference: &Difference) -> Option<[f64; 2]> {
    let interval = difference.interval(1).filter(|_| difference.is_relative)?;
    Some([1.0 + interval.low, 1.0 + interval.high])
}

/// Returns the number and the order of the jobs of each replay in `folder`.
fn sizes(folder: &Path) -> Result<BTreeMap<Replication, JobOrder>, FrameError> {
    let mut sizes: BTreeMap<Replication, JobOrder> = BTreeMap::new();
    SavedTable::visit_details::<FrameError>(folder, "jobs", &["seed", "submit_s"], &|_| true, &mut |part| {
        let jobs = JobColumns::of(part);
        for (key, rows) in part.replications() {
            let size = sizes.entry(key).or_default();
            rows.for_each(|i| size.add(jobs.row(i).submit_s));
        }
        Ok(())
    })?;
    Ok(sizes)
}

/// The numbers of jobs in the means of several rows of a summary, such as the replications of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct InMeans {
    /// The number of jobs in the means, by the seed or another key of a result.
    by_key: BTreeMap<String, f64>,
}

impl InMeans {
    /// Returns the numbers of these rows; `None` if one is unknown.
    pub fn from_rows(results: &Results, rows: &[usize]) -> Option<Self> {
        let jobs = results.numbers("jobs_in_means").ok()?;
        Self::new(rows.iter().map(|&row| (results.label(row, "seed"), jobs.get(row))))
    }

    /// Returns the numbers of results with their keys, such as seeds; `None` if a number is unknown.
    pub fn new(replications: impl Iterator<Item = (String, Option<f64>)>) -> Option<Self> {
        let mut by_key = BTreeMap::new();
        for (seed, jobs) in replications {
            *by_key.entry(seed).or_insert(0.0) += jobs?;
        }
        Some(Self { by_key })
    }

    /// Returns true if the numbers of jobs are equal for each common key. `until:` may repeat one replay more
    /// often than another, so keys may be missing. Without a common key the totals are compared.
    pub fn is_like(&self, other: &Self) -> bool {
        let mut common = self.by_key.iter().filter_map(|(seed, jobs)| Some((jobs, other.by_key.get(seed)?)));
        let Some(first) = common.next() else {
            let all = |of: &Self| of.by_key.values().sum::<f64>();
            return all(self).to_bits() == all(other).to_bits();
        };
        std::iter::once(first).chain(common).all(|(jobs, of_other)| jobs.to_bits() == of_other.to_bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[(&str, f64)]) -> InMeans {
        InMeans { by_key: numbers.iter().map(|&(seed, jobs)| (seed.to_owned(), jobs)).collect() }
    }

    #[test]
    fn seeds_that_both_have_decide() {
        let many = of(&[("1", 300.0), ("2", 299.0), ("3", 300.0)]);
        assert!(many.is_like(&of(&[("1", 300.0), ("2", 299.0)])));
        assert!(!many.is_like(&of(&[("1", 299.0), ("2", 300.0)])));
        assert!(many.is_like(&of(&[("9", 899.0)])) && !many.is_like(&of(&[("9", 300.0)])));
    }
}
