//! Tests of the parser of JSON.

use std::io::Write;

use serde_json::{Value, json};

use super::*;
use crate::names::NameKind;
use crate::{LogSummary, ReadOptions, TraceError, read};

/// A job of the newest version with another number.
fn numbered(number: usize, state: &str) -> Value {
    let mut job = job(40, state);
    job["job_id"] = json!(number);
    job
}

/// A number as the versions of the data parser write it: plain, or as an object of three members.
fn number(version: u32, value: i64) -> Value {
    if version < 40 { json!(value) } else { json!({"set": true, "infinite": false, "number": value}) }
}

/// A job as version `version` of the data parser writes it.
fn job(version: u32, state: &str) -> Value {
    let state = if version < 40 { json!(state) } else { json!([state, "REQUEUED"]) };
    let count =
        |kind: &str, name: &str, count: i64| json!({"type": kind, "name": name, "id": 1, "count": count});
    json!({
        "job_id": 12,
        "account": "physics",
        "user": "anna",
        "partition": "batch",
        "qos": "normal",
        "nodes": "n[1-2]",
        "allocation_nodes": 2,
        "association": {"user": "bert", "nodes": "x", "job_id": 99},
        "array": {"job_id": 10, "task_id": number(version, 3)},
        "required": {"CPUs": 6, "memory_per_node": number(version, 7)},
        "state": {"current": state, "reason": "Dependency"},
        "steps": [{"time": {"start": number(version, 1)}, "nodes": {"count": 9}, "tres": {"allocated": [count("node", "", 9)]}}],
        "time": {
            "elapsed": 95, "eligible": 1_714_557_600, "start": 1_714_557_660, "end": 1_714_557_760,
            "submission": 1_714_557_600, "limit": number(version, 60), "system": {"seconds": 5},
        },
        "tres": {
            "allocated": [count("cpu", "", 8), count("node", "", 2), count("gres", "gpu", 4), count("gres", "gpu:a100", 4)],
            "requested": [count("cpu", "", 6), count("node", "", 2), count("gres", "gpu:a100", 3)],
        },
    })
}

fn read_text(text: &str, format: &str, lenient: bool) -> Result<(Vec<Record>, LogSummary), TraceError> {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    let format = Some(format.parse().expect("a spec"));
    let options = ReadOptions { lenient, format, ..ReadOptions::default() };
    let mut records = Vec::new();
    let summary = read(file.path(), options, |record| records.push(*record))?;
    Ok((records, summary))
}

#[test]
fn every_version_gives_the_same_jobs_on_many_lines_and_on_one() -> Result<(), TraceError> {
    let expected = Record {
        job: 12,
        submit_s: 1_714_557_600,
        wait_s: 60,
        run_s: 100,
        allocated_procs: 2,
        requested_procs: 2,
        requested_time_s: 3600,
        status: 0,
        user: 1,
        group: 1,
        queue: 1,
        partition: 1,
        reason: 1,
        nodes: Some(1),
        ..Record::UNKNOWN
    };
    for version in [38, 40] {
        let text = json!({"meta": {"plugin": {"jobs": []}}, "errors": [], "jobs": [job(version, "TIMEOUT"), job(version, "FAILED")]});
        for text in [text.to_string(), serde_json::to_string_pretty(&text).expect("text") + "\n"] {
            for (format, size) in [("auto", 2), ("slurm-json:unit=cpus", 8), ("slurm-json:unit=gpus", 4)] {
                let (records, summary) = read_text(&text, format, false)?;
                let requested =
                    [(2, 2), (8, 6), (4, 3)].iter().find(|(of, _)| *of == size).map_or(0, |pair| pair.1);
                let expected = Record { allocated_procs: size, requested_procs: requested, ..expected };
                // The other state is that of a duplicate.
                assert_eq!(records, [expected], "{version} {format}");
                assert_eq!(summary.lines, text.lines().count() as u64);
                assert_eq!(summary.facts.names.name(NameKind::Nodes, 1).as_deref(), Some("n[1-2]"));
            }
        }
    }
    Ok(())
}

#[test]
fn gpus_of_types_beyond_64_bits_are_clamped() -> Result<(), TraceError> {
    let mut huge = job(40, "COMPLETED");
    let of = |name: &str| json!({"type": "gres", "name": name, "id": 1, "count": i64::MAX - 1});
    huge["tres"]["allocated"] = json!([of("gpu:a"), of("gpu:b"), of("gpu:c")]);
    let (records, _) = read_text(&json!({"jobs": [huge]}).to_string(), "slurm-json:unit=gpus", false)?;
    assert_eq!(records[0].allocated_procs, i64::MAX);
    Ok(())
}

