//! The data of the player in a report: jobs and their nodes in a window of time, the strip of
//! the queue and the busy nodes, and the blocks of an allocator.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::escape;
use meshreplay_alloc::allocator::{self, Block, Setup};
use meshreplay_base::spec::Spec;
use meshreplay_figures::{Clock, Span};
use meshreplay_machine::machine::Mesh;
use meshreplay_results::frame::{Down, PlacedJob};
use meshreplay_sim::metrics::JobRow;

/// A replay and its jobs, sorted by start.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayData {
    /// The name of the replay.
    pub name: String,
    /// Its colour in the player and in the strip, which is also the colour of its curves in a figure of the
    /// same replays.
    pub colour: &'static str,
    /// Its queue and its busy nodes over the window of time.
    pub strip: Strip,
    /// The number of nodes of the machine along x, y and z.
    pub extents: [u32; 3],
    /// Whether each of these dimensions wraps around.
    pub wraps: [bool; 3],
    /// Nodes of a group of a tree of switches by height; `None` for other machines. Rows are leaves.
    pub levels: Option<Vec<u32>>,
    /// The blocks of its allocator; `None` if it has none.
    pub blocks: Option<BlockTree>,
    /// The nodes that no job can have: the first and the last node of each run of consecutive nodes.
    pub unavailable: Vec<(u32, u32)>,
    /// Outages of nodes.
    pub down: Vec<Down>,
    /// The jobs, and killed runs.
    pub jobs: Vec<PlacedJob>,
}

/// The replays that the player shows side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerData {
    /// The start and the end of the window of time, in seconds.
    pub window_s: Span,
    /// The date of time 0; `None` if it is unknown.
    pub clock: Option<Clock>,
    /// A sentence on the jobs that are shown, for the line above the player.
    pub note: String,
    /// The replays from left to right.
    pub replays: Vec<ReplayData>,
}

impl PlayerData {
    /// Returns the data as JSON for a script element. A job is a list of its number, its times (rounded to
    /// milliseconds), its processors, the first and last nodes of its runs of nodes, and 1 if it was killed.
    /// Unavailable nodes and outages are left out if there are none.
    pub(super) fn json(&self) -> String {
        let flat = |runs: &[(u32, u32)]| -> Vec<u32> {
            runs.iter().flat_map(|&(first, last)| [first, last]).collect()
        };
        let job = |job: &PlacedJob| {
            let [submit, start, end] = job.row.times_s().map(rounded);
            let mut data =
                vec![json!(job.row.number), json!(submit), json!(start), json!(end), json!(job.row.procs)];
            data.push(json!(flat(&job.nodes)));
            data.extend(job.killed_in.map(|_| json!(1)));
            Value::Array(data)
        };
        // A node that does not come up is down until null.
        let down = |down: &Down| {
            let until = Some(rounded(down.until_s)).filter(|until| until.is_finite());
            json!([rounded(down.from_s), until, flat(&down.nodes)])
        };
        let replay = |replay: &ReplayData| {
            let mut data = json!({
                "colour": replay.colour,
                "extents": replay.extents,
                "wraps": replay.wraps,
                "queue": replay.strip.queue,
                "busy": replay.strip.busy,
                "jobs": replay.jobs.iter().map(job).collect::<Vec<_>>(),
            });
            if let Some(levels) = &replay.levels {
                data["levels"] = json!(levels);
            }
            if !replay.unavailable.is_empty() {
                data["unavailable"] = flat(&replay.unavailable).into();
            }
            if let Some(BlockTree { tops, splits }) = &replay.blocks {
                data["blocks"] = json!({ "tops": tops, "splits": splits });
            }
            if !replay.down.is_empty() {
                data["down"] = replay.down.iter().map(down).collect();
            }
            data
        };
        let replays: Vec<Value> = self.replays.iter().map(replay).collect();
        let Span { low, high } = self.window_s;
        let mut data = json!({ "from": low, "to": high, "replays": replays });
        if let Some(clock) = &self.clock {
            data["unix"] = clock.unix_s.into();
            data["zone"] = clock.zone_name.as_str().into();
        }
        escape::json(&data.to_string())
    }
}

/// Returns a time in seconds, rounded to milliseconds.
fn rounded(time_s: f64) -> f64 {
    (time_s * 1000.0).round() / 1000.0
}

/// The number of parts that the window is divided into.
const PARTS: usize = 480;

/// The queue and the busy nodes in equal parts of a window of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// The largest number of jobs that wait at once in each part.
    pub queue: Vec<u32>,
    /// The mean number of busy nodes in each part, in thousandths of the nodes that jobs can have.
    pub busy: Vec<u32>,
}

