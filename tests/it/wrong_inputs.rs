//! Messages for wrong logs: files that are not logs, logs in another format, logs with a mistake. For dumps
//! of Slurm see also `slurm_logs.rs`.

use std::io::Write as _;

use super::support::{Tested, assert_golden, run_with};

/// A valid heading and line of a table.
const TABLE: &str =
    "Submit,Start,End,NNodes\n2024-05-01T10:00:00,2024-05-01T10:00:00,2024-05-01T10:30:00,4\n";
/// A valid line of a PBS accounting file.
const PBS: &str = "05/01/2024 10:30:00;E;7.head;user=anna queue=q ctime=1714557600 start=1714557600 \
     end=1714559400 Resource_List.nodect=4 Exit_status=0\n";
/// A valid job in SWF.
const SWF: &str = "1 0 0 20 2 -1 -1 2 20 -1 1 3 1 -1 1 -1 -1 -1\n";
/// A valid heading and line of a dump of Slurm.
const SACCT: &str = "JobID|Submit|Start|End|State|NNodes\n5|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:00:09|COMPLETED|3\n";

/// A wrong input: its bytes, the arguments for reading it, and a part of the message.
struct Wrong(Vec<u8>, &'static str, &'static str);

fn wrong(text: impl Into<Vec<u8>>, arguments: &'static str, message: &'static str) -> Wrong {
    Wrong(text.into(), arguments, message)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}

/// Files that are not logs.
fn no_logs() -> Vec<Wrong> {
    let long = gzip(&SWF.repeat(50));
    let mut damaged = long.clone();
    let checksum = damaged.len() - 6;
    damaged[checksum] ^= 0x55;
    let utf16: Vec<u8> = TABLE.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf32: Vec<u8> = TABLE.chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
    vec![
        wrong("", "", "standard input is empty; expected a log with one job on each line"),
        wrong(gzip(""), "", "standard input is empty; expected a log with one job on each line"),
        wrong("\n\n \n", "", "no job to replay; it has no records"),
        wrong("; Version: 2.2\n; MaxProcs: 4\n", "", "no job to replay; it has no records"),
        wrong(&long[..40], "", "the gzip data end early, after "),
        wrong(damaged, "", "the gzip data are damaged after line 50; get the file again"),
        wrong(
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0",
            "",
            "is a zip file, as Excel's workbooks (.xlsx) are; expected a log, plain or compressed with gzip; \
             save the sheet as CSV",
        ),
        wrong(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "", "is a workbook of an old Excel (.xls)"),
        wrong(b"PAR1\x15\x04\x15\x10", "", "cannot be read: the table cannot be decoded: "),
        wrong(b"ARROW1\0\0", "", "cannot be read: the table cannot be decoded: "),
        wrong(b"SQLite format 3\0", "", "is a SQLite database; expected a log"),
        wrong(b"%PDF-1.7\n%\xe2\xe3\n", "", "is a PDF file; expected a log"),
        wrong(
            b"BZh91AY&SY\x8d",
            "",
            "compressed by bzip2; expected a log, plain or compressed with gzip; decompress it",
        ),
        wrong(b"\x28\xb5\x2f\xfd\x24\0\x01", "", "compressed by zstd; expected a log"),
        wrong(b"\xfd7zXZ\0\0", "", "compressed by xz; expected a log"),
        wrong([b"\xff\xfe".to_vec(), utf16].concat(), "", "is text in UTF-16; expected a log"),
        wrong([b"\xff\xfe\0\0".to_vec(), utf32].concat(), "", "is text in UTF-32; expected a log"),
        wrong("<!DOCTYPE html>\n<html></html>\n", "", "is a page of HTML or XML; expected a log"),
        wrong(b"1 0 0 2\x000 2\n", "", "is not a text: byte 7 is zero"),
    ]
}

