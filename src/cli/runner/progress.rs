//! Shows progress on standard error, if it is a terminal.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};

use crate::figure::PLOT_KINDS;
use crate::study::{Coordinate, Running, State, Study};
use crate::text::grouped;
use crate::trace::bytes_read;

/// The line that shows how far a whole command is.
const WHOLE: &str = "{percent:>3}% {wide_bar} {rate} jobs/s, {eta} left";

/// The coordinates in the names of all replays.
const NAMED: [&str; 4] = ["log", "machine", "scheduler", "allocator"];

/// The time before a rate is shown. In the first instants it means nothing.
const SETTLED: Duration = Duration::from_secs(1);

/// The time before a line on other work is shown.
const NOTICED: Duration = Duration::from_millis(500);

/// The display of progress: one line for all replays, and one for each running replay.
pub(super) struct Progress {
    lines: Option<Lines>,
}

/// The lines on the terminal.
struct Lines {
    all: MultiProgress,
    total: ProgressBar,
    replays: Vec<Line>,
}

/// A replay and its line on the terminal.
struct Line {
    /// The number of the replay.
    number: usize,
    /// The name of the replay.
    name: String,
    /// The number of jobs of the replay; the least number if replications may be added.
    jobs: u64,
    /// The progress bar; `None` until the replay starts.
    bar: Option<ProgressBar>,
}

impl Line {
    /// Returns the line of a replay, which `varying` coordinates tell apart from the others.
    fn new(study: &Study, varying: &[&Coordinate], number: usize) -> Self {
        let (spec, jobs) = (&study.cells[number].spec, study.cells[number].jobs);
        let name = varying.iter().map(|row| row.phrase(spec)).collect::<Vec<_>>().join(" ");
        Self { number, name, jobs: jobs * u64::from(study.options.replications.least()), bar: None }
    }
}

impl Progress {
    /// Returns the display for the replays of `study` with the numbers `cells`. It shows nothing if `quiet`,
    /// or if standard error is no terminal.
    pub(super) fn new(quiet: bool, study: &Study, cells: &[usize]) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self { lines: None };
        }
        let all = MultiProgress::new();
        let varies = |row: &&Coordinate| {
            let is_first =
                |cell: &usize| row.text(&study.cells[*cell].spec) == row.text(&study.cells[cells[0]].spec);
            NAMED.contains(&row.name) || !cells.iter().all(is_first)
        };
        let varying: Vec<&Coordinate> = Coordinate::by_place().into_iter().filter(varies).collect();
        let replays: Vec<Line> = cells.iter().map(|&number| Line::new(study, &varying, number)).collect();
        let total = all.add(ProgressBar::new(replays.iter().map(|line| line.jobs).sum()));
        total.set_style(style(WHOLE));
        Self { lines: Some(Lines { all, total, replays }) }
    }

    /// Updates the lines from the states of the replays.
    pub(super) fn update(&mut self, running: &Running) {
        let Some(Lines { all, total, replays }) = &mut self.lines else { return };
        let mut finished = 0;
        for Line { number, name, jobs, bar } in replays {
            match running.state(*number) {
                State::Waiting => {}
                State::Running => {
                    let done = running.monitor(*number).finished.load(Ordering::Relaxed) as u64;
                    finished += done;
                    let bar = bar.get_or_insert_with(|| {
                        let bar = all.add(ProgressBar::new(*jobs));
                        bar.set_style(style("  {percent:>3}% {msg} ({rate} jobs/s)"));
                        bar.set_message(name.clone());
                        bar
                    });
                    bar.set_position(done);
                }
                State::Ended => {
                    finished += *jobs;
                    if let Some(bar) = bar {
                        bar.finish_and_clear();
                    }
                }
            }
        }
        total.set_position(finished);
    }

    /// Calls `write`, which writes the results of a replay, with a line that says so if it takes long.
    pub(super) fn while_writing<T>(&self, number: usize, write: impl FnOnce() -> T) -> T {
        let Some(lines) = &self.lines else { return write() };
        let ended = lines.replays.iter().find(|line| line.number == number);
        ended.and_then(|line| line.bar.as_ref()).inspect(|bar| bar.finish_and_clear());
        let name = ended.map(|line| line.name.clone());
        let line = lines.all.add(ProgressBar::new_spinner());
        show_noticed(&line, move || format!("  writing {}", name.as_deref().unwrap_or("results")));
        let written = write();
        line.finish_and_clear();
        written
    }

    /// Calls `say`, which prints to the terminal, so that its text stands above the lines.
    pub(super) fn above(&self, say: impl FnOnce()) {
        match &self.lines {
            Some(lines) => lines.all.suspend(say),
            None => say(),
        }
    }

    /// Removes the lines.
    pub(super) fn finish(&mut self) {
        if let Some(Lines { total, replays, .. }) = &self.lines {
            replays.iter().filter_map(|line| line.bar.as_ref()).for_each(ProgressBar::finish_and_clear);
            total.finish_and_clear();
        }
    }
}

