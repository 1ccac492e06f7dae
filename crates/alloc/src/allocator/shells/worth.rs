//! What a fill is worth so far, by which it is given up as soon as it cannot win any more.

use meshreplay_machine::machine::{Coord, Mesh};

/// What the nodes that a fill has taken so far are worth; the smallest worth wins.
pub(super) trait Worth {
    /// What a fill is worth in the end.
    type Total;

    /// Adds the node that the fill takes next besides whole shells. Returns whether the fill can still be of
    /// use.
    fn add(&mut self, mesh: &Mesh, pick: Coord) -> bool;

    /// Returns what the fill is worth once it has all its nodes.
    fn total(&self) -> Self::Total;
}

/// The score of MC1x1: the sum of L∞ distances from the centre to the nodes taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Score {
    pub(super) centre: Coord,
    /// The shell of the k-th nearest free node.
    pub(super) shell: usize,
    /// The sum as if all nodes that are still to be taken were in this shell.
    pub(super) sum: i64,
    /// The largest sum that is of use.
    pub(super) limit: i64,
}

impl Worth for Score {
    type Total = i64;

    #[inline]
    fn add(&mut self, mesh: &Mesh, pick: Coord) -> bool {
        self.sum += i64::from(mesh.l_inf(self.centre, pick)) - self.shell as i64;
        self.sum <= self.limit
    }

    fn total(&self) -> i64 {
        self.sum
    }
}
