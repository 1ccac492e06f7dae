//! Lengths of time as texts: a number with a unit, such as `30d`.

use std::fmt;
use std::str::FromStr;

use meshreplay_base::job::Time;

/// The seconds of a year of 365 days.
const YEAR_S: f64 = 365.0 * 86_400.0;

/// The units, each with its seconds.
const UNITS: [(&str, f64); 5] = [("s", 1.0), ("min", 60.0), ("h", 3_600.0), ("d", 86_400.0), ("y", YEAR_S)];

/// The texts that are lengths of time, in words.
pub(super) const EXPECTED: &str = "a time of at least 0 in seconds or with a unit (s, min, h, d or y), such \
     as 90min or 30d, up to 100,000 years";

/// The longest length of time, in seconds: 100,000 years.
const LONGEST_S: f64 = 100_000.0 * YEAR_S;

/// A length of time: its spelling and its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    text: String,
    /// The length in seconds.
    pub(super) seconds: f64,
}

impl FromStr for Span {
    type Err = ();

    /// Reads a number that is followed by a unit. A number alone is in seconds.
    fn from_str(text: &str) -> Result<Self, ()> {
        let at = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(text.len());
        let (number, unit) = text.split_at(at);
        let unit = if unit.is_empty() { "s" } else { unit };
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or(())?;
        let seconds = number.parse::<f64>().map_err(|_| ())? * factor;
        if (0.0..=LONGEST_S).contains(&seconds) {
            Ok(Self { text: text.to_owned(), seconds })
        } else {
            Err(())
        }
    }
}

/// Writes the original spelling.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl Span {
    /// Returns the length of `factor` times this length of time, in whole microseconds.
    pub(super) fn times(&self, factor: f64) -> Time {
        // The cast saturates, and sums of times do.
        Time::from_micros((self.seconds * factor * 1e6).round() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit_are_a_length_of_time() {
        for (text, seconds) in [
            ("0", 0.0),
            ("90", 90.0),
            ("90s", 90.0),
            ("1.5min", 90.0),
            ("2h", 7200.0),
            ("30d", 2_592_000.0),
            ("2y", 63_072_000.0),
            ("1e3s", 1e3),
        ] {
            let span: Option<Span> = text.parse().ok();
            assert_eq!(span.as_ref().map(|span| span.seconds), Some(seconds), "{text}");
            assert_eq!(span.map(|span| span.to_string()).as_deref(), Some(text));
        }
        for text in ["", "d", "3 d", "3m", "-1s", "nan", "infd", "1e300d", "3days"] {
            assert_eq!(text.parse::<Span>(), Err(()), "{text}");
        }
    }
}
