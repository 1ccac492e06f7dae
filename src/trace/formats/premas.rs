//! `PReMAS`, the four columns of the walker-2010 authors' simulator: `arrival`, `procs`, `run`, `estimate`,
//! tab-separated integers, no header, −1 for an unknown estimate.
//!
//! [`from_record`] is the authors' rule for what of a log goes into such a file.

use nom::Parser;

use super::super::error::Problem;
use super::super::fields::{explain, fields, integer};
use super::super::record::Record;

const NAMES: [&str; 4] = ["arrival", "processors", "run time", "estimate"];

/// Status of a job that completed.
const COMPLETED: i64 = 1;
/// Status of a job that was cancelled, perhaps after it had run for some time.
const CANCELLED: i64 = 5;

/// Parses one line without its end; also how many fields there are beyond the four. The record is a completed job
/// with these four fields known; its number is left to the reader.
pub(in crate::trace) fn parse(line: &[u8]) -> Result<(Record, usize), Problem> {
    let (rest, (submit_s, allocated_procs, run_s, requested_time_s)) =
        (integer(1), integer(2), integer(3), integer(4))
            .parse(line)
            .map_err(|error| explain(line, &error, &NAMES))?;
    let status = COMPLETED;
    let record = Record { submit_s, run_s, allocated_procs, requested_time_s, status, ..Record::UNKNOWN };
    Ok((record, if rest.is_empty() { 0 } else { fields(rest) }))
}

/// Appends the line of `record`, with its end: submit time, allocated processors, run time and requested time as they
/// are; [`from_record`] decides what they should be.
pub(in crate::trace) fn format(record: &Record, line: &mut Vec<u8>) {
    use std::io::Write;
    let Record { submit_s, allocated_procs, run_s, requested_time_s, .. } = record;
    // Writing to memory cannot fail.
    let _ = writeln!(line, "{submit_s}\t{allocated_procs}\t{run_s}\t{requested_time_s}");
}

/// Why the authors leave a record out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// Field 5 is not positive; field 8 is not looked at.
    NoProcessors,
    /// The status is none of −1, 0, 1, nor 5 after some run time.
    Status,
    /// Neither field 4 nor field 6 tells a run time.
    NoRunTime,
}

impl LeftOut {
    /// The reason in words.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::NoProcessors => "no allocated processors",
            Self::Status => "status",
            Self::NoRunTime => "no run time",
        }
    }
}

/// Applies the conversion rules of the authors of Walker, Bunde, Leung, "Faster high-quality processor allocation",
/// 2010: processors are field 5; the run time is field 4 or, where that is −1, field 6 rounded half away from zero;
/// records with status −1, 0 or 1 are kept, those with status 5 if they ran. The estimate stays as recorded, even
/// below the run time, which the simulator raises later.
pub fn from_record(record: &Record) -> Result<Record, LeftOut> {
    if record.allocated_procs <= 0 {
        return Err(LeftOut::NoProcessors);
    }
    let run_s = if record.run_s == -1 { record.average_cpu_s.round() as i64 } else { record.run_s };
    match record.status {
        -1..=COMPLETED => {}
        CANCELLED if run_s > 0 => {}
        _ => return Err(LeftOut::Status),
    }
    if run_s < 0 {
        return Err(LeftOut::NoRunTime);
    }
    Ok(Record { run_s, ..*record })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_round_trip() -> Result<(), Problem> {
        let (record, surplus) = parse(b"100\t16\t3600\t-1")?;
        assert_eq!((record.submit_s, record.allocated_procs, record.run_s), (100, 16, 3600));
        assert_eq!((record.requested_time_s, record.status, record.requested_procs, surplus), (-1, 1, -1, 0));
        let mut line = Vec::new();
        format(&record, &mut line);
        assert_eq!(line, b"100\t16\t3600\t-1\n");
        assert_eq!(parse(b"1 2 3").expect_err("short").to_string(), "3 fields, expected 4");
        let wrong = parse(b"1 2.5 3 4").expect_err("wrong").to_string();
        assert_eq!(wrong, "field 2 (processors): found '2.5', expected an integer or -1");
        Ok(())
    }

    #[test]
    fn the_authors_rules() {
        let job = Record { allocated_procs: 4, run_s: 10, status: 1, ..Record::UNKNOWN };
        let run = |record: Record| from_record(&record).map(|kept| kept.run_s);
        assert_eq!(run(job), Ok(10));
        for status in [-1, 0, 5] {
            assert_eq!(run(Record { status, ..job }), Ok(10));
        }
        for status in [-2, 2, 3, 4, 6, 126] {
            assert_eq!(run(Record { status, ..job }), Err(LeftOut::Status));
        }
        assert_eq!(run(Record { status: 5, run_s: 0, ..job }), Err(LeftOut::Status));
        assert_eq!(run(Record { run_s: 0, ..job }), Ok(0));
        assert_eq!(run(Record { run_s: -1, average_cpu_s: 2.5, ..job }), Ok(3));
        assert_eq!(run(Record { run_s: -1, ..job }), Err(LeftOut::NoRunTime));
        let asked = Record { allocated_procs: 0, requested_procs: 8, ..job };
        assert_eq!(run(asked), Err(LeftOut::NoProcessors));
    }
}
