//! Reads lists of nodes as Slurm writes them, such as `node[001-004,007]` or `rack[1-2]n[0-7],login1`.
//!
//! Lists stay compact: `n[0-99999]` takes a few bytes, and names are generated on demand.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a list has at most 2^32 names, numbers of at most 18 digits, and each range ends at or after \
         its beginning; at most 2^24 nodes are numbered; numbers in brackets that index a table are below \
         2^20"
)]

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::names::{self, NameKind};
use meshreplay_base::words::excerpt;

/// A list of nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeList {
    patterns: Vec<Pattern>,
}

/// A comma-separated item: text and brackets with ranges, alternating.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    parts: Vec<Part>,
    /// The number of names, that is, the product over all brackets.
    names: u64,
}

/// A piece of text and the bracket behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    text: String,
    /// Ranges in the bracket; empty without a bracket.
    ranges: Vec<Range>,
    /// Numbers in all ranges; 1 without a bracket.
    numbers: u64,
}

/// The numbers from `first` to `last`, written with at least `width` digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) width: usize,
}

/// Names of a list that differ in one number only, or names without brackets.
pub(super) enum Names<'a> {
    /// A text, the ranges of numbers behind it, and the text behind these.
    Numbered(&'a str, &'a [Range], &'a str),
    /// Any other names.
    Others(Box<dyn Iterator<Item = String> + 'a>),
}

/// A malformed node list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node list '{list}': {problem}; expected names such as node[001-004,007],login1")]
pub struct NodeListError {
    /// The text, shortened.
    list: String,
    problem: &'static str,
}

/// The greatest number of names that brackets may stand for.
const MOST_NAMES: u64 = 1 << 32;

/// The texts that accounting writes where a job has no nodes.
pub(crate) const NO_NODES: [&str; 5] = ["", "(null)", "None assigned", "None", "Unknown"];

impl NodeList {
    /// Reads a list. What Slurm writes for jobs without nodes, such as `None assigned`, is the empty list.
    /// The result is an error if brackets or ranges are malformed. O(length of the text), however many names
    /// it stands for.
    pub fn parse(text: &str) -> Result<Self, NodeListError> {
        let text = text.trim();
        if NO_NODES.contains(&text) {
            return Ok(Self::default());
        }
        let error = |problem| NodeListError { list: excerpt(text), problem };
        let spelt = respelt(text);
        let text = spelt.as_deref().unwrap_or(text);
        let patterns = patterns_of(text).and_then(|texts| texts.into_iter().map(Pattern::parse).collect());
        Ok(Self { patterns: patterns.map_err(error)? })
    }

    /// Returns the number of names.
    pub fn count(&self) -> u64 {
        self.patterns.iter().fold(0, |sum, pattern| sum.saturating_add(pattern.names))
    }

    /// Returns the names by pattern; patterns with one bracket stay ranges.
    fn patterns(&self) -> impl Iterator<Item = Names<'_>> {
        self.patterns.iter().map(|pattern| match pattern.parts.as_slice() {
            [before, after] => Names::Numbered(&before.text, &before.ranges, &after.text),
            _ => Names::Others(Box::new((0..pattern.names).map(|at| pattern.name(at)))),
        })
    }

    /// Generates the names in the order of the list, repetitions included. Of several brackets the last one
    /// varies fastest.
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.patterns.iter().flat_map(|pattern| (0..pattern.names).map(|at| pattern.name(at)))
    }
}

