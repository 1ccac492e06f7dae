//! Repeated measurements of one thing.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use meshreplay::stop::Stop;

/// The time of one thing, measured several times.
#[derive(Clone, Copy)]
pub(crate) struct Cell {
    /// The median in seconds.
    pub(crate) median_s: f64,
    /// Half the distance between the quartiles in seconds.
    spread_s: f64,
    /// Whether it took longer than the budget, and may have been stopped.
    pub(crate) is_stopped: bool,
    /// Whether the allocator refused the request.
    is_refused: bool,
}

/// The most measurements of a cell.
const MOST: usize = 101;
/// The time after which no more measurements are made, once there are five.
const ENOUGH: Duration = Duration::from_millis(200);

/// Measures `run` until its times are known well enough or the budget is spent. `run` returns whether it was
/// refused, and has to give up soon after `stop` is thrown.
pub(crate) fn measure(budget: Duration, stop: &Stop, mut run: impl FnMut() -> bool) -> Cell {
    let (done, waits) = mpsc::channel::<()>();
    let switch = stop.clone();
    let watch = thread::spawn(move || {
        if waits.recv_timeout(budget) == Err(mpsc::RecvTimeoutError::Timeout) {
            switch.throw();
        }
    });
    let (begin, mut times_s, mut is_refused) = (Instant::now(), Vec::new(), false);
    let is_stopped = loop {
        let since = Instant::now();
        is_refused |= run();
        let time = since.elapsed();
        // A measurement that was cut short counts only if there is no other.
        let is_cut_short = stop.is_thrown();
        let is_alone = times_s.is_empty();
        if !is_cut_short || is_alone {
            times_s.push(time.as_secs_f64());
        }
        let is_known = times_s.len() >= 5 && begin.elapsed() >= ENOUGH;
        if is_cut_short || is_known || times_s.len() == MOST || begin.elapsed() + time > budget {
            break is_cut_short && is_alone;
        }
    };
    // The receiver is gone if the time was up.
    let _ = done.send(());
    let _ = watch.join();
    times_s.sort_by(f64::total_cmp);
    let at = |share: f64| times_s[((times_s.len() - 1) as f64 * share).round() as usize];
    // A call that was told to stop gives nothing, which is no refusal.
    let is_refused = is_refused && !is_stopped;
    Cell { median_s: at(0.5), spread_s: (at(0.75) - at(0.25)) / 2.0, is_stopped, is_refused }
}

impl Cell {
    /// Returns the end of a CSV line: the median in seconds, half the distance between the quartiles, and the
    /// mark.
    pub(crate) fn csv(&self) -> String {
        let mark = match (self.is_stopped, self.is_refused) {
            (true, _) => "stopped",
            (_, true) => "refused",
            _ => "",
        };
        format!("{:.3e},{:.1e},{mark}", self.median_s, self.spread_s)
    }
}
