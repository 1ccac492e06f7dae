//! Frames of details of replays, such as jobs and outages, read a part at a time. Pictures of single jobs
//! show the first seed of each replay.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::FigureError;
use super::results::Results;
use meshreplay_machine::machine::{Mesh, parse_intervals};
use meshreplay_results::frame::{
    Downtimes, FrameError, Intervals, JobColumns, Replication, SavedTable, read_downtimes,
};
use meshreplay_sim::metrics::JobRow;

/// Rows of one replication in a part of a frame.
pub(crate) struct SeedRows<'a> {
    /// The part.
    pub(crate) table: &'a SavedTable,
    /// The number of the replay.
    pub(crate) replay: u64,
    /// Whether the seed is the first one of the replay.
    pub(crate) is_first: bool,
    /// The positions of the rows.
    pub(crate) rows: Range<usize>,
}

/// Calls `visit` with the rows of the frame `detail` in `folder`, in order, one seed after another, with the
/// columns `names`. In a study it reads only replays that `wanted` accepts. Returns false if the frame was
/// not kept, or if it lacks a column of numbers or the texts of `nodes`.
pub(crate) fn visit_seeds<E: From<FrameError>>(
    folder: &Path,
    detail: &str,
    names: &[&str],
    wanted: &dyn Fn(u64) -> bool,
    visit: &mut dyn FnMut(SeedRows<'_>) -> Result<(), E>,
) -> Result<bool, E> {
    let mut has_all = true;
    let mut last: Option<(Replication, bool)> = None;
    let columns: Vec<&str> = names.iter().copied().chain(["seed"]).collect();
    let mut part = |table: &SavedTable| -> Result<(), E> {
        let is_there = |name: &&str| {
            let Some(column) = table.column(name) else { return false };
            // A part without rows has no texts.
            if *name == "nodes" {
                table.height() == 0 || column.numbers().is_none()
            } else {
                column.numbers().is_some()
            }
        };
        has_all &= names.iter().chain(&["replay"]).all(is_there);
        if !has_all {
            return Ok(());
        }
        for (key, rows) in table.replications() {
            let is_first = match last {
                Some((before, was_first)) if before == key => was_first,
                Some((before, _)) => before.replay != key.replay,
                None => true,
            };
            last = Some((key, is_first));
            visit(SeedRows { table, replay: key.replay, is_first, rows })?;
        }
        Ok(())
    };
    let is_kept = SavedTable::visit_details(folder, detail, &columns, wanted, &mut part)?;
    Ok(is_kept && has_all)
}

/// A job of one of several replays.
pub struct ShownJob<'a> {
    /// The position of its replay in the list of replays.
    pub position: usize,
    /// The job.
    pub row: JobRow,
    /// The nodes as text; empty if the column `nodes` was not requested.
    pub nodes: &'a str,
    /// The file of jobs.
    pub path: &'a Path,
}

impl ShownJob<'_> {
    /// Parses the nodes; `None` if the text has another form or names nodes outside `machine`.
    pub fn nodes_of(&self, machine: &Mesh) -> Option<Intervals> {
        parse_intervals(self.nodes).ok().filter(|runs| runs.iter().all(|(_, last)| *last < machine.nodes()))
    }
}

/// Calls `visit` with the jobs of the first seed of each replay in `replays`, in the order of the frame, with
/// the columns `names`. Returns false if the jobs were not kept or lack a column.
pub fn visit_shown_jobs<E: From<FrameError>>(
    folder: &Path,
    replays: &[u64],
    names: &[&str],
    visit: &mut dyn FnMut(ShownJob<'_>) -> Result<(), E>,
) -> Result<bool, E> {
    visit_seeds(folder, "jobs", names, &|replay| replays.contains(&replay), &mut |seed| {
        let position = replays.iter().position(|replay| *replay == seed.replay);
        let Some(position) = position.filter(|_| seed.is_first) else { return Ok(()) };
        let (table, jobs) = (seed.table, JobColumns::of(seed.table));
        let nodes = table.column("nodes");
        for i in seed.rows {
            let nodes = nodes.and_then(|nodes| nodes.text(i)).unwrap_or_default();
            visit(ShownJob { position, row: jobs.row(i), nodes, path: &table.path })?;
        }
        Ok(())
    })
}

/// Returns the outages of the first seed of each replay whose number `wanted` accepts, by number. A replay
/// without outages, or without saved outages, has no entry. Fails if a node is outside the machine.
pub fn downtimes(
    folder: &Path,
    results: &Results,
    wanted: &dyn Fn(u64) -> bool,
) -> Result<BTreeMap<u64, Downtimes>, FigureError> {
    let mut saved = read_downtimes(folder, wanted)?.unwrap_or_default();
    let mut all = BTreeMap::new();
    let mut seen: Option<u64> = None;
    for row in 0..results.table.height() {
        let Some(key) = results.table.replication(row) else { continue };
        let number = key.replay;
        // The rows of a replay are adjacent, and the first seed comes first.
        if seen.replace(number) == Some(number) {
            continue;
        }
        let Some(outages) = saved.remove(&key) else { continue };
        let machine = results.machine(row)?;
        if let Some(node) = outages.outside(machine.nodes()) {
            let path = folder.to_owned();
            let problem =
                format!("replay {number} had node {node} down, which machine {machine} does not have");
            return Err(FigureError::Damaged { path, problem });
        }
        all.insert(number, outages);
    }
    Ok(all)
}
