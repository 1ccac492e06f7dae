//! `meshreplay schema`: the columns of every frame.

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;

use super::{Failure, print};
use crate::frame::FrameSchema;
use crate::text::{Align, Table};

/// Show the columns of results: name, type, unit, meaning, when they are there.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay schema jobs --format markdown")]
pub(super) struct Args {
    /// Frames; all by default.
    #[arg(value_name = "FRAME", value_parser = PossibleValuesParser::new(names()))]
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

fn names() -> Vec<&'static str> {
    FrameSchema::all().into_iter().map(|schema| schema.name).collect()
}

/// Prints the frames that are asked for.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let wanted =
        |schema: &FrameSchema| args.frames.is_empty() || args.frames.iter().any(|frame| frame == schema.name);
    let schemas: Vec<FrameSchema> = FrameSchema::all().into_iter().filter(wanted).collect();
    let text = match args.format {
        Format::Json => serde_json::to_string_pretty(&schemas)? + "\n",
        Format::Table => {
            let text = |schema: &FrameSchema| {
                format!(" {}: {}\n\n{}", schema.name, schema.rows, table(schema, ToOwned::to_owned).text())
            };
            schemas.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        Format::Markdown => {
            let text = |schema: &FrameSchema| {
                let table = table(schema, |text| format!("`{text}`"));
                format!("## {}\n\nRows: {}.\n\n{}", schema.name, schema.rows, table.markdown())
            };
            schemas.iter().map(text).collect::<Vec<_>>().join("\n")
        }
    };
    print(&text)
}

fn table(schema: &FrameSchema, code: impl Fn(&str) -> String) -> Table {
    let titles = ["column", "type", "unit", "meaning", "when"];
    let mut table = Table::new(&titles.map(|title| (title, Align::Left)));
    for column in &schema.columns {
        table.add(vec![
            code(column.name),
            column.kind.name().to_owned(),
            column.unit.to_owned(),
            column.meaning.to_owned(),
            column.when.words().to_owned(),
        ]);
    }
    table
}
