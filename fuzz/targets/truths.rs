//! Damaged logs with a truth for each line: a mutation touches some lines of a sound log, and the jobs of all
//! other lines must be read as before, unless there is an error or a count of what is odd.
//!
//! The bytes of an input choose the format and the mutations, so that the runner's own mutations change both.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use meshreplay::trace::{LogSummary, ReadOptions, Record, TraceError, read};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::{Target, scratch};

/// A format: its name, and the text of jobs from 1 to a number. Each job has a line of its own, behind a
/// heading if the flag is set.
struct Kind {
    format: &'static str,
    has_heading: bool,
    text: fn(jobs: i64) -> String,
}

/// The jobs of a log.
const JOBS: i64 = 24;

const KINDS: [Kind; 11] = [
    Kind { format: "swf", has_heading: false, text: swf },
    Kind { format: "premas", has_heading: false, text: premas },
    Kind { format: "nas-ipsc", has_heading: false, text: nas },
    Kind { format: "pbs", has_heading: false, text: pbs },
    Kind { format: "lsf", has_heading: false, text: lsf },
    Kind { format: "slurm-jobcomp:time-zone=UTC", has_heading: false, text: jobcomp },
    Kind { format: "sacct:time-zone=UTC", has_heading: true, text: |jobs| sacct(jobs, "|") },
    Kind { format: "sacct:time-zone=UTC", has_heading: true, text: |jobs| sacct(jobs, ",") },
    Kind { format: "table", has_heading: true, text: |jobs| table(jobs, ",") },
    Kind { format: "table", has_heading: true, text: |jobs| table(jobs, "\t") },
    Kind { format: "table", has_heading: false, text: json },
];

pub(crate) const TRUTHS: Target = Target {
    name: "log-truths",
    seeds: || (0..64_u8).map(|first| vec![first]).collect(),
    words: &[],
    cost: 1,
    run,
};

/// Returns a line for each job.
fn lines(jobs: i64, line: impl Fn(i64, &mut String)) -> String {
    let mut text = String::new();
    for job in 1..=jobs {
        line(job, &mut text);
        text.push('\n');
    }
    text
}

fn swf(jobs: i64) -> String {
    lines(jobs, |job, text| {
        let _ = write!(text, "{job} {} 5 {} 4 -1 -1 4 900 -1 1 3 1 -1 1 -1 -1 -1", 10 * job, 60 + job);
    })
}

fn premas(jobs: i64) -> String {
    lines(jobs, |job, text| {
        let _ = write!(text, "{}\t4\t{}\t900", 10 * job, 60 + job);
    })
}

fn nas(jobs: i64) -> String {
    lines(jobs, |job, text| {
        let _ = write!(text, "user{job} cmd{job} 4 {} 10/01/93 00:{job:02}:12", 60 + job);
    })
}

fn pbs(jobs: i64) -> String {
    lines(jobs, |job, text| {
        let (at, start, end) = (1_696_118_400 + 10 * job, 1_696_118_405 + 10 * job, 1_696_118_500 + 10 * job);
        let _ = write!(
            text,
            "10/01/2023 00:00:12;E;{job}.server;user=a group=g queue=q ctime={at} qtime={at} etime={at} \
             start={start} exec_host=n0/0*4+n1/0*4 Resource_List.ncpus=8 Resource_List.walltime=01:00:00 \
             end={end} Exit_status=0"
        );
    })
}

fn lsf(jobs: i64) -> String {
    lines(jobs, |job, text| {
        let (at, start, end) = (1_389_640_000 + 10 * job, 1_389_640_005 + 10 * job, 1_389_640_100 + 10 * job);
        let _ = write!(
            text,
            "\"JOB_FINISH\" \"10.1\" {end} {job} 2201 33882739 32 {at} 0 0 {start} \"anna\" \"normal\" \
             \"span[ptile=16]\" \"\" \"\" \"login1\" \"/scratch/anna\" \"\" \"%J.out\" \"%J.err\" \
             \"1389640000.501\" 0 2 \"16*h1\" \"16*h2\" 64 60.0 \"job \"\"one\"\"\" \"#!/bin/sh;./a.out\" \
             5793.2 6.0 966960 0 -1 0 0 3026323 0 0 0 0 -1 0 0 0 12529329 6498459 -1 \"\" \"proj\" 0 32 \"\" \
             \"\"\"\""
        );
    })
}

fn jobcomp(jobs: i64) -> String {
    lines(jobs, |job, text| {
        let _ = write!(
            text,
            "JobId={job} UserId=anna(1000) GroupId=g(1000) Name=job{job} JobState=COMPLETED Partition=batch \
             TimeLimit=60 StartTime=2024-05-01T10:{job:02}:05 EndTime=2024-05-01T11:{job:02}:00 \
             NodeList=n[1-2] NodeCnt=2 ProcCnt=8 WorkDir=/w Account=p QOS=normal \
             SubmitTime=2024-05-01T10:{job:02}:00 EligibleTime=2024-05-01T10:{job:02}:00"
        );
    })
}

