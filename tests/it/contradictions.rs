//! Closing lines for the same dump must not contradict each other, for pooled or separate partitions and
//! for every delimiter.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::support::{Tested, run};

/// A job of a generated cluster.
#[derive(Clone)]
struct Made {
    partition: &'static str,
    nodes: usize,
    submit_s: u64,
    run_s: u64,
    start_s: u64,
    list: Vec<usize>,
}

/// Partitions with disjoint nodes: the name, the first node, the number of nodes and the number of jobs.
const PARTITIONS: [(&str, usize, usize, usize); 3] =
    [("batch", 0, 16, 160), ("debug", 16, 8, 40), ("gpu", 24, 8, 40)];

/// Returns jobs that ran shortest job first in each partition, so that their mean waits are shorter than
/// under EASY.
fn cluster() -> Vec<Made> {
    let mut all = Vec::new();
    for (partition, first, count, jobs) in PARTITIONS {
        let load = if partition == "batch" { 620 } else { 2500 };
        let made = (0..jobs as u64).map(|i| Made {
            partition,
            nodes: 1 + (i as usize * 7 + 3) % (count / 2),
            submit_s: i * load + i * i % 97,
            run_s: 200 + (i * 7919) % 4000,
            start_s: 0,
            list: Vec::new(),
        });
        let mut waiting: Vec<Made> = made.collect();
        let mut free_at = vec![0_u64; count];
        let mut now = 0;
        while !waiting.is_empty() {
            let free: Vec<usize> = (0..count).filter(|&node| free_at[node] <= now).collect();
            let fits = |job: &&Made| job.submit_s <= now && job.nodes <= free.len();
            let next = waiting.iter().filter(fits).min_by_key(|job| job.run_s).map(|job| job.submit_s);
            let Some(at) = waiting.iter().position(|job| Some(job.submit_s) == next) else {
                now += 1;
                continue;
            };
            let mut job = waiting.remove(at);
            job.start_s = now;
            job.list = free.into_iter().take(job.nodes).collect();
            job.list.iter().for_each(|&node| free_at[node] = now + job.run_s);
            job.list.iter_mut().for_each(|node| *node += first);
            all.push(job);
        }
    }
    all.sort_by_key(|job| job.submit_s);
    all
}