/// Returns a list of another program as Slurm spells it: intervals of numbers as Batsim writes them, such as
/// `0 4-6`, and lists of Python, such as `['n1', 'n2']`. `None` for all other texts.
fn respelt(text: &str) -> Option<String> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_range = |item: &str| item.split_once('-').is_some_and(|(a, b)| is_number(a) && is_number(b));
    if let Some(items) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        let unquoted = |item: &'_ str| -> Option<String> {
            let item = item.trim();
            let inner =
                ['\'', '"'].into_iter().find_map(|quote| item.strip_prefix(quote)?.strip_suffix(quote));
            inner.or(Some(item).filter(|item| is_number(item))).map(str::to_owned)
        };
        // Slurm's `[1,2]` has neither quotes nor blanks.
        let is_of_python = items.contains([' ', '\'', '"']);
        return is_of_python
            .then(|| items.split(',').map(unquoted).collect::<Option<Vec<_>>>())?
            .map(|names| names.join(","));
    }
    let items: Vec<&str> = text.split([' ', ',']).collect();
    let are_numbers = items.iter().all(|item| is_number(item) || is_range(item));
    let has_intervals = text.contains(' ') || items.iter().any(|item| is_range(item));
    (are_numbers && has_intervals).then(|| format!("[{}]", items.join(",")))
}

/// Splits a list at its commas outside of brackets.
fn patterns_of(text: &str) -> Result<Vec<&str>, &'static str> {
    let (mut patterns, mut start, mut is_inside) = (Vec::new(), 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' if is_inside => return Err("a bracket within a bracket"),
            b']' if !is_inside => return Err("a closing bracket without an opening one"),
            b'[' | b']' => is_inside = byte == b'[',
            b',' if !is_inside => {
                patterns.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if is_inside {
        return Err("a bracket is not closed");
    }
    patterns.push(&text[start..]);
    Ok(patterns)
}

impl Pattern {
    /// Parses a name with balanced brackets.
    fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err("a name is empty");
        }
        if text.contains(|c: char| c.is_whitespace() || c == '|') {
            return Err("a blank or a bar in a name");
        }
        let (mut parts, mut rest, mut names) = (Vec::new(), text, 1_u64);
        while let Some((before, after)) = rest.split_once('[') {
            let (inside, after) = after.split_once(']').unwrap_or((after, ""));
            let ranges = inside.split(',').map(Range::parse).collect::<Result<Vec<_>, _>>()?;
            let numbers = ranges.iter().fold(0_u64, |sum, range| sum.saturating_add(range.count()));
            names = names
                .checked_mul(numbers)
                .filter(|&names| names <= MOST_NAMES)
                .ok_or("more than 2^32 names")?;
            parts.push(Part { text: before.to_owned(), ranges, numbers });
            rest = after;
        }
        parts.push(Part { text: rest.to_owned(), ranges: Vec::new(), numbers: 1 });
        Ok(Self { parts, names })
    }

    /// Returns name number `at`, from 0. The number is read in mixed radix: each bracket is a digit, the last
    /// one the lowest.
    fn name(&self, at: u64) -> String {
        let (mut above, mut rest, mut name) = (self.names, at, String::new());
        for part in &self.parts {
            name.push_str(&part.text);
            above /= part.numbers;
            let mut digit = rest / above;
            rest %= above;
            for range in &part.ranges {
                if digit < range.count() {
                    let (number, width) = (range.first + digit, range.width);
                    // Writing to memory cannot fail.
                    let _ = write!(name, "{number:0width$}");
                    break;
                }
                digit -= range.count();
            }
        }
        name
    }
}

impl Range {
    /// Reads `7` or `001-004`.
    fn parse(text: &str) -> Result<Self, &'static str> {
        let number = |digits: &str| -> Result<u64, &'static str> {
            let is_number =
                (1..=18).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
            let parsed = digits.parse().ok().filter(|_| is_number);
            parsed.ok_or("a bracket with something else than numbers and ranges of them")
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let range = Self { first: number(first)?, last: number(last)?, width: first.len() };
        if range.first > range.last { Err("a range that runs backwards") } else { Ok(range) }
    }

    /// Returns the number of numbers.
    fn count(self) -> u64 {
        self.last - self.first + 1
    }
}

