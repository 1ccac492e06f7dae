//! Who ran where in a window of time, for the player of a report.

use std::fmt::Write;

use super::escape;

/// A job of a replay.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduledJob {
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
pub struct ScheduledReplay {
    /// What it is called.
    pub name: String,
    /// The machine's extents along x, y and z.
    pub extents: [u32; 3],
    /// Its jobs.
    pub jobs: Vec<ScheduledJob>,
}

/// Replays side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The window of time.
    pub window_s: (f64, f64),
    /// What is left out, in words.
    pub note: String,
    /// The replays.
    pub replays: Vec<ScheduledReplay>,
}

impl Schedule {
    /// The data of the player, fit for a script element.
    pub(super) fn json(&self) -> String {
        let mut text = format!("{{\"from\":{},\"to\":{},\"replays\":[", self.window_s.0, self.window_s.1);
        for (i, replay) in self.replays.iter().enumerate() {
            let [w, l, d] = replay.extents;
            let comma = if i > 0 { "," } else { "" };
            // Writing to memory cannot fail.
            let _ = write!(text, "{comma}{{\"extents\":[{w},{l},{d}],\"jobs\":[");
            for (j, job) in replay.jobs.iter().enumerate() {
                let comma = if j > 0 { "," } else { "" };
                let [submit, start, end] = job.times_s.map(|time| (time * 1000.0).round() / 1000.0);
                let nodes: Vec<String> =
                    job.nodes.iter().map(|(first, last)| format!("{first},{last}")).collect();
                let (number, procs, nodes) = (job.number, job.procs, nodes.join(","));
                let _ = write!(text, "{comma}[{number},{submit},{start},{end},{procs},[{nodes}]]");
            }
            text += "]}";
        }
        escape::json(&(text + "]}"))
    }
}
