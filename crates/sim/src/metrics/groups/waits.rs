//! Quantiles of the waits of groups of jobs, in constant memory.
//!
//! A selection by buckets in two passes. The waits go into a list, which spills to disk. Each group has
//! counts of its waits by *bucket*: all floats with the same first sixteen bits, which are within a sixteenth
//! of each other. In the end the counts give the bucket of a quantile, and a second pass over the list sorts
//! the waits in these buckets.

use std::collections::BTreeMap;
use std::io;

use crate::metrics::gather::{MOST_VALUES, SpillingList};
use meshreplay_base::disk::Sorter;

/// The waits of jobs, by group.
#[derive(Debug)]
pub(in crate::metrics) struct Waits {
    /// Alternately the group and the wait in seconds, job by job.
    list: SpillingList,
    groups: Vec<Buckets>,
}

/// The waits of a group by bucket.
type Buckets = BTreeMap<u64, Bucket>;

/// The waits in a bucket, as [keys](key).
#[derive(Clone, Copy, Debug)]
struct Bucket {
    count: u64,
    least: u64,
    greatest: u64,
}

/// Maps waits to numbers in the order of `f64::total_cmp`.
fn key(wait_s: f64) -> u64 {
    let bits = wait_s.to_bits();
    if bits >> 63 == 0 { bits ^ (1 << 63) } else { !bits }
}

fn from_key(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 0 { !key } else { key ^ (1 << 63) })
}

fn bucket_index(key: u64) -> u64 {
    key >> 48
}

impl Default for Waits {
    fn default() -> Self {
        Self { list: SpillingList::new(MOST_VALUES), groups: Vec::new() }
    }
}

impl Waits {
    /// Adds the wait of a job of a group.
    pub(in crate::metrics) fn add(&mut self, group: usize, wait_s: f64) {
        let key = key(wait_s);
        self.groups.resize_with(self.groups.len().max(group + 1), Buckets::new);
        let buckets = &mut self.groups[group];
        let new = Bucket { count: 0, least: key, greatest: key };
        let bucket = buckets.entry(bucket_index(key)).or_insert(new);
        bucket.count = bucket.count.saturating_add(1);
        (bucket.least, bucket.greatest) = (bucket.least.min(key), bucket.greatest.max(key));
        self.list.push(group as f64);
        self.list.push(wait_s);
    }

