//! The data of the player in a report: jobs and their nodes in a window of time.

use serde_json::{Value, json};

use super::super::escape;
use super::blocks::BlockTree;
use super::strip::Strip;
use meshreplay_figures::{Clock, Span};
use meshreplay_results::frame::{Down, PlacedJob};

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
