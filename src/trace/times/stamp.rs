//! Reads instants, such as `2024-05-01T12:00:00`, `05/13/2024 10:00:00` and seconds since 1970.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "years have four digits, all other parts two, and plain seconds are below 10^11, so that seconds are \
              below 2^39"
)]

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::is_missing;
use super::local::{local_zone, named};
use crate::spec::{Params, SpecError};

/// What an instant may look like, for messages.
const EXPECTED: &str = "a time such as 2024-05-01T12:00:00, 2024-05-01 12:00:00+02:00 or seconds since 1970";

const DAY_S: i64 = 86_400;

/// The number of days whose offsets are remembered.
const DAYS: usize = 32;

/// The zone if nobody tells another.
const UTC: &str = "UTC";

/// The name of the parameter of formats that tells the time zone.
pub const TIME_ZONE: &str = "time-zone";

/// Reads instants of one log, in the time zone of that log.
pub(in crate::trace) struct Clock {
    zone: TimeZone,
    /// The name of the zone.
    name: String,
    /// Whether nobody said which zone it is, so that it is that of the machine.
    is_assumed: bool,
    /// Days, in days since 1970, with the offset of the zone in seconds, which is `None` if it changes on that day. Each day
    /// has one place in the list, which it shares with others; times of a log are mostly of a few days at a time.
    days: [(i64, Option<i64>); DAYS],
    /// The number of instants with a fraction of a second. They were rounded, half a second up.
    pub(in crate::trace) rounded: u64,
    /// The number of instants of which the text told no offset, so that the time zone did.
    pub(in crate::trace) local: u64,
    /// The number of local times that occur twice or never, as clocks are put back or forward.
    pub(in crate::trace) ambiguous: u64,
    /// The seconds from the last instant to the other one that the same text may mean, as clocks are put back between
    /// them; 0 if the text means one instant.
    other_s: i64,
}

/// A day and a time of the day, as a text has them.
struct Civil {
    /// Year, month, day, hour, minute, second.
    parts: [i64; 6],
    /// Whether a fraction of a second of at least a half follows; `None` if there is no fraction.
    is_half: Option<bool>,
    /// The offset from UTC in seconds that follows; `None` if there is none.
    offset_s: Option<i64>,
}

impl Clock {
    /// Takes the parameter `time-zone` of a format: the name of a zone such as `Europe/Berlin`, or an offset such as
    /// `+02:00`. Without it, times are those of the machine's zone, or of UTC if that is not known.
    pub(in crate::trace) fn take(params: &mut Params) -> Result<Self, SpecError> {
        let given = params.take_text(TIME_ZONE);
        let is_assumed = given.is_none();
        let name = given.unwrap_or_else(|| local_zone().unwrap_or(UTC).to_owned());
        let zone = zone(&name).ok_or_else(|| {
            params.bad_value(TIME_ZONE, &name, "a time zone such as Europe/Berlin, UTC or +02:00")
        })?;
        let days = [(i64::MIN, None); DAYS];
        Ok(Self { zone, name, is_assumed, days, rounded: 0, local: 0, ambiguous: 0, other_s: 0 })
    }

    /// Returns the name of the time zone; `None` if the log was not read with one, as every time told its offset.
    pub(in crate::trace) fn zone_name(&self) -> Option<String> {
        (self.local > 0).then(|| self.name.clone())
    }

    /// Returns whether times were read in a zone that nobody has given.
    pub(in crate::trace) fn is_assumed(&self) -> bool {
        self.is_assumed && self.local > 0
    }

    /// Returns what has to be said about the times that were read; an empty list if nothing is odd.
    pub(in crate::trace) fn notes(&self) -> Vec<String> {
        let whose = match local_zone() {
            Some(_) => "this machine's zone",
            None => "as this machine's zone is not known",
        };
        let note =
            || format!("times without a zone are read as {}, {whose}; --time-zone to choose", self.name);
        self.is_assumed().then(note).into_iter().collect()
    }

    /// Returns what was odd about the times that were read, in words with counts.
    pub(in crate::trace) fn counts(&self) -> Vec<(&'static str, u64)> {
        let counts = [
            ("times rounded to seconds", self.rounded),
            ("times at which clocks are put forward or back", self.ambiguous),
        ];
        counts.into_iter().filter(|&(_, count)| count > 0).collect()
    }

