//! Accounting of Slurm on the command line: logs of a real Slurm, and malformed logs.

use std::fs;

use super::support::{Tested, csv_cells, run, run_with};

/// A valid heading and a valid line.
const HEADING: &str = "JobID|Submit|Start|End|State|NNodes|AllocCPUS|AllocTRES|Timelimit|User|NodeList";
const LINE: &str =
    "5|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:00:09|FAILED|3|8|cpu=8|1:00:00|anna|n[1-3]";

/// The log of the same Slurm run in one of three formats.
fn golden(ending: &str) -> String {
    format!("{}/tests/it/golden/slurm.{ending}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_replay_of_a_dump_is_that_of_its_conversion() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for ending in ["sacct", "json", "jobcomp"] {
        fs::copy(golden(ending), at.join(format!("log.{ending}")))?;
        let converted = run(at, &format!("trace convert log.{ending} {ending}.swf"))?;
        assert_eq!(converted.code, Some(0), "{ending}: {}", converted.stderr);
        let rest = "-m 4x2 -s easy fcfs -a hilbert+bf mc1x1 random --no-timing --format csv";
        let table = |log: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
            let ran = run(at, &format!("replay {log} {rest}"))?;
            assert_eq!(ran.code, Some(0), "{log}: {}", ran.stderr);
            // Columns that depend on the name and the bytes of the log differ.
            let heads = csv_cells(ran.stdout.lines().next().unwrap_or_default());
            let is_kept = |head: &str| !["log", "log_sha256", "run"].contains(&head);
            let kept = |line: &str| {
                let cells = csv_cells(line).into_iter().zip(&heads).filter(|(_, head)| is_kept(head));
                cells.map(|(cell, _)| cell).collect::<Vec<_>>().join(",")
            };
            Ok(ran.stdout.lines().map(kept).collect())
        };
        let (direct, converted) = (table(&format!("log.{ending}"))?, table(&format!("{ending}.swf"))?);
        assert_eq!(direct, converted, "{ending}");
        assert!(direct.len() == 7, "{direct:?}");
    }
    Ok(())
}

/// Malformed files, each with a part of the message.
const WRONG: &[(&str, &str)] = &[
    ("{\"jobs\": [", ": the JSON text ends early; get the file again"),
    ("{\"meta\": {}}", ": the JSON text has no list 'jobs'; expected the output of sacct --json"),
    ("{\"jobs\" []}", ": the JSON text is malformed: a colon after a key was expected"),
    ("{\n\"jobs\": [\n{\"name\": \"x\"}]}", ":3: job_id: found '', expected the number of the job"),
    (
        "{\"jobs\": [{\"job_id\": 3}]}",
        "time.submission: found '', expected the time at which job 3 was submitted",
    ),
    ("{\"jobs\": [{\"job_id\": \"x3\"}]}", "job_id: found 'x3', expected a whole number"),
    ("JobId=1 EndTime=tomorrow NodeCnt=1", ":1: EndTime: found 'tomorrow', expected a time such as"),
    ("JobId=1 EndTime=Unknown NodeCnt=one", ":1: NodeCnt: found 'one', expected a number of nodes"),
    (
        "JobId=1 EndTime=2024-05-01T10:00:00 NodeCnt=many",
        ":1: NodeCnt: found 'many', expected a number of nodes",
    ),
    (
        "JobId=1 EndTime=2024-05-01T10:00:00 TimeLimit=never",
        ":1: TimeLimit: found 'never', expected a duration",
    ),
    ("JobId=1 EndTime=2024-05-01T10:00:00 Tres=node=a", ":1: Tres: found 'node=a', expected resources"),
];

#[test]
fn what_is_wrong_with_a_dump_is_named_with_exit_code_1() -> Tested {
    let directory = tempfile::tempdir()?;
    let changed = |from: &str, to: &str| format!("{HEADING}\n{}\n", LINE.replace(from, to));
    let cases = [
        (
            changed("5|2024", "five|2024"),
            ":2: column 1 (JobID): found 'five', expected the number of a job, such as 123",
        ),
        (changed("5|2024", "|2024"), ":2: column 1 (JobID): found ''"),
        (changed("5|2024", "5;1|2024"), ":2: column 1 (JobID): found '5;1'"),
        (
            changed("01T10:00:09", "32T10:00:09"),
            ":2: column 4 (End): found '2024-05-32T10:00:09', expected a time such as",
        ),
        (changed("|2024-05-01T10:00:00|", "|May 1|"), "(Submit): found 'May 1', expected a time such as"),
        (
            changed("|3|", "|three|"),
            ":2: column 6 (NNodes): found 'three', expected a whole number, such as 48 or 1.5K",
        ),
        (
            changed("cpu=8", "cpu=eight").replace("|NNodes|", "|Nodes|").replace("|NodeList", "|List"),
            ":2: column 8 (AllocTRES): found 'cpu=eight', expected resources such as",
        ),
        (
            changed("1:00:00|anna", "an hour|anna"),
            ":2: column 9 (Timelimit): found 'an hour', expected a duration",
        ),
        (changed("|anna|n[1-3]", ""), ":2: 9 fields, expected 11"),
        (
            changed("anna", "an|na"),
            ":2: column 12 (beyond the heading): found 'n[1-3]', expected the end of the line",
        ),
        (
            format!("{}\n{LINE}\n", HEADING.replace("|End", "|Finish")),
            ":1: the heading has no End; this one has all that is read",
        ),
        (
            format!("{}\n{LINE}\n", HEADING.replace("Start", "Begin").replace("|End", "|Elapsed")),
            "the heading has no Start",
        ),
        (
            HEADING.replace("NNodes", "N").replace("AllocTRES", "T").replace("NodeList", "L"),
            "the heading has no NNodes",
        ),
        (
            "JobID|Submit|Start|End|NodeList\n5|2024-05-01|2024-05-01|2024-05-02|n[3-1]\n".to_owned(),
            "(NodeList): found 'n[3-1]', expected names such as node[001-004,007],login1",
        ),
        (
            "JobID|Submit|Start|End|NodeList\n5|2024-05-01|2024-05-01|2024-05-02|n[1-3\n".to_owned(),
            "(NodeList): found 'n[1-3'",
        ),
    ];
    let whole = WRONG.iter().map(|&(text, message)| (text.to_owned(), message));
    for (text, message) in cases.into_iter().chain(whole) {
        let ran = run_with(directory.path(), &["trace", "info", "-"], text.as_bytes())?;
        assert!(ran.code == Some(1) && ran.stderr.contains(message), "{text}: {:?} {}", ran.code, ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn wrong_parameters_are_named_with_exit_code_2() -> Tested {
    let directory = tempfile::tempdir()?;
    for (format, message) in [
        ("sacct:unit=sockets", "nodes"),
        ("sacct:time-zone=Mars/Olympus", "a time zone such as Europe/Berlin"),
        ("slurm-jobcomp:arrival=late", "submit"),
        ("slurm-json:colour=red", "no parameter 'colour'"),
        ("sacc", "did you mean 'sacct'"),
    ] {
        let log = golden("sacct");
        let ran = run(directory.path(), &format!("replay {log} -m 4x2 -a naive --input-format {format}"))?;
        assert!(
            ran.code == Some(2) && ran.stderr.contains(message),
            "{format}: {:?} {}",
            ran.code,
            ran.stderr
        );
    }
    Ok(())
}
