//! Columns of the summary that the user requested, formatted for a table.

use super::layout::{title_of_number, with_unit};
use meshreplay_base::spec::{SpecError, unknown};
use meshreplay_figures::draw::decimals;
use meshreplay_results::frame::{self, FrameError, FrameSchema, SavedTable};
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{Has, Interval, METRICS, Metric, metric};
use meshreplay_study::study::Options;

/// Why a table cannot show a column of the summary.
#[derive(Debug, thiserror::Error)]
pub enum ColumnError {
    /// Summaries with these options do not have the column.
    #[error("these results have no column '{name}', which is there {when}")]
    Absent {
        /// The name of the column.
        name: String,
        /// The condition under which summaries have the column, in words.
        when: &'static str,
    },
    /// No summary has such a column.
    #[error(transparent)]
    Unknown(#[from] SpecError),
    /// The frame of the summary cannot be made.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// The text of a cell without a number.
pub(super) const NONE: &str = "-";

/// Returns the mean as text, followed by half the width of its confidence interval unless all numbers are
/// equal: equal numbers do not depend on the seed.
pub(super) fn spread(Interval { mean, half_width, .. }: Interval, decimals: usize) -> String {
    let spread =
        if half_width > 0.0 { format!(" ±{}", grouped(half_width, decimals)) } else { String::new() };
    grouped(mean, decimals) + &spread
}

/// A column of a table, formatted.
pub(super) struct TextColumn {
    /// The title, which is the name of the summary's column.
    pub(super) name: String,
    /// The text of each cell, one for each replay.
    pub(super) cells: Vec<String>,
}

/// Returns the name of the column of the summary that `text` names: by its name, or by the title that tables
/// have, such as `to bound`. Fails if no summary has such a column.
pub fn summary_column(text: &str) -> Result<String, SpecError> {
    let known = FrameSchema::summary();
    let names = || with_titles(known.columns.iter().map(|column| column.name));
    let column = known.column(text).map(|column| column.name);
    let name = column.or_else(|| titled(text).map(Metric::name));
    name.map(str::to_owned).ok_or_else(|| unknown("column", text, names()))
}

/// Returns the number of the summary that `text` names: by its name, or by the title that tables have. Fails
/// if there is no such number.
pub fn summary_metric(text: &str) -> Result<&'static Metric, SpecError> {
    metric(text)
        .or_else(|| titled(text))
        .ok_or_else(|| unknown("number", text, with_titles(METRICS.iter().map(Metric::name))))
}

/// Returns names of columns, then the titles of numbers in tables and their other names, each once.
fn with_titles(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let titles = METRICS.iter().flat_map(Metric::titles).chain(ALIASES.iter().map(|(alias, _)| *alias));
    let mut all: Vec<&str> = Vec::new();
    for name in names.chain(titles) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Other names of numbers, as tables of earlier versions and of papers have them.
const ALIASES: [(&str, &str); 3] =
    [("sum", "pairwise_sum_mean"), ("call p50", "allocate_ns_p50"), ("call p50 ns", "allocate_ns_p50")];

/// Returns the number with this title in some table: of `replay`, of `table --layout`, in a report, or on an
/// axis; `None` without one. Hyphens and underscores count as blanks, and commas do not count.
fn titled(text: &str) -> Option<&'static Metric> {
    let plain = |title: &str| title.to_lowercase().replace(['-', '_'], " ").replace(',', "");
    let text = plain(text);
    if let Some((_, name)) = ALIASES.iter().find(|(alias, _)| *alias == text) {
        return metric(name);
    }
    let of = |titles: fn(&Metric) -> Vec<String>| {
        METRICS.iter().find(|metric| titles(metric).iter().any(|title| plain(title) == text))
    };
    // Titles of one table differ, but a title may belong to another number in another table.
    of(|metric| metric.titles().map(str::to_owned).collect()).or_else(|| {
        of(|metric| vec![title_of_number(metric), with_unit(metric), metric.full_title(), metric.label()])
    })
}

/// Fails if summaries of such replays lack one of the columns. The error names the condition under which
/// summaries have it.
pub fn check_columns(names: &[String], has: Has) -> Result<(), ColumnError> {
    // Making a frame takes 5 ms and 14 MB, even if it is empty.
    if names.is_empty() {
        return Ok(());
    }
    let summary = frame::marked(frame::summary(&[], &Options::default(), has)?, "")?;
    text_columns(names, &SavedTable::of_frame(&summary)?, &[]).map(drop)
}

/// Returns the columns `names` of a summary. Its rows are the replications of replays, and `replications`
/// holds their number for each replay. Fails if the summary lacks one of the columns.
pub(super) fn text_columns(
    names: &[String],
    summary: &SavedTable,
    replications: &[usize],
) -> Result<Vec<TextColumn>, ColumnError> {
    names.iter().map(|name| column(name, summary, replications)).collect()
}

/// Returns one column of a summary, formatted. Means are taken over the replications of each replay.
fn column(name: &str, summary: &SavedTable, replications: &[usize]) -> Result<TextColumn, ColumnError> {
    let name = if summary.column(name).is_some() { name.to_owned() } else { summary_column(name)? };
    let Some(column) = summary.column(&name) else {
        let when = FrameSchema::summary().column(&name).map_or("", |column| column.needs.words());
        return Err(ColumnError::Absent { name, when });
    };
    let mut cells = Vec::new();
    // The first row of the replay.
    let mut first = 0;
    for &count in replications {
        cells.push(match column.numbers() {
            None => column.label(first),
            Some(numbers) => {
                let values: Vec<f64> = (first..first + count).filter_map(|row| numbers.get(row)).collect();
                // A whole number is printed from its text, because a seed may have more digits than an `f64`
                // keeps.
                if column.is_whole() && count == 1 && !values.is_empty() {
                    column.label(first)
                } else {
                    Interval::of(&values).map_or_else(
                        || NONE.to_owned(),
                        |interval| spread(interval, decimals(interval.mean, 4)),
                    )
                }
            }
        });
        first += count;
    }
    Ok(TextColumn { name, cells })
}
