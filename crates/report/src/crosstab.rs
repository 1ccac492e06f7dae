//! Saved results as a table with one number for each row and column, as papers print them.

use std::path::Path;

use super::intervals::Ratios;
use super::sources::{Operands, Sources, counts, is_of_other_jobs, pair_results};
use meshreplay_alloc::allocator;
use meshreplay_base::spec::{SpecError, unknown};
use meshreplay_results::frame::{FrameError, Sheet, SheetColumn, SheetValues};
use meshreplay_results::text::{PaperCell, PaperTable, Pivot, PivotEntry, Side, grouped};
use meshreplay_sim::metrics::{Better, Interval, Metric, metric};
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
    /// The label of the row or column by which the numbers are divided; `None` to show the numbers themselves.
    pub relative_to: Option<String>,
    /// Which numbers are marked as best; `None` to take this from the registry of metrics.
    pub best: Option<Better>,
    /// The number of decimals; `None` to show four digits of the largest number, or all digits if `exact`.
    pub decimals: Option<u8>,
    /// Whether numbers are written without rounding, and labels that all columns share in each, for other programs.
    pub exact: bool,
}

impl CrosstabOptions {
    /// Returns which numbers of these results are marked as best. Nodes that no job asked for make utilization no better.
    fn best(&self, sheet: &Sheet) -> Better {
        match self.best {
            Some(best) => best,
            None if self.value == "utilization" && has_unasked(sheet) => Better::Neither,
            None => better(&self.value),
        }
    }
}

/// Returns whether jobs of some result hold nodes that they did not ask for.
pub(super) fn has_unasked(sheet: &Sheet) -> bool {
    sheet
        .numbers("internal_fragmentation")
        .is_some_and(|shares| shares.iter().flatten().any(|&share| share > 0.0))
}

/// The note on utilization of which no number is marked as best.
const UNASKED: &str =
    "utilization counts nodes that no job asked for, and none is marked; useful_utilization leaves them out";

/// The note on intervals of means over replications.
const OVER_SEEDS: &str = "± is half the width of the 95 % confidence interval over seeds";

/// The note on ratios that say little, see [`is_of_other_jobs`].
const OTHER_JOBS: &str = "some ratios are of means over other jobs, see the column jobs_in_means";

/// The note on columns in which no number is marked as best.
const UNMARKED: &str =
    "means over different numbers of jobs are not compared, and none is marked, see the column jobs_in_means";

/// The note on columns in which some numbers are means of results that others do not have.
const OTHER_RESULTS: &str = "means over different results are not compared, and none is marked; --relative-to compares those that both have";

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
    #[error("--relative-to '{given}' {} (one of: {known})", if *.is_ambiguous { "is several labels" } else { "is no label" })]
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
    /// Returns whether the command line is at fault, because it asks for something that does not exist. If false, a
    /// file is at fault.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Frame(_))
    }
}

