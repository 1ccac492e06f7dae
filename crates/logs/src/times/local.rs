//! The local time zone, the default for dates without a zone.
//!
//! This crate reads no environment. The program sets the machine's zone once; until then it is UTC. Results
//! record the zone used, so they are the same on every machine.

use std::sync::OnceLock;

use jiff::tz::TimeZone;

/// Prefix of the rules of an unnamed zone, such as `posix:CET-1CEST;M3.5.0;M10.5.0/3`. Semicolons replace
/// commas, which end parameters.
pub const POSIX: &str = "posix:";

/// Returns the zone of a name, or of rules behind [`POSIX`]; `None` if there is none.
pub(super) fn named(name: &str) -> Option<TimeZone> {
    match name.strip_prefix(POSIX) {
        Some(rules) => TimeZone::posix(&rules.replace(';', ",")).ok(),
        None => TimeZone::get(name).ok(),
    }
}

/// Zone of the machine, once set.
static LOCAL: OnceLock<String> = OnceLock::new();

/// Sets the zone of dates without a zone, such as `Europe/Berlin` or `posix:CET-1CEST;M3.5.0;M10.5.0/3`, for
/// all logs this process opens from now on. The parameter `time-zone` overrides it. Returns true if the zone
/// exists and none was set before; later calls have no effect.
pub fn set_local_zone(name: &str) -> bool {
    // All spellings of UTC have one name in results.
    let name = if ["Etc/UTC", "Etc/UCT", "UCT", "Zulu"].contains(&name) { "UTC" } else { name };
    named(name).is_some_and(|zone| !zone.is_unknown()) && LOCAL.set(name.to_owned()).is_ok()
}

/// Returns the zone of the machine; `None`, meaning UTC, if not set.
pub(super) fn local_zone() -> Option<&'static str> {
    LOCAL.get().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_that_does_not_exist_is_not_taken() {
        for name in ["Mars/Olympus", "Etc/Unknown", ""] {
            assert!(!set_local_zone(name), "{name}");
        }
        // Another test may have told a zone that exists.
        assert!(local_zone().is_none_or(|name| named(name).is_some()), "{:?}", local_zone());
    }
}
