//! Counts who and what the jobs of a log belong to: users, groups, applications, queues and partitions.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use serde::Serialize;

use crate::names::{NameKind, Names};
use crate::record::Record;

/// The users of a log, or its groups, applications, queues or partitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Members {
    /// Kind in the plural, such as `users`.
    pub what: &'static str,
    /// Number of different members. Jobs with an unknown member do not count.
    pub count: u64,
    /// Up to four members with the most jobs, in descending order, ties by number: name, or number without a
    /// name, and jobs.
    pub largest: Vec<(String, u64)>,
}

/// The number of members of a kind that are named.
const SHOWN: usize = 4;

/// A function that returns the number of a member in a record.
type Field = fn(&Record) -> i64;

/// The kinds that are fields of a record, each with its field.
const FIELDS: [(NameKind, Field); 5] = [
    (NameKind::User, |record| record.user),
    (NameKind::Group, |record| record.group),
    (NameKind::Executable, |record| record.executable),
    (NameKind::Queue, |record| record.queue),
    (NameKind::Partition, |record| record.partition),
];

/// The number of jobs of each member, kind by kind.
#[derive(Default)]
pub(super) struct Counts([HashMap<i64, u64>; FIELDS.len()]);

impl Counts {
    /// Counts a record.
    pub(super) fn add(&mut self, record: &Record) {
        for (jobs, (_, field)) in self.0.iter_mut().zip(FIELDS) {
            let number = field(record);
            if number >= 0 {
                *jobs.entry(number).or_default() += 1;
            }
        }
    }

    /// Returns the members of each kind that the log knows. `names` has the names behind the numbers.
    pub(super) fn finish(self, names: &Names) -> Vec<Members> {
        let ranked = |(jobs, (kind, _)): (HashMap<i64, u64>, (NameKind, _))| {
            let count = jobs.len() as u64;
            let mut rows: Vec<(i64, u64)> = jobs.into_iter().collect();
            rows.sort_unstable_by_key(|&(number, jobs)| (Reverse(jobs), number));
            let label =
                |number: i64| names.name(kind, number).map_or_else(|| number.to_string(), Cow::into_owned);
            let largest = rows.into_iter().take(SHOWN).map(|(number, jobs)| (label(number), jobs)).collect();
            Members { what: kind.plural(), count, largest }
        };
        self.0.into_iter().zip(FIELDS).map(ranked).filter(|found| found.count > 0).collect()
    }
}
