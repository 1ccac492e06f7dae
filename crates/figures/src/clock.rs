//! Dates of results, from the start and the time zone of the log.

use std::fs;
use std::path::Path;

use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan, Zoned, civil};
use serde_json::Value;

use super::error::FigureError;
use super::results::Results;
use super::span::Span;
use meshreplay_results::frame::STUDY_FILE;

/// The date of time 0 of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct Clock {
    /// The date, in seconds since 1970.
    pub unix_s: i64,
    /// The name of the time zone, such as `Europe/Berlin` or `+01:00`.
    pub zone_name: String,
    zone: TimeZone,
}

impl Clock {
    /// Returns the clock of all results in `folder`. `None` without dates: the start of the log is unknown,
    /// the results are of several logs, or arrival times are scaled.
    pub fn from_results(folder: &Path, results: &Results) -> Option<Self> {
        Self::from_rows(folder, results, &|_| true)
    }

    /// Returns the clock of the replays with these numbers, or of the replays at the first load if `replays`
    /// is empty: the replays that pictures of jobs show. `None` as for [`Self::from_results`].
    pub fn for_replays(folder: &Path, results: &Results, replays: &[u32]) -> Option<Self> {
        Self::from_rows(folder, results, &|row| results.is_shown(row, replays))
    }

    /// Returns the clock of the rows of the summary that `is_shown` accepts.
    fn from_rows(folder: &Path, results: &Results, is_shown: &dyn Fn(usize) -> bool) -> Option<Self> {
        let mut rows = (0..results.table.height()).filter(|&row| is_shown(row)).peekable();
        let first = *rows.peek()?;
        let is_like_first = |row: usize, name: &str| results.label(row, name) == results.label(first, name);
        let is_dated = |row: usize| {
            is_like_first(row, "log")
                && is_like_first(row, "rules")
                && results.label(row, "arrival_scale") == "1"
        };
        if !rows.all(is_dated) {
            return None;
        }
        let read = |file: &str| fs::read_to_string(folder.join(file)).ok();
        let run: Value = serde_json::from_str(&read("run.json").or_else(|| read(STUDY_FILE))?).ok()?;
        let logs = run.get("logs")?.as_array()?;
        let name = results.label(first, "log");
        let log = logs.iter().find(|log| log.get("name").and_then(Value::as_str) == Some(&name))?;
        Self::from_log(log)
    }

    /// Returns the clock of a log as run.json and study.json describe it; `None` if it has no dates.
    pub fn from_log(log: &Value) -> Option<Self> {
        let starts = log.get("starts")?;
        Self::new(starts.get("unix_s")?.as_i64()?, starts.get("time_zone")?.as_str()?)
    }

    /// Returns the clock with this start, in seconds since 1970. The time zone is a name or an offset such as
    /// `+01:00`; `None` for an unknown zone.
    pub fn new(unix_s: i64, zone_name: &str) -> Option<Self> {
        let zone = TimeZone::get(zone_name).ok().or_else(|| offset(zone_name))?;
        Timestamp::from_second(unix_s).ok()?;
        Some(Self { unix_s, zone_name: zone_name.to_owned(), zone })
    }

    /// Returns the moment at a time of the replay, in seconds; `None` beyond the range of the calendar.
    fn at(&self, time_s: f64) -> Option<Zoned> {
        let unix_s = self.unix_s.checked_add(time_s.floor() as i64)?;
        Some(Timestamp::from_second(unix_s).ok()?.to_zoned(self.zone.clone()))
    }

    /// Returns the time of the replay at a moment, in seconds.
    fn time_s(&self, moment: &Zoned) -> f64 {
        (moment.timestamp().as_second() - self.unix_s) as f64
    }

    /// Returns the time of the replay, in seconds, at a date such as `1996-09-23` (its midnight) or
    /// `1996-09-23T14:30`; `None` if the text is no date.
    pub fn seconds(&self, date: &str) -> Option<f64> {
        let moment = date
            .parse::<civil::DateTime>()
            .ok()
            .or_else(|| Some(date.parse::<civil::Date>().ok()?.at(0, 0, 0, 0)))?;
        Some(self.time_s(&moment.to_zoned(self.zone.clone()).ok()?))
    }

    /// Returns a time of the replay, in seconds, as a date to the minute, such as `1996-09-23 14:30`.
    pub fn date(&self, time_s: f64) -> Option<String> {
        Some(self.at(time_s)?.strftime("%Y-%m-%d %H:%M").to_string())
    }

