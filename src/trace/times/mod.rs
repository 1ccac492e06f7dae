//! Reads times as people and programs write them: instants ([`Clock`]) and durations ([`Length`]).

mod duration;
mod local;
mod stamp;

pub(super) use duration::{Length, Pair, duration};
pub use local::{POSIX, set_local_zone};
pub use stamp::TIME_ZONE;
pub(super) use stamp::{Clock, zone};

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
