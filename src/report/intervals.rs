//! Confidence intervals of the ratios of a table: of means over the same jobs, or over replications.

use std::collections::BTreeMap;
use std::path::Path;

use crate::frame::{FrameError, Sheet};
use crate::metrics::{Blocks, Difference, metric};

/// The results behind the cells of a table: their rows in the summary.
pub(super) struct Ratios<'a> {
    /// The summary.
    pub(super) sheet: &'a Sheet,
    /// The column of the summary that is shown.
    pub(super) value: &'a str,
    /// The jobs of each replay in blocks; empty if the results have no jobs or the number is no mean over jobs.
    jobs: BTreeMap<(String, String), JobsInBlocks>,
}

/// The numbers of the jobs of one replay, by arrival, and what was measured of them in blocks of time.
type JobsInBlocks = (Vec<Option<f64>>, Blocks);

impl<'a> Ratios<'a> {
    /// Reads the jobs in `folder`, if there are any and if the number is a mean over them. With `--trim` means are over
    /// other jobs in every replay, and there is no interval.
    pub(super) fn read(sheet: &'a Sheet, value: &'a str, folder: &Path) -> Result<Self, FrameError> {
        let mut ratios = Self { sheet, value, jobs: BTreeMap::new() };
        let is_trimmed =
            sheet.numbers("trim_percent").is_some_and(|percent| percent.iter().any(Option::is_some));
        let Some((column, less)) = metric(value).and_then(|metric| metric.of_jobs).filter(|_| !is_trimmed)
        else {
            return Ok(ratios);
        };
        let mut names = vec!["replay", "seed", "job", "submit_s", column];
        names.extend(less.filter(|less| *less != "submit_s"));
        let Some(jobs) = Sheet::read_jobs(folder, &names, &|_| true)? else { return Ok(ratios) };
        let [replay, seed] = ["replay", "seed"].map(|name| jobs.column(name));
        let (Some(replay), Some(seed)) = (replay, seed) else { return Ok(ratios) };
        let numbers = |name: &str| jobs.numbers(name);
        let (Some(values), Some(submit), Some(number)) =
            (numbers(column), numbers("submit_s"), numbers("job"))
        else {
            return Ok(ratios);
        };
        let less = less.and_then(numbers);
        let mut start = 0;
        while start < jobs.height() {
            let is_same = |i: &usize| replay.is_same(start, *i) && seed.is_same(start, *i);
            let end = (start..jobs.height()).take_while(is_same).last().unwrap_or(start) + 1;
            // By arrival, as blocks are stretches of time. The sort is stable.
            let mut order: Vec<usize> = (start..end).collect();
            order.sort_by(|&a, &b| submit[a].unwrap_or(0.0).total_cmp(&submit[b].unwrap_or(0.0)));
            let value = |&i: &usize| Some(values[i]? - less.map_or(Some(0.0), |less| less[i])?);
            let blocks = Blocks::of(order.iter().map(value));
            let numbers = order.iter().map(|&i| number[i]).collect();
            ratios.jobs.insert((replay.label(start), seed.label(start)), (numbers, blocks));
            start = end;
        }
        Ok(ratios)
    }

    /// Returns the interval of the ratio of the results in rows `of` and `base` of the summary: of one result each over
    /// the same jobs, or of replications with the same seeds. `None` if they cannot be paired.
    pub(super) fn half_width(&self, of: &[usize], base: &[usize]) -> Option<f64> {
        if of == base {
            return None;
        }
        let found = if let ([of], [base]) = (of, base) {
            let (jobs, blocks) = self.jobs.get(&self.replay(*of)?)?;
            let (base_jobs, base_blocks) = self.jobs.get(&self.replay(*base)?)?;
            if jobs != base_jobs {
                return None;
            }
            Difference::between(blocks, base_blocks)
        } else {
            let seeds = self.sheet.column("seed")?;
            let seeds = |rows: &[usize]| rows.iter().map(|&i| seeds.label(i)).collect::<Vec<_>>();
            if seeds(of) != seeds(base) {
                return None;
            }
            let numbers = self.sheet.numbers(self.value)?;
            let values = |rows: &[usize]| rows.iter().map(|&i| numbers[i]).collect::<Option<Vec<f64>>>();
            Difference::over_replications(&values(of)?, &values(base)?)
        }?;
        found.half_width.filter(|_| found.is_relative)
    }

    /// Returns the number and the seed of the replay in a row of the summary.
    fn replay(&self, row: usize) -> Option<(String, String)> {
        Some((self.sheet.column("replay")?.label(row), self.sheet.column("seed")?.label(row)))
    }
}
