//! Reads dates and times of the day as people and programs write them, without a time zone's rules.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "years have four digits and all other parts two"
)]

use jiff::civil::DateTime;

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
    /// fraction, `AM` or `PM`, and an offset. Behind `YYYY/MM/DD` there may be a hyphen, too.
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
            [b'-', rest @ ..] if separator == b'/' && lengths[0] == 4 => civil.read_time(rest)?,
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

    /// Returns the calendar time; a leap second becomes the second before it. `None` if the calendar lacks
    /// it.
    pub(super) fn date_time(&self) -> Option<DateTime> {
        let [year, month, day, hour, minute, second] = self.parts.map(|part| part as i16);
        let second = if second == 60 { 59 } else { second };
        DateTime::new(year, month as i8, day as i8, hour as i8, minute as i8, second as i8, 0).ok()
    }

    /// Returns whether this is the second 60 of a minute.
    pub(super) fn is_leap_second(&self) -> bool {
        self.parts[5] == 60
    }

    /// Returns the seconds from 1970-01-01T00:00:00 to this time on a clock that is never changed; `None` if
    /// the calendar does not have it. A leap second counts as the second after it.
    pub(super) fn seconds(&self) -> Option<i64> {
        const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);
        let since = self.date_time()?.duration_since(EPOCH);
        Some(since.as_secs() + i64::from(self.is_leap_second()))
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

/// Returns the number of one to nine digits; `None` if something else is among them.
pub(crate) fn digits(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter()
        .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| 10 * number + i64::from(byte - b'0')))
}
