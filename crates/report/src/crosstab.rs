//! Saved results as a table with one number for each row and column, as papers print them.
//! Cells are comparable if no other column differs within them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::verdict::OVERLOADED;
use meshreplay_alloc::allocator;
use meshreplay_base::spec::{SpecError, unknown};
use meshreplay_figures::{InMeans, Ratios};
use meshreplay_logs::Partitions;
use meshreplay_results::frame::{Column, FrameError, Numbers, SavedTable};
use meshreplay_results::text::{Grid, Labelled, PaperCell, PaperTable, Side, best, decimals, grouped};
use meshreplay_sim::metrics::{Better, Interval, Metric, OF_WAITS, metric};
use meshreplay_study::study::Coordinate;

/// The content and the form of a table.
#[derive(Clone, Debug)]
pub struct CrosstabOptions {
    /// The columns of the summary with the labels of the rows.
    pub rows: Vec<String>,
    /// The columns of the summary with the labels of the columns.
    pub columns: Vec<String>,
    /// The column of the summary that is shown.
    pub value: String,
    /// The label of the row or column to divide by; `None` to show the numbers themselves.
    pub relative_to: Option<String>,
    /// Which numbers are marked as best; `None` to take this from the registry of metrics.
    pub best: Option<Better>,
    /// The numbers that are compared for the best.
    pub along: Along,
    /// The number of decimals; `None` to show four digits of the largest number, or all digits if `exact`.
    pub decimals: Option<u8>,
    /// Whether numbers are not rounded, and shared labels are repeated in each column, for other programs.
    pub exact: bool,
}

impl CrosstabOptions {
    /// Returns which numbers of these results are marked as best. Utilization by nodes that no job requested
    /// is no merit.
    fn best(&self, table: &SavedTable) -> Better {
        match self.best {
            Some(best) => best,
            None if self.value == "utilization" && has_unasked(table) => Better::Neither,
            None => better(&self.value),
        }
    }
}

/// Returns true if jobs of some result hold nodes that they did not request.
pub(super) fn has_unasked(table: &SavedTable) -> bool {
    table.has_positive("internal_fragmentation")
}

/// The note on utilization without a best number.
const UNASKED: &str =
    "utilization counts nodes that no job asked for, and none is marked; useful_utilization leaves them out";

/// Columns of numbers that a message lists.
const LISTED: usize = 8;

/// The note on intervals of means over replications.
const OVER_SEEDS: &str = "± is half the width of the 95 % confidence interval over seeds";

/// The note on ratios of means over different jobs, see [`HiddenColumns::is_of_other_jobs`].
const OTHER_JOBS: &str = "some ratios are of means over other jobs, see the column jobs_in_means";

/// The note on cells with the mark of overload.
const OVERLOAD: &str = "† is overloaded: its times grow with the length of the log and are not compared";

/// The note on columns without a best number.
const UNMARKED: &str =
    "means over different numbers of jobs are not compared, and none is marked, see the column jobs_in_means";

/// The note on columns with means over different results.
const OTHER_RESULTS: &str = "means over different results are not compared, and none is marked; \
     --relative-to compares those that both have";

/// Why results cannot be shown in a table.
#[derive(Debug, thiserror::Error)]
pub enum CrosstabError {
    /// The results cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A column is named both for the rows and for the columns.
    #[error("'{0}' is among --rows and among --columns; give it once")]
    Twice(String),
    /// The results have no column with this name.
    #[error("{option}")]
    Unknown {
        /// The option that names the column.
        option: &'static str,
        /// The message, which lists the known columns.
        source: SpecError,
    },
    /// The column to show holds text and no numbers.
    #[error("--value '{name}' holds no numbers (one of: {known})")]
    NoNumbers {
        /// The name of the column.
        name: String,
        /// The names of the columns of numbers.
        known: String,
    },
    /// The base of the ratios is not a label, or is several labels.
    #[error("--relative-to '{given}' {} (one of: {known})", if *.is_ambiguous { "is several \
         labels" } else { "is no label" })]
    Baseline {
        /// The text that the user gave.
        given: String,
        /// Whether it fits several labels; if false, it fits none.
        is_ambiguous: bool,
        /// The labels of the table.
        known: String,
    },
}

