//! Tests of reading logs.

use super::*;
use crate::facts::Facts;
use crate::summary::Irregularities;
use std::io::Write;

const JOB: &str = "1 0 -1 60 4 -1 -1 4 -1 -1 1 1 1 -1 -1 -1 -1 -1";

fn read_text(
    text: &str,
    options: ReadOptions,
) -> Result<(Vec<Record>, LogSummary), Box<dyn std::error::Error>> {
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(text.as_bytes())?;
    let mut records = Vec::new();
    let summary = read(file.path(), options, |record| records.push(*record))?;
    Ok((records, summary))
}

#[test]
fn every_kind_of_line_is_counted() -> Result<(), Box<dyn std::error::Error>> {
    let tabs = JOB.replace(' ', "\t");
    let text = format!(
        "; MaxProcs: 4\r\n{JOB}\r\n \t\n;late\n3{tab} 7\n  2{job}",
        tab = &tabs[1..],
        job = &JOB[1..]
    );
    let (records, summary) = read_text(&text, ReadOptions::default())?;
    assert_eq!(records.iter().map(|record| record.job).collect::<Vec<_>>(), [1, 3, 2]);
    let found = Irregularities {
        crlf_lines: 2,
        tab_lines: 1,
        blank_lines: 1,
        late_comments: 1,
        surplus_field_lines: 1,
        equal_submits: 2,
        job_descents: 1,
        unterminated_lines: 1,
        ..Irregularities::default()
    };
    assert_eq!(summary.irregularities, found);
    assert_eq!((summary.lines, summary.records, summary.bytes), (6, 3, text.len() as u64));
    let header: Vec<&[u8]> = summary.header.lines().collect();
    assert_eq!(header, [&b"; MaxProcs: 4"[..], b";late"]);
    assert_eq!(total(&summary.irregularities), 10);
    Ok(())
}

fn total(found: &Irregularities) -> u64 {
    found.rows().iter().map(|(_, count)| count).sum()
}

#[test]
fn strict_reading_stops_where_lenient_reading_counts() -> Result<(), Box<dyn std::error::Error>> {
    let text = format!("{JOB}\n1 2 3\n{}\n{}\n", JOB.replace("60", "6O"), JOB.replace("60", &"9".repeat(20)));
    let message = read_text(&text, ReadOptions::default()).expect_err("strict").to_string();
    assert!(
        message.ends_with(
            ":2: 3 fields, expected 18; --lenient skips such lines, and `meshreplay trace \
         convert --lenient` writes a log without them"
        ),
        "{message}"
    );
    let (records, summary) = read_text(&text, ReadOptions { lenient: true, ..ReadOptions::default() })?;
    assert_eq!((records.len(), summary.irregularities.skipped()), (1, 3));
    let found = summary.irregularities;
    assert_eq!(
        [found.skipped_too_few_fields, found.skipped_not_a_number, found.skipped_out_of_range],
        [1, 1, 1]
    );
    Ok(())
}

/// A format of lines with any number of job numbers, in seconds since 1970.
struct Many(Vec<i64>);

impl LineParser for Many {
    fn has_semicolons(&self) -> bool {
        true
    }

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let text = String::from_utf8_lossy(line).into_owned();
        if text == "bad" {
            return Err(Problem::Heading("no heading".to_owned()));
        }
        self.0 = text.split(';').rev().filter_map(|number| number.parse().ok()).collect();
        Ok(Parsed::Several)
    }

    fn more(&mut self) -> Option<Record> {
        self.0.pop().map(|job| Record { job, submit_s: 1000 - job, ..Record::UNKNOWN })
    }

    fn facts(&mut self) -> Facts {
        Facts { has_unix_times: true, max_nodes: Some(4), notes: vec!["odd".to_owned()], ..Facts::default() }
    }
}

