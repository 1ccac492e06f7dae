//! The tables of dispersal and of cost: rows are logs and machines, columns allocators, with a block per
//! scheduler and load and a panel per measure. Nothing but seeds is averaged.

mod names;

pub(super) use names::{title_of_number, with_unit};

use std::collections::BTreeMap;

use super::verdict::{Marks, OVERLOADED, SavedAnswer};
use meshreplay_figures::{FigureError, Results};
use meshreplay_results::text::{
    ColumnClass, Grid, Labelled, Layout, LayoutBlock, PaperCell, PaperTable, decimals, grouped,
};
use meshreplay_sim::metrics::{METRICS, Metric, Needs, OF_WAITS};
use meshreplay_study::study::Coordinate;
use std::path::Path;

/// A kind of table: a row of [`LAYOUTS`].
#[derive(Debug)]
pub struct LayoutKind {
    /// The name, such as `dispersal`.
    pub name: &'static str,
    title: &'static str,
    /// The numbers that are shown if none are chosen.
    measures: &'static [&'static str],
}

/// All kinds of tables.
pub const LAYOUTS: &[LayoutKind] = &[
    LayoutKind {
        name: "dispersal",
        title: "Dispersal of jobs by allocator",
        measures: &["pairwise_sum_mean", "pairwise_ratio_to_bound_mean", "wait_s_mean"],
    },
    LayoutKind {
        name: "cost",
        title: "Cost of allocators",
        measures: &["calls_ns_per_job", "allocate_ns_p99", "allocate_failures"],
    },
];

/// Why there is no table.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// The results cannot be read.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// No result has the number.
    #[error("no result has a value of {name}, which is there {when}")]
    NoNumbers {
        /// The name of the column.
        name: &'static str,
        /// The condition under which summaries have it.
        when: &'static str,
    },
    /// A coordinate in the summary cannot be read.
    #[error("{}: a replay cannot be read; replay again", .0.display())]
    Unreadable(std::path::PathBuf),
}

/// A table for readers and the same numbers for programs.
#[derive(Debug)]
pub struct LayoutTables {
    /// The table in blocks.
    pub shown: Layout,
    /// One row per block, row and measure with all decimals.
    pub data: PaperTable,
}

/// The columns of the summary that name the rows of a block, without the load.
const ROW: [&str; 2] = ["log", "machine"];
/// The coordinates in the rows, the columns, and the means.
const INSIDE: [&str; 4] = ["log", "machine", "allocator", "seed"];
/// The column of the load.
const LOAD: &str = "offered_load";

/// Returns the table of this kind of the results in `folder`, with these numbers, or the numbers of the kind.
pub fn layout(
    folder: &Path,
    results: &Results,
    kind: &LayoutKind,
    chosen: &[&'static Metric],
) -> Result<LayoutTables, LayoutError> {
    let of_kind =
        || kind.measures.iter().filter_map(|name| METRICS.iter().find(|metric| metric.name() == *name));
    let measures: Vec<&'static Metric> =
        if chosen.is_empty() { of_kind().collect() } else { chosen.to_vec() };
    for metric in &measures {
        if !results.table.has_number(metric.name()) {
            let when = metric.column.needs;
            let when = if when == Needs::Nothing { "for machines that support it" } else { when.words() };
            return Err(LayoutError::NoNumbers { name: metric.name(), when });
        }
    }
    let outer: Vec<&'static Coordinate> = Coordinate::by_place()
        .into_iter()
        .filter(|row| row.name == "scheduler" || results.varying.contains(&row.name))
        .filter(|row| !INSIDE.contains(&row.name))
        .collect();
    let answer = SavedAnswer::read(folder, results)?;
    let making = Making::new(results, measures, outer, &answer)?;
    Ok(LayoutTables { shown: making.shown(kind.title), data: making.data() })
}

/// Returns the columns of a row that have results, and the rows of the summary in each of them.
fn filled(cells: &[Vec<usize>]) -> (Vec<usize>, Vec<&[usize]>) {
    cells
        .iter()
        .enumerate()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(j, rows)| (j, rows.as_slice()))
        .unzip()
}

