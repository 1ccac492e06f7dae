//! When a log began, as results say it.

use serde::{Deserialize, Serialize};

use meshreplay_logs::LogNames;

/// The date that the times of a log count from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogStart {
    /// The date, in seconds since 1970.
    pub unix_s: i64,
    /// The name of the time zone, or its offset such as `+01:00`.
    pub time_zone: String,
}

impl LogStart {
    /// Returns the date of a log with these names; `None` if the log does not tell.
    pub(in crate::study) fn of(names: &LogNames) -> Option<Self> {
        names.start().map(|(unix_s, time_zone)| Self { unix_s, time_zone })
    }
}
