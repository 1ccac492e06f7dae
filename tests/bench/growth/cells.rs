//! Repeated measurements of one thing, and the growth of a row of them.

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
    /// Returns the cell as a table shows it.
    pub(crate) fn text(&self) -> String {
        let (mark, refused) =
            (if self.is_stopped { "> " } else { "" }, if self.is_refused { " r" } else { "" });
        format!("{mark}{}{refused}", duration(self.median_s))
    }
}

/// Returns a duration with three digits and its unit.
fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let decimals = usize::from(value < 9.95);
    format!("{value:.decimals$} {unit}")
}

/// Returns the texts of a row of cells, with nothing for those that were not measured.
pub(crate) fn texts(cells: &[Option<Cell>]) -> Vec<String> {
    cells.iter().map(|cell| cell.as_ref().map_or_else(String::new, Cell::text)).collect()
}

/// Returns the exponent of the times of cells over `sizes` of at least `from`, with two digits behind the
/// point. The text is empty if fewer than two cells were measured to the end.
pub(crate) fn exponent(sizes: &[f64], cells: &[Option<Cell>], from: f64) -> String {
    let known =
        |cell: &Option<Cell>| cell.filter(|cell| !cell.is_stopped).map(|cell| cell.median_s.max(1e-9).ln());
    let points: Vec<(f64, f64)> = sizes
        .iter()
        .zip(cells)
        .filter(|(size, _)| **size >= from)
        .filter_map(|(size, cell)| Some((size.ln(), known(cell)?)))
        .collect();
    if points.len() < 2 {
        return String::new();
    }
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
    let (mean_x, mean_y) = (mean(&|point| point.0), mean(&|point| point.1));
    let above = mean(&|point| (point.0 - mean_x) * (point.1 - mean_y));
    let below = mean(&|point| (point.0 - mean_x).powi(2));
    // Adding 0 makes a slope of −0.00 one of 0.00.
    format!("{:.2}", (above / below * 100.0).round() / 100.0 + 0.0)
}

/// Returns the largest spread of cells, as a share of the median.
pub(crate) fn spread(cells: &[Option<Cell>]) -> String {
    let shares = cells.iter().flatten().map(|cell| cell.spread_s / cell.median_s.max(1e-9));
    format!("{:.0} %", 100.0 * shares.fold(0.0, f64::max))
}
