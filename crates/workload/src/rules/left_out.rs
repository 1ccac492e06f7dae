//! Counts the records that are not replayed, by reason.

use std::fmt;

/// The reason why a record is not replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The job was cancelled while it waited: it has no wait, no run time and no processors.
    CancelledEarly,
    /// The record has no positive number of processors.
    NoProcessors,
    /// The record has no run time, or one that the rules do not accept.
    NoRunTime,
    /// The rules do not accept the status of the record.
    Status,
    /// The record has no submit time, or a negative one.
    NoSubmitTime,
    /// The job needs more processors than the machine has.
    Oversize,
    /// The allocator never finds the shape of the job, not even on an idle machine.
    NeverFits,
    /// The rules leave out jobs with this number of processors.
    Size,
    /// The job is in another partition, or in none.
    Partition,
    /// The line does not follow the format. Lenient reading skipped it.
    Malformed,
}

/// All reasons, in the order of the enum, in words that follow a count.
const REASONS: [(Reason, &str); 10] = [
    (Reason::CancelledEarly, "cancelled before they started"),
    (Reason::NoProcessors, "without processors"),
    (Reason::NoRunTime, "without a run time"),
    (Reason::Status, "of another status"),
    (Reason::NoSubmitTime, "without a submit time, or with a negative one"),
    (Reason::Oversize, "larger than the machine"),
    (Reason::NeverFits, "that never fit"),
    (Reason::Size, "of another size"),
    (Reason::Partition, "of another partition"),
    (Reason::Malformed, "malformed"),
];

impl Reason {
    /// Returns the reason in words that follow a count.
    pub fn words(self) -> &'static str {
        REASONS[self as usize].1
    }
}

/// The numbers of records that were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    counts: [u64; REASONS.len()],
}

impl LeftOut {
    /// Adds `records` to the count of `reason`.
    pub fn add(&mut self, reason: Reason, records: u64) {
        self.counts[reason as usize] += records;
    }

    /// Returns the counts without `records` of `reason`, which are replayed after all.
    #[must_use]
    pub fn without(mut self, reason: Reason, records: u64) -> Self {
        self.counts[reason as usize] = self.counts[reason as usize].saturating_sub(records);
        self
    }

    /// Returns the number of records that were left out for this reason.
    pub fn count(&self, reason: Reason) -> u64 {
        self.counts[reason as usize]
    }

    /// Returns the number of records that were left out for any reason.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the reasons that occurred, with their counts, in the order of [`Reason`]; nothing if no
    /// record was left out.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        let counted = REASONS.into_iter().zip(self.counts).map(|((reason, _), count)| (reason, count));
        counted.filter(|(_, count)| *count > 0)
    }
}

/// Writes a list such as `5,669 without processors, 12 of another status`; nothing if no record was left out.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (reason, count)) in self.iter().enumerate() {
            write!(f, "{}{count} {}", if i == 0 { "" } else { ", " }, reason.words())?;
        }
        Ok(())
    }
}
