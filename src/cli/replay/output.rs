//! What a replay leaves behind: rows on standard output, files in a directory.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;

use super::args::{Args, Format};
use crate::allocator;
use crate::frame::{self, FrameFile, TEMPORARY};
use crate::render::{Align, Table, duration_ns, grouped};
use crate::study::{Cell, LoadedLog, Outcome, Plan};

/// The resolved run: everything that results depend on.
#[derive(Serialize)]
struct Run<'a> {
    version: &'static str,
    logs: Vec<RunLog<'a>>,
    rules: String,
    trim_percent: Option<f64>,
    timed: bool,
    replays: Vec<RunReplay>,
}

#[derive(Serialize)]
struct RunLog<'a> {
    name: &'a str,
    sha256: &'a str,
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
    seed: u64,
    skipped: u64,
}

/// Name of the file that holds the resolved run.
const RUN_FILE: &str = "run.json";

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
    /// Outcomes that came before their turn; `None` for a replay that failed.
    early: BTreeMap<usize, Option<Outcome>>,
    next: usize,
    /// What the summary needs of each outcome so far: all but its jobs.
    rows: Vec<(u32, Outcome)>,
}

impl<'a> Output<'a> {
    /// Prepares the output directory before anything is replayed, so that a wrong one fails at once.
    pub(super) fn open(args: &'a Args, logs: &[LoadedLog], cells: &'a [Cell], plan: Plan) -> Result<Self> {
        let run = serde_json::to_string_pretty(&describe(args, logs, cells, plan))? + "\n";
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

    /// Takes the outcome of replay `number`, or the news that it failed, and writes what is next in order.
    pub(super) fn add(&mut self, number: usize, outcome: Option<Outcome>) -> Result<()> {
        self.early.insert(number, outcome);
        while let Some(outcome) = self.early.remove(&self.next) {
            self.write(self.next, outcome)?;
            self.next += 1;
        }
        Ok(())
    }

    fn write(&mut self, number: usize, outcome: Option<Outcome>) -> Result<()> {
        let Some(mut outcome) = outcome else { return Ok(()) };
        let replay = u32::try_from(number)?;
        if let Some(folder) = &mut self.folder {
            let mut jobs = frame::jobs(replay, &self.cells[number].jobs, &outcome, self.plan.timed)?;
            folder.jobs.append(&mut jobs)?;
        }
        outcome.records = Vec::new();
        outcome.recording.dispersal = Vec::new();
        outcome.recording.allocate_ns = Vec::new();
        self.rows.push((replay, outcome));
        Ok(())
    }

    /// Writes what is left, the summary and the resolved run; prints the summary.
    pub(super) fn finish(mut self) -> Result<()> {
        for (number, outcome) in std::mem::take(&mut self.early) {
            self.write(number, outcome)?;
        }
        let rows: Vec<(u32, &Cell, &Outcome)> = self
            .rows
            .iter()
            .map(|(number, outcome)| (*number, &self.cells[*number as usize], outcome))
            .collect();
        if rows.is_empty() {
            return Ok(());
        }
        let mut summary = frame::summary(&rows, &self.plan)?;
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
        let bytes = match self.args.format {
            // The files hold the bytes; a person is told what is in them.
            Format::Parquet if self.args.output.is_some() => table(&rows, self.plan.timed).into_bytes(),
            Format::Table => table(&rows, self.plan.timed).into_bytes(),
            Format::Markdown => rows_table(&rows, self.plan.timed).markdown().into_bytes(),
            Format::Csv | Format::Json | Format::Parquet => {
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

fn describe<'a>(args: &Args, logs: &'a [LoadedLog], cells: &[Cell], plan: Plan) -> Run<'a> {
    let log = |log: &'a LoadedLog| RunLog {
        name: &log.name,
        sha256: &log.summary.sha256,
        records: log.summary.records,
        left_out: log.workload.left_out.iter().map(|(reason, count)| (reason.words(), count)).collect(),
    };
    let replay = |cell: &Cell| RunReplay {
        log: cell.log.clone(),
        arrival_scale: cell.arrival_scale,
        machine: cell.machine.to_string(),
        scheduler: cell.scheduler.to_string(),
        allocator: cell.allocator.to_string(),
        seed: cell.seed,
        skipped: cell.skipped,
    };
    Run {
        version: env!("CARGO_PKG_VERSION"),
        logs: logs.iter().map(log).collect(),
        rules: args.rules().to_string(),
        trim_percent: plan.trim.percent,
        timed: plan.timed,
        replays: cells.iter().map(replay).collect(),
    }
}

/// Every file that results may lie in.
fn result_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let frames = ["jobs", "summary"].into_iter().flat_map(|stem| {
        ["parquet", "csv", "json"].into_iter().map(move |extension| format!("{stem}.{extension}"))
    });
    frames.chain([RUN_FILE.to_owned()]).map(|file| folder.join(file))
}

/// Makes the directory; refuses one that holds results of another run, unless forced. Whether it holds such.
fn prepare(folder: &Path, run: &str, force: bool) -> Result<bool> {
    if folder.exists() && !folder.is_dir() {
        bail!("{} is not a directory; give another one with -o", folder.display());
    }
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
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

/// The rows for a terminal; what all rows share stands in one line above.
fn table(rows: &[(u32, &Cell, &Outcome)], timed: bool) -> String {
    let mut table = rows_table(rows, timed);
    let shared = table.drop_constant(&["log", "machine", "scheduler", "scale", "seed", "jobs"]);
    let shared: Vec<String> = shared.iter().map(|(title, cell)| format!("{title} {cell}")).collect();
    if shared.is_empty() { table.text() } else { format!(" {}\n\n{}", shared.join(" · "), table.text()) }
}

fn rows_table(rows: &[(u32, &Cell, &Outcome)], timed: bool) -> Table {
    let left =
        ["log", "machine", "scheduler", "scale", "seed", "allocator"].map(|title| (title, Align::Left));
    let right = [
        "jobs",
        "utilization",
        "wait s",
        "slowdown",
        "pairwise sum",
        "pairwise mean",
        "components",
        "contiguous",
    ];
    let mut columns = left.to_vec();
    columns.extend(right.map(|title| (title, Align::Right)));
    if timed {
        columns.extend(["call p50", "call p99", "replay"].map(|title| (title, Align::Right)));
    } else {
        // Beside the times there is no room for it.
        columns.push(("to bound", Align::Right));
    }
    let mut table = Table::new(&columns);
    for (_, cell, outcome) in rows {
        let summary = &outcome.summary;
        let mut cells = vec![
            cell.log.clone(),
            cell.machine.to_string(),
            cell.scheduler.to_string(),
            cell.arrival_scale.to_string(),
            cell.seed.to_string(),
            allocator::short(&cell.allocator),
            grouped(summary.jobs as f64, 0),
            grouped(summary.utilization * 100.0, 1) + "%",
            grouped(summary.wait_s_mean, 0),
            grouped(summary.bounded_slowdown_mean, 1),
            grouped(summary.pairwise_sum_mean, 1),
            grouped(summary.pairwise_mean_mean, 3),
            grouped(summary.components_mean, 2),
            grouped(summary.contiguous_share * 100.0, 1) + "%",
        ];
        if timed {
            cells.push(duration_ns(summary.allocate.p50_ns));
            cells.push(duration_ns(summary.allocate.p99_ns));
            cells.push(format!("{:.3} s", outcome.wall_s));
        } else {
            cells.push(grouped(summary.pairwise_ratio_to_bound_mean, 3));
        }
        table.add(cells);
    }
    table
}
