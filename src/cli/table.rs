//! `meshreplay table`: saved results as the tables that papers print.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::anyhow;
use clap::ValueEnum;

use super::{Failure, complain, print};
use crate::allocator;
use crate::frame::{Sheet, SheetColumn, SheetValues};
use crate::metrics::Interval;
use crate::spec::Spec;
use crate::study::Coordinate;
use crate::text::{Best, PaperCell, PaperTable, Pivot, PivotEntry, Side, grouped};

/// Print a table of saved results: one number per row and column, the best of each column bold.
///
/// Reads the summary that `replay -o` or `sweep -o` left. Rows and columns keep its order.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay table out --rows allocator --columns log,machine --value pairwise_sum_mean --relative-to mc1x1")]
pub(super) struct Args {
    /// Directory of `replay -o` or `sweep -o`.
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Columns of the summary whose values label the rows.
    #[arg(long, value_name = "COLUMNS", default_value = "allocator", value_delimiter = ',')]
    rows: Vec<String>,

    /// Columns of the summary whose values label the columns.
    #[arg(long, value_name = "COLUMNS", default_value = "log,machine", value_delimiter = ',')]
    columns: Vec<String>,

    /// Column of the summary that is shown.
    #[arg(long, value_name = "COLUMN", default_value = "pairwise_sum_mean")]
    value: String,

    /// Divide by the value of this row (or column), such as mc1x1.
    #[arg(long, value_name = "LABEL")]
    relative_to: Option<String>,

    /// What is best; for most values the lowest.
    #[arg(long, value_enum)]
    best: Option<BestArg>,

    /// Decimals of the numbers; by default as many as four digits of the largest take, and all in csv.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(..=15))]
    decimals: Option<u8>,

    /// How the table is written.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Markdown,
    Latex,
    Csv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BestArg {
    Lowest,
    Highest,
    None,
}

/// Columns that say what was replayed: results that differ in one of them are not the same.
fn identity() -> impl Iterator<Item = &'static str> {
    Coordinate::listed().map(|coordinate| coordinate.name).chain(["trim_percent"])
}

/// Values of which more is better.
const HIGHEST: &[&str] = &["utilization", "contiguous_share"];

/// Values of which neither more nor less is better.
const NEITHER: &[&str] =
    &["replay", "seed", "arrival_scale", "trim_percent", "jobs", "jobs_in_means", "skipped", "never_fit"];

/// Prints the table.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let sheet = Sheet::read(&args.folder)?;
    if let Some(note) = sheet.missing_note() {
        complain(&format!("note: {note}"));
    }
    let rows = labels(args, &sheet, "--rows", &args.rows)?;
    let columns = labels(args, &sheet, "--columns", &args.columns)?;
    let (numbers, whole) = numbers(args, &sheet)?;
    let label = |of: &[&SheetColumn], i: usize| of.iter().map(|column| column.label(i)).collect();
    let entries: Vec<PivotEntry> = numbers
        .iter()
        .enumerate()
        .filter_map(|(i, number)| Some((label(&rows, i), label(&columns, i), (*number)?)))
        .collect();
    if entries.is_empty() {
        complain(&format!("note: no result has a value of {}", args.value));
    }
    let mut pivot = Pivot::new(&entries);
    let mut title = args.value.clone();
    let hidden = hidden(args, &sheet);
    let mut notes: Vec<String> = mean_note(args, &pivot, &hidden).into_iter().collect();
    let mut widths = None;
    if hidden == ["seed"] && pivot.results.1 > 1 && args.relative_to.is_none() && args.format != Format::Csv {
        notes.push("± is half the width of the 95 % confidence interval over seeds".to_owned());
        widths = Some(half_widths(&pivot, &entries));
    }
    if let Some(base) = &args.relative_to {
        let (side, base) = baseline(args, &pivot, base)?;
        title = format!("{title} relative to {}", short(base));
        pivot = pivot.relative_to(side, base);
    }
    let counts = whole && args.relative_to.is_none() && pivot.results.1 == 1;
    let table = paper(args, (&pivot, widths.as_deref()), title, &notes, counts);
    match args.format {
        Format::Text => {
            let bold =
                io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
            print(&table.text(bold))
        }
        Format::Markdown => print(&table.markdown()),
        Format::Latex => print(&table.latex()),
        Format::Csv => {
            for note in &notes {
                complain(&format!("note: {note}"));
            }
            print(&table.csv())
        }
    }
}

/// The columns of these names.
fn labels<'a>(
    args: &Args,
    sheet: &'a Sheet,
    option: &str,
    names: &[String],
) -> Result<Vec<&'a SheetColumn>, Failure> {
    let known = || sheet.columns.iter().map(|column| column.name.as_str());
    if let Some(name) = args.rows.iter().find(|name| args.columns.contains(name)) {
        return Err(Failure::Usage(anyhow!("'{name}' is among --rows and among --columns; give it once")));
    }
    let find = |name: &String| sheet.column(name).ok_or_else(|| unknown(option, name, known()));
    names.iter().map(find).collect()
}

/// The column of numbers to be shown, and whether it counts something.
fn numbers<'a>(args: &Args, sheet: &'a Sheet) -> Result<(&'a [Option<f64>], bool), Failure> {
    let known = || {
        let numeric = |column: &&SheetColumn| matches!(column.values, SheetValues::Number { .. });
        sheet.columns.iter().filter(numeric).map(|column| column.name.as_str())
    };
    match sheet.column(&args.value).map(|column| &column.values) {
        Some(SheetValues::Number { numbers, whole }) => Ok((numbers, *whole)),
        Some(SheetValues::Text(_)) => {
            let names: Vec<&str> = known().collect();
            let text = format!("--value '{}' holds no numbers (one of: {})", args.value, names.join(", "));
            Err(Failure::Usage(anyhow!(text)))
        }
        None => Err(unknown("--value", &args.value, known())),
    }
}