/// Returns the table that the options describe. The table has no rows if no result has a value.
///
/// Ratios have confidence intervals if the jobs in `folder`, or several seeds, allow it.
pub fn crosstab(
    sheet: &Sheet,
    folder: &Path,
    options: &CrosstabOptions,
) -> Result<PaperTable, CrosstabError> {
    if let Some(name) = options.rows.iter().find(|name| options.columns.contains(name)) {
        return Err(CrosstabError::Twice(name.clone()));
    }
    let rows = labels(sheet, "--rows", &options.rows)?;
    let columns = labels(sheet, "--columns", &options.columns)?;
    let (numbers, is_count) = numbers(sheet, &options.value)?;
    let label = |of: &[&SheetColumn], i: usize| of.iter().map(|column| column.label(i)).collect();
    let entries: Vec<PivotEntry> = numbers
        .iter()
        .enumerate()
        .filter_map(|(i, number)| Some((label(&rows, i), label(&columns, i), (*number)?)))
        .collect();
    let mut pivot = Pivot::new(&entries);
    let sources = Sources::new(|i| numbers[i].map(|_| (label(&rows, i), label(&columns, i))), numbers.len());
    let is_of_jobs = metric(&options.value).is_some_and(Metric::is_over_jobs_in_means);
    let (mut title, best) = (options.value.clone(), options.best(sheet));
    let hidden = hidden(options, sheet);
    let mut are_comparable = vec![true; pivot.columns.len()];
    let (mut notes, mut widths) = (Vec::<String>::new(), None);
    if let Some(base) = &options.relative_to {
        let (side, base) = baseline(options, &pivot, base)?;
        title = format!("{title} relative to {base}");
        let mut operands = sources.operands(&pivot, (side, base));
        let mut pair = |operands| pair_results(sheet, &hidden, operands);
        let are_cut: Vec<bool> = operands.iter_mut().flatten().map(&mut pair).collect();
        notes.extend(mean_note(options, counts(&operands), &hidden));
        if !options.exact && (hidden.is_empty() || hidden == ["seed"]) {
            widths = ratio_widths(&Ratios::read(sheet, &options.value, folder)?, &operands);
            notes.extend(widths.is_some().then(|| width_note(&hidden)));
        }
        pivot = pivot.relative_to(side, base);
        if are_cut.contains(&true) {
            notes.push(cut_note(&hidden).to_owned());
            let cells = pivot.values.iter_mut().flatten().zip(operands.iter().flatten()).zip(are_cut);
            let are_cut = cells.filter(|(_, is_cut)| *is_cut);
            are_cut.for_each(|((value, both), _)| *value = value.and_then(|_| ratio(numbers, both)));
        }
        let is_of_same = |j| !operands.iter().any(|row| is_of_other_jobs(sheet, &hidden, &row[j]));
        are_comparable = (0..pivot.columns.len()).map(|j| !is_of_jobs || is_of_same(j)).collect();
        notes.extend(are_comparable.contains(&false).then(|| OTHER_JOBS.to_owned()));
    } else if hidden == ["seed"] && pivot.results.1 > 1 && !options.exact {
        // Confidence intervals make sense only for replications: they differ in nothing but the seed.
        widths = half_widths(&pivot, &entries);
        notes.extend(widths.is_some().then(|| OVER_SEEDS.to_owned()));
    }
    if options.relative_to.is_none() {
        notes.splice(0..0, mean_note(options, pivot.results, &hidden));
        if is_of_jobs {
            are_comparable = sources.are_alike(&pivot, sheet, &hidden);
        }
        let marks = best != Better::Neither;
        notes.extend((marks && are_comparable.contains(&false)).then(|| UNMARKED.to_owned()));
        let are_complete = sources.are_complete(&pivot, sheet, &hidden);
        notes.extend((marks && are_complete.contains(&false)).then(|| OTHER_RESULTS.to_owned()));
        are_comparable.iter_mut().zip(are_complete).for_each(|(column, is_complete)| *column &= is_complete);
    }
    // Single counts are shown without decimals.
    let decimals =
        if is_count && options.relative_to.is_none() && pivot.results.1 == 1 { 0 } else { pivot.decimals() };
    let is_unasked = best == Better::Neither && options.best.is_none() && options.value == "utilization";
    notes.extend(is_unasked.then(|| UNASKED.to_owned()));
    Ok(Shown { options, best, pivot: &pivot, are_comparable, widths, decimals }.table(title, notes))
}

/// Returns the note on ratios for which some results of a side were left out.
fn cut_note(hidden: &[&str]) -> &'static str {
    if hidden == ["seed"] {
        "a ratio is over the seeds that both of its results have"
    } else {
        "a ratio is over the results that both sides have"
    }
}

/// Returns the ratio of the sums of two sides; `None` if there is none.
fn ratio(numbers: &[Option<f64>], both: &Operands) -> Option<f64> {
    let [of, base] = both.each_ref().map(|rows| rows.iter().filter_map(|&i| numbers[i]).sum::<f64>());
    Some(of / base).filter(|ratio| ratio.is_finite())
}

/// Returns the columns of the summary with these names. Fails if one of them does not exist.
fn labels<'a>(
    sheet: &'a Sheet,
    option: &'static str,
    names: &[String],
) -> Result<Vec<&'a SheetColumn>, CrosstabError> {
    let known = || sheet.columns.iter().map(|column| column.name.as_str());
    let unknown = |name| CrosstabError::Unknown { option, source: unknown("column", name, known()) };
    names.iter().map(|name| sheet.column(name).ok_or_else(|| unknown(name))).collect()
}

