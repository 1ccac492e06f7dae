//! `meshreplay plot`: pictures of saved results.

mod job_plots;
mod node_plots;

mod summary_plots;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;

use super::results::Results;
use super::{Failure, complain, overwrite, print};
use crate::disk::{Claim, NewFolder};
use crate::figure::{draw, marked_png, marked_svg};
use crate::frame::{Sheet, TEMPORARY, write_whole};

/// Draw saved results: curves by load, cost against quality, distributions, utilization over time.
///
/// Reads what `replay -o` or `sweep -o` left; replays nothing. Without --kind every picture that the results can give is
/// drawn. Allocators keep their colours in all pictures.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay plot out
  meshreplay plot out --kind load --value wait_s_mean --log -o figures --format png")]
pub(super) struct Args {
    /// Directory of `replay -o` or `sweep -o`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Pictures; all that the results can give by default.
    #[arg(short, long, value_enum, value_name = "KIND", num_args = 1..)]
    kind: Vec<PlotKind>,

    /// Column of the summary that is shown, where a picture shows one; turnaround by load, pairwise mean by utilization and
    /// cost, pairwise sum as ratio by default.
    #[arg(long, value_name = "COLUMN")]
    value: Option<String>,

    /// Logarithmic vertical axis of pictures by load.
    #[arg(long)]
    log: bool,

    /// Allocator that ratios are to; mc1x1 by default, or the first.
    #[arg(long, value_name = "SPEC")]
    relative_to: Option<String>,

    /// Replay that pictures of nodes show, by its number in the summary, which for a study is that of the cell from 0; the
    /// first one by default.
    #[arg(long, value_name = "N")]
    replay: Option<u32>,

    /// Directory of the pictures, KIND.svg or KIND.png each; the results' own by default.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Drawing or pixels.
    #[arg(long, value_enum, default_value = "svg")]
    format: Format,

    /// Pixels for each unit of a drawing, for png.
    #[arg(long, default_value = "2", value_name = "FACTOR", value_parser = factor)]
    scale: f64,

    /// Overwrite files even if they are not earlier pictures.
    #[arg(long)]
    force: bool,

    /// No notes on standard error.
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Svg,
    Png,
}

/// A kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlotKind {
    /// A column by load, with confidence bands.
    Load,
    /// Dispersal against utilization.
    Utilization,
    /// Bars of the mean time to the head of the queue, from there to the start, and suspended.
    Delays,
    /// Bars of each allocator by one of them, for each log and machine.
    Ratio,
    /// Dispersal against what a call costs.
    Frontier,
    /// Distribution of the duration of allocator calls.
    Calls,
    /// Distribution of waiting times.
    Waits,
    /// Utilization over time.
    Busy,
    /// Share of the time that each node is busy, of one replay.
    Nodes,
    /// Who holds which nodes when, of one replay.
    Gantt,
}

/// What a picture shows of the results.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct View<'a> {
    folder: &'a Path,
    value: Option<&'a str>,
    log: bool,
    relative_to: Option<&'a str>,
    replay: Option<u32>,
    /// Whether somebody asked for this kind of picture.
    asked: bool,
}

/// How a kind of picture is drawn: `None` if the results do not have what it shows.
type Draw = fn(&View<'_>, &Results) -> Result<Option<String>, Failure>;

impl PlotKind {
    fn draw(self) -> Draw {
        match self {
            Self::Load => summary_plots::load,
            Self::Utilization => summary_plots::utilization,
            Self::Delays => summary_plots::delays,
            Self::Ratio => summary_plots::ratio,
            Self::Frontier => summary_plots::frontier,
            Self::Calls => job_plots::calls,
            Self::Waits => job_plots::waits,
            Self::Busy => job_plots::busy,
            Self::Nodes => node_plots::nodes,
            Self::Gantt => node_plots::gantt,
        }
    }

    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// What results need for it.
    fn needs(self) -> &'static str {
        match self {
            Self::Load => {
                "several loads: arrival scales, gaps of uniform arrivals, or rates or ratios of a workload model"
            }
            Self::Utilization => "rows",
            Self::Delays => "delays",
            Self::Ratio => "several allocators",
            Self::Frontier => "times; leave out --no-timing",
            Self::Calls => "jobs with times; `replay -o` and `sweep --jobs` keep them without --no-timing",
            Self::Nodes | Self::Gantt => {
                "jobs with their nodes; `replay -o DIR --placements` and `sweep --jobs --placements` keep them"
            }
            Self::Waits | Self::Busy => "jobs; `replay -o` and `sweep --jobs` keep them",
        }
    }
}

fn factor(text: &str) -> anyhow::Result<f64> {
    match text.parse::<f64>() {
        Ok(value) if (0.1..=20.0).contains(&value) => Ok(value),
        _ => bail!("expected a number from 0.1 to 20"),
    }
}

/// Every picture that results can give, with its name.
pub(super) fn all(folder: &Path, results: &Results) -> Result<Vec<(String, String)>, Failure> {
    let view = View { folder, value: None, log: false, relative_to: None, replay: None, asked: false };
    let mut pictures = Vec::new();
    for kind in PlotKind::value_variants() {
        pictures.extend((kind.draw())(&view, results)?.map(|svg| (kind.name(), svg)));
    }
    Ok(pictures)
}

/// Draws the pictures and prints their names.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let results = Results::new(Sheet::read(&args.folder)?);
    if results.sheet.height() == 0 {
        return Err(anyhow!("{} holds no rows", results.sheet.path.display()).into());
    }
    if !args.quiet {
        results.note_missing(&args.folder)?;
    }
    let output = args.output.as_ref().unwrap_or(&args.folder);
    let _new = NewFolder::create(output).with_context(|| format!("{} cannot be made", output.display()))?;
    let _claim = Claim::shared(output)?;
    let mut pictures = Vec::new();
    let view = View {
        folder: &args.folder,
        value: args.value.as_deref(),
        log: args.log,
        relative_to: args.relative_to.as_deref(),
        replay: args.replay,
        asked: !args.kind.is_empty(),
    };
    let wanted = if args.kind.is_empty() { PlotKind::value_variants() } else { &args.kind };
    for &kind in wanted {
        let name = kind.name();
        let Some(svg) = (kind.draw())(&view, &results)? else {
            let missing = format!("{name}: {} does not hold {}", args.folder.display(), kind.needs());
            if !args.kind.is_empty() {
                return Err(anyhow!(missing).into());
            }
            // Delays are no loss where they say nothing.
            if !args.quiet && kind != PlotKind::Delays {
                complain(&format!("note: left out {missing}"));
            }
            continue;
        };
        let (extension, bytes) = match args.format {
            Format::Svg => ("svg", marked_svg(&svg).into_bytes()),
            Format::Png => ("png", marked_png(&draw::png(&svg, args.scale)?)),
        };
        let path = output.join(format!("{name}.{extension}"));
        overwrite::check(&path, args.force)?;
        pictures.push((path, bytes));
    }
    for (path, bytes) in pictures {
        write_whole(&path, &bytes, TEMPORARY)?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(())
}
