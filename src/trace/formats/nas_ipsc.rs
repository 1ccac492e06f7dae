//! The native log of the iPSC/860 at NASA Ames, 1993: `user command nodes seconds MM/DD/YY HH:MM:SS` on each line.
//!
//! The stamp is when the job started, by the clocks of California. Lines without nodes, and those of user `special` (dedicated
//! time and the like), are no jobs. What becomes of the rest is what the archive made of it: times count from the first
//! job's start; users are numbered as they appear, and so are the commands of interactive jobs; `nqs` commands are batch
//! jobs (queue 1, no application), names that begin with `user` are group 1, others group 2.

use std::collections::HashMap;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::super::error::Problem;
use super::super::record::Record;

/// Fields of a line.
const NAMES: [&str; 6] = ["user", "command", "nodes", "run time", "start date", "start time"];
const ZONE: &str = "America/Los_Angeles";

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::trace) enum Line {
    Job(Record),
    /// System time, or nothing that ran.
    NoJob,
}

/// What has been seen so far.
#[derive(Debug)]
pub(in crate::trace) struct Nas {
    zone: Option<TimeZone>,
    /// When the first job started, in seconds since 1970.
    origin_s: Option<i64>,
    jobs: i64,
    users: HashMap<Vec<u8>, i64>,
    applications: HashMap<Vec<u8>, i64>,
}

impl Nas {
    pub(in crate::trace) fn new() -> Self {
        // The zones are built in, so that it is there.
        let zone = TimeZone::get(ZONE).ok();
        Self { zone, origin_s: None, jobs: 0, users: HashMap::new(), applications: HashMap::new() }
    }

    /// Understands the next line; also how many fields there are too many.
    pub(in crate::trace) fn parse(&mut self, line: &[u8]) -> Result<(Line, usize), Problem> {
        let tokens: Vec<&[u8]> =
            line.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).collect();
        let [user, command, nodes, run, date, time, surplus @ ..] = tokens.as_slice() else {
            return Err(Problem::TooFewFields { found: tokens.len(), expected: NAMES.len() });
        };
        if *user == b"special" || *nodes == b"0" {
            return Ok((Line::NoJob, surplus.len()));
        }
        let procs = number(2, nodes)?;
        let run_s = number(3, run)?;
        let started_s = self.instant(date, time)?;
        let origin_s = *self.origin_s.get_or_insert(started_s);
        let batch = command.starts_with(b"nqs");
        self.jobs += 1;
        let record = Record {
            job: self.jobs,
            submit_s: started_s - origin_s,
            run_s,
            allocated_procs: procs,
            user: numbered(&mut self.users, user),
            group: if user.starts_with(b"user") { 1 } else { 2 },
            executable: if batch { -1 } else { numbered(&mut self.applications, command) },
            queue: i64::from(batch),
            ..Record::UNKNOWN
        };
        Ok((Line::Job(record), surplus.len()))
    }

    /// Seconds since 1970 of `10/01/93` and `00:00:03`. A clock time that there is twice is the first of both.
    fn instant(&self, date: &[u8], time: &[u8]) -> Result<i64, Problem> {
        let parts = |token: &[u8], mark: u8| -> Option<[i8; 3]> {
            let mut parts = token.split(|&byte| byte == mark);
            let mut next = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
            let found = [next()?, next()?, next()?];
            parts.next().is_none().then_some(found)
        };
        let wrong = |field: usize, token: &[u8], expected| not_a_number(field, token, expected);
        let [month, day, year] = parts(date, b'/').ok_or_else(|| wrong(4, date, "a date MM/DD/YY"))?;
        let [hour, minute, second] = parts(time, b':').ok_or_else(|| wrong(5, time, "a time HH:MM:SS"))?;
        // Two digits of a log that began in 1993.
        let century = if year < 70 { 2000 } else { 1900 };
        let civil = DateTime::new(century + i16::from(year), month, day, hour, minute, second, 0)
            .map_err(|_| wrong(4, date, "a date of the calendar and a time of the day"))?;
        let zoned = self.zone.clone().and_then(|zone| civil.to_zoned(zone).ok());
        let zoned = zoned.ok_or_else(|| wrong(4, date, "a date that the time zone has"))?;
        Ok(zoned.timestamp().as_second())
    }
}

fn numbered(known: &mut HashMap<Vec<u8>, i64>, name: &[u8]) -> i64 {
    let next = known.len() as i64 + 1;
    *known.entry(name.to_vec()).or_insert(next)
}

fn number(field: usize, token: &[u8]) -> Result<i64, Problem> {
    let parsed = std::str::from_utf8(token).ok().and_then(|text| text.parse().ok());
    parsed.filter(|value| *value >= 0).ok_or_else(|| not_a_number(field, token, "a whole number"))
}

fn not_a_number(field: usize, token: &[u8], expected: &'static str) -> Problem {
    let found = String::from_utf8_lossy(token).chars().take(20).collect();
    Problem::NotANumber { field: field + 1, name: NAMES[field], found, expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_records_as_the_archive_has_them() -> Result<(), Problem> {
        let mut nas = Nas::new();
        let mut record = |line: &str| nas.parse(line.as_bytes());
        let first = record("user0     nqs0     128   1451 10/01/93 00:00:03")?;
        assert!(matches!(
            first,
            (
                Line::Job(Record {
                    job: 1,
                    submit_s: 0,
                    run_s: 1451,
                    allocated_procs: 128,
                    user: 1,
                    group: 1,
                    executable: -1,
                    queue: 1,
                    ..
                }),
                0
            )
        ));
        assert_eq!(record("special CUBE D 100 10/01/93 00:01:00")?, (Line::NoJob, 0));
        assert_eq!(record("user3 cmd 0 0 10/01/93 00:01:00")?, (Line::NoJob, 0));
        // Clocks went back on the 31st: a day of 25 hours.
        let later = record("sysadmin cmd7 4 3 11/01/93 00:00:03 x")?;
        assert!(matches!(
            later,
            (
                Line::Job(Record {
                    job: 2,
                    submit_s: 2_682_000,
                    user: 2,
                    group: 2,
                    executable: 1,
                    queue: 0,
                    ..
                }),
                1
            )
        ));
        Ok(())
    }

    #[test]
    fn wrong_lines_say_what_was_expected() {
        for (line, problem) in [
            ("user0 nqs0 128 1451 10/01/93", "5 fields, expected 6"),
            ("user0 nqs0 x 1451 10/01/93 00:00:03", "field 3 (nodes): found 'x', expected a whole number"),
            ("user0 nqs0 1 -5 10/01/93 00:00:03", "field 4 (run time): found '-5'"),
            (
                "user0 nqs0 1 5 10-01-93 00:00:03",
                "field 5 (start date): found '10-01-93', expected a date MM/DD/YY",
            ),
            (
                "user0 nqs0 1 5 02/30/93 00:00:03",
                "field 5 (start date): found '02/30/93', expected a date of the calendar",
            ),
            ("user0 nqs0 1 5 10/01/93 0:3", "field 6 (start time): found '0:3', expected a time HH:MM:SS"),
        ] {
            let found = Nas::new().parse(line.as_bytes()).expect_err("wrong").to_string();
            assert!(found.starts_with(problem), "{line}: {found}");
        }
    }
}
