//! `meshreplay trace`: commands that profile, check, convert, cut and generate logs.

mod convert;
mod cut;
mod generate;
mod info;
mod validate;

use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::reading::Reading;
use super::{Failure, complain};
use crate::trace::formats::without_extensions;
use crate::trace::{Format, LogSummary, ReadOptions, SWF, Writer};

/// Profile, check, convert, cut and generate logs
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Info(info::Args),
    Validate(validate::Args),
    Convert(convert::Args),
    Cut(cut::Args),
    Generate(generate::Args),
}

/// Runs one of the commands.
pub(super) fn run(args: Args) -> Result<(), Failure> {
    match args.command {
        Command::Info(args) => info::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Cut(args) => cut::run(&args),
        Command::Generate(args) => generate::run(&args),
    }
}

/// The log that a command reads.
#[derive(Debug, clap::Args)]
struct Input {
    /// Log to read, plain or gzip; - is standard input
    #[arg(value_name = "LOG")]
    log: PathBuf,

    #[command(flatten)]
    reading: Reading,
}

impl Input {
    fn options(&self) -> Result<ReadOptions, Failure> {
        self.reading.options().map_err(Failure::Usage)
    }
}

/// The log that a command writes.
#[derive(Debug, clap::Args)]
struct Output {
    /// Log to write: NAME.swf or NAME.premas, with .gz to compress it; - is standard output
    #[arg(short, long = "output", value_name = "FILE", required = true)]
    out: Option<PathBuf>,

    /// The same without -o.
    #[arg(value_name = "FILE", hide = true, conflicts_with = "out")]
    file: Option<PathBuf>,

    /// Overwrite FILE if it exists
    #[arg(long)]
    force: bool,

    /// Format of FILE [default: by its extension]
    #[arg(
        id = "output_format",
        long = "output-format",
        value_name = "FORMAT",
        value_parser = writable_parser()
    )]
    format: Option<&'static Format>,
}

impl Output {
    /// Returns the path of the log to write. The parser requires one.
    fn path(&self) -> &Path {
        self.out.as_deref().or(self.file.as_deref()).unwrap_or(Path::new("-"))
    }

    /// Returns the format to write: the one asked for, or that of the file name, or for standard output
    /// `input`.
    fn format(&self, input: &'static Format) -> Result<&'static Format, Failure> {
        if let Some(format) = self.format.or_else(|| Format::of_path(self.path())) {
            return Ok(format);
        }
        if self.is_stdout() {
            return Ok(if input.writing.is_some() { input } else { SWF });
        }
        let out = self.path().display();
        Err(Failure::Usage(anyhow!(
            "{out} does not tell a format; expected NAME.swf, NAME.swf.gz, NAME.premas or NAME.premas.gz, \
             or --output-format"
        )))
    }

    /// Returns the path of a file next to the log: its name without extensions, with another ending. `None`
    /// if the log goes to standard output.
    fn beside(&self, ending: &str) -> Option<PathBuf> {
        let name = self.path().file_name().filter(|_| !self.is_stdout())?.to_string_lossy().into_owned();
        Some(self.path().with_file_name(format!("{}{ending}", without_extensions(&name))))
    }

    fn is_stdout(&self) -> bool {
        self.path().as_os_str() == "-"
    }

    fn writer(&self, format: &Format) -> Result<Writer, Failure> {
        if self.is_stdout() {
            return Ok(Writer::to(io::stdout(), "standard output", format)?);
        }
        Ok(Writer::create(self.path(), format, self.force)?)
    }
}

/// Returns the parser of the name of a format that can be written.
fn writable_parser() -> impl TypedValueParser<Value = &'static Format> {
    PossibleValuesParser::new(Format::writable().map(|format| format.name))
        .try_map(|name| Format::find(&name))
}

/// Prints the notes about the reading of the log on standard error. Fails if lenient reading has skipped all
/// of it.
fn check_read(summary: &LogSummary) -> Result<(), Failure> {
    for note in &summary.facts.notes {
        complain(&format!("{}: {note}", summary.path.display()));
    }
    Ok(summary.check_jobs()?)
}

/// Prints on standard error how many lines of the input were skipped, by kind. Prints nothing if none were.
fn complain_of_skipped(summary: &LogSummary) {
    if summary.irregularities.skipped() > 0 {
        for (what, count) in
            summary.irregularities.rows().iter().filter(|(what, _)| what.starts_with("skipped"))
        {
            complain(&format!("{}: {what}: {count}", summary.path.display()));
        }
        let share = summary.skipped_share().unwrap_or_default();
        let skipped = summary.irregularities.skipped();
        complain(&format!("{}: skipped lines in all: {skipped}{share}", summary.path.display()));
    }
}
