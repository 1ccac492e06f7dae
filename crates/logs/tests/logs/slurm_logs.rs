//! Slurm accounting: files of a real Slurm (22.05, by `make test-slurm`), and random dumps.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use meshreplay_logs::{self as trace, LogSummary, NameKind, ReadOptions, Record, SWF, TraceError, Writer};
use meshreplay_testing::in_repository;
use proptest::prelude::*;

type Outcome = Result<(), Box<dyn Error>>;

/// Reads a file as `format`: records and summary.
fn read_file(path: &Path, format: &str) -> Result<(Vec<Record>, LogSummary), TraceError> {
    let options = ReadOptions { format: format.parse().ok(), ..ReadOptions::default() };
    let mut records = Vec::new();
    let summary = trace::read(path, options, |record| records.push(*record))?;
    Ok((records, summary))
}

/// Reads a text in the format of its first line.
fn read_text(text: &str, format: &str) -> Result<(Vec<Record>, LogSummary), TraceError> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("log");
    std::fs::write(&path, text).expect("a file in it");
    read_file(&path, format)
}

/// The path of a log of the same Slurm run in another format.
fn golden(ending: &str) -> PathBuf {
    in_repository(&format!("tests/it/golden/slurm.{ending}"))
}

/// Job, submit, wait and run times, processors, limit, status and nodes of each record, sorted.
fn jobs(records: &[Record], summary: &LogSummary) -> Vec<([i64; 7], Option<String>)> {
    let names = &summary.facts.names;
    let nodes = |record: &Record| Some(names.name(NameKind::Nodes, i64::from(record.nodes?))?.into_owned());
    let row = |record: &Record| {
        let Record { job, submit_s, wait_s, run_s, allocated_procs, requested_time_s, status, .. } = *record;
        (
            [job, submit_s - summary.origin_s(), wait_s, run_s, allocated_procs, requested_time_s, status],
            nodes(record),
        )
    };
    let mut rows: Vec<_> = records.iter().map(row).collect();
    rows.sort();
    rows
}

#[test]
fn three_logs_of_one_real_run_give_the_same_jobs() -> Outcome {
    let some = |nodes: &str| Some(nodes.to_owned());
    let expected = [
        ([1, 0, 0, 7, 1, 300, 5], some("node1")),
        ([2, 0, 0, 3, 2, 300, 0], some("node[2-3]")),
        ([2, 3, 6, 2, 2, 300, 1], some("node[3,6]")),
        ([3, 0, 0, 88, 1, 60, 0], some("node4")),
        ([4, 0, 0, 0, 3, 300, 0], some("node[5-7]")),
        ([5, 0, 1, 2, 1, 300, 1], some("node5")),
        ([6, 0, 1, 2, 2, 300, 1], some("node[6-7]")),
    ];
    let (records, summary) = read_file(&golden("sacct"), "sacct:arrival=submit")?;
    assert_eq!((summary.format.name, summary.records), ("sacct", 11));
    let sacct = jobs(&records, &summary);
    assert_eq!(sacct[..expected.len()], expected);
    for (ending, format) in [("json", "slurm-json"), ("jobcomp", "slurm-jobcomp")] {
        let (records, summary) = read_file(&golden(ending), &format!("{format}:arrival=submit"))?;
        assert_eq!(summary.format.name, format);
        assert_eq!(jobs(&records, &summary), sacct, "{format}");
    }
    // The same JSON with line breaks, as sacct prints it.
    let text: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(golden("json"))?)?;
    let text = serde_json::to_string_pretty(&text)?;
    let (records, summary) = read_text(&text, "slurm-json:arrival=submit")?;
    assert_eq!(jobs(&records, &summary), sacct);
    Ok(())
}

#[test]
fn cpus_and_gpus_of_a_real_run_are_those_that_slurm_counted() -> Outcome {
    let of = |ending: &str, unit: &str| -> Result<HashMap<i64, [i64; 2]>, Box<dyn Error>> {
        let (records, _) = read_file(&golden(ending), &format!("auto:unit={unit}"))?;
        Ok(records
            .iter()
            .map(|record| (record.job, [record.allocated_procs, record.requested_procs]))
            .collect())
    };
    for ending in ["sacct", "json"] {
        let (cpus, gpus) = (of(ending, "cpus")?, of(ending, "gpus")?);
        assert_eq!((cpus[&13], gpus[&13]), ([8, 2], [4, 4]), "{ending}");
        assert_eq!((cpus[&6], gpus[&6]), ([8, 4], [4, 0]), "{ending}");
        // This job was cancelled while waiting.
        assert_eq!(cpus[&16], [-1, 5], "{ending}");
    }
    // This log lacks allocated GPUs, so requested GPUs are used.
    assert_eq!((of("jobcomp", "cpus")?[&13], of("jobcomp", "gpus")?[&13]), ([8, 2], [4, 4]));
    Ok(())
}

