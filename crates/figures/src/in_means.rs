//! Over how many jobs the means of results are, and whether two results have means over as many.

use std::collections::BTreeMap;

use super::results::Results;

/// The numbers of jobs in the means of some rows of a summary, which are replications or other results that
/// stand for one number.
#[derive(Clone, Debug, PartialEq)]
pub struct InMeans {
    /// For each seed, or for each of what else tells results apart, the number of jobs in the means of its
    /// rows.
    by_key: BTreeMap<String, f64>,
}

impl InMeans {
    /// Returns the numbers of these rows; `None` if one of them is not known.
    pub fn of(results: &Results, rows: &[usize]) -> Option<Self> {
        let jobs = results.numbers("jobs_in_means").ok()?;
        Self::new(rows.iter().map(|&row| (results.label(row, "seed"), jobs.get(row))))
    }

    /// Returns the numbers of results, each with its seed, or with all that it has apart from others; `None`
    /// if a number is not known.
    pub fn new(replications: impl Iterator<Item = (String, Option<f64>)>) -> Option<Self> {
        let mut by_key = BTreeMap::new();
        for (seed, jobs) in replications {
            *by_key.entry(seed).or_insert(0.0) += jobs?;
        }
        Some(Self { by_key })
    }

    /// Returns whether both have means over as many jobs with each seed that both have, as `until:` may
    /// repeat one replay more often than another; if there is no such seed, whether they have as many jobs
    /// together.
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