impl CrosstabError {
    /// Returns whether the command line is at fault, because it asks for something that does not exist. If
    /// false, a file is at fault.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Frame(_))
    }
}

/// Returns the table that the options describe. The table has no rows if no result has a value.
///
/// Ratios have confidence intervals if the jobs in `folder`, or several seeds, allow it.
pub fn crosstab(
    table: &SavedTable,
    folder: &Path,
    options: &CrosstabOptions,
) -> Result<PaperTable, CrosstabError> {
    if let Some(name) = options.rows.iter().find(|name| options.columns.contains(name)) {
        return Err(CrosstabError::Twice(name.clone()));
    }
    let rows = labels(table, "--rows", &options.rows)?;
    let columns = labels(table, "--columns", &options.columns)?;
    let numbers = numbers(table, &options.value)?;
    let shown = |column: &Column, i: usize| match column.name.as_str() {
        "partition" if !options.exact => partition_label(&column.label(i)),
        _ => column.label(i),
    };
    let label = |of: &[&Column], i: usize| of.iter().map(|column| shown(column, i)).collect();
    let results: Vec<Labelled> = (0..table.height())
        .filter(|i| numbers.get(*i).is_some())
        .map(|i| (i, label(&rows, i), label(&columns, i)))
        .collect();
    let is_shown = |name: &str| options.rows.iter().chain(&options.columns).any(|other| other == name);
    let hidden = HiddenColumns::among(table, identity().filter(|name| !is_shown(name)));
    let grid = Grid::new(&results);
    let crosstab = Crosstab { table, options, numbers, hidden, grid, best: options.best(table) };
    let mut content = match &options.relative_to {
        Some(base) => crosstab.ratios(base, folder)?,
        None => crosstab.means(),
    };
    let is_unasked =
        crosstab.best == Better::Neither && options.best.is_none() && options.value == "utilization";
    content.notes.extend(is_unasked.then(|| UNASKED.to_owned()));
    Ok(crosstab.shown(content))
}

/// Returns the partitions of a replay for people: by their names, without the spelling of the command line.
pub(super) fn partition_label(label: &str) -> String {
    label.parse::<Partitions>().map_or_else(|_| label.to_owned(), |chosen| chosen.label())
}

/// A table in the making: its results and its form.
struct Crosstab<'a> {
    table: &'a SavedTable,
    options: &'a CrosstabOptions,
    /// The numbers of the column that is shown.
    numbers: &'a Numbers,
    hidden: HiddenColumns<'a>,
    grid: Grid,
    /// Which numbers are marked as best.
    best: Better,
}

/// Numbers by row and column; `None` where there is none.
type Values = Vec<Vec<Option<f64>>>;

/// A 95 % confidence interval beside a number.
#[derive(Clone, Copy)]
enum Spread {
    /// Half its width.
    Half(f64),
    /// Its ends.
    Ends([f64; 2]),
}

/// The content of a table.
struct Content {
    title: String,
    values: Values,
    /// Confidence intervals by row and column; `None` without any.
    intervals: Option<Vec<Vec<Option<Spread>>>>,
    /// By row and column, whether overload decides the number.
    overloaded: Vec<Vec<bool>>,
    /// The cells that are compared for the best of them, and comparable.
    compared: Vec<Vec<Cell>>,
    /// The number of decimals, unless the user asked for another one.
    decimals: usize,
    notes: Vec<String>,
}