#[test]
fn a_line_may_have_many_records_and_the_parser_tells_facts() -> Result<(), Box<dyn std::error::Error>> {
    let read = |text: &str| -> Result<(Vec<i64>, LogSummary), Box<dyn std::error::Error>> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(text.as_bytes())?;
        let mut reader = Reader::open(file.path(), ReadOptions { lenient: true, ..ReadOptions::default() })?;
        reader.parser.lines = Box::new(Many(Vec::new()));
        let mut jobs = Vec::new();
        while let Some(entry) = reader.next_entry()? {
            if let LogEntry::Record { record, .. } = entry {
                jobs.push(record.job);
            }
        }
        Ok((jobs, reader.finish()?))
    };
    let (jobs, summary) = read("\u{feff}1;2\nx\n;3;4;5\n")?;
    assert_eq!((jobs, summary.records), (vec![1, 2, 3, 4, 5], 5));
    assert_eq!((summary.first_submit_s, summary.origin_s()), (Some(995), 995));
    assert_eq!((summary.header.max_nodes(), summary.header.unix_start_time()), (Some(4), Some(995)));
    assert_eq!(
        (summary.header.notes(), summary.irregularities.byte_order_marks),
        (vec!["odd".to_owned()], 1)
    );
    let message = read("1\nbad\n").expect_err("a bad heading").to_string();
    assert!(message.ends_with(":2: no heading"), "{message}");
    Ok(())
}

#[test]
fn premas_records_are_numbered() -> Result<(), Box<dyn std::error::Error>> {
    let options = ReadOptions { format: Some(Spec::named("premas")), ..ReadOptions::default() };
    let (records, summary) = read_text("0\t4\t60\t-1\n5\t1\t9\t10\n", options)?;
    assert_eq!(records.iter().map(|record| record.job).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((records[1].run_s, records[1].requested_time_s), (9, 10));
    assert_eq!(summary.irregularities, Irregularities::default());
    Ok(())
}

/// A format with two lines per job. The last job may lack its second line.
struct Pairs {
    started: Vec<i64>,
}

impl LineParser for Pairs {
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let number = std::str::from_utf8(&line[1..]).ok().and_then(|text| text.parse().ok()).unwrap_or(-1);
        let record = Record { job: number, ..Record::UNKNOWN };
        match line[0] {
            b'B' => self.started.push(number),
            b'E' if self.started.contains(&number) => {
                self.started.retain(|&other| other != number);
                return Ok(Parsed::Record(record, 0));
            }
            b'E' => return Err(Problem::TooFewFields { found: 1, expected: 2 }),
            _ => return Ok(Parsed::NoJob),
        }
        Ok(Parsed::Part)
    }

    fn finish(&mut self) -> Result<Option<Record>, Problem> {
        Ok(self.started.pop().map(|job| Record { job, ..Record::UNKNOWN }))
    }
}

#[test]
fn records_may_come_from_several_lines_and_at_the_end() -> Result<(), Box<dyn std::error::Error>> {
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(b"heading\nB1\nB2\nE2\nE9\nB3\n")?;
    let mut reader = Reader::open(file.path(), ReadOptions { lenient: true, ..ReadOptions::default() })?;
    reader.parser.lines = Box::new(Pairs { started: Vec::new() });
    let mut jobs = Vec::new();
    while let Some(entry) = reader.next_entry()? {
        if let LogEntry::Record { record, .. } = entry {
            jobs.push(record.job);
        }
    }
    let summary = reader.finish()?;
    assert_eq!((jobs, summary.records, summary.lines), (vec![2, 3, 1], 3, 6));
    assert_eq!((summary.irregularities.no_jobs, summary.irregularities.skipped()), (1, 1));
    Ok(())
}

#[test]
fn a_log_whose_name_tells_nothing_is_recognised_by_its_first_line() -> Result<(), Box<dyn std::error::Error>>
{
    let text = "; seen at Ames\n\nuser0 nqs0 128 1451 10/01/93 00:00:03\n";
    let (records, summary) = read_text(text, ReadOptions::default())?;
    assert_eq!((records.len(), records[0].run_s, summary.format.name), (1, 1451, "nas-ipsc"));
    let zone = ReadOptions { format: Some("auto:time-zone=UTC".parse()?), ..ReadOptions::default() };
    let (_, summary) = read_text(text, zone)?;
    assert!(summary.facts.notes[0].contains("nas-ipsc have no times without a zone"), "{:?}", summary.facts);
    let unit = ReadOptions { format: Some("auto:unit=cpus".parse()?), ..ReadOptions::default() };
    let message = read_text(text, unit).expect_err("no such parameter").to_string();
    assert_eq!(message, "'nas-ipsc' has no parameter 'unit' (it has none)");
    let swf = ReadOptions { format: Some(Spec::named("swf")), ..ReadOptions::default() };
    assert!(read_text(text, swf).is_err());
    Ok(())
}
