//! The nodes of a job in the form in which a machine takes and frees them: words of a bitset.
//!
//! Jobs often get just the nodes that an earlier job had: on LANL-CM5 nine of ten do with `hilbert+bf` and
//! `mbs`, and every third one does even with `random`. So the form of recent placements is remembered, and
//! what is measured of them can be found again by it.

use std::sync::Arc;

use smallvec::SmallVec;

use super::NodeId;

/// The number of placements that are remembered. A new one takes the place of another one.
pub const PLACES: usize = 1024;
/// The sizes of placements that are remembered. Smaller ones are split as fast, and larger ones would need
/// more than 40 MB together: 8 for the lists of nodes, and 32 for their parts where each node is one.
const SIZES: std::ops::RangeInclusive<usize> = 8..=2048;

/// So many words lie in the form itself. Most jobs are small, and a second piece of memory takes as long as
/// the first.
const FEW: usize = 4;

/// Nodes that follow each other in a list and lie in one word of a set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OfWord {
    /// The index of the word.
    pub(super) word: u32,
    /// The number of nodes in the list.
    pub(super) count: u32,
    /// The bits of the nodes in the word; 0 if a node is named twice.
    pub(super) bits: u64,
}

impl OfWord {
    /// Splits a list of nodes into the parts that lie in one word of a set, so that each part costs one
    /// operation.
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

    /// Adds another part of the list that lies in the same word.
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

/// The nodes of a placement, as a machine takes and frees them. They are shared by all placements of just
/// these nodes that are remembered.
#[derive(Clone, Debug, Default)]
pub struct Held {
    pub(super) words: SmallVec<[OfWord; FEW]>,
    place: Option<usize>,
}

impl Held {
    /// Returns the form of a list of nodes.
    #[inline]
    pub fn of(nodes: &[NodeId]) -> Arc<Self> {
        Arc::new(Self { words: OfWord::split(nodes).collect(), place: None })
    }

    /// Returns words of a set of nodes with the bits of the nodes in them, see
    /// [`NodeSet::words`](super::NodeSet::words). A word may come several times in a form that is not of
    /// [`RecentlyHeld`].
    #[inline]
    pub fn words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.words.iter().map(|of_word| (of_word.word as usize, of_word.bits))
    }

    /// Returns the number of nodes. O(words).
    #[inline]
    pub fn nodes(&self) -> u32 {
        self.words.iter().map(|of_word| of_word.count).sum()
    }

    /// Returns the number of parts of the list that lie in one word each.
    #[inline]
    pub fn parts(&self) -> usize {
        self.words.len()
    }

    /// Returns the place among [`PLACES`] at which the placement is remembered; `None` if it is not.
    #[inline]
    pub fn place(&self) -> Option<usize> {
        self.place
    }
}

/// The forms of recent placements.
#[derive(Debug)]
pub struct RecentlyHeld {
    /// One for each place; no nodes where nothing is remembered yet. Empty before the first placement.
    places: Vec<(Vec<NodeId>, Arc<Held>)>,
    /// Room for the words of a placement while they are gathered.
    words: Vec<OfWord>,
    /// For each word of a set of the machine's nodes its number in `words`, counted from 1; 0 if it is not
    /// there. All are 0 between calls.
    numbers: Vec<u32>,
}

impl RecentlyHeld {
    /// Remembers nothing yet, for a machine of so many nodes.
    #[inline]
    pub fn new(nodes: u32) -> Self {
        Self { places: Vec::new(), words: Vec::new(), numbers: vec![0; nodes.div_ceil(64) as usize] }
    }

    /// Returns the form of a list of nodes: the same one as before if it is remembered. O(k) for k nodes, as
    /// all nodes are compared.
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

    /// Returns the form of a list of nodes, in memory of just its size. Each word comes once: curves and
    /// lists by columns leave a word and come back to it, and each further part would cost an operation
    /// whenever nodes are taken, freed or measured.
    fn form(&mut self, nodes: &[NodeId], place: Option<usize>) -> Arc<Held> {
        self.words.clear();
        for part in OfWord::split(nodes) {
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
        for of_word in &self.words {
            if let Some(number) = self.numbers.get_mut(of_word.word as usize) {
                *number = 0;
            }
        }
        Arc::new(Held { words: SmallVec::from_slice(&self.words), place })
    }
}

/// Returns the place of a placement, by its size and some of its nodes; `None` if placements of its size are
/// not remembered.
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
        // These have the same place, as they differ in other nodes than those that it depends on.
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
            assert!(recently.held(&twice).words.iter().any(|of_word| !of_word.is_distinct()), "{twice:?}");
        }
        assert!(recently.held(&[1, 70, 2]).words.iter().all(OfWord::is_distinct));
    }

    #[test]
    fn words_have_the_nodes_of_the_list() {
        assert!(OfWord::split(&[4, 5, 4, 70]).map(|of_word| of_word.is_distinct()).eq([false, true]));
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
