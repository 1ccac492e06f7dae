//! Reads dates and times of the day as people and programs write them, without a time zone's rules.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "years have four digits and all other parts two; months are checked before they index a table"
)]

use super::decimal::scaled;

/// The order of day and month in dates such as `05/04/2024`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    /// `05/13/2024`, as in the United States.
    MonthFirst,
    /// `13/05/2024`.
    DayFirst,
}

/// A day and a time of the day.
pub(super) struct Civil {
    /// Year, month, day, hour, minute, second; perhaps beyond the calendar.
    pub(super) parts: [i64; 6],
    /// The fraction of the second in microseconds.
    pub(super) fraction_us: i64,
    /// The offset from UTC in seconds that follows; `None` if there is none.
    pub(super) offset_s: Option<i64>,
    /// The first two numbers of a date whose order is not fixed, such as `05/04/2024`; `None` for all other
    /// dates.
    pub(super) either: Option<[i64; 2]>,
}

impl Civil {
    /// Returns the day and the time of a text; `None` if the text is none. Dates whose order is not fixed
    /// have `order`.
    ///
    /// Read are `YYYY-MM-DD` (also with `/`), `DD.MM.YYYY`, and with either order `MM/DD/YYYY` and
    /// `MM-DD-YYYY`; alone or with `HH:MM`, `HHMM` or `HH:MM:SS` behind a blank, a comma, `T` or `_`, a
    /// fraction, `AM` or `PM`, and an offset.
    pub(super) fn parse(text: &[u8], order: DateOrder) -> Option<Self> {
        let DateText { numbers: [first, second, third], separator, rest } = DateText::split(text)?;
        let lengths = [first.len(), second.len(), third.len()];
        let [first_number, second_number, third_number] = [digits(first)?, digits(second)?, digits(third)?];
        let (date, either) = match (lengths, separator) {
            ([4, 2, 2], b'-' | b'/') => ([first_number, second_number, third_number], None),
            ([1 | 2, 1 | 2, 4], b'.') => ([third_number, second_number, first_number], None),
            ([1 | 2, 1 | 2, 4], b'/' | b'-') => {
                let date = match order {
                    DateOrder::MonthFirst => [third_number, first_number, second_number],
                    DateOrder::DayFirst => [third_number, second_number, first_number],
                };
                (date, Some([first_number, second_number]))
            }
            _ => return None,
        };
        let [year, month, day] = date;
        let mut civil = Self { parts: [year, month, day, 0, 0, 0], fraction_us: 0, offset_s: None, either };
        let rest = rest.strip_prefix(b",").unwrap_or(rest);
        match rest {
            [] => return Some(civil),
            [b' ' | b'T' | b't' | b'_', rest @ ..] => civil.read_time(rest.trim_ascii())?,
            _ => return None,
        }
        Some(civil)
    }

    /// Reads the time of the day and what follows it; `None` if the text is none.
    fn read_time(&mut self, text: &[u8]) -> Option<()> {
        let (hour, rest) = match text {
            [h1, h2, b':', rest @ ..] => (digits(&[*h1, *h2])?, rest),
            [h, b':', rest @ ..] => (digits(&[*h])?, rest),
            [h1, h2, rest @ ..] => (digits(&[*h1, *h2])?, rest),
            _ => return None,
        };
        let [m1, m2, rest @ ..] = rest else { return None };
        (self.parts[3], self.parts[4]) = (hour, digits(&[*m1, *m2])?);
        let mut rest = rest;
        if let [b':', s1, s2, after @ ..] = rest {
            (self.parts[5], rest) = (digits(&[*s1, *s2])?, after);
        }
        if let [b'.' | b',', after @ ..] = rest {
            let length = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (fraction, after) = after.split_at(length);
            if fraction.is_empty() {
                return None;
            }
            let decimal = [b".", fraction].concat();
            (self.fraction_us, rest) = (scaled(&decimal, 1_000_000)?, after);
        }
        let rest = self.read_half_of_day(rest.trim_ascii())?;
        self.offset_s = if rest.is_empty() { None } else { Some(offset(rest)?) };
        Some(())
    }

    /// Reads `AM` or `PM`, if the text begins with it, and returns the rest; `None` if the hour does not suit
    /// it.
    fn read_half_of_day<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let (is_afternoon, rest) = match text {
            [b'A' | b'a', b'M' | b'm', rest @ ..] => (false, rest),
            [b'P' | b'p', b'M' | b'm', rest @ ..] => (true, rest),
            _ => return Some(text),
        };
        if !(1..=12).contains(&self.parts[3]) {
            return None;
        }
        self.parts[3] = self.parts[3] % 12 + if is_afternoon { 12 } else { 0 };
        Some(rest.trim_ascii())
    }

    /// Returns the seconds from 1970-01-01T00:00:00 to this time on a clock that is never changed; `None` if
    /// the calendar does not have it. A leap second counts as the second after it.
    pub(super) fn seconds(&self) -> Option<i64> {
        let [year, month, day, hour, minute, second] = self.parts;
        if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
            return None;
        }
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        Some(days_since_1970(year, month, day) * 86_400 + 3600 * hour + 60 * minute + second)
    }
}

/// Returns the first two numbers of a date whose order is not fixed, such as `05/04/2024`; `None` for any
/// other text.
pub(crate) fn numbers_of_date(text: &[u8]) -> Option<[i64; 2]> {
    Civil::parse(text.trim_ascii(), DateOrder::MonthFirst)?.either
}

/// A text that begins with three numbers and the same sign between them.
struct DateText<'a> {
    numbers: [&'a [u8]; 3],
    separator: u8,
    rest: &'a [u8],
}

impl<'a> DateText<'a> {
    fn split(text: &'a [u8]) -> Option<Self> {
        let number = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (first, rest) = text.split_at(number(text));
        let (&separator, rest) = rest.split_first()?;
        let (second, rest) = rest.split_at(number(rest));
        let rest = rest.strip_prefix(&[separator])?;
        let (third, rest) = rest.split_at(number(rest));
        Some(Self { numbers: [first, second, third], separator, rest })
    }
}

/// Returns the seconds of an offset from UTC: `Z`, `UTC`, `GMT`, `+02`, `+0200` or `-05:30`. `None` if it is
/// none.
pub(super) fn offset(text: &[u8]) -> Option<i64> {
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
