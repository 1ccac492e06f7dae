//! The Standard Workload Format as the Parallel Workloads Archive defines it: 18 numbers on each line.
//!
//! This program extends it: if the header has an entry `Shapes`, the three sides of the job's shape follow
//! the 18 fields.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "positions of fields and counts of one line; a cast of a number with a fraction clamps"
)]

use std::io::Write;

use nom::Parser;
use nom::multi::fill;

use super::format::{Format, LineParser, Parsed, Writing};
use crate::error::Problem;
use crate::facts::Facts;
use crate::fields::{
    Fault, Taken, explain, fault_of, fields, is_blank, numbered, parsed, skip_blanks, take_decimal,
    take_integer, tokens,
};
use crate::header::Header;
use crate::record::{CPU, FIELD_NAMES, FIELDS, Record};
use crate::times::{has_fraction, rounded_s, scaled};

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "swf",
    summary: "Standard Workload Format: 18 numbers on each line, header lines that begin with ;",
    source: "S. Chapin et al., \"Benchmarks and standards for the evaluation of parallel job schedulers\", \
         JSSPP 1999; version 2.2 of the Parallel Workloads Archive",
    lacks: "nodes of jobs, which the allocator `recorded` takes",
    extensions: &["swf"],
    expects_spaces: true,
    parser: |_| Ok(Box::new(Swf::default())),
    writing: Some(Writing { has_comments: true, by_authors_rules: false, append }),
    ..Format::UNNAMED
};

/// The key of the header entry of a log whose records have sides.
pub const SHAPES: &str = "Shapes";
/// The number of fields that hold the sides of a job's shape.
const SIDES: usize = 3;
/// The greatest length of a side, in nodes. No machine has more nodes.
const LONGEST: u32 = 1 << 24;

/// The parser of one log.
#[derive(Default)]
struct Swf {
    /// Whether three sides follow the 18 fields.
    has_sides: bool,
    counts: Counts,
}

/// Counts of oddities, of one line or of all lines read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Times with a fraction of a second.
    rounded: u64,
    /// Jobs that become 0 s long.
    vanished: u64,
    /// Jobs whose field 17 names another job.
    dependent: u64,
}

impl Counts {
    fn add(&mut self, line: Self) {
        self.rounded += line.rounded;
        self.vanished += line.vanished;
        self.dependent += line.dependent;
    }
}

impl LineParser for Swf {
    /// Looks for the entry `Shapes` in the header.
    fn begin(&mut self, header: &Header) {
        self.has_sides = header.get(SHAPES).is_some();
    }

    /// Parses one line. O(length of the line); allocates only for sides.
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let (record, surplus, counts) = parse(line)?;
        if !self.has_sides {
            self.counts.add(counts);
            return Ok(Parsed::Record(record, surplus));
        }
        let sides = sides(line)?;
        if let Some(sides) = sides {
            let found: u128 = sides.into_iter().map(u128::from).product();
            let is_same = |procs: i64| u128::try_from(procs).is_ok_and(|procs| procs == found);
            if !is_same(record.allocated_procs) && !is_same(record.requested_procs) {
                let expected = format!("{} and {}", record.allocated_procs, record.requested_procs);
                return Err(Problem::Sides { found, expected });
            }
        }
        self.counts.add(counts);
        Ok(Parsed::Record(Record { sides, ..record }, surplus - SIDES))
    }

    fn facts(&mut self) -> Facts {
        let Counts { rounded, vanished, dependent } = self.counts;
        let counts = [
            ("times rounded to seconds", rounded),
            ("jobs shorter than a second that become 0 s long", vanished),
            ("jobs that depend on another one (fields 17 and 18), which replays do not honour", dependent),
        ];
        Facts { counts: counts.into_iter().filter(|&(_, count)| count > 0).collect(), ..Facts::default() }
    }
}

/// The indices of the fields that are times: submit, wait, run and requested time, and think time.
const TIMES: [usize; 5] = [1, 2, 3, 8, 17];
/// The index of the field of the preceding job.
const PRECEDING: usize = 16;

