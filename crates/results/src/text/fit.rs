//! Tables that fit the width of a terminal: columns are chosen, left out, or wrapped.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width};

use super::table::{Align, TextTable};

impl TextTable {
    /// Returns the titles of the columns.
    pub fn titles(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.title.as_str())
    }

    /// Returns the first cell of each row.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| row.first()).map(String::as_str)
    }

    /// Returns the cells of the first row whose first cell is `name`, with their titles; `None` if there is
    /// none.
    pub fn row(&self, name: &str) -> Option<Vec<(&str, &str)>> {
        let row = self.rows.iter().find(|row| row.first().is_some_and(|cell| cell == name))?;
        Some(self.titles().zip(row.iter().map(String::as_str)).collect())
    }

    /// Returns the table with these columns only, in this order. Titles that no column has are left out.
    #[must_use]
    pub fn with_columns(&self, titles: &[&str]) -> Self {
        let at: Vec<usize> =
            titles.iter().filter_map(|title| self.titles().position(|other| other == *title)).collect();
        let mut chosen = self.clone();
        chosen.columns = at.iter().map(|&i| self.columns[i].clone()).collect();
        chosen.rows = self.rows.iter().map(|row| at.iter().map(|&i| row[i].clone()).collect()).collect();
        chosen
    }

    /// Returns the width of the widest line of [`TextTable::text`].
    pub fn width(&self) -> usize {
        // One blank on each side of a cell; trailing blanks are not written.
        (0..self.columns.len()).map(|i| self.column_width(i) + 2).sum::<usize>().saturating_sub(1)
    }

    /// Returns the number of characters of the widest cell of a column, its title included.
    pub(super) fn column_width(&self, i: usize) -> usize {
        let cells = self.rows.iter().map(|row| &row[i]);
        let widths = cells.chain([&self.columns[i].title]).map(|cell| cell.chars().count());
        widths.max().unwrap_or(0).max(self.columns[i].least)
    }

    /// Removes the columns with these titles, in this order, until the table is at most `width` wide. Returns
    /// the removed titles in the order of the table.
    pub fn fit(&mut self, width: usize, titles: &[&str]) -> Vec<String> {
        let mut removed = Vec::new();
        for title in titles {
            if self.width() <= width {
                break;
            }
            if self.titles().any(|other| other == *title) {
                removed.push(*title);
                let kept: Vec<String> =
                    self.titles().filter(|other| other != title).map(str::to_owned).collect();
                *self = self.with_columns(&kept.iter().map(String::as_str).collect::<Vec<_>>());
            }
        }
        removed.into_iter().map(str::to_owned).collect()
    }

    /// Returns the table as text of at most `width`, with the cells of one column wrapped. Columns are left
    /// out from the last one on, as long as the wrapped column would have less than `least` characters.
    /// Returns the titles of the columns that are left out as well. On a terminal that is too narrow for
    /// both, lines are longer.
    pub fn wrapped_text(&self, width: usize, wrapped: &str, least: usize) -> (String, Vec<String>) {
        let mut shown = self.clone();
        let mut removed = Vec::new();
        loop {
            let at = shown.titles().position(|title| title == wrapped);
            let Some(at) = at.filter(|_| shown.width() > width) else { return (shown.text(), removed) };
            let taken = shown.width() - shown.column_width(at);
            let spare = width.saturating_sub(taken);
            let rightmost = shown.titles().enumerate().filter(|(i, _)| *i != at && *i != 0).last();
            match rightmost.map(|(_, title)| title.to_owned()).filter(|_| spare < least) {
                Some(title) => {
                    let kept: Vec<&str> = shown.titles().filter(|other| *other != title).collect();
                    shown = shown.with_columns(&kept);
                    removed.insert(0, title);
                }
                None => return (shown.wrapped(at, spare.max(least)), removed),
            }
        }
    }

    /// Returns the table as text, with the cells of column `at` wrapped at `room` characters.
    fn wrapped(&self, at: usize, room: usize) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        // The column alone decides where lines end.
        table.set_width(u16::MAX);
        table.set_header(self.titles());
        for row in &self.rows {
            table.add_row(row);
        }
        for (i, column) in table.column_iter_mut().enumerate() {
            if self.columns[i].align == Align::Right {
                column.set_cell_alignment(CellAlignment::Right);
            }
            // The constraint counts the blanks on both sides of the cell.
            let width = if i == at { room } else { self.column_width(i) } + 2;
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width as u16)));
        }
        table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }
}

/// Returns the words of `text` in lines of at most `width` characters, each with a blank before it and a line
/// end after it. A word that is longer has a line of its own.
pub fn wrapped_words(text: &str, width: usize) -> String {
    let (mut lines, mut room) = (String::new(), 0);
    for word in text.split(' ') {
        let length = word.chars().count() + 1;
        if length > room {
            lines.push_str(if lines.is_empty() { "" } else { "\n" });
            room = width;
        }
        lines.extend([" ", word]);
        room = room.saturating_sub(length);
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> TextTable {
        let columns = ["name", "what", "kind", "source"].map(|title| (title, Align::Left));
        let mut table = TextTable::new(&columns);
        table.add(["first", "a sentence of some words", "free", "A. Author, 1990"].map(str::to_owned).into());
        table.add(["b", "short", "free", "B. Author, Journal of Things, 1991"].map(str::to_owned).into());
        table
    }

    #[test]
    fn columns_are_removed_in_the_given_order_until_the_table_fits() {
        let mut table = example();
        assert_eq!(table.text().lines().map(|line| line.chars().count()).max(), Some(table.width()));
        assert_eq!(table.fit(50, &["source", "kind"]), ["source"]);
        assert!(table.width() <= 50, "{}", table.text());
        assert_eq!(table.fit(50, &["kind"]), [""; 0]);
        assert_eq!(example().fit(10, &["kind"]), ["kind"]);
    }

    #[test]
    fn a_column_is_wrapped_where_it_keeps_enough_room() {
        let (text, removed) = example().wrapped_text(40, "what", 12);
        assert_eq!(removed, ["source"]);
        assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
        let (text, removed) = example().wrapped_text(24, "what", 12);
        assert_eq!(removed, ["kind", "source"]);
        assert!(text.lines().all(|line| line.chars().count() <= 24) && text.lines().count() > 3, "{text}");
        let (text, removed) = example().wrapped_text(200, "what", 12);
        assert!(removed.is_empty() && text == example().text());
    }

    #[test]
    fn rows_are_found_by_their_first_cell() {
        assert_eq!(example().row("b").map(|row| row[1]), Some(("what", "short")));
        assert_eq!(example().row("c"), None);
    }
}
