//! `meshreplay schema`: prints the columns of the tables of results.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use super::{Failure, print};
use crate::frame::FrameSchema;
use crate::report::schema_table;

/// Show the columns of results: name, type, unit, meaning, when they are there.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay schema jobs --format markdown")]
pub(super) struct Args {
    /// Frames; all by default.
    #[arg(value_name = "FRAME", value_parser = PossibleValuesParser::new(FrameSchema::all().map(|frame| frame.name)))]
    frames: Vec<String>,

    /// How they are written.
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
            format!(" {name}: {rows}\n\n{}", schema_table(schema, ToOwned::to_owned).text())
        }
    };
    print(&match args.format {
        Format::Json => serde_json::to_string_pretty(&schemas)? + "\n",
        Format::Table | Format::Markdown => schemas.iter().map(text).collect::<Vec<_>>().join("\n"),
    })
}
