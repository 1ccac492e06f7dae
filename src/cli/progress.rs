//! Progress on standard error, on a terminal only.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use crate::study::{Running, State};
use crate::text::grouped;

/// One line for the whole, one for each running replay.
pub(super) struct Progress {
    lines: Option<Lines>,
}

struct Lines {
    all: MultiProgress,
    total: ProgressBar,
    cells: Vec<Line>,
    bars: Vec<Option<ProgressBar>>,
}

/// A cell that is to run: its number, what it is called, its jobs.
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) name: String,
    pub(super) jobs: u64,
}

impl Progress {
    pub(super) fn new(quiet: bool, cells: impl Iterator<Item = Line>) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self { lines: None };
        }
        let all = MultiProgress::new();
        let cells: Vec<Line> = cells.collect();
        let jobs = cells.iter().map(|cell| cell.jobs).sum();
        let total = all.add(ProgressBar::new(jobs));
        total.set_style(style("{percent:>3}% {wide_bar} {rate} jobs/s, {eta} left"));
        let bars = cells.iter().map(|_| None).collect();
        Self { lines: Some(Lines { all, total, cells, bars }) }
    }

    /// Shows where the replays are.
    pub(super) fn update(&mut self, running: &Running) {
        let Some(lines) = &mut self.lines else { return };
        let mut finished = 0;
        for (bar, Line { number, name, jobs }) in lines.bars.iter_mut().zip(&lines.cells) {
            match running.state(*number) {
                State::Waiting => {}
                State::Running => {
                    let done = running.monitor(*number).finished.load(Ordering::Relaxed) as u64;
                    finished += done;
                    let bar = bar.get_or_insert_with(|| {
                        let bar = lines.all.add(ProgressBar::new(*jobs));
                        bar.set_style(style("  {percent:>3}% {msg} ({rate} jobs/s)"));
                        bar.set_message(name.clone());
                        bar
                    });
                    bar.set_position(done);
                }
                State::Ended => {
                    finished += jobs;
                    if let Some(bar) = bar {
                        bar.finish_and_clear();
                    }
                }
            }
        }
        lines.total.set_position(finished);
    }

    /// Does `say`, which writes to the terminal, above the lines.
    pub(super) fn above(&self, say: impl FnOnce()) {
        match &self.lines {
            Some(lines) => lines.all.suspend(say),
            None => say(),
        }
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
