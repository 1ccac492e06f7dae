//! What a comparison in words knows of a replay, whether it has just ended or was saved.

use std::borrow::Cow;

use crate::metrics::{BlockSums, Difference, METRICS};
use crate::study::{Outcome, ReplaySpec};

/// A replay and what was measured in its replications.
pub(super) struct Measured<'a> {
    pub(super) spec: Cow<'a, ReplaySpec>,
    pub(super) replications: Vec<Replication<'a>>,
}

/// What was measured in one replication.
pub(super) struct Replication<'a> {
    /// The number of jobs, and of those that count in means.
    pub(super) jobs: Option<f64>,
    pub(super) in_means: Option<f64>,
    /// The numbers that are compared, by name.
    pub(super) numbers: Vec<(&'static str, f64)>,
    /// The sums over blocks of jobs; `None` if the jobs were not kept.
    pub(super) blocks: Option<Cow<'a, BlockSums>>,
}

impl<'a> Measured<'a> {
    /// Returns what is known of a replay that has just ended.
    pub(super) fn of_outcomes(spec: &'a ReplaySpec, outcomes: &'a [Outcome]) -> Self {
        let replication = |outcome: &'a Outcome| Replication {
            jobs: outcome.summary.get("jobs"),
            in_means: outcome.summary.get("jobs_in_means"),
            numbers: compared(|name| outcome.summary.get(name)),
            blocks: Some(Cow::Borrowed(&outcome.blocks)),
        };
        Self { spec: Cow::Borrowed(spec), replications: outcomes.iter().map(replication).collect() }
    }
}

/// Returns the numbers that are compared, each with the value that `value` returns for its name.
pub(super) fn compared(value: impl Fn(&'static str) -> Option<f64>) -> Vec<(&'static str, f64)> {
    let numbers = METRICS.iter().filter(|metric| metric.is_compared);
    numbers.filter_map(|metric| Some((metric.name(), value(metric.name())?))).collect()
}

impl Replication<'_> {
    /// Returns whether the jobs are known one by one.
    pub(super) fn has_jobs(&self) -> bool {
        self.blocks.is_some()
    }

    /// Returns the number with this name; `None` if the replication has none.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// Returns whether the other replication is one of the same jobs. Where the jobs were not kept, their numbers are
    /// compared.
    pub(super) fn is_of_same_jobs(&self, other: &Self) -> bool {
        match (&self.blocks, &other.blocks) {
            (Some(blocks), Some(others)) => blocks.is_of_same_jobs(others),
            _ => self.jobs == other.jobs,
        }
    }

    /// Returns whether means are over the same jobs as in the other replication, which is of the same jobs: `--trim` leaves out
    /// those that start late. Where the jobs were not kept, their numbers are compared.
    pub(super) fn counts_same_jobs(&self, other: &Self) -> bool {
        match (&self.blocks, &other.blocks) {
            (Some(blocks), Some(others)) => blocks.counts_same_jobs(others),
            _ => self.in_means == other.in_means,
        }
    }

    /// Returns whether every block of jobs, or the mean if the jobs were not kept, has exactly the same number as in
    /// `other`.
    pub(super) fn equals(&self, other: &Self, name: &str) -> bool {
        match (&self.blocks, &other.blocks) {
            (Some(blocks), Some(others)) => blocks.get(name) == others.get(name),
            _ => self.number(name) == other.number(name),
        }
    }

    /// Returns the difference to `base`, with an interval if the jobs were kept; `None` if one of the two has no such
    /// number.
    pub(super) fn difference(&self, base: &Self, name: &str) -> Option<Difference> {
        match (&self.blocks, &base.blocks) {
            (Some(blocks), Some(others)) => Difference::between(blocks.get(name)?, others.get(name)?),
            _ => Some(Difference::of_means(self.number(name)?, base.number(name)?)),
        }
    }
}