/// Returns the display of a command that makes this many jobs. It shows nothing if standard error is no
/// terminal.
pub(in crate::cli) fn counted(jobs: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(jobs);
    bar.set_style(style(WHOLE));
    bar
}

/// Returns the style of a progress bar. Templates are constants, so an invalid one would show in every run.
fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    let rate = |state: &ProgressState, out: &mut dyn Write| {
        let elapsed = state.elapsed();
        let per_s = state.pos() as f64 / elapsed.as_secs_f64();
        // A failed write of the number is ignored.
        let _ = out.write_str(&if elapsed < SETTLED { "…".to_owned() } else { grouped(per_s, 0) });
    };
    style.with_key("rate", rate)
}

/// Shows on a terminal that these logs are being read, and how many of their bytes, until the returned line
/// is cleared. Without logs, or with standard input, the size is unknown.
pub(in crate::cli) fn reading(quiet: bool, logs: &[PathBuf]) -> ProgressBar {
    let sizes = logs.iter().map(|log| log.metadata().ok().filter(std::fs::Metadata::is_file));
    let size: Option<u64> = sizes.map(|file| file.map(|file| file.len())).sum();
    let (size, before) = (size.filter(|size| *size > 0), bytes_read());
    busy(quiet, move || {
        let megabytes = |bytes: u64| grouped(bytes as f64 / 1e6, 0);
        let bytes = bytes_read().saturating_sub(before);
        let read = megabytes(bytes);
        // A log may be read twice.
        let of = size
            .filter(|size| bytes <= *size)
            .map(|size| format!(" of {}", megabytes(size)))
            .unwrap_or_default();
        format!("reading logs: {read}{of} MB")
    })
}

/// Shows on a terminal that files are being written, until the returned line is cleared.
pub(in crate::cli) fn writing(quiet: bool) -> ProgressBar {
    busy(quiet, || "writing results".to_owned())
}

/// Shows on a terminal how many kinds of figures of a report are drawn, until the returned line is cleared.
pub(in crate::cli) fn drawing(quiet: bool, drawn: &Arc<AtomicUsize>) -> ProgressBar {
    let drawn = Arc::clone(drawn);
    let text =
        move || format!("report: {} of {} kinds of figures", drawn.load(Ordering::Relaxed), PLOT_KINDS.len());
    busy(quiet, text)
}

/// Shows a text on a terminal once work takes longer than an instant.
fn busy(quiet: bool, text: impl Fn() -> String + Clone + Send + Sync + 'static) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    show_noticed(&bar, text);
    bar
}

/// Shows a text in the line of `bar` once it is there for longer than an instant.
fn show_noticed(bar: &ProgressBar, text: impl Fn() -> String + Clone + Send + Sync + 'static) {
    let text = move |state: &ProgressState, out: &mut dyn Write| {
        let _ = out.write_str(&if state.elapsed() < NOTICED { String::new() } else { text() });
    };
    bar.set_style(style("{text}").with_key("text", text));
    bar.enable_steady_tick(Duration::from_millis(200));
}
