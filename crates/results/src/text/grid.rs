//! Results arranged by the labels of rows and of columns.

use meshreplay_sim::metrics::Better;

/// A grid of cells, each with the results that have the labels of its row and of its column. Results are
/// given by their positions in a list. Rows and columns are sorted by their first label, then by the next
/// one. Labels are sorted by their first occurrence in the results and not by the alphabet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// The labels of each row.
    pub rows: Vec<Vec<String>>,
    /// The labels of each column.
    pub columns: Vec<Vec<String>>,
    /// The results of each cell, ascending, by row and column.
    pub cells: Vec<Vec<Vec<usize>>>,
}

/// A result: its position, its row labels and its column labels.
pub type Labelled = (usize, Vec<String>, Vec<String>);

/// A position in the labels of a row or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The label at this position of each row.
    Row(usize),
    /// The label at this position of each column.
    Column(usize),
}

impl Grid {
    /// Arranges results, which must all have the same number of labels.
    pub fn new(results: &[Labelled]) -> Self {
        let rows = sides(results.iter().map(|(_, row, _)| row));
        let columns = sides(results.iter().map(|(.., column)| column));
        let place = |keys: &[Vec<String>], key| keys.iter().position(|other| other == key).unwrap_or(0);
        let mut cells = vec![vec![Vec::new(); columns.len()]; rows.len()];
        for (position, row, column) in results {
            cells[place(&rows, row)][place(&columns, column)].push(*position);
        }
        Self { rows, columns, cells }
    }

    /// Applies `of` to the results of each cell, by row and column.
    pub fn map<T>(&self, of: impl Fn(&[usize]) -> T) -> Vec<Vec<T>> {
        self.cells.iter().map(|row| row.iter().map(|cell| of(cell)).collect()).collect()
    }

    /// Returns the results of each cell of a column that has some.
    pub fn column(&self, j: usize) -> impl Iterator<Item = &[usize]> + Clone {
        self.cells.iter().map(move |row| row[j].as_slice()).filter(|cell| !cell.is_empty())
    }

    /// Returns the different labels at `side`, in the order of their first occurrence.
    pub fn labels(&self, side: Side) -> Vec<&str> {
        let (keys, at) = match side {
            Side::Row(at) => (&self.rows, at),
            Side::Column(at) => (&self.columns, at),
        };
        let mut labels: Vec<&str> = Vec::new();
        for key in keys {
            if !labels.contains(&key[at].as_str()) {
                labels.push(&key[at]);
            }
        }
        labels
    }

    /// Returns for each cell its results and the results of its base, by row and column. The base has the
    /// label `label` at `side`, and otherwise the same labels as the cell. Without such a cell, the base is
    /// empty.
    pub fn with_base(&self, side: Side, label: &str) -> Vec<Vec<[Vec<usize>; 2]>> {
        let counterpart = |keys: &[Vec<String>], i: usize, at: usize| {
            let mut key = keys[i].clone();
            label.clone_into(&mut key[at]);
            keys.iter().position(|other| *other == key)
        };
        let base = |i: usize, j: usize| {
            let (row, column) = match side {
                Side::Row(at) => (counterpart(&self.rows, i, at)?, j),
                Side::Column(at) => (i, counterpart(&self.columns, j, at)?),
            };
            Some(self.cells[row][column].clone())
        };
        let both = |i: usize, j: usize| [self.cells[i][j].clone(), base(i, j).unwrap_or_default()];
        let columns = self.columns.len();
        (0..self.rows.len()).map(|i| (0..columns).map(|j| both(i, j)).collect()).collect()
    }
}

/// Returns whether each value is the best of those that are compared. If several values are equal by `same`,
/// all of them are best, but none if all values are. No value is best if `better` is `Neither`.
pub fn best(values: &[Option<f64>], better: Better, same: impl Fn(f64, f64) -> bool) -> Vec<bool> {
    let known = || values.iter().copied().flatten();
    let best = match better {
        Better::Lower => known().min_by(f64::total_cmp),
        Better::Higher => known().max_by(f64::total_cmp),
        Better::Neither => None,
    };
    let best = best.filter(|&best| !known().all(|value| same(value, best)));
    values.iter().map(|value| value.zip(best).is_some_and(|(a, b)| same(a, b))).collect()
}

