//! A set of small numbers that finds its smallest member quickly.

use meshreplay_machine::machine::set_bits;

/// A set of numbers below a bound, stored as a hierarchical bitset. The lowest level has a bit for each
/// number. Each higher level has a bit for each word of the level below, which is set if that word is not
/// zero. The highest level is one word. Insert, remove and first take O(log₆₄ bound).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FirstSet {
    /// The levels from the lowest, with a bit for each number, to the highest, which is a single word.
    levels: Vec<Vec<u64>>,
}

impl FirstSet {
    /// Returns an empty set of numbers below `bound`.
    pub(crate) fn empty(bound: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = bound.div_ceil(64).max(1);
        loop {
            levels.push(vec![0; words]);
            if words == 1 {
                return Self { levels };
            }
            words = words.div_ceil(64);
        }
    }

    /// Adds a number. Nothing changes if the set contains it already.
    pub(crate) fn insert(&mut self, member: u32) {
        self.insert_bits(member as usize / 64, 1 << (member % 64));
    }

    /// Adds the numbers whose bits are set in `bits` to word `word` of the lowest level. `bits` must not be
    /// 0.
    pub(crate) fn insert_bits(&mut self, word: usize, bits: u64) {
        let (mut at, mut bits) = (word, bits);
        for level in &mut self.levels {
            // If the word had members before, its bit in the levels above is set already.
            let known = level[at] != 0;
            level[at] |= bits;
            if known {
                return;
            }
            (at, bits) = (at / 64, 1 << (at % 64));
        }
    }

    /// Removes a number. Nothing changes if the set does not contain it.
    pub(crate) fn remove(&mut self, member: u32) {
        self.remove_bits(member as usize / 64, 1 << (member % 64));
    }

    /// Removes the numbers whose bits are set in `bits` from word `word` of the lowest level.
    fn remove_bits(&mut self, word: usize, bits: u64) {
        let (mut at, mut bits) = (word, bits);
        for level in &mut self.levels {
            level[at] &= !bits;
            // Only a word that has become zero loses its bit in the level above.
            if level[at] != 0 {
                return;
            }
            (at, bits) = (at / 64, 1 << (at % 64));
        }
    }

    /// Returns whether the set contains a number, which must be below the bound.
    pub(crate) fn contains(&self, member: u32) -> bool {
        self.levels[0][member as usize / 64] >> (member % 64) & 1 == 1
    }

    /// Returns the smallest member; `None` if the set is empty.
    pub(crate) fn first(&self) -> Option<u32> {
        let word = self.first_word()?;
        Some(word as u32 * 64 + self.levels[0][word].trailing_zeros())
    }

    /// Returns the index of the lowest level's word that holds the smallest member; `None` if the set is
    /// empty.
    fn first_word(&self) -> Option<usize> {
        // From the highest level down: the lowest set bit of a word is the index of the word to look at in
        // the level below.
        let mut at = 0;
        for level in self.levels[1..].iter().rev() {
            at = at * 64 + level[at].trailing_zeros() as usize % 64;
        }
        (self.levels[0][at] != 0).then_some(at)
    }

    /// Removes the smallest members, at most `most` of them and only those in the same word as the smallest.
    /// Returns the number that belongs to the word's lowest bit, and a mask of the removed bits. The mask is
    /// 0 if the set is empty.
    pub(crate) fn remove_first(&mut self, most: u32) -> (u32, u64) {
        let Some(word) = self.first_word() else { return (0, 0) };
        let members = self.levels[0][word];
        let mut rest = members;
        for _ in 0..most.min(members.count_ones()) {
            rest &= rest - 1;
        }
        let removed = members ^ rest;
        self.remove_bits(word, removed);
        (word as u32 * 64, removed)
    }

    /// Returns the members in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        set_bits(&self.levels[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_least_member_is_that_of_a_sorted_set() {
        for bound in [1, 64, 65, 5000, 300_000] {
            let (mut set, mut plain) = (FirstSet::empty(bound as usize), BTreeSet::new());
            for step in 0..2000_u64 {
                let member = ((step * 7_919 + step * step * 31) % bound) as u32;
                if step % 3 == 0 {
                    set.remove(member);
                    plain.remove(&member);
                } else {
                    set.insert(member);
                    plain.insert(member);
                }
                assert_eq!(set.first(), plain.first().copied());
                assert_eq!(set.contains(member), plain.contains(&member));
            }
            assert!(set.iter().eq(plain.iter().copied()));
            let mut most = 0;
            while !plain.is_empty() {
                most = most % 8 + 1;
                let (start, bits) = set.remove_first(most);
                let removed: Vec<u32> =
                    (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| start + bit).collect();
                let rest = plain.split_off(&(removed.last().map_or(0, |last| last + 1)));
                assert!(removed.iter().eq(&plain));
                let full = removed.len() == most as usize;
                assert!(full || rest.first().is_none_or(|next| next / 64 > start / 64));
                plain = rest;
            }
            assert_eq!((set.first(), set.remove_first(3)), (None, (0, 0)));
        }
    }
}
