//! The values of a line by their keys.

use crate::error::Problem;
use crate::facts::{Oddities, ROUNDED};
use crate::fields::whole_number;
use crate::times::{Length, Pair, duration, has_fraction, is_missing, rounded_s, scaled};

/// The microseconds of a second.
const MICROS_PER_S: i64 = 1_000_000;

/// Decimal instants are below this; above it they are milliseconds. That is the year 5138.
const MAX_MICROS: i64 = 100_000_000_000 * MICROS_PER_S;

/// The values of a line, in its order.
pub(super) struct Values<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Values<'a> {
    /// Returns the values of a text such as `user=anna group=g account="a b"`. A word without `=` is left
    /// out.
    pub(super) fn of(text: &'a str) -> Self {
        let (mut values, mut rest) = (Vec::new(), text.trim());
        while let Some((before, after)) = rest.split_once('=') {
            let (value, next) = match after.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
                Some(quoted) => quoted,
                None => after.split_once(' ').unwrap_or((after, "")),
            };
            let key = before.rsplit(' ').next().unwrap_or(before);
            values.push((key, value));
            rest = next.trim_start();
        }
        Self(values)
    }

    /// Returns the value of a key; `None` if it is missing.
    pub(super) fn text(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == key).map(|&(_, value)| value)
    }

    /// Returns the value of a key; `None` if it is missing or empty.
    pub(super) fn filled(&self, key: &str) -> Option<&'a str> {
        self.text(key).filter(|text| !text.is_empty())
    }

    /// Returns the value of a key as an integer; `None` if it is missing or empty.
    pub(super) fn number(&self, key: &str) -> Result<Option<i64>, Problem> {
        self.filled(key).map(|text| whole_number(4, key, text.as_bytes())).transpose()
    }

    /// Returns the instant of a key in seconds since 1970; `None` if it is missing, unknown or 0. A fraction
    /// of a second is rounded, half a second up, and counted in `odd`.
    pub(super) fn time(&self, key: &str, odd: &mut Oddities) -> Result<Option<i64>, Problem> {
        let Some(text) = self.filled(key).filter(|text| !is_missing(text.as_bytes())) else {
            return Ok(None);
        };
        if let Ok(time_s) = text.parse() {
            return Ok(Some(time_s).filter(|&time_s| time_s > 0));
        }
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let micros =
            scaled(text.as_bytes(), MICROS_PER_S).filter(|&micros| is_decimal && micros < MAX_MICROS);
        let Some(micros) = micros else {
            return Err(Problem::column(4, key, text.as_bytes(), "seconds since 1970"));
        };
        odd.add(ROUNDED, has_fraction(micros));
        let time_s = rounded_s(micros);
        Ok(Some(time_s).filter(|&time_s| time_s > 0))
    }

    /// Returns the duration of a key. Two numbers are hours and minutes.
    pub(super) fn duration(&self, key: &str) -> Result<Length, Problem> {
        let text = self.text(key).unwrap_or_default();
        duration(text.as_bytes(), 1, Pair::HoursMinutes)
            .map_err(|expected| Problem::column(4, key, text.as_bytes(), expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_words_that_belong_to_no_value() {
        let values = Values::of(r#"user=anna account="a = b" jobname=my job queue=batch end= args="" x=1"#);
        for (key, value) in [
            ("user", Some("anna")),
            ("account", Some("a = b")),
            ("jobname", Some("my")),
            ("queue", Some("batch")),
            ("args", Some("")),
            ("x", Some("1")),
            ("job queue", None),
        ] {
            assert_eq!(values.text(key), value, "{key}");
        }
    }

    #[test]
    fn instants_are_rounded_and_unknown_ones_are_none() {
        for (text, expected, is_rounded) in [
            ("1549188000", Some(1_549_188_000), false),
            ("1549188000.0", Some(1_549_188_000), false),
            ("1549188000.25", Some(1_549_188_000), true),
            ("1549188000.5", Some(1_549_188_001), true),
            ("0", None, false),
            ("0.0", None, false),
            ("Unknown", None, false),
            ("", None, false),
        ] {
            let mut odd = Oddities::new(&[ROUNDED]);
            let line = format!("start={text} end=1");
            assert_eq!(Values::of(&line).time("start", &mut odd), Ok(expected), "{text}");
            assert_eq!(!odd.rows().is_empty(), is_rounded, "{text}");
        }
        for text in ["x", "1e9", "inf", "1549188000250.5"] {
            let mut odd = Oddities::new(&[]);
            assert!(Values::of(&format!("start={text}")).time("start", &mut odd).is_err(), "{text}");
        }
    }
}
