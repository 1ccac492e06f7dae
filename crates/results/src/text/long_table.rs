//! Tables with any number of rows, such as the cells of a study of a million replays, in little memory.

use super::{Align, Screen, TextTable};

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
