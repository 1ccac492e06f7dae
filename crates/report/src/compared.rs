//! The numbers of a table among which the best is marked.

use super::crosstab::CrosstabOptions;
use meshreplay_results::text::Grid;

/// The direction in which the numbers of a table are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Along {
    /// The numbers of each column.
    #[default]
    Columns,
    /// The numbers of each row.
    Rows,
}

/// A cell of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) row: usize,
    pub(super) column: usize,
}

/// Returns the cells that are compared: those of a column, or of a row, that differ only in allocator and
/// scheduler, or all of a column or row whose labels name neither.
pub(super) fn rivals(options: &CrosstabOptions, grid: &Grid) -> Vec<Vec<Cell>> {
    let (names, keys, count) = match options.along {
        Along::Columns => (&options.rows, &grid.rows, grid.columns.len()),
        Along::Rows => (&options.columns, &grid.columns, grid.rows.len()),
    };
    let is_rival = |name: &String| ["allocator", "scheduler"].contains(&name.as_str());
    let has_rivals = names.iter().any(is_rival);
    let mut groups: Vec<(Vec<&String>, Vec<usize>)> = Vec::new();
    for (i, labels) in keys.iter().enumerate() {
        let others = names.iter().zip(labels).filter(|(name, _)| has_rivals && !is_rival(name));
        let key: Vec<&String> = others.map(|(_, label)| label).collect();
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, members)) => members.push(i),
            None => groups.push((key, vec![i])),
        }
    }
    let cell = |line: usize, i: usize| match options.along {
        Along::Columns => Cell { row: i, column: line },
        Along::Rows => Cell { row: line, column: i },
    };
    let in_line =
        |line: usize| groups.iter().map(move |(_, members)| members.iter().map(|&i| cell(line, i)).collect());
    (0..count).flat_map(in_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_different_logs_are_not_compared() {
        let labels = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let results = ["a mm", "a bf", "b mm"].iter().zip(0..);
        let results: Vec<_> = results.map(|(row, i)| (i, labels(row), labels("16x8"))).collect();
        let grid = Grid::new(&results);
        let rows = |names: &str, along| {
            let options = CrosstabOptions {
                rows: labels(names),
                columns: labels("machine"),
                value: String::new(),
                relative_to: None,
                best: None,
                along,
                decimals: None,
                exact: false,
            };
            let groups = rivals(&options, &grid);
            groups
                .iter()
                .map(|group| group.iter().map(|cell| cell.row).collect())
                .collect::<Vec<Vec<usize>>>()
        };
        assert_eq!(rows("log allocator", Along::Columns), [vec![0, 1], vec![2]]);
        // Without an allocator or scheduler, the labels are what is compared.
        assert_eq!(rows("log user", Along::Columns), [[0, 1, 2]]);
        assert_eq!(rows("log allocator", Along::Rows), [[0], [1], [2]]);
    }
}
