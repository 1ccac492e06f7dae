//! Job arrays of Slurm: what `--submit` says, the scripts, and the arguments of sbatch.
//!
//! Everything is an argument of sbatch, not a line of the scripts: arguments win over `SBATCH_…` variables of whoever
//! submits, and need no quoting that only Slurm knows.

use std::str::FromStr;

use crate::cli::quoted::{command, quoted};
use crate::frame::Started;
use crate::spec::{Params, Spec, SpecError, unknown};
use crate::study::MAX_SHARDS;

/// Shards of a study unless it is said.
const USUAL_SHARDS: usize = 8;

/// Most threads of a shard.
const MAX_CPUS: usize = 4096;

/// Whether a text is a value of a parameter.
type Check = fn(&str) -> bool;

const NAME: &str = "letters, digits and _ . @ + -, such as batch";

/// Parameters that sbatch takes as they are: name, what is accepted, and whether a text is.
const PASSED: &[(&str, &str, Check)] = &[
    ("account", NAME, is_name),
    ("mem", "a whole number, and K, M, G or T if it is not megabytes, such as 4G", is_memory),
    ("partition", NAME, is_name),
    ("qos", NAME, is_name),
    ("time", "M, M:S, H:M:S, D-H, D-H:M or D-H:M:S, such as 2:30:00", is_time),
];

/// How a study is submitted: `slurm:array=16,partition=batch`.
#[derive(Clone, Debug)]
pub(super) struct Slurm {
    /// As it was given.
    pub(super) spec: Spec,
    /// Most shards.
    pub(super) shards: usize,
    cpus: usize,
    passed: Vec<String>,
}

/// What scripts and jobs are made of; paths are absolute.
#[derive(Debug)]
pub(super) struct Batch<'a> {
    pub(super) slurm: &'a Slurm,
    pub(super) program: String,
    /// Where the sweep was submitted: specs may name files relative to it.
    pub(super) here: String,
    pub(super) started: &'a Started,
    /// Name of the study.
    pub(super) name: &'a str,
    /// The directory of the study.
    pub(super) folder: String,
    /// The directory of scripts and logs.
    pub(super) scripts: String,
    /// Number of shards that the study is dealt out to.
    pub(super) shards: usize,
}

impl FromStr for Slurm {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let spec: Spec = text.parse()?;
        if spec.name != "slurm" {
            return Err(unknown("batch system", &spec.name, ["slurm"]));
        }
        let mut params = Params::new(&spec);
        let mut passed = Vec::new();
        for (key, expected, is_fine) in PASSED {
            let value = params.take(key, String::new(), expected)?;
            if value.is_empty() {
                continue;
            }
            if !is_fine(&value) {
                return Err(params.bad_value(key, &value, expected));
            }
            passed.push(format!("--{key}={value}"));
        }
        let shards = count(&mut params, "array", USUAL_SHARDS, MAX_SHARDS)?;
        let cpus = count(&mut params, "cpus", 1, MAX_CPUS)?;
        params.finish()?;
        Ok(Self { spec, shards, cpus, passed })
    }
}

/// Takes a number from 1 to `most`.
fn count(params: &mut Params, key: &str, usual: usize, most: usize) -> Result<usize, SpecError> {
    let expected = format!("a whole number from 1 to {most}");
    let number = params.take(key, usual, &expected)?;
    if (1..=most).contains(&number) {
        Ok(number)
    } else {
        Err(params.bad_value(key, &number.to_string(), &expected))
    }
}

fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.@+-".contains(c);
    text.chars().all(is_plain) && !text.starts_with('-')
}