/// Parses the 18 fields of a line, and returns the record, the number of fields after them, and the counts of
/// what is odd.
///
/// Numbers may be spelled with a point or an exponent, as programs write them that hold all columns as
/// floats. Times with a fraction of a second are rounded as instants: the wait is the rounded start less the
/// rounded submission.
fn parse(line: &[u8]) -> Result<(Record, usize, Counts), Problem> {
    let mut row = Row { values: [-1; FIELDS], average_cpu_s: -1.0, exact_us: [None; TIMES.len()] };
    let (rest, ()) = row.take(line).map_err(|error| explain(line, fault_of(error), &FIELD_NAMES))?;
    let Row { mut values, average_cpu_s, exact_us } = row;
    let rounded = exact_us.iter().flatten().count() as u64;
    let vanished = u64::from(rounded > 0 && round_instants(&mut values, exact_us));
    let counts = Counts { rounded, vanished, dependent: u64::from(values[PRECEDING] > 0) };
    let surplus = if rest.is_empty() { 0 } else { fields(rest) };
    Ok((Record::from_fields(values, average_cpu_s), surplus, counts))
}

/// The fields of a line.
struct Row {
    values: [i64; FIELDS],
    average_cpu_s: f64,
    /// The [`TIMES`] with a fraction of a second, in microseconds.
    exact_us: [Option<i64>; TIMES.len()],
}

impl Row {
    /// The grammar of a line: five numbers, the average CPU time, twelve numbers.
    fn take<'a>(&mut self, line: &'a [u8]) -> Taken<'a, ()> {
        let Self { values, average_cpu_s, exact_us } = self;
        let [before @ .., _] = &mut values[..=CPU] else { return Ok((line, ())) };
        let (rest, ()) =
            fill(numbered(1, |field, input| take_number(field, input, exact_us)), before).parse(line)?;
        let (rest, cpu_s) = numbered(CPU + 1, take_any_decimal)(rest)?;
        *average_cpu_s = cpu_s;
        let behind = &mut values[CPU + 1..];
        fill(numbered(CPU + 2, |field, input| take_number(field, input, exact_us)), behind).parse(rest)
    }
}

/// Takes an integer, also one that is spelled as a float, or a time with a fraction of a second, which goes
/// into `exact_us`.
#[expect(clippy::inline_always, reason = "as for the integer in it, which nearly all fields are")]
#[inline(always)]
fn take_number<'a>(
    field: usize,
    input: &'a [u8],
    exact_us: &mut [Option<i64>; TIMES.len()],
) -> Result<(&'a [u8], i64), Fault> {
    take_integer(field, input).or_else(|fault| take_spelled(field, input, exact_us).ok_or(fault))
}

/// [`take_number`] for a number with a point or an exponent; `None` if it is none.
#[cold]
fn take_spelled<'a>(
    field: usize,
    input: &'a [u8],
    exact_us: &mut [Option<i64>; TIMES.len()],
) -> Option<(&'a [u8], i64)> {
    let (rest, micros) = take_micros(input)?;
    if has_fraction(micros) {
        let time = TIMES.iter().position(|&time| time + 1 == field)?;
        exact_us[time] = Some(micros);
    }
    Some((rest, rounded_s(micros)))
}

/// Sets the wait and the run time to differences of rounded instants. `exact_us` holds the [`TIMES`] with
/// fractions. Returns true if this makes the job 0 s long. Unknown times stay unknown.
fn round_instants(values: &mut [i64; FIELDS], exact_us: [Option<i64>; TIMES.len()]) -> bool {
    let [submit, wait, run, ..] = TIMES;
    let known = |place: usize, index: usize| {
        exact_us[place].or_else(|| values[index].checked_mul(1_000_000)).filter(|&micros| micros >= 0)
    };
    let exact_run = known(2, run);
    let exact_start =
        known(0, submit).zip(known(1, wait)).and_then(|(submit, wait)| submit.checked_add(wait));
    let Some(exact_start) = exact_start else { return false };
    let rounded_start = rounded_s(exact_start);
    values[wait] = rounded_start - values[submit];
    let Some(exact_run) = exact_run else { return false };
    let Some(exact_end) = exact_start.checked_add(exact_run) else { return false };
    values[run] = rounded_s(exact_end) - rounded_start;
    exact_run > 0 && values[run] == 0
}

