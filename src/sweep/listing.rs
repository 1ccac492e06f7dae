//! Lists the cells of a sweep as a table, for a dry run.

use super::whole::Sweep;
use crate::execution::RECORDED;
use crate::study::Coordinate;
use crate::text::{Align, Screen, Table, grouped};

/// The number of characters of a content key that are shown.
const KEY_SHOWN: usize = 12;

/// The columns that are left out where there is no room, the least useful first.
const LEAST_USEFUL: [&str; 8] = ["key", "rules", "network", "jobs", "log", "scheduler", "machine", "seed"];

impl Sweep {
    /// Returns a table of all cells of the study with their keys, states and costs. Below the table stands how many of
    /// this process's cells are done and to do. Columns that have no room on the screen are left out and named.
    pub fn listing(&self, screen: Screen) -> String {
        let Self { study, manifest, share, .. } = self;
        // The allocator differs in most rows, so its column is the last one.
        let is_given = |row: &Coordinate| study.cells.iter().any(|cell| row.is_given(&cell.spec));
        let named = || Coordinate::listed().filter(|row| row.name != "allocator" && is_given(row));
        let left = ["cell", "key", "state"].into_iter().chain(named().map(Coordinate::title));
        let mut columns = left.chain(["allocator"]).map(|title| (title, Align::Left)).collect::<Vec<_>>();
        columns.extend([("jobs", Align::Right), ("cost", Align::Right)]);
        let mut table = Table::new(&columns);
        let total: u64 = study.cells.iter().map(|cell| cell.cost).sum();
        let percent = |cost: u64| grouped(100.0 * cost as f64 / total as f64, 1) + "%";
        let (mut finished, mut left, mut cost) = (0, 0, 0);
        for (i, (planned, cell)) in study.cells.iter().zip(&manifest.cells).enumerate() {
            let mine = share.binary_search(&i).is_ok();
            let is_done = self.is_done(i);
            finished += usize::from(mine && is_done);
            left += usize::from(mine && !is_done);
            cost += if mine { planned.cost } else { 0 };
            let state = match (is_done, mine) {
                (true, _) => "done",
                (false, true) => "to do",
                (false, false) => "another shard's",
            };
            let mut row = vec![(i + 1).to_string(), cell.key[..KEY_SHOWN].to_owned(), state.to_owned()];
            row.extend(named().map(|coordinate| coordinate.shown(&cell.spec)));
            row.extend([
                planned.spec.labels.allocator.clone(),
                grouped(planned.jobs as f64, 0),
                percent(planned.cost),
            ]);
            table.add(row);
        }
        // A column with the same value in every row is dropped, and its value is shown once above the table.
        let titles: Vec<&str> = named().map(Coordinate::title).chain(["jobs"]).collect();
        let shared = table.drop_constant(&titles);
        let is_news = |(_, text): &&(String, String)| text != RECORDED;
        let shared: Vec<String> =
            shared.iter().filter(is_news).map(|(title, cell)| format!("{title} {cell}")).collect();
        let gap = if shared.is_empty() { "" } else { "\n" };
        let above = screen.items(&shared) + gap;
        let count = share.len();
        let of = if count == study.cells.len() {
            String::new()
        } else {
            format!(" of {}, {} of the cost", study.cells.len(), percent(cost))
        };
        format!(
            "{above}{}\n {count} cells{of}: {finished} done, {left} to do\n",
            screen.table(&table, &LEAST_USEFUL)
        )
    }
}
