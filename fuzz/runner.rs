//! Runs targets on inputs: those of the corpus, seeds, and mutations of both. Inputs with an answer that none
//! had before join those that are mutated.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use meshreplay::disk::hexadecimal;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use crate::mutate::mutated;
use crate::targets::{TARGETS, Target};

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effort {
    /// So many inputs of each target.
    Inputs(u64),
    /// So long, all targets together.
    Minutes(u64),
    /// So many seconds with each target.
    SecondsEach(u64),
}

/// What the runner is to do.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) effort: Effort,
    pub(crate) seed: u64,
    /// Parts of the names of the targets that run; empty for all.
    pub(crate) only: Vec<String>,
    /// Which part of the targets runs, from 1, and how many parts there are. Every so many-th target belongs
    /// to a part.
    pub(crate) part: (usize, usize),
}

/// How long an input may take in a long run; the suite does not look at the clock. Where other things run at
/// the same time, as in the runs of some seconds with each target, it may take ten times as long.
const HANG: Duration = Duration::from_secs(1);
/// How often an input that took too long is tried again. It took too long if it always does; once may be the
/// machine.
const SLOW_TRIES: usize = 3;
/// The greatest number of inputs that are mutated.
const MOST_KEPT: usize = 4000;

/// The way in which an input is wrong.
enum Wrong {
    Panicked(String),
    TookLong(Duration),
}

impl Plan {
    /// Runs the targets and prints a line for each. Returns whether nothing was wrong.
    pub(crate) fn run(&self) -> bool {
        let is_chosen = |target: &&Target| {
            self.only.is_empty() || self.only.iter().any(|part| target.name.contains(part.as_str()))
        };
        let (part, parts) = self.part;
        let chosen: Vec<&Target> = TARGETS.iter().filter(is_chosen).skip(part - 1).step_by(parts).collect();
        // Panics are caught and reported once, with the smallest input.
        let default = panic::take_hook();
        panic::set_hook(Box::new(|_| {}));
        let (mut all, mut is_good) = (0, true);
        for target in &chosen {
            let (limit, until) = match self.effort {
                Effort::Inputs(inputs) => ((inputs / target.cost).max(1), None),
                Effort::Minutes(minutes) => {
                    let share = Duration::from_secs(60 * minutes) / chosen.len() as u32;
                    (u64::MAX, Some(Instant::now() + share))
                }
                Effort::SecondsEach(seconds) => {
                    (u64::MAX, Some(Instant::now() + Duration::from_secs(seconds)))
                }
            };
            let mut outcomes = BTreeMap::new();
            let (tried, answers, wrong) = self.of_target(target, limit, until, &mut outcomes);
            println!("{:24} {tried:10} inputs, {answers:5} different answers", target.name);
            for (outcome, count) in outcomes {
                println!("    {outcome:36} {count:10}");
            }
            all += tried;
            if let Some((input, wrong)) = wrong {
                is_good = false;
                report(target, &input, &wrong);
            }
        }
        panic::set_hook(default);
        println!("{:24} {all:10} inputs", "all");
        is_good
    }

    /// Tries a target. Returns the number of inputs and of different answers, and the first input that is
    /// wrong. Counts outcomes, which stand in brackets before answers.
    fn of_target(
        &self,
        target: &Target,
        limit: u64,
        until: Option<Instant>,
        outcomes: &mut BTreeMap<String, u64>,
    ) -> (u64, usize, Option<(Vec<u8>, Wrong)>) {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let mut pool = corpus(target);
        pool.extend((target.seeds)());
        let mut known = HashSet::new();
        let mut tried = 0;
        let hang =
            HANG * target.cost as u32 * if matches!(self.effort, Effort::SecondsEach(_)) { 10 } else { 1 };
        let mut next = pool.clone().into_iter();
        while tried < limit && until.is_none_or(|until| Instant::now() < until) {
            let input = next.next().unwrap_or_else(|| mutated(&pool, target.words, &mut random));
            tried += 1;
            let began = Instant::now();
            match attempt(target, &input) {
                Ok(answer) => {
                    let mut took = began.elapsed();
                    if until.is_some() && took > hang {
                        took = took.min(quickest(target, &input));
                        if took > hang {
                            return (tried, known.len(), Some((input, Wrong::TookLong(took))));
                        }
                    }
                    if let Some((outcome, _)) = answer.strip_prefix('[').and_then(|rest| rest.split_once(']'))
                    {
                        *outcomes.entry(outcome.to_owned()).or_default() += 1;
                    }
                    if known.insert(answer) && pool.len() < MOST_KEPT {
                        pool.push(input);
                    }
                }
                Err(message) => {
                    let input = smallest(target, input);
                    return (tried, known.len(), Some((input, Wrong::Panicked(message))));
                }
            }
        }
        (tried, known.len(), None)
    }
}

/// The committed inputs of a target, in the order of their names.
fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = folder("corpus").join(target.name);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.iter().filter_map(|path| fs::read(path).ok()).collect()
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz")).join(name)
}

/// Runs the target on an input. Returns its answer without the numbers in it, or the message of its panic.
fn attempt(target: &Target, input: &[u8]) -> Result<String, String> {
    let answer = panic::catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let answer = answer.map_err(|problem| {
        let text = problem.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| problem.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
    })?;
    Ok(answer.chars().filter(|c| !c.is_ascii_digit()).take(400).collect())
}

/// Returns the shortest time that the target takes for an input.
fn quickest(target: &Target, input: &[u8]) -> Duration {
    let time = |_| {
        let began = Instant::now();
        let _ = attempt(target, input);
        began.elapsed()
    };
    (0..SLOW_TRIES).map(time).min().unwrap_or_default()
}

/// Leaves out parts of an input as long as it still makes the target panic.
fn smallest(target: &Target, mut input: Vec<u8>) -> Vec<u8> {
    let mut length = input.len().div_ceil(2);
    while length > 0 {
        let mut at = 0;
        while at < input.len() {
            let mut shorter = input.clone();
            shorter.drain(at..(at + length).min(input.len()));
            if attempt(target, &shorter).is_err() { input = shorter } else { at += length }
        }
        length /= 2;
    }
    input
}

/// Prints what is wrong and keeps the input.
fn report(target: &Target, input: &[u8], wrong: &Wrong) {
    let name = hexadecimal(&Sha256::digest(input)[..6]);
    let path = folder("failures").join(target.name).join(name);
    let kept = path.parent().map(fs::create_dir_all).and_then(|_| fs::write(&path, input).ok());
    let how = match wrong {
        Wrong::Panicked(message) => message.clone(),
        Wrong::TookLong(time) => format!("took {} s", time.as_secs_f64()),
    };
    println!("WRONG: {}: {how}\n  input: {}", target.name, input.escape_ascii());
    if kept.is_some() {
        println!("  kept as {}", path.display());
    }
}
