//! A set of nodes, stored as a bitset.

use super::NodeId;
use super::held::WordMask;

/// A set of node numbers below a fixed bound. It has one bit per node: node `n` is bit `n % 64` of word `n /
/// 64`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSet {
    words: Vec<u64>,
    bound: u32,
}

impl NodeSet {
    /// Returns the empty set of nodes below `bound`.
    #[inline]
    pub fn empty(bound: u32) -> Self {
        Self { words: vec![0; bound.div_ceil(64) as usize], bound }
    }

    /// Returns the set of all nodes below `bound`.
    #[inline]
    pub fn full(bound: u32) -> Self {
        let mut set = Self { words: vec![u64::MAX; bound.div_ceil(64) as usize], bound };
        if let (Some(last), spare @ 1..) = (set.words.last_mut(), bound % 64) {
            *last = (1 << spare) - 1;
        }
        set
    }

    /// Returns the bound: every member is below it.
    #[inline]
    pub fn bound(&self) -> u32 {
        self.bound
    }

    /// Returns the words of the bitset, lowest nodes first. The bits at and above the bound are 0.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns whether `node` is a member. Nodes at or above the bound never are.
    #[inline]
    pub fn contains(&self, node: NodeId) -> bool {
        self.words.get((node / 64) as usize).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    /// Adds `node`, which must be below the bound. Returns false if it was a member before.
    #[inline]
    pub fn insert(&mut self, node: NodeId) -> bool {
        let word = &mut self.words[(node / 64) as usize];
        let bit = 1 << (node % 64);
        let added = *word & bit == 0;
        *word |= bit;
        added
    }

    /// Removes `node`, which must be below the bound. Returns false if it was no member.
    #[inline]
    pub fn remove(&mut self, node: NodeId) -> bool {
        let word = &mut self.words[(node / 64) as usize];
        let bit = 1 << (node % 64);
        let removed = *word & bit != 0;
        *word &= !bit;
        removed
    }

    /// Adds the nodes of a word. Returns false, and changes nothing, if one of them was a member before or is
    /// named twice, or if there is no such word.
    pub(super) fn insert_word(&mut self, added: &WordMask) -> bool {
        let Some(word) = self.words.get_mut(added.word as usize) else { return false };
        let is_new = added.is_distinct() && *word & added.bits == 0;
        *word |= if is_new { added.bits } else { 0 };
        is_new
    }

    /// Removes the nodes of a word. Returns false, and changes nothing, if one of them was no member or is
    /// named twice, or if there is no such word.
    pub(super) fn remove_word(&mut self, removed: &WordMask) -> bool {
        let Some(word) = self.words.get_mut(removed.word as usize) else { return false };
        let were_members = removed.is_distinct() && *word & removed.bits == removed.bits;
        *word &= if were_members { !removed.bits } else { u64::MAX };
        were_members
    }

    /// Returns the membership of nodes `from..from + bits` as bits, the lowest node in bit 0. `bits` is at
    /// most 64.
    #[inline]
    pub fn bits(&self, from: usize, bits: usize) -> u64 {
        let (word, shift) = (from / 64, from % 64);
        let mut found = self.words[word] >> shift;
        // The nodes reach into the next word.
        if shift > 0 && shift + bits > 64 {
            found |= self.words[word + 1] << (64 - shift);
        }
        if bits < 64 { found & ((1 << bits) - 1) } else { found }
    }

    /// Returns the number of members; O(bound / 64).
    #[inline]
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the members in ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + '_ {
        set_bits(&self.words)
    }
}

/// Returns the numbers of the set bits of `words`, ascending. Word i has bits 64·i to 64·i + 63.
#[inline]
pub fn set_bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(words).flat_map(|(i, &word)| bits_of_word(word).map(move |bit| i * 64 + bit))
}

/// Returns the numbers of the set bits of a word, ascending.
#[inline]
pub fn bits_of_word(word: u64) -> impl Iterator<Item = u32> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bit = rest.trailing_zeros();
        (rest != 0).then(|| {
            // Clears the lowest set bit.
            rest &= rest - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_sets_hold_exactly_the_bound() {
        for bound in [1, 63, 64, 65, 128, 1000] {
            let mut set = NodeSet::full(bound);
            assert_eq!((set.count(), set.contains(bound)), (bound, false));
            assert!(set.iter().eq(0..bound));
            assert!(set.remove(bound - 1) && !set.remove(bound - 1));
            assert!(set.insert(bound - 1) && !set.insert(bound - 1));
            assert_eq!(set, NodeSet::full(bound));
        }
    }
}
