//! Writes comparisons as a table, Markdown, LaTeX, CSV or JSON.

use std::iter;

use serde::Serialize;

use super::finding::{Finding, Place, Verdict};
use super::load::Sentence;
use super::plot::distinct;
use super::regenerate::Comparison;
use meshreplay_base::words::counted;
use meshreplay_results::text::{Align, Screen, TextTable, csv_line, grouped};

/// A format of comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Plain text with aligned columns.
    Table,
    /// Markdown.
    Markdown,
    /// LaTeX.
    Latex,
    /// Comma-separated values.
    Csv,
    /// JSON.
    Json,
}

impl Format {
    /// Every format with its name.
    pub const ALL: [(&'static str, Self); 5] = [
        ("table", Self::Table),
        ("markdown", Self::Markdown),
        ("latex", Self::Latex),
        ("csv", Self::Csv),
        ("json", Self::Json),
    ];
}

/// A row of the comparison in CSV and JSON.
#[derive(Default, Serialize)]
struct Row<'a> {
    paper: &'a str,
    figure: &'a str,
    item: String,
    log: &'a str,
    machine: &'a str,
    published: Option<f64>,
    measured: Option<f64>,
    /// Half the width of the 95 % confidence interval; `None` if `measured` is no mean over replications.
    half_width: Option<f64>,
    ratio: Option<f64>,
    verdict: String,
    /// `number` for a published and a measured number, `comparisons` for counts of comparisons, `sentence`
    /// for a sentence without a measurement.
    kind: &'static str,
}

/// Returns all comparisons as one text. Tables without a format fit the screen.
pub fn shown(comparisons: &[Comparison], format: Format, screen: Screen) -> serde_json::Result<String> {
    let rows = || comparisons.iter().flat_map(|comparison| rows(comparison).chain(unjudged(comparison)));
    match format {
        Format::Json => {
            serde_json::to_string_pretty(&rows().collect::<Vec<Row<'_>>>()).map(|text| text + "\n")
        }
        Format::Csv => Ok(csv(rows())),
        Format::Table | Format::Markdown | Format::Latex => {
            let shown = comparisons.iter().filter(|comparison| !comparison.findings.is_empty());
            let texts: Vec<String> = shown.map(|comparison| figure(comparison, format, screen)).collect();
            Ok(texts.join("\n")
                + &sentences(comparisons, format, screen)
                + &counts(comparisons, format, screen))
        }
    }
}

/// Returns the sentences about a figure that no finding judges, each with the reason.
fn not_measured(comparison: &Comparison) -> Vec<(Sentence, String)> {
    let Comparison { figure, findings, missing, .. } = comparison;
    let sentences = comparison.paper.sentences().into_iter().filter(|sentence| sentence.is_about(figure));
    let with_reason = |sentence: Sentence| {
        let why = sentence.not_measured(findings, missing)?;
        Some((sentence, why))
    };
    sentences.filter_map(with_reason).collect()
}

/// Returns the sentences of the paper that no finding judges, each with the reason; empty for LaTeX, which
/// has tables only.
fn sentences(comparisons: &[Comparison], format: Format, screen: Screen) -> String {
    let lines = |comparison: &Comparison| {
        let figure = comparison.figure;
        let line = move |(sentence, why): (Sentence, String)| {
            format!("{}, {}: {}\n   {why}", figure.name, sentence.section(figure), sentence.claim)
        };
        not_measured(comparison).into_iter().map(line)
    };
    let lines: Vec<String> = comparisons.iter().flat_map(lines).collect();
    let title = "Sentences of the paper that are not measured here, and why";
    match format {
        _ if lines.is_empty() => String::new(),
        Format::Latex => String::new(),
        Format::Markdown => format!("\n## {title}\n\n* {}\n", lines.join("\n* ")),
        _ => screen.hanging(&format!("\n {title}\n\n {}\n", lines.join("\n ")), 3),
    }
}

/// Returns a line that counts the verdicts by kind; empty for LaTeX, which has tables only.
fn counts(comparisons: &[Comparison], format: Format, screen: Screen) -> String {
    let verdicts = || comparisons.iter().flat_map(|comparison| &comparison.findings).map(|row| &row.verdict);
    let count = |is_so: fn(&Verdict) -> bool| verdicts().filter(|verdict| is_so(verdict)).count();
    let kinds = [
        (count(|verdict| matches!(verdict, Verdict::Exact)), "exact"),
        (count(|verdict| matches!(verdict, Verdict::Within(_))), "within a tolerance"),
        (count(|verdict| matches!(verdict, Verdict::OrderingHolds)), "hold"),
        (count(|verdict| matches!(verdict, Verdict::HoldsBut(_))), "hold but for one case"),
        (count(|verdict| matches!(verdict, Verdict::NotDecided(_))), "not decided"),
        (count(|verdict| matches!(verdict, Verdict::Differs(_))), "differ"),
    ];
    let all = counted(kinds.iter().map(|(count, _)| count).sum::<usize>(), "verdict");
    let listed = |(count, kind): &(usize, &str)| (*count > 0).then(|| format!("{count} {kind}"));
    let mut text = format!("{all}: {}", kinds.iter().filter_map(listed).collect::<Vec<_>>().join(", "));
    let fitted = count(|verdict| matches!(verdict, Verdict::Fitted { .. }));
    let unmeasured: usize = comparisons.iter().map(|comparison| not_measured(comparison).len()).sum();
    if fitted > 0 {
        text.extend(["; beside them ", &counted(fitted, "fitted number")]);
    }
    if unmeasured > 0 {
        text.extend(["; ", &counted(unmeasured, "sentence"), " not measured"]);
    }
    match format {
        Format::Latex => String::new(),
        Format::Markdown => format!("\n{text}\n"),
        _ => format!("\n{}", screen.words(&text)),
    }
}

/// Returns a row for each finding, as CSV and JSON show it.
fn rows(comparison: &Comparison) -> impl Iterator<Item = Row<'_>> {
    comparison.findings.iter().map(|finding| Row {
        paper: comparison.paper.name,
        figure: comparison.figure.name,
        item: finding.item.clone(),
        log: &finding.log,
        machine: &finding.machine,
        published: finding.published.map(|published| published.value),
        measured: finding.measured,
        half_width: finding.half_width,
        ratio: finding.ratio(),
        verdict: finding.verdict.to_string(),
        kind: if finding.is_ordering { "comparisons" } else { "number" },
    })
}

