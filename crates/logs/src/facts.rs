//! The facts that a format knows about a log as a whole and that are in no record.

use super::names::Names;
use super::times::Clock;

/// Jobs that started before their submission, as after a clock was set back. Every format with start times
/// takes the start as the submission then.
pub(super) const EARLY_STARTS: &str = "starts before the submission, which count as the submission";

/// The words for jobs that ended before they started, as after a clock was set back. Their run time is
/// unknown.
pub(super) const EARLY_ENDS: &str = "ends before the start";

/// The words for lines of steps in the accounting of Slurm.
pub(super) const STEPS: &str = "job steps, which are part of their jobs";

/// Jobs without a submit time in a log with submit times.
pub(super) const UNSUBMITTED: &str = "jobs without a submit time, for which their start stands";

/// The words for jobs that were cancelled while they waited.
pub const CANCELLED_EARLY: &str = "jobs cancelled before they started";

/// The words for jobs that ended in another way while they waited.
pub(super) const NEVER_STARTED: &str = "jobs that ended before they started";

/// The words for jobs that wait at the end of a log.
pub(super) const STILL_WAITING: &str = "jobs that were still waiting";

/// The words for jobs that run at the end of a log.
pub(super) const STILL_RUNNING: &str = "jobs that were still running";

/// The words for lines of tasks in the accounting of Grid Engine.
pub(super) const STEPS_OF_TASKS: &str = "tasks of parallel jobs, which are part of their jobs";

/// The words for instants with a fraction of a second.
pub(super) const ROUNDED: &str = "times rounded to seconds";

/// The words for hosts whose number of slots is malformed.
pub(super) const ODD_SLOTS: &str = "hosts whose slots are no number, which have one slot each";

/// Counts of oddities in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Oddities {
    /// Kinds in report order.
    words: &'static [&'static str],
    counts: [u64; MOST_ODDITIES],
}

/// The most kinds of oddities of one format.
const MOST_ODDITIES: usize = 16;

impl Oddities {
    /// Begins with no oddities of the kinds `words`.
    pub(super) const fn new(words: &'static [&'static str]) -> Self {
        assert!(words.len() <= MOST_ODDITIES, "MOST_ODDITIES is too small");
        Self { words, counts: [0; MOST_ODDITIES] }
    }

    /// Counts `count` more oddities of a kind; `true` is one. O(number of kinds), or O(1) for none.
    pub(super) fn add(&mut self, what: &str, count: impl Into<u64>) {
        let count = count.into();
        if count > 0 {
            let at = self.words.iter().position(|known| *known == what);
            debug_assert!(at.is_some(), "{what} is no kind of oddity here");
            if let Some(at) = at {
                self.counts[at] = self.counts[at].saturating_add(count);
            }
        }
    }

    /// Returns the kinds that were found, with their counts.
    pub(super) fn rows(&self) -> Vec<(&'static str, u64)> {
        self.words.iter().copied().zip(self.counts).filter(|&(_, count)| count > 0).collect()
    }
}

/// Facts about a log beyond its records. All fields are empty for formats without such facts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The names behind the numbers of the records.
    pub names: Names,
    /// True if submit times are seconds since 1970. Callers then subtract
    /// [`LogSummary::origin_s`](super::LogSummary::origin_s).
    pub has_unix_times: bool,
    /// Time zone of the log's local times, such as `Europe/Berlin`; `None` if unknown.
    pub time_zone: Option<String>,
    /// True if the zone is this machine's, as none was given. Results that depend on the zone must name it.
    pub is_zone_assumed: bool,
    /// Processors of the machine; `None` if unknown.
    pub max_procs: Option<i64>,
    /// Nodes of the machine; `None` if unknown.
    pub max_nodes: Option<i64>,
    /// Notes on how the log was read, each a sentence without a full stop, such as `processors are
    /// nodes`.
    pub notes: Vec<String>,
    /// Whether the time limits may be no limits, or be in another unit, as a note says.
    pub has_doubtful_limits: bool,
    /// Oddities of this format, in words with counts.
    pub counts: Vec<(&'static str, u64)>,
}

impl Facts {
    /// Returns the time zone if it was assumed; results must record it.
    pub fn assumed_zone(&self) -> Option<&str> {
        self.time_zone.as_deref().filter(|_| self.is_zone_assumed)
    }

    /// Adds what the clock of a log has learnt.
    pub(super) fn add_clock(&mut self, clock: &Clock) {
        self.time_zone = clock.zone_name();
        self.is_zone_assumed = clock.is_assumed();
        self.notes.extend(clock.notes());
        self.counts.extend(clock.counts());
    }

    /// Returns these facts as header lines, each with its `;`. `origin_s` is the origin of submit times in
    /// seconds since 1970; `None` if unknown.
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
        // A line end or an escape in the name of a column would be one in the header.
        let plain = |note: &String| -> String {
            let spelt = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
            note.chars().map(spelt).collect()
        };
        lines.extend(self.notes.iter().map(|note| format!("; Note: {}", plain(note))));
        lines
    }
}
