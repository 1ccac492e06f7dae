//! Reads durations, such as `2-12:00:00`, `36:00:00`, `90s`, `1.5h`, `PT10M`, `0 days 00:10:00` and
//! `UNLIMITED`.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "every number is at most 2^60 microseconds, and a text has at most four of them or each sum is \
         checked"
)]

use super::civil::digits;
use super::decimal::{has_fraction, rounded_s, scaled};
use super::is_missing;
use super::unit::{SECONDS, TimeUnit, UNITS};

/// A duration as a log has it, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// The duration is missing or unknown.
    Missing,
    /// There is no limit.
    Unlimited,
    /// Seconds, rounded half a second up. The flag is true if a fraction was rounded.
    Seconds(i64, bool),
}

/// A duration to the microsecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exact {
    /// The duration is missing or unknown.
    Missing,
    /// There is no limit.
    Unlimited,
    /// The duration in microseconds.
    Micros(i64),
}

/// The meaning of two numbers with a colon between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pair {
    /// Minutes and seconds, as in Slurm.
    MinutesSeconds,
    /// Hours and minutes, as in PBS.
    HoursMinutes,
}

/// What a duration may look like, for messages.
const EXPECTED: &str = "a number of seconds or a duration such as 01:00:00, 1-12:00:00, 90s or 1.5h";

/// The same where a number alone does not count seconds.
const EXPECTED_WITH_UNIT: &str = "a duration such as 01:00:00, 1-12:00:00, 90s or 1.5h";

/// The greatest duration, 2^40 s (more than 30,000 years), so that sums of durations stay in range.
const LONGEST_US: i64 = (1 << 40) * 1_000_000;

const MINUTE_US: i64 = 60_000_000;
const HOUR_US: i64 = 60 * MINUTE_US;
const DAY_US: i64 = 24 * HOUR_US;

/// Returns the duration that `text` spells, rounded to seconds; see [`exact_duration`]. A number alone counts
/// units of `plain_s` seconds, such as 60 for minutes.
pub(crate) fn duration(text: &[u8], plain_s: u32, pair: Pair) -> Result<Length, &'static str> {
    if let Some(whole_s) = clock_or_whole(text.trim_ascii(), plain_s) {
        return Ok(Length::Seconds(whole_s, false));
    }
    let unit = UNITS.iter().find(|unit| unit.micros == i64::from(plain_s) * SECONDS.micros);
    Ok(match exact_duration(text, unit.unwrap_or(SECONDS), pair)? {
        Exact::Missing => Length::Missing,
        Exact::Unlimited => Length::Unlimited,
        Exact::Micros(micros) => Length::Seconds(rounded_s(micros), has_fraction(micros)),
    })
}

/// Parses a duration to the microsecond. A number alone counts `plain` units; `pair` is the meaning of
/// `10:30`. The error describes the expected text.
///
/// Read are `D-HH[:MM[:SS]]`, `HH:MM:SS` with any number of hours, `A:B`, `N days HH:MM:SS` with or without a
/// comma (as Python and pandas print), numbers with units, also several of them (`1h30m`), durations of ISO
/// 8601 (`P1DT2H`), the words for missing values, −1, and `UNLIMITED`. Seconds may have a fraction.
pub(crate) fn exact_duration(text: &[u8], plain: &TimeUnit, pair: Pair) -> Result<Exact, &'static str> {
    let text = text.trim_ascii();
    if is_missing(text) || text == b"-1" {
        return Ok(Exact::Missing);
    }
    if let Some(micros) = scaled(text, plain.micros).filter(|micros| (0..=LONGEST_US).contains(micros)) {
        return Ok(Exact::Micros(micros));
    }
    if [&b"unlimited"[..], b"infinite"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Ok(Exact::Unlimited);
    }
    let micros = std::str::from_utf8(text).ok().and_then(|text| spelled_out(text, pair));
    let micros = micros.filter(|micros| (0..=LONGEST_US).contains(micros));
    let expected = if plain == SECONDS { EXPECTED } else { EXPECTED_WITH_UNIT };
    micros.map(Exact::Micros).ok_or(expected)
}

