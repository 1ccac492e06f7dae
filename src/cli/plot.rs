//! `meshreplay plot`: draws pictures of saved results.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::{Failure, complain, print};
use crate::disk::{Claim, NewFolder};
use crate::figure::draw::Page;
use crate::figure::{
    LoadAxis, PLOT_KINDS, PlotKind, PlotOptions, Results, check_overwrite, draw, marked_png, marked_svg,
    plot_kind,
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

    /// Use a logarithmic axis for the values in pictures by load, boxes and distributions.
    #[arg(long)]
    log: bool,

    /// What the horizontal axis of pictures by load shows: the rate of arrivals, the utilization that came of it, or the
    /// factor by which arrival times are multiplied [default: arrivals].
    #[arg(long, value_enum, value_name = "LOAD")]
    axis: Option<LoadAxis>,

    /// Allocator by which ratios divide, for each scheduler by its own [default: mc1x1, or else the first].
    #[arg(long, value_name = "SPEC")]
    relative_to: Option<String>,

    /// Numbers of the replays that pictures of jobs and nodes show, as in the summary. In a study they are the numbers of
    /// the cells, from 0. The default are those at the first load.
    #[arg(long, value_name = "N", num_args = 1..)]
    replay: Vec<u32>,

    /// Directory of the pictures, which are called KIND.svg or KIND.png [default: the directory of the results].
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Format of the pictures: a drawing (svg) or pixels (png).
    #[arg(long, value_enum, default_value = "svg")]
    format: Format,

    /// Size of a figure on paper: its width, such as 84mm, or width and height, such as 174x90mm. Labels are 7 points high.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    size: Option<SizeMm>,

    /// Leave out title and subtitle, for figures with a caption.
    #[arg(long)]
    no_title: bool,

    /// Number of pixels for each unit of the drawing, for png.
    #[arg(long, default_value = "2", value_name = "FACTOR", value_parser = factor)]
    scale: f64,

    /// Number of pixels for each inch of paper, for png, in place of --scale.
    #[arg(long, value_name = "N", value_parser = dpi, conflicts_with = "scale")]
    dpi: Option<f64>,

    /// Overwrite files of these names even if they are not pictures of meshreplay.
    #[arg(long)]
    force: bool,

    /// Print no notes on standard error.
    #[arg(short, long)]
    quiet: bool,
}

/// The width and maybe the height of a figure, in millimetres.
type SizeMm = (f64, Option<f64>);

impl ValueEnum for LoadAxis {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Arrivals, Self::Utilization, Self::Factor]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::Arrivals => "arrivals",
            Self::Utilization => "utilization",
            Self::Factor => "factor",
        }))
    }
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

/// Returns the size of a figure in an argument: `84mm`, `8.4cm`, `174x90mm`.
fn size(text: &str) -> anyhow::Result<SizeMm> {
    let wrong =
        || anyhow!("expected a width such as 84mm, or width and height such as 174x90mm, of 30 to 1000 mm");
    let (number, mm) = match (text.strip_suffix("mm"), text.strip_suffix("cm")) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 10.0),
        (None, None) => return Err(wrong()),
    };
    let side = |text: &str| -> anyhow::Result<f64> {
        let side = mm * text.trim().parse::<f64>().map_err(|_| wrong())?;
        if (30.0..=1000.0).contains(&side) { Ok(side) } else { Err(wrong()) }
    };
    match number.split_once('x') {
        None => Ok((side(number)?, None)),
        Some((width, height)) => Ok((side(width)?, Some(side(height)?))),
    }
}

/// Returns the number of pixels per inch in an argument.
fn dpi(text: &str) -> anyhow::Result<f64> {
    match text.parse::<f64>() {
        Ok(value) if (20.0..=2400.0).contains(&value) => Ok(value),
        _ => bail!("expected a number from 20 to 2400"),
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
    let page = args.size.map_or_else(Page::default, Page::of_mm);
    let page = Page { is_untitled: args.no_title, ..page };
    let options = PlotOptions {
        folder: &args.folder,
        value: args.value.as_deref(),
        log: args.log,
        relative_to: args.relative_to.as_deref(),
        axis: args.axis,
        replays: &args.replay,
        window_s: None,
        page,
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
        let svg = match args.size {
            Some(size_mm) => drawing.printed(size_mm).svg(),
            None => drawing.svg(),
        };
        let (extension, bytes) = match args.format {
            Format::Svg => ("svg", marked_svg(&svg).into_bytes()),
            Format::Png => {
                ("png", marked_png(&draw::png(&svg, args.dpi.map_or(args.scale, |dpi| dpi / 96.0))?))
            }
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
