//! Reads instants, such as `2024-05-01T12:00:00`, `10/20/2026 0:02` and seconds since 1970.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "years have four digits, all other parts two, and plain numbers are below 10^11 s, so that \
         microseconds are below 2^59"
)]

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::civil::{Civil, DateOrder, offset};
use super::decimal::{has_fraction, rounded_s, scaled};
use super::is_missing;
use super::unit::{SECONDS, TimeUnit};
use meshreplay_base::spec::{Params, SpecError};

const DAY_S: i64 = 86_400;

/// The number of days whose offsets are remembered.
const DAYS: usize = 32;

/// The zone if none is given.
const UTC: &str = "UTC";

/// The name of the parameter of formats that gives the time zone.
pub const TIME_ZONE: &str = "time-zone";
/// The name of the parameter of formats that gives the order of day and month.
pub const DATES: &str = "dates";

/// The words for local times that occur twice or never.
pub(crate) const AMBIGUOUS: &str = "times at which clocks are put forward or back";

/// The greatest number of seconds that is read as an instant: 3,000 years. Larger numbers are milliseconds or
/// no times.
const LAST_S: i64 = 100_000_000_000;
/// Numbers from here on count from 1970. As seconds this is in 1985, and no log spans 15 years.
const UNIX_S: i64 = 500_000_000;

/// An instant of a log, to the microsecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instant {
    /// Microseconds since 1970, or since the beginning of the log.
    pub(crate) micros: i64,
    /// The text was a date, and no number.
    pub(crate) is_date: bool,
    /// The text was a date without seconds, such as `10/20/2026 0:02`.
    pub(crate) has_minutes_only: bool,
}

/// The reason why a text is no instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InstantError {
    /// The text has no known form.
    Form,
    /// The text is a number that is too large for seconds.
    TooLarge,
    /// The date does not exist with the day and the month in this order, but does in the other one.
    Order(DateOrder),
}

impl InstantError {
    /// Returns what was expected, for messages.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Form => {
                "a time such as 2024-05-01T12:00:00, 2024-05-01 12:00:00+02:00, 05/13/2024 9:30 PM or \
                     seconds since 1970"
            }
            Self::TooLarge => {
                "seconds since 1970, not milliseconds or less; a table has the parameter submit=COLUMN:ms"
            }
            Self::Order(DateOrder::MonthFirst) => {
                "a date with the month first, such as 05/13/2024; --dates day-first reads the day first"
            }
            Self::Order(DateOrder::DayFirst) => {
                "a date with the day first, such as 13/05/2024; --dates month-first reads the month first"
            }
        }
    }
}

impl Instant {
    /// Whether the instant counts from 1970 for certain.
    pub(crate) fn is_absolute(self) -> bool {
        !self.is_epoch() && (self.is_date || self.micros >= UNIX_S * 1_000_000)
    }

    /// Returns true for the beginning of 1970 in some time zone, which means unknown in a log with later
    /// dates.
    pub(crate) fn is_epoch(self) -> bool {
        if self.is_date { self.micros.abs() <= DAY_S * 1_000_000 } else { self.micros == 0 }
    }
}

/// Reads instants of one log, in the time zone of that log.
pub(crate) struct Clock {
    zone: TimeZone,
    /// The name of the zone.
    name: String,
    /// Whether no zone was given, so that it is that of the machine.
    is_assumed: bool,
    /// The order of day and month in dates that do not fix it; `None` if none was given.
    pub(crate) order: Option<DateOrder>,
    /// Days, in days since 1970, with the offset of the zone in seconds, which is `None` if it changes on
    /// that day. Each day has one place in the list, which it shares with others; times of a log are mostly
    /// of a few days at a time.
    days: [(i64, Option<i64>); DAYS],
    pub(crate) counts: ClockCounts,
    /// The seconds from the last instant to the other one that the same text may mean, as clocks are put back
    /// between them; 0 if the text means one instant.
    other_s: i64,
}

