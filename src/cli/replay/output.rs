//! What a replay leaves behind: rows on standard output, files in a directory.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::{Context, Result};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::args::{Args, Format};
use super::chosen;
use super::folder::Folder;
use super::input::Input;
use super::rows::{Shown, rows_table, table};
use crate::frame::{self, FrameFile, Sheet};
use crate::study::{self, Coordinate, Options, Outcome, Replay, ReplaySpec};

/// The resolved run: everything that results depend on.
#[derive(Serialize)]
struct Run {
    version: &'static str,
    logs: Vec<RunLog>,
    rules: String,
    #[serde(flatten)]
    options: Options,
    replays: Vec<RunReplay>,
}

#[derive(Serialize)]
struct RunLog {
    name: String,
    sha256: String,
    records: u64,
    left_out: BTreeMap<&'static str, u64>,
}

/// A replay of the run: its coordinates but for the rules, which all replays share, and the SHA-256 of the files that the
/// allocator reads, by path.
struct RunReplay(Replay);

impl Serialize for RunReplay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Replay { spec, source } = &self.0;
        let mut map = serializer.serialize_map(None)?;
        for coordinate in Coordinate::listed().filter(|coordinate| coordinate.name != "rules") {
            let (name, value) = coordinate.json(spec);
            map.serialize_entry(name, &value)?;
            let files: BTreeMap<String, String> = match name {
                "allocator" => study::files(&spec.allocator).into_iter().collect(),
                _ => BTreeMap::new(),
            };
            if !files.is_empty() {
                map.serialize_entry("files", &files)?;
            }
        }
        // Not known beforehand of a workload model.
        map.serialize_entry("skipped", &source.skipped())?;
        map.end()
    }
}

/// What became of the outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// They were printed, and written where files are wanted.
    All,
    /// They were printed; the directory keeps what it holds of the same run, which is more.
    Earlier,
}

/// Where outcomes go, in the order of the cells.
pub(super) struct Output<'a> {
    args: &'a Args,
    cells: &'a [Replay],
    options: Options,
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
    pub(super) fn open(
        args: &'a Args,
        logs: &[Input],
        cells: &'a [Replay],
        options: Options,
    ) -> Result<Self> {
        let run = serde_json::to_string_pretty(&describe(args, logs, cells, &options))? + "\n";
        let folder = match &args.output {
            None => None,
            Some(path) => Some(Folder::open(path, cells, (&run, args.file_format()), args.force)?),
        };
        Ok(Self { args, cells, options, run, folder, early: BTreeMap::new(), next: 0, rows: Vec::new() })
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
                let jobs = frame::jobs(replay, outcome, &self.options)?;
                folder.jobs.append(&mut frame::marked(jobs, &self.run)?)?;
            }
            outcome.strip();
        }
        self.rows.push((replay, outcomes));
        Ok(())
    }

    /// Writes what is left, the summary and the resolved run; prints the summary.
    pub(super) fn finish(mut self) -> Result<Kept> {
        for (number, outcomes) in std::mem::take(&mut self.early) {
            self.write(number, outcomes)?;
        }
        let cell = |number: u32| &self.cells[number as usize];
        let rows: Vec<(u32, &ReplaySpec, &Outcome)> = self
            .rows
            .iter()
            .flat_map(|(number, outcomes)| {
                outcomes.iter().map(move |outcome| (*number, &cell(*number).spec, outcome))
            })
            .collect();
        let replays: Vec<(&Replay, &[Outcome])> =
            self.rows.iter().map(|(number, outcomes)| (cell(*number), outcomes.as_slice())).collect();
        if rows.is_empty() {
            return Ok(Kept::All);
        }
        let mut summary = frame::marked(frame::summary(&rows, &self.options)?, &self.run)?;
        let mut kept = Kept::All;
        if let (Some(folder), Some(path)) = (self.folder, &self.args.output) {
            let mut file = FrameFile::create(path, "summary", self.args.file_format(), &self.run)?;
            file.append(&mut summary)?;
            let finished = self.rows.iter().map(|(number, _)| u64::from(*number)).collect();
            if !folder.replace(&finished, file, &self.run)? {
                kept = Kept::Earlier;
            }
        }
        let replications: Vec<usize> = replays.iter().map(|(_, outcomes)| outcomes.len()).collect();
        let chosen = if self.args.columns.is_empty() {
            Vec::new()
        } else {
            chosen::columns(&self.args.columns, &Sheet::of_frame(&summary)?, &replications)?
        };
        let shown = Shown { replays, options: &self.options, chosen };
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
        out.write_all(&bytes).and_then(|()| out.flush()).context("standard output cannot be written")?;
        Ok(kept)
    }
}

fn describe(args: &Args, logs: &[Input], cells: &[Replay], options: &Options) -> Run {
    let log = |log: &Input| RunLog {
        name: log.name(),
        sha256: log.sha256(),
        records: log.records(),
        left_out: log.left_out(),
    };
    Run {
        version: env!("CARGO_PKG_VERSION"),
        logs: logs.iter().map(log).collect(),
        rules: args.rules().to_string(),
        options: options.clone(),
        replays: cells.iter().map(|cell| RunReplay(cell.clone())).collect(),
    }
}
