//! Names behind the numbers of records, and the start time of a log. Both come from the records, as in the
//! accounting of batch systems, or from the header.

use std::collections::BTreeMap;

use jiff::civil;
use jiff::tz::{Offset, TimeZone};

use super::partitions::Partitions;
use super::{NameKind, Names};
use crate::header::{Header, Listed};
use crate::times::zone;
use meshreplay_base::spec::{SpecError, unknown};

/// The names and the beginning of a log.
#[derive(Clone, Debug, Default)]
pub struct LogNames {
    /// The names in the records.
    names: Names,
    /// The names in the header, by kind and number.
    in_header: BTreeMap<(&'static str, i64), String>,
    start: Option<LogStart>,
}

/// Origin of submit times.
#[derive(Clone, Debug)]
struct LogStart {
    /// The time in seconds since 1970.
    unix_s: i64,
    zone: TimeZone,
}

impl LogNames {
    /// Returns the names and the beginning of a log with these names in its records and this header.
    pub fn new(names: &Names, header: &Header) -> Self {
        // Lists of nodes may be as many as the jobs.
        Self::of_kinds(|kind| kind != NameKind::Nodes, names, header)
    }

    /// Returns the names of the kinds that are `wanted`, and the beginning of the log.
    pub(super) fn of_kinds(wanted: impl Fn(NameKind) -> bool, names: &Names, header: &Header) -> Self {
        let kinds = NameKind::all().filter(|kind| wanted(*kind));
        let kinds = kinds.filter_map(|kind| Some((kind, kind.header_key()?)));
        let of_kind = |(kind, key): (NameKind, &str)| {
            let mut listed = header.listed(key);
            if kind == NameKind::Partition {
                // Partitions are chosen by name or number; a numeric name would be ambiguous.
                for one in &mut listed {
                    one.is_quoted = false;
                }
            }
            told_apart(&listed).into_iter().map(move |(number, name)| ((kind.word(), number), name))
        };
        let in_header = kinds.flat_map(of_kind).collect();
        Self { names: names.only(&wanted), in_header, start: LogStart::from_header(header) }
    }

    /// Returns the origin of submit times in seconds since 1970, and the time zone of the log: a name, or an
    /// offset such as `+01:00`. `None` if unknown.
    pub fn start(&self) -> Option<(i64, String)> {
        let LogStart { unix_s, zone } = self.start.as_ref()?;
        let by_offset = || {
            let seconds = zone.to_fixed_offset().ok()?.seconds();
            let sign = if seconds < 0 { '-' } else { '+' };
            Some(format!("{sign}{:02}:{:02}", seconds.abs() / 3600, seconds.abs() % 3600 / 60))
        };
        Some((*unix_s, zone.iana_name().map(ToOwned::to_owned).or_else(by_offset)?))
    }

    /// Returns the name of a number, or the number itself as text if the log has no name for it.
    pub fn label(&self, kind: NameKind, number: i64) -> String {
        let mut label = String::new();
        self.write_label(kind, number, &mut label);
        label
    }

    /// Writes what [`Self::label`] returns behind the text of `to`.
    pub fn write_label(&self, kind: NameKind, number: i64, to: &mut String) {
        let in_header = || self.in_header.get(&(kind.word(), number)).map(|name| name.as_str().into());
        match self.names.name(kind, number).or_else(in_header) {
            Some(name) => to.push_str(&name),
            None => to.push_str(itoa::Buffer::new().format(number)),
        }
    }

    /// Returns the number of the user, queue and so on that the header calls `name`; an error with the known
    /// names if it calls none so. `None` if the header has no such names.
    pub fn number(&self, kind: NameKind, name: &str) -> Option<Result<i64, SpecError>> {
        let of_kind = || self.in_header.iter().filter(|((word, _), _)| *word == kind.word());
        let found = of_kind().find(|(_, other)| *other == name);
        let names = || of_kind().map(|(_, other)| other.as_str());
        of_kind().next()?;
        Some(found.map(|((_, number), _)| *number).ok_or_else(|| unknown(kind.word(), name, names())))
    }

