//! The period of a log that its replays cover: given, or found in the log.

use std::fmt;
use std::str::FromStr;

use super::PlanError;
use meshreplay_base::job::{Period, Time};
use meshreplay_base::words::counted;
use meshreplay_logs::{Format, LogNames, LogSummary, RunsOnNodes, Window};

/// The choice of the period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeriodChoice {
    /// The period that the log covers: all of it, unless it is a window of a site's history.
    Auto,
    /// The whole log, from its first submission on.
    Off,
    /// From one time to another, each in seconds of the log or a date in its time zone.
    Between(String, String),
}

impl fmt::Display for PeriodChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Off => f.write_str("off"),
            Self::Between(from, to) => write!(f, "{from}..{to}"),
        }
    }
}

impl FromStr for PeriodChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_end = |end: &str| end.parse::<i64>().is_ok() || LogNames::is_date(end);
        match text.split_once("..") {
            _ if text == "auto" => Ok(Self::Auto),
            _ if text == "off" => Ok(Self::Off),
            Some((from, to)) if is_end(from) && is_end(to) => {
                Ok(Self::Between(from.to_owned(), to.to_owned()))
            }
            _ => {
                Err("expected auto, off, or FROM..TO in whole seconds of the log, such as 86400..172800, or \
                      dates, such as 2024-03-01..2024-04-01"
                    .to_owned())
            }
        }
    }
}

/// The period of a log, and what is to be said of it.
#[derive(Clone, Debug, Default)]
pub(super) struct LogPeriod {
    /// `None` for the whole log.
    pub(super) period: Option<Period>,
    /// A note without the name of the log.
    pub(super) note: Option<String>,
    /// A note on times without runs, without the name of the log; `None` if there are none.
    pub(super) idle: Option<String>,
    /// The reason why recorded and simulated waits cannot be compared.
    pub(super) doubt: Option<String>,
}

/// Formats whose files have a record at the end of each job: jobs that run at the end are missing.
const END_RECORDS: [&str; 3] = ["pbs", "lsf", "sge"];

impl LogPeriod {
    /// Returns that of a log whose arrivals are drawn anew: they have no period, and no recorded waits.
    pub(super) fn of_redrawn(log: &LogSummary) -> Self {
        let doubt = log.format.is_of_site().then(|| "arrivals are drawn anew".to_owned());
        Self { doubt, ..Self::default() }
    }

    /// Returns the period of a log by `choice`; `None` is [`PeriodChoice::Auto`] for logs of sites, and
    /// [`PeriodChoice::Off`] for others. Fails if the given period is empty or its dates are unknown.
    pub(super) fn resolve(
        choice: Option<&PeriodChoice>,
        log: &LoggedTimes<'_>,
        runs: &RunsOnNodes<'_>,
    ) -> Result<Self, PlanError> {
        let is_of_site = log.summary.format.is_of_site();
        let choice = match choice {
            Some(choice) => choice,
            None if is_of_site => &PeriodChoice::Auto,
            None => return Ok(Self::default()),
        };
        let mut resolved = Self::by_choice(choice, log, runs)?;
        if is_of_site {
            resolved.idle = log.idle(resolved.period, runs);
            let doubt = "jobs waited while nothing ran, as in a maintenance";
            resolved.doubt = resolved.doubt.or_else(|| resolved.idle.as_ref().map(|_| doubt.to_owned()));
        }
        Ok(resolved)
    }

    /// Returns the period of a log by `choice`.
    fn by_choice(
        choice: &PeriodChoice,
        log: &LoggedTimes<'_>,
        runs: &RunsOnNodes<'_>,
    ) -> Result<Self, PlanError> {
        let is_of_site = log.summary.format.is_of_site();
        match choice {
            PeriodChoice::Between(from, to) => log.between(from, to),
            PeriodChoice::Auto if runs.are_too_many() => {
                let unknown = "its period is not known, as it has too many jobs";
                let note = Some(format!("{unknown}; give it with --period"));
                Ok(Self { note, doubt: Some(unknown.to_owned()), ..Self::default() })
            }
            PeriodChoice::Auto => {
                Ok(runs.window().and_then(|window| log.of_window(window, runs)).unwrap_or_default())
            }
            PeriodChoice::Off => {
                let window = runs.window().filter(|_| is_of_site);
                let doubt =
                    "it is a window of a longer history, and --period off replays it from an idle machine";
                Ok(Self { doubt: window.map(|_| doubt.to_owned()), ..Self::default() })
            }
        }
    }
}

