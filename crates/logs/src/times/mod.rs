//! Reads times as people and programs write them: instants ([`Clock`]) and durations ([`exact_duration`]).

mod civil;
mod decimal;
mod duration;
mod stamp;
mod unit;

pub(super) use civil::{DateOrder, digits, numbers_of_date};
pub(super) use decimal::{has_fraction, rounded_s, scaled};
pub(super) use duration::{ExactDuration, Pair, duration, exact_duration};
pub(super) use stamp::{AMBIGUOUS, Clock, Instant, InstantError, zone};
pub use stamp::{DATES, POSIX, TIME_ZONE, set_local_zone};
pub(super) use unit::{MINUTES, SECONDS, TimeUnit, UNITS};

/// Returns whether a text stands for a value that is missing: it is empty or one of the usual words for that.
pub(super) fn is_missing(text: &[u8]) -> bool {
    const WORDS: [&[u8]; 11] =
        [b"", b"-", b"--", b"unknown", b"none", b"n/a", b"na", b"null", b"nan", b"nat", b"invalid"];
    // Nearly every value begins with a digit and is no such word.
    match text.first() {
        Some(b'0'..=b'9') => false,
        _ => WORDS.iter().any(|word| text.eq_ignore_ascii_case(word)),
    }
}