    /// Returns the instant that `text` spells, in whole seconds since 1970, half a second rounded up; `None` if it is
    /// missing. The result is what was expected, in words, if the text is no instant.
    ///
    /// Read are `YYYY-MM-DD`, `YYYY/MM/DD`, `MM/DD/YYYY` and `DD.MM.YYYY`, alone (midnight) or with a time `HH:MM` or
    /// `HH:MM:SS` after a blank or `T`, with a fraction of a second and with `Z`, `UTC` or an offset such as `+02:00`;
    /// numbers of seconds since 1970; and the words for missing values. O(1), and without the zone's table of changes
    /// for days that were met before.
    ///
    /// A local time that occurs twice, as clocks are put back, is the first of the two instants. One that never occurs, as
    /// clocks are put forward, is as much later as they are put forward. Both are counted.
    pub(in crate::trace) fn instant(&mut self, text: &[u8]) -> Result<Option<i64>, &'static str> {
        self.other_s = 0;
        let text = text.trim_ascii();
        if is_missing(text) {
            return Ok(None);
        }
        if let Some(civil) = civil(text) {
            return self.of_civil(&civil).map(Some).ok_or(EXPECTED);
        }
        let number = std::str::from_utf8(text)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.' || byte == b'-'));
        let seconds: f64 = number.and_then(|text| text.parse().ok()).ok_or(EXPECTED)?;
        // 10¹¹ seconds are 3,000 years. Larger numbers are milliseconds, or no times at all.
        if seconds.abs() > 1e11 {
            return Err("seconds since 1970, not milliseconds or less");
        }
        self.rounded += u64::from(seconds.fract().abs() > 0.0);
        Ok(Some((seconds + 0.5).floor() as i64))
    }

    /// Returns the instant that `text` spells, as [`Self::instant`] does, of something that was not before `earlier_s`,
    /// if that is known: a local time that occurs twice is the second of the two instants if the first is too early.
    pub(in crate::trace) fn instant_after(
        &mut self,
        text: &[u8],
        earlier_s: Option<i64>,
    ) -> Result<Option<i64>, &'static str> {
        let first_s = self.instant(text)?;
        let is_early = first_s.zip(earlier_s).is_some_and(|(first_s, earlier_s)| first_s < earlier_s);
        Ok(if is_early { first_s.map(|first_s| first_s + self.other_s) } else { first_s })
    }

    /// Returns the other instant that `text` spells, after `first_s`, if it is a local time that occurs twice; otherwise the same. It
    /// has been read before, so nothing is counted.
    pub(in crate::trace) fn later_reading(&mut self, text: &[u8], first_s: i64) -> Option<i64> {
        let counted = (self.rounded, self.local, self.ambiguous);
        let later_s = self.instant_after(text, Some(first_s + 1));
        (self.rounded, self.local, self.ambiguous) = counted;
        later_s.ok().flatten()
    }

    /// Returns the instant of a day and a time of the day; `None` if the calendar does not have it.
    fn of_civil(&mut self, civil: &Civil) -> Option<i64> {
        let [year, month, day, hour, minute, second] = civil.parts;
        if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
            return None;
        }
        // A leap second counts as the second after it.
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let date = days_since_1970(year, month, day);
        let civil_s = date * DAY_S + 3600 * hour + 60 * minute + second;
        self.rounded += u64::from(civil.is_half.is_some());
        let extra_s = i64::from(civil.is_half == Some(true));
        if let Some(offset_s) = civil.offset_s {
            return Some(civil_s - offset_s + extra_s);
        }
        self.local += 1;
        let place = date.rem_euclid(DAYS as i64) as usize;
        if self.days[place].0 != date {
            self.days[place] = (date, self.offset_of_day(date));
        }
        if let Some(offset_s) = self.days[place].1 {
            return Some(civil_s - offset_s + extra_s);
        }
        let [year, month, day, hour, minute, second] = civil.parts.map(|part| part as i16);
        let civil =
            DateTime::new(year, month as i8, day as i8, hour as i8, minute as i8, second.min(59) as i8, 0);
        let ambiguous = self.zone.to_ambiguous_timestamp(civil.ok()?);
        self.ambiguous += u64::from(ambiguous.is_ambiguous());
        if let AmbiguousOffset::Fold { before, after } = ambiguous.offset() {
            self.other_s = i64::from(before.seconds() - after.seconds());
        }
        Some(ambiguous.compatible().ok()?.as_second() + extra_s + i64::from(second == 60))
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

