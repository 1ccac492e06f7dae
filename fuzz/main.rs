//! Throws random inputs at every reader and at every allocator and scheduler, and reports panics, hangs and
//! broken laws.
//!
//! `cargo test --test fuzz` tries some inputs of each target, which is a part of the suite. `make fuzz
//! MINUTES=60` goes on for an hour, with debug assertions and checks of overflow. `--seconds 20` goes on for
//! so long with each target, and `--part 1/2` tries the first of two halves of the targets. An input that
//! breaks something is made smaller and kept in `fuzz/failures`; once what was wrong is mended, it belongs
//! into `fuzz/corpus`, whose files are tried first and mutated. The page `docs/developers/fuzzing.md` says
//! what has been tried so far.
#![expect(clippy::print_stdout, reason = "it says what it tries")]

mod mutate;
mod runner;
mod targets;

use std::process::ExitCode;

use self::runner::{Effort, Plan};

/// How long the runner goes on, and with which targets.
fn plan(words: impl Iterator<Item = String>) -> Result<Plan, String> {
    let mut plan = Plan { effort: Effort::Inputs(INPUTS), seed: 1, only: Vec::new(), part: (1, 1) };
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64, String> {
            let value = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            value.parse().map_err(|_| format!("{word} takes a whole number, not '{value}'"))
        };
        match word.as_str() {
            "--seconds" => plan.effort = Effort::SecondsEach(number()?),
            "--part" => {
                let text = words.next().unwrap_or_default();
                let numbers =
                    text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
                let part = numbers.filter(|&(part, of): &(usize, usize)| (1..=of).contains(&part));
                plan.part = part.ok_or_else(|| format!("--part takes a part such as 1/2, not '{text}'"))?;
            }
            "--minutes" => plan.effort = Effort::Minutes(number()?),
            "--inputs" => plan.effort = Effort::Inputs(number()?),
            "--seed" => plan.seed = number()?,
            // What Cargo and its users give to every test.
            "--test-threads" | "--format" => drop(words.next()),
            word if word.starts_with('-') => {}
            _ => plan.only.push(word),
        }
    }
    Ok(plan)
}

/// The number of inputs of each target in the suite. Those of histories and replays are a hundredth.
const INPUTS: u64 = 2000;

fn main() -> ExitCode {
    match plan(std::env::args().skip(1)) {
        Ok(plan) if plan.run() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(problem) => {
            println!("error: {problem}");
            ExitCode::from(2)
        }
    }
}
