//! Replaces names by numbers: users, groups, applications, queues, partitions and lists of nodes.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "names and jobs are numbered one by one in memory, fewer than 2^60; an hour of the week is \
         below 168"
)]

mod log_names;
mod partitions;

pub use log_names::LogNames;
pub(crate) use partitions::PartitionFilter;
pub use partitions::{ALL_PARTITIONS, PartitionChoice, Partitions, no_such_partition};

use std::borrow::Cow;
use std::collections::HashMap;

/// The kinds of names in a log. Each kind is numbered by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// Users, field 12.
    User,
    /// Groups or accounts, field 13.
    Group,
    /// Applications, field 14.
    Executable,
    /// Queues or qualities of service, field 15.
    Queue,
    /// Partitions, field 16.
    Partition,
    /// Reasons to wait, as Slurm calls them.
    Reason,
    /// Lists of the nodes of a job, such as `n[1-4,7]`, as the log spells them.
    Nodes,
}

/// Every kind in the order of the enum, with its name in one word and in the plural, and its key in headers.
const KINDS: [(NameKind, &str, &str, Option<&str>); 7] = [
    (NameKind::User, "user", "users", Some("User")),
    (NameKind::Group, "group", "groups", Some("Group")),
    (NameKind::Executable, "application", "applications", Some("Executable")),
    (NameKind::Queue, "queue", "queues", Some("Queue")),
    (NameKind::Partition, "partition", "partitions", Some("Partition")),
    (NameKind::Reason, "reason", "reasons", None),
    (NameKind::Nodes, "nodes", "lists of nodes", None),
];

impl NameKind {
    /// Returns every kind, in the order of the enum.
    pub fn all() -> impl Iterator<Item = Self> {
        KINDS.into_iter().map(|(kind, ..)| kind)
    }

    /// Returns the name of the kind in one word, such as `user`.
    pub const fn word(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// Returns the header key for names of this kind, such as `User` in `; User: 1 anna`; `None` for lists of
    /// nodes, which headers do not name.
    pub const fn header_key(self) -> Option<&'static str> {
        KINDS[self as usize].3
    }

    /// Returns the name of the kind in the plural, such as `users`.
    pub const fn plural(self) -> &'static str {
        KINDS[self as usize].2
    }
}

/// Names of one kind, numbered from 1 in order of appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Labels {
    numbers: HashMap<Vec<u8>, i64>,
    /// The names; number n is entry n − 1.
    names: Vec<Vec<u8>>,
    /// The number of the name that was asked for last; 0 before the first. Logs often repeat a name.
    last: i64,
}

impl Labels {
    /// Returns the number of `name`. A new name gets the next number.
    fn number(&mut self, name: &[u8]) -> i64 {
        if self.last > 0 && self.names[self.last as usize - 1] == name {
            return self.last;
        }
        if let Some(&number) = self.numbers.get(name) {
            self.last = number;
            return number;
        }
        let number = self.names.len() as i64 + 1;
        self.numbers.insert(name.to_vec(), number);
        self.names.push(name.to_vec());
        self.last = number;
        number
    }
}

/// The names of a log by kind, with their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    kinds: [Labels; KINDS.len()],
    /// Whether lists of nodes are not kept.
    forgets_nodes: bool,
}

impl Names {
    /// Returns the number of `name` among the names of its kind, from 1. A new name gets the next number.
    pub fn number(&mut self, kind: NameKind, name: &[u8]) -> i64 {
        self.kinds[kind as usize].number(name)
    }

    /// Returns what [`Self::number`] does, or −1, unknown, if the name is empty.
    pub fn known_number(&mut self, kind: NameKind, name: &[u8]) -> i64 {
        if name.is_empty() { -1 } else { self.number(kind, name) }
    }

    /// Drops lists of nodes from now on. In large logs nearly every job has a different one.
    pub fn forget_nodes(&mut self) {
        self.forgets_nodes = true;
    }

    /// Returns the number of a list of nodes, for [`Record::nodes`](super::Record::nodes). Beyond 2^32 − 1
    /// lists it is `None`, and so it is if no lists are kept.
    pub fn nodes(&mut self, list: &[u8]) -> Option<u32> {
        if self.forgets_nodes {
            return None;
        }
        u32::try_from(self.number(NameKind::Nodes, list)).ok()
    }

    /// Returns the name with this number; `None` if no name has it. Bytes that are not UTF-8 are replaced.
    pub fn name(&self, kind: NameKind, number: i64) -> Option<Cow<'_, str>> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        Some(String::from_utf8_lossy(self.kinds[kind as usize].names.get(at)?))
    }

    /// Returns the names of a kind in the order of their numbers, from number 1; none if the log has no such
    /// names.
    pub fn of(&self, kind: NameKind) -> impl Iterator<Item = String> {
        self.kinds[kind as usize].names.iter().map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// Returns the names of the kinds that are `wanted`.
    fn only(&self, wanted: impl Fn(NameKind) -> bool) -> Self {
        let mut kept = Self::default();
        for kind in NameKind::all().filter(|kind| wanted(*kind)) {
            kept.kinds[kind as usize].clone_from(&self.kinds[kind as usize]);
        }
        kept
    }

    /// Returns the number of names of a kind.
    pub fn count(&self, kind: NameKind) -> usize {
        self.kinds[kind as usize].names.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_by_kind_in_the_order_of_their_first_appearance() {
        let mut names = Names::default();
        let numbers = ["b", "a", "a", "b", "c"].map(|name| names.number(NameKind::User, name.as_bytes()));
        assert_eq!(numbers, [1, 2, 2, 1, 3]);
        assert_eq!((names.number(NameKind::Queue, b"a"), names.nodes(b"n[1-2]")), (1, Some(1)));
        assert_eq!(names.of(NameKind::User).collect::<Vec<_>>(), ["b", "a", "c"]);
        assert_eq!(names.name(NameKind::User, 2).as_deref(), Some("a"));
        assert_eq!((names.name(NameKind::User, 0), names.name(NameKind::User, 4)), (None, None));
        assert_eq!((names.count(NameKind::User), names.count(NameKind::Group)), (3, 0));
        names.forget_nodes();
        assert_eq!((names.nodes(b"n3"), names.count(NameKind::Nodes)), (None, 1));
    }

    #[test]
    fn kinds_are_in_the_order_of_the_enum() {
        for (place, kind) in NameKind::all().enumerate() {
            assert_eq!(kind as usize, place, "{}", kind.plural());
        }
    }
}
