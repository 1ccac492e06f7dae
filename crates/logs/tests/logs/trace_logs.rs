//! Real logs: known irregularities, the shared logs, round trips, mutations.

use std::error::Error;
use std::io::Write;
use std::path::Path;

use flate2::{Compression, write::GzEncoder};
use meshreplay_base::spec::Spec;
use meshreplay_logs::{
    FORMATS, Header, Irregularities, LogLimits, LogSummary, ReadOptions, Reader, Record, SWF, TraceError,
    Writer,
};
use meshreplay_testing::shared;
use proptest::prelude::*;

type Outcome = Result<(), Box<dyn Error>>;

const STRICT: ReadOptions =
    ReadOptions { lenient: false, format: None, partition: None, limits: LogLimits::USUAL };
const LENIENT: ReadOptions =
    ReadOptions { lenient: true, format: None, partition: None, limits: LogLimits::USUAL };
const JOB: &str = "1 0 -1 60 4 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1";

fn read_text(text: &[u8], options: ReadOptions) -> Result<(Vec<Record>, LogSummary), TraceError> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("log.swf");
    std::fs::write(&path, text).expect("a file in it");
    read_file(&path, options)
}

fn read_file(path: &Path, options: ReadOptions) -> Result<(Vec<Record>, LogSummary), TraceError> {
    let mut records = Vec::new();
    let summary = meshreplay_logs::read(path, options, |record| records.push(*record))?;
    Ok((records, summary))
}

fn the_job() -> Record {
    let (records, _) = read_text(JOB.as_bytes(), STRICT).expect("a sound line");
    records[0]
}

#[test]
fn line_ends_and_separators_make_no_difference() -> Outcome {
    let tabs = JOB.replace(' ', "\t");
    let padded = format!("   {}  ", JOB.replace(' ', "   "));
    for (text, findings) in [
        (format!("{JOB}\n"), Irregularities::default()),
        (format!("{JOB}\r\n"), Irregularities { crlf_lines: 1, ..Irregularities::default() }),
        (format!("{tabs}\n"), Irregularities { tab_lines: 1, ..Irregularities::default() }),
        (format!("{padded}\n"), Irregularities::default()),
        (JOB.to_owned(), Irregularities { unterminated_lines: 1, ..Irregularities::default() }),
        (format!("\n{JOB}\n \n"), Irregularities { blank_lines: 2, ..Irregularities::default() }),
        (
            format!("{JOB}\t0\n"),
            Irregularities { surplus_field_lines: 1, tab_lines: 1, ..Irregularities::default() },
        ),
        (format!("{JOB} 7 8 9\n"), Irregularities { surplus_field_lines: 1, ..Irregularities::default() }),
        (format!("{JOB}\n; end\n"), Irregularities { late_comments: 1, ..Irregularities::default() }),
        (format!("  ; indented\n{JOB}\n"), Irregularities::default()),
    ] {
        let (records, summary) = read_text(text.as_bytes(), STRICT)?;
        assert_eq!((records, summary.irregularities), (vec![the_job()], findings), "{text:?}");
    }
    Ok(())
}

#[test]
fn values_of_every_kind_are_read() -> Outcome {
    let text = "20140522105759 1693547500 -1 0 -1 552.21 -1 -1 -1 -1 265 -4 99999999999999 -1 -1 -1 -1 0\n";
    let (records, _) = read_text(text.as_bytes(), STRICT)?;
    let record = records[0];
    assert_eq!((record.job, record.submit_s), (20_140_522_105_759, 1_693_547_500));
    assert_eq!((record.run_s, record.status, record.user), (0, 265, -4));
    assert_eq!((record.group, record.think_time_s), (99_999_999_999_999, 0));
    assert!((record.average_cpu_s - 552.21).abs() < f64::EPSILON);
    Ok(())
}

#[test]
fn disorder_is_counted() -> Outcome {
    let jobs: Vec<String> = [(1, 50), (2, 50), (1, 40)]
        .iter()
        .map(|(job, submit)| JOB.replacen("1 0", &format!("{job} {submit}"), 1))
        .collect();
    let (_, summary) = read_text(jobs.join("\n").as_bytes(), STRICT)?;
    let findings = summary.irregularities;
    assert_eq!((findings.equal_submits, findings.submit_descents, findings.job_descents), (1, 1, 1));
    Ok(())
}