/// A table in the making.
struct Making<'a> {
    results: &'a Results,
    measures: Vec<&'static Metric>,
    /// The coordinates that tell blocks apart.
    outer: Vec<&'static Coordinate>,
    grid: Grid,
    /// The marks of each cell that has results, by row and column.
    marks: BTreeMap<(usize, usize), Marks>,
    /// The columns in the order in which they are shown.
    columns: Vec<usize>,
    /// The number of columns with allocators that take any free nodes, which come first.
    any: usize,
}

impl<'a> Making<'a> {
    fn new(
        results: &'a Results,
        measures: Vec<&'static Metric>,
        outer: Vec<&'static Coordinate>,
        answer: &SavedAnswer<'_>,
    ) -> Result<Self, LayoutError> {
        let names = || outer.iter().map(|row| row.name).chain(ROW);
        let labelled = |row: usize| -> Labelled {
            (
                row,
                names().map(|name| results.label(row, name)).collect(),
                vec![results.label(row, "allocator")],
            )
        };
        let grid = Grid::new(&(0..results.table.height()).map(labelled).collect::<Vec<_>>());
        let unreadable = || LayoutError::Unreadable(results.table.path.clone());
        // An allocator has one class, that of its column.
        let mut takes_any = vec![true; grid.columns.len()];
        for cells in &grid.cells {
            let (filled, replays) = filled(cells);
            let found = answer.take_any(&replays).ok_or_else(unreadable)?;
            filled.into_iter().zip(found).for_each(|(j, any)| takes_any[j] &= any);
        }
        let mut marks = BTreeMap::new();
        for (i, cells) in grid.cells.iter().enumerate() {
            let (filled, replays) = filled(cells);
            let classes: Vec<bool> = filled.iter().map(|&j| takes_any[j]).collect();
            let found = answer.marks(&replays, &classes, &measures).ok_or_else(unreadable)?;
            marks.extend(filled.into_iter().map(|j| (i, j)).zip(found));
        }
        let (any, fitting): (Vec<usize>, Vec<usize>) = (0..grid.columns.len()).partition(|&j| takes_any[j]);
        let count = any.len();
        Ok(Self { results, measures, outer, grid, marks, columns: [any, fitting].concat(), any: count })
    }

    /// Returns the mean over seeds of a number in a cell, as it is shown.
    fn value(&self, metric: &Metric, i: usize, j: usize) -> Option<f64> {
        let rows = &self.grid.cells[i][j];
        let numbers: Vec<f64> =
            rows.iter().filter_map(|&row| self.results.table.number(metric.name(), row)).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        (!numbers.is_empty()).then_some(mean)
    }

    /// Returns the mean load of the replays of a row; `None` without one.
    fn load(&self, i: usize) -> Option<f64> {
        let rows = self.grid.cells[i].iter().flatten();
        let loads: Vec<f64> = rows.filter_map(|&row| self.results.table.number(LOAD, row)).collect();
        (!loads.is_empty()).then(|| loads.iter().sum::<f64>() / loads.len() as f64)
    }

    /// Returns the load of a row with two decimals; a dash without one.
    fn load_text(&self, i: usize) -> String {
        self.load(i).map_or_else(|| "—".to_owned(), |load| format!("{load:.2}"))
    }

    /// Returns the table in blocks.
    fn shown(&self, title: &str) -> Layout {
        let logs = self.logs();
        let mut blocks = Vec::new();
        let depth = self.outer.len();
        let rows: Vec<usize> = (0..self.grid.rows.len()).collect();
        let is_same = |a: &usize, b: &usize| self.grid.rows[*a][..depth] == self.grid.rows[*b][..depth];
        for block in rows.chunk_by(is_same) {
            let loads: Vec<String> = block.iter().map(|&i| self.load_text(i)).collect();
            let is_one = loads.iter().all(|load| *load == loads[0]);
            let mut words = self.block_words(block[0]);
            words.extend(is_one.then(|| format!("load {}", loads[0])));
            let panels = (0..self.measures.len()).map(|k| self.panel(k, block, &logs, &loads, !is_one));
            blocks.push(LayoutBlock { title: words.join(", "), panels: panels.collect() });
        }
        let class = |title: &str, columns| ColumnClass { title: title.to_owned(), columns };
        let mut classes = vec![class("any free nodes", self.any)];
        classes.push(class("fitting places", self.columns.len() - self.any));
        classes.retain(|class| class.columns > 0);
        Layout { title: title.to_owned(), classes, blocks, notes: self.notes(&logs) }
    }

