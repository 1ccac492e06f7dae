//! The table of the laws of allocators, for the command `check` and for Python.

use meshreplay_alloc::laws::Finding;
use meshreplay_results::text::{Align, Table, grouped};

/// Returns a row for each allocator and law.
pub fn laws_table(findings: &[Finding<'_>]) -> Table {
    let titles = ["allocator", "law", "verdict", "machines", "events", "what it says"];
    let numbers = ["machines", "events"];
    let align = |title| if numbers.contains(&title) { Align::Right } else { Align::Left };
    let mut table = Table::new(&titles.map(|title| (title, align(title))));
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