#[test]
fn a_dump_that_was_written_as_swf_is_the_same_log() -> Outcome {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("log.swf");
    for ending in ["sacct", "json", "jobcomp"] {
        let (records, summary) = read_file(&golden(ending), "auto")?;
        let mut writer = Writer::create(&path, SWF, true)?;
        writer.header(&summary.header)?;
        records.iter().try_for_each(|record| writer.record(record))?;
        writer.finish()?;
        let (read, written) = read_file(&path, "swf")?;
        let plain: Vec<Record> =
            records.iter().map(|record| Record { nodes: None, reason: -1, ..*record }).collect();
        assert_eq!(read, plain);
        assert_eq!(written.header.unix_start_time(), Some(summary.origin_s()));
    }
    Ok(())
}

/// A random job of a dump.
#[derive(Clone, Debug)]
struct Job {
    submit_s: i64,
    wait_s: Option<i64>,
    run_s: Option<i64>,
    nodes: i64,
    limit_min: Option<i64>,
    name: String,
    steps: usize,
}

fn any_job() -> impl Strategy<Value = Job> {
    let times =
        (0_i64..400_000_000, proptest::option::of(0_i64..9_999_999), proptest::option::of(0_i64..9_999_999));
    (times, 1_i64..5000, proptest::option::of(1_i64..99_999), "[a-z|;=]{0,6}", 0_usize..3).prop_map(
        |((submit_s, wait_s, run_s), nodes, limit_min, name, steps)| Job {
            submit_s: submit_s + 1_500_000_000,
            wait_s,
            run_s,
            nodes,
            limit_min,
            name,
            steps,
        },
    )
}

/// Returns a dump of the jobs with the fields in this order, and the expected records.
fn dump(jobs: &[Job], order: &[usize]) -> (String, Vec<[i64; 6]>) {
    const NAMES: [&str; 10] = [
        "JobID",
        "Submit",
        "Start",
        "End",
        "State",
        "NNodes",
        "Timelimit",
        "JobName",
        "NodeList",
        "ElapsedRaw",
    ];
    let line = |fields: &[String]| order.iter().map(|&at| fields[at].as_str()).collect::<Vec<_>>().join("|");
    let mut text = line(&NAMES.map(str::to_owned)) + "\n";
    let mut expected = Vec::new();
    for (number, job) in (1_i64..).zip(jobs) {
        let stamp = |unix_s: Option<i64>| match unix_s {
            Some(unix_s) => jiff::Timestamp::from_second(unix_s)
                .map(|time| time.strftime("%Y-%m-%dT%H:%M:%S").to_string())
                .unwrap_or_default(),
            None => "Unknown".to_owned(),
        };
        let start_s = job.wait_s.map(|wait_s| job.submit_s + wait_s);
        let end_s = start_s.and_then(|start_s| Some(start_s + job.run_s?));
        let state = ["PENDING", "RUNNING", "COMPLETED"]
            [usize::from(start_s.is_some()) + usize::from(end_s.is_some())];
        let limit = job.limit_min.map_or("UNLIMITED".to_owned(), |minutes| {
            format!("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60)
        });
        let list = if start_s.is_some() { format!("n[1-{}]", job.nodes) } else { "None assigned".to_owned() };
        let mut fields = vec![
            number.to_string(),
            stamp(Some(job.submit_s)),
            stamp(start_s),
            stamp(end_s),
            state.to_owned(),
            job.nodes.to_string(),
            limit,
            job.name.clone(),
            list,
            job.run_s.unwrap_or_default().to_string(),
        ];
        let _ = writeln!(text, "{}", line(&fields));
        for step in 0..job.steps {
            fields[0] = format!("{number}.{step}");
            let _ = writeln!(text, "{}", line(&fields));
        }
        let started = start_s.is_some();
        expected.push([
            number,
            job.submit_s,
            job.wait_s.unwrap_or(-1),
            end_s.zip(start_s).map_or(-1, |(end_s, start_s)| end_s - start_s),
            if started { job.nodes } else { -1 },
            job.limit_min.map_or(-1, |minutes| minutes * 60),
        ]);
    }
    (text, expected)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn random_dumps_in_any_order_of_fields_are_read_as_they_were_meant(
        jobs in proptest::collection::vec(any_job(), 1..20),
        order in Just((0..10).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let (text, expected) = dump(&jobs, &order);
        let (records, summary) =
            read_text(&text, "auto").map_err(|error| TestCaseError::fail(error.to_string()))?;
        let found: Vec<[i64; 6]> = records
            .iter()
            .map(|record| {
                let Record { job, submit_s, wait_s, run_s, allocated_procs, requested_time_s, .. } = *record;
                [job, submit_s, wait_s, run_s, allocated_procs, requested_time_s]
            })
            .collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(summary.format.name, "sacct");
        prop_assert_eq!(Some(summary.origin_s()), jobs.iter().map(|job| job.submit_s).min());
    }

    #[test]
    fn no_dump_panics(lines in proptest::collection::vec("[0-9a-z|_.+\\[\\]{}\": \
         -]{0,30}", 0..8), at in 0_usize..3) {
        let heading = ["JobID|Submit|Start|End|NNodes|JobName", "{\"jobs\": \
             [", "JobId=1 EndTime=2024-05-01T00:00:00"][at];
        let _ = read_text(&format!("{heading}\n{}\n", lines.join("\n")), "auto");
    }
}