    /// Returns the quantiles of all waits, and of each of `groups` groups. At most `in_memory` bytes of waits
    /// in the buckets of quantiles are sorted in memory. Fails if the temporary file fails.
    pub(in crate::metrics) fn quantiles(
        self,
        groups: usize,
        in_memory: usize,
    ) -> io::Result<(WaitQuantiles, Vec<WaitQuantiles>)> {
        let (list, count) = (self.list, groups);
        let mut groups = self.groups;
        groups.resize_with(count, Buckets::new);
        let whole = groups.iter().flatten().fold(Buckets::new(), |mut whole, (&at, &of_group)| {
            let bucket = whole.entry(at).or_insert(Bucket { count: 0, ..of_group });
            bucket.count = bucket.count.saturating_add(of_group.count);
            bucket.least = bucket.least.min(of_group.least);
            bucket.greatest = bucket.greatest.max(of_group.greatest);
            whole
        });
        // The groups, then all waits as one more group.
        let mut searches: Vec<QuantileSearch> =
            groups.iter().chain([&whole]).map(QuantileSearch::from_buckets).collect();
        let mut sorter: Sorter = Sorter::of_pieces(in_memory);
        let (mut group, mut failed) = (None, None);
        let all = groups.len();
        list.for_each(|value| {
            let Some(of) = group.take() else {
                group = Some(value as usize);
                return;
            };
            let key = key(value);
            for of in [of, all] {
                if searches[of].reads(bucket_index(key)) && failed.is_none() {
                    failed = sorter.add(((of as u64).cast_signed(), key), &[]).err();
                }
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        let mut ascending = sorter.sorted()?;
        while let Some(((of, key), _)) = ascending.next()? {
            searches.iter_mut().skip(of as usize).take(1).for_each(|search| search.read(key));
        }
        let mut quantiles: Vec<WaitQuantiles> = searches.iter().map(QuantileSearch::quantiles).collect();
        let whole = quantiles.pop().unwrap_or_default();
        Ok((whole, quantiles))
    }
}

/// The number of some waits, and their quantiles in seconds, which are `None` without waits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::metrics) struct WaitQuantiles {
    pub(in crate::metrics) count: u64,
    /// The mean of the middle two for an even number.
    pub(in crate::metrics) median_s: Option<f64>,
    /// The shortest wait that is not below 95 % of all.
    pub(in crate::metrics) p95_s: Option<f64>,
    pub(in crate::metrics) longest_s: Option<f64>,
}

/// The search for the middle one or two waits of a group, and for the 95th percentile.
struct QuantileSearch {
    count: u64,
    /// The longest wait.
    longest: Option<u64>,
    /// The lower and the upper one in the middle, and the percentile.
    ranked: [RankSearch; 3],
    /// The bucket of the last wait that was read, and the number of waits read from that bucket.
    read: (u64, u64),
}

/// A wait, searched by its rank.
#[derive(Clone, Copy, Default)]
struct RankSearch {
    /// The bucket that it is in.
    bucket: u64,
    /// The number of waits of the bucket before it, in ascending order.
    before: u64,
    /// The key of the wait, once known.
    key: Option<u64>,
}

impl QuantileSearch {
    /// Finds the buckets of the waits.
    fn from_buckets(buckets: &Buckets) -> Self {
        let count = buckets.values().map(|bucket| bucket.count).sum::<u64>();
        let last = count.saturating_sub(1);
        // 0.95 n, rounded up, counts the waits up to the percentile.
        let percentile = last - (count / 20).min(last);
        let ranked = [last / 2, count / 2, percentile].map(|mut before| {
            for (&at, bucket) in buckets {
                if before < bucket.count {
                    // Waits that are all equal need no second pass.
                    let key = (bucket.least == bucket.greatest).then_some(bucket.least);
                    return RankSearch { bucket: at, before, key };
                }
                before = before.saturating_sub(bucket.count);
            }
            RankSearch::default()
        });
        let longest = buckets.values().map(|bucket| bucket.greatest).max();
        Self { count, longest, ranked, read: (0, 0) }
    }

    /// Returns whether the waits of a bucket have to be read.
    fn reads(&self, bucket: u64) -> bool {
        self.count > 0 && self.ranked.iter().any(|one| one.bucket == bucket && one.key.is_none())
    }

    /// Takes the next wait of the buckets of interest, in ascending order.
    fn read(&mut self, key: u64) {
        let (bucket, before) = (bucket_index(key), self.read);
        let before = if before.0 == bucket { before.1 } else { 0 };
        for one in &mut self.ranked {
            if one.bucket == bucket && one.before == before {
                one.key = Some(key);
            }
        }
        self.read = (bucket, before.saturating_add(1));
    }

    /// Returns the number of waits and their quantiles.
    fn quantiles(&self) -> WaitQuantiles {
        if self.count == 0 {
            return WaitQuantiles::default();
        }
        let [lower, upper, p95_s] = self.ranked.map(|one| one.key.map(from_key));
        let median_s = lower.zip(upper).map(|(lower, upper)| f64::midpoint(lower, upper));
        WaitQuantiles { count: self.count, median_s, p95_s, longest_s: self.longest.map(from_key) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the quantiles by sorting.
    fn sorted_quantiles(mut values: Vec<f64>) -> WaitQuantiles {
        values.sort_unstable_by(f64::total_cmp);
        let count = values.len();
        let median = values.get(count / 2).map(|&upper| f64::midpoint(values[(count - 1) / 2], upper));
        let p95_s =
            values.iter().enumerate().find(|(i, _)| 100 * (i + 1) >= 95 * count).map(|(_, &wait)| wait);
        WaitQuantiles { count: count as u64, median_s: median, p95_s, longest_s: values.last().copied() }
    }

    #[test]
    fn keys_are_ordered_as_floats() {
        let floats = [f64::NEG_INFINITY, -7.5, -0.0, 0.0, 1e-300, 3.0, 3.000_001, f64::MAX, f64::INFINITY];
        assert!(floats.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert!(floats.iter().all(|&float| from_key(key(float)).to_bits() == float.to_bits()));
    }

    /// Quantiles of few and of many waits, alike or not, equal those by sorting.
    #[test]
    fn quantiles_are_those_of_sorted_waits() -> io::Result<()> {
        let noise = |i: u64, below: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 30) % below;
        for seed in 0..120_u64 {
            let mut waits = Waits { list: SpillingList::new(1 + seed as usize % 50), groups: Vec::new() };
            let mut groups: Vec<Vec<f64>> = vec![Vec::new(); 4];
            for i in 0..noise(seed, 900) {
                let draw = noise(i * 77 + seed * 1_000_003, 1 << 20);
                let value = match seed % 5 {
                    0 => (draw % 3) as f64,
                    1 => 1000.0 + draw as f64 / 65_536.0,
                    2 => draw as f64 * 0.5,
                    3 => (draw % 7) as f64 * 1e5 - 2e5,
                    _ => {
                        if draw % 3 == 0 {
                            0.0
                        } else {
                            draw as f64 / 3.0
                        }
                    }
                };
                // The last group stays empty.
                let group = (draw / 8 % 3) as usize;
                waits.add(group, value);
                groups[group].push(value);
            }
            let (whole, quantiles) = waits.quantiles(4, 1 << 10)?;
            assert_eq!(whole, sorted_quantiles(groups.concat()), "{seed}");
            assert_eq!(quantiles, groups.into_iter().map(sorted_quantiles).collect::<Vec<_>>(), "{seed}");
        }
        Ok(())
    }
}