/// What a log has of times.
pub(super) struct LoggedTimes<'a> {
    pub(super) name: &'a str,
    pub(super) names: &'a LogNames,
    pub(super) summary: &'a LogSummary,
}

impl LoggedTimes<'_> {
    /// Returns the given period.
    fn between(&self, from: &str, to: &str) -> Result<LogPeriod, PlanError> {
        let wrong =
            |problem: String| PlanError::Unsuited(format!("{}: --period {from}..{to}: {problem}", self.name));
        let seconds = |end: &str| {
            let known = end.parse().ok().or_else(|| self.names.seconds(end));
            known.ok_or_else(|| {
                wrong(format!("'{end}' is a date, and the log has no dates; expected seconds of the log"))
            })
        };
        let period = Period::from_seconds(seconds(from)?, seconds(to)?);
        let period = period.ok_or_else(|| wrong("it is empty; expected FROM before TO".to_owned()))?;
        Ok(LogPeriod { period: Some(period), ..LogPeriod::default() })
    }

    /// Returns the period from the beginning of a window to the end that is known; `None` if that is earlier.
    fn of_window(&self, window: Window, runs: &RunsOnNodes<'_>) -> Option<LogPeriod> {
        let origin_s = self.summary.origin_s();
        let ends = runs.ends()?;
        let to_s = if END_RECORDS.contains(&self.summary.format.name) {
            ends.last_end - ends.longest_turnaround
        } else if self.summary.open > 0 {
            self.summary.last_time_s.unwrap_or(ends.last_submission)
        } else {
            // The last job counts.
            ends.last_submission + 1
        };
        let period = Period::from_seconds(window.start - origin_s, to_s - origin_s)?;
        let [from, to] = [window.start, to_s].map(|time_s| self.names.date_or_seconds(time_s - origin_s));
        let note = format!(
            "it is a window of a longer history, in which {} were submitted before the first end: replays \
             cover {from} to {to}, and begin with the jobs that ran and waited then; --period off begins with \
             an idle machine",
            counted(window.carried, "job")
        );
        let doubt = "it has the jobs that started or were submitted in a window, and those that ran at its \
                     beginning are missing";
        let doubt = window.is_by_start.then(|| doubt.to_owned());
        Some(LogPeriod { period: Some(period), note: Some(note), idle: None, doubt })
    }

    /// Returns a note on the times inside the period in which nothing ran and jobs waited; `None` without any.
    fn idle(&self, period: Option<Period>, runs: &RunsOnNodes<'_>) -> Option<String> {
        const NAMED: usize = 3;
        let origin_s = self.summary.origin_s();
        let is_inside = |[from_s, to_s]: &[i64; 2]| {
            let span = [from_s, to_s].map(|time_s| Time::from_seconds(time_s - origin_s));
            period.is_none_or(|period| period.from <= span[0] && span[1] <= period.to)
        };
        let spans: Vec<[i64; 2]> = runs.idle_spans().into_iter().filter(is_inside).collect();
        let text = |[from_s, to_s]: &[i64; 2]| {
            let [from, to] = [from_s, to_s].map(|time_s| self.names.date_or_seconds(time_s - origin_s));
            format!("{from} to {to} ({:.1} h)", (to_s - from_s) as f64 / 3600.0)
        };
        let mut list: Vec<String> = spans.iter().take(NAMED).map(text).collect();
        if spans.len() > NAMED {
            list.push(format!("{} more", spans.len() - NAMED));
        }
        let what = "nothing ran while jobs waited that fit, as in a maintenance, of which simulated schedulers \
                    know nothing";
        (!list.is_empty()).then(|| format!("{what}: {}", list.join(", ")))
    }
}

/// Returns whether logs of this format are read with a period of their own.
pub(super) fn is_found(choice: Option<&PeriodChoice>, format: &Format) -> bool {
    match choice {
        Some(PeriodChoice::Between(..)) => false,
        Some(PeriodChoice::Auto) => true,
        Some(PeriodChoice::Off) | None => format.is_of_site(),
    }
}
