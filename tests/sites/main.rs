//! The site laboratory: sites whose schedulers and troubles are known, written as accounting, and what the
//! closing lines say of them.
//!
//! `make sites` runs 400 sites and prints the table of docs/src/numbers.md; without the variable SITES two
//! seeds of each kind run.

#![expect(
    clippy::format_collect,
    clippy::format_push_string,
    clippy::print_stdout,
    clippy::single_range_in_vec_init,
    reason = "texts of small logs; the table is printed; spans of time are ranges"
)]

mod simulator;
mod troubles;
mod writers;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::ops::Range;
use std::process::Command;

use meshreplay_testing::Tested;
use simulator::Policy;
use troubles::{Laboratory, Trouble};
use writers::{Accounting, FORMATS};

/// The kinds of sites, each with the troubles that all of its sites have.
const KINDS: [&[Trouble]; 20] = [
    &[],
    &[Trouble::Window],
    &[Trouble::BySubmission],
    &[Trouble::Maintenance],
    &[Trouble::Dependencies],
    &[Trouble::Priorities],
    &[Trouble::Failures],
    &[Trouble::Unlimited],
    &[Trouble::UserLimits],
    &[Trouble::Partitions],
    &[Trouble::Cancelled],
    &[Trouble::Window, Trouble::Dependencies],
    &[Trouble::Window, Trouble::Priorities],
    &[Trouble::Window, Trouble::Unlimited],
    &[Trouble::Dependencies, Trouble::Failures],
    &[Trouble::Maintenance, Trouble::Priorities],
    &[Trouble::Priorities, Trouble::UserLimits],
    &[Trouble::Failures, Trouble::Priorities],
    &[Trouble::Dependencies, Trouble::Priorities],
    &[Trouble::Cancelled, Trouble::Unlimited],
];

/// Largest error of a difference, as a share of the recorded wait.
const TOLERANCE: f64 = 0.05;

/// The blind spots: what stands alone there may be false.
fn is_blind(troubles: &[Trouble]) -> bool {
    troubles == [Trouble::Priorities] || troubles.contains(&Trouble::BySubmission)
}

/// What the program said of a site.
#[derive(Debug)]
struct Said {
    /// The share of waiting that was free to start.
    free: Option<f64>,
    /// The difference, as a share of the recorded wait.
    difference: Option<f64>,
    /// Whether nothing stands beside the difference.
    is_alone: bool,
    text: String,
}

/// Returns the difference in words such as `26.8 % longer under easy` or `2.1 times as long under easy`.
fn difference(text: &str) -> Option<f64> {
    let (_, rest) = text.split_once("compared with them, jobs wait ")?;
    let rest = rest.strip_prefix("about as long ").unwrap_or(rest);
    let at = rest.find(|letter: char| letter.is_ascii_digit());
    let number: String = rest[at.unwrap_or(rest.len())..]
        .chars()
        .take_while(|letter| letter.is_ascii_digit() || ".,".contains(*letter))
        .filter(|letter| *letter != ',')
        .collect();
    let before = &rest[..rest.find(", 95").unwrap_or(rest.len())];
    let value: f64 = number.parse().unwrap_or(0.0);
    Some(if before.contains("times as long") {
        value - 1.0
    } else if before.contains("shorter") {
        -value / 100.0
    } else if before.contains("longer") {
        value / 100.0
    } else {
        0.0
    })
}

/// Returns the period that replays cover by the text, in the time of the site.
fn period(text: &str, origin_s: i64) -> Option<Range<i64>> {
    let (_, rest) = text.split_once(" · period ")?;
    let (from, rest) = rest.split_once(" to ")?;
    let to = rest.split(" · ").next()?;
    let time_s = |text: &str| match text.strip_suffix(" s") {
        Some(seconds) => Some(origin_s + seconds.parse::<i64>().ok()?),
        None => writers::time_s(text),
    };
    Some(time_s(from)?..time_s(to)?)
}

/// Replays the log of a site as recorded and under EASY, and returns what the program says.
fn said(
    site: &Laboratory,
    accounting: &Accounting,
    machine: &str,
) -> Result<Said, Box<dyn std::error::Error>> {
    let folder = env::temp_dir().join(format!("meshreplay-sites-{}-{:p}", std::process::id(), site));
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(accounting.file), accounting.text(site))?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshreplay"));
    command.args(["replay", accounting.file, "-m", machine, "-s", "recorded", "easy", "-a", "naive"]);
    command.args([
        "--no-timing",
        "--why",
        "-q",
        "--time-zone",
        "UTC",
        "--columns",
        "wait_s_mean,wait_free_share,overtaking_share",
    ]);
    if !accounting.has_limits {
        command.args(["--estimate", "exact"]);
    }
    let output = command.args(accounting.arguments).current_dir(&folder).env("TZ", "UTC").output()?;
    fs::remove_dir_all(&folder)?;
    let text = String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?;
    let is_usage = output.status.code() == Some(2) && !text.contains("size of its machine is not known");
    assert!(!is_usage, "{}: {text}", accounting.file);
    let row = text.lines().find(|line| line.trim_start().starts_with("recorded "));
    let free = row.and_then(|row| row.split_whitespace().nth(3)?.parse().ok());
    let line = text.lines().find(|line| line.contains("compared with them, jobs wait "));
    let is_alone = line.is_some_and(|line| !line.contains(" of the recorded waiting passed"));
    Ok(Said { free, difference: line.and_then(difference), is_alone, text })
}

