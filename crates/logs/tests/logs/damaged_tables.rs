//! Tables whose text is damaged or put together: nothing is lost or invented without a word.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use meshreplay_logs::{LogSummary, ReadOptions, Record, TraceError};

type Outcome = Result<(), Box<dyn Error>>;

/// Reads a text as a file of this name, in the format `spec` if it is not empty.
fn read(name: &str, text: &str, spec: &str) -> Result<(Vec<Record>, LogSummary), TraceError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    std::fs::write(&path, text).expect("a file in it");
    let format = Some(if spec.is_empty() { "auto:time-zone=UTC" } else { spec });
    let format = format.map(str::parse).transpose().expect("a spec");
    let mut records = Vec::new();
    let options = ReadOptions { format, ..ReadOptions::default() };
    let summary = meshreplay_logs::read(Path::new(&path), options, |record| records.push(*record))?;
    Ok((records, summary))
}

fn numbers(records: &[Record]) -> Vec<i64> {
    records.iter().map(|record| record.job).collect()
}

/// The rows 1 to `rows` of a table, each with the name that `name` gives.
fn table(rows: i64, name: impl Fn(i64) -> String) -> String {
    let mut text = "id,name,submit,start,end,nodes\n".to_owned();
    for row in 1..=rows {
        let name = name(row);
        writeln!(text, "{row},{name},{},{},{},2", 10 * row, 10 * row + 5, 10 * row + 60).expect("text");
    }
    text
}

#[test]
fn stray_quotes_are_errors_where_they_open() -> Outcome {
    let with = |first: &str, second: &str| {
        let name = |row| match row {
            3 => first.to_owned(),
            8 => second.to_owned(),
            _ => format!("job{row}"),
        };
        table(10, name)
    };
    for (first, second, place) in [
        ("\"run", "12\" wide", ":4: column 2 (quoted text): found '\"run"),
        ("\"run", "12\"", ":4: column 2 (quoted text)"),
        ("\"run", "x", ":4: column 2 (quoted text)"),
        ("x", "\"a\"b", ":9: column 2 (quoted text): found '\"a\"b"),
        ("a,b", "x", ":4: column 7 (beyond the heading): found '2', expected the end of the line"),
    ] {
        let text = with(first, second);
        let problem = read("jobs.csv", &text, "").expect_err(first).to_string();
        assert!(problem.contains(place), "{first} {second}: {problem}");
        // Lenient reading leaves out such lines and no other.
        for delimiter in ["\t", ";", "|"] {
            let problem = read("jobs.csv", &text.replace(',', delimiter), "").expect_err(first).to_string();
            assert!(problem.contains(place.split(' ').next().unwrap_or_default()), "{delimiter}: {problem}");
        }
    }
    // A quote within a cell is text, and two delimiters at the end are no cells.
    let text = with("12\" wide", "\"a \"\"b\"\", c\"").replace(",2\n", ",2,,\n");
    assert_eq!(read("jobs.csv", &text, "")?.0.len(), 10);
    Ok(())
}

