//! Saved results as a table of two sides: one number per row and column, as papers print them.

use crate::allocator;
use crate::frame::{FrameError, Sheet, SheetColumn, SheetValues};
use crate::metrics::{Better, Interval, metric};
use crate::spec::{SpecError, unknown};
use crate::study::Coordinate;
use crate::text::{PaperCell, PaperTable, Pivot, PivotEntry, Side, grouped};

/// What a table shows, and how.
#[derive(Clone, Debug)]
pub struct CrosstabOptions {
    /// Columns of the summary whose values label the rows.
    pub rows: Vec<String>,
    /// Columns of the summary whose values label the columns.
    pub columns: Vec<String>,
    /// Column of the summary that is shown.
    pub value: String,
    /// The label of the row or column by whose values others are divided; `None` for the numbers themselves.
    pub relative_to: Option<String>,
    /// What is best; `None` if that follows from the number.
    pub best: Option<Better>,
    /// Decimals of the numbers; `None` for as many as four digits of the largest take, or all of them in exact tables.
    pub decimals: Option<u8>,
    /// Whether numbers and labels stand there as they are saved, for other programs.
    pub exact: bool,
}

/// Why results cannot be shown in a table.
#[derive(Debug, thiserror::Error)]
pub enum CrosstabError {
    /// The results cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A column labels rows and columns.
    #[error("'{0}' is among --rows and among --columns; give it once")]
    Twice(String),
    /// There is no such column.
    #[error("{option}")]
    Unknown {
        /// The option that names it.
        option: &'static str,
        /// The columns that there are.
        source: SpecError,
    },
    /// The column to be shown holds text.
    #[error("--value '{name}' holds no numbers (one of: {known})")]
    NoNumbers {
        /// The column.
        name: String,
        /// The columns of numbers.
        known: String,
    },
    /// No label, or more than one, is what numbers should be relative to.
    #[error("--relative-to '{given}' {} (one of: {known})", if *.is_ambiguous { "is several labels" } else { "is no label" })]
    Baseline {
        /// What was given.
        given: String,
        /// Whether several labels have that name.
        is_ambiguous: bool,
        /// The labels that there are.
        known: String,
    },
}

impl CrosstabError {
    /// Returns whether the command line asked for something that does not exist; otherwise an input is at fault.
    pub fn is_usage(&self) -> bool {
        !matches!(self, Self::Frame(_))
    }
}

/// Returns the table that the options ask for. It is empty if no result has a value.
pub fn crosstab(sheet: &Sheet, options: &CrosstabOptions) -> Result<PaperTable, CrosstabError> {
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
    let mut title = options.value.clone();
    let hidden = hidden(options, sheet);
    let mut notes: Vec<String> = mean_note(options, &pivot, &hidden).into_iter().collect();
    let mut widths = None;
    if let Some(base) = &options.relative_to {
        let (side, base) = baseline(options, &pivot, base)?;
        title = format!("{title} relative to {}", allocator::short_label(base));
        pivot = pivot.relative_to(side, base);
    } else if hidden == ["seed"] && pivot.results.1 > 1 && !options.exact {
        notes.push("± is half the width of the 95 % confidence interval over seeds".to_owned());
        widths = Some(half_widths(&pivot, &entries));
    }
    let decimals =
        if is_count && options.relative_to.is_none() && pivot.results.1 == 1 { 0 } else { pivot.decimals() };
    Ok(Shown { options, pivot: &pivot, widths, decimals }.table(title, notes))
}

/// Returns the columns with these names.
fn labels<'a>(
    sheet: &'a Sheet,
    option: &'static str,
    names: &[String],
) -> Result<Vec<&'a SheetColumn>, CrosstabError> {
    let known = || sheet.columns.iter().map(|column| column.name.as_str());
    let unknown = |name| CrosstabError::Unknown { option, source: unknown("column", name, known()) };
    names.iter().map(|name| sheet.column(name).ok_or_else(|| unknown(name))).collect()
}

/// Returns the numbers of a column, and whether they count something.
fn numbers<'a>(sheet: &'a Sheet, name: &str) -> Result<(&'a [Option<f64>], bool), CrosstabError> {
    let is_numeric = |column: &&SheetColumn| matches!(column.values, SheetValues::Number { .. });
    let known = || sheet.columns.iter().filter(is_numeric).map(|column| column.name.as_str());
    match sheet.column(name).map(|column| &column.values) {
        Some(SheetValues::Number { numbers, whole }) => Ok((numbers, *whole)),
        Some(SheetValues::Text(_)) => {
            let known = known().collect::<Vec<_>>().join(", ");
            Err(CrosstabError::NoNumbers { name: name.to_owned(), known })
        }
        None => Err(CrosstabError::Unknown { option: "--value", source: unknown("column", name, known()) }),
    }
}

/// Returns the columns that say what was replayed: results that differ in one of them are not the same.
fn identity() -> impl Iterator<Item = &'static str> {
    Coordinate::listed().map(|coordinate| coordinate.name).chain(["trim_percent"])
}

