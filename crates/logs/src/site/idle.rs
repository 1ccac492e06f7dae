//! Maintenance: nothing runs although jobs wait. Each of these jobs fits the machine, because it ran later.

use crate::nodes::RecordedRun;

/// The shortest such time in seconds, and how long before its end a job must have been submitted.
const SHORTEST_S: i64 = 6 * 3600;
const WAITING_S: i64 = 600;

/// Returns the beginning and the end of each maintenance of 6 h or more, in order. Runs must be sorted by
/// start, in seconds; runs with unknown times do not count. O(n) for n runs.
pub(crate) fn idle_spans(runs: &[RecordedRun]) -> Vec<[i64; 2]> {
    let lasting: Vec<&RecordedRun> =
        runs.iter().filter(|run| run.is_known() && run.start < run.end).collect();
    // The earliest submission of this run and all later ones.
    let least = |least: &mut i64, run: &&RecordedRun| {
        *least = run.submit.min(*least);
        Some(*least)
    };
    let mut earliest: Vec<i64> =
        lasting.iter().rev().scan(i64::MAX, |state, run| least(state, run)).collect();
    earliest.reverse();
    let (mut spans, mut until) = (Vec::new(), i64::MAX);
    for (run, &submit) in lasting.iter().zip(&earliest) {
        let is_long = run.start.saturating_sub(until) >= SHORTEST_S;
        if is_long && submit < run.start.saturating_sub(WAITING_S) {
            spans.push([until, run.start]);
        }
        until = if until == i64::MAX { run.end } else { until.max(run.end) };
    }
    spans
}
