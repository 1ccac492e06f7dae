//! Lists the cells of a sweep as a table, for a dry run.

use super::whole::Sweep;
use crate::text::{Align, LongTable, LongText, Screen, grouped};
use meshreplay_base::words::counted;
use meshreplay_sim::execution::RECORDED;
use meshreplay_study::study::Coordinate;

/// The number of characters of a content key that are shown.
const KEY_SHOWN: usize = 12;

/// The columns that are left out where there is no room, the least useful first.
const LEAST_USEFUL: [&str; 8] = ["key", "rules", "network", "jobs", "log", "scheduler", "machine", "seed"];

impl Sweep {
    /// Returns a table of all cells of the study with their keys, states and costs. Below the table stands
    /// how many of this process's cells are done and to do. Columns that have no room on the screen are left
    /// out and named.
    pub fn listing(&self, screen: Screen) -> String {
        let Self { study, share, .. } = self;
        // The allocator differs in most rows, so its column is the last one.
        let is_given = |row: &Coordinate| study.cells.iter().any(|cell| row.is_given(&cell.spec));
        let named: Vec<&Coordinate> =
            Coordinate::listed().filter(|row| row.name != "allocator" && is_given(row)).collect();
        let left = ["replay", "key", "state"].into_iter().chain(named.iter().map(|row| row.title()));
        let mut columns = left.chain(["allocator"]).map(|title| (title, Align::Left)).collect::<Vec<_>>();
        columns.extend([("jobs", Align::Right), ("cost", Align::Right)]);
        let total: u64 = study.cells.iter().map(|cell| cell.cost).sum();
        let percent = |cost: u64| grouped(100.0 * cost as f64 / total as f64, 1) + "%";
        let done: Vec<bool> = (0..study.cells.len()).map(|i| self.is_done(i)).collect();
        let row = |i: usize| {
            let (planned, mine) = (&study.cells[i], share.binary_search(&i).is_ok());
            let state = match (done[i], mine) {
                (true, _) => "done",
                (false, true) => "to do",
                (false, false) => "another shard's",
            };
            let mut row = vec![i.to_string(), planned.key[..KEY_SHOWN].to_owned(), state.to_owned()];
            row.extend(named.iter().map(|coordinate| coordinate.shown(&planned.spec)));
            row.extend([
                planned.spec.labels.allocator.clone(),
                grouped(planned.jobs as f64, 0),
                percent(planned.cost),
            ]);
            row
        };
        // A column with the same value in every row is dropped, and its value is shown once above the table.
        let titles: Vec<&str> = named.iter().map(|row| row.title()).chain(["jobs"]).collect();
        let table =
            LongTable { columns: &columns, height: study.cells.len(), row: &row, if_different: &titles };
        let LongText { shared, text } = table.text(screen, &LEAST_USEFUL);
        let finished = share.iter().filter(|&&i| done[i]).count();
        let left = share.len() - finished;
        let cost: u64 = share.iter().map(|&i| study.cells[i].cost).sum();
        let is_news = |(_, text): &&(String, String)| text != RECORDED;
        let shared: Vec<String> =
            shared.iter().filter(is_news).map(|(title, cell)| format!("{title} {cell}")).collect();
        let gap = if shared.is_empty() { "" } else { "\n" };
        let above = screen.items(&shared) + gap;
        let count = counted(share.len(), "cell");
        let of = if share.len() == study.cells.len() {
            String::new()
        } else {
            format!(" of {}, {} of the cost", study.cells.len(), percent(cost))
        };
        format!("{above}{text}\n {count}{of}: {finished} done, {left} to do\n")
    }
}
