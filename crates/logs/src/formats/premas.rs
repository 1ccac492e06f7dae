//! `PReMAS`, the format of the simulator of P. Walker, D. Bunde and V. Leung (2010). Each line has four
//! integers, separated by tabs: arrival, processors, run time and estimate. There is no header. An unknown
//! estimate is −1.
#![expect(clippy::arithmetic_side_effects, reason = "lines are counted one by one")]

use std::io::Write;

use nom::Parser;
use nom::multi::fill;

use super::format::{Format, LineParser, Parsed, Writing};
use crate::error::Problem;
use crate::fields::{explain, fault_of, fields, numbered, take_integer};
use crate::record::Record;
use crate::status::COMPLETED;

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "premas",
    summary: "four integers on each line: arrival, processors, run time, estimate; no header",
    source: "the simulator of P. Walker, D. Bunde, V. Leung, \"Faster high-quality processor allocation\", \
         2010",
    lacks: "machine, requested processors, shapes, status, users, groups, applications, queues, memory, job \
         numbers",
    extensions: &["premas"],
    // Four integers on a line may be anything.
    parser: |_| Ok(Box::new(Premas { records: 0 })),
    writing: Some(Writing { has_comments: false, by_authors_rules: true, append }),
    ..Format::UNNAMED
};

/// The names of the fields of a line.
const NAMES: [&str; 4] = ["arrival", "processors", "run time", "estimate"];

/// The parser of one log.
struct Premas {
    /// Records read, which is the job number of the last one.
    records: i64,
}

impl LineParser for Premas {
    /// Parses one line as the record of a completed job. The other fields of the record are unknown. Jobs are
    /// numbered from 1.
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let mut values = [0; NAMES.len()];
        let read = fill(numbered(1, take_integer), &mut values).parse(line);
        let (rest, ()) = read.map_err(|error| explain(line, fault_of(error), &NAMES))?;
        let [submit_s, allocated_procs, run_s, requested_time_s] = values;
        self.records += 1;
        let (job, status) = (self.records, COMPLETED);
        let record =
            Record { job, submit_s, run_s, allocated_procs, requested_time_s, status, ..Record::UNKNOWN };
        Ok(Parsed::Record(record, if rest.is_empty() { 0 } else { fields(rest) }))
    }
}

/// Appends the line of `record`: its submit time, allocated processors, run time and requested time,
/// unchanged.
fn append(record: &Record, _has_sides: bool, line: &mut Vec<u8>) {
    let Record { submit_s, allocated_procs, run_s, requested_time_s, .. } = record;
    // Writing to memory cannot fail.
    let _ = writeln!(line, "{submit_s}\t{allocated_procs}\t{run_s}\t{requested_time_s}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_round_trip() -> Result<(), Problem> {
        let mut premas = Premas { records: 0 };
        let Parsed::Record(record, surplus) = premas.parse(b"100\t16\t3600\t-1")? else {
            panic!("no record")
        };
        assert_eq!((record.submit_s, record.allocated_procs, record.run_s), (100, 16, 3600));
        assert_eq!((record.requested_time_s, record.status, record.requested_procs, surplus), (-1, 1, -1, 0));
        let mut line = Vec::new();
        append(&record, false, &mut line);
        assert_eq!(line, b"100\t16\t3600\t-1\n");
        assert_eq!(premas.parse(b"1 2 3").expect_err("short").to_string(), "3 fields, expected 4");
        let message = premas.parse(b"1 2.5 3 4").expect_err("malformed").to_string();
        assert_eq!(message, "field 2 (processors): found '2.5', expected an integer or -1");
        Ok(())
    }
}
