//! Reads durations, such as `2-12:00:00`, `36:00:00`, `90s`, `1.5h` and `UNLIMITED`.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "at most nine digits times a week in seconds, which is below 2^50; others are at most 2^40"
)]

use super::is_missing;

/// A duration as a log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::trace) enum Length {
    /// The duration is missing or unknown.
    Missing,
    /// There is no limit.
    Unlimited,
    /// The duration in seconds. The flag tells whether it had a fraction of a second and was rounded, half a second up.
    Seconds(i64, bool),
}

/// The meaning of two numbers with a colon between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::trace) enum Pair {
    /// Minutes and seconds, as in Slurm.
    MinutesSeconds,
    /// Hours and minutes, as in PBS.
    HoursMinutes,
}

/// What a duration may look like, for messages.
const EXPECTED: &str = "a number of seconds or a duration such as 01:00:00, 1-12:00:00, 90s or 1.5h";

/// The same where a number alone does not count seconds.
const EXPECTED_WITH_UNIT: &str = "a duration such as 01:00:00, 1-12:00:00, 90s or 1.5h";

/// The greatest duration in seconds, 2^40 (more than 30,000 years), so that sums of durations stay in range.
const LONGEST_S: f64 = (1_u64 << 40) as f64;

/// Returns the duration that `text` spells. A number alone counts units of `plain_s` seconds, such as 60 for minutes;
/// `pair` tells what `10:30` is. The result is what was expected, in words, if the text is no duration.
///
/// Read are `D-HH[:MM[:SS]]`, `HH:MM:SS` with any number of hours, `A:B`, `N days, HH:MM:SS`, numbers with the units s,
/// m, h, d and w, also several of them (`1h30m`), the words for missing values, −1, and `UNLIMITED`. Seconds may have
/// a fraction.
pub(in crate::trace) fn duration(text: &[u8], plain_s: u32, pair: Pair) -> Result<Length, &'static str> {
    let text = text.trim_ascii();
    if is_missing(text) || text == b"-1" {
        return Ok(Length::Missing);
    }
    if let Some(whole_s) = clock_or_whole(text, plain_s) {
        return Ok(Length::Seconds(whole_s, false));
    }
    if [&b"unlimited"[..], b"infinite"].iter().any(|word| text.eq_ignore_ascii_case(word)) {
        return Ok(Length::Unlimited);
    }
    let found = std::str::from_utf8(text).ok().and_then(|text| seconds(text, plain_s, pair));
    let found = found.filter(|found_s| (0.0..=LONGEST_S).contains(found_s));
    let found_s = found.ok_or(if plain_s == 1 { EXPECTED } else { EXPECTED_WITH_UNIT })?;
    let rounded_s = (found_s + 0.5).floor();
    Ok(Length::Seconds(rounded_s as i64, found_s.fract() > 0.0))
}

/// Returns the seconds of the two commonest spellings, `HH:MM:SS` with two digits each and at most 12 digits; `None`
/// for all others. This is the fast path: it allocates nothing and uses integers only.
fn clock_or_whole(text: &[u8], plain_s: u32) -> Option<i64> {
    let digit = |byte: u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    if let [h1, h2, b':', m1, m2, b':', s1, s2] = *text {
        let [h, m, s] = [(h1, h2), (m1, m2), (s1, s2)].map(|(a, b)| Some(10 * digit(a)? + digit(b)?));
        let (h, m, s) = (h?, m?, s?);
        return (m < 60 && s < 60).then_some(3600 * h + 60 * m + s);
    }
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    let number = text.iter().try_fold(0, |number, &byte| Some(10 * number + digit(byte)?))?;
    Some(number * i64::from(plain_s))
}

/// Returns the seconds of any spelling except words; `None` if it is none.
fn seconds(text: &str, plain_s: u32, pair: Pair) -> Option<f64> {
    // `1 day, 2:00:00` is how Python prints durations; `1-02:00:00` is Slurm's way.
    if let Some((days, rest)) = text.split_once(", ") {
        let days = days.strip_suffix(" days").or_else(|| days.strip_suffix(" day"))?;
        return Some(86_400.0 * number(days)? + colons(rest, 1.0, pair)?);
    }
    if let Some((days, rest)) = text.split_once('-') {
        // After days, one number is hours, and two are hours and minutes.
        let rest_s = if rest.contains(':') {
            colons(rest, 3600.0, Pair::HoursMinutes)?
        } else {
            3600.0 * number(rest)?
        };
        return Some(86_400.0 * number(days)? + rest_s);
    }
    if text.contains(':') {
        return colons(text, 1.0, pair);
    }
    if let Some(number) = number(text) {
        return Some(number * f64::from(plain_s));
    }
    units(text)
}

/// Returns the seconds of one to three numbers with colons between them. One number counts units of `single_s`.
fn colons(text: &str, single_s: f64, pair: Pair) -> Option<f64> {
    let parts: Vec<f64> = text.split(':').map(number).collect::<Option<_>>()?;
    // Minutes and seconds after another part are below 60.
    if parts.iter().skip(1).any(|&part| part >= 60.0) {
        return None;
    }
    match (parts.as_slice(), pair) {
        ([one], _) => Some(one * single_s),
        ([minutes, seconds], Pair::MinutesSeconds) => Some(60.0 * minutes + seconds),
        ([hours, minutes], Pair::HoursMinutes) => Some(3600.0 * hours + 60.0 * minutes),
        ([hours, minutes, seconds], _) => Some(3600.0 * hours + 60.0 * minutes + seconds),
        _ => None,
    }
}

/// Returns the seconds of numbers with units, such as `90s`, `1h30m` or `2 days`.
fn units(text: &str) -> Option<f64> {
    let (mut total_s, mut rest) = (0.0, text.trim());
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (value, after) = rest.split_at(digits);
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let unit_s = match unit.to_ascii_lowercase().as_str() {
            "ms" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3600.0,
            "d" | "day" | "days" => 86_400.0,
            "w" | "week" | "weeks" => 604_800.0,
            _ => return None,
        };
        total_s += number(value)? * unit_s;
        rest = after.trim_start();
    }
    Some(total_s)
}

/// Returns a number of digits, perhaps with a point; `None` for everything else that Rust reads, such as `inf`.
fn number(text: &str) -> Option<f64> {
    let is_plain = text.starts_with(|c: char| c.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_plain { text.parse().ok() } else { None }
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
        for text in
            ["x", "1:60", "1:2:3:4", "-5", "1-", "1-2-3", "5q", "h", "1e3", "inf", "1:", "9999999999999d"]
        {
            assert_eq!(duration(text.as_bytes(), 1, Pair::MinutesSeconds), Err(EXPECTED), "{text}");
        }
    }
}
