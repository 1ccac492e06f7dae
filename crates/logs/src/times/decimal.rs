//! Exact decimal numbers: `1.7e9`, `0.0625`, `-3` become whole microseconds without rounding through a float.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "mantissas have at most 27 digits and powers of ten at most 10^9 where they are multiplied, \
         times 2^40"
)]

/// The most digits of a mantissa that are read; further digits behind the point are dropped.
const DIGITS: usize = 20;

/// Parses a decimal number as a multiple of 1 / `unit`, rounded down. `None` if the text is no decimal number
/// or the result exceeds an `i64`.
///
/// Accepted are an optional sign, digits, perhaps a point and more digits, perhaps an exponent such as
/// `e+09`.
pub(crate) fn scaled(text: &[u8], unit: i64) -> Option<i64> {
    let (is_negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mut mantissa, mut digits, mut power, mut has_point, mut at) = (0_i128, 0, 0_i32, false, 0);
    for &byte in rest {
        match byte {
            b'0'..=b'9' => {
                digits += 1;
                if mantissa < 10_i128.pow(DIGITS as u32) {
                    mantissa = 10 * mantissa + i128::from(byte - b'0');
                    power -= i32::from(has_point);
                } else if !has_point {
                    power += 1;
                }
            }
            b'.' if !has_point => has_point = true,
            _ => break,
        }
        at += 1;
    }
    if digits == 0 {
        return None;
    }
    if let [b'e' | b'E', exponent @ ..] = &rest[at..] {
        power = power.checked_add(exponent_of(exponent)?)?;
    } else if at < rest.len() {
        return None;
    }
    let signed = if is_negative { -mantissa } else { mantissa } * i128::from(unit);
    let value = match power {
        _ if signed == 0 => 0,
        0..=18 => signed.checked_mul(10_i128.pow(power.unsigned_abs()))?,
        -38..0 => signed.div_euclid(10_i128.pow(power.unsigned_abs())),
        ..-38 => -i128::from(is_negative),
        19.. => return None,
    };
    i64::try_from(value).ok()
}

/// Returns an exponent of at most three digits with an optional sign.
fn exponent_of(text: &[u8]) -> Option<i32> {
    let digits = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.len() <= 3 && digits.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| is_number)?.parse().ok()
}

/// Rounds microseconds to whole seconds, half a second up.
pub(crate) fn rounded_s(micros: i64) -> i64 {
    (i128::from(micros) + 500_000).div_euclid(1_000_000) as i64
}

/// Returns whether microseconds are no whole seconds.
pub(crate) fn has_fraction(micros: i64) -> bool {
    micros % 1_000_000 != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (text, unit, expected) in [
            ("0", 1_000_000, Some(0)),
            ("-0.000000", 1_000_000, Some(0)),
            ("1.5", 1_000_000, Some(1_500_000)),
            ("1700000000.123456", 1_000_000, Some(1_700_000_000_123_456)),
            ("0.1234567", 1_000_000, Some(123_456)),
            ("-0.1234567", 1_000_000, Some(-123_457)),
            ("1.7e+09", 1_000_000, Some(1_700_000_000_000_000)),
            ("1.620000000e+09", 1_000_000, Some(1_620_000_000_000_000)),
            ("25E-1", 10, Some(25)),
            (".5", 10, Some(5)),
            ("5.", 10, Some(50)),
            ("0.6", 60_000_000, Some(36_000_000)),
            ("1e300", 1, None),
            ("1e-300", 1_000_000, Some(0)),
            ("0e999", 1, Some(0)),
            ("99999999999999999999999999", 1, None),
            ("0.00000000000000000000000000000000000000000000000000001", 1_000_000, Some(0)),
            ("", 1, None),
            (".", 1, None),
            ("-", 1, None),
            ("1e", 1, None),
            ("1x", 1, None),
            ("1.2.3", 1, None),
            ("inf", 1, None),
        ] {
            assert_eq!(scaled(text.as_bytes(), unit), expected, "{text}");
        }
    }

    #[test]
    fn half_a_second_is_rounded_up() {
        for (micros, seconds) in
            [(499_999, 0), (500_000, 1), (-500_000, 0), (-500_001, -1), (1_500_000, 2), (-1_000_000, -1)]
        {
            assert_eq!(rounded_s(micros), seconds, "{micros}");
        }
    }
}
