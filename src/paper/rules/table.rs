//! Tables as papers print them.

use crate::paper::finding::Published;

/// A table as it is printed: a row for each label.
#[derive(Debug)]
pub(crate) struct PrintedTable {
    /// The title of the labels.
    pub(super) title: &'static str,
    columns: Vec<&'static str>,
    rows: Vec<(&'static str, Vec<&'static str>)>,
}

impl PrintedTable {
    /// Reads tab-separated text; the first line that is no comment has the titles.
    pub(crate) fn parse(text: &'static str) -> Self {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut titles = lines.next().unwrap_or_default().split('\t');
        let row = |line: &'static str| {
            let (label, cells) = line.split_once('\t')?;
            Some((label, cells.split('\t').collect()))
        };
        let title = titles.next().unwrap_or_default();
        Self { title, columns: titles.collect(), rows: lines.filter_map(row).collect() }
    }

    /// Returns every cell, column by column: the label of its row, the title of its column, and what is printed.
    pub(super) fn cells(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> + '_ {
        self.columns.iter().enumerate().flat_map(move |(j, &column)| {
            self.rows.iter().filter_map(move |(label, cells)| Some((*label, column, *cells.get(j)?)))
        })
    }

    /// Returns the number of a cell; `None` if there is no such cell, or a dash in it.
    pub(super) fn cell(&self, label: &str, column: &str) -> Option<Published> {
        let is = |(row, title, _): &(&str, &str, &str)| *row == label && *title == column;
        Published::parse(self.cells().find(is)?.2)
    }
}