/// Builder of a [`Strip`]. Runs are added in any order.
pub(super) struct StripOfRuns {
    window_s: Span,
    nodes: f64,
    busy: Vec<f64>,
    /// The changes of the length of the queue: the time in seconds, and 1 or −1.
    changes: Vec<(f64, i32)>,
}

impl StripOfRuns {
    /// Returns the strip of no job for a window of time. `nodes` is the number of nodes that jobs can have.
    pub(super) fn new(window_s: Span, nodes: f64) -> Self {
        Self { window_s, nodes, busy: vec![0.0; PARTS], changes: Vec::new() }
    }

    fn part_s(&self) -> f64 {
        self.window_s.length() / PARTS as f64
    }

    /// Adds a run. `since_s` is the beginning of its wait in seconds: the arrival of the job, or the end of
    /// its killed run before. O(parts of the run).
    pub(super) fn add(&mut self, since_s: f64, run: &JobRow) {
        let (Span { low: from_s, high: to_s }, part_s) = (self.window_s, self.part_s());
        // A job that starts at once never waits.
        if run.start_s > since_s && since_s <= to_s && run.start_s > from_s {
            self.changes.extend([(since_s, 1), (run.start_s, -1)]);
        }
        let (start_s, end_s) = (run.start_s.max(from_s), run.end_s.min(to_s));
        if end_s <= start_s {
            return;
        }
        let filled = part_of(start_s - from_s, part_s)..=part_of(end_s - from_s, part_s);
        for (i, busy) in filled.clone().zip(&mut self.busy[filled]) {
            let (low_s, high_s) = (from_s + i as f64 * part_s, from_s + (i + 1) as f64 * part_s);
            *busy += f64::from(run.allocated) * (end_s.min(high_s) - start_s.max(low_s)).max(0.0);
        }
    }

    /// Returns the strip. O(C·log C + P) for C changes of the queue and P parts.
    pub(super) fn strip(mut self) -> Strip {
        let part_s = self.part_s();
        // Of the changes at one instant, starts come first, so that the queue is never too long in between.
        self.changes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let thousandths = |busy: f64| (1000.0 * busy / (self.nodes.max(1.0) * part_s)).round() as u32;
        Strip {
            queue: longest(&self.changes, self.window_s, part_s),
            busy: self.busy.into_iter().map(thousandths).collect(),
        }
    }
}

/// Returns the part that contains a time, counted from the start of the window.
fn part_of(time_s: f64, part_s: f64) -> usize {
    ((time_s / part_s).max(0.0) as usize).min(PARTS - 1)
}

/// Returns the longest queue in each part, from the changes of its length in the order of time.
fn longest(changes: &[(f64, i32)], window_s: Span, part_s: f64) -> Vec<u32> {
    let mut queue = vec![0; PARTS];
    let (mut length, mut part) = (0_i32, 0);
    for &(time_s, change) in changes.iter().filter(|(time_s, _)| *time_s <= window_s.high) {
        let now = part_of(time_s - window_s.low, part_s);
        if time_s > window_s.low {
            // The queue keeps its length until now.
            for longest in &mut queue[part..=now] {
                *longest = length.max(*longest);
            }
            part = now;
        }
        length += change;
        queue[part] = length.max(queue[part]);
    }
    for longest in &mut queue[part..] {
        *longest = length.max(*longest);
    }
    queue.into_iter().map(|longest| longest.max(0) as u32).collect()
}

/// The hierarchy of blocks of an allocator on a machine. All blocks of a size split in the same way, so the
/// hierarchy follows from its top-level blocks and one rule for each size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockTree {
    /// The base and the sizes of each top-level block.
    pub tops: Vec<[u32; 6]>,
    /// The sizes of a block and the sizes of its parts, for each size that splits.
    pub splits: Vec<[u32; 6]>,
}

/// Returns six numbers in one list.
fn joined(first: [u32; 3], second: [u32; 3]) -> [u32; 6] {
    let mut both = [0; 6];
    both[..3].copy_from_slice(&first);
    both[3..].copy_from_slice(&second);
    both
}

impl BlockTree {
    /// Returns the blocks of the allocator `spec` on `mesh`; `None` if it has no blocks that split, is not
    /// registered, or cannot serve the machine.
    pub(super) fn from_spec(spec: &str, mesh: &Mesh) -> Option<Self> {
        let spec: Spec = spec.parse().ok()?;
        let built = allocator::build(&spec, &Setup::new(mesh, 0)).ok()?;
        Self::from_blocks(&built.strategy.blocks?(mesh))
    }

