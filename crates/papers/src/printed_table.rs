//! Tables as papers print them.

use crate::finding::Published;

/// A printed table, with one row per label.
#[derive(Debug)]
pub(crate) struct PrintedTable {
    columns: Vec<&'static str>,
    rows: Vec<(&'static str, Vec<&'static str>)>,
}

impl PrintedTable {
    /// Returns the table in a tab-separated text. The first line that is no comment holds the titles.
    pub(crate) fn parse(text: &'static str) -> Self {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut titles = lines.next().unwrap_or_default().split('\t');
        let row = |line: &'static str| {
            let (label, cells) = line.split_once('\t')?;
            Some((label, cells.split('\t').collect()))
        };
        titles.next();
        Self { columns: titles.collect(), rows: lines.filter_map(row).collect() }
    }

    /// Returns every cell, column by column, as (label of the row, title of the column, printed text).
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> + '_ {
        self.columns.iter().enumerate().flat_map(move |(j, &column)| {
            self.rows.iter().filter_map(move |(label, cells)| Some((*label, column, *cells.get(j)?)))
        })
    }

    /// Returns the number in a cell; `None` if there is no such cell, or if it holds a dash.
    pub(crate) fn cell(&self, label: &str, column: &str) -> Option<Published> {
        let is = |(row, title, _): &(&str, &str, &str)| *row == label && *title == column;
        Published::parse(self.cells().find(is)?.2)
    }
}
