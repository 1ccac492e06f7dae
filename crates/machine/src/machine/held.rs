//! Placement masks: the nodes of a job as words of a bitset, in which a machine takes and frees them.
//!
//! Jobs often get exactly the nodes of an earlier job: nine of ten on LANL-CM5 with `hilbert+bf` and `mbs`,
//! and every third one even with `random`. So masks of recent placements are cached, and measurements of a
//! placement can be cached by its place.

use std::sync::Arc;

use smallvec::SmallVec;

use super::NodeId;

/// The number of cached placements. A new one replaces the one at its place.
pub const PLACES: usize = 1024;
/// The sizes of cached placements. Smaller ones are split as fast, and larger ones would need more than 40 MB
/// together: 8 for the lists of nodes, and 32 for their parts if each node is one.
const SIZES: std::ops::RangeInclusive<usize> = 8..=2048;

/// The number of words stored inline. Most jobs are small, and a second allocation takes as long as the
/// first.
const FEW: usize = 4;

/// Consecutive nodes of a list within one word of a set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WordMask {
    /// The index of the word.
    pub(super) word: u32,
    /// The number of nodes in the list.
    pub(super) count: u32,
    /// The bits of the nodes in the word; 0 if a node is named twice.
    pub(super) bits: u64,
}

impl WordMask {
    /// Splits a list of nodes into parts within one word each, so that each part costs one operation.
    pub(super) fn split(nodes: &[NodeId]) -> impl Iterator<Item = Self> + Clone + '_ {
        let mut rest = nodes;
        std::iter::from_fn(move || {
            let (word, mut bits, mut twice, mut count) = (rest.first()? / 64, 0, 0, 0);
            while let Some(&node) = rest.get(count).filter(|&&node| node / 64 == word) {
                let bit = 1 << (node % 64);
                twice |= bits & bit;
                bits |= bit;
                count += 1;
            }
            rest = &rest[count..];
            Some(Self { word, count: count as u32, bits: if twice == 0 { bits } else { 0 } })
        })
    }

    /// Adds another part of the list within the same word.
    fn join(&mut self, part: &Self) {
        let is_distinct = self.is_distinct() && part.is_distinct() && self.bits & part.bits == 0;
        self.bits = if is_distinct { self.bits | part.bits } else { 0 };
        self.count += part.count;
    }

    /// Returns whether no node is named twice.
    pub(super) fn is_distinct(&self) -> bool {
        self.bits != 0
    }
}

/// The nodes of a placement as words of a bitset. Cached placements with the same nodes share it.
#[derive(Clone, Debug, Default)]
pub struct Held {
    pub(super) words: SmallVec<[WordMask; FEW]>,
    place: Option<usize>,
}

impl Held {
    /// Returns the mask of a list of nodes.
    #[inline]
    pub fn of(nodes: &[NodeId]) -> Arc<Self> {
        Arc::new(Self { words: WordMask::split(nodes).collect(), place: None })
    }

    /// Returns the words with the bits of the nodes in them, see [`NodeSet::words`](super::NodeSet::words). A
    /// word may come several times unless the mask is from [`RecentlyHeld`].
    #[inline]
    pub fn words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.words.iter().map(|mask| (mask.word as usize, mask.bits))
    }

    /// Returns the number of nodes. O(words).
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.words.iter().map(|mask| mask.count).sum()
    }

    /// Returns the number of parts of the list, each within one word.
    #[inline]
    pub fn parts(&self) -> usize {
        self.words.len()
    }

    /// Returns the place in the cache, below [`PLACES`]; `None` if the placement is not cached.
    #[inline]
    pub fn place(&self) -> Option<usize> {
        self.place
    }
}

/// A cache of the masks of recent placements.
#[derive(Debug)]
pub struct RecentlyHeld {
    /// The nodes and the mask at each place; no nodes at an unused place. Empty before the first placement.
    places: Vec<(Vec<NodeId>, Arc<Held>)>,
    /// Scratch memory for the words of a placement.
    words: Vec<WordMask>,
    /// For each word of the machine's set of nodes, its number in `words` from 1; 0 if it is not there. All
    /// are 0 between calls.
    numbers: Vec<u32>,
}

impl RecentlyHeld {
    /// Returns an empty cache for a machine of `nodes` nodes.
    #[inline]
    pub fn new(nodes: u32) -> Self {
        Self { places: Vec::new(), words: Vec::new(), numbers: vec![0; nodes.div_ceil(64) as usize] }
    }

