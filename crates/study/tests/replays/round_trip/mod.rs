//! Round trips of random clusters: written in every readable format, read back and replayed as recorded.
//! Jobs, nodes, waits and utilization must equal the truth, or a note must name the missing information.
//! `ROUND_TRIPS=10000` sets the number of clusters per format, and `ROUND_TRIP_FORMAT=sacct` selects one
//! format.
#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::similar_names,
    clippy::struct_excessive_bools,
    clippy::unnecessary_wraps,
    reason = "texts of small logs; times are named by their units; looks are made of choices; all writers \
         have one type"
)]

pub(crate) mod cluster;
mod replayed;
pub(crate) mod truth;
pub(crate) mod writers;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use cluster::{Cluster, cluster};
use meshreplay_logs::FORMATS;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;
use truth::{Written, difference};
use writers::{WRITERS, Write, written};

/// Default number of clusters per format.
const CLUSTERS: u64 = 200;
/// The maximum number of kinds of differences in the report, and the number of clusters that are shrunk for
/// each kind.
const SHOWN: usize = 60;
const TRIED: usize = 3;

/// Writes a cluster in one way, or returns `None` if this way cannot represent the cluster.
pub(crate) type Writer = Rc<dyn Fn(&Cluster) -> Option<Written>>;

/// Differences from the truth, by kind: the count, and seeds and writers of some clusters.
pub(crate) struct Differences {
    folder: TempDir,
    kinds: BTreeMap<String, (u64, Vec<(u64, Writer)>)>,
}

impl Differences {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary directory"), kinds: BTreeMap::new() }
    }

    /// Writes the cluster of a seed and reads it back. Returns false if the writer cannot represent the
    /// cluster.
    pub(crate) fn add(&mut self, seed: u64, writer: &Writer) -> bool {
        let Some(log) = log_of(&cluster(seed), writer) else { return false };
        if let Some(problem) = difference(&log, self.folder.path()) {
            let (count, cases) = self.kinds.entry(kind_of(&problem)).or_default();
            *count += 1;
            if cases.len() < TRIED {
                cases.push((seed, Rc::clone(writer)));
            }
        }
        true
    }

    /// The kind of the difference for a cluster, or `None` without a difference.
    fn kind(&self, cluster: &Cluster, writer: &Writer) -> Option<String> {
        difference(&log_of(cluster, writer)?, self.folder.path()).map(|problem| kind_of(&problem))
    }

    /// Shrinks a cluster: drops jobs one by one, then the second dump, while the kind of the difference
    /// stays.
    fn shrunk(&self, mut cluster: Cluster, writer: &Writer) -> Cluster {
        let first = self.kind(&cluster, writer);
        let fails = |smaller: &Cluster| self.kind(smaller, writer) == first;
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

    /// The number of differences of each kind, and the smallest cluster of each kind with its log. Empty
    /// without differences.
    pub(crate) fn report(&self, name: &str) -> String {
        let mut text = String::new();
        for (kind, (count, _)) in &self.kinds {
            let _ = writeln!(text, "{name}: {count} times {kind}");
        }
        for (kind, (_, cases)) in self.kinds.iter().take(SHOWN) {
            let small = |(seed, writer): &(u64, Writer)| {
                (self.shrunk(cluster(*seed), writer), *seed, Rc::clone(writer))
            };
            let smallest = cases.iter().map(small).min_by_key(|(small, ..)| small.jobs.len());
            let Some((small, seed, writer)) = smallest else { continue };
            let Some(log) = writer(&small) else { continue };
            let problem = difference(&log, self.folder.path()).unwrap_or_default();
            let _ =
                writeln!(text, "\n--- {name}, seed {seed}, {kind}\n{problem}\n{}\n{}", log.format, log.text);
        }
        text
    }
}

/// The log of a cluster; `None` if it has no jobs.
fn log_of(cluster: &Cluster, writer: &Writer) -> Option<Written> {
    writer(cluster).filter(|log| !log.jobs.is_empty())
}

/// A message without numbers and positions, so that differences of the same kind are counted together.
fn kind_of(problem: &str) -> String {
    let line = problem.lines().next().unwrap_or_default();
    let is_of_job = line.starts_with("job (");
    let line = if is_of_job { line.split_once("): ").map_or(line, |parts| parts.1) } else { line };
    let mut kind = String::new();
    for word in line.split_whitespace().filter(|word| !word.starts_with('/')) {
        let digits = |c: char| if c.is_ascii_digit() { '#' } else { c };
        let mut word: Vec<char> = word.chars().map(digits).collect();
        word.dedup_by(|a, b| *a == '#' && *b == '#');
        kind.extend(word);
        kind.push(' ');
    }
    // Errors continue with names of columns and similar details.
    kind.chars().take(if kind.starts_with("refused") { 40 } else { 90 }).collect()
}

/// Writes many clusters in a format and reports the clusters that are read or replayed wrongly.
fn differences(format: &'static str, clusters: u64) -> String {
    let mut found = Differences::new();
    for seed in 0..clusters {
        let writer: Writer = Rc::new(move |cluster| written(format, cluster, seed));
        found.add(seed, &writer);
    }
    found.report(format)
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

#[test]
fn every_format_has_a_writer() {
    let cluster = cluster(1);
    let spec = |(_, write): &(&str, Write)| {
        let mut looks = (0..20).map(ChaCha8Rng::seed_from_u64);
        looks.find_map(|mut rng| write(&cluster, &mut rng)).map(|log| log.format)
    };
    let specs: Vec<String> = WRITERS.iter().filter_map(spec).collect();
    let written: Vec<&str> = specs.iter().filter_map(|spec| spec.split(':').next()).collect();
    for format in FORMATS {
        assert!(written.contains(&format.name), "{} has no writer", format.name);
    }
}