/// Returns the seconds of the two commonest spellings, `HH:MM:SS` with two digits each and a number of at
/// most 9 digits; `None` for all others. This is the fast path: it allocates nothing.
fn clock_or_whole(text: &[u8], plain_s: u32) -> Option<i64> {
    if let [h1, h2, b':', m1, m2, b':', s1, s2] = *text {
        let (h, m, s) = (digits(&[h1, h2])?, digits(&[m1, m2])?, digits(&[s1, s2])?);
        return (m < 60 && s < 60).then_some(3600 * h + 60 * m + s);
    }
    Some(digits(text)? * i64::from(plain_s))
}

/// Returns the microseconds of any spelling except words and numbers alone; `None` if it is none.
fn spelled_out(text: &str, pair: Pair) -> Option<i64> {
    if let Some(iso) = text.strip_prefix(['P', 'p']) {
        return iso_8601(iso);
    }
    // `1 day, 2:00:00` is how Python prints durations, and `1 days 02:00:00` how pandas does; `1-02:00:00` is
    // Slurm's way.
    if let Some((days, rest)) = text.split_once(" day") {
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        let rest = rest.strip_prefix('+').unwrap_or(rest);
        if rest.contains(':') {
            return number(days, DAY_US)?.checked_add(colons(rest, 1_000_000, pair)?);
        }
    }
    if let Some((days, rest)) = text.split_once('-') {
        // After days, one number is hours, and two are hours and minutes.
        let rest = colons(rest, HOUR_US, Pair::HoursMinutes)?;
        return number(days, DAY_US)?.checked_add(rest);
    }
    if text.contains(':') {
        return colons(text, 1_000_000, pair);
    }
    units(text)
}

/// Returns the microseconds of one to three numbers with colons between them. One number counts units of
/// `single_us`.
fn colons(text: &str, single_us: i64, pair: Pair) -> Option<i64> {
    let parts: Vec<&str> = text.split(':').collect();
    // Minutes and seconds after another part are below 60.
    let is_over = |part: &&str| number(part, 1_000_000).is_none_or(|micros| micros >= MINUTE_US);
    if parts.iter().skip(1).any(is_over) {
        return None;
    }
    let units: &[i64] = match (parts.len(), pair) {
        (1, _) => &[single_us],
        (2, Pair::MinutesSeconds) => &[MINUTE_US, 1_000_000],
        (2, Pair::HoursMinutes) => &[HOUR_US, MINUTE_US],
        (3, _) => &[HOUR_US, MINUTE_US, 1_000_000],
        _ => return None,
    };
    parts.iter().zip(units).try_fold(0_i64, |sum, (part, unit)| sum.checked_add(number(part, *unit)?))
}

/// Returns the microseconds of numbers with units, such as `90s`, `1h30m` or `2 days`.
fn units(text: &str) -> Option<i64> {
    let (mut total_us, mut rest) = (0_i64, text.trim());
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (value, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        total_us = total_us.checked_add(number(value, TimeUnit::find(unit)?.micros)?)?;
        rest = after.trim_start();
    }
    Some(total_us)
}

