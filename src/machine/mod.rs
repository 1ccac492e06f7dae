//! Machines: their shape, their free nodes, and linear orders of their nodes.

mod cover;
mod free_counts;
mod free_submeshes;
mod intervals;
mod masks;
pub mod mesh;
mod node;
mod node_set;
pub mod order;
mod pairwise;
pub mod ring_route;
mod shape;
mod submesh;
mod unavailable;
mod unavailable_text;

pub use cover::unavailable_submeshes;
pub use free_counts::{FreeCounts, widest};
pub use free_submeshes::FreeSubmeshes;
pub use intervals::{IntervalError, format_intervals, intervals, parse_intervals};
pub use masks::{Around, Mask, Masks, first_members, for_each_member};
pub use mesh::{Coord, Mesh, NodeId, UnavailableError};
pub use node_set::NodeSet;
pub use pairwise::{distances_along, pairwise_along, pairwise_sum, pairwise_sum_at};
pub use shape::{along_axes, even_factors, near_square, powers_of_two, row};
pub use submesh::{Submesh, ranges};
pub use unavailable_text::{UnavailableTextError, make_unavailable};

use crate::stop::Stop;

/// A machine in use: its shape and the set of its free nodes. In a replay the engine owns the machine, and only the
/// engine changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    mesh: Mesh,
    free: NodeSet,
    free_count: u32,
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
    pub fn new(mesh: Mesh) -> Self {
        let (mut free, free_count) = (NodeSet::full(mesh.nodes()), mesh.available());
        for &(first, last) in mesh.unavailable() {
            for node in first..=last {
                free.remove(node);
            }
        }
        Self { mesh, free, free_count, stop: Stop::default() }
    }

    /// Returns the same machine with a switch. Long searches on the machine give up once `stop` is thrown.
    #[must_use]
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// Returns whether the replay was stopped. Long searches ask this now and then and give up; their result is not
    /// used any more.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_thrown()
    }

    /// Returns the shape of the machine.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns the set of free nodes.
    pub fn free(&self) -> &NodeSet {
        &self.free
    }

    /// Returns the number of free nodes.
    pub fn free_count(&self) -> u32 {
        self.free_count
    }

    /// Takes `nodes` into use. The result is an error, and nothing changes, if one of them is in use, is named twice or
    /// does not exist.
    pub fn occupy(&mut self, nodes: &[NodeId]) -> Result<(), OccupyError> {
        let mut taken = 0;
        for run in runs(nodes) {
            if !self.free.remove_run(run) {
                // Undo: the nodes that were taken so far are free again.
                for &node in &nodes[..taken] {
                    self.free.insert(node);
                }
                return Err(self.refusal(nodes));
            }
            taken += run.len();
        }
        self.free_count -= nodes.len() as u32;
        Ok(())
    }

    /// Frees `nodes`, which must be in use.
    ///
    /// # Panics
    /// Panics if one of them is free already. That is a mistake of the caller; no input can cause it.
    pub fn vacate(&mut self, nodes: &[NodeId]) {
        for run in runs(nodes) {
            assert!(self.free.insert_run(run), "one of nodes {run:?} is freed twice");
        }
        self.free_count += nodes.len() as u32;
    }

    /// Returns the reason why `nodes` cannot be taken into use. It is about the first node that does not exist, is in
    /// use, or was named before.
    fn refusal(&self, nodes: &[NodeId]) -> OccupyError {
        let taken = |&(i, node): &(usize, &NodeId)| !self.free.contains(*node) || nodes[..i].contains(node);
        match nodes.iter().enumerate().find(taken) {
            Some((_, &node)) if node < self.free.bound() => OccupyError::Busy(node),
            Some((_, &node)) => OccupyError::Outside(node),
            None => OccupyError::Outside(self.free.bound()),
        }
    }
}

/// Splits a list of nodes into runs that lie in one word of a node set, so that each run costs one operation.
fn runs(nodes: &[NodeId]) -> impl Iterator<Item = &[NodeId]> {
    nodes.chunk_by(|a, b| a / 64 == b / 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_placement_changes_nothing() -> Result<(), mesh::MeshError> {
        let mut machine = Machine::new(Mesh::new(&[4, 2])?);
        assert_eq!(machine.occupy(&[1, 5]), Ok(()));
        let before = machine.clone();
        assert_eq!(machine.occupy(&[0, 5]), Err(OccupyError::Busy(5)));
        assert_eq!(machine.occupy(&[0, 2, 0]), Err(OccupyError::Busy(0)));
        assert_eq!(machine.occupy(&[3, 8]), Err(OccupyError::Outside(8)));
        assert_eq!(machine, before);
        machine.vacate(&[1, 5]);
        assert_eq!(machine.free_count(), 8);
        Ok(())
    }
}