/// Returns the columns in which results differ that share a row and a column of the table.
fn hidden(options: &CrosstabOptions, sheet: &Sheet) -> Vec<&'static str> {
    let is_shown = |name: &str| options.rows.iter().chain(&options.columns).any(|other| other == name);
    let varies = |column: &SheetColumn| (1..sheet.height()).any(|i| column.label(i) != column.label(0));
    let is_hidden = |name: &&str| !is_shown(name) && sheet.column(name).is_some_and(varies);
    identity().filter(is_hidden).collect()
}

/// Returns what numbers are means of; `None` if each is of one result.
fn mean_note(options: &CrosstabOptions, pivot: &Pivot, hidden: &[&str]) -> Option<String> {
    let (fewest, most) = pivot.results;
    if most < 2 {
        return None;
    }
    let count = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
    let over =
        if hidden.is_empty() { String::new() } else { format!(", which differ in {}", hidden.join(", ")) };
    let what = if options.relative_to.is_some() { "ratio of means" } else { "mean" };
    Some(format!("each number is the {what} of {count} results{over}"))
}

/// Returns half the width of the confidence interval by row and column; `None` of a single result.
fn half_widths(pivot: &Pivot, entries: &[PivotEntry]) -> Vec<Vec<Option<f64>>> {
    let width = |row: &Vec<String>, column: &Vec<String>| {
        let same = entries.iter().filter(|(r, c, _)| r == row && c == column);
        let values: Vec<f64> = same.map(|(.., value)| *value).collect();
        Interval::of(&values).filter(|interval| interval.count > 1).map(|interval| interval.half_width)
    };
    pivot.rows.iter().map(|row| pivot.columns.iter().map(|column| width(row, column)).collect()).collect()
}

/// Returns the label of a row or column that is meant: one that is `given`, or has that short form, or is the only one
/// with that name.
fn baseline<'a>(
    options: &CrosstabOptions,
    pivot: &'a Pivot,
    given: &str,
) -> Result<(Side, &'a str), CrosstabError> {
    let sides = (0..options.rows.len()).map(Side::Row).chain((0..options.columns.len()).map(Side::Column));
    let labels: Vec<(Side, &str)> =
        sides.flat_map(|side| pivot.labels(side).into_iter().map(move |label| (side, label))).collect();
    let same = |label: &str| label == given || allocator::short_label(label) == given;
    if let Some(found) = labels.iter().find(|(_, label)| same(label)) {
        return Ok(*found);
    }
    let named: Vec<_> = labels.iter().filter(|(_, label)| label.split(':').next() == Some(given)).collect();
    if let [found] = named.as_slice() {
        return Ok(**found);
    }
    let known: Vec<String> = labels.iter().map(|(_, label)| allocator::short_label(label)).collect();
    let (given, known) = (given.to_owned(), known.join(", "));
    Err(CrosstabError::Baseline { given, is_ambiguous: !named.is_empty(), known })
}

/// Returns which numbers of a column are the best: what its row of METRICS says, nothing of what was replayed, and else
/// the lowest.
fn better(column: &str) -> Better {
    match metric(column) {
        Some(metric) => metric.better,
        None if column == "replay" || identity().any(|name| name == column) => Better::Neither,
        None => Better::Lower,
    }
}

/// Numbers that are about to be shown.
struct Shown<'a> {
    options: &'a CrosstabOptions,
    pivot: &'a Pivot,
    widths: Option<Vec<Vec<Option<f64>>>>,
    /// Decimals if none were asked for.
    decimals: usize,
}

impl Shown<'_> {
    fn text(&self, value: f64) -> String {
        match (self.options.exact, self.options.decimals) {
            (true, None) => value.to_string(),
            (true, Some(decimals)) => format!("{value:.*}", usize::from(decimals)),
            (false, decimals) => grouped(value, decimals.map_or(self.decimals, usize::from)),
        }
    }

    fn label(&self, label: &str) -> String {
        if self.options.exact { label.to_owned() } else { allocator::short_label(label) }
    }

    fn table(&self, mut title: String, notes: Vec<String>) -> PaperTable {
        let Self { options, pivot, .. } = *self;
        let best = options.best.unwrap_or_else(|| better(&options.value));
        let bests = pivot.best(best, |a, b| self.text(a) == self.text(b));
        let labels = |labels: &[String]| labels.iter().map(|label| self.label(label)).collect::<Vec<_>>();
        let row = |i: usize| {
            let cell = |j: usize| {
                let width = self.widths.as_ref().and_then(|widths| widths[i][j]);
                let spread = width.map(|width| format!(" ±{}", self.text(width))).unwrap_or_default();
                let text = pivot.values[i][j].map(|value| self.text(value) + &spread).unwrap_or_default();
                PaperCell { text, best: bests[i][j] }
            };
            (labels(&pivot.rows[i]), (0..pivot.columns.len()).map(cell).collect())
        };
        let mut columns: Vec<Vec<String>> = pivot.columns.iter().map(|column| labels(column)).collect();
        if !options.exact {
            for shared in take_shared(&options.columns, &mut columns) {
                title = format!("{title} · {shared}");
            }
        }
        let rows = (0..pivot.rows.len()).map(row).collect();
        PaperTable { title, corner: options.rows.clone(), columns, rows, notes }
    }
}

/// Takes the labels that all columns share out of them, and returns each with its name. One label of each column stays,
/// as it needs a title.
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
