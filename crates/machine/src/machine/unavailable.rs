//! The nodes of a machine that no job can have: service nodes, or nodes with a defect.

use std::fmt;
use std::sync::Arc;

use super::NodeId;

/// The nodes of a machine that no job can have, as intervals of node numbers. A machine without such nodes
/// keeps no list, so that it costs nothing to copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unavailable(Option<Arc<List>>);

/// The intervals, ascending and as long as possible, and how many nodes they have in all.
#[derive(Debug, PartialEq, Eq)]
struct List {
    runs: Vec<(NodeId, NodeId)>,
    count: u32,
}

/// The reason why nodes cannot be made unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableError {
    /// The machine has no such node.
    Outside {
        /// The number of the node.
        node: NodeId,
        /// The number of nodes of the machine.
        nodes: u32,
    },
    /// The node is named twice.
    Twice(NodeId),
    /// No node is left.
    All(u32),
}

impl UnavailableError {
    /// Returns in words what is wrong.
    pub(super) fn problem(&self) -> String {
        match self {
            Self::Outside { node, .. } => format!("unavailable node {node} is outside the machine"),
            Self::Twice(node) => format!("node {node} is made unavailable twice"),
            Self::All(nodes) => format!("all {nodes} nodes are unavailable"),
        }
    }

    /// Returns in words what was expected instead.
    pub(super) fn expected(&self) -> String {
        match self {
            Self::Outside { nodes, .. } => format!("nodes from 0 to {}", nodes - 1),
            Self::Twice(_) => "each node once".to_owned(),
            Self::All(_) => "at least one node that jobs can have".to_owned(),
        }
    }
}

impl fmt::Display for UnavailableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; expected {}", self.problem(), self.expected())
    }
}

impl std::error::Error for UnavailableError {}

impl Unavailable {
    /// Returns the list of `runs`, each given by its first and its last node, on a machine of `nodes` nodes.
    /// The runs may come in any order. Fails as [`UnavailableError`] says.
    pub(super) fn new(mut runs: Vec<(NodeId, NodeId)>, nodes: u32) -> Result<Self, UnavailableError> {
        runs.sort_unstable();
        if let Some(&(first, last)) = runs.iter().find(|(_, last)| *last >= nodes) {
            return Err(UnavailableError::Outside { node: first.max(nodes.min(last)), nodes });
        }
        if let Some(pair) = runs.windows(2).find(|pair| pair[0].1 >= pair[1].0) {
            return Err(UnavailableError::Twice(pair[1].0));
        }
        let count = runs.iter().map(|(first, last)| last - first + 1).sum();
        if count == nodes {
            return Err(UnavailableError::All(nodes));
        }
        // Runs without a node between them become one, so that every set of nodes has one spelling.
        runs.dedup_by(|next, run| {
            let joins = run.1 + 1 == next.0;
            if joins {
                run.1 = next.1;
            }
            joins
        });
        Ok(Self((count > 0).then(|| Arc::new(List { runs, count }))))
    }

    /// Returns the intervals as their first and last nodes, ascending; empty if every node is available.
    pub(super) fn runs(&self) -> &[(NodeId, NodeId)] {
        self.0.as_ref().map_or(&[], |list| &list.runs)
    }

    /// Returns the number of unavailable nodes.
    pub(super) fn count(&self) -> u32 {
        self.0.as_ref().map_or(0, |list| list.count)
    }

    /// Returns whether `node` is unavailable. O(log r) for r intervals.
    pub(super) fn contains(&self, node: NodeId) -> bool {
        let runs = self.runs();
        let at = runs.partition_point(|(_, last)| *last < node);
        runs.get(at).is_some_and(|(first, _)| *first <= node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_one_spelling() -> Result<(), UnavailableError> {
        let same = [vec![(4, 4), (0, 1), (2, 3), (7, 7)], vec![(0, 4), (7, 7)], vec![(7, 7), (0, 4)]];
        for runs in same {
            let found = Unavailable::new(runs, 9)?;
            assert_eq!((found.runs(), found.count()), (&[(0, 4), (7, 7)][..], 6));
            let members: Vec<NodeId> = (0..12).filter(|&node| found.contains(node)).collect();
            assert_eq!(members, [0, 1, 2, 3, 4, 7]);
        }
        assert_eq!(Unavailable::new(Vec::new(), 9)?, Unavailable::default());
        Ok(())
    }

    #[test]
    fn wrong_sets_are_named() {
        for (runs, error) in [
            (vec![(3, 9)], UnavailableError::Outside { node: 9, nodes: 9 }),
            (vec![(12, 14)], UnavailableError::Outside { node: 12, nodes: 9 }),
            (vec![(5, 6), (0, 5)], UnavailableError::Twice(5)),
            (vec![(2, 2), (2, 2)], UnavailableError::Twice(2)),
            (vec![(0, 3), (4, 8)], UnavailableError::All(9)),
        ] {
            assert_eq!(Unavailable::new(runs, 9), Err(error));
        }
    }
}