/// Returns a time of the log as Slurm writes it.
fn date(seconds: u64) -> String {
    let (day, rest) = (1 + seconds / 86_400, seconds % 86_400);
    format!("2024-05-{day:02}T{:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
}

/// Writes the cluster as a dump of sacct with this delimiter.
fn dump(path: &Path, delimiter: char) -> Tested {
    let heads =
        ["JobIDRaw", "Partition", "Submit", "Start", "End", "State", "NNodes", "TimelimitRaw", "NodeList"];
    let mut text = heads.join(&delimiter.to_string()) + "\n";
    for (number, job) in cluster().iter().enumerate() {
        let nodes: Vec<String> = job.list.iter().map(|node| format!("n{node:02}")).collect();
        let cells = [
            (number + 1).to_string(),
            job.partition.to_owned(),
            date(job.submit_s),
            date(job.start_s),
            date(job.start_s + job.run_s),
            "COMPLETED".to_owned(),
            job.nodes.to_string(),
            (job.run_s / 60 + 1).to_string(),
            nodes.join(if delimiter == ',' { " " } else { "," }),
        ];
        writeln!(text, "{}", cells.join(&delimiter.to_string()))?;
    }
    Ok(fs::write(path, text)?)
}

/// Returns the closing lines of a replay.
fn lines(at: &Path, arguments: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let ran = run(at, &format!("replay {arguments} -s recorded easy -a naive mc1x1 --no-timing -q"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran.stdout.rsplit_once("\n\n").map_or("", |(_, below)| below).lines().map(str::to_owned).collect())
}

/// Returns whether recorded waits are shorter than under EASY according to a line, or `None` if the line does
/// not compare them.
fn recorded_beside_easy(line: &str) -> Option<bool> {
    let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
    if let Some((_, both)) = line.split_once("schedulers: mean wait ") {
        let words: Vec<&str> = both.split(' ').collect();
        let seconds: Vec<f64> =
            words.windows(2).filter(|pair| pair[1] == "s").filter_map(|pair| number(pair[0])).collect();
        let is_recorded_first = both.find("as recorded")? < both.find("under easy")?;
        return Some(is_recorded_first && seconds[0] < seconds[1]);
    }
    let (_, difference) = line.split_once("compared with them, jobs wait ")?;
    match () {
        () if difference.starts_with("about") => None,
        () => Some(difference.contains(" longer under easy")),
    }
}

/// Returns the group of a line, and its winner and loser in pairwise sums.
fn closer(line: &str) -> Option<(String, [String; 2])> {
    let (before, after) = line.split_once(" places jobs closest together: pairwise sum ")?;
    let (group, winner) = before.rsplit_once(": ").unwrap_or(("", before));
    let loser = after.split_once(" less than ")?.1.split(' ').next()?;
    Some((group.to_owned(), [winner.to_owned(), loser.to_owned()]))
}

/// Returns the partition of a line. A line on all partitions counts as `batch`, which has most of the work.
fn partition(line: &str) -> &str {
    let named =
        line.split_once("partition ").map(|(_, rest)| rest.split([':', ',']).next().unwrap_or_default());
    named.filter(|_| !line.starts_with("partitions pooled")).unwrap_or("batch")
}

/// Asserts that no two lines contradict each other.
fn agree(lines: &[String]) {
    let said = lines.iter().filter_map(|line| Some((partition(line), recorded_beside_easy(line)?, line)));
    let waits: Vec<_> = said.collect();
    for (of, is_shorter, line) in &waits {
        for (other, is_other_shorter, other_line) in &waits {
            assert!(of != other || is_shorter == is_other_shorter, "{line}\n{other_line}");
        }
    }
    let pairs: Vec<_> = lines.iter().filter_map(|line| closer(line)).collect();
    for (group, [winner, loser]) in &pairs {
        assert!(
            !pairs.contains(&(group.clone(), [loser.clone(), winner.clone()])),
            "{group}: {winner}, {loser}"
        );
    }
}

#[test]
fn partitions_apart_and_two_spellings_agree() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    dump(&at.join("dump.sacct"), '|')?;
    dump(&at.join("dump.csv"), ';')?;
    let apart = lines(at, "dump.sacct -m auto --partition each")?;
    let spelt = lines(at, "dump.csv -m auto --partition each")?;
    assert_eq!(apart, spelt);
    let batch = lines(at, "dump.sacct -m auto --partition batch")?;
    let said: Vec<bool> = batch.iter().filter_map(|line| recorded_beside_easy(line)).collect();
    assert_eq!(said, [true, true], "{batch:?}");
    assert!(apart.iter().any(|line| line.contains(", partition debug: recorded waits are ")), "{apart:?}");
    agree(&[apart, batch].concat());
    Ok(())
}

/// On one pooled machine EASY may run jobs of one partition on nodes of another. The comparison must not
/// change because of that.
#[test]
fn pooled_partitions_agree_with_partitions_apart() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    dump(&at.join("dump.sacct"), '|')?;
    dump(&at.join("dump.csv"), ';')?;
    let pooled = lines(at, "dump.sacct -m 4x8")?;
    assert!(pooled.iter().any(|line| line.starts_with("partitions pooled: ")), "{pooled:?}");
    assert!(pooled.iter().all(|line| recorded_beside_easy(line).is_none()), "{pooled:?}");
    let each = ["dump.sacct -m auto --partition each", "dump.sacct -m auto", "dump.csv -m auto"];
    let mut all = pooled;
    for arguments in each {
        all.extend(lines(at, arguments)?);
    }
    agree(&all);
    Ok(())
}