    /// Returns the words for the block of a row: scheduler, arrivals and so on.
    fn block_words(&self, i: usize) -> Vec<String> {
        let first = self.grid.cells[i].iter().flatten().next().copied().unwrap_or_default();
        let spec = self.results.spec(first);
        let word = |(row, label): (&&'static Coordinate, &String)| match row.name {
            "scheduler" => names::scheduler(label),
            "arrival_scale" => arrivals(label),
            _ => spec.as_ref().map_or_else(|| label.clone(), |spec| row.phrase(spec)),
        };
        self.outer.iter().zip(&self.grid.rows[i]).map(word).collect()
    }

    /// Returns the names of logs for readers, by label.
    fn logs(&self) -> BTreeMap<String, String> {
        let at = self.outer.len();
        let mut labels: Vec<&str> = self.grid.rows.iter().map(|row| row[at].as_str()).collect();
        labels.sort_unstable();
        labels.dedup();
        let named = names::logs(&labels);
        labels.into_iter().map(str::to_owned).zip(named).collect()
    }

    /// Returns the panel of a measure in a block.
    fn panel(
        &self,
        k: usize,
        block: &[usize],
        logs: &BTreeMap<String, String>,
        loads: &[String],
        has_loads: bool,
    ) -> PaperTable {
        let (metric, at) = (self.measures[k], self.outer.len());
        let factor = metric.display.factor();
        let value = |i: usize, j: usize| Some(factor * self.value(metric, i, j)?);
        let values: Vec<Vec<Option<f64>>> =
            block.iter().map(|&i| self.columns.iter().map(|&j| value(i, j)).collect()).collect();
        let places = decimals(&values).min(metric.display.decimals());
        let cell = |i: usize, j: usize| {
            let mark = self.marks.get(&(i, j)).cloned().unwrap_or_default();
            let is_late = mark.is_overloaded && OF_WAITS.contains(&metric.name());
            let sign = if is_late { format!("{OVERLOADED} ") } else { String::new() };
            let text = value(i, j).map(|value| sign + &grouped(value, places)).unwrap_or_default();
            PaperCell { text, best: mark.best.get(k).copied().unwrap_or_default() }
        };
        let row = |(&i, load): (&usize, &String)| {
            let (log, machine) = (&self.grid.rows[i][at], &self.grid.rows[i][at + 1]);
            let mut labels = vec![logs.get(log).unwrap_or(log).clone(), names::machine(machine)];
            labels.extend(has_loads.then(|| load.clone()));
            (labels, self.columns.iter().map(|&j| cell(i, j)).collect())
        };
        let mut corner: Vec<String> = ROW.map(str::to_owned).to_vec();
        corner.extend(has_loads.then(|| "load".to_owned()));
        PaperTable {
            title: names::with_unit(metric),
            corner,
            columns: self.columns.iter().map(|&j| self.grid.columns[j].clone()).collect(),
            rows: block.iter().zip(loads).map(row).collect(),
            ..PaperTable::default()
        }
    }

    /// Returns the notes, with which a reader needs no other page.
    fn notes(&self, logs: &BTreeMap<String, String>) -> Vec<String> {
        let marks = || self.marks.values();
        let meaning =
            |metric: &&Metric| format!("{}: {}.", names::title_of_number(metric), metric.column.meaning);
        let mut notes: Vec<String> = self.measures.iter().map(meaning).collect();
        notes.push(
            "load: requested node-seconds per node-second between the first and the last submission, or of \
             the period."
                .to_owned(),
        );
        if (1..self.columns.len()).contains(&self.any) {
            let names = |columns: &[usize]| {
                columns.iter().map(|&j| self.grid.columns[j][0].as_str()).collect::<Vec<_>>().join(", ")
            };
            let (any, fitting) = self.columns.split_at(self.any);
            notes.push(format!(
                "Any free nodes ({}): no job waited while enough nodes were free. Fitting places ({}): in \
                 some row jobs waited for a place that fits, or held more nodes than requested.",
                names(any),
                names(fitting),
            ));
        }
        notes.extend(self.note_on_period());
        notes.extend(self.note_on_bold());
        let is_late = |mark: &Marks| mark.is_overloaded;
        if marks().any(is_late) && self.measures.iter().any(|metric| OF_WAITS.contains(&metric.name())) {
            notes.push(format!(
                "{OVERLOADED}: overloaded; waits grow with the length of the log and are not compared."
            ));
        }
        if marks().any(|mark| !mark.is_comparable) {
            notes.push(
                "Results whose means are over other jobs than their neighbours are never bold.".to_owned(),
            );
        }
        let most = self.grid.cells.iter().flatten().map(Vec::len).max().unwrap_or_default();
        notes.extend((most > 1).then(|| format!("Numbers are means over up to {most} seeds.")));
        let renamed = logs.iter().filter(|(label, name)| label != name);
        let renamed: Vec<String> = renamed.map(|(label, name)| format!("{name} is {label}")).collect();
        notes.extend((!renamed.is_empty()).then(|| format!("{}.", renamed.join("; "))));
        notes
    }