impl Crosstab<'_> {
    /// Returns the sum of the numbers of some results.
    fn sum(&self, rows: &[usize]) -> f64 {
        rows.iter().filter_map(|&i| self.numbers.get(i)).fold(0.0, |sum, number| sum + number)
    }

    /// Returns the mean of the numbers of some results; `None` without any.
    fn mean(&self, rows: &[usize]) -> Option<f64> {
        (!rows.is_empty()).then(|| self.sum(rows) / rows.len() as f64)
    }

    /// Returns whether the numbers are times that measure the length of the log in one of these results.
    fn is_overloaded(&self, rows: &[usize]) -> bool {
        OF_WAITS.contains(&&*self.options.value)
            && rows.iter().any(|&row| self.table.number("overloaded", row).is_some_and(|is| is > 0.0))
    }

    /// Returns whether the numbers are means over the jobs in means.
    fn is_of_jobs(&self) -> bool {
        metric(&self.options.value).is_some_and(Metric::is_over_jobs_in_means)
    }

    /// Returns a table of the numbers themselves.
    fn means(&self) -> Content {
        let Self { options, hidden, grid, .. } = self;
        let counts = grid.map(<[usize]>::len).concat();
        let counts: Vec<usize> = counts.into_iter().filter(|count| *count > 0).collect();
        let most = counts.iter().max().copied().unwrap_or_default();
        let mut notes: Vec<String> = self.mean_note(&counts).into_iter().collect();
        // Confidence intervals make sense only for replications, which differ only in the seed.
        let intervals = if hidden.is_seed() && most > 1 && !options.exact {
            some(grid.map(|rows| {
                let values: Vec<f64> = rows.iter().filter_map(|&i| self.numbers.get(i)).collect();
                // Equal results do not depend on the seed.
                Interval::of(&values)
                    .map(|interval| interval.half_width)
                    .filter(|&half_width| half_width > 0.0)
                    .map(Spread::Half)
            }))
        } else {
            None
        };
        notes.extend(intervals.is_some().then(|| OVER_SEEDS.to_owned()));
        let mut compared = rivals(options, grid);
        let rows_of = |rivals: &Vec<Cell>| {
            let cells = rivals.iter().map(|cell| grid.cells[cell.row][cell.column].as_slice());
            cells.filter(|rows| !rows.is_empty()).collect::<Vec<_>>()
        };
        let are_alike =
            |rivals: &Vec<Cell>| !self.is_of_jobs() || hidden.are_alike(rows_of(rivals).into_iter());
        let are_complete = |rivals: &Vec<Cell>| hidden.are_complete(rows_of(rivals).into_iter());
        if self.best != Better::Neither {
            notes.extend((!compared.iter().all(are_alike)).then(|| UNMARKED.to_owned()));
            notes.extend((!compared.iter().all(are_complete)).then(|| OTHER_RESULTS.to_owned()));
        }
        compared.retain(|rivals| are_alike(rivals) && are_complete(rivals));
        let overloaded = grid.map(|rows| self.is_overloaded(rows));
        let values = grid.map(|rows| self.mean(rows));
        // Single counts are shown without decimals.
        let is_whole = self.table.column(&options.value).is_some_and(Column::is_whole);
        let decimals = if is_whole && most == 1 { 0 } else { decimals(&values) };
        Content { title: options.value.clone(), intervals, compared, decimals, values, overloaded, notes }
    }

    /// Returns a table of the ratios to the results with the label that the user means by `base`.
    fn ratios(&self, base: &str, folder: &Path) -> Result<Content, CrosstabError> {
        let Self { options, hidden, grid, .. } = self;
        let (side, base) = baseline(options, grid, base)?;
        let mut operands = grid.with_base(side, base);
        // A base of 0 has no ratio.
        let ratio = |of: Option<f64>, base: Option<f64>| Some(of? / base.filter(|base| base.abs() > 0.0)?);
        let mut values: Values = each(&operands, |[of, base]| ratio(self.mean(of), self.mean(base)));
        let mut has_cut = false;
        for (value, both) in values.iter_mut().flatten().zip(operands.iter_mut().flatten()) {
            if hidden.pair(both) {
                has_cut = true;
                let ratio = self.sum(&both[0]) / self.sum(&both[1]);
                *value = value.and(Some(ratio)).filter(|ratio| ratio.is_finite());
            }
        }
        let ratios = operands.iter().flatten().filter(|both| !both.iter().any(Vec::is_empty));
        let counts: Vec<usize> = ratios.flatten().map(Vec::len).collect();
        let mut notes: Vec<String> = self.mean_note(&counts).into_iter().collect();
        let mut intervals = None;
        if !options.exact {
            let ratios = Ratios::read(self.table, &options.value, folder)?;
            let is_single = hidden.names().is_empty() || hidden.is_seed();
            intervals = some(each(&operands, |[of, base]| {
                if self.is_overloaded(of) || self.is_overloaded(base) {
                    return None;
                }
                let ends = if is_single {
                    ratios.ends(of, base)
                } else {
                    ratios.ends_over_results(of, base).or_else(|| ratios.ends_over_seeds(of, base))
                };
                ends.map(Spread::Ends)
            }));
            notes.extend(intervals.is_some().then(|| interval_note(hidden)));
        }
        notes.extend(has_cut.then(|| cut_note(hidden).to_owned()));
        let is_of_same = |cell: &Cell| !hidden.is_of_other_jobs(&operands[cell.row][cell.column]);
        let mut compared = rivals(options, grid);
        let count = compared.len();
        compared.retain(|rivals| !self.is_of_jobs() || rivals.iter().all(is_of_same));
        notes.extend((compared.len() < count).then(|| OTHER_JOBS.to_owned()));
        let title = format!("{} relative to {base}", options.value);
        let is_overloaded = |[of, base]: &Operands| self.is_overloaded(of) || self.is_overloaded(base);
        let overloaded = operands.iter().map(|row| row.iter().map(is_overloaded).collect()).collect();
        Ok(Content { title, intervals, compared, decimals: decimals(&values), values, overloaded, notes })
    }

    /// Returns a note on the numbers of results that the numbers are means of; `None` if each number is a
    /// single result.
    fn mean_note(&self, counts: &[usize]) -> Option<String> {
        let (fewest, most) = (counts.iter().min()?, counts.iter().max()?);
        if *most < 2 {
            return None;
        }
        let count = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
        let hidden = self.hidden.names();
        let over = if hidden.is_empty() {
            String::new()
        } else {
            format!(", which differ in {}", hidden.join(", "))
        };
        let what = if self.options.relative_to.is_some() { "ratio of means" } else { "mean" };
        Some(format!("each number is the {what} of {count} results{over}"))
    }

    fn shown(&self, content: Content) -> PaperTable {
        let Self { options, grid, .. } = self;
        let Content { mut title, values, intervals, compared, decimals, overloaded, mut notes } = content;
        let has_mark = !options.exact && overloaded.iter().flatten().any(|&is_overloaded| is_overloaded);
        notes.extend(has_mark.then(|| OVERLOAD.to_owned()));
        let text = |value: f64| match (options.exact, options.decimals) {
            (true, None) => value.to_string(),
            (true, Some(decimals)) => format!("{value:.*}", usize::from(decimals)),
            (false, given) => grouped(value, given.map_or(decimals, usize::from)),
        };
        // Numbers with the same text count as equal, so that the table never marks only one of them.
        let mut bests = grid.map(|_| false);
        for mut rivals in compared {
            rivals.retain(|cell| !overloaded[cell.row][cell.column]);
            let numbers: Vec<Option<f64>> = rivals.iter().map(|cell| values[cell.row][cell.column]).collect();
            let found = best(&numbers, self.best, |a, b| text(a) == text(b));
            rivals.iter().zip(found).for_each(|(cell, best)| bests[cell.row][cell.column] = best);
        }
        let cell = |i: usize, j: usize| {
            let spread = match intervals.as_ref().and_then(|intervals| intervals[i][j]) {
                Some(Spread::Half(width)) => format!(" ±{}", text(width)),
                Some(Spread::Ends([low, high])) => format!(" [{}, {}]", text(low), text(high)),
                None => String::new(),
            };
            let mark = if has_mark && overloaded[i][j] { format!("{OVERLOADED} ") } else { String::new() };
            let text = values[i][j].map(|value| mark + &text(value) + &spread).unwrap_or_default();
            PaperCell { text, best: bests[i][j] }
        };
        let row = |(i, labels): (usize, &Vec<String>)| {
            (labels.clone(), (0..grid.columns.len()).map(|j| cell(i, j)).collect())
        };
        let rows = grid.rows.iter().enumerate().map(row).collect();
        let (mut columns, mut column_names) = (grid.columns.clone(), options.columns.clone());
        if !options.exact {
            for shared in take_shared(&mut column_names, &mut columns) {
                title = format!("{title} · {shared}");
            }
        }
        let (corner, least_useful) = (options.rows.clone(), Vec::new());
        PaperTable { title, corner, column_names, columns, rows, notes, least_useful }
    }
}

