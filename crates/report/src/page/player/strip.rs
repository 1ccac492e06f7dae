//! The queue and the busy nodes of a replay over a window of time, for the strip below the player.

use meshreplay_figures::Span;
use meshreplay_sim::metrics::JobRow;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