/// Tables with an unknown heading, or with wrong `--columns`.
fn headings() -> Vec<Wrong> {
    vec![
        wrong(
            "Submit,Start,End\n1,2,3\n",
            "",
            ":1: no column is known to hold the number of processors or nodes (procs); the columns are 1 \
             'Submit', 2 'Start', 3 'End'; say what they hold by name or number: --columns \
             submit=Submit,start=Start,end=End,procs=COLUMN",
        ),
        wrong(
            "when,size_of\n1,2\n",
            "",
            ":1: no column is known to hold a submit time (submit); the columns are 1",
        ),
        wrong(
            "Submit,NNodes\n1,2\n",
            "",
            ":1: no column is known to hold a run time (run), or a start and an end",
        ),
        wrong(
            TABLE,
            "--columns submit=When,start=Start,end=End,procs=NNodes",
            ":1: no column is named 'When'; the columns are 'Submit', 'Start', 'End', 'NNodes'",
        ),
        wrong(TABLE, "--columns submit=1,start=2,end=3,procs=9", ":2: 4 fields, expected 9"),
        wrong(
            TABLE,
            "--columns submit=1,start=2,end=3,procs=3",
            ":2: field 3 (allocated processors): found '2024-05-01T10:30:00', expected a number",
        ),
        wrong(
            SACCT.split_once('\n').map_or("", |(_, line)| line),
            "",
            ":1: the first line looks like a job, so the heading is missing (sacct -n leaves it out)",
        ),
        wrong(
            "JobID           JobName  AllocCPUS      State\n------------ ---------- ---------- ----------\n",
            "",
            ":1: if sacct has printed this, print it again with sacct -P; no column",
        ),
        wrong(
            "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n5 batch a anna R 1:00 2 n[1-2]\n",
            "",
            ":1: squeue prints jobs that have not ended; sacct -a -X -P prints a log",
        ),
        wrong(
            "JobId=5 JobName=a\n   UserId=anna(1)\n",
            "",
            ":1: scontrol prints the jobs of the moment; sacct",
        ),
        wrong("[{\"submit\": 1}]\n", "", ":1: no column is known to hold the number of processors"),
        wrong("{\"submit\": 1, \"run\": 5,", "", "the JSON text ends early"),
    ]
}

/// Tables with a mistake in a line: times, quotes and delimiters.
fn cells() -> Vec<Wrong> {
    let changed = |from: &str, to: &str| TABLE.replace(from, to);
    let (heading, line) = TABLE.split_once('\n').unwrap_or_default();
    vec![
        wrong(
            format!("{heading}\ns,s,s,nodes\n{line}"),
            "",
            ":2: column 1 (Submit): found 's', expected a time",
        ),
        wrong(
            format!("{heading}\n{}", line.replace(',', ";")),
            "",
            ":2: column 1 (Submit): found '2024-05-01T10:00:00;2024-05-01T10:00:00;…', expected a time",
        ),
        wrong(
            changed("2024-05-01T10:30:00", "yesterday"),
            "",
            ":2: column 3 (End): found 'yesterday', expected a time",
        ),
        wrong(changed("05-01T10:30", "13-01T10:30"), "", ":2: column 3 (End): found '2024-13-01T10:30:00'"),
        wrong(changed("05-01T10:30", "02-30T10:30"), "", ":2: column 3 (End): found '2024-02-30T10:30:00'"),
        wrong(changed("10:30:00", "25:30:00"), "", ":2: column 3 (End): found '2024-05-01T25:30:00'"),
        wrong(
            changed("10:30:00", "10:30:00+2x:00"),
            "",
            ":2: column 3 (End): found '2024-05-01T10:30:00+2x:00'",
        ),
        wrong(
            format!("{heading}\n1714557600000,1714557600000,1714559400000,4\n"),
            "",
            ":2: column 1 (Submit): found '1714557600000', expected seconds since 1970, not milliseconds or \
                 less",
        ),
        wrong(changed(",4\n", ",four\n"), "", ":2: column 4 (NNodes): found 'four', expected a number"),
        wrong(changed(",4\n", "\n"), "", ":2: 3 fields, expected 4"),
        wrong(
            changed("2024-05-01T10:00:00,2", "\"2024-05-01T10:00:00,2"),
            "",
            ":2: column 1 (quoted text): found '\"2024",
        ),
    ]
}