/// What a clock counts. It is set back where a text is read twice or is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClockCounts {
    /// The number of instants with a fraction of a second. They were rounded, half a second up.
    pub(crate) rounded: u64,
    /// Instants without an offset, read in the time zone.
    local: u64,
    /// The number of local times that occur twice or never, as clocks are put back or forward.
    ambiguous: u64,
    /// The number of dates that are read with the month first although no order was given, and that exist in
    /// both orders.
    either_order: u64,
}

impl Clock {
    /// Takes the parameters `time-zone` and `dates` of a format. The zone is a name such as `Europe/Berlin`,
    /// or an offset such as `+02:00`. The default is the machine's zone, or UTC if that is unknown.
    pub(crate) fn take(params: &mut Params) -> Result<Self, SpecError> {
        let order = if params.given(DATES).is_some() {
            let orders =
                [("month-first", Some(DateOrder::MonthFirst)), ("day-first", Some(DateOrder::DayFirst))];
            params.choose(DATES, &orders)?
        } else {
            None
        };
        let given = params.take_text(TIME_ZONE);
        let is_assumed = given.is_none();
        let name = given.unwrap_or_else(|| local_zone().unwrap_or(UTC).to_owned());
        let zone = zone(&name).ok_or_else(|| {
            let expected = format!("a time zone such as {}, UTC or +02:00", like(&name));
            params.bad_value(TIME_ZONE, &name, &expected)
        })?;
        let days = [(i64::MIN, None); DAYS];
        Ok(Self { zone, name, is_assumed, order, days, counts: ClockCounts::default(), other_s: 0 })
    }

    /// Returns the name of the time zone; `None` if the log was not read with one, as every time told its
    /// offset.
    pub(crate) fn zone_name(&self) -> Option<String> {
        (self.counts.local > 0).then(|| self.name.clone())
    }

    /// Returns true if times were read in an assumed zone.
    pub(crate) fn is_assumed(&self) -> bool {
        self.is_assumed && self.counts.local > 0
    }

    /// Returns what has to be said about the times that were read; an empty list if nothing is odd.
    pub(crate) fn notes(&self) -> Vec<String> {
        let whose = match local_zone() {
            Some(_) => "this machine's zone",
            None => "as this machine's zone is not known",
        };
        let zone =
            || format!("times without a zone are read as {}, {whose}; --time-zone to choose", self.name);
        let order = || {
            let dates = if self.counts.either_order == 1 { "date is" } else { "dates are" };
            format!(
                "{} {dates} read with the month first and would exist with the day first, too, as 05/04/2024 \
                 does; --dates to choose",
                self.counts.either_order
            )
        };
        let zone = self.is_assumed().then(zone);
        zone.into_iter().chain((self.counts.either_order > 0).then(order)).collect()
    }

    /// Returns what was odd about the times that were read, in words with counts.
    pub(crate) fn counts(&self) -> Vec<(&'static str, u64)> {
        let counts = [("times rounded to seconds", self.counts.rounded), (AMBIGUOUS, self.counts.ambiguous)];
        counts.into_iter().filter(|&(_, count)| count > 0).collect()
    }

