//! The nodes that jobs had according to a log, as nodes of one machine.

use super::NodeId;
use super::node_set::NodeSet;

/// Lists of nodes of one machine. They have the numbers that the log gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeLists {
    /// The nodes of list n are entry n; none if there is no such list.
    lists: Vec<Vec<NodeId>>,
}

impl NodeLists {
    /// Returns the lists of `numbered`, each with its number. A node that a list has twice counts once, at
    /// its first place.
    pub fn new(numbered: impl IntoIterator<Item = (u32, Vec<NodeId>)>) -> Self {
        let mut lists = Vec::new();
        for (number, mut nodes) in numbered {
            let bound = nodes.iter().max().map_or(0, |&node| node + 1);
            let mut unseen = NodeSet::full(bound);
            nodes.retain(|&node| unseen.remove(node));
            let at = number as usize;
            if lists.len() <= at {
                lists.resize(at + 1, Vec::new());
            }
            lists[at] = nodes;
        }
        Self { lists }
    }

    /// Returns the nodes of the list with this number, each once; none if there is no such list.
    pub fn nodes(&self, number: Option<u32>) -> &[NodeId] {
        number.and_then(|number| self.lists.get(number as usize)).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_numbers_and_every_node_once() {
        let lists = NodeLists::new([(3, vec![5, 2, 5]), (1, vec![0])]);
        assert_eq!([0, 1, 2, 3, 4].map(|number| lists.nodes(Some(number)).len()), [0, 1, 0, 2, 0]);
        assert_eq!((lists.nodes(Some(3)), lists.nodes(None)), (&[5, 2][..], &[][..]));
    }
}