/// Takes a decimal number after blanks, also one with an exponent.
fn take_any_decimal(field: usize, input: &[u8]) -> Result<(&[u8], f64), Fault> {
    take_decimal(field, input).or_else(|fault| {
        let (token, rest) = token(input);
        parsed(token).filter(|value: &f64| value.is_finite()).map(|value| (rest, value)).ok_or(fault)
    })
}

/// Takes a number after blanks in millionths; `None` if it is none.
fn take_micros(input: &[u8]) -> Option<(&[u8], i64)> {
    let (token, rest) = token(input);
    Some((rest, scaled(token, 1_000_000)?))
}

/// Returns the first word of a text, and what follows it.
fn token(input: &[u8]) -> (&[u8], &[u8]) {
    let text = skip_blanks(input);
    text.split_at(text.iter().position(|&byte| is_blank(byte)).unwrap_or(text.len()))
}

/// Returns the three fields after the 18 as the sides of the job's shape, in nodes; `None` if all three are
/// −1, which means unknown.
fn sides(line: &[u8]) -> Result<Option<[u32; 3]>, Problem> {
    const NAMES: [&str; SIDES] = ["side along x", "side along y", "side along z"];
    const EXPECTED: &str = "an integer from 1 to 2^24, or -1 for all three sides";
    let tokens: Vec<&[u8]> = tokens(line).collect();
    let Some(last) = tokens.get(FIELDS..FIELDS + SIDES) else {
        return Err(Problem::TooFewFields { found: tokens.len(), expected: FIELDS + SIDES });
    };
    if last.iter().all(|token| *token == b"-1") {
        return Ok(None);
    }
    let mut sides = [0; SIDES];
    for (i, token) in last.iter().enumerate() {
        sides[i] = parsed(token)
            .filter(|side| (1..=LONGEST).contains(side))
            .ok_or_else(|| Problem::not_a_number(FIELDS + 1 + i, NAMES[i], token, EXPECTED))?;
    }
    Ok(Some(sides))
}

/// Appends the line of `record`, with the sides of its shape if `has_sides`. An average CPU time that is NaN
/// or infinite is written as −1, unknown.
fn append(record: &Record, has_sides: bool, line: &mut Vec<u8>) {
    let average_cpu_s = if record.average_cpu_s.is_finite() { record.average_cpu_s } else { -1.0 };
    for (i, value) in record.fields().into_iter().enumerate() {
        if i > 0 {
            line.push(b' ');
        }
        // The only field that may have a fraction.
        let integer = if i == CPU { whole(average_cpu_s) } else { Some(value) };
        match integer {
            Some(integer) => push_integer(line, integer),
            // Writing to memory cannot fail.
            None => drop(write!(line, "{average_cpu_s}")),
        }
    }
    if has_sides {
        for side in record.sides.map_or([-1; SIDES], |sides| sides.map(i64::from)) {
            line.push(b' ');
            push_integer(line, side);
        }
    }
    line.push(b'\n');
}

