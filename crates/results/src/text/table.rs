//! Tables of text for the terminal, Markdown and LaTeX.

use std::borrow::Cow;

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use std::collections::BTreeSet;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, TableStyle, Width};

use super::escaped;

/// The alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// The text starts at the left edge, as for names.
    Left,
    /// The text ends at the right edge, as for numbers.
    Right,
}

/// A column of a [`TextTable`].
#[derive(Clone, Debug)]
pub(super) struct TableColumn {
    pub(super) title: String,
    pub(super) align: Align,
    /// The minimum width in characters, for tables whose blocks share their columns.
    pub(super) least: usize,
}

/// A table of text: columns with titles, and rows of cells.
#[derive(Clone, Debug, Default)]
pub struct TextTable {
    pub(super) columns: Vec<TableColumn>,
    pub(super) rows: Vec<Vec<String>>,
    /// The cells that are marked: the row, and the title of the column.
    marked: BTreeSet<(usize, String)>,
}

/// Zero-width characters around a marked cell, which become the codes for bold text. They do not count in the
/// width of a line.
const BOLD: (&str, &str) = ("\u{2060}", "\u{200b}");

impl TextTable {
    /// Returns a table with these titles and alignments, and no rows.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let column = |(title, align): &(&str, Align)| TableColumn {
            title: (*title).to_owned(),
            align: *align,
            least: 0,
        };
        let columns = columns.iter().map(column).collect();
        Self { columns, ..Self::default() }
    }

    /// Adds a row. `cells` holds one cell for each column. Control characters in them are spelled out.
    pub fn add(&mut self, mut cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        for cell in &mut cells {
            if let Cow::Owned(printable) = escaped::printable(cell) {
                *cell = printable;
            }
        }
        self.rows.push(cells);
    }

    /// Removes the columns of `titles` with the same cell in all rows. Returns the title and the cell of each
    /// removed column. Removes nothing if the table has no rows.
    pub fn drop_constant(&mut self, titles: &[&str]) -> Vec<(String, String)> {
        let mut dropped = Vec::new();
        for title in titles {
            let Some(at) = self.columns.iter().position(|column| column.title == *title) else { continue };
            let Some(cell) = self.rows.first().map(|row| row[at].clone()) else { continue };
            if self.rows.iter().all(|row| row[at] == cell) {
                self.columns.remove(at);
                self.rows.iter_mut().for_each(|row| drop(row.remove(at)));
                dropped.push(((*title).to_owned(), cell));
            }
        }
        dropped
    }

    /// Sets the minimum width of each column.
    pub(super) fn widen(&mut self, widths: &[usize]) {
        for (column, &width) in self.columns.iter_mut().zip(widths) {
            column.least = width;
        }
    }

    /// Removes the last column and returns its title; `None` if there is no column.
    pub(super) fn pop_column(&mut self) -> Option<String> {
        self.rows.iter_mut().for_each(|row| drop(row.pop()));
        self.columns.pop().map(|column| column.title)
    }

    /// Returns the number of rows.
    pub fn height(&self) -> usize {
        self.rows.len()
    }

    /// Returns the cells of each row.
    pub fn rows(&self) -> impl Iterator<Item = &[String]> {
        self.rows.iter().map(Vec::as_slice)
    }

    /// Marks a cell, as the best of its column. Only [`TextTable::bold_text`] shows it.
    pub fn mark(&mut self, row: usize, title: &str) {
        self.marked.insert((row, title.to_owned()));
    }

    /// Returns the table as lines of aligned text. The first line holds the titles.
    pub fn text(&self) -> String {
        self.render(NOTHING)
    }

    /// Returns the table as [`TextTable::text`] does, with the marked cells in bold letters for a terminal.
    pub fn bold_text(&self) -> String {
        let mut marked = self.clone();
        for (i, row) in marked.rows.iter_mut().enumerate() {
            for (cell, column) in row.iter_mut().zip(&self.columns) {
                if self.marked.contains(&(i, column.title.clone())) {
                    *cell = [BOLD.0, cell, BOLD.1].concat();
                }
            }
        }
        marked.render(NOTHING).replace(BOLD.0, "\x1b[1m").replace(BOLD.1, "\x1b[0m")
    }

    /// Returns the table in Markdown.
    pub fn markdown(&self) -> String {
        let column =
            |column: &TableColumn| TableColumn { title: escaped::markdown(&column.title), ..column.clone() };
        let columns = self.columns.iter().map(column).collect();
        let cells = |row: &Vec<String>| row.iter().map(|cell| escaped::markdown(cell)).collect();
        let escaped = Self { columns, rows: self.rows.iter().map(cells).collect(), ..Self::default() };
        let text = escaped.render(ASCII_MARKDOWN);
        let mut lines: Vec<String> = text.lines().map(|line| line.to_owned() + "\n").collect();
        if let Some(rule) = lines.get_mut(1) {
            // Markdown aligns a column to the right if the rule below its title ends with a colon.
            let parts = rule.trim_matches(['|', '\n']).split('|').zip(&self.columns);
            // The colon replaces a dash, so that the width stays the same.
            let parts: Vec<String> = parts
                .map(|(dashes, column)| match column.align {
                    Align::Left => dashes.to_owned(),
                    Align::Right => format!("{}:", &dashes[1..]),
                })
                .collect();
            *rule = format!("|{}|\n", parts.join("|"));
        }
        lines.concat()
    }

    /// Returns the table as a LaTeX tabular in the style of booktabs, with a comment that says what it shows,
    /// and with notes below it.
    pub fn latex(&self, title: &str, notes: &[String]) -> String {
        let alignment = self.columns.iter().map(|column| if column.align == Align::Left { 'l' } else { 'r' });
        let heads: Vec<String> = self.columns.iter().map(|column| escaped::latex(&column.title)).collect();
        let cells = |row: &Vec<String>| row.iter().map(|cell| escaped::latex(cell)).collect();
        let tabular = escaped::Tabular {
            title,
            alignment: alignment.collect(),
            heads: vec![escaped::latex_line(&heads)],
            rows: self.rows.iter().map(cells).collect(),
            notes: notes.to_vec(),
            width: (0..self.columns.len()).map(|i| self.column_width(i) + 2).sum(),
        };
        tabular.latex()
    }

    /// Returns the table in a style of comfy-table, without blanks at the ends of lines.
    fn render(&self, style: TableStyle) -> String {
        let mut table = comfy_table::Table::new();
        table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
        let cell = |text: &String, align| {
            Cell::new(text).set_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            })
        };
        table.set_header(self.columns.iter().map(|column| cell(&column.title, column.align)));
        for row in &self.rows {
            table.add_row(row.iter().zip(&self.columns).map(|(text, column)| cell(text, column.align)));
        }
        for (of, column) in table.column_iter_mut().zip(&self.columns).filter(|(_, column)| column.least > 0)
        {
            // The constraint counts the blanks on both sides of the cell.
            let width = u16::try_from(column.least + 2).unwrap_or(u16::MAX);
            of.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(width)));
        }
        let mut text = String::new();
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> TextTable {
        let mut table = TextTable::new(&[("name", Align::Left), ("log", Align::Left), ("sum", Align::Right)]);
        table.add(vec!["a".into(), "x".into(), "1,000".into()]);
        table.add(vec!["bcd".into(), "x".into(), "5".into()]);
        table
    }

    #[test]
    fn numbers_stand_to_the_right() {
        assert_eq!(example().text(), " name  log    sum\n a     x    1,000\n bcd   x        5\n");
    }

    #[test]
    fn markdown_has_a_rule_below_the_titles_and_bars_in_cells() {
        let mut table = example();
        table.add(vec!["a|b".into(), "x".into(), "5".into()]);
        let text = table.markdown();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "|------|-----|------:|", "{text}");
        assert_eq!(lines[4], "| a\\|b | x   |     5 |", "{text}");
    }

    #[test]
    fn latex_has_a_letter_per_column() {
        let text = "% a (needs \\usepackage{booktabs})\n\\begin{tabular}{llr}\n\\toprule\nname & log & \
                    sum \\\\\n\\midrule\na & x & 1,000 \\\\\nbcd & x & 5 \\\\\n\\bottomrule\n\
                    \\multicolumn{3}{l}{\\footnotesize 5 \\%} \\\\\n\\end{tabular}\n";
        assert_eq!(example().latex("a", &["5 %".to_owned()]), text);
    }

    #[test]
    fn constant_columns_can_be_dropped() {
        let mut table = example();
        assert_eq!(table.drop_constant(&["log", "sum", "none"]), [("log".to_owned(), "x".to_owned())]);
        assert_eq!(table.text(), " name    sum\n a     1,000\n bcd       5\n");
    }
}
