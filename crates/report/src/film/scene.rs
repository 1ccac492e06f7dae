//! What a picture of a film says in words.

use super::super::page::{Played, PlayedReplay};

/// Returns whether a job runs at a time.
pub(super) fn runs([_, start_s, end_s]: [f64; 3], now_s: f64) -> bool {
    start_s <= now_s && now_s < end_s
}

/// Returns the number of nodes in some runs.
pub(super) fn count(runs: &[(u32, u32)]) -> u32 {
    runs.iter().map(|(first, last)| last - first + 1).sum()
}

/// Returns the line below a machine: how many jobs wait, at most in this part of the window, and how many of the nodes that
/// jobs can have are busy.
pub(super) fn state(replay: &PlayedReplay, played: &Played, time_s: f64) -> String {
    let nodes = replay.extents.iter().product::<u32>() - count(&replay.unavailable);
    let busy: u32 =
        replay.jobs.iter().filter(|job| runs(job.row.times_s(), time_s)).map(|job| count(&job.nodes)).sum();
    let (from_s, to_s) = played.window_s;
    let parts = replay.strip.queue.len();
    let part = ((time_s - from_s) / (to_s - from_s) * parts as f64).max(0.0) as usize;
    let waiting = replay.strip.queue.get(part.min(parts.saturating_sub(1))).copied().unwrap_or(0);
    let share = if nodes > 0 { 100.0 * f64::from(busy) / f64::from(nodes) } else { 0.0 };
    // What is known of the queue is the longest one in a part of the window.
    let most = if waiting > 0 { "up to " } else { "" };
    format!("{most}{waiting} waiting, {share:.0} % busy")
}

/// Returns the time as a date, or as days and hours since the log began.
pub(super) fn clock(played: &Played, time_s: f64) -> String {
    let date = played.clock.as_ref().and_then(|clock| clock.date(time_s));
    date.unwrap_or_else(|| {
        let seconds = time_s.floor() as i64;
        let (day, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        format!("day {day}, {:02}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
    })
}
