//! `meshreplay schema`: prints the columns of the tables of results.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use super::terminal::screen;
use super::{Failure, print};
use crate::frame::FrameSchema;
use crate::report::schema_table;
use crate::text::wrapped_words;

/// Show the columns of results: their names, types, units and meanings, and which results have them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay schema jobs --format markdown")]
pub(super) struct Args {
    /// Frames [default: all].
    #[arg(
        value_name = "FRAME",
        value_parser = PossibleValuesParser::new(FrameSchema::all().into_iter().map(|frame| frame.name))
    )]
    frames: Vec<String>,

    /// Format of the output.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
    Markdown,
}

/// Prints the requested schemas.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let is_wanted =
        |schema: &FrameSchema| args.frames.is_empty() || args.frames.iter().any(|frame| frame == schema.name);
    let schemas: Vec<FrameSchema> = FrameSchema::all().into_iter().filter(is_wanted).collect();
    let text = |schema: &FrameSchema| {
        let FrameSchema { name, rows, .. } = schema;
        if args.format == Format::Markdown {
            let table = schema_table(schema, |text| format!("`{text}`")).markdown();
            format!("## {name}\n\nRows: {rows}.\n\n{table}")
        } else {
            let table = schema_table(schema, ToOwned::to_owned);
            let text = screen().width.map(|width| table.wrapped_text(width, "meaning", 24).0);
            let title = wrapped_words(&format!("{name}: {rows}"), screen().width.unwrap_or(usize::MAX));
            format!("{title}\n{}", text.unwrap_or_else(|| table.text()))
        }
    };
    print(&match args.format {
        Format::Json => serde_json::to_string_pretty(&schemas)? + "\n",
        Format::Table | Format::Markdown => schemas.iter().map(text).collect::<Vec<_>>().join("\n"),
    })
}