#[test]
fn malformed_lines_stop_strict_reading_with_place_and_remedy() {
    let remedy =
        "--lenient skips such lines, and `meshreplay trace convert --lenient` writes a log without them";
    for (line, problem) in [
        (JOB.rsplit_once(' ').expect("fields").0.to_owned(), "17 fields, expected 18"),
        (
            JOB.replace(" 60 4 ", " 60 x12 "),
            "field 5 (allocated processors): found 'x12', expected an integer or -1",
        ),
        (JOB.replace(" 60 4 ", " 60.5x 4 "), "field 4 (run time): found '60.5x', expected an integer or -1"),
        (
            JOB.replace(" 4 -1 ", " 4 N/A "),
            "field 6 (average CPU time): found 'N/A', expected a number or -1",
        ),
        (
            JOB.replace(" 60 4 ", " 99999999999999999999 4 "),
            "field 4 (run time): found '99999999999999999999', expected a value between -2^63 and 2^63",
        ),
    ] {
        // The last job has another number, because equal records are read once.
        let text = format!("; MaxProcs: 4\n{JOB}\n{line}\n9{JOB}\n");
        let message = read_text(text.as_bytes(), STRICT).expect_err("malformed").to_string();
        assert!(message.ends_with(&format!("log.swf:3: {problem}; {remedy}")), "{message}");
        let (records, summary) = read_text(text.as_bytes(), LENIENT).expect("lenient");
        assert_eq!((records.len(), summary.irregularities.skipped()), (2, 1));
    }
}

#[test]
fn headers_of_the_wild() -> Outcome {
    let text = format!(
        ";Version: SWF v2\r\n;       MaxJobs: 51987\r\n; MaxProcs: 1664 (72, 1368, 224)\r\n;MaxRuntime: \
         N/A\r\n\
         ;MaxQueues: 4\r\n; MaxQueues: 3\r\n; UnixStartTime: 0 \r\n; Note: uses\r\n;       \
         MAUI\r\n;\t1|\t2|\r\n{JOB}"
    );
    let (_, summary) = read_text(text.as_bytes(), STRICT)?;
    let header = &summary.header;
    assert_eq!(
        (header.max_procs(), header.number("maxqueues"), header.get("MaxRuntime")),
        (Some(1664), Some(4), None)
    );
    assert_eq!((header.unix_start_time(), header.max_nodes()), (Some(0), None));
    assert_eq!(header.notes(), ["uses MAUI 1|\t2|"]);
    assert!(header.lines().any(|line| line == b";       MaxJobs: 51987"));
    let (_, summary) = read_text(b"; MaxNodes: 256\n", STRICT)?;
    assert_eq!(
        (summary.records, summary.header.max_procs(), summary.header.processors()),
        (0, None, Some(256))
    );
    Ok(())
}

#[test]
fn gzip_is_recognised_by_content_and_may_have_many_members() -> Outcome {
    let text = format!("; MaxProcs: 4\n{}", format!("{JOB}\n").repeat(5000));
    let (expected, plain) = read_text(text.as_bytes(), STRICT)?;
    let mut members = Vec::new();
    for part in text.as_bytes().chunks(text.len() / 3) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(part)?;
        members.extend(encoder.finish()?);
    }
    let (records, summary) = read_text(&members, STRICT)?;
    assert_eq!(records, expected);
    assert_eq!((summary.sha256, summary.bytes), (plain.sha256, plain.bytes));
    let cut = read_text(&members[..members.len() / 2], STRICT).expect_err("truncated").to_string();
    assert!(cut.contains("gzip data end early, after "), "{cut}");
    Ok(())
}

#[test]
fn the_shared_logs_are_read_as_their_manifest_says() -> Outcome {
    let Some(traces) = shared("traces") else { return Ok(()) };
    let manifest = std::fs::read_to_string(traces.join("MANIFEST.tsv"))?;
    for row in manifest.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let summary = meshreplay_logs::read(&traces.join(columns[0]), STRICT, |_| ())?;
        let found = (summary.records.to_string(), summary.sha256.as_str(), summary.bytes.to_string());
        assert_eq!(found, (columns[2].to_owned(), columns[4], columns[5].to_owned()), "{}", columns[0]);
        assert_eq!(summary.header.processors().map(|procs| procs.to_string()).as_deref(), Some(columns[3]));
    }
    Ok(())
}

#[test]
fn the_shared_logs_have_the_irregularities_known_of_them() -> Outcome {
    use meshreplay_logs::Defect;
    let Some(traces) = shared("traces") else { return Ok(()) };
    for (log, expected) in [
        ("nonarchive-Theta-2023", vec![(Defect::CARRIAGE_RETURNS, 8404), (Defect::SUBMIT_DESCENT, 2726)]),
        ("nonarchive-Theta-2023", vec![(Defect::LARGER_THAN_MACHINE, 8)]),
        (
            "nonarchive-Mira-2018",
            vec![(Defect::TOO_MANY_FIELDS, 22508), (Defect::JOB_DESCENT, 8519), (Defect::TABS, 22508)],
        ),
        ("NASA-iPSC-1993-3.1-cln", vec![(Defect::ZERO_RUN, 173), (Defect::RECORD_COUNT, 2)]),
        ("LANL-CM5-1994-4.1-cln", vec![(Defect::NO_PROCS, 3), (Defect::RUN_ABOVE_REQUEST, 40180)]),
        (
            "SDSC-SP2-1998-4.2-cln",
            vec![(Defect::NO_PROCS, 5669), (Defect::NO_RUN, 5671), (Defect::RUN_ABOVE_REQUEST, 4134)],
        ),
        ("LLNL-Atlas-2006-2.1-cln", vec![(Defect::NO_PROCS, 4588), (Defect::ZERO_RUN, 7178)]),
        ("SDSC-DS-2004-2.1-cln", vec![(Defect::NO_RUN, 11024)]),
        ("UniLu-Gaia-2014-1", vec![(Defect::NO_RUN, 127)]),
        ("KTH-SP2-1996-2.1-cln", vec![(Defect::NO_PROCS, 1)]),
    ] {
        let report = meshreplay_logs::validate(&traces.join(format!("{log}.swf.gz")), STRICT, 1)?;
        for (defect, count) in expected {
            let tally = report.tallies.iter().find(|tally| tally.defect == defect);
            assert_eq!(tally.map(|tally| tally.count), Some(count), "{log}: {}", defect.title());
        }
    }
    for (log, equal_submits) in [("HPC2N-2002-2.2-cln", 29_729), ("RICC-2010-2", 250_203)] {
        let summary = meshreplay_logs::read(&traces.join(format!("{log}.swf.gz")), STRICT, |_| ())?;
        assert_eq!(summary.irregularities.equal_submits, equal_submits, "{log}");
    }
    Ok(())
}

