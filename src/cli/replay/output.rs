//! What a replay leaves behind: rows on standard output, files in a directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::args::{Args, Format};
use super::chosen;
use super::input::Input;
use super::rows::{Shown, rows_table, table};
use crate::frame::{self, FrameFile, RUN_FILE, STUDY_FILE, Sheet, TEMPORARY, result_files};
use crate::study::{Cell, JobSource, Outcome, Plan};

/// The resolved run: everything that results depend on.
#[derive(Serialize)]
struct Run {
    version: &'static str,
    logs: Vec<RunLog>,
    rules: String,
    #[serde(flatten)]
    plan: Plan,
    replays: Vec<RunReplay>,
}

#[derive(Serialize)]
struct RunLog {
    name: String,
    sha256: String,
    records: u64,
    left_out: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct RunReplay {
    log: String,
    arrival_scale: f64,
    machine: String,
    scheduler: String,
    allocator: String,
    network: String,
    seed: u64,
    /// Not known beforehand of a workload model.
    skipped: Option<u64>,
}

/// The directory that takes the files.
struct Folder {
    path: PathBuf,
    /// It holds results of another run, which go when ours are whole.
    replaced: bool,
    jobs: FrameFile,
}

/// Where outcomes go, in the order of the cells.
pub(super) struct Output<'a> {
    args: &'a Args,
    cells: &'a [Cell],
    plan: Plan,
    run: String,
    folder: Option<Folder>,
    /// Replications that came before their turn; `None` for a replay that failed.
    early: BTreeMap<usize, Option<Vec<Outcome>>>,
    next: usize,
    /// What the summary needs of each replay so far: its replications without their jobs.
    rows: Vec<(u32, Vec<Outcome>)>,
}

impl<'a> Output<'a> {
    /// Prepares the output directory before anything is replayed, so that a wrong one fails at once.
    pub(super) fn open(args: &'a Args, logs: &[Input], cells: &'a [Cell], plan: Plan) -> Result<Self> {
        let run = serde_json::to_string_pretty(&describe(args, logs, cells, &plan))? + "\n";
        let folder = match &args.output {
            None => None,
            Some(path) => {
                let replaced = prepare(path, &run, args.force)?;
                let jobs = FrameFile::create(path, "jobs", args.file_format(), &run)?;
                Some(Folder { path: path.clone(), replaced, jobs })
            }
        };
        Ok(Self { args, cells, plan, run, folder, early: BTreeMap::new(), next: 0, rows: Vec::new() })
    }

    /// Takes the replications of replay `number`, or the news that it failed, and writes what is next in order.
    pub(super) fn add(&mut self, number: usize, outcomes: Option<Vec<Outcome>>) -> Result<()> {
        self.early.insert(number, outcomes);
        while let Some(outcomes) = self.early.remove(&self.next) {
            self.write(self.next, outcomes)?;
            self.next += 1;
        }
        Ok(())
    }

    fn write(&mut self, number: usize, outcomes: Option<Vec<Outcome>>) -> Result<()> {
        let Some(mut outcomes) = outcomes else { return Ok(()) };
        let replay = u32::try_from(number)?;
        for outcome in &mut outcomes {
            if let Some(folder) = &mut self.folder {
                let jobs = frame::jobs(replay, outcome, &self.plan)?;
                folder.jobs.append(&mut frame::marked(jobs, &self.run)?)?;
            }
            outcome.strip();
        }
        self.rows.push((replay, outcomes));
        Ok(())
    }

