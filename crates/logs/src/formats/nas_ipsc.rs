//! The native log of the iPSC/860 at NASA Ames, 1993. Each line is `user command nodes seconds MM/DD/YY
//! HH:MM:SS`.
//!
//! Date and time are the start of the job, in California's local time. Lines with 0 nodes and lines of user
//! `special` (dedicated time, for example) are no jobs. The other lines become the records of the Parallel
//! Workloads Archive:
//!
//! * Submit times are the starts, and count from the first of them.
//! * Users are numbered in the order of their first appearance. So are the commands of interactive jobs.
//! * Commands that begin with `nqs` are batch jobs, in queue 1 and without an application. Others are in
//!   queue 0.
//! * Users whose names begin with `user` are in group 1, the others in group 2.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "jobs are counted one by one, and a year is at most 2000 + 127"
)]

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use nom::bytes::complete::{take, take_till, take_till1, take_while};
use nom::combinator::{all_consuming, map_opt};
use nom::multi::fill;
use nom::sequence::preceded;
use nom::{IResult, Parser};

use super::format::{Format, LineParser, Parsed};
use crate::error::Problem;
use crate::facts::Facts;
use crate::fields::{parsed, words};
use crate::names::{NameKind, Names};
use crate::record::Record;
use crate::times::AMBIGUOUS;

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "nas-ipsc",
    summary: "native log of the iPSC/860 at NASA Ames: user, command, nodes, run time, start date and time",
    source: "D. Feitelson, B. Nitzberg, \"Job characteristics of a production parallel scientific workload \
         on the NASA Ames iPSC/860\", JSSPP 1995",
    lacks: "machine, arrivals (starts stand for them), estimates, requested processors, status, memory",
    recognises: Some(is_line),
    parser: |_| Ok(Box::new(NasIpsc::new())),
    ..Format::UNNAMED
};

/// The names of the fields of a line.
const NAMES: [&str; 6] = ["user", "command", "nodes", "run time", "start date", "start time"];
/// The time zone of NASA Ames.
const ZONE: &str = "America/Los_Angeles";

/// Parser of one log.
struct NasIpsc {
    /// The time zone; `None` if it is unknown. It is built into this program, so it is always known.
    zone: Option<TimeZone>,
    /// Jobs read.
    jobs: i64,
    /// Local times that occur twice or never.
    ambiguous: u64,
    names: Names,
}

impl NasIpsc {
    /// Makes the parser of one log.
    fn new() -> Self {
        Self { zone: TimeZone::get(ZONE).ok(), jobs: 0, ambiguous: 0, names: Names::default() }
    }

    /// Returns the time of a date such as `10/01/93` and a time such as `00:00:03`, in seconds since 1970. A
    /// clock time occurs twice when clocks are put back; the first one is taken.
    fn instant(&mut self, date: &[u8], time: &[u8]) -> Result<i64, Problem> {
        let civil = civil(date, time)?;
        let ambiguous = self.zone.as_ref().map(|zone| zone.to_ambiguous_timestamp(civil));
        self.ambiguous += u64::from(ambiguous.is_some_and(|ambiguous| ambiguous.is_ambiguous()));
        let timestamp = ambiguous.and_then(|ambiguous| ambiguous.compatible().ok());
        let timestamp = timestamp.ok_or_else(|| malformed(4, date, "a date that the time zone has"))?;
        Ok(timestamp.as_second())
    }
}

impl LineParser for NasIpsc {
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let too_few = || Problem::TooFewFields { found: words(line).count(), expected: NAMES.len() };
        let (rest, [user, command, nodes, run, date, time]) = six_words(line).map_err(|_| too_few())?;
        if user == b"special" || nodes == b"0" {
            return Ok(Parsed::NoJob);
        }
        let procs = number(2, nodes)?;
        let run_s = number(3, run)?;
        let started_s = self.instant(date, time)?;
        let is_batch = command.starts_with(b"nqs");
        self.jobs += 1;
        let record = Record {
            job: self.jobs,
            submit_s: started_s,
            run_s,
            allocated_procs: procs,
            user: self.names.number(NameKind::User, user),
            group: if user.starts_with(b"user") { 1 } else { 2 },
            executable: if is_batch { -1 } else { self.names.number(NameKind::Executable, command) },
            queue: i64::from(is_batch),
            ..Record::UNKNOWN
        };
        Ok(Parsed::Record(record, words(rest).count()))
    }

    fn facts(&mut self) -> Facts {
        Facts {
            names: std::mem::take(&mut self.names),
            has_unix_times: self.jobs > 0,
            time_zone: Some(ZONE.to_owned()),
            counts: (self.ambiguous > 0).then_some((AMBIGUOUS, self.ambiguous)).into_iter().collect(),
            ..Facts::default()
        }
    }
}

