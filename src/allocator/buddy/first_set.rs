//! A set of small numbers that knows its least member.

/// Numbers below a bound as a bitset with a bitset of its non-empty words above it, and so on up to one word.
/// Insert, remove and first are O(log₆₄ bound).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FirstSet {
    /// The members first, the single word last.
    levels: Vec<Vec<u64>>,
}

impl FirstSet {
    /// The empty set of numbers below `bound`.
    pub(super) fn empty(bound: usize) -> Self {
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

    pub(super) fn insert(&mut self, member: u32) {
        let mut at = member as usize;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            let known = *word != 0;
            *word |= 1 << (at % 64);
            if known {
                return;
            }
            at /= 64;
        }
    }

    pub(super) fn remove(&mut self, member: u32) {
        let mut at = member as usize;
        for level in &mut self.levels {
            let word = &mut level[at / 64];
            *word &= !(1 << (at % 64));
            if *word != 0 {
                return;
            }
            at /= 64;
        }
    }

    pub(super) fn contains(&self, member: u32) -> bool {
        self.levels[0][member as usize / 64] >> (member % 64) & 1 == 1
    }

    /// The least member.
    pub(super) fn first(&self) -> Option<u32> {
        let mut at = 0;
        for level in self.levels.iter().rev() {
            let word = level[at];
            if word == 0 {
                return None;
            }
            at = at * 64 + word.trailing_zeros() as usize;
        }
        Some(at as u32)
    }

    /// Members in ascending order.
    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let bits = |(word, &bits): (usize, &u64)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u32 * 64 + bit)
        };
        self.levels[0].iter().enumerate().flat_map(bits)
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
        }
    }
}
