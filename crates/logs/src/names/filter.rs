//! Keeps the records of some partitions while a log is read.

use std::collections::BTreeMap;

use super::partitions::{Partitions, no_such_partition};
use super::{LogNames, NameKind, Names};
use crate::header::Header;

/// The records of some partitions of a log, chosen one by one.
#[derive(Debug)]
pub(crate) struct PartitionFilter {
    wanted: Partitions,
    /// Partitions seen, by number.
    seen: BTreeMap<i64, Seen>,
    left_out: u64,
}

/// A partition that records have.
#[derive(Debug)]
struct Seen {
    /// Its name, or its number if it has none.
    label: String,
    records: u64,
    /// For each of the partitions that are wanted, whether this is the one.
    is: Vec<bool>,
}

impl PartitionFilter {
    pub(crate) fn new(wanted: Partitions) -> Self {
        Self { wanted, seen: BTreeMap::new(), left_out: 0 }
    }

    /// Counts a record, and returns true if its partition is wanted. `names` are the names read so far, if
    /// the format has any. Only header lines above the first record of a partition give it a name.
    pub(crate) fn admits(&mut self, number: i64, names: Option<&Names>, header: &Header) -> bool {
        let wanted = &self.wanted;
        let is_wanted = number >= 0 && {
            let seen = self.seen.entry(number).or_insert_with(|| Seen::new(number, wanted, names, header));
            seen.records += 1;
            seen.is.contains(&true)
        };
        self.left_out += u64::from(!is_wanted);
        is_wanted
    }

    /// Returns the number of records that were left out. Fails, in words, if a partition that is wanted has
    /// no record.
    pub(crate) fn finish(&self) -> Result<u64, String> {
        let is_missing = |at: usize| self.seen.values().all(|seen| !seen.is[at]);
        let missing = self.wanted.names().iter().enumerate().find(|(at, _)| is_missing(*at));
        let Some((_, missing)) = missing else { return Ok(self.left_out) };
        let counted = self.seen.values().map(|seen| (seen.label.clone(), seen.records));
        Err(no_such_partition(missing, counted.collect()))
    }
}

impl Seen {
    /// Returns the partition with this number, before its first record is counted.
    fn new(number: i64, wanted: &Partitions, names: Option<&Names>, header: &Header) -> Self {
        let of_partitions = |kind| kind == NameKind::Partition;
        let names = LogNames::of_kinds(of_partitions, names.unwrap_or(&Names::default()), header);
        let is = wanted.names().iter().map(|text| names.calls_partition(number, text)).collect();
        Self { label: names.label(NameKind::Partition, number), records: 0, is }
    }
}
