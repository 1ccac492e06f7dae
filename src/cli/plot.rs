//! `meshreplay plot`: draws pictures of saved results.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::{Failure, complain, print};
use crate::disk::{Claim, NewFolder};
use crate::figure::{
    PLOT_KINDS, PlotKind, PlotOptions, Results, check_overwrite, draw, marked_png, marked_svg, plot_kind,
};
use crate::frame::{TEMPORARY, write_whole};

/// Draw saved results: curves by load, cost against quality, distributions, utilization over time.
///
/// It reads what `replay -o` or `sweep -o` wrote, and replays nothing. Without --kind it draws every picture for which
/// the results have the data. An allocator has the same colour in all pictures.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay plot out
  meshreplay plot out --kind load --value wait_s_mean --log -o figures --format png")]
pub(super) struct Args {
    /// Directory of `replay -o` or `sweep -o`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Kinds of pictures [default: all for which the results have the data].
    #[arg(short, long, value_parser = kinds(), value_name = "KIND", num_args = 1..)]
    kind: Vec<&'static PlotKind>,

    /// Column of the summary that a picture shows. The default is turnaround for load, the pairwise mean for
    /// utilization and frontier, and the pairwise sum for ratio.
    #[arg(long, value_name = "COLUMN")]
    value: Option<String>,

    /// Use a logarithmic vertical axis in pictures by load.
    #[arg(long)]
    log: bool,

    /// Allocator by which ratios divide [default: mc1x1, or else the first].
    #[arg(long, value_name = "SPEC")]
    relative_to: Option<String>,

    /// Number of the replay that pictures of nodes show, as in the summary. In a study it is the number of the cell,
    /// from 0. The default is the first replay.
    #[arg(long, value_name = "N")]
    replay: Option<u32>,

    /// Directory of the pictures, which are called KIND.svg or KIND.png [default: the directory of the results].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Format of the pictures: a drawing (svg) or pixels (png).
    #[arg(long, value_enum, default_value = "svg")]
    format: Format,

    /// Number of pixels for each unit of the drawing, for png.
    #[arg(long, default_value = "2", value_name = "FACTOR", value_parser = factor)]
    scale: f64,

    /// Overwrite files of these names even if they are not pictures of meshreplay.
    #[arg(long)]
    force: bool,

    /// Print no notes on standard error.
    #[arg(short, long)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Svg,
    Png,
}

/// Returns the parser of the name of a kind of picture.
fn kinds() -> impl TypedValueParser<Value = &'static PlotKind> {
    let values = PLOT_KINDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.summary));
    PossibleValuesParser::new(values).try_map(|name| plot_kind(&name).ok_or("no such kind"))
}

/// Returns the number of pixels per unit in an argument.
fn factor(text: &str) -> anyhow::Result<f64> {
    match text.parse::<f64>() {
        Ok(value) if (0.1..=20.0).contains(&value) => Ok(value),
        _ => bail!("expected a number from 0.1 to 20"),
    }
}

/// Draws the pictures and prints the names of their files.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let results = Results::read(&args.folder)?;
    let note = |text: &str| {
        if !args.quiet {
            complain(&format!("note: {text}"));
        }
    };
    for missing in results.missing(&args.folder)? {
        note(&missing);
    }
    let output = args.output.as_ref().unwrap_or(&args.folder);
    let _new = NewFolder::create(output).with_context(|| format!("{} cannot be made", output.display()))?;
    let _claim = Claim::shared(output)?;
    let mut pictures = Vec::new();
    let is_asked = !args.kind.is_empty();
    let options = PlotOptions {
        folder: &args.folder,
        value: args.value.as_deref(),
        log: args.log,
        relative_to: args.relative_to.as_deref(),
        replay: args.replay,
        is_asked,
    };
    let wanted = if is_asked { args.kind.clone() } else { PLOT_KINDS.iter().collect() };
    for kind in wanted {
        let Some(drawing) = (kind.draw)(&options, &results)? else {
            let missing = format!("{}: {} does not hold {}", kind.name, args.folder.display(), kind.needs);
            if is_asked {
                return Err(anyhow!(missing).into());
            }
            if kind.needs.is_missed() {
                note(&format!("left out {missing}"));
            }
            continue;
        };
        let svg = drawing.svg();
        let (extension, bytes) = match args.format {
            Format::Svg => ("svg", marked_svg(&svg).into_bytes()),
            Format::Png => ("png", marked_png(&draw::png(&svg, args.scale)?)),
        };
        let path = output.join(format!("{}.{extension}", kind.name));
        check_overwrite(&path, args.force)?;
        pictures.push((path, bytes));
    }
    for (path, bytes) in pictures {
        write_whole(&path, &bytes, TEMPORARY)?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(())
}
