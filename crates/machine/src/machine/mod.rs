//! Machines: their shape, their free nodes, and linear orders of their nodes.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a machine has at most 2^24 nodes, so that node numbers, coordinates, sides, sums of three of \
         them and twice those fit 32 bits with a sign; positions are those in lists of nodes, and casts of \
         numbers with fractions clamp"
)]

mod cover;
mod free_counts;
mod free_submeshes;
mod held;
mod intervals;
mod masks;
pub mod mesh;
mod node_lists;
pub mod node_map;
mod node_set;
pub mod order;
pub mod outages;
mod pairwise;
pub mod ring_route;
mod shape;
mod submesh;
pub mod topology;
mod unavailable;

pub use cover::unavailable_submeshes;
pub use free_counts::{FreeCounts, widest};
pub use free_submeshes::FreeSubmeshes;
pub use held::{Held, PLACES, RecentlyHeld};
pub use intervals::{IntervalError, format_intervals, intervals, parse_intervals};
pub use masks::{Around, Mask, Masks, first_members, for_each_member};
pub use mesh::{AutoMachine, Coord, Levels, Mesh, NodeId, UnavailableError};
pub use node_lists::NodeLists;
pub use node_set::{NodeSet, bits_of_word, set_bits};
pub use pairwise::{distances_along, pairwise_along, pairwise_sum, pairwise_sum_at};
pub use shape::{along_axes, even_factors, near_square, powers_of_two, row};
pub use submesh::{Submesh, ranges};
pub use unavailable::{UnavailableTextError, make_unavailable};

use self::held::WordMask;
use meshreplay_base::stop::Stop;

/// A machine in use: its shape and the set of its free nodes. In a replay the engine owns the machine, and
/// only the engine changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    mesh: Mesh,
    free: NodeSet,
    free_count: u32,
    /// The nodes that are down, free or still in use; `None` until a node goes down for the first time.
    down: Option<Box<NodeSet>>,
    stop: Stop,
}

/// The reason why nodes cannot be taken into use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OccupyError {
    /// The node's number is not below the number of nodes.
    #[error("node {0} does not exist")]
    Outside(NodeId),
    /// The node is in use already, or is named twice.
    #[error("node {0} is not free")]
    Busy(NodeId),
}

impl Machine {
    /// Returns a machine of this shape, with every available node free.
    #[inline]
    pub fn new(mesh: Mesh) -> Self {
        let (mut free, free_count) = (NodeSet::full(mesh.nodes()), mesh.available());
        for &(first, last) in mesh.unavailable() {
            for node in first..=last {
                free.remove(node);
            }
        }
        Self { mesh, free, free_count, down: None, stop: Stop::default() }
    }

