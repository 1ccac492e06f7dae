//! The tables and figures of reproduced papers.

use std::path::Path;
use std::{fs, io};

use serde_json::Value;

use super::ReportError;
use super::foreign::safe_svg;
use super::html::ReportFigure;
use super::table::{ReportCell, ReportColumn, ReportTable};
use meshreplay_figures::draw::decimals;
use meshreplay_papers::{BESIDE, PAPERS};
use meshreplay_results::text::grouped;

/// Returns the JSON of a file; `None` if the file or its directory does not exist. Fails if it cannot be read
/// or is not valid JSON.
pub(super) fn read(path: &Path) -> Result<Option<Value>, ReportError> {
    let text = match fs::read_to_string(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        read => read.map_err(|source| ReportError::Unreadable { path: path.to_owned(), source })?,
    };
    let damaged = |source| ReportError::Damaged { path: path.to_owned(), source };
    serde_json::from_str(&text).map(Some).map_err(damaged)
}

/// Returns a JSON value as text, strings without quotation marks.
pub(super) fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the CSS class of a verdict. Verdicts without a decision or a measurement look neither good nor
/// bad.
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

/// The columns of a table of verdicts: the key in the JSON, the title, and whether the column holds words.
const COLUMNS: [(&str, &str, bool); 8] = [
    ("figure", "figure", true),
    ("item", "item", true),
    ("log", "log", true),
    ("machine", "machine", true),
    ("published", "published", false),
    ("measured", "measured", false),
    ("half_width", "±", false),
    ("verdict", "verdict", true),
];

/// Returns one table of verdicts for each paper that was reproduced into this directory; none if there is no
/// such paper.
pub(super) fn verdicts(folder: &Path) -> Result<Vec<ReportTable>, ReportError> {
    let mut tables = Vec::new();
    for paper in PAPERS {
        let Some(rows) = read(&folder.join(format!("{}.json", paper.name)))? else { continue };
        let row = |row: &Value| {
            let cell = |(key, _, is_words): (&str, &str, bool)| {
                let value = row.get(key).filter(|value| !value.is_null());
                let text = value.map(words).unwrap_or_default();
                match value.and_then(Value::as_f64).filter(|_| !is_words) {
                    Some(value) => ReportCell::number(grouped(value, decimals(value, 5)), value),
                    None if !is_words => ReportCell::default(),
                    None if key == "verdict" => {
                        ReportCell { class: verdict_class(&text), ..ReportCell::words(&text) }
                    }
                    None => ReportCell::words(&text),
                }
            };
            COLUMNS.map(cell).to_vec()
        };
        let column = |(_, title, is_words)| {
            if is_words { ReportColumn::words(title) } else { ReportColumn::numbers(title) }
        };
        tables.push(ReportTable {
            title: format!("{}: {}", paper.name, paper.source),
            columns: COLUMNS.map(column).to_vec(),
            rows: rows.as_array().into_iter().flatten().map(row).collect(),
            caption: "Published numbers beside measured ones, and whether they agree.".to_owned(),
            ..ReportTable::default()
        });
    }
    Ok(tables)
}

/// Returns a sentence with the numbers of verdicts of a table that hold, differ or are open.
pub(super) fn answer(table: &ReportTable) -> String {
    let count = |is: fn(&str) -> bool| {
        let verdicts = table.rows.iter().filter_map(|row| row.last()).filter(|cell| !cell.text.is_empty());
        verdicts.filter(|cell| is(cell.class.split(' ').next().unwrap_or_default())).count()
    };
    let (holds, differs, open) =
        (count(|class| class == "holds"), count(|class| class == "differs"), count(|class| class == "long"));
    let name = table.title.split(':').next().unwrap_or_default();
    format!("{name}: {holds} verdicts hold, {differs} differ, {open} are not decided or not measured")
}

/// Returns the figures that `reproduce -o` wrote into the directory. Drawings with anything outside the
/// allow-list of [`safe_svg`] are left out with a note.
pub(super) fn figures(folder: &Path) -> Result<(Vec<ReportFigure>, Vec<String>), ReportError> {
    let (mut plots, mut notes) = (Vec::new(), Vec::new());
    let figures = PAPERS.iter().flat_map(|paper| paper.figures.iter().map(move |figure| (paper, figure)));
    for ((paper, figure), beside) in figures.flat_map(|figure| [(figure, ""), (figure, BESIDE)]) {
        let name = format!("{}-{}{beside}", paper.name, figure.name);
        let path = folder.join(format!("{name}.svg"));
        if !path.exists() {
            continue;
        }
        let svg = fs::read_to_string(&path)
            .map_err(|source| ReportError::Unreadable { path: path.clone(), source })?;
        match safe_svg(&svg) {
            Ok(svg) => {
                let of_paper = format!("{} of {}", figure.name, paper.name);
                let label =
                    if beside.is_empty() { of_paper } else { format!("not in the paper, beside {of_paper}") };
                plots.push(ReportFigure { name, label, parts: vec![(String::new(), svg)] });
            }
            Err(problem) => notes.push(format!("left out {}: {problem}", path.display())),
        }
    }
    Ok((plots, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_read_is_not_taken_for_none() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("run.json");
        assert!(matches!(read(&path), Ok(None)));
        fs::create_dir(&path)?;
        assert!(matches!(read(&path), Err(ReportError::Unreadable { .. })));
        Ok(())
    }
    use meshreplay_papers::{Tolerance, Verdict};

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