/// Returns the numbers of a column (`None` where there is none) and whether they are whole numbers by type.
fn numbers<'a>(sheet: &'a Sheet, name: &str) -> Result<(&'a [Option<f64>], bool), CrosstabError> {
    let numeric = || sheet.columns.iter().filter(|column| column.numbers().is_some());
    let known = || numeric().map(|column| column.name.as_str());
    match sheet.column(name).map(|column| &column.values) {
        Some(SheetValues::Number { numbers, whole }) => Ok((numbers, *whole)),
        Some(SheetValues::Text(_)) => {
            let known = known().collect::<Vec<_>>().join(", ");
            Err(CrosstabError::NoNumbers { name: name.to_owned(), known })
        }
        None => Err(CrosstabError::Unknown { option: "--value", source: unknown("column", name, known()) }),
    }
}

/// Returns the names of the columns that identify a result. Results that differ in one of them are different. The last two are of
/// the frame of shapes.
fn identity() -> impl Iterator<Item = &'static str> {
    Coordinate::listed().map(|coordinate| coordinate.name).chain(["trim_percent", "nodes", "shape"])
}

/// Returns the names of the columns in which results of the same row and column differ.
fn hidden(options: &CrosstabOptions, sheet: &Sheet) -> Vec<&'static str> {
    let is_shown = |name: &str| options.rows.iter().chain(&options.columns).any(|other| other == name);
    let varies = |column: &SheetColumn| (1..sheet.height()).any(|i| column.label(i) != column.label(0));
    let is_hidden = |name: &&str| !is_shown(name) && sheet.column(name).is_some_and(varies);
    identity().filter(is_hidden).collect()
}

/// Returns a note on the results that the numbers are means of; `None` if each number is a single result.
fn mean_note(options: &CrosstabOptions, (fewest, most): (usize, usize), hidden: &[&str]) -> Option<String> {
    if most < 2 {
        return None;
    }
    let count = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
    let over =
        if hidden.is_empty() { String::new() } else { format!(", which differ in {}", hidden.join(", ")) };
    let what = if options.relative_to.is_some() { "ratio of means" } else { "mean" };
    Some(format!("each number is the {what} of {count} results{over}"))
}

/// Returns half the widths of the confidence intervals of ratios by row and column; `None` without any.
fn ratio_widths(ratios: &Ratios<'_>, operands: &[Vec<Operands>]) -> Option<Vec<Vec<Option<f64>>>> {
    let width = |[of, base]: &Operands| ratios.half_width(of, base);
    let found: Vec<Vec<_>> = operands.iter().map(|row| row.iter().map(width).collect()).collect();
    found.iter().flatten().any(Option::is_some).then_some(found)
}

/// Returns half the widths of the confidence intervals by row and column; `None` for a single result, and for equal ones, which
/// do not depend on the seed. `None` without any.
fn half_widths(pivot: &Pivot, entries: &[PivotEntry]) -> Option<Vec<Vec<Option<f64>>>> {
    let width = |row: &Vec<String>, column: &Vec<String>| {
        let same = entries.iter().filter(|(r, c, _)| r == row && c == column);
        let values: Vec<f64> = same.map(|(.., value)| *value).collect();
        Interval::of(&values).map(|interval| interval.half_width).filter(|&half_width| half_width > 0.0)
    };
    let row = |row: &Vec<String>| pivot.columns.iter().map(|column| width(row, column)).collect();
    let found: Vec<Vec<_>> = pivot.rows.iter().map(row).collect();
    found.iter().flatten().any(Option::is_some).then_some(found)
}

/// Returns the note on the confidence intervals of ratios.
fn width_note(hidden: &[&str]) -> String {
    let over = if hidden.is_empty() {
        "by a block bootstrap over jobs"
    } else {
        "over seeds, or by a block bootstrap over jobs where all seeds give the same"
    };
    format!("± is half the width of the 95 % confidence interval, {over}")
}

