//! Who ran where in a window of time, for the player of a report.

use serde_json::{Value, json};

use super::escape;

/// A job of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedJob {
    /// Its number in the log.
    pub number: i64,
    /// Arrival, start and end.
    pub times_s: [f64; 3],
    /// Processors that it asked for.
    pub procs: u32,
    /// First and last node of each run of nodes that it held.
    pub nodes: Vec<(u32, u32)>,
}

/// The jobs of one replay, by start.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedReplay {
    /// What it is called.
    pub name: String,
    /// The machine's extents along x, y and z.
    pub extents: [u32; 3],
    /// Its jobs.
    pub jobs: Vec<PlayedJob>,
}

/// Replays side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The window of time.
    pub window_s: (f64, f64),
    /// What is left out, in words.
    pub note: String,
    /// The replays.
    pub replays: Vec<PlayedReplay>,
}

impl Played {
    /// Returns the data of the player, fit for a script element. A job is its number, its times to the millisecond, its
    /// processors, and the ends of its runs of nodes one after the other.
    pub(super) fn json(&self) -> String {
        let job = |job: &PlayedJob| {
            let [submit, start, end] = job.times_s.map(|time| (time * 1000.0).round() / 1000.0);
            let nodes: Vec<u32> = job.nodes.iter().flat_map(|&(first, last)| [first, last]).collect();
            json!([job.number, submit, start, end, job.procs, nodes])
        };
        let replay = |replay: &PlayedReplay| json!({ "extents": replay.extents, "jobs": replay.jobs.iter().map(job).collect::<Vec<_>>() });
        let replays: Vec<Value> = self.replays.iter().map(replay).collect();
        let (from, to) = self.window_s;
        escape::json(&json!({ "from": from, "to": to, "replays": replays }).to_string())
    }
}
