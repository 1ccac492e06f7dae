//! The Standard Workload Format as the Parallel Workloads Archive defines it: 18 numbers on a line.

use nom::Parser;

use super::super::error::Problem;
use super::super::fields::{decimal, explain, fields, integer, is_blank};
use super::super::record::{FIELD_NAMES, Record};

/// Parses one line without its end; also how many fields there are beyond the 18. O(length).
pub(in crate::trace) fn parse(line: &[u8]) -> Result<(Record, usize), Problem> {
    let times = (integer(1), integer(2), integer(3), integer(4));
    let used = (integer(5), decimal(6), integer(7));
    let asked = (integer(8), integer(9), integer(10));
    let labels = (integer(11), integer(12), integer(13), integer(14), integer(15), integer(16));
    let links = (integer(17), integer(18));
    let (rest, (times, used, asked, labels, links)) = (times, used, asked, labels, links)
        .parse(line)
        .map_err(|error| explain(line, &error, &FIELD_NAMES))?;
    let record = Record {
        job: times.0,
        submit_s: times.1,
        wait_s: times.2,
        run_s: times.3,
        allocated_procs: used.0,
        average_cpu_s: used.1,
        used_memory_kb: used.2,
        requested_procs: asked.0,
        requested_time_s: asked.1,
        requested_memory_kb: asked.2,
        status: labels.0,
        user: labels.1,
        group: labels.2,
        executable: labels.3,
        queue: labels.4,
        partition: labels.5,
        preceding_job: links.0,
        think_time_s: links.1,
        sides: None,
    };
    Ok((record, if rest.is_empty() { 0 } else { fields(rest) }))
}

/// Fields beyond the 18 that hold the sides of a job's shape.
pub(in crate::trace) const SIDES: usize = 3;
/// Longest side that any machine has.
const LONGEST: u32 = 1 << 24;

/// Parses the three fields behind the 18 of a line as the sides of a job's shape; `None` if they are unknown. O(length).
pub(in crate::trace) fn sides(line: &[u8]) -> Result<Option<[u32; 3]>, Problem> {
    const NAMES: [&str; SIDES] = ["side along x", "side along y", "side along z"];
    let tokens: Vec<&[u8]> = line.split(|&byte| is_blank(byte)).filter(|token| !token.is_empty()).collect();
    let Some(last) = tokens.get(FIELD_NAMES.len()..FIELD_NAMES.len() + SIDES) else {
        return Err(Problem::TooFewFields { found: tokens.len(), expected: FIELD_NAMES.len() + SIDES });
    };
    if last.iter().all(|token| *token == b"-1") {
        return Ok(None);
    }
    let mut sides = [0; SIDES];
    for (i, token) in last.iter().enumerate() {
        let text = String::from_utf8_lossy(token);
        sides[i] = text.parse().ok().filter(|side| (1..=LONGEST).contains(side)).ok_or_else(|| {
            Problem::NotANumber {
                field: FIELD_NAMES.len() + 1 + i,
                name: NAMES[i],
                found: text.chars().take(20).collect(),
                expected: "an integer from 1 to 2^24, or all three sides",
            }
        })?;
    }
    Ok(Some(sides))
}

/// Appends the line of `record`, with the sides of its shape if the log has them, with its end. An average CPU time that is no number is written as unknown.
pub(in crate::trace) fn format(record: &Record, with_sides: bool, line: &mut Vec<u8>) {
    use std::io::Write;
    let r = record;
    let cpu_s = if r.average_cpu_s.is_finite() { r.average_cpu_s } else { -1.0 };
    // Writing to memory cannot fail.
    let _ = write!(
        line,
        "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}",
        r.job,
        r.submit_s,
        r.wait_s,
        r.run_s,
        r.allocated_procs,
        cpu_s,
        r.used_memory_kb,
        r.requested_procs,
        r.requested_time_s,
        r.requested_memory_kb,
        r.status,
        r.user,
        r.group,
        r.executable,
        r.queue,
        r.partition,
        r.preceding_job,
        r.think_time_s
    );
    let _ = match r.sides {
        _ if !with_sides => Ok(()),
        Some([a, b, c]) => write!(line, " {a} {b} {c}"),
        None => write!(line, " -1 -1 -1"),
    };
    line.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "   12   342343      5    553   40 552.21    -1   48  43200    -2  1   4   3  -1 6 7 8 9";

    #[test]
    fn every_field_has_its_place() -> Result<(), Problem> {
        let (record, surplus) = parse(LINE.as_bytes())?;
        let mut line = Vec::new();
        format(&record, false, &mut line);
        assert_eq!(line, b"12 342343 5 553 40 552.21 -1 48 43200 -2 1 4 3 -1 6 7 8 9\n");
        assert_eq!((record.run_s, record.requested_procs, record.queue, surplus), (553, 48, 6, 0));
        Ok(())
    }

    #[test]
    fn tabs_separate_and_surplus_fields_are_counted() -> Result<(), Problem> {
        let tabs = format!("{}\t0\t x ", LINE.split_whitespace().collect::<Vec<_>>().join("\t"));
        let (record, surplus) = parse(tabs.as_bytes())?;
        assert_eq!((record, surplus), (parse(LINE.as_bytes())?.0, 2));
        Ok(())
    }

    #[test]
    fn sides_follow_the_18_fields() -> Result<(), Problem> {
        let with = |rest: &str| sides(format!("{LINE} {rest}").as_bytes());
        assert_eq!(with("3 2 1")?, Some([3, 2, 1]));
        assert_eq!(with("-1 -1\t-1")?, None);
        let (record, _) = parse(LINE.as_bytes())?;
        let mut line = Vec::new();
        format(&Record { sides: Some([3, 2, 1]), ..record }, true, &mut line);
        assert!(line.ends_with(b" 8 9 3 2 1\n"));
        assert_eq!(sides(&line[..line.len() - 1])?, Some([3, 2, 1]));
        for (rest, problem) in [
            ("3 2", "20 fields, expected 21"),
            (
                "3 0 1",
                "field 20 (side along y): found '0', expected an integer from 1 to 2^24, or all three sides or -1",
            ),
            ("x 2 1", "field 19 (side along x): found 'x'"),
            ("3 2 99999999999", "field 21 (side along z): found '99999999999'"),
        ] {
            let found = with(rest).expect_err("wrong").to_string();
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
        let wrong = parse(tokens.join(" ").as_bytes()).expect_err("wrong").to_string();
        assert_eq!(wrong, "field 5 (allocated processors): found 'x12', expected an integer or -1");
    }

    #[test]
    fn mutated_lines_are_parsed_or_explained() {
        const BYTES: &[u8] = b"0123456789-+.;:x \t\r\x00\xff";
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
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
            match parse(&line) {
                Ok((record, surplus)) => {
                    let mut again = Vec::new();
                    format(&record, false, &mut again);
                    assert_eq!(parse(again.trim_ascii_end()), Ok((record, 0)));
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
            format(&Record { average_cpu_s, ..Record::UNKNOWN }, false, &mut line);
            assert_eq!(parse(line.trim_ascii_end()).map(|(record, _)| record), Ok(Record::UNKNOWN));
        }
    }
}
