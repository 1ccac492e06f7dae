//! The commands that run with faults.

use std::fs;
use std::path::Path;

use meshreplay::cli::embedded;
use meshreplay::frame::{FileFormat, RunPlace, RunResults};
use meshreplay::study::{Options, Study};

use crate::streams;
use crate::support::{Tested, bundled};

/// A command that writes results into `out`, in the working directory.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    /// Prepares the directory.
    pub(super) before: fn(&Path) -> Tested,
    /// Runs the command. Returns whether it ends well.
    pub(super) command: fn(&Path) -> bool,
    /// Endings of file names that may contain only a part of the replays.
    pub(super) parts: &'static [&'static str],
}

/// Files of an unfinished study.
const OF_A_STUDY: &[&str] = &["unfinished.json", "summary.parquet", "summary.csv", ".failed.txt"];

/// Runs a command in this process. Returns whether it ends well.
fn ends_well(words: &str) -> bool {
    let program = env!("CARGO_BIN_EXE_meshreplay").into();
    embedded::run(program, words.split(' ').map(Into::into)) == 0
}

/// Runs a command that must end well.
fn made(words: &str) -> Tested {
    if ends_well(words) { Ok(()) } else { Err(words.into()) }
}

/// Puts a log and a study of two cells into the working directory.
fn inputs(at: &Path) -> Tested {
    fs::copy(bundled("tiny.swf"), at.join("tiny.swf"))?;
    let study = "logs = ['tiny.swf']\nmachines = ['4x4']\nallocators = ['naive', 'random']\n";
    Ok(fs::write(at.join("study.toml"), study)?)
}

const REPLAY: &str = "replay tiny.swf -m 4x4 -a naive mbs --no-timing --threads 1 -q -o out";

/// Replays a log with at most 20 jobs in memory. Returns whether that ends well.
fn streamed(at: &Path) -> bool {
    let run = || -> Result<bool, Box<dyn std::error::Error>> {
        let study = Study::read(
            &at.join("study.toml"),
            Options { jobs: true, placements: true, ..Options::default() },
        )?;
        let study = Study { most_kept: 20, ..study };
        let mut results = RunResults::open(
            &study,
            Some(RunPlace { path: &at.join("out"), format: FileFormat::Parquet, force: false }),
        )?;
        let errors = streams::replayed(&study, &mut results, 1)?;
        results.finish()?;
        Ok(errors.is_empty())
    };
    run().unwrap_or(false)
}

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "sweep",
        before: inputs,
        command: |_| ends_well("sweep study.toml -o out --no-timing --jobs --threads 1 -q"),
        parts: OF_A_STUDY,
    },
    Scenario {
        name: "sweep into a new directory",
        before: |at| {
            fs::remove_dir(at.join("out"))?;
            inputs(at)
        },
        command: |_| ends_well("sweep study.toml -o out --no-timing --threads 1 -q"),
        parts: OF_A_STUDY,
    },
    Scenario {
        name: "last shard",
        before: |at| {
            inputs(at)?;
            made("sweep study.toml -o out --no-timing --jobs --threads 1 -q --shard 1/2")
        },
        command: |_| ends_well("sweep study.toml -o out --no-timing --jobs --threads 1 -q --shard 2/2"),
        parts: OF_A_STUDY,
    },
    Scenario {
        name: "merge",
        before: |at| {
            inputs(at)?;
            made("sweep study.toml -o part --no-timing --jobs --tidy --threads 1 -q")
        },
        command: |_| ends_well("merge part -o out --tidy -q"),
        parts: OF_A_STUDY,
    },
    Scenario { name: "replay", before: inputs, command: |_| ends_well(REPLAY), parts: &[] },
    Scenario {
        name: "replay over others",
        before: |at| {
            inputs(at)?;
            made("replay tiny.swf -m 4x4 -a random --no-timing --format csv -q -o out")
        },
        command: |_| {
            ends_well(
                "replay tiny.swf -m 4x4 -a naive mbs --no-timing --threads 1 -q -o out --force --tidy \
                     --placements",
            )
        },
        parts: &[],
    },
    Scenario {
        name: "stream",
        before: |at| {
            let study =
                "logs = ['log.swf']\nmachines = ['16x16']\nallocators = ['naive']\nschedulers = ['fcfs']\n";
            fs::write(at.join("study.toml"), study)?;
            made("trace generate --model lublin --jobs 60 --procs 256 --load 0.8 --force -o log.swf")
        },
        command: streamed,
        parts: &[],
    },
    Scenario {
        name: "streams",
        before: |at| {
            let study = "logs = ['log.swf']\nmachines = ['16x16']\nallocators = ['naive', 'mbs']\nschedulers \
                 = ['fcfs']\n";
            fs::write(at.join("study.toml"), study)?;
            made("trace generate --model lublin --jobs 60 --procs 256 --load 0.8 --force -o log.swf")
        },
        command: streamed,
        parts: &["jobs.parquet", "summary.parquet"],
    },
    Scenario {
        name: "convert",
        before: inputs,
        command: |_| ends_well("trace convert tiny.swf out/log.swf.gz --force"),
        parts: &[],
    },
    Scenario {
        name: "convert over another",
        before: |at| {
            inputs(at)?;
            fs::write(at.join("out/log.swf"), "precious")?;
            Ok(())
        },
        command: |_| ends_well("trace convert tiny.swf out/log.swf --force"),
        parts: &[],
    },
    Scenario {
        name: "report",
        before: |at| {
            inputs(at)?;
            made(REPLAY)
        },
        command: |_| ends_well("report out -q"),
        parts: &[],
    },
    Scenario {
        name: "plot",
        before: |at| {
            inputs(at)?;
            made(REPLAY)
        },
        command: |_| ends_well("plot out -k utilization -q"),
        parts: &[],
    },
    Scenario {
        name: "export",
        before: |at| {
            inputs(at)?;
            made(REPLAY)
        },
        command: |_| ends_well("export out --to swf --replay 0 --force -o out/schedule.swf"),
        parts: &[],
    },
];
