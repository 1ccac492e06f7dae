//! Trees of switches: nodes in groups, groups in larger groups, with consecutive node numbers in each group.
//!
//! The tree `4x8x24` has 4 groups of 8 leaves of 24 nodes. A leaf is a group of height 1; the whole machine
//! is the one group of the greatest height. Two nodes *meet* at the height of the smallest group that
//! contains both, and are twice as many links apart: a shortest route goes up to the switch of that group and
//! down.

use super::NodeId;

/// The greatest number of levels of a tree: of sizes in its description.
pub const MOST_LEVELS: usize = 6;

/// The groups of a tree of switches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Levels {
    /// Nodes of a group by height, from leaves to the whole machine.
    sizes: Vec<u32>,
}

impl Levels {
    /// Returns the groups of a tree described by `fans`: children of a group per level, the top first. There
    /// is at least one level, and the product of the fans is the number of nodes.
    pub(super) fn from_fans(fans: &[u32]) -> Self {
        let larger = |size: &mut u32, &fan: &u32| {
            *size = size.saturating_mul(fan);
            Some(*size)
        };
        Self { sizes: fans.iter().rev().scan(1, larger).collect() }
    }

    /// Returns the children of a group per level, the top first: the sizes of the description.
    pub fn fans(&self) -> Vec<u32> {
        let children = std::iter::once(&1).chain(&self.sizes);
        let mut fans: Vec<u32> = self.sizes.iter().zip(children).map(|(size, child)| size / child).collect();
        fans.reverse();
        fans
    }

    /// Returns the nodes of a group by height, from leaves to the whole machine.
    #[inline]
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// Returns the height of the whole machine: 1 for a machine of one leaf.
    #[inline]
    pub fn height(&self) -> u32 {
        self.sizes.len() as u32
    }

    /// Returns the nodes of a leaf.
    #[inline]
    pub fn leaf(&self) -> u32 {
        self.sizes[0]
    }

    /// Returns the height at which two nodes meet: 0 for equal nodes, 1 for nodes of one leaf.
    pub fn meet(&self, a: NodeId, b: NodeId) -> u32 {
        if a == b {
            return 0;
        }
        let lower = self.sizes.iter().take_while(|&size| a / size != b / size).count();
        (lower as u32 + 1).min(self.height())
    }

    /// Returns the number of links between two nodes, up and down.
    pub fn links(&self, a: NodeId, b: NodeId) -> u32 {
        2 * self.meet(a, b)
    }

    /// Returns the sum of the links over all pairs of `nodes`, which must ascend. O(k · height).
    pub fn pairwise_sum(&self, nodes: &[NodeId]) -> u64 {
        let within = |&size: &u32| {
            nodes.chunk_by(|a, b| a / size == b / size).map(|group| pairs(group.len() as u64)).sum()
        };
        self.sum_of_pairs(nodes.len() as u64, within)
    }

    /// Returns the least sum of the links over all pairs of `k` nodes, whichever nodes are free: that of the
    /// first k nodes, which fill groups one after the other at every height. O(height).
    pub fn least_sum(&self, k: u32) -> u64 {
        let within = |&size: &u32| u64::from(k / size) * pairs(size.into()) + pairs(u64::from(k % size));
        self.sum_of_pairs(k.into(), within)
    }

    /// Returns the sum of the links over the pairs of `k` nodes, from the pairs within groups of each size.
    /// Each pair has two links, and two more per height at which its nodes are in different groups.
    fn sum_of_pairs(&self, k: u64, within: impl Fn(&u32) -> u64) -> u64 {
        let below_top = &self.sizes[..self.sizes.len() - 1];
        2 * (pairs(k) + below_top.iter().map(|size| pairs(k) - within(size)).sum::<u64>())
    }

    /// Returns how many of `nodes` are in each group, by height from leaves to the whole machine.
    /// O(k + leaves).
    pub fn count_by_group(&self, nodes: impl Iterator<Item = NodeId>) -> Vec<Vec<u32>> {
        let mut leaves = vec![0; (self.sizes[self.sizes.len() - 1] / self.leaf()) as usize];
        for node in nodes {
            leaves[(node / self.leaf()) as usize] += 1;
        }
        let mut counts = vec![leaves];
        for (sizes, below) in self.sizes.windows(2).zip(0..) {
            let children = (sizes[1] / sizes[0]) as usize;
            counts.push(counts[below].chunks(children).map(|group: &[u32]| group.iter().sum()).collect());
        }
        counts
    }

    /// Returns the number of groups of `height`, at least 1, that contain some of `nodes`, which must ascend.
    pub fn groups(&self, nodes: &[NodeId], height: u32) -> u32 {
        let size = self.sizes[height as usize - 1];
        nodes.chunk_by(|a, b| a / size == b / size).count() as u32
    }
}

/// Returns the number of pairs of `k` nodes.
fn pairs(k: u64) -> u64 {
    k * k.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The links between two nodes by walking up from both.
    fn plain_links(fans: &[u32], mut a: NodeId, mut b: NodeId) -> u64 {
        let (mut links, mut fans) = (0, fans.iter().rev());
        while let (true, Some(fan)) = (a != b, fans.next()) {
            (a, b, links) = (a / fan, b / fan, links + 2);
        }
        links
    }

    #[test]
    fn sums_and_bounds_equal_those_of_all_subsets() {
        for fans in [&[5][..], &[3, 4], &[4, 1, 3], &[2, 3, 2], &[2, 2, 2, 2]] {
            let levels = Levels::from_fans(fans);
            assert_eq!(levels.fans(), fans);
            let all: NodeId = fans.iter().product();
            let mut least = vec![u64::MAX; all as usize + 1];
            for set in 0_u32..1 << all {
                let nodes: Vec<NodeId> = (0..all).filter(|node| set >> node & 1 == 1).collect();
                let to_earlier = |(i, &a): (usize, &NodeId)| {
                    nodes[..i].iter().map(|&b| plain_links(fans, a, b)).sum::<u64>()
                };
                let sum: u64 = nodes.iter().enumerate().map(to_earlier).sum();
                assert_eq!(levels.pairwise_sum(&nodes), sum, "{fans:?} {nodes:?}");
                least[nodes.len()] = least[nodes.len()].min(sum);
                let leaf = levels.leaf();
                let leaves = (0..all / leaf).filter(|&i| nodes.iter().any(|node| node / leaf == i)).count();
                assert_eq!(levels.groups(&nodes, 1), leaves as u32);
            }
            for (k, &least) in least.iter().enumerate() {
                assert_eq!(levels.least_sum(k as u32), least, "{fans:?} {k}");
            }
            for (a, b) in (0..all).flat_map(|a| (0..all).map(move |b| (a, b))) {
                assert_eq!(u64::from(levels.links(a, b)), plain_links(fans, a, b));
            }
        }
    }
}