    /// Writes what is left, the summary and the resolved run; prints the summary.
    pub(super) fn finish(mut self) -> Result<()> {
        for (number, outcomes) in std::mem::take(&mut self.early) {
            self.write(number, outcomes)?;
        }
        let cell = |number: u32| &self.cells[number as usize];
        let rows: Vec<(u32, &Cell, &Outcome)> = self
            .rows
            .iter()
            .flat_map(|(number, outcomes)| {
                outcomes.iter().map(move |outcome| (*number, cell(*number), outcome))
            })
            .collect();
        let replays: Vec<(&Cell, &[Outcome])> =
            self.rows.iter().map(|(number, outcomes)| (cell(*number), outcomes.as_slice())).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let mut summary = frame::marked(frame::summary(&rows, &self.plan)?, &self.run)?;
        if let Some(Folder { path, replaced, jobs }) = self.folder {
            let mut file = FrameFile::create(&path, "summary", self.args.file_format(), &self.run)?;
            file.append(&mut summary)?;
            if replaced {
                clear(&path)?;
            }
            jobs.commit()?;
            file.commit()?;
            frame::write_whole(&path.join(RUN_FILE), self.run.as_bytes(), TEMPORARY)?;
        }
        let replications: Vec<usize> = replays.iter().map(|(_, outcomes)| outcomes.len()).collect();
        let chosen = chosen::columns(&self.args.columns, &Sheet::of_frame(&summary)?, &replications)?;
        let shown = Shown { replays, plan: &self.plan, chosen };
        let bytes = match self.args.format {
            // The files hold the bytes; a person is told what is in them.
            Format::Parquet | Format::Arrow if self.args.output.is_some() => table(&shown).into_bytes(),
            Format::Table => table(&shown).into_bytes(),
            Format::Markdown => rows_table(&shown).markdown().into_bytes(),
            Format::Latex => rows_table(&shown).latex(&["means over jobs".to_owned()]).into_bytes(),
            Format::Csv | Format::Json | Format::Jsonl | Format::Parquet | Format::Arrow => {
                let mut bytes = Vec::new();
                frame::write_to(&mut bytes, &mut summary, self.args.file_format(), &self.run)?;
                if self.args.format == Format::Json {
                    bytes.push(b'\n');
                }
                bytes
            }
        };
        let mut out = std::io::stdout();
        out.write_all(&bytes).and_then(|()| out.flush()).context("standard output cannot be written")
    }
}

fn describe(args: &Args, logs: &[Input], cells: &[Cell], plan: &Plan) -> Run {
    let log = |log: &Input| RunLog {
        name: log.name(),
        sha256: log.sha256(),
        records: log.records(),
        left_out: log.left_out(),
    };
    let replay = |cell: &Cell| RunReplay {
        log: cell.log.clone(),
        arrival_scale: cell.arrival_scale,
        machine: cell.machine.to_string(),
        scheduler: cell.scheduler.to_string(),
        allocator: cell.allocator.to_string(),
        network: cell.network.to_string(),
        seed: cell.seed,
        skipped: match &cell.source {
            JobSource::Recorded { skipped, .. } => Some(*skipped),
            JobSource::Drawn { .. } => None,
        },
    };
    Run {
        version: env!("CARGO_PKG_VERSION"),
        logs: logs.iter().map(log).collect(),
        rules: args.rules().to_string(),
        plan: plan.clone(),
        replays: cells.iter().map(replay).collect(),
    }
}

/// Makes the directory; refuses one that holds results of another run, unless forced. Whether it holds such.
fn prepare(folder: &Path, run: &str, force: bool) -> Result<bool> {
    if folder.exists() && !folder.is_dir() {
        bail!("{} is not a directory; give another one with -o", folder.display());
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    if let Some(study) = [STUDY_FILE, "cells"].map(|name| folder.join(name)).iter().find(|path| path.exists())
    {
        bail!("{} is of a study, which is not replaced; give another directory with -o", study.display());
    }
    let same = fs::read_to_string(folder.join(RUN_FILE)).is_ok_and(|existing| existing == run);
    let others = !same && result_files(folder).any(|file| file.exists());
    if others && !force {
        bail!("{} holds other results; --force replaces them, or give another directory", folder.display());
    }
    if let Some(odd) = result_files(folder).find(|file| file.is_dir()) {
        bail!("{} is a directory and cannot be replaced; give another one with -o", odd.display());
    }
    Ok(others)
}

/// Takes the results of another run away.
fn clear(folder: &Path) -> Result<()> {
    for file in result_files(folder) {
        match fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} cannot be replaced", file.display()));
            }
            _ => {}
        }
    }
    Ok(())
}