/// Takes the next word, between white space of any kind.
fn word(line: &[u8]) -> IResult<&[u8], &[u8]> {
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    preceded(take_while(is_space), take_till1(is_space)).parse(line)
}

/// The grammar of a line: user, command, nodes, run time, date and time of the start.
fn six_words(line: &[u8]) -> IResult<&[u8], [&[u8]; 6]> {
    let mut words = [&line[..0]; 6];
    let (rest, ()) = fill(word, &mut words).parse(line)?;
    Ok((rest, words))
}

/// Parses three numbers with `separator` between them, such as `10/01/93`.
fn three(separator: u8, text: &[u8]) -> Option<[i8; 3]> {
    let number = || map_opt(take_till(move |byte| byte == separator), parsed::<i8>);
    let separated = (number(), take(1_usize), number(), take(1_usize), number());
    let read: IResult<_, _> = all_consuming(separated).parse(text);
    let (_, (first, _, second, _, third)) = read.ok()?;
    Some([first, second, third])
}

/// Returns true for exactly six words that end in a date and a time. No other format has such lines.
fn is_line(line: &[u8]) -> bool {
    let six = six_words(line).ok().filter(|(rest, _)| rest.trim_ascii().is_empty());
    six.is_some_and(|(_, [_, _, _, _, date, time])| civil(date, time).is_ok())
}

/// Returns the clock time of a date such as `10/01/93` and a time such as `00:00:03`.
fn civil(date: &[u8], time: &[u8]) -> Result<DateTime, Problem> {
    let [month, day, year] = three(b'/', date).ok_or_else(|| malformed(4, date, "a date MM/DD/YY"))?;
    let [hour, minute, second] = three(b':', time).ok_or_else(|| malformed(5, time, "a time HH:MM:SS"))?;
    // The year has two digits. The log begins in 1993, so 70 to 99 are years of the 20th century.
    let century = if year < 70 { 2000 } else { 1900 };
    DateTime::new(century + i16::from(year), month, day, hour, minute, second, 0)
        .map_err(|_| malformed(4, date, "a date of the calendar and a time of the day"))
}

/// Returns `token` as an integer of at least 0. `index` is the index of its field, from 0.
fn number(index: usize, token: &[u8]) -> Result<i64, Problem> {
    parsed(token).filter(|value| *value >= 0).ok_or_else(|| malformed(index, token, "a whole number"))
}