    /// Returns the mask of a list of nodes, from the cache if possible. O(k) for k nodes, as all nodes are
    /// compared.
    pub fn held(&mut self, nodes: &[NodeId]) -> Arc<Held> {
        let Some(place) = place(nodes) else { return self.form(nodes, None) };
        if self.places.is_empty() {
            self.places.resize_with(PLACES, Default::default);
        }
        if self.places[place].0 != nodes {
            let form = self.form(nodes, Some(place));
            let (known, held) = &mut self.places[place];
            known.clear();
            known.extend_from_slice(nodes);
            *held = form;
        }
        Arc::clone(&self.places[place].1)
    }

    /// Makes the mask of a list of nodes, in memory of exactly its size. Each word comes once: curves and
    /// lists by columns leave a word and return to it, and each further part would cost an operation whenever
    /// nodes are taken, freed or measured.
    fn form(&mut self, nodes: &[NodeId], place: Option<usize>) -> Arc<Held> {
        self.words.clear();
        for part in WordMask::split(nodes) {
            match self.numbers.get_mut(part.word as usize) {
                Some(0) => {
                    self.words.push(part);
                    self.numbers[part.word as usize] = self.words.len() as u32;
                }
                Some(number) => self.words[*number as usize - 1].join(&part),
                // The machine does not have this node, and refuses it later.
                None => self.words.push(part),
            }
        }
        for mask in &self.words {
            if let Some(number) = self.numbers.get_mut(mask.word as usize) {
                *number = 0;
            }
        }
        Arc::new(Held { words: SmallVec::from_slice(&self.words), place })
    }
}

/// Returns the place of a placement, a hash of its size and some of its nodes; `None` if placements of its
/// size are not cached.
fn place(nodes: &[NodeId]) -> Option<usize> {
    /// An odd number near 2^64 divided by the golden ratio, which spreads its multiples.
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    if !SIZES.contains(&nodes.len()) {
        return None;
    }
    let last = nodes.len() - 1;
    let some = [0, last / 3, last / 2, last].map(|at| u64::from(nodes[at]));
    let mixed = some
        .into_iter()
        .fold(nodes.len() as u64, |hash, node| (hash.rotate_left(5) ^ node).wrapping_mul(ODD));
    // The high bits depend on all of the number.
    Some((mixed >> 32) as usize % PLACES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_nodes_in_the_same_order_are_known() {
        let mut recently = RecentlyHeld::new(2100);
        let nodes: Vec<NodeId> = (100..140).collect();
        let first = recently.held(&nodes);
        assert!(Arc::ptr_eq(&first, &recently.held(&nodes)));
        // These share a place, because the hash ignores the nodes in which they differ.
        for at in [1, 5, 30, 38] {
            let mut other = nodes.clone();
            other[at] = 1000;
            let held = recently.held(&other);
            assert_eq!((place(&other), held.place()), (place(&nodes), place(&nodes)), "{at}");
            assert!(Arc::ptr_eq(&held, &recently.held(&other)));
            assert!(!Arc::ptr_eq(&first, &recently.held(&nodes)));
        }
        for size in [1, 7, 2049] {
            let nodes: Vec<NodeId> = (0..size).collect();
            assert!(!Arc::ptr_eq(&recently.held(&nodes), &recently.held(&nodes)));
        }
    }

    #[test]
    fn a_word_that_is_left_and_entered_again_comes_once() {
        let mut recently = RecentlyHeld::new(200);
        // Down one column and up the next one of a machine that is 50 wide. Node 300 is beyond it.
        let nodes = [3, 53, 103, 153, 154, 104, 54, 300, 4, 299];
        let held = recently.held(&nodes);
        let parts: Vec<(usize, u64)> = held.words().collect();
        assert_eq!(parts, [(0, 3 << 53 | 3 << 3), (1, 3 << 39), (2, 3 << 25), (4, 1 << 44), (4, 1 << 43)]);
        assert_eq!((held.nodes(), held.parts(), Held::of(&nodes).parts()), (10, 5, 8));
        // A node that is named twice is found in whatever parts it comes.
        for twice in [[1, 70, 1], [70, 1, 70], [1, 1, 70]] {
            assert!(recently.held(&twice).words.iter().any(|mask| !mask.is_distinct()), "{twice:?}");
        }
        assert!(recently.held(&[1, 70, 2]).words.iter().all(WordMask::is_distinct));
    }

    #[test]
    fn words_have_the_nodes_of_the_list() {
        assert!(WordMask::split(&[4, 5, 4, 70]).map(|mask| mask.is_distinct()).eq([false, true]));
        for nodes in [vec![], vec![63], vec![64, 65, 3, 2, 130, 0], (60..200).rev().collect()] {
            let words = Held::of(&nodes);
            let mut found: Vec<NodeId> = words
                .words()
                .flat_map(|(word, bits)| {
                    (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| word as u32 * 64 + bit)
                })
                .collect();
            let mut expected = nodes.clone();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}
