//! Parses the fields of a line: each parser skips blanks, then takes a number that ends at a blank
//! or at the end of the line.
//!
//! The grammars of lines are those of nom, with these parsers as leaves ([`numbered`]). The leaves are the
//! innermost loops of reading a log, so they are written by hand. An error carries only the number of the
//! field and the kind of fault; [`explain`] makes a message of it.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "positions in a line, and at most 15 or 18 digits, which fit 64 bits"
)]

use std::str::FromStr;

use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult};

use super::error::Problem;
use meshreplay_base::words::excerpt;

/// The fault of a field that does not parse. `field` is the number of the field, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    field: usize,
    kind: FaultKind,
}

/// Kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultKind {
    NotAnInteger,
    NotADecimal,
    OutOfRange,
}

impl ParseError<&[u8]> for Fault {
    /// Never the fault of a field: leaves have faults of their own.
    fn from_error_kind(_: &[u8], _: ErrorKind) -> Self {
        Self { field: 0, kind: FaultKind::NotAnInteger }
    }

    fn append(_: &[u8], _: ErrorKind, fault: Self) -> Self {
        fault
    }
}

/// What a parser of nom returns: the rest of the line and a value, or the fault of a field.
pub(super) type Taken<'a, T> = IResult<&'a [u8], T, Fault>;

/// Returns the parser of a field whose number, from 1, it carries along: each call takes the next field by
/// `leaf`. `fill` and `count` of nom take several fields so.
pub(super) fn numbered<'a, T>(
    first: usize,
    mut leaf: impl FnMut(usize, &'a [u8]) -> Result<(&'a [u8], T), Fault>,
) -> impl FnMut(&'a [u8]) -> Taken<'a, T> {
    let mut field = first;
    move |input| {
        let taken = leaf(field, input).map_err(Err::Error);
        field += 1;
        taken
    }
}

/// Returns the fault of a parser of nom.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
pub(super) fn fault_of(error: Err<Fault>) -> Fault {
    match error {
        Err::Error(fault) | Err::Failure(fault) => fault,
        Err::Incomplete(_) => Fault { field: 0, kind: FaultKind::NotAnInteger },
    }
}

/// Returns the fault of field `field`.
fn fault<T>(field: usize, kind: FaultKind) -> Result<T, Fault> {
    Result::Err(Fault { field, kind })
}

/// Returns whether `byte` separates fields: a space or a tab.
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Skips leading blanks; empty if all bytes are blanks.
pub(super) fn skip_blanks(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}

/// Returns whether a field ends where `rest` begins: at a blank or at the end of the line.
fn at_end_of_field(rest: &[u8]) -> bool {
    rest.first().is_none_or(|&byte| is_blank(byte))
}

/// Takes the digits at the start of `text`, and returns their value, their number and the rest of the text.
/// Wrapping arithmetic: the value is wrong beyond 19 digits, where the callers do not use it.
#[inline]
fn digits(text: &[u8]) -> (u64, usize, &[u8]) {
    let (mut value, mut rest) = (0_u64, text);
    while let [digit @ b'0'..=b'9', after @ ..] = rest {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
        rest = after;
    }
    (value, text.len() - rest.len(), rest)
}

/// Up to this many digits, every value fits an `i64`. Longer numbers take the slow path.
const SAFE_DIGITS: usize = 18;

/// Takes an integer with an optional minus, after blanks. The fault carries `field`, the number of the field
/// from 1: no integer, or beyond an `i64`.
#[expect(clippy::inline_always, reason = "a call for each field of a log takes a third as long again")]
#[inline(always)]
pub(super) fn take_integer(field: usize, input: &[u8]) -> Result<(&[u8], i64), Fault> {
    let text = skip_blanks(input);
    let (negative, unsigned) = match text {
        // Many fields of most logs are unknown.
        [b'-', b'1', b' ', ..] => return Ok((&text[2..], -1)),
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (value, count, rest) = digits(unsigned);
    if count == 0 || !at_end_of_field(rest) {
        return fault(field, FaultKind::NotAnInteger);
    }
    // The slow path: the standard library parses the whole field and checks its range.
    if count > SAFE_DIGITS {
        let value = parsed(&text[..text.len() - rest.len()]);
        return value.map_or_else(|| fault(field, FaultKind::OutOfRange), |value| Ok((rest, value)));
    }
    let value = value as i64;
    Ok((rest, if negative { -value } else { value }))
}

/// The powers of ten that a double holds exactly.
const POWERS_OF_TEN: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Up to this many digits, a double holds every value exactly (10^15 < 2^53). Longer numbers take the slow
/// path.
const EXACT_DIGITS: usize = 15;

/// Takes a decimal number after blanks: an optional minus, digits, and an optional point with digits. The
/// fault carries `field`, the number of the field from 1: no number, or beyond a double.
///
/// The result is the double nearest to the text. The fast path is that of W. Clinger, "How to read floating
/// point numbers accurately", 1990: digits and power of ten are both exact as doubles, so their quotient is
/// rounded only once.
pub(super) fn take_decimal(field: usize, input: &[u8]) -> Result<(&[u8], f64), Fault> {
    let text = skip_blanks(input);
    let (negative, unsigned) = match text {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let (whole, whole_digits, mut rest) = digits(unsigned);
    let (mut fraction, mut fraction_digits, mut complete) = (0, 0, whole_digits > 0);
    if let [b'.', after @ ..] = rest {
        (fraction, fraction_digits, rest) = digits(after);
        complete &= fraction_digits > 0;
    }
    if !complete || !at_end_of_field(rest) {
        return fault(field, FaultKind::NotADecimal);
    }
    if whole_digits + fraction_digits > EXACT_DIGITS {
        // The slow path: the standard library parses the whole field and checks its range.
        let value = parsed(&text[..text.len() - rest.len()]).filter(|value: &f64| value.is_finite());
        return value.map_or_else(|| fault(field, FaultKind::OutOfRange), |value| Ok((rest, value)));
    }
    // At most 15 digits in all, so nothing here overflows and both operands of the division are exact.
    let mantissa = whole * 10_u64.pow(fraction_digits as u32) + fraction;
    let value = mantissa as f64 / POWERS_OF_TEN[fraction_digits];
    Ok((rest, if negative { -value } else { value }))
}

/// Returns the problem of `line` for the fault of one of its fields. `names` are the names of the format's
/// fields.
#[cold]
pub(super) fn explain(line: &[u8], fault: Fault, names: &'static [&'static str]) -> Problem {
    let Fault { field, kind } = fault;
    let Some(token) = tokens(line).nth(field.saturating_sub(1)) else {
        return Problem::TooFewFields { found: fields(line), expected: names.len() };
    };
    let (name, found) = (names[field.saturating_sub(1)], excerpt(&String::from_utf8_lossy(token)));
    match kind {
        FaultKind::NotAnInteger => Problem::NotANumber { field, name, found, expected: "an integer or -1" },
        FaultKind::NotADecimal => Problem::NotANumber { field, name, found, expected: "a number or -1" },
        FaultKind::OutOfRange => Problem::OutOfRange { field, name, found },
    }
}

/// Returns the value that `text` spells; `None` if it spells none.
pub(super) fn parsed<T: FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Returns the integer in a column. The error names the column by its number, from 1, and its name.
pub(super) fn whole_number(column: usize, name: &str, text: &[u8]) -> Result<i64, Problem> {
    parsed(text).ok_or_else(|| Problem::column(column, name, text, "a whole number"))
}

/// Returns the words of a line, between white space of any kind.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Returns the fields of a line as text, without the blanks between them.
pub(super) fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| is_blank(byte)).filter(|token| !token.is_empty())
}

