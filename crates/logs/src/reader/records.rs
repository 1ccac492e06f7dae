//! Counts records and what is odd in a log.

use super::LogEntry;
use super::duplicates::LocatedRecord;
use crate::header::Header;
use crate::status::UNKNOWN;
use crate::summary::Irregularities;

/// Counts of records and irregularities.
pub(super) struct Records {
    pub(super) count: u64,
    /// The job number and the submit time (in seconds) of the last record; `None` before the first record.
    last: Option<(i64, i64)>,
    /// The least submit time that is not negative, in seconds; the greatest number before the first.
    pub(super) first_submit_s: u64,
    /// The latest time of a record in seconds; below all others before the first.
    pub(super) last_time_s: i64,
    /// Records of jobs that wait or run at the end of the log.
    pub(super) open: u64,
    pub(super) irregularities: Irregularities,
}

impl Records {
    /// Returns the counts before the first line.
    pub(super) fn none() -> Self {
        Self {
            count: 0,
            last: None,
            first_submit_s: u64::MAX,
            last_time_s: i64::MIN,
            open: 0,
            irregularities: Irregularities::default(),
        }
    }

    /// Returns the entry of a record, and counts the record and its irregularities.
    pub(super) fn entry<'a>(&mut self, row: &'a LocatedRecord) -> LogEntry<'a> {
        let LocatedRecord { record, surplus, .. } = row;
        self.count += 1;
        // A negative time is unknown; as an unsigned number it is beyond all others.
        self.first_submit_s = self.first_submit_s.min(record.submit_s as u64);
        let lasted_s = record.wait_s.max(0).saturating_add(record.run_s.max(0));
        self.last_time_s = self.last_time_s.max(record.submit_s.saturating_add(lasted_s));
        self.open += u64::from(record.run_s == -1 && record.status == UNKNOWN);
        let found = &mut self.irregularities;
        found.surplus_field_lines += u64::from(*surplus > 0);
        if let Some((job, submit_s)) = self.last.replace((record.job, record.submit_s)) {
            found.job_descents += u64::from(record.job < job);
            found.submit_descents += u64::from(record.submit_s < submit_s);
            found.equal_submits += u64::from(record.submit_s == submit_s);
        }
        LogEntry::Record { record, surplus: *surplus }
    }
}

/// Counts a blank line, or adds a comment to the header, and returns its entry. `line` has no blanks at its
/// start. `records` is the number of records before it.
pub(super) fn keep_aside<'a>(
    line: &'a [u8],
    records: u64,
    header: &mut Header,
    irregularities: &mut Irregularities,
) -> LogEntry<'a> {
    if line.is_empty() {
        irregularities.blank_lines += 1;
        return LogEntry::Blank;
    }
    irregularities.late_comments += u64::from(records > 0);
    irregularities.unkept_comments += u64::from(!header.keep(line));
    LogEntry::Comment(line)
}