    /// Returns about `wanted` round dates (hours, days or months) in a window of time, as times with labels.
    pub fn ticks(&self, window_s: Span, wanted: usize) -> Vec<(f64, String)> {
        const HOUR: f64 = 3600.0;
        const DAY: f64 = 24.0 * HOUR;
        let rough = window_s.length() / wanted.max(1) as f64;
        let Some(first) = self.at(window_s.low).and_then(|first| first.start_of_day().ok()) else {
            return Vec::new();
        };
        let hours = [0.5, 1.0, 2.0, 3.0, 6.0, 12.0].into_iter().find(|hours| hours * HOUR >= rough);
        let days = [1, 2, 4, 7, 14].into_iter().find(|days| f64::from(*days) * DAY >= rough);
        let months =
            [1, 2, 3, 6, 12, 24, 60, 120].into_iter().find(|months| f64::from(*months) * 30.0 * DAY >= rough);
        let (first, step, format): (Zoned, jiff::Span, &str) = match (hours, days) {
            (Some(hours), _) => (first, ((hours * 60.0) as i64).minutes(), "%-d %b %H:%M"),
            (None, Some(days)) => (first, days.days(), "%-d %b %Y"),
            (None, None) => match first.first_of_month() {
                Ok(first) => (first, months.unwrap_or(240).months(), "%b %Y"),
                Err(_) => return Vec::new(),
            },
        };
        let mut ticks = Vec::new();
        for i in 0..1000_i64 {
            let Some(moment) = step.checked_mul(i).ok().and_then(|span| first.checked_add(span).ok()) else {
                break;
            };
            let time_s = self.time_s(&moment);
            if time_s > window_s.high {
                break;
            }
            if time_s >= window_s.low {
                ticks.push((time_s, moment.strftime(format).to_string()));
            }
        }
        ticks
    }
}

/// Returns the time zone of an offset such as `+01:00`; `None` if the text is none.
fn offset(text: &str) -> Option<TimeZone> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let seconds =
        hours.parse::<i32>().ok()?.checked_mul(3600)?.checked_add(minutes.parse::<i32>().ok()? * 60)?;
    Some(TimeZone::fixed(Offset::from_seconds(sign * seconds).ok()?))
}

/// A window of time on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeWindow {
    ends: [String; 2],
}

impl TimeWindow {
    /// Parses `FROM..TO`. Each end is a number of seconds of the replay, or a date. `None` if the text has
    /// another form.
    pub fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.split_once("..")?;
        let is_end = |text: &str| {
            text.parse::<f64>().is_ok_and(f64::is_finite)
                || text.parse::<civil::Date>().is_ok()
                || text.parse::<civil::DateTime>().is_ok()
        };
        (is_end(from) && is_end(to)).then(|| Self { ends: [from.to_owned(), to.to_owned()] })
    }

    /// Returns both ends in seconds of the replay. Fails if an end is a date and there is no clock, or if the
    /// window does not end after its beginning.
    pub fn seconds(&self, clock: Option<&Clock>) -> Result<Span, FigureError> {
        let end = |text: &String| {
            text.parse()
                .ok()
                .or_else(|| clock?.seconds(text))
                .ok_or_else(|| FigureError::NoDates { date: text.clone() })
        };
        let window_s = Span::new(end(&self.ends[0])?, end(&self.ends[1])?);
        if window_s.length() > 0.0 {
            Ok(window_s)
        } else {
            Err(FigureError::EmptyWindow { window: self.ends.join("..") })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_times_of_the_replay() {
        // 1996-09-23 14:00:31 in Stockholm; summer time ends on 1996-10-27.
        let clock = Clock::new(843_480_031, "Europe/Stockholm").expect("a zone");
        assert_eq!(clock.date(0.0).as_deref(), Some("1996-09-23 14:00"));
        assert_eq!(clock.seconds("1996-09-24"), Some(f64::from(10 * 3600 - 31)));
        assert_eq!(clock.seconds("1996-09-23T15:00"), Some(3569.0));
        assert_eq!(
            clock.seconds("1996-10-28").map(|time| clock.date(time)),
            Some(Some("1996-10-28 00:00".to_owned()))
        );
        assert_eq!((clock.seconds("tomorrow"), Clock::new(0, "Nowhere/Land")), (None, None));
        let east = Clock::new(0, "+01:30").expect("an offset");
        assert_eq!(east.date(0.0).as_deref(), Some("1970-01-01 01:30"));
        let labels = |span_s: f64| -> Vec<String> {
            clock.ticks(Span::new(0.0, span_s), 5).into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(6.0 * 3600.0), ["23 Sep 16:00", "23 Sep 18:00", "23 Sep 20:00"]);
        assert_eq!(labels(4.0 * 86_400.0), ["24 Sep 1996", "25 Sep 1996", "26 Sep 1996", "27 Sep 1996"]);
        assert_eq!(labels(400.0 * 86_400.0)[..2], ["Dec 1996", "Mar 1997"]);
    }

    #[test]
    fn windows_are_seconds_or_dates() {
        let clock = Clock::new(843_480_031, "Europe/Stockholm");
        let seconds = |text: &str| TimeWindow::parse(text).map(|window| window.seconds(clock.as_ref()).ok());
        assert_eq!(seconds("-5..7.5"), Some(Some(Span::new(-5.0, 7.5))));
        assert_eq!(seconds("1996-09-24..1996-09-25"), Some(Some(Span::new(35_969.0, 122_369.0))));
        assert_eq!(seconds("0..1996-09-24T01:00"), Some(Some(Span::new(0.0, 39_569.0))));
        assert_eq!((seconds("7..7"), seconds("7"), seconds("a..b")), (Some(None), None, None));
        let window = TimeWindow::parse("1996-09-24..1996-09-25").expect("a window");
        assert!(matches!(window.seconds(None), Err(FigureError::NoDates { .. })));
    }
}
