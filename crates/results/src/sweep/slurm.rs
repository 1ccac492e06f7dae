//! The value of the option `--submit`, such as `slurm:array=16,partition=batch`.

use std::str::FromStr;

use meshreplay_base::spec::{Params, Spec, SpecError, unknown};
use meshreplay_study::study::MAX_SHARDS;

/// The default number of shards of a study.
const DEFAULT_SHARDS: usize = 8;

/// The largest number of threads per shard.
const MAX_CPUS: usize = 4096;

const NAME: &str = "letters, digits and _ . @ + -, such as batch";

/// A function that returns whether a text is a valid value of a parameter.
type Check = fn(&str) -> bool;

/// The parameters that are passed to sbatch unchanged: the name, the accepted values in words, and the
/// function that checks a value.
const PASSED: &[(&str, &str, Check)] = &[
    ("account", NAME, is_name),
    ("mem", "a whole number, and K, M, G or T if it is not megabytes, such as 4G", is_memory),
    ("partition", NAME, is_name),
    ("qos", NAME, is_name),
    ("time", "M, M:S, H:M:S, D-H, D-H:M or D-H:M:S, such as 2:30:00", is_time),
];

/// The settings with which a study is submitted to Slurm.
#[derive(Clone, Debug)]
pub struct Slurm {
    /// The spec, as the user gave it.
    pub(super) spec: Spec,
    /// The largest number of shards. A study with fewer cells has fewer shards.
    pub(super) shards: usize,
    /// The number of threads per shard.
    pub(super) cpus: usize,
    /// The arguments that are passed to sbatch unchanged.
    pub(super) passed: Vec<String>,
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
            let value =
                params.take_if(key, String::new(), expected, |value| value.is_empty() || is_fine(value))?;
            passed.extend((!value.is_empty()).then(|| format!("--{key}={value}")));
        }
        let mut count = |key, default, most| {
            let expected = format!("a whole number from 1 to {most}");
            params.take_if(key, default, &expected, |count| (1..=most).contains(count))
        };
        let shards = count("array", DEFAULT_SHARDS, MAX_SHARDS)?;
        let cpus = count("cpus", 1, MAX_CPUS)?;
        params.finish()?;
        Ok(Self { spec, shards, cpus, passed })
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
}