    /// Returns the same machine with a switch. Long searches on the machine give up once `stop` is thrown.
    #[must_use]
    #[inline]
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// Returns whether the replay was stopped. Long searches poll this and give up; their result is
    /// discarded.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_thrown()
    }

    /// Returns the shape of the machine.
    #[inline]
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns the set of free nodes.
    #[inline]
    pub fn free(&self) -> &NodeSet {
        &self.free
    }

    /// Returns the number of free nodes.
    #[inline]
    pub fn free_count(&self) -> u32 {
        self.free_count
    }

    /// Takes `nodes` into use. The result is an error, and nothing changes, if one of them is in use, is
    /// named twice or does not exist.
    #[inline]
    pub fn occupy(&mut self, nodes: &[NodeId]) -> Result<(), OccupyError> {
        self.occupy_words(nodes, WordMask::split(nodes))
    }

    /// Takes `nodes` into use as [`Self::occupy`] does. `held` is their mask.
    #[inline]
    pub fn occupy_held(&mut self, nodes: &[NodeId], held: &Held) -> Result<(), OccupyError> {
        self.occupy_words(nodes, held.words.iter().copied())
    }

    /// Takes `nodes` into use, given also as `words`.
    fn occupy_words(
        &mut self,
        nodes: &[NodeId],
        words: impl Iterator<Item = WordMask> + Clone,
    ) -> Result<(), OccupyError> {
        for (i, mask) in words.clone().enumerate() {
            if !self.free.remove_word(&mask) {
                // Undo: free the nodes taken by this call.
                for taken in words.take(i) {
                    self.free.insert_word(&taken);
                }
                return Err(self.refusal(nodes));
            }
        }
        self.free_count -= nodes.len() as u32;
        Ok(())
    }

    /// Frees `nodes`, which must be in use. Nodes that are down leave the machine instead.
    ///
    /// # Panics
    /// Panics if one of them is free already. That is a mistake of the caller; no input can cause it.
    #[inline]
    pub fn vacate(&mut self, nodes: &[NodeId]) {
        if let Some(down) = &self.down {
            for &node in nodes.iter().filter(|&&node| !down.contains(node)) {
                assert!(self.free.insert(node), "node {node} is freed twice");
                self.free_count += 1;
            }
            return;
        }
        WordMask::split(nodes).for_each(|mask| self.vacate_word(&mask));
    }

    /// Frees `nodes` as [`Self::vacate`] does. `held` is their mask.
    ///
    /// # Panics
    /// Panics if one of them is free already.
    #[inline]
    pub fn vacate_held(&mut self, nodes: &[NodeId], held: &Held) {
        if self.down.is_some() {
            self.vacate(nodes);
        } else {
            held.words.iter().for_each(|mask| self.vacate_word(mask));
        }
    }

    /// Frees nodes of a word.
    fn vacate_word(&mut self, mask: &WordMask) {
        assert!(self.free.insert_word(mask), "one of nodes {mask:?} is freed twice");
        self.free_count += mask.count;
    }

    /// Takes a node down. If it is in use, it leaves the machine when it is vacated, and otherwise at once.
    /// Nothing changes if it is down already.
    #[inline]
    pub fn take_down(&mut self, node: NodeId) {
        let bound = self.free.bound();
        self.down.get_or_insert_with(|| Box::new(NodeSet::empty(bound))).insert(node);
        self.free_count -= u32::from(self.free.remove(node));
    }

    /// Brings a node up that is down. It is free then, unless it is still in use.
    #[inline]
    pub fn bring_up(&mut self, node: NodeId, is_in_use: bool) {
        let was_down = self.down.as_mut().is_some_and(|down| down.remove(node));
        if was_down && !is_in_use {
            self.free_count += u32::from(self.free.insert(node));
        }
    }

    /// Returns whether a node is down.
    #[inline]
    pub fn is_down(&self, node: NodeId) -> bool {
        self.down.as_ref().is_some_and(|down| down.contains(node))
    }

    /// Returns whether any node is down. O(N/64) once a node has been down.
    #[inline]
    pub fn is_any_down(&self) -> bool {
        self.down.as_ref().is_some_and(|down| down.count() > 0)
    }

    /// Returns the reason why `nodes` cannot be taken into use. It is about the first node that does not
    /// exist, is in use, or was named before.
    fn refusal(&self, nodes: &[NodeId]) -> OccupyError {
        let taken = |&(i, node): &(usize, &NodeId)| !self.free.contains(*node) || nodes[..i].contains(node);
        match nodes.iter().enumerate().find(taken) {
            Some((_, &node)) if node < self.free.bound() => OccupyError::Busy(node),
            Some((_, &node)) => OccupyError::Outside(node),
            None => OccupyError::Outside(self.free.bound()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_are_down_are_not_free() -> Result<(), mesh::MeshError> {
        let mut machine = Machine::new(Mesh::new(&[4, 2])?);
        assert_eq!(machine.occupy(&[0, 1, 2]), Ok(()));
        for node in [2, 3, 4] {
            machine.take_down(node);
        }
        assert_eq!((machine.free_count(), machine.occupy(&[3])), (3, Err(OccupyError::Busy(3))));
        machine.bring_up(3, false);
        // Node 1 goes down and comes up while it is in use, so that it is free with the others. Node 2 is
        // not.
        machine.take_down(1);
        machine.bring_up(1, true);
        machine.vacate(&[0, 1, 2]);
        assert_eq!(machine.free().iter().collect::<Vec<_>>(), [0, 1, 3, 5, 6, 7]);
        assert_eq!((machine.free_count(), machine.is_down(2), machine.is_down(1)), (6, true, false));
        for node in [2, 4] {
            machine.bring_up(node, false);
        }
        assert_eq!(machine.free_count(), 8);
        Ok(())
    }

    #[test]
    fn a_refused_placement_changes_nothing() -> Result<(), mesh::MeshError> {
        let mut machine = Machine::new(Mesh::new(&[4, 2])?);
        assert_eq!(machine.occupy(&[1, 5]), Ok(()));
        let before = machine.clone();
        let held = Held::of(&[6, 2, 3, 7]);
        assert_eq!(machine.occupy_held(&[6, 2, 3, 7], &held), Ok(()));
        assert_eq!(machine.occupy_held(&[6, 2, 3, 7], &held), Err(OccupyError::Busy(6)));
        assert_eq!(machine.free_count(), 2);
        machine.vacate_held(&[6, 2, 3, 7], &held);
        assert_eq!(machine, before);
        assert_eq!(machine.occupy(&[0, 5]), Err(OccupyError::Busy(5)));
        assert_eq!(machine.occupy(&[0, 2, 0]), Err(OccupyError::Busy(0)));
        assert_eq!(machine.occupy(&[3, 8]), Err(OccupyError::Outside(8)));
        assert_eq!(machine, before);
        machine.vacate(&[1, 5]);
        assert_eq!(machine.free_count(), 8);
        Ok(())
    }
}