fn any_record() -> impl Strategy<Value = Record> {
    let number = || prop_oneof![Just(-1_i64), 0..100_000_i64, any::<i64>()];
    let fraction =
        prop_oneof![Just(-1.0), (0..10_000_000_u32).prop_map(|n| f64::from(n) / 100.0), any::<f64>()];
    let finite = fraction.prop_filter("finite", |value| value.is_finite());
    let sides = prop::option::of(prop::array::uniform3(1_u32..100));
    (prop::array::uniform17(number()), finite, sides)
        .prop_map(|(n, average_cpu_s, sides)| Record {
            job: n[0],
            submit_s: n[1],
            wait_s: n[2],
            run_s: n[3],
            allocated_procs: n[4],
            average_cpu_s,
            used_memory_kb: n[5],
            requested_procs: n[6],
            requested_time_s: n[7],
            requested_memory_kb: n[8],
            status: n[9],
            user: n[10],
            group: n[11],
            executable: n[12],
            queue: n[13],
            partition: n[14],
            preceding_job: n[15],
            think_time_s: n[16],
            sides,
            reason: -1,
            nodes: None,
        })
        .prop_map(|record| match record.sides {
            Some(sides) => {
                Record { requested_procs: sides.iter().map(|&side| i64::from(side)).product(), ..record }
            }
            None => record,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_written_is_read_back(
        lines in prop::collection::vec("; ?[A-Za-z]{0,8}:? ?[ -~é]{0,30}", 0..6),
        records in prop::collection::vec(any_record(), 0..40),
        gzip in any::<bool>(),
        shapes in any::<bool>(),
    ) {
        prop_assume!(!(lines.is_empty() && records.is_empty()));
        let directory = tempfile::tempdir()?;
        let path = directory.path().join(if gzip { "log.swf.gz" } else { "log.swf" });
        let mut header = Header::default();
        for line in &lines {
            header.push(line.as_bytes());
        }
        let mut records = records;
        if shapes {
            header.push(b"; Shapes: fields 19 to 21");
        } else {
            for record in &mut records {
                record.sides = None;
            }
        }
        let mut writer = Writer::create(&path, SWF, false)?;
        writer.header(&header)?;
        records.iter().try_for_each(|record| writer.record(record))?;
        writer.finish()?;
        let (read, summary) = read_file(&path, STRICT)?;
        prop_assert_eq!(read, records);
        prop_assert_eq!(summary.header, header);
    }
}

/// xorshift64, for the position and the value of a mutated byte.
fn next_random(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state as usize
}

#[test]
fn mutated_logs_never_panic() -> Outcome {
    const BYTES: &[u8] = b"0123456789-+.;:x \t\r\n\x00\xff";
    let sound = format!("; MaxProcs: 4\n{JOB}\n{}\n", JOB.replace("-1", "12.5"));
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("log.swf");
    let mut state = 0x9e37_79b9_7f4a_7c15;
    for _ in 0..500 {
        let mut text = sound.clone().into_bytes();
        for _ in 0..=next_random(&mut state) % 4 {
            let at = next_random(&mut state) % text.len();
            let byte = BYTES[next_random(&mut state) % BYTES.len()];
            match next_random(&mut state) % 3 {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => text.truncate(at.max(1)),
            }
        }
        std::fs::write(&path, &text)?;
        for format in FORMATS {
            let is_table = ["columns", "table"].contains(&format.name);
            let columns = if is_table { ":submit=2,run=4,procs=5" } else { "" };
            let spec: Spec = format!("{}{columns}", format.name).parse()?;
            for lenient in [false, true] {
                let options = ReadOptions { lenient, format: Some(spec.clone()), ..ReadOptions::default() };
                let outcome = Reader::open(&path, options).and_then(Reader::finish);
                if lenient && !text.contains(&0) && !matches!(&outcome, Err(TraceError::Malformed { .. })) {
                    let summary = outcome?;
                    summary.header.entries();
                    summary.header.processors();
                }
            }
        }
    }
    Ok(())
}
