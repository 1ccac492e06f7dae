//! `meshreplay trace validate`: what is wrong or odd in a log.

use std::fmt::Write;

use super::{Failure, Input};
use crate::cli::print;
use crate::trace::{self, Finding, Report, Severity, Tally};

/// Findings of a kind that are shown with their lines.
const SHOWN: usize = 20;

/// Reports everything that is wrong or odd in a log, with its line; fails if there is any error
///
/// An error is what would stop a replay or make it wrong; everything else is a warning. With --lenient, malformed
/// lines are warnings, because reading leniently skips them.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,

    /// Show every finding, not only the first 20 of each kind
    #[arg(long)]
    all: bool,
}

/// Validates the log and prints the findings.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let shown_max = if args.all { usize::MAX } else { SHOWN };
    let report = trace::validate(&args.input.log, args.input.options(), shown_max)?;
    print(&listing(&report))?;
    if report.count(Severity::Error) > 0 { Err(Failure::Reported) } else { Ok(()) }
}

fn listing(report: &Report) -> String {
    let path = report.summary.path.display().to_string();
    let mut text = String::new();
    for tally in &report.tallies {
        list(&path, tally, &mut text);
    }
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    // Writing to memory cannot fail.
    let _ =
        writeln!(text, "{path}: jobs: {}, errors: {errors}, warnings: {warnings}", report.summary.records);
    text
}

fn list(path: &str, tally: &Tally, text: &mut String) {
    let (title, count) = (tally.kind.title(), tally.count);
    let severity = match tally.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    for Finding { line, detail } in &tally.shown {
        let place = line.map_or_else(String::new, |line| format!(":{line}"));
        let separator = if detail.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "{path}{place}: {severity}: {title}{separator}{detail}");
    }
    if tally.shown.is_empty() {
        let times = if count > 1 { format!(": {count}") } else { String::new() };
        let _ = writeln!(text, "{path}: {severity}: {title}{times}");
    } else if (tally.shown.len() as u64) < count {
        let more = count - tally.shown.len() as u64;
        let _ = writeln!(text, "{path}: {severity}: {title}: … and {more} more (--all shows them)");
    }
}