/// Maps the operands of each ratio, by row and column.
fn each<T>(operands: &[Vec<Operands>], of: impl Fn(&Operands) -> Option<T>) -> Vec<Vec<Option<T>>> {
    operands.iter().map(|row| row.iter().map(&of).collect()).collect()
}

/// Returns the values; `None` if all are missing.
fn some<T>(values: Vec<Vec<Option<T>>>) -> Option<Vec<Vec<Option<T>>>> {
    values.iter().flatten().any(Option::is_some).then_some(values)
}

/// Returns the note on ratios with results left out on one side.
fn cut_note(hidden: &HiddenColumns<'_>) -> &'static str {
    if hidden.is_seed() {
        "a ratio is over the seeds that both of its results have"
    } else {
        "a ratio is over the results that both sides have"
    }
}

/// Returns the note on the confidence intervals of ratios.
fn interval_note(hidden: &HiddenColumns<'_>) -> String {
    let over = if hidden.is_seed() {
        "over seeds, or from five parts of the log where all seeds give the same"
    } else if hidden.names().contains(&"seed") {
        "from five parts of the log, or over the means of each seed where results keep no jobs"
    } else {
        "from five parts of the log"
    };
    format!("[ ] is the 95 % confidence interval of each ratio by itself, {over}")
}

/// Returns the columns of the summary with these names. Fails if one does not exist.
fn labels<'a>(
    table: &'a SavedTable,
    option: &'static str,
    names: &[String],
) -> Result<Vec<&'a Column>, CrosstabError> {
    let known = || table.columns.iter().map(|column| column.name.as_str());
    let unknown = |name| CrosstabError::Unknown { option, source: unknown("column", name, known()) };
    names.iter().map(|name| table.column(name).ok_or_else(|| unknown(name))).collect()
}