/// Returns a row for each sentence that no finding judges.
fn unjudged(comparison: &Comparison) -> impl Iterator<Item = Row<'_>> {
    not_measured(comparison).into_iter().map(|(sentence, why)| Row {
        paper: comparison.paper.name,
        figure: comparison.figure.name,
        item: sentence.claim,
        verdict: Verdict::NotMeasured(why).to_string(),
        kind: "sentence",
        ..Row::default()
    })
}

/// Returns rows as comma-separated values; a missing number is an empty field.
fn csv<'a>(rows: impl Iterator<Item = Row<'a>>) -> String {
    let titles = ["paper", "figure", "item", "log", "machine"];
    let titles =
        titles.into_iter().chain(["published", "measured", "half_width", "ratio", "verdict", "kind"]);
    let line = |row: Row<'_>| {
        let numbers = [row.published, row.measured, row.half_width, row.ratio];
        let numbers = numbers.map(|value| value.map_or_else(String::new, |value| value.to_string()));
        let words = [row.paper, row.figure, &row.item, row.log, row.machine].into_iter();
        csv_line(words.chain(numbers.iter().map(String::as_str)).chain([row.verdict.as_str(), row.kind]))
    };
    csv_line(titles) + &rows.map(line).collect::<String>()
}

/// Returns a table that is too wide for the screen as a list: the item, its verdict and numbers, and the
/// reason.
fn listed(table: &TextTable, screen: Screen) -> String {
    let mut text = String::new();
    for row in table.rows() {
        let (mut facts, mut item, mut why) = (Vec::new(), "", "");
        for (title, cell) in table.titles().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            match title {
                "item" => item = cell,
                "why" => why = cell,
                "verdict" => facts.push(cell.clone()),
                _ => facts.push(format!("{title} {cell}")),
            }
        }
        text += &screen.hanging(&format!(" {item}"), 3);
        for line in [facts.join(" · "), why.to_owned()].iter().filter(|line| !line.is_empty()) {
            text += &screen.hanging(&format!("   {line}"), 5);
        }
    }
    text
}

/// The columns of items. The verdict comes first, as items may be long.
const COLUMNS: [(&str, Align); 8] = [
    ("verdict", Align::Left),
    ("published", Align::Right),
    ("measured", Align::Right),
    ("ratio", Align::Right),
    ("item", Align::Left),
    ("log", Align::Left),
    ("machine", Align::Left),
    ("why", Align::Left),
];

/// Returns the items as a table, without empty columns; a log or machine that all items share is not named.
fn items(findings: &[&Finding]) -> TextTable {
    let mut table = TextTable::new(&COLUMNS);
    for finding in findings {
        let published = finding.published.map(|published| grouped(published.value, published.decimals));
        let measured = finding.measured.map(|measured| number(finding, measured));
        let digits = |ratio: f64| if ratio > 0.0 && ratio < 0.01 { 6 } else { 4 };
        let ratio = finding.ratio().map(|ratio| grouped(ratio, digits(ratio)));
        let [published, measured, ratio] = [published, measured, ratio].map(Option::unwrap_or_default);
        let words = finding.verdict.to_string();
        let (verdict, why) = match &finding.verdict {
            Verdict::Note(_) => ("", words.as_str()),
            _ => words.split_once(": ").unwrap_or((words.as_str(), "")),
        };
        let [item, log, machine] = [&finding.item, &finding.log, &finding.machine].map(String::clone);
        table.add(vec![verdict.to_owned(), published, measured, ratio, item, log, machine, why.to_owned()]);
    }
    table.drop_constant(&["log", "machine"]);
    let titles: Vec<String> = table.titles().map(str::to_owned).collect();
    for (at, title) in titles.iter().enumerate().rev() {
        if table.rows().all(|row| row[at].is_empty()) {
            table.drop_constant(&[title]);
        }
    }
    table
}