#[test]
fn quoted_text_goes_over_lines_where_that_is_asked_for() -> Outcome {
    let text = table(9, |row| if row == 4 { "\"a\n; b\n\n# c\"".to_owned() } else { "x".to_owned() });
    assert!(read("jobs.csv", &text, "").is_err());
    let (records, summary) = read("jobs.csv", &text, "table:quoted-newlines=yes")?;
    assert_eq!(numbers(&records), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let counts = &summary.facts.counts;
    assert!(counts.contains(&("jobs with quoted text over several lines", 1)), "{counts:?}");
    let open = table(9, |row| if row == 4 { "\"a".to_owned() } else { "x".to_owned() });
    let problem = read("jobs.csv", &open, "table:quoted-newlines=yes").expect_err("open").to_string();
    assert!(problem.contains(":5: column 2 (quoted text)"), "{problem}");
    Ok(())
}

#[test]
fn headings_may_stand_again_in_another_order() -> Outcome {
    let first = table(3, |_| "x".to_owned());
    let second = "nodes,end,start,submit,id,name,more\n2,70,15,10,4,x,\n2,80,25,20,5,x,y\n";
    let (records, summary) = read("jobs.csv", &format!("{first}{first}{second}"), "")?;
    assert_eq!(numbers(&records), [1, 2, 3, 4, 5]);
    assert_eq!(records[4].run_s, 55);
    let counts = &summary.facts.counts;
    assert!(counts.contains(&("headings that stand again", 2)), "{counts:?}");
    let by_number = "table:job=1,submit=3,start=4,end=5,procs=6";
    assert_eq!(read("jobs.csv", &format!("{first}{first}"), by_number)?.0.len(), 3);
    // The columns of numbers in a spec hold for one order.
    assert!(read("jobs.csv", &format!("{first}{second}"), by_number).is_err());
    Ok(())
}

#[test]
fn clusters_are_never_one_machine() -> Outcome {
    let sacct = "JobIDRaw|Cluster|Partition|Submit|Start|End|State|NNodes\n\
        7|red|a|2024-06-01T00:00:00|2024-06-01T00:00:00|2024-06-01T01:00:00|COMPLETED|2\n\
        7|blue|a|2024-06-01T00:00:00|2024-06-01T00:00:00|2024-06-01T01:00:00|COMPLETED|2\n\
        8|blue|a|2024-06-01T00:00:00|2024-06-01T01:00:00|2024-06-01T03:00:00|COMPLETED|4\n";
    let csv = sacct.replace('|', ",").replace("JobIDRaw", "id").replace("NNodes", "nodes");
    for (text, format) in [(sacct, "sacct"), (&csv, "table")] {
        let problem = read("jobs.log", text, "").expect_err(format).to_string();
        assert!(problem.contains("red (1 job), blue (2 jobs); --cluster NAME"), "{problem}");
        let (records, summary) = read("jobs.log", text, &format!("{format}:of-cluster=blue"))?;
        assert_eq!(numbers(&records), [7, 8], "{format}");
        let note = "1 job of other clusters left out";
        assert!(summary.facts.notes.iter().any(|known| known == note), "{:?}", summary.facts.notes);
        let (records, summary) = read("jobs.log", text, &format!("{format}:of-cluster=each"))?;
        assert_eq!(records.iter().map(|record| record.partition).collect::<Vec<_>>(), [1, 2, 2], "{format}");
        let names: Vec<_> = summary.facts.names.of(meshreplay_logs::NameKind::Partition).collect();
        assert_eq!(names, ["red", "blue"], "{format}");
        let problem = read("jobs.log", text, &format!("{format}:of-cluster=green")).expect_err(format);
        assert!(problem.to_string().contains("no job is of cluster 'green'"), "{problem}");
    }
    // One cluster alone needs no choice, and a column of that name may hold something else.
    assert_eq!(read("jobs.log", &sacct.replace("red", "blue"), "")?.0.len(), 2);
    assert_eq!(read("jobs.csv", &csv, "table:cluster=none")?.0.len(), 2);
    Ok(())
}

#[test]
fn equal_rows_of_an_array_are_its_tasks() -> Outcome {
    let mut text = "job_id,submit,start,end,nodes\n".to_owned();
    for (start_s, end_s) in [(60, 100), (60, 100), (60, 100), (100, 120), (100, 130)] {
        writeln!(text, "500,0,{start_s},{end_s},1")?;
    }
    // A job that was requeued and stands twice, as in dumps that overlap.
    text.push_str("501,5,9,10,1\n501,5,12,13,1\n501,5,9,10,1\n");
    let (records, summary) = read("jobs.csv", &text, "")?;
    assert_eq!(records.len(), 7);
    let count =
        |part: &str| summary.facts.counts.iter().find(|(what, _)| what.contains(part)).map(|row| row.1);
    assert_eq!((count("read as tasks"), count("stand twice")), (Some(2), Some(1)));
    assert_eq!(count("under a number with different runs"), Some(1));
    Ok(())
}

#[test]
fn tasks_of_an_array_keep_the_order_of_the_file() -> Outcome {
    // Only the fifth row shows what the second one is.
    let mut text = "job_id,user,submit,start,end,nodes\n".to_owned();
    let tasks = [(60, 3660), (60, 3660), (60, 3660), (3660, 4660), (3660, 5660), (3660, 6660)];
    for (user, (start_s, end_s)) in tasks.iter().enumerate() {
        writeln!(text, "{},u{user},0,{start_s},{end_s},1", if user == 2 { 501 } else { 500 })?;
    }
    let without_numbers = read("jobs.csv", &text, "table:job=none")?.0;
    let records = read("jobs.csv", &text, "")?.0;
    assert_eq!(records.len(), tasks.len());
    let in_order = records.iter().zip(&without_numbers);
    assert!(in_order.clone().all(|(record, other)| Record { job: other.job, ..*record } == *other));
    Ok(())
}

#[test]
fn small_misreadings_are_mended() -> Outcome {
    let jobs = |text: &str, spec: &str| read("jobs.log", text, spec).map(|(records, _)| records);
    // A waiting array with a step, beside free text.
    let array = "JobID|JobIDRaw|Submit|Start|End|State|NNodes|JobName\n\
        40|40|2024-06-01T00:00:00|2024-06-01T00:00:00|2024-06-01T00:10:00|COMPLETED|1|x\n\
        41_[0-15:4%2]|41|2024-06-01T00:00:00|Unknown|Unknown|PENDING|1|y|z\n\
        42|42|2024-06-01T00:00:00|2024-06-01T00:01:00|2024-06-01T00:15:00|COMPLETED|2|z\n";
    assert_eq!(numbers(&jobs(array, "")?), [40, 41, 42]);
    // A clock that was set back while the job ran.
    let negative = "JobIDRaw|Submit|Start|End|Elapsed|State|NNodes\n\
        1|2024-06-01T00:00:00|2024-06-01T00:00:30|2024-06-01T00:00:14|-00:00:16|CANCELLED|1\n";
    assert_eq!(jobs(negative, "")?[0].run_s, -1);
    assert_eq!(jobs(&negative.replace('|', ",").replace("JobIDRaw", "id"), "")?[0].run_s, -1);
    assert!(jobs(&negative.replace("2024-06-01T00:00:14", "Unknown"), "").is_err());
    let slashes = "JobIDRaw|Submit|Start|End|State|NNodes\n\
        1|2024/06/01-00:01:00|2024/06/01-00:02:00|2024/06/01-00:12:00|COMPLETED|2\n";
    assert_eq!((jobs(slashes, "")?[0].wait_s, jobs(slashes, "")?[0].run_s), (60, 600));
    let condor = "ClusterId,ProcId,QDate,JobCurrentStartDate,CompletionDate,RequestCpus,JobStatus\n\
        9,0,1717200000,1717200060,1717200120,4,4\n9,1,1717200000,undefined,0,4,3\n";
    let found: Vec<_> = jobs(condor, "")?.iter().map(|job| (job.wait_s, job.run_s, job.status)).collect();
    assert_eq!(found, [(60, 60, 1), (-1, -1, 5)]);
    let millis = "submitted,duration,nodes\n1717200000000,900000,2\n";
    let spec = "table:submit=submitted:ms";
    assert_eq!(jobs(millis, spec)?[0].run_s, 900);
    assert_eq!(jobs(millis, &format!("{spec},run=duration:s"))?[0].run_s, 900_000);
    Ok(())
}

#[test]
fn json_records_are_rows() -> Outcome {
    let row = |job: i64| {
        format!(
            "{{\"job_id\": {job}, \"submit_time\": 171720000000{job}, \"duration\": 60000, \"nodes\": 2}}"
        )
    };
    let list = format!("[{},{},{}]", row(1), row(2), row(3));
    let lines = format!("{}\n{}\n{}\n", row(1), row(2), row(3));
    let pretty = list.replace('{', "\n  {\n    ").replace('}', "\n  }");
    for text in [&list, &lines, &pretty] {
        let (records, summary) = read("jobs.json.txt", text, "")?;
        assert_eq!((numbers(&records), records[2].run_s), (vec![1, 2, 3], 60), "{text}");
        assert_eq!(summary.format.name, "table");
    }
    // A key that only later records have.
    let sparse = "{\"submit\": 1, \"nodes\": 2}\n{\"submit\": 2, \"nodes\": 2, \"start\": 3, \"end\": 7}\n";
    let runs: Vec<_> = read("jobs.txt", sparse, "")?.0.iter().map(|record| record.run_s).collect();
    assert_eq!(runs, [-1, 4]);
    let cut = &list[..list.len() - 20];
    assert!(read("jobs.txt", cut, "").expect_err("cut").to_string().contains("ends early"));
    // Records on one line may be longer than a line of a log.
    let long = format!("[{}]", (0..40_000).map(|_| row(1)).collect::<Vec<_>>().join(","));
    assert_eq!(read("jobs.txt", &long, "table:job=none")?.0.len(), 40_000);
    Ok(())
}