/// The counts of a kind of sites.
#[derive(Default)]
struct Counts {
    sites: u32,
    /// Sites with a difference, with one that stands alone, and with one that is false and alone.
    given: u32,
    alone: u32,
    false_alone: u32,
    false_beside: u32,
    /// The largest error of a difference that stands alone.
    worst: f64,
    /// Sites with less than 1 % free, and those of them with a difference.
    little_free: u32,
    little_given: u32,
}

/// Counts of all sites.
#[derive(Default)]
struct Results {
    kinds: BTreeMap<usize, Counts>,
    /// False differences that stand alone, outside of the blind spots.
    problems: Vec<String>,
    /// Sites of FCFS without troubles, and those of them without their difference.
    without_backfilling: u32,
    taken_back: u32,
}

impl Results {
    /// Runs a site and adds what is said of it.
    fn add(&mut self, kind: usize, seed: u64) -> Tested {
        // Formats and policies change with the seed, and begin elsewhere for each kind.
        let (troubles, turn) = (KINDS[kind], seed as usize + kind);
        let accounting = &FORMATS[turn % FORMATS.len()];
        let policies = [Policy::Easy, Policy::Easy, Policy::Shortest, Policy::Fcfs];
        let policy = policies[(turn / 5 + seed as usize) % 4];
        let site = Laboratory::new(seed * 100 + kind as u64, policy, troubles, JOBS);
        let machine = if turn.is_multiple_of(2) { "auto" } else { "16x8" };
        let said = said(&site, accounting, machine)?;
        let period = period(&said.text, accounting.origin_s(&site)).or_else(|| site.window.clone());
        let started: BTreeSet<usize> = accounting.started(&site).iter().map(|job| job.number).collect();
        let is_there = |job: &simulator::SiteJob| started.contains(&job.number);
        let truth = site.truth(accounting.has_eligible, period.as_ref(), is_there);
        let error = said.difference.map(|found| (found - truth).abs());
        let is_false = error.is_some_and(|error| error > TOLERANCE);
        let counts = self.kinds.entry(kind).or_default();
        counts.sites += 1;
        counts.given += u32::from(error.is_some());
        counts.alone += u32::from(said.is_alone);
        counts.false_alone += u32::from(is_false && said.is_alone);
        counts.false_beside += u32::from(is_false && !said.is_alone);
        counts.worst = counts.worst.max(error.filter(|_| said.is_alone).unwrap_or(0.0));
        if said.free.is_some_and(|free| free < 0.01) {
            counts.little_free += 1;
            counts.little_given += u32::from(said.difference.is_some());
        }
        if policy == Policy::Fcfs && troubles.is_empty() {
            self.without_backfilling += 1;
            self.taken_back += u32::from(said.difference.is_none() || is_false);
        }
        let file = accounting.file;
        let words =
            format!("{troubles:?} {policy:?} {file} seed {seed} {machine}: truth {truth:.3}, {said:?}");
        if env::var_os("SITES_SHOWN").is_some() {
            println!("{}", words.replace("\\n", "\n    "));
        }
        if is_false && said.is_alone && !is_blind(troubles) {
            self.problems.push(words);
        }
        Ok(())
    }

    /// Prints a row for each kind.
    fn print(&self) {
        println!(
            "| troubles | sites | difference | alone | false alone | false beside | worst alone % | f < 1 % \
             | given |"
        );
        for (kind, counts) in &self.kinds {
            let Counts { sites, given, alone, false_alone, false_beside, little_free, little_given, .. } =
                counts;
            let worst = 100.0 * counts.worst;
            println!(
                "| {:?} | {sites} | {given} | {alone} | {false_alone} | {false_beside} | {worst:.1} | \
                 {little_free} | {little_given} |",
                KINDS[*kind]
            );
        }
        println!(
            "without backfilling: {} sites, {} without their difference",
            self.without_backfilling, self.taken_back
        );
    }
}

/// Jobs of a site.
const JOBS: usize = 4_000;

#[test]
fn what_is_said_of_sites_is_true() -> Tested {
    let seeds: u64 = env::var("SITES").ok().map_or(Ok(2), |text| text.parse())?;
    let mut results = Results::default();
    for kind in 0..KINDS.len() {
        for seed in 0..seeds {
            results.add(kind, seed)?;
        }
    }
    results.print();
    assert!(results.problems.is_empty(), "{}", results.problems.join("\n\n"));
    let sum = |of: fn(&Counts) -> u32| results.kinds.values().map(of).sum::<u32>();
    let (little, given) = (sum(|counts| counts.little_free), sum(|counts| counts.little_given));
    assert!(given * 10 >= little * 9, "of {little} sites with f < 1 % {given} have a difference");
    assert_eq!(results.taken_back, 0);
    assert!(seeds < 20 || results.without_backfilling > 0);
    Ok(())
}