fn unknown<'a>(option: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let error = anyhow::Error::from(crate::spec::unknown("column", name, known));
    Failure::Usage(error.context(option.to_owned()))
}

/// Columns in which results that share a place differ.
fn hidden(args: &Args, sheet: &Sheet) -> Vec<&'static str> {
    let shown = |name: &str| args.rows.iter().chain(&args.columns).any(|other| other == name);
    let varies = |column: &SheetColumn| (1..sheet.height()).any(|i| column.label(i) != column.label(0));
    identity().filter(|name| !shown(name) && sheet.column(name).is_some_and(varies)).collect()
}

/// What numbers are means of, if several results share a place.
fn mean_note(args: &Args, pivot: &Pivot, hidden: &[&str]) -> Option<String> {
    let (fewest, most) = pivot.results;
    if most < 2 {
        return None;
    }
    let count = if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
    let over =
        if hidden.is_empty() { String::new() } else { format!(", which differ in {}", hidden.join(", ")) };
    let what = if args.relative_to.is_some() { "ratio of means" } else { "mean" };
    Some(format!("each number is the {what} of {count} results{over}"))
}

/// Half the width of the confidence interval of each place with several results.
fn half_widths(pivot: &Pivot, entries: &[PivotEntry]) -> Vec<Vec<Option<f64>>> {
    let width = |row: &Vec<String>, column: &Vec<String>| {
        let same = entries.iter().filter(|(r, c, _)| r == row && c == column);
        let values: Vec<f64> = same.map(|(.., value)| *value).collect();
        Interval::of(&values).filter(|interval| interval.count > 1).map(|interval| interval.half_width)
    };
    pivot.rows.iter().map(|row| pivot.columns.iter().map(|column| width(row, column)).collect()).collect()
}

/// The row or column that `given` means: its label, its short form, or its name if only one has it.
fn baseline<'a>(args: &Args, pivot: &'a Pivot, given: &str) -> Result<(Side, &'a str), Failure> {
    let sides = (0..args.rows.len()).map(Side::Row).chain((0..args.columns.len()).map(Side::Column));
    let labels: Vec<(Side, &str)> =
        sides.flat_map(|side| pivot.labels(side).into_iter().map(move |label| (side, label))).collect();
    let same = |label: &str| label == given || short(label) == given;
    if let Some(found) = labels.iter().find(|(_, label)| same(label)) {
        return Ok(*found);
    }
    let named: Vec<_> = labels.iter().filter(|(_, label)| label.split(':').next() == Some(given)).collect();
    if let [found] = named.as_slice() {
        return Ok(**found);
    }
    let known: Vec<String> = labels.iter().map(|(_, label)| short(label)).collect();
    let problem = if named.is_empty() { "is no label" } else { "is several labels" };
    Err(Failure::Usage(anyhow!("--relative-to '{given}' {problem} (one of: {})", known.join(", "))))
}

/// A label as tables show it: allocators as the papers abbreviate them.
fn short(label: &str) -> String {
    match label.parse::<Spec>() {
        Ok(spec) if allocator::find(&spec).is_ok() => allocator::short(&spec),
        _ => label.to_owned(),
    }
}

/// The table as it is printed; `counts` if its values are whole numbers.
fn paper(
    args: &Args,
    (pivot, widths): (&Pivot, Option<&[Vec<Option<f64>>]>),
    mut title: String,
    notes: &[String],
    counts: bool,
) -> PaperTable {
    let decimals = args.decimals.map_or_else(|| if counts { 0 } else { pivot.decimals() }, usize::from);
    let csv = args.format == Format::Csv;
    let text = |value: f64| match (csv, args.decimals) {
        (true, None) => value.to_string(),
        (true, Some(_)) => format!("{value:.decimals$}"),
        (false, _) => grouped(value, decimals),
    };
    let bests = pivot.best(best(args), |a, b| text(a) == text(b));
    let labels = |labels: &[String]| -> Vec<String> {
        labels.iter().map(|label| if csv { label.clone() } else { short(label) }).collect()
    };
    let row = |i: usize| {
        let cell = |j: usize| {
            let width = widths.and_then(|widths| widths[i][j]);
            let spread = width.map(|width| format!(" ±{}", text(width))).unwrap_or_default();
            let text = pivot.values[i][j].map(|value| text(value) + &spread).unwrap_or_default();
            PaperCell { text, best: bests[i][j] }
        };
        (labels(&pivot.rows[i]), (0..pivot.columns.len()).map(cell).collect())
    };
    let mut columns: Vec<Vec<String>> = pivot.columns.iter().map(|column| labels(column)).collect();
    if !csv {
        for shared in take_shared(&args.columns, &mut columns) {
            title = format!("{title} · {shared}");
        }
    }
    let rows = (0..pivot.rows.len()).map(row).collect();
    PaperTable { title, corner: args.rows.clone(), columns, rows, notes: notes.to_vec() }
}

fn best(args: &Args) -> Best {
    match args.best {
        Some(BestArg::Highest) => Best::Highest,
        Some(BestArg::None) => Best::Nothing,
        None if HIGHEST.contains(&args.value.as_str()) => Best::Highest,
        None if NEITHER.contains(&args.value.as_str()) => Best::Nothing,
        None | Some(BestArg::Lowest) => Best::Lowest,
    }
}

/// Takes out what all columns share, which is said once, in words. One label of each stays, for it needs a title.
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
