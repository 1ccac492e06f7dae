//! Tables of text for the terminal, Markdown and LaTeX: fitted to a width, and with any number of rows, such
//! as the cells of a study of a million replays, in little memory.

use std::borrow::Cow;
use std::collections::BTreeSet;

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, TableStyle, Width};

use super::{Screen, escaped};

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
    align: Align,
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
    fn widen(&mut self, widths: &[usize]) {
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
    fn column_width(&self, i: usize) -> usize {
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

/// The number of rows that are in memory at once.
const BLOCK: usize = 1000;

/// A table whose rows are made when they are needed, and twice: once to find the widths of the columns, and
/// once to be written.
pub struct LongTable<'a> {
    /// The titles and alignments of the columns.
    pub columns: &'a [(&'a str, Align)],
    /// The number of rows.
    pub height: usize,
    /// Returns the cells of a row, one for each column. Each call with the same row must return the same.
    pub row: &'a dyn Fn(usize) -> Vec<String>,
    /// The titles of the columns that are left out if all their cells are equal.
    pub if_different: &'a [&'a str],
}

/// The text of a [`LongTable`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongText {
    /// The title and the cell of each column that was left out because its cells are equal.
    pub shared: Vec<(String, String)>,
    /// The table, as [`Screen::table`] returns a short one.
    pub text: String,
}

impl LongTable<'_> {
    /// Returns the text of the table. Columns that have no room are left out, the first of `by_use` first,
    /// and a line below the table names them. Takes memory for the text and a thousand rows.
    pub fn text(&self, screen: Screen, by_use: &[&str]) -> LongText {
        let first = self.block(0, 1);
        let first = first.rows().next().map(<[String]>::to_vec).unwrap_or_default();
        let mut is_shared = vec![self.height > 0; self.columns.len()];
        let mut widths = vec![0; self.columns.len()];
        for start in (0..self.height).step_by(BLOCK) {
            let block = self.block(start, BLOCK);
            for row in block.rows() {
                for (shared, (cell, of_first)) in is_shared.iter_mut().zip(row.iter().zip(&first)) {
                    *shared &= cell == of_first;
                }
            }
            for (i, width) in widths.iter_mut().enumerate() {
                *width = block.column_width(i).max(*width);
            }
        }
        let is_dropped = |i: &usize| is_shared[*i] && self.if_different.contains(&self.columns[*i].0);
        let (dropped, kept): (Vec<usize>, Vec<usize>) = (0..self.columns.len()).partition(is_dropped);
        let kept: Vec<&str> = kept.into_iter().map(|i| self.columns[i].0).collect();
        let (mut text, mut removed) = (String::new(), Vec::new());
        // A table without rows still has its titles.
        for start in (0..self.height.max(1)).step_by(BLOCK) {
            let mut block = self.block(start, BLOCK);
            block.widen(&widths);
            let mut block = block.with_columns(&kept);
            removed = screen.width.map(|width| block.fit(width, by_use)).unwrap_or_default();
            let lines = block.text();
            let titles = if start == 0 { 0 } else { lines.find('\n').map_or(0, |end| end + 1) };
            text += &lines[titles..];
        }
        text += &screen.no_room_for(&removed);
        let shared = dropped.into_iter().map(|i| (self.columns[i].0.to_owned(), first[i].clone())).collect();
        LongText { shared, text }
    }

    /// Returns the table with at most `count` rows from `start` on.
    fn block(&self, start: usize, count: usize) -> TextTable {
        let mut table = TextTable::new(self.columns);
        (start..self.height.min(start + count)).for_each(|i| table.add((self.row)(i)));
        table
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

#[cfg(test)]
mod fit_tests {
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

#[cfg(test)]
mod long_table_tests {
    use super::*;

    /// Compares a long table with a short one of the same rows, on several screens.
    #[test]
    fn a_long_table_is_the_short_one() {
        let columns =
            [("cell", Align::Left), ("kind", Align::Left), ("log", Align::Left), ("sum", Align::Right)];
        for height in [0, 1, 2, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 7] {
            // The widest cells are in the last block only.
            let row = |i: usize| -> Vec<String> {
                vec![i.to_string(), "x".repeat(1 + i / BLOCK), "L".to_owned(), (i * i).to_string()]
            };
            let long = LongTable { columns: &columns, height, row: &row, if_different: &["log", "kind"] };
            let mut table = TextTable::new(&columns);
            (0..height).for_each(|i| table.add(row(i)));
            // The order of the columns decides which one is named first.
            let shared = table.drop_constant(&["kind", "log"]);
            for width in [None, Some(80), Some(18), Some(10)] {
                let screen = Screen { width, is_bold: false };
                let expected =
                    LongText { shared: shared.clone(), text: screen.table(&table, &["sum", "cell"]) };
                assert_eq!(long.text(screen, &["sum", "cell"]), expected, "{height} rows, width {width:?}");
            }
        }
    }
}
