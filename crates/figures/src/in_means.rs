//! Numbers of jobs behind means, which decide whether two results are comparable.

use std::collections::BTreeMap;

use super::results::Results;

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
