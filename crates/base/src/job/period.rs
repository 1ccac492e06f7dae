//! The period of a log that results cover.

use std::fmt;
use std::str::FromStr;

use super::{Job, Time};

/// The period of a log that results cover: from one time of the log to just before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The beginning. Jobs that ran then keep their nodes, and jobs that waited wait in their order.
    pub from: Time,
    /// The end.
    pub to: Time,
}

/// What a job did at the beginning of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It ran.
    Carried,
    /// It waited.
    Queued,
    /// It was not submitted yet.
    Submitted,
}

impl Origin {
    /// Returns the word in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Carried => "carried",
            Self::Queued => "queued",
            Self::Submitted => "submitted",
        }
    }
}

impl Period {
    /// Returns the period between these times in whole seconds; `None` if it would be empty.
    pub fn from_seconds(from_s: i64, to_s: i64) -> Option<Self> {
        let [from, to] = [from_s, to_s].map(Time::from_seconds);
        (from < to).then_some(Self { from, to })
    }

    /// Returns the period with its length multiplied by `factor`, in whole seconds, at least 1. Replays whose
    /// arrivals are scaled from the beginning on cover it.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a number with a fraction clamps")]
    pub fn scaled(self, factor: f64) -> Self {
        let length_s = ((self.to - self.from).as_seconds() * factor).round().max(1.0);
        Self { to: self.from + Time::from_seconds(length_s as i64), ..self }
    }

    /// Returns whether the period contains `time`.
    pub fn contains(self, time: Time) -> bool {
        (self.from..self.to).contains(&time)
    }

    /// Returns how long the period and the time from `start` to `end` overlap.
    pub fn overlap(self, start: Time, end: Time) -> Time {
        (end.min(self.to) - start.max(self.from)).max(Time::ZERO)
    }

    /// Returns what a job did at the beginning.
    pub fn origin(self, job: &Job) -> Origin {
        if job.submit >= self.from {
            Origin::Submitted
        } else if job.recorded_start().is_some_and(|start| start < self.from) {
            Origin::Carried
        } else {
            Origin::Queued
        }
    }

    /// Returns whether the period has a job: it was submitted before the end and, by the log, had not ended
    /// at the beginning. A job with an unknown start has ended if it was submitted before.
    pub fn has(self, job: &Job) -> bool {
        let is_over =
            || job.recorded_start().is_none_or(|start| start < self.from && start + job.run <= self.from);
        job.submit < self.to && (job.submit >= self.from || !is_over())
    }
}

/// Writes `FROM..TO` in seconds of the log.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.from.as_seconds(), self.to.as_seconds())
    }
}

impl FromStr for Period {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let period = text
            .split_once("..")
            .and_then(|(from, to)| Self::from_seconds(from.parse().ok()?, to.parse().ok()?));
        period.ok_or_else(|| {
            format!("'{text}' is no period; expected FROM..TO in whole seconds, FROM below TO")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Logged;

    #[test]
    fn jobs_are_told_apart_by_the_beginning() {
        let period: Period = "100..200".parse().expect("a period");
        let job = |submit, wait: Option<i64>, run| {
            let logged = Logged { wait: wait.map(Time::from_seconds), ..Logged::default() };
            let [submit, run] = [submit, run].map(Time::from_seconds);
            let job = Job { submit, run, logged, ..Job::default() };
            (period.has(&job), period.origin(&job).word())
        };
        assert_eq!(job(10, Some(5), 100), (true, "carried"));
        assert_eq!(job(10, Some(5), 85), (false, "carried"));
        assert_eq!(job(10, Some(90), 1), (true, "queued"));
        assert_eq!(job(10, None, 500), (false, "queued"));
        assert_eq!(job(100, None, 500), (true, "submitted"));
        assert_eq!(job(200, Some(0), 5), (false, "submitted"));
        let at = Time::from_seconds;
        let overlap = |start, end| period.overlap(at(start), at(end));
        assert_eq!([overlap(50, 150), overlap(150, 250), overlap(0, 50)], [at(50), at(50), at(0)]);
        assert_eq!([0.5, 1.0, 2.5, 0.0].map(|factor| period.scaled(factor).to), [150, 200, 350, 101].map(at));
        assert_eq!(period.to_string(), "100..200");
        assert!("200..100".parse::<Period>().is_err() && "1".parse::<Period>().is_err());
    }
}