    /// Parses an instant in whole seconds since 1970, half a second rounded up; `None` if missing. The error
    /// describes the expected text.
    pub(crate) fn instant(&mut self, text: &[u8]) -> Result<Option<i64>, &'static str> {
        let found = self.exact_instant(text, SECONDS, self.order).map_err(InstantError::expected)?;
        Ok(found.map(|instant| rounded_s(instant.micros)))
    }

    /// Returns the instant that `text` spells, to the microsecond; `None` if it is missing.
    ///
    /// Read are the dates of [`Civil::parse`], numbers that count `unit`s since 1970 or since the beginning
    /// of the log, and the words for missing values. `order` is that of day and month; without it the month
    /// is first, which a note counts. O(1), and without the zone's table of changes for days that were met
    /// before.
    ///
    /// A local time that occurs twice, as clocks are put back, is the first of the two instants. A local time
    /// skipped by clocks put forward moves forward by the same amount. Both are counted.
    pub(crate) fn exact_instant(
        &mut self,
        text: &[u8],
        unit: &TimeUnit,
        order: Option<DateOrder>,
    ) -> Result<Option<Instant>, InstantError> {
        self.other_s = 0;
        let text = text.trim_ascii();
        if is_missing(text) {
            return Ok(None);
        }
        let assumed = order.unwrap_or(DateOrder::MonthFirst);
        if let Some(civil) = Civil::parse(text, assumed) {
            let Some(micros) = self.of_civil(&civil) else {
                let other = match assumed {
                    DateOrder::MonthFirst => DateOrder::DayFirst,
                    DateOrder::DayFirst => DateOrder::MonthFirst,
                };
                let exists = Civil::parse(text, other).is_some_and(|civil| civil.seconds().is_some());
                return Err(if exists { InstantError::Order(assumed) } else { InstantError::Form });
            };
            let is_either =
                civil.either.is_some_and(|[first, second]| first <= 12 && second <= 12 && first != second);
            self.counts.either_order += u64::from(is_either && order.is_none());
            let has_minutes_only = memchr::memchr_iter(b':', text).count() < 2;
            return Ok(Some(Instant { micros, is_date: true, has_minutes_only }));
        }
        let micros = scaled(text, unit.micros).ok_or(InstantError::Form)?;
        if micros.abs() > LAST_S * 1_000_000 {
            return Err(InstantError::TooLarge);
        }
        self.counts.rounded += u64::from(has_fraction(micros));
        Ok(Some(Instant { micros, is_date: false, has_minutes_only: false }))
    }

    /// Returns the instant that `text` spells, as [`Self::instant`] does, of something that was not before
    /// `earlier_s`, if that is known: a local time that occurs twice is the second of the two instants if the
    /// first is too early.
    pub(crate) fn instant_after(
        &mut self,
        text: &[u8],
        earlier_s: Option<i64>,
    ) -> Result<Option<i64>, &'static str> {
        let first_s = self.instant(text)?;
        let is_early = first_s.zip(earlier_s).is_some_and(|(first_s, earlier_s)| first_s < earlier_s);
        Ok(if is_early { first_s.map(|first_s| first_s + self.other_s) } else { first_s })
    }

    /// Returns the instant that `text` spells, as [`Self::exact_instant`] does, of something that was not
    /// before `earlier_us`; see [`Self::instant_after`].
    pub(crate) fn exact_instant_after(
        &mut self,
        text: &[u8],
        unit: &TimeUnit,
        order: Option<DateOrder>,
        earlier_us: Option<i64>,
    ) -> Result<Option<Instant>, InstantError> {
        let mut found = self.exact_instant(text, unit, order)?;
        if let (Some(instant), Some(earlier_us)) = (&mut found, earlier_us)
            && instant.micros < earlier_us
        {
            instant.micros += self.other_s * 1_000_000;
        }
        Ok(found)
    }

    /// Returns the other instant that `text` spells, after `first_s`, if it is a local time that occurs
    /// twice; otherwise the same. It has been read before, so nothing is counted.
    pub(crate) fn later_reading(&mut self, text: &[u8], first_s: i64) -> Option<i64> {
        let counts = self.counts;
        let later_s = self.instant_after(text, Some(first_s + 1));
        self.counts = counts;
        later_s.ok().flatten()
    }

    /// Returns the microseconds since 1970 of a day and a time of the day; `None` if the calendar does not
    /// have it.
    fn of_civil(&mut self, civil: &Civil) -> Option<i64> {
        let civil_s = civil.seconds()?;
        self.counts.rounded += u64::from(civil.fraction_us > 0);
        let micros = |unix_s: i64| unix_s * 1_000_000 + civil.fraction_us;
        if let Some(offset_s) = civil.offset_s {
            return Some(micros(civil_s - offset_s));
        }
        self.counts.local += 1;
        let date = civil_s.div_euclid(DAY_S);
        let place = date.rem_euclid(DAYS as i64) as usize;
        if self.days[place].0 != date {
            self.days[place] = (date, self.offset_of_day(date));
        }
        if let Some(offset_s) = self.days[place].1 {
            return Some(micros(civil_s - offset_s));
        }
        let ambiguous = self.zone.to_ambiguous_timestamp(civil.date_time()?);
        self.counts.ambiguous += u64::from(ambiguous.is_ambiguous());
        if let AmbiguousOffset::Fold { before, after } = ambiguous.offset() {
            self.other_s = i64::from(before.seconds() - after.seconds());
        }
        Some(micros(ambiguous.compatible().ok()?.as_second() + i64::from(civil.is_leap_second())))
    }

    /// Returns the offset from UTC in seconds on a day, in days since 1970; `None` if it changes then.
    fn offset_of_day(&self, day: i64) -> Option<i64> {
        let offset_s = |unix_s: i64| {
            let time = Timestamp::from_second(unix_s).ok()?;
            Some(i64::from(self.zone.to_offset(time).seconds()))
        };
        // Offsets are below 26 hours, so the day lies within these two instants wherever it is.
        let before_s = offset_s((day - 2) * DAY_S)?;
        let after_s = offset_s((day + 3) * DAY_S)?;
        (before_s == after_s).then_some(before_s)
    }
}

