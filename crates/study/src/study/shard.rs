//! Shards: the replays of a study divided among processes without communication.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

/// Most shards of a study.
pub const MAX_SHARDS: usize = 1 << 16;

/// Part `index` of the `count` parts of a study. Parts are numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// Returns the positions (from 0) of this shard's replays, ascending. `costs` are the costs of all
    /// replays.
    pub fn share(self, costs: &[u64]) -> Vec<usize> {
        let shards = Self::deal(costs, self.count);
        (0..costs.len()).filter(|&cell| shards[cell] == self.index).collect()
    }

    /// Divides the replays with these `costs` among `count` shards. Returns the shard (from 1) of each
    /// replay.
    ///
    /// Longest-processing-time list scheduling: replays are taken in descending order of cost, and each goes
    /// to the shard with the least total cost (Graham, "Bounds on multiprocessing timing anomalies", SIAM J.
    /// Appl. Math. 1969). Ties go to the earlier replay and to the earlier shard. The result depends on
    /// nothing else, so all shards of a study agree on it. O(C·log C + C·log N) for C replays and N shards.
    pub fn deal(costs: &[u64], count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..costs.len()).collect();
        order.sort_by_key(|&cell| Reverse(costs[cell]));
        // A min-heap of shards by cost, then by index.
        let mut loads: BinaryHeap<Reverse<(u64, usize)>> =
            (1..=count).map(|shard| Reverse((0, shard))).collect();
        let mut shards = vec![0; costs.len()];
        for cell in order {
            let Some(mut least) = loads.peek_mut() else { break };
            let Reverse((load, shard)) = &mut *least;
            *load = load.saturating_add(costs[cell]);
            shards[cell] = *shard;
        }
        shards
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) && count <= MAX_SHARDS => {
                Ok(Self { index, count })
            }
            _ => Err("expected I/N with I from 1 to N, such as 1/3".to_owned()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_disjoint_complete_and_even() {
        let costs: Vec<u64> = (0..60).map(|i| [1, 1, 6, 3, 26][i % 5]).collect();
        for count in 1..=7 {
            let shares: Vec<Vec<usize>> =
                (1..=count).map(|index| Shard { index, count }.share(&costs)).collect();
            let mut all: Vec<usize> = shares.concat();
            all.sort_unstable();
            assert_eq!(all, (0..60).collect::<Vec<_>>());
            let loads = shares.iter().map(|share| share.iter().map(|&i| costs[i]).sum::<u64>());
            let (least, most) = (loads.clone().min(), loads.max());
            assert!(most <= least.map(|least| least + 26), "{count}: {least:?} {most:?}");
        }
    }

    #[test]
    fn each_replay_goes_to_the_first_shard_with_the_least_cost() {
        let costs: Vec<u64> = (0..500_u64).map(|i| 1 + i * i % 37).collect();
        for count in [1, 2, 7, 64] {
            let mut order: Vec<usize> = (0..costs.len()).collect();
            order.sort_by_key(|&cell| Reverse(costs[cell]));
            let (mut loads, mut expected) = (vec![0; count], vec![0; costs.len()]);
            for cell in order {
                let least = (0..count).min_by_key(|&shard| loads[shard]).unwrap_or_default();
                loads[least] += costs[cell];
                expected[cell] = least + 1;
            }
            assert_eq!(Shard::deal(&costs, count), expected);
        }
    }

    #[test]
    fn shards_are_spelt_as_fractions() {
        assert_eq!("2/3".parse::<Shard>().map(|shard| shard.to_string()), Ok("2/3".to_owned()));
        for text in ["0/3", "4/3", "1", "1/0", "a/b", "-1/3", "1/3/5"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
