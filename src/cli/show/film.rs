//! `meshreplay show film`: makes a film of the machines over time.

use std::path::PathBuf;

use anyhow::{Result, bail};

use super::{Failure, print};
use crate::cli::plot::drawing::window;
use crate::disk::Claim;
use crate::figure::{Clock, Results, Window, check_overwrite};
use crate::frame::{TEMPORARY, write_whole};
use crate::report::{Film, FilmOptions, film_format};

/// Make a film of the machines over time, for slides: an animated GIF, or an SVG drawing that moves.
///
/// It shows the machines of saved results side by side, each job in a colour of its own, with the jobs that wait and the share
/// of busy nodes, the time, and how much of the film has passed. It repeats for ever, and its last picture stays for two
/// seconds. The results need the nodes of the jobs (`replay -o DIR --placements`, `sweep -o DIR --jobs --placements`). A
/// file has at most 5 MB.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay LOG -m 16x8 -a hilbert+bf mc1x1 random -o out --placements
  meshreplay show film out -o film.gif --show mc1x1 random --seconds 12")]
pub(super) struct Args {
    /// Directory of results.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// File of the film, whose extension says its format: .gif or .svg.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Time that is shown, FROM..TO in seconds of the replay or as dates of the log, such as 1996-09-23..1996-09-24. The default
    /// begins with the first start and ends where one of the replays has started 2,000 jobs, or with the jobs that take two
    /// megabytes.
    #[arg(long, value_name = "FROM..TO", value_parser = window, allow_hyphen_values = true)]
    window: Option<Window>,

    /// Allocators whose machines are shown side by side [default: those of the first four replays].
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    show: Vec<String>,

    /// Length of the film, 10 to 20 seconds. The speed follows from it and from the time that is shown.
    #[arg(long, value_name = "S", default_value = "14", value_parser = seconds)]
    seconds: f64,

    /// Overwrite the file even if it is not a picture of meshreplay.
    #[arg(long)]
    force: bool,
}

/// Returns the length of a film in an argument.
fn seconds(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(value) if (10.0..=20.0).contains(&value) => Ok(value),
        _ => bail!("expected a number of seconds from 10 to 20"),
    }
}

/// Writes the film and prints the name of its file.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let format = film_format(&args.output)?;
    check_overwrite(&args.output, args.force)?;
    let _claim = Claim::beside(&args.output)?;
    let window_s = match &args.window {
        Some(window) => {
            let clock = Clock::of(&args.folder, &Results::read(&args.folder)?);
            Some(window.seconds(clock.as_ref())?)
        }
        None => None,
    };
    let options = FilmOptions { window_s, show: args.show.clone(), length_s: args.seconds };
    let film = Film::of(&args.folder, &options)?;
    write_whole(&args.output, &(format.write)(&film)?, TEMPORARY)?;
    print(&format!("{}\n", args.output.display()))
}
