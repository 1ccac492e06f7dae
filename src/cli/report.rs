//! `meshreplay report`: writes results as one HTML file.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::anyhow;

use super::embedded::unsuited_page;
use super::runner::drawing;
use super::{Failure, print, write_notes};
use crate::disk::Claim;
use crate::figure::{Clock, Results, TimeWindow, check_overwrite};
use crate::frame::{TEMPORARY, write_whole};
use crate::report::{Report, ReportOptions};

/// Put saved results into one HTML file: tables that sort, plots, verdicts, and the machine over time.
///
/// It reads what `replay -o`, `sweep -o` or `reproduce -o` wrote, and replays nothing. The report needs no
/// network and no other file. It shows the machine over time if the results have the nodes of the jobs
/// (`replay -o DIR --placements`, `sweep -o DIR --jobs --placements`).
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay LOG -m 16x8 -a hilbert+bf mc1x1 random -o out --placements
  meshreplay report out")]
pub(super) struct Args {
    /// Directory of results.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// File of the report; - is standard output [default: DIR/report.html].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Title of the report [default: the logs and machines].
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// Time of the player, FROM..TO in seconds of the replay or as dates of the log, such as
    /// 1996-09-23..1996-09-30.
    #[arg(
        long,
        value_name = "FROM..TO",
        value_parser = super::plot::drawing::window,
        allow_hyphen_values = true
    )]
    window: Option<TimeWindow>,

    /// Allocators in the player [default: the first four replays].
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    show: Vec<String>,

    /// Overwrite the file even if it is not a report of meshreplay.
    #[arg(long)]
    force: bool,

    /// Print no notes on standard error.
    #[arg(short, long)]
    quiet: bool,
}

/// Writes the report and prints the name of its file.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let path = args.output.clone().unwrap_or_else(|| args.folder.join("report.html"));
    let is_printed = path.as_os_str() == "-";
    if let Some(problem) = unsuited_page(&path) {
        return Err(Failure::Usage(anyhow!("-o {problem}")));
    }
    let _claim = if is_printed {
        None
    } else {
        check_overwrite(&path, args.force)?;
        Some(Claim::beside(&path)?)
    };
    let window_s = match &args.window {
        Some(window) => {
            let clock = Results::read(&args.folder)
                .ok()
                .and_then(|results| Clock::from_results(&args.folder, &results));
            Some(window.seconds(clock.as_ref())?)
        }
        None => None,
    };
    let options = ReportOptions { title: args.title.clone(), window_s, show: args.show.clone() };
    let drawn = Arc::default();
    let line = drawing(args.quiet, &drawn);
    let made = Report::from_folder(&args.folder, &options, &drawn);
    line.finish_and_clear();
    let (report, notes) = made?;
    write_notes(args.quiet, &notes);
    if is_printed {
        return print(&report.html());
    }
    write_whole(&path, report.html().as_bytes(), TEMPORARY)?;
    print(&format!("{}\n", path.display()))
}
