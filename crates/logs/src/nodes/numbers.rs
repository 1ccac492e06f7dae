//! Numbers the nodes that the lists of a log name, from 0 in the order of first appearance.
//!
//! A name is spelt out once. After that, names with one bracket are found by their number in a table of their
//! prefix, so that a list of k nodes costs about k table lookups.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "at most 2^24 nodes are numbered; numbers in brackets that index a table are below 2^20"
)]

use std::collections::HashMap;

use super::list::{Names, NodeList, Range};
use crate::names::{self, NameKind};

/// The most nodes that are numbered, as many as a machine can have.
const MOST_NODES: usize = 1 << 24;

/// Numbers in brackets up to here have a table.
const MOST_IN_TABLE: u64 = 1 << 20;

/// The most numbers of nodes that are kept, 64 MB. Further lists are parsed whenever they are asked for.
pub(super) const MOST_KEPT: usize = 1 << 24;

/// The mark of a number without a node in a table.
const NONE: u32 = u32::MAX;

/// The nodes of the lists of a log, by number.
pub(super) struct NodeNumbers<'a> {
    names: &'a names::Names,
    by_name: HashMap<String, u32>,
    /// For the text before and behind a bracket and the number of digits in it: the nodes by the number in
    /// the bracket.
    tables: HashMap<(String, usize), Vec<u32>>,
    /// Nodes of the cached lists, concatenated; `places` has the range of each list.
    kept: Vec<u32>,
    most_kept: usize,
    places: Vec<Option<(u32, u32)>>,
    /// The nodes of the last list that is not kept.
    last: Vec<u32>,
    /// The number of lists that were parsed, and the last of them that has each node, so that a name that a
    /// list has twice counts once.
    parses: u64,
    stamps: Vec<u64>,
    is_too_large: bool,
}

impl<'a> NodeNumbers<'a> {
    /// Begins with the lists of a log. At most `most_kept` numbers of nodes are kept.
    pub(super) fn new(names: &'a names::Names, most_kept: usize) -> Self {
        Self {
            names,
            by_name: HashMap::new(),
            tables: HashMap::new(),
            kept: Vec::new(),
            most_kept,
            places: vec![None; names.count(NameKind::Nodes) + 1],
            last: Vec::new(),
            parses: 0,
            stamps: Vec::new(),
            is_too_large: false,
        }
    }

    /// Returns whether the lists name more nodes than any machine has. Then lists are empty from there on.
    pub(super) fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    /// Returns the nodes of a list, each once; none if the list is malformed. Number 0 stands for no list.
    pub(super) fn nodes(&mut self, list: u32) -> &[u32] {
        match self.places.get(list as usize).copied().flatten() {
            Some((from, to)) => &self.kept[from as usize..to as usize],
            None => self.parsed(list),
        }
    }

    /// Parses a list, and keeps its nodes if there is room.
    fn parsed(&mut self, list: u32) -> &[u32] {
        self.last.clear();
        self.parses += 1;
        let text = self.names.name(NameKind::Nodes, i64::from(list)).unwrap_or_default();
        if let Ok(parsed) = NodeList::parse(&text) {
            let room = MOST_NODES.saturating_sub(self.by_name.len()) as u64;
            self.is_too_large |= parsed.count() > room && self.news(&parsed) > room;
            if !self.is_too_large {
                self.add(&parsed);
            }
        }
        let from = self.kept.len();
        if from + self.last.len() > self.most_kept {
            return &self.last;
        }
        self.kept.extend(&self.last);
        self.places[list as usize] = Some((from as u32, self.kept.len() as u32));
        &self.kept[from..]
    }

    /// Returns how many names of a list have no number yet, or the length of a list that is longer than any
    /// machine.
    fn news(&self, list: &NodeList) -> u64 {
        if list.count() > MOST_NODES as u64 {
            return list.count();
        }
        list.names().filter(|name| !self.by_name.contains_key(name)).count() as u64
    }

