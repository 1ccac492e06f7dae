//! `meshreplay list`: what can be named in specs.

use clap::ValueEnum;

use super::{Failure, print};
use crate::allocator::ALLOCATORS;
use crate::execution::NETWORKS;
use crate::machine::order::ORDERS;
use crate::scheduler::SCHEDULERS;
use crate::text::{Align, Table};
use crate::trace::FORMATS;

/// List allocators, schedulers, networks, orders or log formats with their sources.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to list.
    #[arg(value_enum)]
    family: Family,
    /// As a Markdown table.
    #[arg(long)]
    markdown: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Family {
    Allocators,
    Schedulers,
    Networks,
    Orders,
    Formats,
}

/// Prints the table of one family.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let table = match args.family {
        Family::Allocators => table(
            ["name", "what", "kind", "promises", "parameters", "source"],
            ALLOCATORS.iter().map(|row| {
                let (kind, promises) = (row.kind.to_string(), row.usual_promises().to_string());
                [row.name, row.summary, &kind, &promises, row.parameters, row.source].map(str::to_owned)
            }),
        ),
        Family::Schedulers => table(
            ["name", "what", "promises", "parameters", "source"],
            SCHEDULERS.iter().map(|row| {
                [row.name, row.summary, row.promises, row.parameters, row.source].map(str::to_owned)
            }),
        ),
        Family::Networks => table(
            ["name", "what", "parameters", "source"],
            NETWORKS.iter().map(|row| [row.name, row.summary, row.parameters, row.source].map(str::to_owned)),
        ),
        Family::Orders => table(
            ["name", "what", "source"],
            ORDERS.iter().map(|row| [row.name, row.summary, row.source].map(str::to_owned)),
        ),
        Family::Formats => table(
            ["name", "what", "extensions", "written", "lacks", "parameters", "source"],
            FORMATS.iter().map(|row| {
                let written = if row.writing.is_some() { "yes" } else { "no" };
                let extensions = row.extensions.join(", ");
                [row.name, row.summary, &extensions, written, row.lacks, row.parameters, row.source]
                    .map(str::to_owned)
            }),
        ),
    };
    print(&if args.markdown { table.markdown() } else { table.text() })
}

/// Returns a table with these titles and rows.
fn table<const COLUMNS: usize>(
    titles: [&str; COLUMNS],
    rows: impl Iterator<Item = [String; COLUMNS]>,
) -> Table {
    let mut table = Table::new(&titles.map(|title| (title, Align::Left)));
    rows.for_each(|row| table.add(row.to_vec()));
    table
}