    /// Returns true if `text` is the name or the number of this partition. A number does not count for a
    /// partition with a name in the records: it is only the order of appearance.
    pub(super) fn calls_partition(&self, number: i64, text: &str) -> bool {
        let has_own_name = || self.names.name(NameKind::Partition, number).is_some();
        self.label(NameKind::Partition, number) == text || number.to_string() == text && !has_own_name()
    }

    /// Returns the numbers of partitions that are given by names or numbers, in the order of `given`. `known`
    /// has the numbers that jobs have. Fails with the first that no job has.
    pub fn partition_numbers(
        &self,
        given: &Partitions,
        known: &(impl Iterator<Item = i64> + Clone),
    ) -> Result<Vec<i64>, String> {
        let number = |text: &String| {
            let found = known.clone().find(|&number| self.calls_partition(number, text));
            found.ok_or_else(|| text.clone())
        };
        given.names().iter().map(number).collect()
    }

    /// Returns whether `text` is a date such as `1996-09-23` (its midnight) or `1996-09-23T14:30`.
    pub fn is_date(text: &str) -> bool {
        moment(text).is_some()
    }

    /// Returns the seconds from the start of the log to a date in its time zone; `None` if the text is no
    /// date, or if the start or the time zone is unknown.
    pub fn seconds(&self, date: &str) -> Option<i64> {
        let LogStart { unix_s, zone } = self.start.as_ref()?;
        Some(moment(date)?.to_zoned(zone.clone()).ok()?.timestamp().as_second() - unix_s)
    }

    /// Returns the date at `after_s` seconds after the start of the log, to the minute, such as `1996-09-23
    /// 14:30`; the seconds, such as `600 s`, if the start or the time zone is unknown.
    pub fn date_or_seconds(&self, after_s: i64) -> String {
        let date = || {
            let LogStart { unix_s, zone } = self.start.as_ref()?;
            let at = jiff::Timestamp::from_second(unix_s.checked_add(after_s)?).ok()?.to_zoned(zone.clone());
            Some(at.strftime("%Y-%m-%d %H:%M").to_string())
        };
        date().unwrap_or_else(|| format!("{after_s} s"))
    }

