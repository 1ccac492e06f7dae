//! Shell scores on an array or a single ring, all of them exactly in one pass.
//!
//! In one dimension the k free nodes nearest to a centre are consecutive in the list of free nodes, and from
//! one centre to the next this window only moves upwards. Sums of distances are differences of prefix sums of
//! positions, so all scores together cost O(free nodes).

use super::greedy::Last;
use super::scores::Centre;
use meshreplay_machine::machine::{Machine, Mesh, NodeId};

/// The free nodes of a machine of one dimension. Memory is kept between calls.
#[derive(Debug, Default)]
pub(super) struct ArrayScores {
    /// The positions of the free nodes, ascending.
    at: Vec<i64>,
    /// `below[i]` is the sum of the first i positions.
    below: Vec<i64>,
    /// The number of positions of the ring; 0 if the dimension does not wrap.
    round: i64,
    /// The dimension of more than one node; 0 if there is none.
    dimension: usize,
}

impl ArrayScores {
    /// Returns whether `mesh` has one dimension, or only one node. Node numbers are positions then.
    pub(super) fn serves(mesh: &Mesh) -> bool {
        mesh.extents().iter().filter(|&&extent| extent > 1).count() <= 1
    }

    /// Lists the free nodes of `machine`, which must be of one dimension.
    pub(super) fn prepare(&mut self, machine: &Machine) {
        let mesh = machine.mesh();
        let d = mesh.extents().iter().position(|&extent| extent > 1).unwrap_or(0);
        self.dimension = d;
        self.round = if mesh.wraps(d) { i64::from(mesh.nodes()) } else { 0 };
        self.at.clear();
        self.at.extend(machine.free().iter().map(i64::from));
        self.below.clear();
        self.below.push(0);
        let mut sum = 0;
        self.below.extend(self.at.iter().map(|at| {
            sum += at;
            sum
        }));
    }

    /// Calls `each` with every free node and its score, in location order. At least `k` nodes must be free.
    pub(super) fn for_each(&self, k: u32, mut each: impl FnMut(Centre)) {
        let (nodes, k) = (self.at.len(), k as usize);
        // A ring is unrolled to three rounds, and the centres are in the second round. No node is in a window
        // twice, because a window has at most the nodes of one round.
        let (first, end) = if self.round > 0 { (nodes, 3 * nodes) } else { (0, nodes) };
        let mut low = 0;
        for (i, &centre) in (first..first + nodes).zip(&self.at) {
            while low + k < end && self.position(low + k) - centre < centre - self.position(low) {
                low += 1;
            }
            let (before, behind) = ((i - low) as i64, (low + k - i) as i64);
            let below = self.sum_below(i);
            let score = centre * before - (below - self.sum_below(low)) + (self.sum_below(low + k) - below)
                - centre * behind;
            each(Centre { score, node: centre as NodeId });
        }
    }

    /// Returns whether `mesh` is an array: it has one dimension, which does not wrap.
    pub(super) fn is_array(mesh: &Mesh) -> bool {
        Self::serves(mesh) && !mesh.wraps_any()
    }

    /// Returns the dimension of the array or ring.
    pub(super) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Returns what the fill of MC1x1 around `centre` takes besides whole shells, in the order of choice,
    /// until it has `k` nodes. `shell` is the shell of the k-th nearest free node, at least 1. Only for
    /// arrays.
    ///
    /// The nodes taken are consecutive in the list of free nodes. Sums of distances to them grow outwards on
    /// both sides, so that only the next free node on either side can be the best.
    pub(super) fn picks(&self, k: u32, centre: u32, shell: usize, last: Last) -> Vec<u32> {
        let (k, centre, shell) = (k as usize, i64::from(centre), shell as i64);
        let mut low = self.at.partition_point(|&at| at <= centre - shell);
        let mut high = self.at.partition_point(|&at| at < centre + shell);
        let mut picks = Vec::new();
        while high - low < k {
            let (nodes, sum) = ((high - low) as i64, self.below[high] - self.below[low]);
            let key = |&at: &i64| ((nodes * at - sum).abs(), (at - centre).abs(), at);
            let may = |at: &i64| last == Last::Nearest || (at - centre).abs() == shell;
            let before = low.checked_sub(1).map(|low| self.at[low]).filter(may);
            let behind = self.at.get(high).copied().filter(may);
            let Some(pick) = before.into_iter().chain(behind).min_by_key(key) else { break };
            if Some(pick) == before {
                low -= 1;
            } else {
                high += 1;
            }
            picks.push(pick as u32);
        }
        picks
    }

    /// Splits an index of the unrolled ring into the rounds from the second one on and the index in a round.
    fn split(&self, i: usize) -> (i64, usize) {
        let nodes = self.at.len();
        match i {
            _ if self.round == 0 => (0, i),
            i if i < nodes => (-1, i),
            i if i < 2 * nodes => (0, i - nodes),
            i => (1, i - 2 * nodes),
        }
    }

    /// Returns the position of the `i`-th node of the unrolled ring, or of the array.
    fn position(&self, i: usize) -> i64 {
        let (rounds, i) = self.split(i);
        self.at[i] + rounds * self.round
    }

    /// Returns the sum of the positions of the first `i` nodes of the unrolled ring, or of the array.
    fn sum_below(&self, i: usize) -> i64 {
        let (rounds, i) = self.split(i);
        let (nodes, all) = (self.at.len() as i64, self.below[self.at.len()]);
        // The sum over the rounds before this one. The first round is one round below the second.
        let before = match rounds {
            -1 => 0,
            0 if self.round == 0 => 0,
            0 => all - nodes * self.round,
            _ => 2 * all - nodes * self.round,
        };
        before + self.below[i] + rounds * self.round * i as i64
    }
}