    /// Returns the note on the period that the numbers cover; `None` if they cover whole logs.
    fn note_on_period(&self) -> Option<String> {
        self.results.table.column("period")?;
        let mut periods: Vec<String> =
            (0..self.results.table.height()).map(|row| self.results.label(row, "period")).collect();
        periods.sort_unstable();
        periods.dedup();
        Some(match periods.as_slice() {
            [one] => format!("Numbers cover the period {one} s of the log."),
            _ => "Numbers cover the period of each replay, where it has one.".to_owned(),
        })
    }

    fn note_on_bold(&self) -> Option<String> {
        let compared = |metric: &&&Metric| metric.is_compared;
        let (some, others): (Vec<&&Metric>, Vec<_>) = self.measures.iter().partition(compared);
        let titles = |metrics: &[&&Metric]| {
            metrics.iter().map(|metric| names::title_of_number(metric)).collect::<Vec<_>>().join(", ")
        };
        if some.is_empty() {
            return None;
        }
        let of_what = if (1..self.columns.len()).contains(&self.any) { "its kind" } else { "its row" };
        let has_intervals = self.marks.values().all(|mark| mark.has_interval);
        let near = if has_intervals {
            "with those that do not differ significantly from it (95 % intervals from parts of the log or \
             from seeds; within 0.1 % where there are none)"
        } else {
            "and those within 0.1 % of it, as there are no intervals: they need jobs of several replays \
             (sweep --jobs keeps them)"
        };
        let unmarked =
            if others.is_empty() { String::new() } else { format!(" Never bold: {}.", titles(&others)) };
        Some(format!("Bold: the lowest of {of_what}, {near}.{unmarked}"))
    }

    /// Returns the numbers for programs: exact, with full labels.
    fn data(&self) -> PaperTable {
        let mut corner: Vec<String> = self.outer.iter().map(|row| row.name.to_owned()).collect();
        corner.extend(ROW.iter().chain(&[LOAD, "measure"]).map(|name| (*name).to_owned()));
        let mut rows = Vec::new();
        for (i, labels) in self.grid.rows.iter().enumerate() {
            let load = self.load(i);
            for metric in &self.measures {
                let mut labels = labels.clone();
                labels.push(load.map(|load| load.to_string()).unwrap_or_default());
                labels.push(metric.name().to_owned());
                let text = |&j: &usize| self.value(metric, i, j).map(|value| value.to_string());
                let cell = |j| PaperCell { text: text(j).unwrap_or_default(), best: false };
                rows.push((labels, self.columns.iter().map(cell).collect()));
            }
        }
        let columns = self.columns.iter().map(|&j| self.grid.columns[j].clone()).collect();
        PaperTable { corner, columns, rows, ..PaperTable::default() }
    }
}

/// Returns a factor of arrival times in words: `arrivals ×0.8 (1.25 times the load of the log)`.
fn arrivals(label: &str) -> String {
    match label.parse::<f64>() {
        Ok(scale) if (scale - 1.0).abs() > 0.0 && scale > 0.0 => {
            let times = format!("{:.2}", 1.0 / scale);
            let times = times.trim_end_matches('0').trim_end_matches('.');
            format!("arrivals ×{label} ({times} times the load of the log)")
        }
        _ => "arrivals as in the log".to_owned(),
    }
}
