//! The tables of a report: the summary, the verdicts on reproduced figures, and the origin of the numbers.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::error::ReportError;
use super::foreign::safe_svg;
use super::html::{ReportCell, ReportTable};
use crate::figure::Results;
use crate::frame::STUDY_FILE;
use crate::metrics::{Circumstances, METRICS, Metric};
use crate::paper::papers;
use crate::text::grouped;

/// Returns the table of the summary, with one row for each replay and seed.
pub(super) fn summary(results: &Results) -> ReportTable {
    let refused = results.numbers("allocate_failures").unwrap_or_default();
    let circumstances = Circumstances {
        delays: results.have_delays(),
        refused: refused.iter().flatten().any(|&calls| calls > 0.0),
        outages: results.sheet.column("goodput").is_some(),
        predictions: results.sheet.column("prediction_error_s_mean").is_some(),
        recorded: results.sheet.column("starts_delayed").is_some(),
        recorded_nodes: results.sheet.column("nodes_replaced").is_some(),
        ..Circumstances::default()
    };
    let column = |metric: &'static Metric| {
        let column = metric.report.filter(|column| column.is_shown(&circumstances))?;
        Some((column, metric.display, results.sheet.numbers(metric.name())?))
    };
    let mut shown: Vec<_> = METRICS.iter().filter_map(column).collect();
    // The sort is stable: within a group, numbers keep the order of METRICS.
    shown.sort_by_key(|(column, ..)| column.group);
    let row = |i: usize| {
        let mut cells = vec![ReportCell::words(&results.name(i, &[]))];
        cells.push(ReportCell::words(&results.label(i, "seed")));
        cells.extend(shown.iter().map(|(_, display, numbers)| match numbers[i] {
            Some(number) => {
                ReportCell::number(grouped(display.factor() * number, display.decimals()), number)
            }
            None => ReportCell::words("-"),
        }));
        cells
    };
    let titles = shown.iter().map(|(column, ..)| (column.title.to_owned(), false));
    let columns =
        [("replay".to_owned(), true), ("seed".to_owned(), false)].into_iter().chain(titles).collect();
    let shared = results.shared();
    let title = if shared.is_empty() { "Replays".to_owned() } else { format!("Replays: {shared}") };
    ReportTable { title, columns, rows: (0..results.sheet.height()).map(row).collect() }
}

/// Returns the JSON of a file; `None` if the file cannot be opened. Fails if it is not valid JSON.
fn read(path: &Path) -> Result<Option<Value>, ReportError> {
    let Ok(text) = fs::read_to_string(path) else { return Ok(None) };
    let damaged = |source| ReportError::Damaged { path: path.to_owned(), source };
    serde_json::from_str(&text).map(Some).map_err(damaged)
}

/// Returns a JSON value as text, strings without quotation marks.
fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the origin of the numbers as pairs of a name and a value: the resolved run or study, and the values of
/// columns.
pub(super) fn provenance(folder: &Path, results: &Results) -> Vec<(String, String)> {
    let run = ["run.json", STUDY_FILE].iter().find_map(|file| read(&folder.join(file)).ok().flatten());
    let mut lines = Vec::new();
    let mut add = |what: &str, which: String| lines.push((what.to_owned(), which));
    match &run {
        Some(run) => {
            for key in ["name", "description", "version", "rules", "replications", "trim_percent"] {
                if let Some(value) = run.get(key).filter(|value| !value.is_null()) {
                    add(key, words(value));
                }
            }
            for log in run.get("logs").and_then(Value::as_array).into_iter().flatten() {
                let of = |key: &str| log.get(key).map(words).unwrap_or_default();
                add("log", format!("{}, {} records, SHA-256 {}", of("name"), of("records"), of("sha256")));
            }
        }
        None => add("version", results.label(0, "version")),
    }
    for column in ["machine", "scheduler", "allocator", "network", "rules", "arrival_scale"] {
        let mut values: Vec<String> = Vec::new();
        for i in 0..results.sheet.height() {
            let (label, spec) = (results.label(i, column), results.label(i, &format!("{column}_spec")));
            let value = if spec.is_empty() || spec == label { label } else { format!("{label} ({spec})") };
            if !values.contains(&value) {
                values.push(value);
            }
        }
        add(column, values.join("; "));
    }
    if let Some(missing) = results.sheet.missing_note() {
        add("missing", missing);
    }
    lines
}