/// Returns the time zone of a name or an offset; `None` if there is none.
pub(in crate::trace) fn zone(name: &str) -> Option<TimeZone> {
    if let Some(offset_s) = offset(name.as_bytes()) {
        return Some(TimeZone::fixed(Offset::from_seconds(offset_s as i32).ok()?));
    }
    named(name)
}

/// Returns the seconds of an offset from UTC: `Z`, `UTC`, `GMT`, `+02`, `+0200` or `-05:30`. `None` if it is none.
fn offset(text: &[u8]) -> Option<i64> {
    if [&b"Z"[..], b"UTC", b"GMT"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Some(0);
    }
    let (sign, rest) = match text {
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest {
        [a, b] => (digits(&[*a, *b])?, 0),
        [a, b, c, d] | [a, b, b':', c, d] => (digits(&[*a, *b])?, digits(&[*c, *d])?),
        _ => return None,
    };
    (hours < 25 && minutes < 60).then_some(sign * (3600 * hours + 60 * minutes))
}

/// Returns the number of some digits; `None` if there are none or something else is among them.
fn digits(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| 10 * number + i64::from(byte - b'0')))
}

/// Returns the day and the time of a text; `None` if the text does not begin with a date. The values may be beyond the
/// calendar.
fn civil(text: &[u8]) -> Option<Civil> {
    let (date, rest) = text.split_at_checked(10)?;
    let [year, month, day] = match *date {
        [_, _, _, _, b'-', _, _, b'-', _, _] | [_, _, _, _, b'/', _, _, b'/', _, _] => {
            [&date[..4], &date[5..7], &date[8..]]
        }
        [_, _, b'/', _, _, b'/', ..] => [&date[6..], &date[..2], &date[3..5]],
        [_, _, b'.', _, _, b'.', ..] => [&date[6..], &date[3..5], &date[..2]],
        _ => return None,
    };
    let mut parts = [digits(year)?, digits(month)?, digits(day)?, 0, 0, 0];
    let [b' ' | b'T' | b't' | b'_', rest @ ..] = rest else {
        return rest.is_empty().then_some(Civil { parts, is_half: None, offset_s: None });
    };
    let rest = rest.trim_ascii_start();
    let ([h1, h2, b':', m1, m2, rest @ ..] | [h1, h2, m1, m2, rest @ ..]) = rest else { return None };
    (parts[3], parts[4]) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
    let mut rest = rest;
    if let [b':', s1, s2, after @ ..] = rest {
        (parts[5], rest) = (digits(&[*s1, *s2])?, after);
    }
    let mut is_half = None;
    if let [b'.' | b',', after @ ..] = rest {
        let length = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (fraction, after) = after.split_at(length);
        let first = *fraction.first()?;
        is_half = fraction.iter().any(|&digit| digit != b'0').then_some(first >= b'5');
        rest = after;
    }
    let rest = rest.trim_ascii();
    let offset_s = if rest.is_empty() { None } else { Some(offset(rest)?) };
    Some(Civil { parts, is_half, offset_s })
}