/// Returns the problem of field `index`, from 0, which is not what was expected.
fn malformed(index: usize, token: &[u8], expected: &'static str) -> Problem {
    Problem::column(index + 1, NAMES[index], token, expected)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    #[test]
    fn lines_become_records_as_the_archive_has_them() -> Result<(), Problem> {
        let mut nas = NasIpsc::new();
        let mut record = |line: &str| nas.parse(line.as_bytes());
        let first = record("user0     nqs0     128   1451 10/01/93 00:00:03")?;
        assert!(matches!(
            first,
            Parsed::Record(
                Record {
                    job: 1,
                    submit_s: 749_458_803,
                    run_s: 1451,
                    allocated_procs: 128,
                    user: 1,
                    group: 1,
                    executable: -1,
                    queue: 1,
                    ..
                },
                0
            )
        ));
        assert_eq!(record("special CUBE D 100 10/01/93 00:01:00")?, Parsed::NoJob);
        assert_eq!(record("user3 cmd 0 0 10/01/93 00:01:00")?, Parsed::NoJob);
        // Clocks went back on the 31st: a day of 25 hours.
        let later = record("sysadmin cmd7 4 3 11/01/93 00:00:03 x")?;
        assert!(matches!(
            later,
            Parsed::Record(
                Record { job: 2, submit_s: 752_140_803, user: 2, group: 2, executable: 1, queue: 0, .. },
                1
            )
        ));
        let facts = nas.facts();
        assert_eq!(facts.names.of(NameKind::User).collect::<Vec<_>>(), ["user0", "sysadmin"]);
        assert_eq!(facts.names.of(NameKind::Executable).collect::<Vec<_>>(), ["cmd7"]);
        assert_eq!((facts.time_zone.as_deref(), facts.has_unix_times), (Some(ZONE), true));
        Ok(())
    }

    #[test]
    fn wrong_lines_say_what_was_expected() {
        for (line, problem) in [
            ("user0 nqs0 128 1451 10/01/93", "5 fields, expected 6"),
            ("user0 nqs0 x 1451 10/01/93 00:00:03", "column 3 (nodes): found 'x', expected a whole number"),
            ("user0 nqs0 1 -5 10/01/93 00:00:03", "column 4 (run time): found '-5'"),
            (
                "user0 nqs0 1 5 10-01-93 00:00:03",
                "column 5 (start date): found '10-01-93', expected a date MM/DD/YY",
            ),
            (
                "user0 nqs0 1 5 02/30/93 00:00:03",
                "column 5 (start date): found '02/30/93', expected a date of the calendar",
            ),
            ("user0 nqs0 1 5 10/01/93 0:3", "column 6 (start time): found '0:3', expected a time HH:MM:SS"),
        ] {
            let found = NasIpsc::new().parse(line.as_bytes()).expect_err("malformed").to_string();
            assert!(found.starts_with(problem), "{line}: {found}");
        }
    }

    /// The twin of the grammar: words and parts by splitting.
    fn by_splitting(line: &[u8]) -> Result<(usize, DateTime), Problem> {
        let tokens: Vec<&[u8]> = words(line).collect();
        let [_, _, nodes, run, date, time, surplus @ ..] = tokens.as_slice() else {
            return Err(Problem::TooFewFields { found: tokens.len(), expected: NAMES.len() });
        };
        number(2, nodes)?;
        number(3, run)?;
        let parts = |token: &[u8], separator: u8| -> Option<[i8; 3]> {
            let mut parts = token.split(|&byte| byte == separator);
            let mut next = || parsed(parts.next()?);
            let found = [next()?, next()?, next()?];
            parts.next().is_none().then_some(found)
        };
        let [month, day, year] = parts(date, b'/').ok_or_else(|| malformed(4, date, "a date MM/DD/YY"))?;
        let [hour, minute, second] =
            parts(time, b':').ok_or_else(|| malformed(5, time, "a time HH:MM:SS"))?;
        let century = if year < 70 { 2000 } else { 1900 };
        let civil = DateTime::new(century + i16::from(year), month, day, hour, minute, second, 0)
            .map_err(|_| malformed(4, date, "a date of the calendar and a time of the day"))?;
        Ok((surplus.len(), civil))
    }

    #[test]
    fn mutated_lines_are_read_as_by_splitting() {
        const BYTES: &[u8] = b"0123456789-+/:x \t\r\x0b\xff";
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut random = |below: usize| rng.random_range(0..below);
        for _ in 0..100_000 {
            let mut line = b"user0     nqs0     128   1451 10/01/93 00:00:03".to_vec();
            for _ in 0..=random(3) {
                let (at, byte) = (random(line.len()), BYTES[random(BYTES.len())]);
                match random(8) {
                    0 => line.truncate(at.max(1)),
                    1..=3 => line.insert(at, byte),
                    _ => line[at] = byte,
                }
            }
            let expected = by_splitting(&line).map(|(surplus, _)| surplus);
            let place = line.escape_ascii();
            match NasIpsc::new().parse(&line) {
                Ok(Parsed::Record(_, surplus)) => assert_eq!(Ok(surplus), expected, "{place}"),
                Err(problem) => assert_eq!(Err(problem), expected, "{place}"),
                // Jobs on no nodes.
                Ok(_) => {}
            }
        }
    }
}
