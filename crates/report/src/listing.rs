//! Registries and frames as tables of text, for the commands `list` and `schema`.

use meshreplay_alloc::allocator::ALLOCATORS;
use meshreplay_base::prediction::PREDICTORS;
use meshreplay_figures::PLOT_KINDS;
use meshreplay_logs::FORMATS;
use meshreplay_machine::machine::order::ORDERS;
use meshreplay_results::frame::FrameSchema;
use meshreplay_results::text::{Align, Table};
use meshreplay_sim::execution::NETWORKS;
use meshreplay_sim::scheduler::SCHEDULERS;
use meshreplay_workload::MODELS;

/// A table that can be listed: its name, and the function that makes it.
pub type Listing = (&'static str, fn() -> Table);

/// The listings: one for each registry with names that the command line accepts.
pub const LISTINGS: [Listing; 8] = [
    ("allocators", || {
        let titles = ["name", "what", "kind", "promises", "parameters", "source"];
        table(titles, ALLOCATORS, |row| {
            let (kind, promises) = (row.kind.to_string(), row.default_promises().to_string());
            [row.name, row.summary, &kind, &promises, row.parameters, row.source].map(str::to_owned)
        })
    }),
    ("schedulers", || {
        table(["name", "what", "promises", "parameters", "source"], SCHEDULERS, |row| {
            [row.name, row.summary, row.promises, row.parameters, row.source].map(str::to_owned)
        })
    }),
    ("predictors", || {
        table(["name", "what", "correction", "source"], PREDICTORS, |row| {
            [row.spelling, row.summary, row.correction.name(), row.source].map(str::to_owned)
        })
    }),
    ("networks", || {
        table(["name", "what", "parameters", "source"], NETWORKS, |row| {
            [row.name, row.summary, row.parameters, row.source].map(str::to_owned)
        })
    }),
    ("orders", || {
        table(["name", "what", "source"], ORDERS, |row| {
            [row.name, row.summary, row.source].map(str::to_owned)
        })
    }),
    ("formats", || {
        let titles = ["name", "what", "extensions", "written", "cannot say", "parameters", "source"];
        table(titles, FORMATS, |row| {
            let (extensions, written) = (row.extensions.join(", "), row.writing.map_or("no", |_| "yes"));
            let cells = [row.name, row.summary, &extensions, written, row.lacks, row.parameters, row.source];
            cells.map(str::to_owned)
        })
    }),
    ("models", || {
        table(["name", "what", "parameters", "source"], MODELS, |row| {
            [row.name, row.summary, row.parameters, row.source].map(str::to_owned)
        })
    }),
    ("plots", || {
        table(["name", "what", "needs"], PLOT_KINDS, |row| {
            [row.name.to_owned(), row.summary.to_owned(), row.needs.to_string()]
        })
    }),
];

/// Returns the columns of a frame as a table. `name` changes each column's name for display.
pub fn schema_table(schema: &FrameSchema, name: impl Fn(&str) -> String) -> Table {
    table(["column", "type", "unit", "meaning", "when"], &schema.columns, |column| {
        let cells = [column.kind.name(), column.unit, column.meaning, column.when.words()];
        let [kind, unit, meaning, when] = cells.map(str::to_owned);
        [name(column.name), kind, unit, meaning, when]
    })
}

/// Returns a table with one row for each of `rows`, all columns aligned to the left.
fn table<R, const N: usize>(titles: [&str; N], rows: &[R], cells: impl Fn(&R) -> [String; N]) -> Table {
    let mut table = Table::new(&titles.map(|title| (title, Align::Left)));
    for row in rows {
        table.add(cells(row).to_vec());
    }
    table
}
