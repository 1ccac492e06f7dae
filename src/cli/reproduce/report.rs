//! A comparison as table, Markdown, CSV or JSON.

use serde::Serialize;

use super::Format;
use crate::paper::{Figure, Item, Paper};
use crate::render::{Align, Table, grouped};

/// A regenerated figure.
pub(super) struct Comparison {
    pub(super) paper: &'static Paper,
    pub(super) figure: &'static Figure,
    pub(super) items: Vec<Item>,
    /// Logs of another version than the paper's.
    pub(super) versions: Vec<String>,
}

/// A row of the comparison.
#[derive(Serialize)]
struct Row<'a> {
    paper: &'a str,
    figure: &'a str,
    item: &'a str,
    log: &'a str,
    machine: &'a str,
    published: Option<f64>,
    measured: Option<f64>,
    ratio: Option<f64>,
    verdict: String,
}

const COLUMNS: [&str; 9] =
    ["paper", "figure", "item", "log", "machine", "published", "measured", "ratio", "verdict"];

/// All comparisons as one text.
pub(super) fn text(comparisons: &[Comparison], format: Format) -> serde_json::Result<String> {
    let rows: Vec<Row<'_>> = comparisons.iter().flat_map(rows).collect();
    match format {
        Format::Json => serde_json::to_string_pretty(&rows).map(|text| text + "\n"),
        Format::Csv => Ok(csv(&rows)),
        Format::Table | Format::Markdown => {
            let shown = comparisons.iter().filter(|comparison| !comparison.items.is_empty());
            let texts: Vec<String> = shown.map(|comparison| figure(comparison, format)).collect();
            Ok(texts.join("\n"))
        }
    }
}

fn rows(comparison: &Comparison) -> impl Iterator<Item = Row<'_>> {
    comparison.items.iter().map(|item| Row {
        paper: comparison.paper.name,
        figure: comparison.figure.name,
        item: &item.item,
        log: &item.log,
        machine: &item.machine,
        published: item.published.map(|published| published.value),
        measured: item.measured,
        ratio: item.ratio(),
        verdict: item.verdict.to_string(),
    })
}

/// Comma-separated values; a number that is not there is empty.
fn csv(rows: &[Row<'_>]) -> String {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let mut text = COLUMNS.join(",") + "\n";
    for row in rows {
        let numbers = [row.published, row.measured, row.ratio].map(number);
        let [published, measured, ratio] = &numbers;
        let cells =
            [row.paper, row.figure, row.item, row.log, row.machine, published, measured, ratio, &row.verdict];
        text += &(cells.map(quoted).join(",") + "\n");
    }
    text
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// One figure with its title and what must be known of its logs.
fn figure(comparison: &Comparison, format: Format) -> String {
    let Comparison { paper, figure, items, versions } = comparison;
    let columns = [
        ("item", Align::Left),
        ("log", Align::Left),
        ("machine", Align::Left),
        ("published", Align::Right),
        ("measured", Align::Right),
        ("ratio", Align::Right),
        ("verdict", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for item in items {
        let published = item.published.map(|published| grouped(published.value, published.decimals));
        let measured = item.measured.map(|measured| grouped(measured, decimals(item, measured)));
        let digits = |ratio: f64| if ratio > 0.0 && ratio < 0.01 { 6 } else { 4 };
        let ratio = item.ratio().map(|ratio| format!("{ratio:.*}", digits(ratio)));
        let numbers = [published, measured, ratio].map(Option::unwrap_or_default);
        let verdict = item.verdict.to_string();
        let cells = [item.item.clone(), item.log.clone(), item.machine.clone()].into_iter().chain(numbers);
        table.add(cells.chain([verdict]).collect());
    }
    table.drop_constant(&["log", "machine"]);
    let name = format!("{} {}: {}", paper.name, figure.name, figure.title);
    let (before, mark, table) = match format {
        Format::Markdown => ("## ", "\n* ", table.markdown()),
        _ => (" ", "\n ", table.text()),
    };
    let notes: Vec<&str> = versions.iter().flat_map(|line| [mark, line]).collect();
    let end = if notes.is_empty() { "" } else { "\n" };
    format!("{before}{name}\n\n{table}{}{end}", notes.concat())
}

/// One digit more than was printed, or enough for four.
fn decimals(item: &Item, measured: f64) -> usize {
    match item.published {
        Some(published) if measured.fract() == 0.0 => published.decimals,
        Some(published) if published.value >= 10.0 && measured < 10.0 => 3,
        Some(published) => published.decimals + 1,
        None if measured.abs() >= 1000.0 => 1,
        None => 4,
    }
}
