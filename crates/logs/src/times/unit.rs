//! Units of time and their spellings: `90s`, `run_time_min`, `Runtime (h)`, `run=Runtime:minutes`.

/// A unit of time: a row of [`UNITS`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TimeUnit {
    /// The plural, as in messages.
    pub(crate) name: &'static str,
    /// Microseconds in one unit.
    pub(crate) micros: i64,
    /// All spellings, in small letters.
    spellings: &'static [&'static str],
}

/// Seconds, the unit of a number about which nothing else is given.
pub(crate) const SECONDS: &TimeUnit = &UNITS[2];
/// Minutes, the unit of time limits in Slurm.
pub(crate) const MINUTES: &TimeUnit = &UNITS[3];

/// All units, from the shortest to the longest.
pub(crate) const UNITS: [TimeUnit; 7] = [
    TimeUnit { name: "microseconds", micros: 1, spellings: &["us", "usec", "microsecond", "microseconds"] },
    TimeUnit {
        name: "milliseconds",
        micros: 1000,
        spellings: &["ms", "msec", "msecs", "millis", "millisecond", "milliseconds"],
    },
    TimeUnit { name: "seconds", micros: 1_000_000, spellings: &["s", "sec", "secs", "second", "seconds"] },
    TimeUnit { name: "minutes", micros: 60_000_000, spellings: &["m", "min", "mins", "minute", "minutes"] },
    TimeUnit { name: "hours", micros: 3_600_000_000, spellings: &["h", "hr", "hrs", "hour", "hours"] },
    TimeUnit { name: "days", micros: 86_400_000_000, spellings: &["d", "day", "days"] },
    TimeUnit { name: "weeks", micros: 604_800_000_000, spellings: &["w", "week", "weeks"] },
];

/// `UNITS` as a static slice.
const ALL: &[TimeUnit] = &UNITS;

/// Fewest letters of a unit at the end of a word, as in `runtimemins`.
const FEWEST_LETTERS: usize = 4;

impl TimeUnit {
    /// Returns the unit with this spelling, in any case; `None` if there is none.
    pub(crate) fn find(text: &str) -> Option<&'static Self> {
        let is_one = |unit: &&TimeUnit| unit.spellings.iter().any(|known| text.eq_ignore_ascii_case(known));
        ALL.iter().find(is_one)
    }

    /// Splits a column name into its base and its unit: `run_time_min`, `Runtime (h)`, `durationMs`,
    /// `walltimeminutes`. `None` without a unit. `m`, `d` and `w` alone are too ambiguous.
    pub(crate) fn of_column(name: &str) -> Option<(String, &'static Self)> {
        let words = words(name);
        let (last, before) = words.split_last()?;
        if let Some(unit) = Self::find(last).filter(|_| !["m", "d", "w"].contains(&last.as_str()))
            && !before.is_empty()
        {
            return Some((before.concat(), unit));
        }
        let whole = words.concat();
        ALL.iter().find_map(|unit| {
            let long = unit.spellings.iter().filter(|spelling| spelling.len() >= FEWEST_LETTERS);
            let base =
                long.filter_map(|spelling| whole.strip_suffix(spelling)).min_by_key(|base| base.len())?;
            (!base.is_empty()).then(|| (base.to_owned(), unit))
        })
    }
}

/// Returns the words of a name in small letters: `Run_Time (h)` and `runTimeH` have three.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut was_small, mut is_new) = (false, true);
    for c in name.chars() {
        if !c.is_alphanumeric() {
            (was_small, is_new) = (false, true);
            continue;
        }
        is_new |= was_small && c.is_uppercase();
        if is_new {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        (was_small, is_new) = (c.is_lowercase(), false);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_belong_to_one_unit_each() {
        let mut seen = std::collections::HashSet::new();
        for unit in &UNITS {
            assert!(unit.spellings.contains(&unit.name), "{}", unit.name);
            for spelling in unit.spellings {
                assert!(seen.insert(*spelling), "{spelling} stands twice");
            }
        }
        assert_eq!((SECONDS.name, MINUTES.name), ("seconds", "minutes"));
    }

    #[test]
    fn names_of_columns_end_in_units() {
        for (name, expected) in [
            ("run_time_min", Some(("runtime", "minutes"))),
            ("Runtime (h)", Some(("runtime", "hours"))),
            ("duration_ms", Some(("duration", "milliseconds"))),
            ("wall_time_limit_h", Some(("walltimelimit", "hours"))),
            ("durationMs", Some(("duration", "milliseconds"))),
            ("wall_hours", Some(("wall", "hours"))),
            ("run (minutes)", Some(("run", "minutes"))),
            ("walltimeminutes", Some(("walltime", "minutes"))),
            ("runtimemins", Some(("runtime", "minutes"))),
            ("wait_s", Some(("wait", "seconds"))),
            ("WAIT_S", Some(("wait", "seconds"))),
            ("Run_Time", None),
            ("run_m", None),
            ("min", None),
            ("hours", None),
            ("starts", None),
            ("runs", None),
            ("tasks", None),
        ] {
            let found = TimeUnit::of_column(name);
            let found = found.as_ref().map(|(base, unit)| (base.as_str(), unit.name));
            assert_eq!(found, expected, "{name}");
        }
    }
}
