//! Finds the order of day and month in a table by a look at its dates before the first row is read.
//!
//! `05/04/2024` may be 4 May or 5 April. One date such as `13/05/2024` fixes the order for all rows of its
//! column, also for earlier rows.

use super::field::{COUNT, FIELDS};
use super::{Delimiter, Table};
use crate::error::TraceError;
use crate::formats::format::{LineParser, Preview};
use crate::times::{DateOrder, numbers_of_date};

/// The order of day and month in a column, and a date that decides it.
struct DecidedOrder {
    order: DateOrder,
    example: String,
}

impl Table {
    /// Reads rows until every date column is decided, the dates prove unambiguous, or the table ends. Columns
    /// with ambiguous dates only follow the other columns.
    pub(super) fn find_orders(&mut self, lines: Preview<'_>) -> Result<(), TraceError> {
        if self.options.clock.order.is_some() {
            return Ok(());
        }
        let (mut is_either, mut decided) = (false, [const { None }; COUNT]);
        while let Some(line) = lines()? {
            if line.trim_ascii_start().starts_with(b"#") && self.has_begun {
                continue;
            }
            if !self.has_begun {
                match self.start(&line) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(_) if line.trim_ascii_start().starts_with(b"#") => continue,
                    // The reading itself reports the problem.
                    Err(_) => break,
                }
            }
            if line.trim_ascii_start().starts_with(b";") && !self.has_semicolons() {
                continue;
            }
            // The reading itself reports a stray quote.
            if self.split(&line) != Ok(true) || self.is_heading_again(&line) {
                continue;
            }
            let has_fixed = self.look_at_dates(&mut is_either, &mut decided);
            if has_fixed && !is_either || self.are_all(&decided) {
                break;
            }
        }
        self.partial.clear();
        self.rows_over_lines = 0;
        (self.has_begun, self.delimiter) = (false, self.options.delimiter.unwrap_or(Delimiter::Blanks));
        let mut found = decided.iter().flatten();
        let Some(first) = found.next() else { return Ok(()) };
        let (first, example) = (first.order, &first.example);
        let all_have = |order: DateOrder| decided.iter().flatten().all(|other| other.order == order);
        if all_have(first) {
            self.orders = [Some(first); COUNT];
            let (order, number) = match first {
                DateOrder::DayFirst => ("day", "first"),
                DateOrder::MonthFirst => ("month", "second"),
            };
            self.order_notes.push(format!(
                "dates are read with the {order} first: the {number} number of {example} is no month; \
                     --dates to choose"
            ));
        } else {
            self.orders = decided.map(|decided| decided.map(|decided| decided.order));
            self.order_notes.push("the order of day and month differs among the columns of dates".to_owned());
        }
        Ok(())
    }

    /// Looks at the dates of a row. Returns true if one of its instants is unambiguous or no date.
    fn look_at_dates(&self, is_either: &mut bool, decided: &mut [Option<DecidedOrder>; COUNT]) -> bool {
        let mut has_fixed = false;
        for (field, _) in FIELDS.iter().enumerate().filter(|(_, row)| row.kind.is_instant()) {
            let Some(cell) = self.cell(field) else { continue };
            if self.is_missing(cell) {
                continue;
            }
            match numbers_of_date(cell) {
                None => has_fixed = true,
                Some([first, second]) => {
                    *is_either = true;
                    let order = match (first > 12, second > 12) {
                        (true, false) => DateOrder::DayFirst,
                        (false, true) => DateOrder::MonthFirst,
                        _ => continue,
                    };
                    let example = || String::from_utf8_lossy(cell).chars().take(10).collect();
                    decided[field].get_or_insert_with(|| DecidedOrder { order, example: example() });
                }
            }
        }
        has_fixed
    }

    /// Returns true if the order is known for every column of instants.
    fn are_all(&self, decided: &[Option<DecidedOrder>; COUNT]) -> bool {
        let instants = FIELDS.iter().enumerate().filter(|(_, row)| row.kind.is_instant());
        instants
            .filter(|(field, _)| self.layout.columns[*field].is_some())
            .all(|(field, _)| decided[field].is_some())
    }
}