/// Returns the number of decimals (0 to 6) with which the largest value has four digits: 0 for 22,780, 1 for
/// 631.2, 3 for 1.093. It is 0 if there are no values.
pub fn decimals(values: &[Vec<Option<f64>>]) -> usize {
    let largest = values.iter().flatten().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest > 0.0 { (3.0 - largest.log10().floor()).clamp(0.0, 6.0) as usize } else { 0 }
}

/// Returns the different keys, sorted by the first occurrence of their first label, then by that of the next
/// one.
fn sides<'a>(keys: impl Iterator<Item = &'a Vec<String>>) -> Vec<Vec<String>> {
    let mut ranks: Vec<Vec<&str>> = Vec::new();
    let mut sorted: Vec<(Vec<usize>, &Vec<String>)> = Vec::new();
    for key in keys {
        ranks.resize(key.len(), Vec::new());
        // The rank of a label is the position of its first occurrence. Keys are then sorted by their ranks.
        let rank = |(label, known): (&'a String, &mut Vec<&'a str>)| {
            known.iter().position(|other| other == label).unwrap_or_else(|| {
                known.push(label);
                known.len() - 1
            })
        };
        let rank: Vec<usize> = key.iter().zip(&mut ranks).map(rank).collect();
        if let Err(at) = sorted.binary_search_by(|(other, _)| other.cmp(&rank)) {
            sorted.insert(at, (rank, key));
        }
    }
    sorted.into_iter().map(|(_, key)| key.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(results: &[(&str, &str)]) -> Grid {
        let labels = |text: &str| text.split(' ').map(str::to_owned).collect();
        let results = results.iter().zip(0..);
        Grid::new(&results.map(|((row, column), i)| (i, labels(row), labels(column))).collect::<Vec<_>>())
    }

    fn example() -> Grid {
        grid(&[("mm", "16x8"), ("bf", "16x8"), ("bf", "16x8"), ("bf", "8x8")])
    }

    #[test]
    fn order_is_that_of_first_occurrence_and_several_results_share_a_cell() {
        let grid = example();
        assert_eq!(grid.labels(Side::Row(0)), ["mm", "bf"]);
        assert_eq!(grid.labels(Side::Column(0)), ["16x8", "8x8"]);
        assert_eq!(grid.cells, [[vec![0], vec![]], [vec![1, 2], vec![3]]]);
        assert_eq!(grid.map(<[usize]>::len), [[1, 0], [2, 1]]);
        assert_eq!(grid.column(1).collect::<Vec<_>>(), [[3]]);
    }

    #[test]
    fn columns_of_one_first_label_stand_together() {
        let grid = grid(&[("", "8 1"), ("", "4 1"), ("", "8 0.5"), ("", "4 0.5")]);
        assert_eq!(grid.columns, [["8", "1"], ["8", "0.5"], ["4", "1"], ["4", "0.5"]]);
    }

    #[test]
    fn bases_are_in_the_same_column_or_row() {
        let bases = |side, label| -> Vec<Vec<Vec<usize>>> {
            let both = example().with_base(side, label);
            both.into_iter().map(|row| row.into_iter().map(|[_, base]| base).collect()).collect()
        };
        assert_eq!(bases(Side::Row(0), "bf"), [[vec![1, 2], vec![3]], [vec![1, 2], vec![3]]]);
        let none: Vec<usize> = Vec::new();
        assert_eq!(bases(Side::Column(0), "8x8"), [[none.clone(), none.clone()], [vec![3], vec![3]]]);
        assert_eq!(bases(Side::Column(0), "4x4"), [[none.clone(), none.clone()], [none.clone(), none]]);
    }

    #[test]
    fn the_best_value_is_found() {
        let same = |a: f64, b: f64| (a - b).abs() < 1.0;
        let values = [Some(30.0), None, Some(20.0), Some(20.5)];
        assert_eq!(best(&values, Better::Lower, same), [false, false, true, true]);
        assert_eq!(best(&values, Better::Higher, same), [true, false, false, false]);
        assert_eq!(best(&values, Better::Neither, same), [false; 4]);
        // A single value has no rival.
        assert_eq!(best(&[None, Some(50.0)], Better::Lower, same), [false; 2]);
    }

    #[test]
    fn decimals_follow_the_largest_value() {
        for (value, expected) in [(22_780.0, 0), (1_234.5, 0), (631.0, 1), (4.7, 3), (0.69, 4), (0.0, 0)] {
            assert_eq!(decimals(&[vec![Some(value), None]]), expected, "{value}");
        }
    }
}