/// Returns the CSS class of a verdict. Verdicts without a decision or a measurement look neither good nor bad.
fn verdict_class(verdict: &str) -> &'static str {
    let begins = |words: &str| verdict.starts_with(words);
    if begins("differs") {
        "differs long"
    } else if begins("not decided") || begins("not measured") {
        "long"
    } else if begins("ordering holds but") {
        "holds long"
    } else if verdict.is_empty() {
        ""
    } else {
        "holds"
    }
}

/// Returns one table of verdicts for each paper that was reproduced into this directory; none if there is no such
/// paper.
pub(super) fn verdicts(folder: &Path) -> Result<Vec<ReportTable>, ReportError> {
    let mut tables = Vec::new();
    for paper in papers()? {
        let Some(rows) = read(&folder.join(format!("{}.json", paper.name)))? else { continue };
        let row = |row: &Value| {
            let text =
                |key: &str| row.get(key).filter(|value| !value.is_null()).map(words).unwrap_or_default();
            let number = |key: &str| match row.get(key).and_then(Value::as_f64) {
                Some(value) => ReportCell::number(digits(value), value),
                None => ReportCell::default(),
            };
            let verdict = text("verdict");
            let class = verdict_class(&verdict);
            vec![
                ReportCell::words(&text("figure")),
                ReportCell::words(&text("item")),
                ReportCell::words(&text("log")),
                ReportCell::words(&text("machine")),
                number("published"),
                number("measured"),
                number("half_width"),
                ReportCell { text: verdict, value: None, class },
            ]
        };
        let column = |(title, is_words): (&str, bool)| (title.to_owned(), is_words);
        let columns = [
            ("figure", true),
            ("item", true),
            ("log", true),
            ("machine", true),
            ("published", false),
            ("measured", false),
            ("±", false),
            ("verdict", true),
        ];
        tables.push(ReportTable {
            title: format!("{}: {}", paper.name, paper.source),
            columns: columns.into_iter().map(column).collect(),
            rows: rows.as_array().into_iter().flatten().map(row).collect(),
        });
    }
    Ok(tables)
}

/// The name of a plot and its drawing as SVG.
type NamedPlot = (String, String);

/// Returns the plots that `reproduce -o` wrote into the directory, as pairs of a name and an SVG drawing. Drawings that
/// contain more than our own drawings do are left out, and a note says why.
pub(super) fn figures(folder: &Path) -> Result<(Vec<NamedPlot>, Vec<String>), ReportError> {
    let (mut plots, mut notes) = (Vec::new(), Vec::new());
    for (paper, figure) in
        papers()?.iter().flat_map(|paper| paper.figures.iter().map(move |figure| (paper, figure)))
    {
        let name = format!("{}-{}", paper.name, figure.name);
        let path = folder.join(format!("{name}.svg"));
        if !path.exists() {
            continue;
        }
        let svg = fs::read_to_string(&path)
            .map_err(|source| ReportError::Unreadable { path: path.clone(), source })?;
        match safe_svg(&svg) {
            Ok(svg) => plots.push((name, svg)),
            Err(problem) => notes.push(format!("left out {}: {problem}", path.display())),
        }
    }
    Ok((plots, notes))
}

/// Returns a number as text with five digits.
fn digits(value: f64) -> String {
    let decimals = if value.abs() > 0.0 { (4.0 - value.abs().log10().floor()).clamp(0.0, 9.0) } else { 0.0 };
    grouped(value, decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::{Tolerance, Verdict};

    #[test]
    fn only_what_holds_looks_as_if_it_did() {
        let said = || "a (2) is not below b (1)".to_owned();
        for (verdict, class) in [
            (Verdict::Exact, "holds"),
            (Verdict::Within(Tolerance::Percent(0.1)), "holds"),
            (Verdict::OrderingHolds, "holds"),
            (Verdict::HoldsBut(said()), "holds long"),
            (Verdict::Differs(said()), "differs long"),
            (Verdict::NotDecided(said()), "long"),
            (Verdict::NotMeasured(said()), "long"),
            (Verdict::None, ""),
        ] {
            assert_eq!(verdict_class(&verdict.to_string()), class, "{verdict}");
        }
    }
}