/// Tables with a mistake in a line: durations, numbers and shapes.
fn numbers() -> Vec<Wrong> {
    vec![
        wrong(
            "Submit,Elapsed,NNodes\n0,10:30,4\n",
            "",
            ":2: column 2 (Elapsed): found '10:30', expected hours, minutes and seconds, or the parameter \
             colon=minutes-seconds or colon=hours-minutes",
        ),
        wrong(
            "Submit,Elapsed,NNodes\n0,long,4\n",
            "",
            ":2: column 2 (Elapsed): found 'long', expected a number of",
        ),
        wrong(
            "Submit;Elapsed;NNodes\n0;1,5;4\n",
            "",
            ":2: column 2 (Elapsed): found '1,5', expected a number of",
        ),
        wrong(
            "Submit,Elapsed,NNodes\n0,5 fortnights,4\n",
            "",
            ":2: column 2 (Elapsed): found '5 fortnights'",
        ),
        wrong(
            "Submit;Elapsed;NNodes\n0;5;1'024\n",
            "",
            ":2: column 3 (NNodes): found '1\\'024', expected a number",
        ),
        wrong(
            "Submit,Elapsed,NNodes,Timelimit\n0,5,4,soon\n",
            "",
            ":2: column 4 (Timelimit): found 'soon', expected",
        ),
        wrong(
            "Submit,Elapsed,NNodes,Shape\n0,5,4,2by2\n",
            "",
            ":2: column 4 (Shape): found '2by2', expected sides",
        ),
    ]
}

/// Logs of batch systems with a mistake, logs of another system than the given format, and dumps without jobs
/// that ran.
fn systems() -> Vec<Wrong> {
    let pbs = |from: &str, to: &str| PBS.replace(from, to);
    let heading = SACCT.split_once('\n').map_or("", |(heading, _)| heading);
    vec![
        wrong("05/01/2024 10:30:00;E\n", "--input-format pbs", ":1: 2 fields, expected 4"),
        wrong(
            pbs("7.head", "head"),
            "",
            ":1: column 3 (job): found 'head', expected the number of a job, such as 123.server",
        ),
        wrong(pbs(" start=1714557600", ""), "", "no job to replay; left out: 1 without processors"),
        wrong(pbs(" end=", " finish="), "", ":1: column 4 (end): found '', expected the end"),
        wrong(
            pbs("start=1714557600", "start=noon"),
            "",
            ":1: column 4 (start): found 'noon', expected seconds since 1970",
        ),
        wrong(pbs("nodect=4", "nodect=four"), "", ":1: column 4 (Resource_List.nodect): found 'four'"),
        wrong(pbs("Exit_status=0", "Exit_status=ok"), "", ":1: column 4 (Exit_status): found 'ok'"),
        wrong(
            pbs("Exit_status=0", "Resource_List.walltime=long Exit_status=0"),
            "",
            ":1: column 4 (Resource_List.walltime): found 'long', expected a number of seconds or a duration",
        ),
        wrong(pbs(";E;", ";Q;"), "", "no job to replay; it has no records; lines that are no jobs: 1"),
        wrong(format!("{heading}\n"), "", "no job to replay; it has no records"),
        wrong(
            format!("{heading}\n5|2024-05-01T10:00:00|Unknown|Unknown|PENDING|3\n"),
            "",
            "no job to replay; left out: 1 without processors",
        ),
        wrong(
            format!("{heading}\n5|2024-05-01T10:00:00|None|2024-05-01T10:00:09|CANCELLED by 0|3\n"),
            "",
            "no job to replay; left out: 1 cancelled before they started",
        ),
    ]
}

/// Logs of Slurm in other formats, logs in another format than the given one, and logs of other formats with
/// a mistake.
fn others() -> Vec<Wrong> {
    vec![
        wrong("{\"jobs\": []}\n", "", "no job to replay; it has no records"),
        wrong("{\"jobs\": []}}\n", "", ":1: the JSON text is malformed: a value was expected"),
        wrong(
            "{\"jobs\": [{\"job_id\": 1, \"user\": \"\\q\"}]}",
            "",
            ":1: the JSON text is malformed: an unknown escape in a string",
        ),
        wrong(
            "JobId=1 NodeCnt=1\n",
            "--input-format slurm-jobcomp",
            ":1: EndTime: found '', expected the time",
        ),
        wrong(
            "JobId=one EndTime=2024-05-01T10:00:00\n",
            "",
            ":1: JobId: found 'one', expected the number of a job",
        ),
        wrong(SACCT, "--input-format pbs", ":1: 1 field, expected 4"),
        wrong(SACCT, "--input-format slurm-json", "the JSON text is malformed: a value was expected"),
        wrong(SACCT, "--input-format swf", ":1: field 1 (job number): found 'JobID|Submit|Start|"),
        wrong(
            SACCT,
            "--unit gpus",
            ":1: the heading has no AllocTRES; this one has all that is read: sacct -a",
        ),
        wrong("1 0 0 20 2 -1\n", "", ":1: 6 fields, expected 18; --lenient skips such lines"),
        wrong(
            SWF.replace("20 2", "twenty 2"),
            "",
            ":1: field 4 (run time): found 'twenty', expected an integer",
        ),
        wrong(
            SWF.replace("20 2 -1", "99999999999999999999 2 -1"),
            "",
            ":1: field 4 (run time): found '99999999999999999999'",
        ),
        wrong("0\t4\tlong\t-1\n", "--input-format premas", ":1: field 3 (run time): found 'long'"),
        wrong(
            "user0 nqs0 128 1451 13/01/93 00:00:03\n",
            "--input-format nas-ipsc",
            ":1: column 5 (start date)",
        ),
    ]
}