    /// Returns the short form of all blocks of a hierarchy; `None` if two blocks of a size split differently.
    fn from_blocks(blocks: &[Block]) -> Option<Self> {
        let (mut tops, mut splits) = (Vec::new(), BTreeMap::new());
        for block in blocks {
            match block.parent.and_then(|parent| blocks.get(parent as usize)) {
                None => tops.push(joined(block.base, block.sizes)),
                Some(parent) => {
                    let parts = splits.entry(parent.sizes).or_insert(block.sizes);
                    if *parts != block.sizes {
                        return None;
                    }
                }
            }
        }
        let splits = splits.into_iter().map(|(whole, parts)| joined(whole, parts)).collect();
        Some(Self { tops, splits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_alloc::allocator::ALLOCATORS;

    #[test]
    fn strips_are_those_of_a_plain_count() {
        // Times from a multiplicative sequence; the window begins and ends amid jobs.
        let number = |i: u64, most: u64| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64 % most as f64;
        let runs: Vec<JobRow> = (1..400)
            .map(|i| {
                let submit_s = number(i, 1000);
                let start_s = submit_s + if i % 3 == 0 { 0.0 } else { number(i + 1000, 60) };
                let end_s = start_s + 1.0 + number(i + 2000, 90);
                let allocated = 1 + number(i, 4) as u32;
                JobRow { submit_s, start_s, end_s, allocated, ..JobRow::default() }
            })
            .collect();
        let (from_s, to_s) = (100.0, 580.0);
        let mut strip = StripOfRuns::new(Span::new(from_s, to_s), 64.0);
        for run in &runs {
            strip.add(run.submit_s, run);
        }
        let strip = strip.strip();
        assert_eq!((strip.queue.len(), strip.busy.len()), (PARTS, PARTS));
        // Times and parts are whole seconds, so changes happen only at the beginning of a part, where the
        // queue still has the length of the second before, except in the first part.
        for part in 0..PARTS {
            let second = from_s + part as f64;
            let waiting = |at: f64| runs.iter().filter(|run| run.submit_s <= at && at < run.start_s).count();
            let before = if part == 0 { 0 } else { waiting(second - 0.5) };
            let ends = part + 1 == PARTS;
            let last = if ends { waiting(to_s) } else { 0 };
            assert_eq!(strip.queue[part] as usize, waiting(second + 0.5).max(before).max(last), "{part}");
            let busy: f64 = runs
                .iter()
                .filter(|run| run.start_s <= second && second < run.end_s)
                .map(|run| f64::from(run.allocated))
                .sum();
            assert_eq!(strip.busy[part], (1000.0 * busy / 64.0).round() as u32, "{part}");
        }
    }

    /// Adds a block and all blocks below it, as the page's script takes them apart.
    fn unfold(tree: &BlockTree, base: [u32; 3], sizes: [u32; 3], found: &mut Vec<[u32; 6]>) {
        found.push(joined(base, sizes));
        let Some(split) = tree.splits.iter().find(|split| split[..3] == sizes) else { return };
        let parts = [split[3], split[4], split[5]];
        let steps = |d: usize| (base[d]..base[d] + sizes[d]).step_by(parts[d] as usize);
        for z in steps(2) {
            for y in steps(1) {
                for x in steps(0) {
                    unfold(tree, [x, y, z], parts, found);
                }
            }
        }
    }

    #[test]
    fn every_hierarchy_follows_from_its_short_form() -> Result<(), Box<dyn std::error::Error>> {
        let mut count = 0;
        for machine in ["16x16", "16x15", "7x5", "8x8x8", "5x6x7", "torus:8x8", "13"] {
            let mesh: Mesh = machine.parse()?;
            for entry in ALLOCATORS {
                let Ok(built) = allocator::build(&Spec::named(entry.name), &Setup::new(&mesh, 0)) else {
                    continue;
                };
                let Some(blocks) = built.strategy.blocks.map(|blocks| blocks(&mesh)) else { continue };
                let tree = BlockTree::from_spec(entry.name, &mesh).ok_or("no short form")?;
                let mut found = Vec::new();
                for &top in &tree.tops {
                    unfold(&tree, [top[0], top[1], top[2]], [top[3], top[4], top[5]], &mut found);
                }
                let mut expected: Vec<_> =
                    blocks.iter().map(|block| joined(block.base, block.sizes)).collect();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{} on {machine}", entry.name);
                count += 1;
            }
        }
        assert!(count >= 10, "{count} hierarchies");
        assert_eq!(BlockTree::from_spec("mc1x1", &Mesh::new(&[4, 4])?), None);
        assert_eq!(BlockTree::from_spec("exec:true", &Mesh::new(&[4, 4])?), None);
        Ok(())
    }
}