fn is_number(text: &str) -> bool {
    (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_memory(text: &str) -> bool {
    is_number(text.strip_suffix(['K', 'M', 'G', 'T']).unwrap_or(text))
}

fn is_time(text: &str) -> bool {
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    days.is_none_or(is_number) && rest.split(':').count() <= 3 && rest.split(':').all(is_number)
}

impl Batch<'_> {
    /// The script of each task of the array: its shard of the study, in place of the shell, so that signals reach it.
    pub(super) fn shards_script(&self) -> String {
        let Self { program, here, started, folder, shards, slurm, .. } = self;
        let threads = slurm.cpus.to_string();
        let words = [program, "sweep", &started.study, "-o", folder, "--threads", &threads];
        let words = command(words.into_iter().chain(started.options.iter().map(String::as_str)));
        format!(
            "#!/bin/sh\n# One shard of a study; any task may run again, even twice at a time.\n\
             cd {} || exit 1\nexec {words} --shard \"$SLURM_ARRAY_TASK_ID/{shards}\"\n",
            quoted(here)
        )
    }

    /// The script of the job after the array: a summary of the cells that there are, and an error if there are more.
    pub(super) fn merge_script(&self) -> String {
        let Self { program, folder, .. } = self;
        let merge = command([program, "merge", folder, "-o", folder, "--partial"]);
        let status = command([program, "sweep", "--status", folder]);
        format!(
            "#!/bin/sh\n# The summary of a study, whatever has become of its shards.\n{merge}\nexec {status}\n"
        )
    }

    /// Where the script of that name is.
    pub(super) fn script(&self, name: &str) -> String {
        format!("{}/{name}.sh", self.scripts)
    }

    /// The arguments of sbatch for the array of these shards.
    pub(super) fn shards_arguments(&self, shards: &[usize]) -> Vec<String> {
        let mut arguments = self.arguments("shard-%A_%a.log", self.slurm.cpus);
        arguments.push(format!("--array={}", ranges(shards)));
        arguments.push(self.script("shards"));
        arguments
    }

    /// The arguments of sbatch for the job that follows `array`, however its tasks end: what they finished is finished.
    pub(super) fn merge_arguments(&self, array: &str) -> Vec<String> {
        let mut arguments = self.arguments("merge-%A.log", 1);
        arguments.push(format!("--dependency=afterany:{array}"));
        arguments.push(self.script("merge"));
        arguments
    }

    fn arguments(&self, log: &str, cpus: usize) -> Vec<String> {
        // Slurm reads % in the name of a log, not in the directory that the name is relative to.
        let own = [
            "--parsable".to_owned(),
            format!("--job-name={}", self.job_name()),
            format!("--chdir={}", self.scripts),
            format!("--output={log}"),
            "--open-mode=append".to_owned(),
            "--requeue".to_owned(),
            "--ntasks=1".to_owned(),
            format!("--cpus-per-task={cpus}"),
        ];
        own.into_iter().chain(self.slurm.passed.iter().cloned()).collect()
    }

    fn job_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' };
        let name: String = self.name.chars().take(60).map(plain).collect();
        format!("meshreplay-{name}")
    }
}

/// Sorted numbers as Slurm writes them: `1-4,6,8-9`.
fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |(first, last): (usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    runs.into_iter().map(run).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_slurm_takes_are_taken() {
        for text in [
            "slurm",
            "slurm:array=65536,cpus=4096",
            "slurm:account=a.b@c,partition=big_mem-2,qos=x+y",
            "slurm:mem=4000",
            "slurm:mem=4G",
            "slurm:time=90",
            "slurm:time=2-00",
            "slurm:time=2-00:30:00,mem=1T",
        ] {
            assert!(text.parse::<Slurm>().is_ok(), "{text}");
        }
    }

    #[test]
    fn values_that_would_break_a_job_are_not() {
        for text in [
            "slurm:array=0",
            "slurm:array=65537",
            "slurm:array=1-8",
            "slurm:cpus=0",
            "slurm:mem=lots",
            "slurm:mem=G",
            "slurm:partition=a b",
            "slurm:partition=-x",
            "slurm:qos=$(id)",
            "slurm:time=1:2:3:4",
            "slurm:time=1d",
            "slurm:time=1--2",
            "slurm:time=é",
            "slurm:node=1",
            "slurm:a|b",
            "pbs",
        ] {
            assert!(text.parse::<Slurm>().is_err(), "{text}");
        }
    }

    #[test]
    fn shards_are_written_as_ranges() {
        for (numbers, text) in [(&[1, 2, 3, 4][..], "1-4"), (&[1, 2, 4, 6, 7, 9], "1-2,4,6-7,9"), (&[3], "3")]
        {
            assert_eq!(ranges(numbers), text);
        }
    }
}
