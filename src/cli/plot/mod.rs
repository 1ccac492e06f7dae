//! `meshreplay plot`: draws pictures of saved results.

pub(super) mod drawing;

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use drawing::{DrawingArgs, PixelArgs};

use super::{Failure, note, print};
use crate::disk::{Claim, NewFolder};
use crate::figure::{
    PICTURE_FORMATS, PLOT_KINDS, PictureFormat, PlotKind, Results, check_overwrite, format_of_file,
    picture_format, plot_kind,
};
use crate::frame::{TEMPORARY, write_whole};

/// Draw saved results: curves by load, cost against quality, distributions, utilization over time.
///
/// Reads what `replay -o` or `sweep -o` wrote, and replays nothing. Without --kind, draws every kind that
/// the results have data for. An allocator has the same colour and marker in all pictures of the results.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay plot out
  meshreplay plot loads --kind load --value wait_s_mean --log-scale -o figures \\
    --format png
  meshreplay plot loads --kind load --size 84mm --no-title -o load.pdf
  meshreplay plot study --kind ratio --log may june --allocator mc1x1 gabl")]
pub(super) struct Args {
    /// Directory of `replay -o` or `sweep -o`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Kinds of pictures [default: all that the results have data for].
    #[arg(short, long, value_parser = kinds(), value_name = "KIND", num_args = 1.., value_delimiter = ',')]
    kind: Vec<&'static PlotKind>,

    #[command(flatten)]
    drawing: DrawingArgs,

    /// Directory of the pictures, which are called by their kind and format, such as load.svg [default: the
    /// directory of the results]. Or the file of a single picture, such as load.pdf. Panels that one page has
    /// no room for are in further files, such as load-1.pdf and load-2.pdf.
    #[arg(short, long, value_name = "DIR or FILE")]
    output: Option<PathBuf>,

    /// Format of the pictures [default: svg, or that of the file name].
    #[arg(long, value_parser = formats(), value_name = "FORMAT")]
    format: Option<&'static PictureFormat>,

    #[command(flatten)]
    pixels: PixelArgs,

    /// Overwrite files of these names even if they are not pictures of meshreplay.
    #[arg(long)]
    force: bool,

    /// Print no notes on standard error.
    #[arg(short, long)]
    quiet: bool,
}

/// Returns the parser of the name of a kind of picture.
fn kinds() -> impl TypedValueParser<Value = &'static PlotKind> {
    let values = PLOT_KINDS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.summary));
    PossibleValuesParser::new(values).try_map(|name| plot_kind(&name).ok_or("no such kind"))
}

/// Returns the parser of the name of a format of pictures.
pub(super) fn formats() -> impl TypedValueParser<Value = &'static PictureFormat> {
    let values = PICTURE_FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.summary));
    PossibleValuesParser::new(values).try_map(|name| picture_format(&name).ok_or("no such format"))
}

impl Args {
    /// Returns the directory and the format of the pictures; no directory if --output is the file of the only
    /// picture. Fails if a file is given for several kinds, or if its name has another format than --format.
    fn place(&self) -> Result<(Option<&Path>, &'static PictureFormat), Failure> {
        let output = self.output.as_ref().unwrap_or(&self.folder);
        // A name such as box.jpg is meant to be a picture, not a directory to be made.
        let is_folder = output.is_dir() || output.extension().is_none();
        let of_file = (!is_folder).then(|| format_of_file(output)).transpose();
        let of_file = of_file.map_err(|error| Failure::Usage(anyhow!("--output {error}")))?;
        let Some(format) = of_file else {
            return Ok((Some(output), self.format.unwrap_or(&PICTURE_FORMATS[0])));
        };
        let file = output.display();
        let wrong = |text: String| Err(Failure::Usage(anyhow!(text)));
        match self.format {
            Some(other) if other.name != format.name => wrong(format!(
                "--output {file} is a file of the format {}, but --format is {}",
                format.name, other.name
            )),
            _ if self.kind.len() != 1 => wrong(format!(
                "--output {file}: a file holds one picture, so give one kind by --kind, or a directory"
            )),
            _ => Ok((None, format)),
        }
    }

    fn file(&self, folder: Option<&Path>, kind: &PlotKind, format: &PictureFormat, number: &str) -> PathBuf {
        if let Some(folder) = folder {
            return folder.join(format!("{}{number}.{}", kind.name, format.name));
        }
        let file = self.output.clone().unwrap_or_default();
        let [stem, ending] =
            [file.file_stem(), file.extension()].map(|part| part.unwrap_or_default().to_owned());
        file.with_file_name(format!("{}{number}.{}", stem.display(), ending.display()))
    }
}

/// The largest number of files of a kind.
const MOST_FILES: usize = 12;

/// The remedy for panels that do not fit.
const CHOOSE: &str =
    "--log, --machine, --scheduler, --allocator and --replay choose, and a larger --size has more room";

/// Draws the pictures and prints the names of their files.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let (folder, format) = args.place()?;
    args.drawing.check(&args.kind).map_err(Failure::Usage)?;
    args.pixels.check(format).map_err(Failure::Usage)?;
    let results = Results::read(&args.folder)?;
    for missing in results.missing(&args.folder)? {
        note(args.quiet, &missing);
    }
    let made =
        |folder| NewFolder::create(folder).with_context(|| format!("{} cannot be made", folder.display()));
    let _new = folder.map(made).transpose()?;
    let _claim = folder.map(Claim::shared).transpose()?;
    let mut pictures = Vec::new();
    let is_asked = !args.kind.is_empty();
    let wanted = if is_asked { args.kind.clone() } else { PLOT_KINDS.iter().collect() };
    for kind in wanted {
        let drawings = args.drawing.drawn(&args.drawing.panels(kind, &args.folder, &results, is_asked)?);
        if drawings.is_empty() {
            let missing = format!("{}: {} does not hold {}", kind.name, args.folder.display(), kind.needs);
            if is_asked {
                return Err(anyhow!(missing).into());
            }
            if kind.is_missed() {
                note(args.quiet, &format!("left out {missing}"));
            }
            continue;
        }
        let files = drawings.len();
        if files > MOST_FILES {
            let many = format!(
                "{}: the panels would fill {files} files (at most {MOST_FILES}); {CHOOSE}",
                kind.name
            );
            if is_asked {
                return Err(Failure::Usage(anyhow!(many)));
            }
            note(args.quiet, &format!("left out {many}"));
            continue;
        }
        if files > 1 {
            let many =
                format!("{}: one page has no room for all panels, which are in {files} files", kind.name);
            note(args.quiet, &format!("{many}; {CHOOSE}"));
        }
        for (i, drawing) in drawings.into_iter().enumerate() {
            if !drawing.left_out.is_empty() {
                note(args.quiet, &format!("{}: {} {CHOOSE}", kind.name, drawing.left_out));
            }
            let number = if files > 1 { format!("-{}", i + 1) } else { String::new() };
            let path = args.file(folder, kind, format, &number);
            check_overwrite(&path, args.force)?;
            pictures.push((path, (format.write)(&drawing.svg(), args.pixels.factor())?));
        }
    }
    for (path, bytes) in pictures {
        write_whole(&path, &bytes, TEMPORARY)?;
        print(&format!("{}\n", path.display()))?;
    }
    Ok(())
}