fn sacct(jobs: i64, separator: &str) -> String {
    let heading = "JobID|JobIDRaw|Submit|Start|End|State|NNodes|User|Partition\n";
    let text = lines(jobs, |job, text| {
        let _ = write!(
            text,
            "{job}|{job}|2024-05-01T10:{job:02}:00|2024-05-01T10:{job:02}:05|2024-05-01T11:{job:02}:00|COMPLETED|2|\
             anna|batch"
        );
    });
    (heading.to_owned() + &text).replace('|', separator)
}

fn table(jobs: i64, separator: &str) -> String {
    let heading = "id|name|submit|start|end|nodes|user\n";
    let text = lines(jobs, |job, text| {
        let name = if job % 3 == 0 { "\"a, b\"".to_owned() } else { format!("job{job}") };
        let (at, start, end) = (10 * job, 10 * job + 5, 10 * job + 100);
        let _ = write!(text, "{job}|{name}|{at}|{start}|{end}|2|anna");
    });
    (heading.to_owned() + &text).replace('|', separator)
}

fn json(jobs: i64) -> String {
    lines(jobs, |job, text| {
        let (at, start, end) = (10 * job, 10 * job + 5, 10 * job + 100);
        let _ = write!(
            text,
            "{{\"id\": {job}, \"name\": \"job {job}\", \"submit\": {at}, \"start\": {start}, \"end\": {end}, \
             \"nodes\": 2}}"
        );
    })
}

/// What is read of a log: the jobs by their place in time, and the summary.
fn jobs(kind: &Kind, text: &[u8]) -> Result<(Vec<Record>, LogSummary), TraceError> {
    let path = scratch::file("truth", text);
    let format = Some(kind.format.parse().expect("a format"));
    let mut records = Vec::new();
    let summary =
        read(&path, ReadOptions { format, ..ReadOptions::default() }, |record| records.push(*record))?;
    Ok((records, summary))
}

/// What identifies a job and its schedule. Names are numbered by appearance, so a damaged line changes them.
fn schedule(record: &Record) -> [i64; 5] {
    [record.submit_s, record.wait_s, record.run_s, record.allocated_procs, record.requested_procs]
}

/// Mutates some lines. Returns the text and the places of the lines that were touched.
fn mutated(text: &str, random: &mut ChaCha8Rng) -> (Vec<u8>, BTreeSet<usize>) {
    const SIGNS: &[u8] = b"\"\"\"\"',;|\t\n\r \\[]{}=-0129a\x1b\x00\xff";
    let mut lines: Vec<Vec<u8>> = text.lines().map(|line| line.as_bytes().to_vec()).collect();
    let mut touched = BTreeSet::new();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..lines.len());
        touched.insert(at);
        let line = &mut lines[at];
        let sign = SIGNS[random.random_range(0..SIGNS.len())];
        let place = if line.is_empty() { 0 } else { random.random_range(0..line.len()) };
        match random.random_range(0..8) {
            // A quote where a field begins is the worst.
            0 => {
                let begin = line[..place].iter().rposition(|byte| b",|\t ;=".contains(byte));
                line.insert(begin.map_or(0, |begin| begin + 1), b'"');
            }
            1 if !line.is_empty() => drop(line.remove(place)),
            2 if !line.is_empty() => line[place] = sign,
            3 => line.truncate(place),
            4 => line.extend(vec![sign; 3]),
            _ => line.insert(place, sign),
        }
    }
    (lines.iter().flat_map(|line| [&line[..], b"\n"].concat()).collect(), touched)
}

fn run(bytes: &[u8]) -> String {
    let seed: [u8; 32] = Sha256::digest(bytes).into();
    let mut random = ChaCha8Rng::from_seed(seed);
    let kind = &KINDS[random.random_range(0..KINDS.len())];
    let text = (kind.text)(JOBS);
    let (sound, before) = jobs(kind, text.as_bytes()).expect("a sound log");
    assert_eq!(sound.len(), JOBS as usize, "{}: {text}", kind.format);
    let (damaged, touched) = mutated(&text, &mut random);
    let (records, summary) = match jobs(kind, &damaged) {
        Ok(read) => read,
        Err(error) => return error.to_string(),
    };
    let first = usize::from(kind.has_heading);
    if first == 1 && touched.contains(&0) {
        return "another heading".to_owned();
    }
    let mut found: BTreeMap<[i64; 5], usize> = BTreeMap::new();
    for record in &records {
        *found.entry(schedule(record)).or_default() += 1;
    }
    let counts = |summary: &LogSummary| summary.facts.counts.iter().map(|row| row.1).sum::<u64>();
    let has_word = counts(&summary) > counts(&before);
    let kept = (first..).zip(&sound).filter(|(line, _)| !touched.contains(line));
    for (line, record) in kept {
        let is_there = found.get(&schedule(record)).is_some_and(|count| *count > 0);
        assert!(
            is_there || has_word,
            "{}: the job of line {} is lost: {}",
            kind.format,
            line + 1,
            damaged.escape_ascii()
        );
    }
    // A line feed in a line makes two of it.
    let most = sound.len() + 3 * touched.len();
    assert!(records.len() <= most, "{}: {} jobs: {}", kind.format, records.len(), damaged.escape_ascii());
    format!("{} {}", kind.format, "x".repeat(sound.len().abs_diff(records.len()).min(5)))
}
