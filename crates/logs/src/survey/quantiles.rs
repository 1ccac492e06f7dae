//! Exact quantiles of numbers that are counted, as most of them come often.

use std::collections::BTreeMap;

use serde::Serialize;

/// The quantiles of some values by nearest rank: the p-th percentile is the smallest value such that at least
/// p percent of the values are not above it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    /// Smallest value.
    pub min: i64,
    /// Lower quartile.
    pub p25: i64,
    /// Median.
    pub p50: i64,
    /// Upper quartile.
    pub p75: i64,
    /// 90th percentile.
    pub p90: i64,
    /// 99th percentile.
    pub p99: i64,
    /// Largest value.
    pub max: i64,
    /// Arithmetic mean.
    pub mean: f64,
}

/// The values below this number that are counted in a list, with eight bytes each: a year in minutes, and six
/// days in seconds.
const LISTED: usize = 1 << 19;

/// How often each of some values comes. Memory grows with the number of different values.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// The counts of the values from 0 on, as far as one was seen.
    listed: Vec<u64>,
    /// The counts of all other values.
    others: BTreeMap<i64, u64>,
    sum: i128,
}

impl Tally {
    /// Counts a value. O(1), or O(log n) for n different values of six days in seconds and more.
    pub(super) fn add(&mut self, value: i64) {
        self.sum += i128::from(value);
        match usize::try_from(value) {
            Ok(at) if at < LISTED => {
                if at >= self.listed.len() {
                    self.listed.resize((at + 1).next_power_of_two(), 0);
                }
                self.listed[at] += 1;
            }
            _ => *self.others.entry(value).or_default() += 1,
        }
    }

    /// Returns the values with their counts, ascending.
    pub(super) fn counts(&self) -> impl Iterator<Item = (i64, u64)> {
        let negative = self.others.range(..0);
        let large = self.others.range(0..);
        let listed = self.listed.iter().zip(0..).map(|(&count, value)| (value, count));
        let pair = |(&value, &count): (&i64, &u64)| (value, count);
        negative.map(pair).chain(listed.filter(|&(_, count)| count > 0)).chain(large.map(pair))
    }

    /// Returns how many of the values `is` true of.
    pub(super) fn count(&self, is: impl Fn(i64) -> bool) -> u64 {
        self.counts().filter(|&(value, _)| is(value)).map(|(_, count)| count).sum()
    }

    /// Returns the quantiles; `None` if there are no values.
    pub(super) fn quantiles(&self) -> Option<Quantiles> {
        let (min, _) = self.counts().next()?;
        let count = self.count(|_| true);
        // Ranks from 1, in 128 bits because of the percents.
        let rank = |percent: u64| (u128::from(count) * u128::from(percent)).div_ceil(100);
        let mut wanted = [25, 50, 75, 90, 99, 100].map(rank).into_iter().peekable();
        let (mut found, mut so_far) = (Vec::with_capacity(6), 0_u128);
        for (value, count) in self.counts() {
            so_far += u128::from(count);
            while wanted.next_if(|&rank| rank <= so_far).is_some() {
                found.push(value);
            }
        }
        let &[p25, p50, p75, p90, p99, max] = found.as_slice() else { return None };
        Some(Quantiles { min, p25, p50, p75, p90, p99, max, mean: self.sum as f64 / count as f64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantiles(values: impl IntoIterator<Item = i64>) -> Option<Quantiles> {
        let mut tally = Tally::default();
        values.into_iter().for_each(|value| tally.add(value));
        tally.quantiles()
    }

    #[test]
    fn quantiles_are_by_nearest_rank() {
        let q = quantiles((1..=10).rev()).expect("values");
        assert_eq!((q.min, q.p25, q.p50, q.p75, q.p90, q.p99, q.max), (1, 3, 5, 8, 9, 10, 10));
        assert!((q.mean - 5.5).abs() < 1e-12);
        assert_eq!(quantiles([]), None);
        let same = quantiles([7]).expect("a value");
        assert_eq!((same.min, same.p25, same.p99, same.max), (7, 7, 7, 7));
    }

    /// Counting equals sorting, for values of every size.
    #[test]
    fn counted_values_have_the_quantiles_of_sorted_ones() {
        let edges = [i64::MIN, -3, -1, 0, 1, 2, 7, LISTED as i64 - 1, LISTED as i64, 1 << 40, i64::MAX];
        for count in 1..300_usize {
            let mut values: Vec<i64> = (0..count).map(|i| edges[i * i % 97 * 31 % edges.len()]).collect();
            let found = quantiles(values.iter().copied()).expect("values");
            values.sort_unstable();
            let at = |percent: usize| values[(count * percent).div_ceil(100) - 1];
            let expected = [values[0], at(25), at(50), at(75), at(90), at(99), values[count - 1]];
            let Quantiles { min, p25, p50, p75, p90, p99, max, mean } = found;
            assert_eq!([min, p25, p50, p75, p90, p99, max], expected);
            let sum: i128 = values.iter().map(|&value| i128::from(value)).sum();
            assert_eq!(mean.to_bits(), (sum as f64 / count as f64).to_bits());
        }
    }
}
