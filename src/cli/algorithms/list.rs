//! `meshreplay list`: lists the names that specs can have.

use anyhow::anyhow;

use super::{Failure, one_of, print};
use crate::allocator;
use crate::cli::terminal::screen;
use crate::figure::show::sample;
use crate::report::{LISTINGS, Listing};
use crate::spec::{Spec, unknown};
use crate::text::TextTable;

/// List allocators, schedulers, predictors, networks, orders, log formats or workload models with their
/// sources.
///
/// On a terminal a list has the columns that there is room for; a pipe gets all of them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay list allocators snug")]
pub(in crate::cli) struct Args {
    /// What to list.
    #[arg(value_parser = one_of(&LISTINGS.map(|row| (row.0, row))))]
    family: Listing,
    /// Show only the rows with these names, with everything that is known of them. An allocator is also
    /// drawn, with the nodes that it gives to a job on a small machine.
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Columns to show, such as `name,source`.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "names")]
    columns: Vec<String>,
    /// Print a Markdown table.
    #[arg(long, conflicts_with = "names")]
    markdown: bool,
}

/// Prints the list, or single rows of it.
pub(in crate::cli) fn run(args: &Args) -> Result<(), Failure> {
    let (family, table) = args.family;
    let mut table = table();
    if !args.names.is_empty() {
        let rows: Result<Vec<String>, Failure> =
            args.names.iter().map(|name| shown(family, &table, name)).collect();
        return print(&rows?.join("\n"));
    }
    if !args.columns.is_empty() {
        let known: Vec<&str> = table.titles().collect();
        if let Some(name) = args.columns.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(Failure::Usage(unknown("column", name, known).into()));
        }
        table = table.with_columns(&args.columns.iter().map(String::as_str).collect::<Vec<_>>());
    }
    if args.markdown {
        return print(&table.markdown());
    }
    let Some(width) = screen().width.filter(|_| args.columns.is_empty()) else { return print(&table.text()) };
    let (text, removed) = table.wrapped_text(width, "what", 40);
    let rest = if removed.is_empty() {
        String::new()
    } else {
        format!("\n no room for: {}\n `meshreplay list {family} NAME` shows them\n", removed.join(", "))
    };
    print(&(text + &rest))
}

/// Returns everything about one name. An allocator may also have a short form or a spec, such as
/// `hilbert+bf`.
fn shown(family: &str, table: &TextTable, name: &str) -> Result<String, Failure> {
    if family != "allocators" {
        return row(table, name);
    }
    let found = name.parse::<Spec>().and_then(|spec| allocator::find(&spec));
    let (_, spec) = found.map_err(|error| Failure::Usage(error.into()))?;
    let is_short = spec.name != name;
    let expanded = if is_short { format!(" {name} is {spec}\n\n") } else { String::new() };
    let drawing = sample(&spec).map(|drawing| format!("\n{drawing}")).unwrap_or_default();
    Ok(expanded + &row(table, &spec.name)? + &drawing)
}

/// Returns one row in full, a line for each column that is not empty.
fn row(table: &TextTable, name: &str) -> Result<String, Failure> {
    let Some(cells) = table.row(name) else {
        let known: Vec<&str> = table.names().collect();
        let error = unknown("name", name, known);
        return Err(Failure::Usage(anyhow!(error)));
    };
    let width = cells.iter().map(|(title, _)| title.len()).max().unwrap_or(0);
    let lines = cells.iter().filter(|(_, cell)| !cell.is_empty());
    let text = lines.fold(String::new(), |text, (title, cell)| text + &format!(" {title:width$}  {cell}\n"));
    Ok(screen().hanging(&text, width + 3))
}