/// Returns the numbers of a column. Fails if it has none.
fn numbers<'a>(table: &'a SavedTable, name: &str) -> Result<&'a Numbers, CrosstabError> {
    let numeric = || table.columns.iter().filter(|column| column.numbers().is_some());
    let known = || numeric().map(|column| column.name.as_str());
    let column = table.column(name).ok_or_else(|| CrosstabError::Unknown {
        option: "--value",
        source: unknown("column", name, known()),
    })?;
    column.numbers().ok_or_else(|| CrosstabError::NoNumbers {
        name: name.to_owned(),
        known: known().take(LISTED).collect::<Vec<_>>().join(", ") + ", …",
    })
}

/// Returns the names of the columns that identify a result. Results that differ in one of them are different.
/// The last three are of the frames of shapes and slices.
fn identity() -> impl Iterator<Item = &'static str> {
    Coordinate::listed().map(|coordinate| coordinate.name).chain(["trim_percent", "nodes", "shape", "slice"])
}

/// Resolves `--relative-to` to a side and a label: an equal label, a label with the same short form, or the
/// only label with this name. Fails if there is none, or if several labels have this name.
fn baseline<'a>(
    options: &CrosstabOptions,
    grid: &'a Grid,
    given: &str,
) -> Result<(Side, &'a str), CrosstabError> {
    let sides = (0..options.rows.len()).map(Side::Row).chain((0..options.columns.len()).map(Side::Column));
    let labels: Vec<(Side, &str)> =
        sides.flat_map(|side| grid.labels(side).into_iter().map(move |label| (side, label))).collect();
    let short = allocator::short_label(given);
    let equal = labels.iter().find(|(_, label)| *label == given);
    let same = || labels.iter().find(|(_, label)| allocator::short_label(label) == short);
    if let Some(label) = equal.or_else(same) {
        return Ok(*label);
    }
    // The abbreviation of a curve is a label of the allocator `curve`.
    let name = |label: &str| label.parse().ok().and_then(|spec| Some(allocator::find(&spec).ok()?.0.name));
    let is_named = |label: &str| label.split(':').next() == Some(given) || name(label) == Some(given);
    let named: Vec<_> = labels.iter().filter(|(_, label)| is_named(label)).collect();
    if let [label] = named.as_slice() {
        return Ok(**label);
    }
    let known: Vec<&str> = labels.iter().map(|(_, label)| *label).collect();
    let (given, known) = (given.to_owned(), known.join(", "));
    Err(CrosstabError::Baseline { given, is_ambiguous: !named.is_empty(), known })
}

