//! A comparison as table, Markdown, LaTeX, CSV or JSON.

use serde::Serialize;

use super::Format;
use crate::paper::{Figure, Item, Paper, Sentence, Verdict};
use crate::text::{Align, Table, csv_line, grouped};

/// A regenerated figure.
pub(super) struct Comparison {
    pub(super) paper: &'static Paper,
    pub(super) figure: &'static Figure,
    pub(super) items: Vec<Item>,
    /// Logs of another version than the paper's.
    pub(super) versions: Vec<String>,
    /// Datasets that were not found.
    pub(super) missing: Vec<&'static str>,
}

impl Comparison {
    /// The sentences that the figure is about but no item judges, each with why.
    fn not_measured(&self) -> impl Iterator<Item = (&'static Sentence, String)> + '_ {
        let sentences = self.paper.sentences.iter().filter(|sentence| sentence.figure == self.figure.name);
        sentences.filter_map(|sentence| Some((sentence, sentence.not_measured(&self.items, &self.missing)?)))
    }
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
    /// Half the width of the 95 % confidence interval of a mean over replications.
    half_width: Option<f64>,
    ratio: Option<f64>,
    verdict: String,
}

const COLUMNS: [&str; 10] =
    ["paper", "figure", "item", "log", "machine", "published", "measured", "half_width", "ratio", "verdict"];

/// All comparisons as one text.
pub(super) fn text(comparisons: &[Comparison], format: Format) -> serde_json::Result<String> {
    let rows: Vec<Row<'_>> =
        comparisons.iter().flat_map(|comparison| rows(comparison).chain(unjudged(comparison))).collect();
    match format {
        Format::Json => serde_json::to_string_pretty(&rows).map(|text| text + "\n"),
        Format::Csv => Ok(csv(&rows)),
        Format::Table | Format::Markdown | Format::Latex => {
            let shown = comparisons.iter().filter(|comparison| !comparison.items.is_empty());
            let texts: Vec<String> = shown.map(|comparison| figure(comparison, format)).collect();
            Ok(texts.join("\n") + &sentences(comparisons, format))
        }
    }
}

/// The sentences of the paper that nothing here judges, and why; nothing in LaTeX, whose tables are bare.
fn sentences(comparisons: &[Comparison], format: Format) -> String {
    let line = |(sentence, why): (&Sentence, String)| {
        format!("{}, {}: {}\n   {why}", sentence.figure, sentence.section, sentence.claim)
    };
    let lines: Vec<String> =
        comparisons.iter().flat_map(|comparison| comparison.not_measured().map(line)).collect();
    let title = "Sentences of the paper that are not measured here, and why";
    match format {
        _ if lines.is_empty() => String::new(),
        Format::Latex => String::new(),
        Format::Markdown => format!("\n## {title}\n\n* {}\n", lines.join("\n* ")),
        _ => format!("\n {title}\n\n {}\n", lines.join("\n ")),
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
        half_width: item.half_width,
        ratio: item.ratio(),
        verdict: item.verdict.to_string(),
    })
}

/// A row for each sentence that no item judges.
fn unjudged(comparison: &Comparison) -> impl Iterator<Item = Row<'_>> {
    comparison.not_measured().map(|(sentence, why)| Row {
        paper: comparison.paper.name,
        figure: comparison.figure.name,
        item: sentence.claim,
        log: "",
        machine: "",
        published: None,
        measured: None,
        half_width: None,
        ratio: None,
        verdict: Verdict::NotMeasured(why).to_string(),
    })
}

