//! Schedules that commands read: results of ours, logs with wait times, tables of Batsim.

use std::path::Path;

use anyhow::anyhow;

use super::Failure;
use crate::allocator::{self, Setup};
use crate::audit::{self, Schedule};
use crate::frame::{self, Selected, Selection, Sheet};
use crate::machine::Mesh;
use crate::spec::Spec;
use crate::trace::Format;

/// Which of the replays of a result is meant.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Which {
    /// Number of the replay, or of a study's cell, from 0, if the results are of several.
    #[arg(long, value_name = "N")]
    replay: Option<u32>,

    /// Seed of the replication, if there are several.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

impl Which {
    /// The same of another replay, if one is given.
    pub(super) fn or_replay(self, other: Option<u32>) -> Self {
        Self { replay: other.or(self.replay), ..self }
    }
}

/// A schedule, and what the summary beside it says of its replay.
pub(super) struct Input {
    pub(super) schedule: Schedule,
    pub(super) log: Option<String>,
    pub(super) machine: Option<Mesh>,
    pub(super) scheduler: Option<String>,
    pub(super) allocator: Option<String>,
}

impl Input {
    /// Reads a directory of `replay -o`, or a file: a log if its name says so, or else a table.
    pub(super) fn read(path: &Path, which: Which) -> Result<Self, Failure> {
        let nothing =
            |schedule| Self { schedule, log: None, machine: None, scheduler: None, allocator: None };
        if Format::of_path(path) == Some(Format::Swf) {
            return Ok(nothing(audit::read_swf(path)?));
        }
        let selection = Selection { replay: which.replay, seed: which.seed };
        let Selected { of, schedule, .. } = frame::read_schedule(path, selection)?;
        let mut input = nothing(schedule);
        if let (true, Some((replay, seed))) = (path.is_dir(), of) {
            input.describe(&Sheet::read(path)?, replay, seed);
        }
        Ok(input)
    }

    fn describe(&mut self, sheet: &Sheet, replay: u32, seed: u64) {
        let label = |name: &str, i: usize| sheet.column(name).map(|column| column.label(i));
        let same = |i: &usize| {
            label("replay", *i) == Some(replay.to_string()) && label("seed", *i) == Some(seed.to_string())
        };
        let Some(row) = (0..sheet.height()).find(same) else { return };
        self.log = label("log", row);
        self.machine = label("machine", row).and_then(|machine| machine.parse().ok());
        self.scheduler = label("scheduler", row);
        self.allocator = label("allocator", row);
    }

    /// Whether numbers of processors decide what can start, and whether jobs get as many as they ask for; both true where
    /// nobody knows. An allocator that moves jobs makes others wait for it.
    pub(super) fn counts_decide(&self, machine: &Mesh) -> (bool, bool) {
        let built = self.allocator.as_ref().and_then(|spec| {
            let spec: Spec = spec.parse().ok()?;
            let (entry, _) = allocator::find(&spec).ok()?;
            let (allocator, _) = allocator::build(&spec, &Setup { mesh: machine, seed: 0 }).ok()?;
            Some((entry.promises, allocator.rearranges()))
        });
        built.map_or((true, true), |(promises, moves)| (promises.complete && !moves, promises.exact))
    }

    /// The machine, as given or else as the results have it.
    pub(super) fn machine(&self, given: Option<&Mesh>, path: &Path) -> Result<Mesh, Failure> {
        given.or(self.machine.as_ref()).cloned().ok_or_else(|| {
            let path = path.display();
            Failure::Usage(anyhow!(
                "{path} does not say which machine it is of; give --machine, such as 16x8"
            ))
        })
    }
}