// Numbers the nodes that the lists of a log name, from 0 in the order of first appearance.
//
// Each name is formatted once. Names with one bracket are then found by their number in a table per prefix,
// so a list of k nodes costs about k table lookups.

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

    /// Parses a list, and caches its nodes if there is room.
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
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str) -> Vec<String> {
        NodeList::parse(text).map(|list| list.names().collect()).unwrap_or_default()
    }

    #[test]
    fn names_are_spelt_out_in_order() {
        for (text, expected) in [
            ("node1", "node1"),
            ("node[1-3]", "node1 node2 node3"),
            ("node[001-003,7]", "node001 node002 node003 node7"),
            ("n[098-101]", "n098 n099 n100 n101"),
            ("r[1-2]n[0-1]", "r1n0 r1n1 r2n0 r2n1"),
            (
                "r[1-2,5]n[00,03]-ib,login,gpu[9-11]",
                "r1n00-ib r1n03-ib r2n00-ib r2n03-ib r5n00-ib r5n03-ib login gpu9 gpu10 gpu11",
            ),
            ("[1-2]", "1 2"),
            ("a,b,a", "a b a"),
            ("0 4-6", "0 4 5 6"),
            ("1-2", "1 2"),
            ("3,8-9", "3 8 9"),
            ("7", "7"),
            ("['n1', 'n2']", "n1 n2"),
            ("[\"a\",\"b\"]", "a b"),
            ("[4, 7]", "4 7"),
            ("a-1,2-b", "a-1 2-b"),
        ] {
            assert_eq!(names(text).join(" "), expected, "{text}");
            assert_eq!(NodeList::parse(text).map(|list| list.count()), Ok(names(text).len() as u64));
        }
        for text in ["", "None assigned", "(null)", "Unknown"] {
            assert_eq!(NodeList::parse(text), Ok(NodeList::default()), "{text}");
        }
    }

    #[test]
    fn long_lists_are_not_spelt_out() {
        let list = NodeList::parse("n[0-9999]c[0-999]x[0-99]").expect("a list");
        assert_eq!(list.count(), 1_000_000_000);
        assert_eq!(list.names().nth(123).as_deref(), Some("n0c1x23"));
    }

    #[test]
    fn malformed_lists_say_what_was_expected() {
        for (text, problem) in [
            ("n[1-3", "a bracket is not closed"),
            ("n1-3]", "a closing bracket without"),
            ("n[1[2]]", "a bracket within a bracket"),
            ("n[3-1]", "a range that runs backwards"),
            ("n[]", "something else than numbers"),
            ("n[1-]", "something else than numbers"),
            ("n[a-c]", "something else than numbers"),
            ("n[1-2-3]", "something else than numbers"),
            ("n[9999999999999999999]", "something else than numbers"),
            ("n[0-99999]c[0-99999]", "more than 2^32 names"),
            ("n1,,n2", "a name is empty"),
            ("n1, n2", "a blank or a bar"),
        ] {
            let error = NodeList::parse(text).expect_err(text).to_string();
            assert!(error.contains(problem) && error.contains("expected names such as"), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn spelt_out_names_are_a_list_of_themselves(
            prefixes in proptest::collection::vec(
                ("[a-z]{1,3}", proptest::collection::vec((0_u64..2000, 0_u64..5, 0_usize..5), 1..4)),
                1..4,
            ),
        ) {
            let (mut text, mut expected) = (Vec::new(), Vec::new());
            for (prefix, ranges) in &prefixes {
                let ranges: Vec<String> = ranges.iter().map(|&(first, more, width)| {
                    for number in first..=first + more {
                        expected.push(format!("{prefix}{number:0width$}"));
                    }
                    format!("{first:0width$}-{:0width$}", first + more)
                }).collect();
                text.push(format!("{prefix}[{}]", ranges.join(",")));
            }
            // A width below the length of the first number is that length: 9-11 is 9, 10, 11.
            let spelt = names(&text.join(","));
            prop_assert_eq!(&spelt, &expected);
            prop_assert_eq!(names(&spelt.join(",")), expected);
        }

        #[test]
        fn no_text_panics(text in "[a-c0-9,\\[\\]-]{0,20}") {
            if let Ok(list) = NodeList::parse(&text) {
                prop_assert_eq!(list.names().take(1000).count() as u64, list.count().min(1000));
            }
        }
    }

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