/// Returns one figure as text, with its title and the notes about its logs.
fn figure(comparison: &Comparison, format: Format, screen: Screen) -> String {
    let Comparison { paper, figure, findings, versions, missing, .. } = comparison;
    let (points, others): (Vec<&Finding>, Vec<&Finding>) =
        findings.iter().partition(|finding| finding.place.is_some());
    // What nothing was printed of comes last, in a table of its own.
    let (judged, beside): (Vec<&Finding>, Vec<&Finding>) =
        others.into_iter().partition(|finding| finding.verdict != Verdict::None);
    let name = format!("{} {}: {}", paper.name, figure.name, figure.title);
    let without = (!missing.is_empty()).then(|| format!("without {}, not found", missing.join(", ")));
    let written = |table: &TextTable| match format {
        Format::Markdown => table.markdown(),
        Format::Latex => {
            let notes: Vec<String> = versions.iter().chain(&without).cloned().collect();
            table.latex(&name, &notes)
        }
        _ => screen.table_from_left(table, 1),
    };
    let (before, mark) = if format == Format::Markdown { ("## ", "\n* ") } else { (" ", "\n ") };
    let mut tables: Vec<String> = curves(&points).iter().map(written).collect();
    for table in
        [judged, beside].iter().filter(|findings| !findings.is_empty()).map(|findings| items(findings))
    {
        tables.push(match (format, screen.width) {
            (Format::Table, Some(width)) => {
                let (text, removed) = table.wrapped_text(width, "why", 20);
                let fits = removed.is_empty() && text.lines().all(|line| line.chars().count() <= width);
                if fits { text } else { listed(&table, screen) }
            }
            _ => written(&table),
        });
    }
    let table = tables.join("\n");
    if format == Format::Latex {
        return table;
    }
    let notes: Vec<&str> = versions.iter().chain(&without).flat_map(|line| [mark, line]).collect();
    let end = if notes.is_empty() { "" } else { "\n" };
    let text = format!("{before}{name}\n\n{table}{}{end}", notes.concat());
    if format == Format::Table { screen.hanging(&text, 3) } else { text }
}

/// Returns a number as text, with half the width of its confidence interval if it has one that is not 0.
fn number(finding: &Finding, measured: f64) -> String {
    match finding.half_width.filter(|half_width| *half_width > 0.0) {
        None => grouped(measured, decimals(finding, measured)),
        Some(half_width) => {
            // The half-width has two significant digits, and the mean as many decimals.
            let digits = (1.0 - half_width.log10().floor()).clamp(0.0, 4.0) as usize;
            format!("{} ±{}", grouped(measured, digits), grouped(half_width, digits))
        }
    }
}

/// Returns the points of curves as tables, one table per axis. A table has one row per curve and one column
/// per value on the axis.
fn curves(points: &[&Finding]) -> Vec<TextTable> {
    let places = || points.iter().filter_map(|finding| Some((*finding, finding.place.as_ref()?)));
    let table = |axis: &str| {
        let on_axis = || places().filter(|(_, place)| place.axis == axis);
        let columns = distinct(on_axis().map(|(_, place)| place.at.as_str()));
        let rows = distinct(on_axis().map(|(_, place)| place.curve.as_str()));
        let titles = columns.iter().map(|at| (*at, Align::Right));
        let mut table = TextTable::new(&iter::once((axis, Align::Left)).chain(titles).collect::<Vec<_>>());
        for curve in rows {
            let cell = |at: &&str| {
                let is_here = |place: &Place| place.curve == curve && place.at == **at;
                let measured = on_axis().find(|(_, place)| is_here(place)).map(|(finding, _)| finding);
                measured.and_then(|finding| Some(number(finding, finding.measured?))).unwrap_or_default()
            };
            table.add(iter::once(curve.to_owned()).chain(columns.iter().map(cell)).collect());
        }
        table
    };
    distinct(places().map(|(_, place)| place.axis.as_str())).into_iter().map(table).collect()
}

/// Returns the number of decimals of a measured number. It is one more than was printed, and as many as
/// printed for a whole number; without a published number it is 0, 1 or 4.
fn decimals(finding: &Finding, measured: f64) -> usize {
    match finding.published {
        Some(published) if measured.fract() == 0.0 => published.decimals,
        Some(published) if published.value >= 10.0 && measured < 10.0 => 3,
        Some(published) => published.decimals + 1,
        None if measured.fract() == 0.0 => 0,
        None if measured.abs() >= 1000.0 => 1,
        None => 4,
    }
}
