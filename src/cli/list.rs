//! `meshreplay list`: lists the names that specs can have.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{Failure, print};
use crate::report::{LISTINGS, Listing};

/// List allocators, schedulers, predictors, networks, orders, log formats or workload models with their sources.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to list.
    #[arg(value_parser = listings())]
    family: Listing,
    /// Print a Markdown table.
    #[arg(long)]
    markdown: bool,
}

/// Returns the parser of the name of a list.
fn listings() -> impl TypedValueParser<Value = Listing> {
    let find = |name: String| LISTINGS.into_iter().find(|(other, _)| *other == name).ok_or("no such list");
    PossibleValuesParser::new(LISTINGS.map(|(name, _)| name)).try_map(find)
}

/// Prints the list.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let (_, table) = args.family;
    print(&if args.markdown { table().markdown() } else { table().text() })
}
