//! Filters of results: the logs, machines, schedulers and allocators that a plot shows.

use super::error::FigureError;
use super::results::Results;
use meshreplay_alloc::allocator;
use meshreplay_base::spec::unknown;
use meshreplay_results::frame::SavedTable;

/// A filter of results.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// The option of the filter, such as `--log`.
    pub option: &'static str,
    /// The column of the summary.
    pub column: &'static str,
    /// The names of the results that are kept.
    pub names: &'a [String],
}

impl Results {
    /// Returns the results that fit all filters, see [`filtered`].
    pub fn filtered(&self, filters: &[Filter<'_>]) -> Result<Self, FigureError> {
        Ok(Self { looks: self.looks.clone(), ..Self::new(filtered(self.table.clone(), filters)?) })
    }
}

/// Returns the rows of a summary that fit all filters. A name fits results labelled so or with another
/// spelling of the same allocator, or else all results of an algorithm with this name: `easy` fits
/// `easy:depth=2`. Fails if a name fits no result, or if no result fits all filters.
pub fn filtered(table: SavedTable, filters: &[Filter<'_>]) -> Result<SavedTable, FigureError> {
    if filters.is_empty() {
        return Ok(table);
    }
    let mut is_kept = vec![true; table.height()];
    for &Filter { option, column, names } in filters {
        let labels: Vec<String> = (0..is_kept.len()).map(|row| table.label(column, row)).collect();
        let mut fits = vec![false; labels.len()];
        for name in names {
            let is_equal = |label: &String| {
                label == name || allocator::short_label(label) == allocator::short_label(name)
            };
            let is_family = |label: &String| label.split(':').next() == Some(name);
            let has_equal = labels.iter().any(is_equal);
            if !has_equal && !labels.iter().any(is_family) {
                let mut known: Vec<&str> = labels.iter().map(String::as_str).collect();
                known.sort_unstable();
                known.dedup();
                return Err(FigureError::NoSuchResult { option, problem: unknown(column, name, known) });
            }
            for (fits, label) in fits.iter_mut().zip(&labels) {
                *fits |= if has_equal { is_equal(label) } else { is_family(label) };
            }
        }
        is_kept.iter_mut().zip(fits).for_each(|(kept, fits)| *kept &= fits);
    }
    if !is_kept.contains(&true) {
        let words =
            filters.iter().map(|Filter { option, names, .. }| [*option, " ", &names.join(" ")].concat());
        return Err(FigureError::NoneLeft { filters: words.collect::<Vec<_>>().join(" and ") });
    }
    Ok(table.filtered(&|row| is_kept[row])?)
}
