//! Counts of the records that are not replayed, by reason.

use std::fmt;

/// Why a record is not replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No positive number of processors.
    NoProcessors,
    /// No run time, or none that the rules accept.
    NoRunTime,
    /// A status that is not accepted.
    Status,
    /// No submit time, or one below 0.
    NoSubmitTime,
    /// More processors than the machine has.
    Oversize,
    /// A shape that the allocator never finds, however idle the machine is.
    NeverFits,
    /// A number of processors that the rules leave out.
    Size,
    /// A line that does not follow the format, skipped by lenient reading.
    Malformed,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Self; 8] = [
        Self::NoProcessors,
        Self::NoRunTime,
        Self::Status,
        Self::NoSubmitTime,
        Self::Oversize,
        Self::NeverFits,
        Self::Size,
        Self::Malformed,
    ];

    /// Returns the reason in words that follow a count.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoProcessors => "without processors",
            Self::NoRunTime => "without a run time",
            Self::Status => "of another status",
            Self::NoSubmitTime => "without a submit time",
            Self::Oversize => "larger than the machine",
            Self::NeverFits => "that never fit",
            Self::Size => "of another size",
            Self::Malformed => "malformed",
        }
    }
}

/// The numbers of records that were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    counts: [u64; Reason::ALL.len()],
}

impl LeftOut {
    /// Counts so many records more.
    pub fn add(&mut self, reason: Reason, records: u64) {
        self.counts[reason as usize] += records;
    }

    /// Returns the number of records left out for this reason.
    pub fn count(&self, reason: Reason) -> u64 {
        self.counts[reason as usize]
    }

    /// Returns the number of records left out for any reason.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the reasons that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        Reason::ALL
            .into_iter()
            .map(|reason| (reason, self.counts[reason as usize]))
            .filter(|(_, count)| *count > 0)
    }
}

/// `5,669 without processors, 12 of another status`.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (reason, count)) in self.iter().enumerate() {
            write!(f, "{}{count} {}", if i == 0 { "" } else { ", " }, reason.words())?;
        }
        Ok(())
    }
}