/// Returns the microseconds of a duration of ISO 8601 behind its `P`, such as `T10M` or `1DT2H30M`. Months
/// and years have no fixed length and are refused.
fn iso_8601(text: &str) -> Option<i64> {
    let (date, time) = text.split_once(['T', 't']).unwrap_or((text, ""));
    let part = |text: &str, allowed: &str| {
        let is_fine = text.chars().all(|c| c.is_ascii_digit() || c == '.' || allowed.contains(c));
        if is_fine { units(&text.replace(',', ".")) } else { None }
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    part(date, "WwDd,")?.checked_add(part(time, "HhMmSs,")?)
}

/// Returns a number of digits, perhaps with a point, in units of `unit_us`; `None` for everything else.
fn number(text: &str, unit_us: i64) -> Option<i64> {
    let is_plain = text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_plain { scaled(text.as_bytes(), unit_us).filter(|&micros| micros <= LONGEST_US) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_has_its_seconds() {
        for (text, expected_s) in [
            ("0", 0),
            ("3600", 3600),
            ("00:00:10", 10),
            ("01:02:03", 3723),
            ("100:00:00", 360_000),
            ("1-00:00:00", 86_400),
            ("2-12:30:05", 217_805),
            ("1-12", 129_600),
            ("1-12:30", 131_400),
            ("10:30", 630),
            ("90s", 90),
            ("1.5h", 5400),
            ("2d", 172_800),
            ("1h30m", 5400),
            ("2 days", 172_800),
            ("1 day, 2:00:00", 93_600),
            ("3 days, 0:00:01", 259_201),
            (" 10 min ", 600),
            ("1w", 604_800),
            ("0 days 00:10:00", 600),
            ("1 days 01:05:00", 90_300),
            ("1 days +02:00:00", 93_600),
            ("PT10M", 600),
            ("P1DT2H", 93_600),
            ("p1w", 604_800),
            ("PT1H30M5S", 5405),
            ("-0.000000", 0),
            ("1.62e3", 1620),
        ] {
            assert_eq!(
                duration(text.as_bytes(), 1, Pair::MinutesSeconds),
                Ok(Length::Seconds(expected_s, false)),
                "{text}"
            );
        }
        assert_eq!(duration(b"10:30", 1, Pair::HoursMinutes), Ok(Length::Seconds(37_800, false)));
        assert_eq!(duration(b"120", 60, Pair::MinutesSeconds), Ok(Length::Seconds(7200, false)));
        assert_eq!(duration(b"1.5", 60, Pair::MinutesSeconds), Ok(Length::Seconds(90, false)));
    }

    #[test]
    fn fractions_are_rounded_half_up() {
        for (text, expected_s) in
            [("0.4", 0), ("0.5", 1), ("00:00:01.50", 2), ("00:10.499", 10), ("1500ms", 2)]
        {
            assert_eq!(
                duration(text.as_bytes(), 1, Pair::MinutesSeconds),
                Ok(Length::Seconds(expected_s, true)),
                "{text}"
            );
        }
    }

    #[test]
    fn exact_durations_have_microseconds() {
        let minutes = &UNITS[3];
        for (text, micros) in [
            ("0.4", 24_000_000),
            ("00:00:01.50", 1_500_000),
            ("PT0.25S", 250_000),
            ("0 days 00:00:00.125000", 125_000),
            ("1500ms", 1_500_000),
        ] {
            let found = exact_duration(text.as_bytes(), minutes, Pair::MinutesSeconds);
            assert_eq!(found, Ok(Exact::Micros(micros)), "{text}");
        }
    }

    #[test]
    fn words_are_missing_or_without_limit() {
        for text in ["", "Unknown", "N/A", "-1", "NaN", "None"] {
            assert_eq!(duration(text.as_bytes(), 1, Pair::MinutesSeconds), Ok(Length::Missing), "{text}");
        }
        for text in ["UNLIMITED", "Infinite"] {
            assert_eq!(duration(text.as_bytes(), 1, Pair::MinutesSeconds), Ok(Length::Unlimited), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "x",
            "1:60",
            "1:2:3:4",
            "-5",
            "1-",
            "1-2-3",
            "5q",
            "h",
            "inf",
            "P",
            "PT",
            "P1Y",
            "P1M",
            "PT1D",
            "-1 days +23:59:50",
            "1:",
            "9999999999999d",
        ] {
            assert_eq!(duration(text.as_bytes(), 1, Pair::MinutesSeconds), Err(EXPECTED), "{text}");
        }
    }
}