/// Returns the side and the label that the user means by `given`: a label equal to it, a label with the same short form,
/// or the only label with this name. Fails if there is none, or if several labels have this name.
fn baseline<'a>(
    options: &CrosstabOptions,
    pivot: &'a Pivot,
    given: &str,
) -> Result<(Side, &'a str), CrosstabError> {
    let sides = (0..options.rows.len()).map(Side::Row).chain((0..options.columns.len()).map(Side::Column));
    let labels: Vec<(Side, &str)> =
        sides.flat_map(|side| pivot.labels(side).into_iter().map(move |label| (side, label))).collect();
    let short = allocator::short_label(given);
    let found = labels.iter().find(|(_, label)| *label == given);
    let same = || labels.iter().find(|(_, label)| allocator::short_label(label) == short);
    if let Some(found) = found.or_else(same) {
        return Ok(*found);
    }
    // The abbreviation of a curve is a label of the allocator `curve`.
    let name = |label: &str| label.parse().ok().and_then(|spec| Some(allocator::find(&spec).ok()?.0.name));
    let is_named = |label: &str| label.split(':').next() == Some(given) || name(label) == Some(given);
    let named: Vec<_> = labels.iter().filter(|(_, label)| is_named(label)).collect();
    if let [found] = named.as_slice() {
        return Ok(**found);
    }
    let known: Vec<&str> = labels.iter().map(|(_, label)| *label).collect();
    let (given, known) = (given.to_owned(), known.join(", "));
    Err(CrosstabError::Baseline { given, is_ambiguous: !named.is_empty(), known })
}

/// Returns which numbers of a column are best: as METRICS says for metrics, none for columns that identify a replay,
/// and the lowest for all other columns.
fn better(column: &str) -> Better {
    match metric(column) {
        Some(metric) => metric.better,
        None if column == "replay" || identity().any(|name| name == column) => Better::Neither,
        None => Better::Lower,
    }
}

/// A pivot table with the settings for its text.
struct Shown<'a> {
    options: &'a CrosstabOptions,
    /// Which numbers are marked as best.
    best: Better,
    pivot: &'a Pivot,
    /// For each column whether its numbers can be compared with each other.
    are_comparable: Vec<bool>,
    widths: Option<Vec<Vec<Option<f64>>>>,
    /// The number of decimals, unless the user asked for another one.
    decimals: usize,
}

impl Shown<'_> {
    /// Returns a number as the table shows it.
    fn text(&self, value: f64) -> String {
        match (self.options.exact, self.options.decimals) {
            (true, None) => value.to_string(),
            (true, Some(decimals)) => format!("{value:.*}", usize::from(decimals)),
            (false, decimals) => grouped(value, decimals.map_or(self.decimals, usize::from)),
        }
    }

    /// Returns the table with this title and these notes.
    fn table(&self, mut title: String, notes: Vec<String>) -> PaperTable {
        let Self { options, pivot, .. } = *self;
        // Numbers with the same text count as equal, so that the table never marks only one of them.
        let bests = pivot.best(self.best, |a, b| self.text(a) == self.text(b));
        let row = |i: usize| {
            let cell = |j: usize| {
                let width = self.widths.as_ref().and_then(|widths| widths[i][j]);
                let spread = width.map(|width| format!(" ±{}", self.text(width))).unwrap_or_default();
                let text = pivot.values[i][j].map(|value| self.text(value) + &spread).unwrap_or_default();
                PaperCell { text, best: bests[i][j] && self.are_comparable[j] }
            };
            (pivot.rows[i].clone(), (0..pivot.columns.len()).map(cell).collect())
        };
        let mut columns: Vec<Vec<String>> = pivot.columns.clone();
        if !options.exact {
            for shared in take_shared(&options.columns, &mut columns) {
                title = format!("{title} · {shared}");
            }
        }
        let rows = (0..pivot.rows.len()).map(row).collect();
        let corner = options.rows.clone();
        PaperTable { title, corner, columns, rows, notes, least_useful: Vec::new() }
    }
}

/// Removes labels that all columns share, and returns each of them with the name of its column. At least one label of
/// each column stays, because every column needs a title.
fn take_shared(names: &[String], columns: &mut [Vec<String>]) -> Vec<String> {
    let mut shared = Vec::new();
    let mut at = 0;
    for name in names {
        let Some(label) = columns.first().and_then(|labels| labels.get(at)).cloned() else { break };
        if columns.iter().all(|labels| labels.len() > 1 && labels[at] == label) {
            for labels in &mut *columns {
                labels.remove(at);
            }
            shared.push(format!("{name} {label}"));
        } else {
            at += 1;
        }
    }
    shared
}