#[test]
fn numbers_that_are_not_set_are_unknown() -> Result<(), TraceError> {
    let mut waits = job(40, "PENDING");
    waits["time"]["start"] = json!({"set": false, "infinite": false, "number": 0});
    waits["time"]["end"] = json!(0);
    waits["time"]["limit"] = json!({"number": 0, "infinite": true, "set": false});
    waits["nodes"] = json!("None assigned");
    let (records, summary) = read_text(&json!({"jobs": [waits]}).to_string(), "auto", false)?;
    assert_eq!((records[0].run_s, records[0].wait_s, records[0].requested_time_s), (-1, -1, -1));
    assert_eq!(summary.facts.counts, [("jobs that were still waiting", 1)]);
    let mut endless = job(38, "COMPLETED");
    endless["time"]["limit"] = json!(0xffff_ffff_u32);
    endless["state"]["current"] = json!(["COMPLETED"]);
    let (records, _) = read_text(&json!({"jobs": [endless]}).to_string(), "auto", false)?;
    assert_eq!((records[0].requested_time_s, records[0].status), (-1, 1));
    Ok(())
}

#[test]
fn wrong_jobs_are_skipped_leniently_and_wrong_texts_are_refused() {
    let mut bad = job(40, "FAILED");
    bad["time"]["start"] = json!("noon");
    let mut late = job(40, "FAILED");
    late["time"]["submission"] = Value::Null;
    let text = serde_json::to_string_pretty(
        &json!({"jobs": [job(40, "FAILED"), bad, late, {}, numbered(13, "FAILED")]}),
    );
    let text = text.expect("text");
    let message = read_text(&text, "auto", false).expect_err("strict").to_string();
    assert!(
        message.contains(": time.start: found 'noon', expected a whole number; --lenient skips"),
        "{message}"
    );
    let (records, summary) = read_text(&text, "auto", true).expect("lenient");
    assert_eq!((records.len(), summary.irregularities.skipped()), (2, 3));
    for (text, problem) in [
        (
            "{\"jobs\": [{\"job_id\": 1}]}",
            "time.submission: found '', expected the time at which job 1 was submitted",
        ),
        ("{\"jobs\": [{}]}", "job_id: found '', expected the number of the job"),
        ("{\"jobs\": [", "the JSON text ends early; get the file again"),
        ("{\"meta\": {}}\n", "the JSON text has no list 'jobs'; expected the output of sacct --json"),
        ("{\"jobs\" [", "the JSON text is malformed: a colon after a key was expected"),
        ("{\"jobs\": {]}", "the JSON text is malformed: a key in quotes was expected"),
    ] {
        let message = read_text(text, "auto", false).expect_err(text).to_string();
        assert!(message.contains(problem), "{message}");
    }
}

#[test]
fn a_long_line_is_no_trouble() -> Result<(), TraceError> {
    let jobs: Vec<Value> = (0..3000).map(|number| numbered(number, "COMPLETED")).collect();
    let text = json!({"jobs": jobs}).to_string();
    assert!(text.len() > 2 << 20 && !text.contains('\n'));
    let (records, summary) = read_text(&text, "auto", false)?;
    assert_eq!((records.len(), summary.lines, summary.format.name), (3000, 1, "slurm-json"));
    Ok(())
}

#[test]
fn a_job_without_the_member_nodes_has_nodes() -> Result<(), TraceError> {
    let mut unlisted = job(40, "TIMEOUT");
    unlisted.as_object_mut().expect("a job").remove("nodes");
    let mut empty = job(40, "CANCELLED");
    empty["nodes"] = json!("");
    let (records, summary) = read_text(&json!({"jobs": [unlisted, empty]}).to_string(), "auto", false)?;
    let found: Vec<_> = records.iter().map(|job| (job.allocated_procs, job.run_s, job.nodes)).collect();
    assert_eq!(found, [(2, 100, None), (-1, 0, None)]);
    assert_eq!(summary.facts.counts, [("jobs cancelled before they started", 1)]);
    Ok(())
}

#[test]
fn texts_of_other_programs_are_named() {
    for (text, what) in [
        ("{\"nb_res\": 4, \"jobs\": [], \"profiles\": {}}", "a workload of Batsim"),
        ("{\"jobs\": [{\"subtime\": 1, \"id\": \"a\"}]}", "a workload of Batsim"),
        ("{\"jobs\": [{\"job_id\": 1, \"submit_time\": 5}]}", "the queue of Slurm"),
    ] {
        let message = read_text(text, "auto", true).expect_err(text).to_string();
        assert!(message.contains(what), "{message}");
    }
}
