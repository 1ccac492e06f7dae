//! The local time zone: the one in which dates are read that tell none, unless the user says another.
//!
//! This room reads no environment. Whoever runs a program says once what the zone of the machine is; until
//! then it is UTC. Results carry the zone that was used, so they are the same on every other machine.

use std::sync::OnceLock;

use jiff::tz::TimeZone;

/// What stands before the rules of a zone that has no name, such as `posix:CET-1CEST;M3.5.0;M10.5.0/3`.
/// Commas are semicolons, as a comma would end the parameter of a format.
pub const POSIX: &str = "posix:";

/// Returns the zone of a name, or of rules behind [`POSIX`]; `None` if there is none.
pub(super) fn named(name: &str) -> Option<TimeZone> {
    match name.strip_prefix(POSIX) {
        Some(rules) => TimeZone::posix(&rules.replace(';', ",")).ok(),
        None => TimeZone::get(name).ok(),
    }
}

/// The zone of the machine; empty as long as nobody has told it.
static LOCAL: OnceLock<String> = OnceLock::new();

/// Says that dates without a zone are times of the zone `name`, such as `Europe/Berlin` or
/// `posix:CET-1CEST;M3.5.0;M10.5.0/3`, in all logs that this process opens from now on, unless the parameter
/// `time-zone` says otherwise. The first call counts. Returns whether there is such a zone and none was told
/// before.
pub fn set_local_zone(name: &str) -> bool {
    // All spellings of UTC have one name in results.
    let name = if ["Etc/UTC", "Etc/UCT", "UCT", "Zulu"].contains(&name) { "UTC" } else { name };
    named(name).is_some_and(|zone| !zone.is_unknown()) && LOCAL.set(name.to_owned()).is_ok()
}

/// Returns the name of the zone of the machine; `None` if nobody has told it, so that UTC stands for it.
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