/// Returns which numbers of a column are best: for a metric by METRICS, none for columns that identify a
/// replay, the highest for slices that fit, and the lowest for all other columns.
fn better(column: &str) -> Better {
    match metric(column) {
        Some(metric) => metric.better,
        None if column == "replay" || identity().any(|name| name == column) => Better::Neither,
        None if ["fit_mean", "fit_share"].contains(&column) => Better::Higher,
        None => Better::Lower,
    }
}

/// Removes labels that all columns share, and their names, and returns each with the name of its column. Each
/// column keeps at least one label as its title.
fn take_shared(names: &mut Vec<String>, columns: &mut [Vec<String>]) -> Vec<String> {
    let mut shared = Vec::new();
    let mut at = 0;
    while at < names.len() {
        let Some(label) = columns.first().and_then(|labels| labels.get(at)).cloned() else { break };
        if columns.iter().all(|labels| labels.len() > 1 && labels[at] == label) {
            for labels in &mut *columns {
                labels.remove(at);
            }
            shared.push(format!("{} {label}", names.remove(at)));
        } else {
            at += 1;
        }
    }
    shared
}

/// The columns of a summary that differ between results in the same cell of a table.
struct HiddenColumns<'a> {
    table: &'a SavedTable,
    columns: Vec<&'a Column>,
}

/// The rows of the summary behind a ratio: the rows of its numerator and the rows of its base.
type Operands = [Vec<usize>; 2];

impl<'a> HiddenColumns<'a> {
    /// Keeps the columns among `names` that differ between rows of the summary.
    pub(super) fn among(table: &'a SavedTable, names: impl Iterator<Item = &'static str>) -> Self {
        Self {
            table,
            columns: names.filter(|name| table.varies(name)).filter_map(|name| table.column(name)).collect(),
        }
    }

    pub(super) fn names(&self) -> Vec<&'a str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// Returns true if results differ only in the seed.
    fn is_seed(&self) -> bool {
        self.names() == ["seed"]
    }

    /// Returns the labels of a row of the summary, without the column `name`.
    fn key_without(&self, i: usize, name: &str) -> Vec<String> {
        self.columns.iter().filter(|column| column.name != name).map(|column| column.label(i)).collect()
    }

    fn key(&self, i: usize) -> Vec<String> {
        self.key_without(i, "")
    }

    /// Returns the numbers of jobs in the means of some rows of the summary; `None` if one is unknown.
    fn in_means(&self, rows: &[usize]) -> Option<InMeans> {
        let jobs = self.table.numbers("jobs_in_means")?;
        InMeans::new(rows.iter().map(|&i| (self.key(i).join("\n"), jobs.get(i))))
    }