    /// Adds the nodes of a list to `last`.
    fn add(&mut self, list: &NodeList) {
        for names in list.patterns() {
            match names {
                Names::Numbered(before, ranges, after) => {
                    for &range in ranges {
                        self.add_range(before, range, after);
                    }
                }
                Names::Others(names) => {
                    for name in names {
                        let node = number_of(&mut self.by_name, name);
                        self.push(node);
                    }
                }
            }
        }
    }

    /// Adds the nodes of a range of numbers between two texts.
    fn add_range(&mut self, before: &str, range: Range, after: &str) {
        let Range { first: mut from, last, width } = range;
        let name = |at: u64| format!("{before}{at:0width$}{after}");
        while from <= last {
            // Numbers of as many digits as the first one.
            let digits = (from.checked_ilog10().unwrap_or(0) as usize + 1).max(width);
            let end = last.min(10_u64.pow(digits as u32) - 1);
            // No name has a bracket, so that the key has both texts.
            let table = self.tables.entry((format!("{before}[{after}"), digits)).or_default();
            let mut table = std::mem::take(table);
            for at in from..=end {
                let node = if at < MOST_IN_TABLE {
                    self.in_table(&mut table, at, name)
                } else {
                    number_of(&mut self.by_name, name(at))
                };
                self.push(node);
            }
            self.tables.insert((format!("{before}[{after}"), digits), table);
            from = end + 1;
        }
    }

    /// Returns the node with this number in its name, which `name` spells out.
    fn in_table(&mut self, table: &mut Vec<u32>, at: u64, name: impl Fn(u64) -> String) -> u32 {
        let place = at as usize;
        if table.len() <= place {
            table.resize(place + 1, NONE);
        }
        if table[place] == NONE {
            table[place] = number_of(&mut self.by_name, name(at));
        }
        table[place]
    }

    /// Adds a node to the last list, unless that has it.
    fn push(&mut self, node: u32) {
        let place = node as usize;
        if self.stamps.len() <= place {
            self.stamps.resize(place + 1, 0);
        }
        if self.stamps[place] != self.parses {
            self.stamps[place] = self.parses;
            self.last.push(node);
        }
    }
}

/// Returns the number of a name. A new name gets the next number.
fn number_of(by_name: &mut HashMap<String, u32>, name: String) -> u32 {
    let next = by_name.len() as u32;
    *by_name.entry(name).or_insert(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists in any spelling have the nodes of their names, however often they are asked for, whether they
    /// are kept or not.
    #[test]
    fn lists_have_the_nodes_of_their_names() {
        let lists = [
            "n1",
            "n[1-12]",
            "n[01-12]",
            "n01",
            "a[9-11]-ib,n3,n3",
            "a10-ib",
            "r[1-2]n[0-3]",
            "r1n[2-3],r2n0",
            "x[1048575-1048577]",
            "x1048576",
            "n[1-1",
            "",
        ];
        let mut names = names::Names::default();
        let numbers: Vec<u32> = lists.iter().filter_map(|list| names.nodes(list.as_bytes())).collect();
        let mut nodes = NodeNumbers::new(&names, 64);
        let mut known: Vec<String> = Vec::new();
        for _ in 0..3 {
            for (text, &number) in lists.iter().zip(&numbers) {
                let mut expected = Vec::new();
                for name in NodeList::parse(text).iter().flat_map(NodeList::names) {
                    let at = known.iter().position(|other| *other == name).unwrap_or_else(|| {
                        known.push(name);
                        known.len() - 1
                    });
                    if !expected.contains(&(at as u32)) {
                        expected.push(at as u32);
                    }
                }
                assert_eq!(nodes.nodes(number), expected, "{text}");
            }
        }
        assert_eq!(nodes.by_name.len(), known.len());
        assert!(nodes.nodes(0).is_empty() && !nodes.is_too_large());
    }

    #[test]
    fn more_nodes_than_a_machine_has_are_not_spelt_out() {
        let mut names = names::Names::default();
        let lists =
            ["n[0-99999]c[0-9999]", "n1"].map(|list| names.nodes(list.as_bytes()).unwrap_or_default());
        let mut nodes = NodeNumbers::new(&names, MOST_KEPT);
        assert!(lists.iter().all(|&list| nodes.nodes(list).is_empty()));
        assert!(nodes.is_too_large());
    }
}