    /// Returns the hour of the week at `after_s` seconds after the start of the log; 0 begins at midnight
    /// between Sunday and Monday in the log's time zone. `None` if the start or the time zone is unknown.
    pub fn hour_of_week(&self, after_s: i64) -> Option<u8> {
        let LogStart { unix_s, zone } = self.start.as_ref()?;
        let at = jiff::Timestamp::from_second(unix_s.checked_add(after_s)?).ok()?.to_zoned(zone.clone());
        let [day, hour] =
            [at.weekday().to_monday_zero_offset(), at.hour()].map(|part| u8::try_from(part).ok());
        Some(day? * 24 + hour?)
    }
}

/// Returns the moment of a date, with or without a time of day; `None` for another text.
fn moment(text: &str) -> Option<civil::DateTime> {
    text.parse().ok().or_else(|| Some(text.parse::<civil::Date>().ok()?.at(0, 0, 0, 0)))
}

/// Returns the unambiguous names. Some headers describe numbers, two of them in the same words. A numeric
/// name counts only in quotation marks, as it could be another number.
fn told_apart(listed: &[Listed]) -> Vec<(i64, String)> {
    let is_told = |one: &&Listed| {
        let is_other = |other: &Listed| other.number != one.number && other.name == one.name;
        (one.is_quoted || one.name.parse::<i64>().is_err()) && !listed.iter().any(is_other)
    };
    listed.iter().filter(is_told).map(|one| (one.number, one.name.clone())).collect()
}

impl LogStart {
    /// Returns the start from a header. A start in 1970 is unknown.
    fn from_header(header: &Header) -> Option<Self> {
        let unix_s = header.unix_start_time().filter(|&unix_s| unix_s > 0)?;
        // A log that was converted with an offset names the offset.
        let named = |name: &str| TimeZone::get(name).ok().or_else(|| zone(name));
        let named = header.get("TimeZoneString").and_then(|name| named(name.trim()));
        let by_offset = || {
            let offset_s = i32::try_from(header.number("TimeZone")?).ok()?;
            Some(TimeZone::fixed(Offset::from_seconds(offset_s).ok()?))
        };
        Some(Self { unix_s, zone: named.or_else(by_offset)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(header: &str) -> LogNames {
        let mut lines = Header::default();
        header.lines().for_each(|line| lines.push(line.as_bytes()));
        let in_header = told_apart(&lines.listed("Partition")).into_iter();
        let in_header = in_header.map(|(number, name)| (("partition", number), name));
        LogNames {
            names: Names::default(),
            in_header: in_header.collect(),
            start: LogStart::from_header(&lines),
        }
    }

    #[test]
    fn partitions_are_found_by_name_and_by_number() -> Result<(), String> {
        let names = names(
            "; Partition: 1 2\n; Partition: 2 debug\n; Partition: 3\n; Partition: 4 batch (p655)\n\
             ; Partition: 5 batch (p690)",
        );
        let labels = [1, 2, 3, 4, 5].map(|number| names.label(NameKind::Partition, number));
        // Numeric and repeated names are dropped.
        assert_eq!(labels, ["1", "debug", "3", "4", "5"]);
        let found = |text: &str| names.partition_numbers(&text.parse()?, &[1, 2, 3, 4].into_iter());
        assert_eq!(found("debug+3")?, [2, 3]);
        assert_eq!(found("2+1")?, [2, 1]);
        assert_eq!(found("3+batch"), Err("batch".to_owned()));
        assert_eq!(found("5"), Err("5".to_owned()));
        Ok(())
    }

    #[test]
    fn dates_are_seconds_of_the_log() {
        // 1996-09-23 14:00:31 in Stockholm; summer time ends on 1996-10-27.
        let kth = names("; UnixStartTime: 843480031\n; TimeZoneString: Europe/Stockholm");
        assert_eq!(kth.seconds("1996-09-24"), Some(10 * 3600 - 31));
        assert_eq!(kth.seconds("1996-09-23T15:00"), Some(3569));
        let of_winter = kth.seconds("1996-10-28").map(|seconds| kth.date_or_seconds(seconds));
        assert_eq!(of_winter.as_deref(), Some("1996-10-28 00:00"));
        assert_eq!((kth.seconds("7"), names("").seconds("1996-09-24")), (None, None));
        assert_eq!(names("").date_or_seconds(600), "600 s");
    }

    #[test]
    fn hours_of_the_week_follow_the_time_zone_and_its_summer_time() {
        // 1996-09-23 was a Monday. Summer time ended on Sunday, 1996-10-27, at 3 h.
        let kth = names("; UnixStartTime: 843480031\n; TimeZone: 3600\n; TimeZoneString: Europe/Stockholm");
        assert_eq!(kth.hour_of_week(0), Some(14), "Mon Sep 23 14:00:31");
        assert_eq!(kth.hour_of_week(-15 * 3600), Some(6 * 24 + 23));
        assert_eq!(kth.hour_of_week(5 * 7 * 86_400), Some(13), "one hour less of summer time");
        let offset = names("; UnixStartTime: 843480031\n; TimeZone: -3600");
        assert_eq!(offset.hour_of_week(0), Some(11));
        assert_eq!(kth.start(), Some((843_480_031, "Europe/Stockholm".to_owned())));
        assert_eq!(offset.start(), Some((843_480_031, "-01:00".to_owned())));
        let named = names("; UnixStartTime: 843480031\n; TimeZoneString: -05:30");
        assert_eq!(
            (named.hour_of_week(0), named.start()),
            (Some(6), Some((843_480_031, "-05:30".to_owned())))
        );
        let utc = names("; UnixStartTime: 843480031\n; TimeZoneString: UTC");
        assert_eq!(utc.start(), Some((843_480_031, "UTC".to_owned())));
        for unknown in ["; TimeZone: 3600", "; UnixStartTime: 0\n; TimeZone: 0", "; UnixStartTime: 843480031"]
        {
            assert_eq!(names(unknown).hour_of_week(0), None, "{unknown}");
        }
    }
}