#[test]
fn wrong_logs_are_named_with_exit_code_1() -> Tested {
    let directory = tempfile::tempdir()?;
    let all: Vec<Wrong> =
        [no_logs(), headings(), cells(), numbers(), systems(), others()].into_iter().flatten().collect();
    assert!(all.len() >= 60, "{}", all.len());
    let mut messages = String::new();
    for Wrong(text, arguments, message) in all {
        let rest =
            ["-m", "4x4", "-a", "naive", "--no-timing"].into_iter().chain(arguments.split_whitespace());
        let arguments: Vec<&str> = ["replay", "-"].into_iter().chain(rest).collect();
        let ran = run_with(directory.path(), &arguments, &text)?;
        let shown = String::from_utf8_lossy(&text);
        assert!(
            ran.code == Some(1) && ran.stderr.contains(message),
            "{shown}\n{arguments:?}: {:?}\n{}",
            ran.code,
            ran.stderr
        );
        let complaints = ran.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert!(
            complaints == 1 && ran.stdout.is_empty() && !ran.stderr.contains("panicked"),
            "{}",
            ran.stderr
        );
        let start: String = shown.escape_debug().take(120).collect();
        messages.extend([&start, "\n$ meshreplay ", &arguments.join(" "), "\n", &ran.stderr, "\n"]);
    }
    assert_golden("wrong-logs.txt", &messages)
}

#[test]
fn lenient_reading_that_skips_everything_fails() -> Tested {
    let directory = tempfile::tempdir()?;
    for command in ["trace info -", "trace convert - -"] {
        for text in [SACCT, TABLE] {
            let arguments: Vec<&str> =
                command.split(' ').chain(["--lenient", "--input-format", "swf"]).collect();
            let ran = run_with(directory.path(), &arguments, text.as_bytes())?;
            let message = ": no line is a job: 2 lines do not follow the format swf; the first is line 1: ";
            assert!(ran.code == Some(1) && ran.stderr.contains(message), "{command}: {}", ran.stderr);
        }
    }
    Ok(())
}

#[test]
fn arguments_that_fit_no_log_are_named_with_exit_code_2() -> Tested {
    let directory = tempfile::tempdir()?;
    for (arguments, message) in [
        ("--time-zone CEST", "'CEST', expected a time zone such as Europe/Berlin, UTC or +02:00"),
        ("--time-zone +26:00", "'+26:00', expected a time zone"),
        ("--time-zone UTC --input-format sacct:time-zone=Asia/Tokyo", "the format has time-zone=Asia/Tokyo"),
        ("--unit sockets", "possible values: nodes, cpus, gpus"),
        ("--columns submit=1,nodez=4", "unknown field 'nodez'"),
        ("--columns submit=1,procs=4", "field 'run' is missing"),
        ("--columns submit", "'submit' is not FIELD=COLUMN"),
        ("--columns submit=Submit,delimiter=dash", "expected one of: guess, tab, pipe"),
        ("--input-format slurm", "unknown log format 'slurm'"),
    ] {
        let arguments: Vec<&str> = ["trace", "info", "-"].into_iter().chain(arguments.split(' ')).collect();
        let ran = run_with(directory.path(), &arguments, SACCT.as_bytes())?;
        assert!(ran.code == Some(2) && ran.stderr.contains(message), "{arguments:?}: {}", ran.stderr);
    }
    Ok(())
}