/// Returns the number of fields on a line.
pub(super) fn fields(line: &[u8]) -> usize {
    tokens(line).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 1] = ["answer"];

    fn problem<T: std::fmt::Debug>(line: &str, result: Result<T, Fault>) -> String {
        explain(line.as_bytes(), result.expect_err("a fault"), &NAMES).to_string()
    }

    #[test]
    fn integers_of_every_length_are_exact() {
        for value in [0, 7, -1, 42, 99_999_999_999_999, 999_999_999_999_999_999, i64::MAX, i64::MIN] {
            let text = format!(" \t{value} rest");
            assert_eq!(take_integer(1, text.as_bytes()), Ok((&b" rest"[..], value)));
        }
        assert_eq!(take_integer(1, b"000000000000000000000042"), Ok((&b""[..], 42)));
    }

    #[test]
    fn malformed_integers_are_named() {
        for text in ["x12", "12x", "1.0", "-", "--1", "+5", "1e3", "12;"] {
            let message = problem(text, take_integer(1, text.as_bytes()));
            assert_eq!(message, format!("field 1 (answer): found '{text}', expected an integer or -1"));
        }
        for text in ["9223372036854775808", "-9223372036854775809", "99999999999999999999999"] {
            let message = problem(text, take_integer(1, text.as_bytes()));
            assert!(message.ends_with("expected a value between -2^63 and 2^63"), "{message}");
        }
        assert_eq!(problem("  ", take_integer(1, b"  ")), "0 fields, expected 1");
    }

    #[test]
    fn decimals_are_the_nearest_double() {
        for text in [
            "-1",
            "0.00",
            "552.21",
            "9.00",
            "0.1",
            "123456789.123456",
            "9007199254740993.5",
            "0.12345678901234567890123456789",
            "99999999999999999999999999",
            "4.35",
        ] {
            let expected: f64 = text.parse().expect("a number");
            let (rest, value) = take_decimal(1, text.as_bytes()).expect(text);
            assert_eq!((rest.len(), value.to_bits()), (0, expected.to_bits()), "{text}");
        }
        for text in ["5.", ".5", "1e5", "1.2.3", "nan", "inf", "-", "1,5"] {
            let message = problem(text, take_decimal(1, text.as_bytes()));
            assert_eq!(message, format!("field 1 (answer): found '{text}', expected a number or -1"));
        }
        let endless = "9".repeat(400);
        assert!(
            problem(&endless, take_decimal(1, endless.as_bytes())).contains("9…', expected a value between")
        );
    }
}
