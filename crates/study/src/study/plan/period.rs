//! The period of a log that its replays cover: given, or found in the log.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::PlanError;
use meshreplay_base::job::{Period, Time};
use meshreplay_base::words::counted;
use meshreplay_logs::{Format, LogNames, LogSummary, NodeRuns, RunsOnNodes, SiteWindow};

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
    /// Times inside the period without runs while jobs waited, in seconds of the log: maintenance.
    pub(super) idle: Vec<[i64; 2]>,
    /// A note on these times for schedulers that do not know of them.
    pub(super) idle_note: Option<String>,
    /// For each set of rules, the planned outages that the log shows; empty unless they are replayed.
    pub(super) planned: Vec<Arc<[[Time; 2]]>>,
    /// The reason why recorded and simulated waits cannot be compared.
    pub(super) doubt: Option<String>,
}

impl LogPeriod {
    /// Returns that of a log whose arrivals are drawn anew: they have no period, and no recorded waits.
    pub(super) fn of_redrawn(log: &LogSummary) -> Self {
        let doubt = log.format.is_of_site().then(|| "arrivals are drawn anew".to_owned());
        Self { doubt, ..Self::default() }
    }

    /// Returns the period of a log by `choice`; `None` is [`PeriodChoice::Auto`] for logs of sites, and
    /// [`PeriodChoice::Off`] for others. `with_idle`: finds maintenance in any log. Fails if the given period
    /// is empty or its dates are unknown.
    pub(super) fn resolve(
        choice: Option<&PeriodChoice>,
        with_idle: bool,
        log: &LoggedTimes<'_>,
        runs: &RunsOnNodes<'_>,
    ) -> Result<Self, PlanError> {
        let is_of_site = log.summary.format.is_of_site();
        let mut resolved = match choice {
            Some(choice) => Self::by_choice(choice, log, runs)?,
            None if is_of_site => Self::by_choice(&PeriodChoice::Auto, log, runs)?,
            None => Self::default(),
        };
        if is_of_site || with_idle {
            resolved.idle = log.idle(resolved.period, runs);
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
            PeriodChoice::Between(from, to) => log.between(from, to, runs),
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
    fn between(&self, from: &str, to: &str, runs: &RunsOnNodes<'_>) -> Result<LogPeriod, PlanError> {
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
        let last_s = runs.ends().map(|ends| ends.last_end).or(self.summary.last_time_s);
        let known = self.summary.first_submit_s.zip(last_s);
        let [first, last] = known.map_or([period.from, period.to], |(first_s, last_s)| {
            [first_s, last_s].map(|time_s| Time::from_seconds(time_s - self.summary.origin_s()))
        });
        if period.to < first || last < period.from {
            let [first, last] =
                [first, last].map(|time| self.names.date_or_seconds(time.as_seconds() as i64));
            return Err(wrong(format!(
                "the log has no jobs then; they are submitted from {first} on, and the last one ends at \
                     {last}"
            )));
        }
        Ok(LogPeriod { period: Some(period), ..LogPeriod::default() })
    }

    /// Returns the period from the beginning of a window to the end that is known; `None` if that is earlier.
    fn of_window(&self, window: SiteWindow, runs: &RunsOnNodes<'_>) -> Option<LogPeriod> {
        let origin_s = self.summary.origin_s();
        let ends = runs.ends()?;
        let to_s = if self.summary.format.records_ends_only {
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
             cover {from} to {to}, and begin with the jobs that ran and waited then; --period off begins \
             with an idle machine",
            counted(window.carried, "job")
        );
        let doubt = "it seems to have the jobs that started or were submitted in a window, without those \
                     that ran at its beginning";
        let doubt = window.is_by_start.then(|| doubt.to_owned());
        Some(LogPeriod { period: Some(period), note: Some(note), doubt, ..LogPeriod::default() })
    }

    /// Returns the times inside the period in which nothing ran and jobs waited, in seconds of the log.
    fn idle(&self, period: Option<Period>, runs: &RunsOnNodes<'_>) -> Vec<[i64; 2]> {
        let origin_s = self.summary.origin_s();
        let is_inside = |[from_s, to_s]: &[i64; 2]| {
            let span = [from_s, to_s].map(|&time_s| Time::from_seconds(time_s));
            period.is_none_or(|period| period.from <= span[0] && span[1] <= period.to)
        };
        let spans = runs.idle_spans().into_iter().map(|span| span.map(|time_s| time_s - origin_s));
        spans.filter(is_inside).collect()
    }
}

/// Returns the period of a log with these runs, and its words; `None` for all of it. Fails, in words, if the
/// given period is empty or its dates are unknown.
pub fn covered(
    log: &str,
    choice: Option<&PeriodChoice>,
    summary: &LogSummary,
    runs: NodeRuns,
) -> Result<Option<(Period, String)>, String> {
    let names = summary.names();
    let times = LoggedTimes { name: log, names: &names, summary };
    let runs = runs.on_nodes(&summary.facts.names);
    let resolved = LogPeriod::resolve(choice, false, &times, &runs).map_err(|problem| problem.to_string())?;
    Ok(resolved.period.map(|period| {
        let seconds = |time: Time| time.as_micros() / 1_000_000;
        let [from, to] = [period.from, period.to].map(|time| names.date_or_seconds(seconds(time)));
        (period, format!("{from} to {to}"))
    }))
}

impl PeriodChoice {
    /// Returns whether the period of logs of this format follows from them. `None` is the default.
    pub fn is_found(choice: Option<&Self>, format: &Format) -> bool {
        match choice {
            Some(Self::Between(..)) => false,
            Some(Self::Auto) => true,
            Some(Self::Off) | None => format.is_of_site(),
        }
    }
}
