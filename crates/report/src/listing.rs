//! Registries, frames and laws as tables of text, for the commands `list`, `schema` and `check`.

use meshreplay_alloc::allocator::ALLOCATORS;
use meshreplay_alloc::laws::Finding;
use meshreplay_base::prediction::PREDICTORS;
use meshreplay_figures::PLOT_KINDS;
use meshreplay_logs::FORMATS;
use meshreplay_machine::machine::order::ORDERS;
use meshreplay_results::frame::FrameSchema;
use meshreplay_results::text::{Align, TextTable, grouped};
use meshreplay_sim::execution::NETWORKS;
use meshreplay_sim::scheduler::SCHEDULERS;
use meshreplay_workload::MODELS;

/// A table that can be listed: its name, and the function that makes it.
pub type Listing = (&'static str, fn() -> TextTable);

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
            [row.name, row.summary, row.promises, row.parameters, row.source]
        })
    }),
    ("predictors", || {
        table(["name", "what", "correction", "source"], PREDICTORS, |row| {
            [row.spelling, row.summary, row.correction.name(), row.source]
        })
    }),
    ("networks", || {
        let titles = ["name", "what", "parameters", "source"];
        table(titles, NETWORKS, |row| [row.name, row.summary, row.parameters, row.source])
    }),
    ("orders", || table(["name", "what", "source"], ORDERS, |row| [row.name, row.summary, row.source])),
    ("formats", || {
        let titles = ["name", "what", "extensions", "written", "cannot say", "parameters", "source"];
        table(titles, FORMATS, |row| {
            let (extensions, written) = (row.extensions.join(", "), row.writing.map_or("no", |_| "yes"));
            let cells = [row.name, row.summary, &extensions, written, row.lacks, row.parameters, row.source];
            cells.map(str::to_owned)
        })
    }),
    ("models", || {
        let titles = ["name", "what", "parameters", "source"];
        table(titles, MODELS, |row| [row.name, row.summary, row.parameters, row.source])
    }),
    ("plots", || table(["name", "what", "needs"], PLOT_KINDS, |row| [row.name, row.summary, row.needs])),
];

/// Returns the columns of a frame as a table. `name` changes each column's name for display.
pub fn schema_table(schema: &FrameSchema, name: impl Fn(&str) -> String) -> TextTable {
    table(["column", "type", "unit", "meaning", "when"], &schema.columns, |column| {
        let cells = [column.kind.name(), column.unit, column.meaning, column.needs.words()];
        let [kind, unit, meaning, when] = cells.map(str::to_owned);
        [name(column.name), kind, unit, meaning, when]
    })
}

/// Returns a table with one row for each of `rows`, all columns aligned to the left.
fn table<R, S: Into<String>, const N: usize>(
    titles: [&str; N],
    rows: &[R],
    cells: impl Fn(&R) -> [S; N],
) -> TextTable {
    let mut table = TextTable::new(&titles.map(|title| (title, Align::Left)));
    for row in rows {
        table.add(cells(row).map(Into::into).to_vec());
    }
    table
}

/// Returns a row for each allocator and law.
pub fn laws_table(findings: &[Finding<'_>]) -> TextTable {
    let titles = ["allocator", "law", "verdict", "machines", "events", "what it says"];
    let numbers = ["machines", "events"];
    let align = |title| if numbers.contains(&title) { Align::Right } else { Align::Left };
    let mut table = TextTable::new(&titles.map(|title| (title, align(title))));
    for finding in findings {
        let verdict = match (&finding.broken, finding.is_undecided, finding.machines) {
            (Some(_), ..) => "broken",
            (None, true, _) => "not decided",
            (None, false, 0) => "not promised",
            (None, false, _) => "kept",
        };
        let [machines, events] = [finding.machines, finding.events]
            .map(|count| if count == 0 { String::new() } else { grouped(count as f64, 0) });
        let cells = [finding.subject, finding.law.name, verdict, &machines, &events, finding.law.words];
        table.add(cells.map(str::to_owned).to_vec());
    }
    table
}