/// Appends the digits of `number`, with its sign if it is negative. This takes a tenth of the time of
/// `write!`, which most of the time of writing a log would go into.
fn push_integer(line: &mut Vec<u8>, number: i64) {
    line.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Returns the integer that `number` is written as; `None` if it has a fraction or is too large for one. The
/// zero below 0, which is written `-0`, is none either.
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9e15; // Integers up to 2^53 are exact, so that the cast loses nothing.
    let is_whole = number.trunc().to_bits() == number.to_bits() && number.abs() < EXACT;
    (is_whole && number.to_bits() != (-0.0_f64).to_bits()).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    const LINE: &str =
        "   12   342343      5    553   40 552.21    -1   48  43200    -2  1   4   3  -1 6 7 8 9";

    #[test]
    fn every_field_has_its_place() -> Result<(), Problem> {
        let (record, surplus, _) = parse(LINE.as_bytes())?;
        let mut line = Vec::new();
        append(&record, false, &mut line);
        assert_eq!(line, b"12 342343 5 553 40 552.21 -1 48 43200 -2 1 4 3 -1 6 7 8 9\n");
        assert_eq!((record.run_s, record.requested_procs, record.queue, surplus), (553, 48, 6, 0));
        Ok(())
    }

    /// Integers go another way than numbers with fractions, and both are written as Rust writes them.
    #[test]
    fn average_times_are_written_with_as_many_digits_as_they_have() {
        for time_s in
            [-1.0, 0.0, -0.0, 7.0, 0.5, -2.25, 1e15, 9e15, 1e300, 0.1 + 0.2, f64::MIN_POSITIVE, 552.21]
        {
            let mut line = Vec::new();
            append(&Record { average_cpu_s: time_s, ..Record::UNKNOWN }, false, &mut line);
            let found = String::from_utf8_lossy(&line).into_owned();
            assert_eq!(found.split(' ').nth(CPU), Some(time_s.to_string().as_str()));
        }
    }

    #[test]
    fn tabs_separate_and_surplus_fields_are_counted() -> Result<(), Problem> {
        let tabs = format!("{}\t0\t x ", LINE.split_whitespace().collect::<Vec<_>>().join("\t"));
        let (record, surplus, _) = parse(tabs.as_bytes())?;
        assert_eq!((record, surplus), (parse(LINE.as_bytes())?.0, 2));
        Ok(())
    }

    #[test]
    fn fractions_of_seconds_are_rounded_as_instants_and_counted() -> Result<(), Problem> {
        let line = LINE.replace("342343 ", "342343.5 ").replace(" 553 ", " 553.25 ");
        // The start, 342348.5, and the end, 342901.75, are rounded; the run time is their difference.
        let (record, _, counts) = parse(line.as_bytes())?;
        assert_eq!((record.submit_s, record.wait_s, record.run_s), (342_344, 5, 553));
        assert_eq!(counts, Counts { rounded: 2, dependent: 1, ..Counts::default() });
        assert!(parse(LINE.replace(" 40 ", " 40.5 ").as_bytes()).is_err());
        // Jobs that follow one another do not overlap.
        let of = |submit: &str, wait: &str, run: &str| {
            let line = format!("1 {submit} {wait} {run} 2 -1 -1 2 -1 -1 1 1 1 -1 -1 -1 -1 -1");
            let (record, _, counts) = parse(line.as_bytes())?;
            Ok((record.submit_s, record.wait_s, record.run_s, counts.vanished))
        };
        assert_eq!(of("0.6", "0.0", "9.9")?, (1, 0, 10, 0));
        assert_eq!(of("0.2", "10.3", "4.9")?, (0, 11, 4, 0));
        assert_eq!(of("0.7", "14.7", "5.1")?, (1, 14, 6, 0));
        assert_eq!(of("0.0", "0.1", "0.2")?, (0, 0, 0, 1));
        // Without a wait the start is unknown, and the run time is rounded by itself.
        assert_eq!(of("0.6", "-1", "9.4")?, (1, -1, 9, 0));
        Ok(())
    }

    #[test]
    fn whole_numbers_may_be_spelled_as_floats() -> Result<(), Problem> {
        let floats =
            "1.0 6.0e1 0.0 3600.0 8.0 1.5e1 -1.0 8.0 7.2e+03 -1.0 1.0 1.0 1.0 -1.0 1.0 1.0 -1.0 -1.0";
        let whole = "1 60 0 3600 8 15 -1 8 7200 -1 1 1 1 -1 1 1 -1 -1";
        assert_eq!(parse(floats.as_bytes())?, parse(whole.as_bytes())?);
        assert!(parse(floats.replacen("1.0", "1.5", 1).as_bytes()).is_err());
        Ok(())
    }

    #[test]
    fn sides_follow_the_18_fields() -> Result<(), Problem> {
        let with = |rest: &str| sides(format!("{LINE} {rest}").as_bytes());
        assert_eq!(with("3 2 1")?, Some([3, 2, 1]));
        assert_eq!(with("-1 -1\t-1")?, None);
        let (record, ..) = parse(LINE.as_bytes())?;
        let mut line = Vec::new();
        append(&Record { sides: Some([3, 2, 1]), ..record }, true, &mut line);
        assert!(line.ends_with(b" 8 9 3 2 1\n"));
        assert_eq!(sides(&line[..line.len() - 1])?, Some([3, 2, 1]));
        for (rest, problem) in [
            ("3 2", "20 fields, expected 21"),
            (
                "3 0 1",
                "field 20 (side along y): found '0', expected an integer from 1 to 2^24, or -1 for all three \
                     sides",
            ),
            ("x 2 1", "field 19 (side along x): found 'x'"),
            ("3 2 99999999999", "field 21 (side along z): found '99999999999'"),
        ] {
            let found = with(rest).expect_err("malformed").to_string();
            assert!(found.starts_with(problem), "{rest}: {found}");
        }
        Ok(())
    }

    #[test]
    fn short_and_wrong_lines_say_what_was_expected() {
        let tokens: Vec<&str> = LINE.split_whitespace().collect();
        let short = parse(tokens[..17].join(" ").as_bytes()).expect_err("short").to_string();
        assert_eq!(short, "17 fields, expected 18");
        assert_eq!(parse(b"1").expect_err("short").to_string(), "1 field, expected 18");
        let mut tokens = tokens;
        tokens[4] = "x12";
        let message = parse(tokens.join(" ").as_bytes()).expect_err("malformed").to_string();
        assert_eq!(message, "field 5 (allocated processors): found 'x12', expected an integer or -1");
    }

    /// The twin of [`parse`]: one loop over the fields.
    fn parse_by_hand(line: &[u8]) -> Result<(Record, usize, Counts), Problem> {
        let explained = |fault: Fault| explain(line, fault, &FIELD_NAMES);
        let (mut rest, mut values, mut average_cpu_s) = (line, [-1; FIELDS], -1.0);
        let (mut exact_us, mut counts) = ([None; TIMES.len()], Counts::default());
        for (i, value) in values.iter_mut().enumerate() {
            if i == CPU {
                (rest, average_cpu_s) = take_any_decimal(i + 1, rest).map_err(explained)?;
                continue;
            }
            (rest, *value) = match take_integer(i + 1, rest) {
                Ok(found) => found,
                Err(error) => {
                    let Some((after, micros)) = take_micros(rest) else { return Err(explained(error)) };
                    let time = TIMES.iter().position(|&time| time == i);
                    match time.filter(|_| has_fraction(micros)) {
                        Some(time) => exact_us[time] = Some(micros),
                        None if has_fraction(micros) => return Err(explained(error)),
                        None => {}
                    }
                    (after, rounded_s(micros))
                }
            };
        }
        counts.dependent = u64::from(values[PRECEDING] > 0);
        counts.rounded = exact_us.iter().flatten().count() as u64;
        if counts.rounded > 0 {
            counts.vanished = u64::from(round_instants(&mut values, exact_us));
        }
        let surplus = if rest.is_empty() { 0 } else { fields(rest) };
        Ok((Record::from_fields(values, average_cpu_s), surplus, counts))
    }

    #[test]
    fn mutated_lines_are_parsed_or_explained() {
        const BYTES: &[u8] = b"0123456789-+.;:x \t\r\x00\xff";
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut random = |below: usize| rng.random_range(0..below);
        for _ in 0..100_000 {
            let mut line = LINE.as_bytes().to_vec();
            for _ in 0..=random(3) {
                let (at, byte) = (random(line.len()), BYTES[random(BYTES.len())]);
                match random(8) {
                    0 => line.truncate(at.max(1)),
                    1..=3 => line.insert(at, byte),
                    _ => line[at] = byte,
                }
            }
            assert_eq!(parse(&line), parse_by_hand(&line), "{}", line.escape_ascii());
            match parse(&line) {
                Ok((record, surplus, _)) => {
                    let mut again = Vec::new();
                    append(&record, false, &mut again);
                    let again = parse(again.trim_ascii_end());
                    assert_eq!(
                        again.map(|(record, surplus, counts)| (record, surplus, counts.rounded)),
                        Ok((record, 0, 0))
                    );
                    assert_eq!(fields(&line), 18 + surplus);
                }
                Err(problem) => assert!(problem.to_string().contains("expected"), "{problem}"),
            }
        }
    }

    #[test]
    fn times_that_are_no_numbers_are_written_as_unknown() {
        for average_cpu_s in [f64::NAN, f64::INFINITY] {
            let mut line = Vec::new();
            append(&Record { average_cpu_s, ..Record::UNKNOWN }, false, &mut line);
            assert_eq!(parse(line.trim_ascii_end()).map(|(record, ..)| record), Ok(Record::UNKNOWN));
        }
    }
}
