//! The facts that a format knows about a log as a whole and that are in no record.

use super::names::Names;

/// What the parser of a log has learnt beside the records. All of it is empty for formats that say no such things.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The names behind the numbers of the records.
    pub names: Names,
    /// Whether the submit times of the records are seconds since 1970. Then whoever uses the records subtracts
    /// [`LogSummary::origin_s`](super::LogSummary::origin_s).
    pub has_unix_times: bool,
    /// The time zone in which the log spells its times, such as `Europe/Berlin`; `None` if it is unknown.
    pub time_zone: Option<String>,
    /// The number of processors of the machine; `None` if the log does not tell.
    pub max_procs: Option<i64>,
    /// The number of nodes of the machine; `None` if the log does not tell.
    pub max_nodes: Option<i64>,
    /// Notes on how the log was read, each a sentence without a full stop, such as `times without an offset are read as
    /// times of UTC`.
    pub notes: Vec<String>,
    /// What was odd in the log beside the irregularities of every log, each in words with its count.
    pub counts: Vec<(&'static str, u64)>,
}

impl Facts {
    /// Returns these facts as lines of a header, each with its `;`. `origin_s` is the time at which submit times are 0,
    /// in seconds since 1970; `None` if it is unknown.
    pub(super) fn header_lines(&self, origin_s: Option<i64>) -> Vec<String> {
        let number = |key: &str, value: Option<i64>| value.map(|value| format!("; {key}: {value}"));
        let mut lines: Vec<String> = [
            number("MaxNodes", self.max_nodes),
            number("MaxProcs", self.max_procs),
            number("UnixStartTime", origin_s),
            self.time_zone.as_ref().map(|zone| format!("; TimeZoneString: {zone}")),
        ]
        .into_iter()
        .flatten()
        .collect();
        lines.extend(self.notes.iter().map(|note| format!("; Note: {note}")));
        lines
    }
}