/// Returns whether a year of the Gregorian calendar has a 29th of February.
fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Returns the number of days of a month, from 1 to 12.
fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the number of days from 1970-01-01 to a day of the Gregorian calendar; negative before it.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    // Days before the first of each month of a year without a leap day.
    const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let leap_days = |years: i64| years / 4 - years / 100 + years / 400;
    let whole = year - 1;
    let leap = i64::from(month > 2 && is_leap(year));
    365 * (whole - 1969) + leap_days(whole) - leap_days(1969) + BEFORE[month as usize - 1] + leap + day - 1
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn clock(zone: &str) -> Clock {
        let spec = if zone.is_empty() { "table".to_owned() } else { format!("table:time-zone={zone}") };
        let spec: crate::spec::Spec = spec.parse().expect("a spec");
        Clock::take(&mut Params::new(&spec)).expect("a zone")
    }

    #[test]
    fn every_spelling_is_the_same_instant() {
        for text in [
            "2024-05-01T12:00:00",
            "2024-05-01 12:00:00",
            "2024-05-01 12:00",
            "2024-05-01T12:00:00Z",
            "2024-05-01T14:00:00+02:00",
            "2024-05-01T06:30:00-0530",
            "2024-05-01 12:00:00 UTC",
            "2024/05/01 12:00:00",
            "05/01/2024 12:00:00",
            "01.05.2024 12:00:00",
            "1714564800",
            "1714564800.4",
            "2024-05-01T11:59:59.5",
            "2024-05-01T12:00:00.499999Z",
            "  2024-05-01T12:00:00 ",
            "2024-05-01T11:59:60",
        ] {
            assert_eq!(clock("").instant(text.as_bytes()), Ok(Some(1_714_564_800)), "{text}");
        }
        assert_eq!(clock("").instant(b"2024-05-01"), Ok(Some(1_714_521_600)));
        for text in ["", "Unknown", "None", "N/A", "NaT", "-"] {
            assert_eq!(clock("").instant(text.as_bytes()), Ok(None), "{text}");
        }
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        for text in [
            "x",
            "2024-13-01",
            "2024-02-30T00:00:00",
            "2023-02-29",
            "2024-05-01T24:00:00",
            "2024-05-01T12:60:00",
            "2024-05-01T12:00:00+xx",
            "2024-05-01T12:00:00.",
            "2024-5-1",
            "1714564800000",
            "1e9",
            "12:00:00",
        ] {
            assert!(clock("").instant(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn zones_count_and_clocks_that_are_put_back_are_noted() {
        let mut berlin = clock("Europe/Berlin");
        assert_eq!(berlin.instant(b"2024-05-01T14:00:00"), Ok(Some(1_714_564_800)));
        assert_eq!(berlin.instant(b"2024-01-01T01:00:00"), Ok(Some(1_704_067_200)));
        assert_eq!(berlin.ambiguous, 0);
        // 02:30 occurs twice on 2024-10-27, and never on 2024-03-31.
        assert_eq!(berlin.instant(b"2024-10-27T02:30:00"), Ok(Some(1_729_989_000)));
        assert_eq!(berlin.instant(b"2024-03-31T02:30:00"), Ok(Some(1_711_848_600)));
        assert_eq!((berlin.ambiguous, berlin.local), (2, 4));
        // What was not before 02:40 of summer time is at 02:30 of winter time.
        assert_eq!(
            berlin.instant_after(b"2024-10-27T02:30:00", Some(1_729_989_600)),
            Ok(Some(1_729_992_600))
        );
        assert_eq!(
            berlin.instant_after(b"2024-10-27T02:30:00", Some(1_729_989_000)),
            Ok(Some(1_729_989_000))
        );
        // No other reading helps here.
        assert_eq!(
            berlin.instant_after(b"2024-10-28T02:30:00", Some(1_800_000_000)),
            Ok(Some(1_730_079_000))
        );
        assert_eq!(berlin.instant_after(b"", Some(0)), Ok(None));
        assert_eq!((berlin.zone_name().as_deref(), berlin.notes().len()), (Some("Europe/Berlin"), 0));
        let mut guessed = clock("");
        assert_eq!(guessed.instant(b"2024-05-01T12:00:00Z"), Ok(Some(1_714_564_800)));
        assert_eq!((guessed.zone_name(), guessed.notes().len()), (None, 0));
        assert_eq!(guessed.instant(b"2024-05-01T12:00:00.25"), Ok(Some(1_714_564_800)));
        assert_eq!(
            (guessed.zone_name().as_deref(), guessed.notes().len(), guessed.rounded),
            (Some("UTC"), 1, 1)
        );
        let spec: crate::spec::Spec = "table:time-zone=Mars/Olympus".parse().expect("a spec");
        assert!(Clock::take(&mut Params::new(&spec)).is_err());
        assert_eq!(clock("+02:00").instant(b"2024-05-01T14:00:00"), Ok(Some(1_714_564_800)));
    }

    #[test]
    fn random_local_times_are_those_of_jiff() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for name in
            ["Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe"]
        {
            let zone = TimeZone::get(name).expect("a zone");
            let mut clock = clock(name);
            for _ in 0..20_000 {
                let unix_s = rng.random_range(0..4_000_000_000_i64);
                let civil = zone.to_datetime(Timestamp::from_second(unix_s).expect("in range"));
                let text = civil.strftime("%Y-%m-%dT%H:%M:%S").to_string();
                let expected = zone.to_ambiguous_timestamp(civil).compatible().expect("in range").as_second();
                assert_eq!(clock.instant(text.as_bytes()), Ok(Some(expected)), "{text} {name}");
            }
        }
    }
}
