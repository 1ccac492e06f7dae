//! Columns of the summary that somebody asked for, as cells of a table.

use crate::frame::{self, FrameError, FrameSchema, Sheet, SheetValues};
use crate::metrics::Interval;
use crate::spec::{SpecError, unknown};
use crate::study::Options;
use crate::text::grouped;

/// Why a table cannot show a column of the summary.
#[derive(Debug, thiserror::Error)]
pub enum ColumnError {
    /// Summaries of these options do not have it.
    #[error("--columns: these results have no column '{name}', which is there {when}")]
    Absent {
        /// Its name.
        name: String,
        /// When summaries have it, in words.
        when: &'static str,
    },
    /// The frame cannot be made.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

/// What a cell holds that has no number.
pub(super) const NONE: &str = "-";

/// Returns a mean as it is shown, with half the width of its interval if it is of several numbers.
pub(super) fn spread(Interval { mean, half_width, count }: Interval, decimals: usize) -> String {
    let spread = if count > 1 { format!(" ±{}", grouped(half_width, decimals)) } else { String::new() };
    grouped(mean, decimals) + &spread
}

/// A column of a table.
pub(super) struct Chosen {
    /// Its title: the name of the summary's column.
    pub(super) name: String,
    /// One for each replay.
    pub(super) cells: Vec<String>,
}

/// Returns `text` if it is the name of a column that a summary may have.
pub fn summary_column(text: &str) -> Result<String, SpecError> {
    let known = FrameSchema::summary();
    let names = || known.columns.iter().map(|column| column.name);
    known.column(text).map(|column| column.name.to_owned()).ok_or_else(|| unknown("column", text, names()))
}

/// Fails if summaries of these options do not have one of these columns, and says when they would.
pub fn check_columns(names: &[String], options: &Options) -> Result<(), ColumnError> {
    // A frame costs 5 ms and 14 MB, even an empty one.
    if names.is_empty() {
        return Ok(());
    }
    let summary = frame::marked(frame::summary(&[], options)?, "")?;
    chosen(names, &Sheet::of_frame(&summary)?, &[]).map(drop)
}

/// Returns these columns of a summary whose rows are the replications of replays, `replications` many each. Fails if
/// the summary does not have one of them, and says when it would.
pub(super) fn chosen(
    names: &[String],
    summary: &Sheet,
    replications: &[usize],
) -> Result<Vec<Chosen>, ColumnError> {
    names.iter().map(|name| column(name, summary, replications)).collect()
}

fn column(name: &str, summary: &Sheet, replications: &[usize]) -> Result<Chosen, ColumnError> {
    let Some(column) = summary.column(name) else {
        let when = FrameSchema::summary().column(name).map_or("", |column| column.when.words());
        return Err(ColumnError::Absent { name: name.to_owned(), when });
    };
    let mut cells = Vec::new();
    let mut first = 0;
    for &count in replications {
        cells.push(match &column.values {
            SheetValues::Text(texts) => texts[first].clone(),
            SheetValues::Number { numbers, whole } => {
                let found: Vec<f64> = numbers[first..first + count].iter().flatten().copied().collect();
                // A whole number is shown exactly; a seed may have more digits than a float.
                if *whole && count == 1 && !found.is_empty() {
                    column.label(first)
                } else {
                    Interval::of(&found)
                        .map_or_else(|| NONE.to_owned(), |found| spread(found, decimals(found.mean)))
                }
            }
        });
        first += count;
    }
    Ok(Chosen { name: name.to_owned(), cells })
}

/// As many decimals as show four digits.
fn decimals(value: f64) -> usize {
    if value == 0.0 { 0 } else { (3.0 - value.abs().log10().floor()).clamp(0.0, 9.0) as usize }
}