/// Comma-separated values; a number that is not there is empty.
fn csv(rows: &[Row<'_>]) -> String {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let mut text = COLUMNS.join(",") + "\n";
    for row in rows {
        let numbers = [row.published, row.measured, row.half_width, row.ratio].map(number);
        let [published, measured, half_width, ratio] = &numbers;
        let cells = [
            row.paper,
            row.figure,
            row.item,
            row.log,
            row.machine,
            published,
            measured,
            half_width,
            ratio,
            &row.verdict,
        ];
        text += &csv_line(cells);
    }
    text
}

/// One figure with its title and what must be known of its logs.
fn figure(comparison: &Comparison, format: Format) -> String {
    let Comparison { paper, figure, items, versions, missing } = comparison;
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
    let (points, others): (Vec<&Item>, Vec<&Item>) = items.iter().partition(|item| item.place.is_some());
    for item in &others {
        let published = item.published.map(|published| grouped(published.value, published.decimals));
        let measured = item.measured.map(|measured| shown(item, measured));
        let digits = |ratio: f64| if ratio > 0.0 && ratio < 0.01 { 6 } else { 4 };
        let ratio = item.ratio().map(|ratio| format!("{ratio:.*}", digits(ratio)));
        let numbers = [published, measured, ratio].map(Option::unwrap_or_default);
        let verdict = item.verdict.to_string();
        let cells = [item.item.clone(), item.log.clone(), item.machine.clone()].into_iter().chain(numbers);
        table.add(cells.chain([verdict]).collect());
    }
    table.drop_constant(&["log", "machine"]);
    let name = format!("{} {}: {}", paper.name, figure.name, figure.title);
    let written = |table: &Table| match format {
        Format::Markdown => table.markdown(),
        Format::Latex => {
            table.latex(&std::iter::once(&name).chain(versions).cloned().collect::<Vec<String>>())
        }
        _ => table.text(),
    };
    let (before, mark) = if format == Format::Markdown { ("## ", "\n* ") } else { (" ", "\n ") };
    let mut tables: Vec<String> = curves(&points).iter().map(written).collect();
    if !others.is_empty() {
        tables.push(written(&table));
    }
    let table = tables.join("\n");
    if format == Format::Latex {
        return table;
    }
    let without = (!missing.is_empty()).then(|| format!("without {}, not found", missing.join(", ")));
    let notes: Vec<&str> = versions.iter().chain(&without).flat_map(|line| [mark, line]).collect();
    let end = if notes.is_empty() { "" } else { "\n" };
    format!("{before}{name}\n\n{table}{}{end}", notes.concat())
}

/// A number with half the width of its confidence interval, if it has one.
fn shown(item: &Item, measured: f64) -> String {
    let digits = decimals(item, measured);
    match item.half_width {
        None => grouped(measured, digits),
        Some(half_width) => {
            // As many digits as the interval leaves any sense in, and one more.
            let digits = if half_width > 0.0 {
                (1.0 - half_width.log10().floor()).clamp(0.0, 4.0) as usize
            } else {
                digits
            };
            format!("{} ±{}", grouped(measured, digits), grouped(half_width, digits))
        }
    }
}

/// The points of curves, a table for each kind of axis: a row per curve, a column per place along it.
fn curves(points: &[&Item]) -> Vec<Table> {
    let mut axes: Vec<&str> = Vec::new();
    let places = || points.iter().filter_map(|item| Some((*item, item.place.as_ref()?)));
    for (_, place) in places() {
        if !axes.contains(&place.axis) {
            axes.push(place.axis);
        }
    }
    let of_axis = |axis: &&str| {
        let mut columns: Vec<&str> = Vec::new();
        let mut rows: Vec<(&str, Vec<(&str, String)>)> = Vec::new();
        for (item, place) in places().filter(|(_, place)| place.axis == *axis) {
            if !columns.contains(&place.at.as_str()) {
                columns.push(&place.at);
            }
            let cell =
                (place.at.as_str(), item.measured.map(|measured| shown(item, measured)).unwrap_or_default());
            match rows.iter_mut().find(|(curve, _)| *curve == place.curve) {
                Some((_, cells)) => cells.push(cell),
                None => rows.push((&place.curve, vec![cell])),
            }
        }
        let titles =
            std::iter::once((*axis, Align::Left)).chain(columns.iter().map(|at| (*at, Align::Right)));
        let mut table = Table::new(&titles.collect::<Vec<_>>());
        for (curve, cells) in rows {
            let cell = |at: &&str| {
                let found = cells.iter().find(|(place, _)| place == at);
                found.map(|(_, text)| text.clone()).unwrap_or_default()
            };
            table.add(std::iter::once(curve.to_owned()).chain(columns.iter().map(cell)).collect());
        }
        table
    };
    axes.iter().map(of_axis).collect()
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