/// Returns the full name of the time zone of a city, such as `America/New_York` for `new york`; that of
/// Berlin if there is none. `Etc/GMT+2` is west of Greenwich, and hardly meant by `GMT+2`.
fn like(name: &str) -> String {
    let city = name.replace(' ', "_").to_lowercase();
    let is_its = |zone: &str| {
        !zone.starts_with("Etc/") && zone.to_lowercase().rsplit_once('/').is_some_and(|(_, its)| its == city)
    };
    let found = jiff::tz::db().available().find(|zone| is_its(zone.as_str()));
    found.map_or_else(|| "Europe/Berlin".to_owned(), |zone| zone.to_string())
}

/// Returns the time zone of a name or an offset; `None` if there is none.
pub(crate) fn zone(name: &str) -> Option<TimeZone> {
    if let Some(offset_s) = offset(name.as_bytes()) {
        return Some(TimeZone::fixed(Offset::from_seconds(offset_s as i32).ok()?));
    }
    named(name)
}

// The local time zone, the default for dates without a zone.
//
// This crate reads no environment. The program sets the machine's zone once; until then it is UTC. Results
// record the zone used, so they are the same on every machine.

/// Prefix of the rules of an unnamed zone, such as `posix:CET-1CEST;M3.5.0;M10.5.0/3`. Semicolons replace
/// commas, which end parameters.
pub const POSIX: &str = "posix:";

/// Returns the zone of a name, or of rules behind [`POSIX`]; `None` if there is none.
pub(super) fn named(name: &str) -> Option<TimeZone> {
    match name.strip_prefix(POSIX) {
        Some(rules) => TimeZone::posix(&rules.replace(';', ",")).ok(),
        None => TimeZone::get(name).ok(),
    }
}

/// Zone of the machine, once set.
static LOCAL: OnceLock<String> = OnceLock::new();

/// Sets the zone of dates without a zone, such as `Europe/Berlin` or `posix:CET-1CEST;M3.5.0;M10.5.0/3`, for
/// all logs this process opens from now on. The parameter `time-zone` overrides it. Returns true if the zone
/// exists and none was set before; later calls have no effect.
pub fn set_local_zone(name: &str) -> bool {
    // All spellings of UTC have one name in results.
    let name = if ["Etc/UTC", "Etc/UCT", "UCT", "Zulu"].contains(&name) { "UTC" } else { name };
    named(name).is_some_and(|zone| !zone.is_unknown()) && LOCAL.set(name.to_owned()).is_ok()
}

/// Returns the zone of the machine; `None`, meaning UTC, if not set.
fn local_zone() -> Option<&'static str> {
    LOCAL.get().map(String::as_str)
}

#[cfg(test)]
mod local_tests {
    use super::*;

    #[test]
    fn a_zone_that_does_not_exist_is_not_taken() {
        for name in ["Mars/Olympus", "Etc/Unknown", ""] {
            assert!(!set_local_zone(name), "{name}");
        }
        // Another test may have told a zone that exists.
        assert!(local_zone().is_none_or(|name| named(name).is_some()), "{:?}", local_zone());
    }
}

#[cfg(test)]
mod tests;
