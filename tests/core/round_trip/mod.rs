//! Random clusters whose truth is known are written in every format that is read, read back and replayed as recorded:
//! jobs, nodes, waits and utilization equal the truth, or a note says what cannot be known. `ROUND_TRIPS=10000` sets how many
//! clusters are written in each format, and `ROUND_TRIP_FORMAT=sacct` writes in one.

mod cluster;
mod truth;
mod writers;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use cluster::{Cluster, cluster};
use truth::difference;
use writers::{WRITERS, written};

/// The clusters of a usual run.
const CLUSTERS: u64 = 200;
/// The differences that are shown.
const SHOWN: usize = 12;
/// The clusters of a kind of which the smallest is shown.
const TRIED: usize = 3;

/// What is wrong with a cluster in a format, if anything is.
fn problem(format: &str, cluster: &Cluster, look: u64, folder: &Path) -> Option<String> {
    let written = written(format, cluster, look).filter(|written| !written.jobs.is_empty())?;
    difference(&written, folder)
}

/// Drops jobs one by one as long as the same is wrong with the others, and then what else a cluster can do without.
fn shrunk(format: &str, mut cluster: Cluster, look: u64, folder: &Path) -> Cluster {
    let kind = |cluster: &Cluster| problem(format, cluster, look, folder).map(|problem| kind_of(&problem));
    let first = kind(&cluster);
    let fails = |smaller: &Cluster| kind(smaller) == first;
    loop {
        let mut smaller = (0..cluster.jobs.len()).rev().map(|i| {
            let mut smaller = cluster.clone();
            smaller.jobs.remove(i);
            smaller
        });
        let Some(found) = smaller.find(fails) else { break };
        cluster = found;
    }
    let plain = Cluster { border_ms: None, ..cluster.clone() };
    if fails(&plain) { plain } else { cluster }
}

/// A sentence without its numbers and places, so that differences of one kind are counted together.
fn kind_of(problem: &str) -> String {
    let line = problem.lines().next().unwrap_or_default();
    let line =
        if line.starts_with("job (") { line.split_once("): ").map_or(line, |parts| parts.1) } else { line };
    let mut kind = String::new();
    for word in line.split_whitespace().filter(|word| !word.starts_with("/")) {
        let digits = |c: char| if c.is_ascii_digit() { '#' } else { c };
        let mut word: Vec<char> = word.chars().map(digits).collect();
        word.dedup_by(|a, b| *a == '#' && *b == '#');
        kind.extend(word);
        kind.push(' ');
    }
    kind.chars().take(90).collect()
}

/// Reports the differences of a format: how many of each kind, and the smallest cluster of some kinds with its log.
fn report(format: &str, found: &BTreeMap<String, (u64, Vec<u64>)>, folder: &Path) -> String {
    let mut text = String::new();
    for (kind, (count, _)) in found {
        let _ = writeln!(text, "{format}: {count} times {kind}");
    }
    for (kind, (_, seeds)) in found.iter().take(SHOWN) {
        let small = |seed: &u64| shrunk(format, cluster(*seed), *seed, folder);
        let smallest =
            seeds.iter().map(|seed| (small(seed), *seed)).min_by_key(|(small, _)| small.jobs.len());
        let Some((small, seed)) = smallest else { continue };
        let Some(log) = written(format, &small, seed) else { continue };
        let problem = difference(&log, folder).unwrap_or_default();
        let _ =
            writeln!(text, "\n--- {format}, seed {seed}, {kind}\n{problem}\n{}\n{}", log.format, log.text);
    }
    text
}

/// Writes many clusters in a format and returns a report on those that differ from the truth.
fn differences(format: &str, clusters: u64) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let mut found: BTreeMap<String, (u64, Vec<u64>)> = BTreeMap::new();
    for seed in 0..clusters {
        let Some(problem) = problem(format, &cluster(seed), seed, folder.path()) else { continue };
        let (count, seeds) = found.entry(kind_of(&problem)).or_default();
        *count += 1;
        if seeds.len() < TRIED {
            seeds.push(seed);
        }
    }
    report(format, &found, folder.path())
}

#[test]
fn what_a_cluster_did_is_what_its_log_gives_in_every_format() {
    let number = std::env::var("ROUND_TRIPS").ok().and_then(|text| text.parse().ok());
    let clusters = number.unwrap_or(CLUSTERS);
    let only = std::env::var("ROUND_TRIP_FORMAT").ok();
    let formats = WRITERS.iter().map(|(name, _)| *name);
    let formats = formats.filter(|name| only.as_deref().is_none_or(|only| only == *name));
    let reports: String = std::thread::scope(|scope| {
        let threads: Vec<_> = formats.map(|name| scope.spawn(move || differences(name, clusters))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(reports.is_empty(), "{reports}");
}
