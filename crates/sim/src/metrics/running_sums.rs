//! The numbers of a replay whose jobs arrive in parts and need not stay in memory.

use std::io;

use super::facts::{Facts, Finished, Totals};
use super::gather::Partial;
use super::paired::{BlockAdder, BlockSums};
use super::registry::METRICS;
use super::summary::Summary;

/// The numbers of a replay while its jobs are added, all of them in means.
#[derive(Debug)]
pub struct RunningSums {
    /// The state of each number, one for each row of [`METRICS`].
    numbers: Vec<Partial>,
    totals: Totals,
    blocks: BlockAdder,
}

impl RunningSums {
    /// Creates the sums for `jobs` jobs, or `None` if their number is known only in the end. `replay` gives
    /// the machine.
    pub fn new(replay: &Finished<'_>, jobs: Option<usize>) -> Self {
        let facts = Facts::of_part(replay);
        let numbers = METRICS.iter().map(|metric| metric.begin(&facts, true)).collect();
        Self { numbers, totals: Totals::default(), blocks: BlockAdder::new(jobs) }
    }

    /// Adds the jobs of `part`, the next ones in the order of the log. `ranks` has their positions in the
    /// order of arrival, or is `None` if that is the order of the log.
    pub fn add(&mut self, part: &Finished<'_>, ranks: Option<&[usize]>) {
        let facts = Facts::of_part(part);
        for (metric, number) in METRICS.iter().zip(&mut self.numbers) {
            metric.add(number, &facts);
        }
        self.totals.add(part);
        self.totals.in_means += part.jobs.len() as u64;
        self.blocks.add(&facts, ranks);
    }

    /// Returns the number of jobs so far.
    pub fn jobs(&self) -> u64 {
        self.totals.jobs
    }

    /// Returns all numbers, and the sums over blocks of jobs. `whole` has the totals; its lists of jobs are
    /// empty. Fails if the temporary file of values fails.
    pub fn finish(self, whole: &Finished<'_>) -> io::Result<(Summary, BlockSums)> {
        let facts = Facts::of_totals(whole, self.totals);
        let numbers = METRICS.iter().zip(self.numbers);
        let numbers = numbers.map(|(metric, number)| metric.finish(number, &facts));
        Ok((Summary::of_numbers(numbers.collect::<io::Result<_>>()?), self.blocks.finish()))
    }
}
