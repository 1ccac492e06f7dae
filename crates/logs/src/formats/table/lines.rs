//! The lines of a table: quoted text that goes over several of them, and headings that stand again.

use super::layout::{Layout, Place};
use super::{Problem, Table};
use crate::formats::cells::{QuoteFault, has_pairs_only};

/// Longest text with an unclosed quote, in bytes.
const LONGEST: usize = 1 << 20;

/// The most cells of a row over several lines in a table without a heading.
const MOST_CELLS: usize = 1000;

/// The remedy of a quote that is not closed on its line.
const REMEDY: &str = "; quoted text may go over lines with --input-format table:quoted-newlines=yes";

impl Table {
    /// Splits a line, or the rest of a line that a quote has gone on in, into cells. Returns whether they are
    /// whole. A problem is that of the line where the quote opens.
    pub(super) fn split(&mut self, line: &[u8]) -> Result<bool, Problem> {
        let has_quotes = self.options.has_quotes;
        if self.partial.is_empty() {
            return match self.cells.split(line, self.delimiter, has_quotes) {
                Ok(()) => Ok(true),
                Err(QuoteFault { is_open: true, .. }) if self.options.has_quoted_newlines => {
                    self.partial.extend_from_slice(line);
                    Ok(false)
                }
                Err(fault) => Err(fault.problem(&self.cells, line, REMEDY)),
            };
        }
        self.partial.push(b'\n');
        self.partial.extend_from_slice(line);
        // Splitting all lines again for each of them would take quadratic time.
        if has_pairs_only(line) && self.partial.len() <= LONGEST {
            return Ok(false);
        }
        let most_cells = self.heading_cells.unwrap_or(MOST_CELLS);
        match self.cells.split(&self.partial, self.delimiter, has_quotes) {
            Ok(()) => {
                self.partial.clear();
                self.rows_over_lines =
                    self.rows_over_lines.saturating_add(u64::from(!self.options.is_trusted));
                Ok(true)
            }
            Err(QuoteFault { is_open: true, .. })
                if self.partial.len() <= LONGEST && self.cells.count() < most_cells =>
            {
                Ok(false)
            }
            Err(fault) => {
                let text = std::mem::take(&mut self.partial);
                Err(fault.problem(&self.cells, &text, " or one of the next lines"))
            }
        }
    }

    /// Returns true if a line that is no row is a heading again: the first line, or names of columns that
    /// give all that is needed. The columns are those of this heading from now on.
    pub(super) fn is_heading_again(&mut self, line: &[u8]) -> bool {
        if self.layout.names.is_empty() {
            return line == self.first_line;
        }
        // Nearly every line fails this cheap test.
        let known = |cell: &[u8]| self.layout.names.iter().any(|name| name.as_bytes() == cell);
        if !self.cells.get(1).is_some_and(known) {
            return false;
        }
        let names = self.cells.texts();
        if names == self.layout.names {
            return true;
        }
        let is_by_number = self.options.places.iter().any(|place| matches!(place, Some(Place::Number(..))));
        let layout = Layout::of_heading(&self.options, names).ok().filter(|layout| layout.lacks().is_none());
        match layout.filter(|_| !is_by_number) {
            Some(layout) => {
                self.layout = layout;
                self.heading_cells = Some(self.cells.count());
                true
            }
            None => false,
        }
    }
}