    /// Returns true if the means of all cells are over equal numbers of jobs. Unknown numbers count as equal.
    fn are_alike<'c>(&self, cells: impl Iterator<Item = &'c [usize]>) -> bool {
        let known: Vec<InMeans> = cells.filter_map(|rows| self.in_means(rows)).collect();
        known.iter().all(|of| known.iter().all(|by| of.is_like(by)))
    }

    /// Returns true if all cells are means of the same results up to seeds: `until:` gives each cell its own
    /// number of seeds.
    fn are_complete<'c>(&self, cells: impl Iterator<Item = &'c [usize]>) -> bool {
        let results =
            |rows: &[usize]| -> BTreeSet<_> { rows.iter().map(|&i| self.key_without(i, "seed")).collect() };
        let mut cells = cells.map(results);
        let first = cells.next();
        cells.all(|other| Some(&other) == first.as_ref())
    }

    /// Keeps the results that both sides have, as `until:` may repeat one result more often than another, and
    /// a study may be unfinished. Returns true if a result is left out. Keeps all if only seeds differ and no
    /// seed is common.
    pub(super) fn pair(&self, [of, base]: &mut Operands) -> bool {
        let based: BTreeMap<Vec<String>, usize> = base.iter().map(|&i| (self.key(i), i)).collect();
        if based.len() < base.len() {
            // Results with equal keys cannot be paired.
            return false;
        }
        let pair = |&i: &usize| Some((i, *based.get(&self.key(i))?));
        let paired: (Vec<usize>, Vec<usize>) = of.iter().filter_map(pair).unzip();
        let is_one_empty = of.is_empty() || base.is_empty();
        let are_all_other = paired.0.is_empty() && self.is_seed();
        let is_cut =
            !is_one_empty && !are_all_other && (paired.0.len() < of.len() || paired.1.len() < base.len());
        if is_cut {
            (*of, *base) = paired;
        }
        is_cut
    }

    /// Returns true if the two means of a ratio are known to be over different jobs, since an allocator
    /// cannot serve some jobs or `--trim` has cut others.
    fn is_of_other_jobs(&self, [of, base]: &Operands) -> bool {
        !of.is_empty()
            && !base.is_empty()
            && self.in_means(of).zip(self.in_means(base)).is_some_and(|(of, base)| !of.is_like(&base))
    }
}

/// The direction in which the numbers of a table are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// The numbers of each column.
    #[default]
    Columns,
    /// The numbers of each row.
    Rows,
}

/// A cell of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    row: usize,
    column: usize,
}

/// Returns the cells that are compared: those of a column, or of a row, that differ only in allocator and
/// scheduler, or all of a column or row whose labels name neither.
fn rivals(options: &CrosstabOptions, grid: &Grid) -> Vec<Vec<Cell>> {
    let (names, keys, count) = match options.along {
        Along::Columns => (&options.rows, &grid.rows, grid.columns.len()),
        Along::Rows => (&options.columns, &grid.columns, grid.rows.len()),
    };
    let is_rival = |name: &String| ["allocator", "scheduler"].contains(&name.as_str());
    let has_rivals = names.iter().any(is_rival);
    let mut groups: Vec<(Vec<&String>, Vec<usize>)> = Vec::new();
    for (i, labels) in keys.iter().enumerate() {
        let others = names.iter().zip(labels).filter(|(name, _)| has_rivals && !is_rival(name));
        let key: Vec<&String> = others.map(|(_, label)| label).collect();
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, members)) => members.push(i),
            None => groups.push((key, vec![i])),
        }
    }
    let cell = |line: usize, i: usize| match options.along {
        Along::Columns => Cell { row: i, column: line },
        Along::Rows => Cell { row: line, column: i },
    };
    let in_line =
        |line: usize| groups.iter().map(move |(_, members)| members.iter().map(|&i| cell(line, i)).collect());
    (0..count).flat_map(in_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_different_logs_are_not_compared() {
        let labels = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let results = ["a mm", "a bf", "b mm"].iter().zip(0..);
        let results: Vec<_> = results.map(|(row, i)| (i, labels(row), labels("16x8"))).collect();
        let grid = Grid::new(&results);
        let rows = |names: &str, along| {
            let options = CrosstabOptions {
                rows: labels(names),
                columns: labels("machine"),
                value: String::new(),
                relative_to: None,
                best: None,
                along,
                decimals: None,
                exact: false,
            };
            let groups = rivals(&options, &grid);
            groups
                .iter()
                .map(|group| group.iter().map(|cell| cell.row).collect())
                .collect::<Vec<Vec<usize>>>()
        };
        assert_eq!(rows("log allocator", Along::Columns), [vec![0, 1], vec![2]]);
        // Without an allocator or scheduler, the labels are what is compared.
        assert_eq!(rows("log user", Along::Columns), [[0, 1, 2]]);
        assert_eq!(rows("log allocator", Along::Rows), [[0], [1], [2]]);
    }
}
