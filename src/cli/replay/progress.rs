//! Progress on standard error, on a terminal only.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use crate::allocator;
use crate::metrics::Monitor;
use crate::render::grouped;
use crate::study::Cell;

const WAITING: u8 = 0;
const RUNNING: u8 = 1;
const ENDED: u8 = 2;

/// What the replaying threads and the one that shows progress share.
pub(super) struct Running {
    pub(super) monitors: Vec<Monitor>,
    pub(super) stopped: AtomicBool,
    states: Vec<AtomicU8>,
}

impl Running {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            monitors: (0..cells).map(|_| Monitor::default()).collect(),
            stopped: AtomicBool::new(false),
            states: (0..cells).map(|_| AtomicU8::new(WAITING)).collect(),
        }
    }

    pub(super) fn monitor(&self, cell: usize) -> &Monitor {
        &self.monitors[cell]
    }

    pub(super) fn begin(&self, cell: usize) {
        self.states[cell].store(RUNNING, Ordering::Relaxed);
    }

    pub(super) fn end(&self, cell: usize) {
        self.states[cell].store(ENDED, Ordering::Relaxed);
    }
}

/// One line for the whole, one for each running replay.
pub(super) struct Progress {
    lines: Option<Lines>,
}

struct Lines {
    all: MultiProgress,
    total: ProgressBar,
    cells: Vec<(String, u64)>,
    bars: Vec<Option<ProgressBar>>,
}

impl Progress {
    pub(super) fn new(quiet: bool, cells: &[Cell]) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self { lines: None };
        }
        let all = MultiProgress::new();
        let jobs = cells.iter().map(|cell| cell.jobs.len() as u64).sum();
        let total = all.add(ProgressBar::new(jobs));
        total.set_style(style("{percent:>3}% {wide_bar} {rate} jobs/s, {eta} left"));
        let name =
            |cell: &Cell| format!("{} {} {}", cell.log, cell.machine, allocator::short(&cell.allocator));
        let cells: Vec<_> = cells.iter().map(|cell| (name(cell), cell.jobs.len() as u64)).collect();
        let bars = cells.iter().map(|_| None).collect();
        Self { lines: Some(Lines { all, total, cells, bars }) }
    }

    /// Shows where the replays are.
    pub(super) fn update(&mut self, running: &Running) {
        let Some(lines) = &mut self.lines else { return };
        let mut finished = 0;
        for (i, (name, jobs)) in lines.cells.iter().enumerate() {
            match running.states[i].load(Ordering::Relaxed) {
                WAITING => {}
                RUNNING => {
                    let done = running.monitors[i].finished.load(Ordering::Relaxed) as u64;
                    finished += done;
                    let bar = lines.bars[i].get_or_insert_with(|| {
                        let bar = lines.all.add(ProgressBar::new(*jobs));
                        bar.set_style(style("  {percent:>3}% {msg} ({rate} jobs/s)"));
                        bar.set_message(name.clone());
                        bar
                    });
                    bar.set_position(done);
                }
                _ => {
                    finished += jobs;
                    if let Some(bar) = &lines.bars[i] {
                        bar.finish_and_clear();
                    }
                }
            }
        }
        lines.total.set_position(finished);
    }

    /// Takes the lines away.
    pub(super) fn finish(&mut self) {
        if let Some(lines) = &self.lines {
            lines.bars.iter().flatten().for_each(ProgressBar::finish_and_clear);
            lines.total.finish_and_clear();
        }
    }
}

/// The templates are constants, so a wrong one shows at once and never depends on input.
fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let rate = |state: &ProgressState, out: &mut dyn Write| {
        // Nobody misses a number that cannot be written to a line of text.
        let _ = out.write_str(&grouped(state.per_sec(), 0));
    };
    style.with_key("rate", rate)
}
