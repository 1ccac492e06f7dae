//! Turns a list of results into a pivot table.

use meshreplay_sim::metrics::Better;

/// One result: the labels of its row, the labels of its column, and the number. All entries of a list must have the
/// same number of labels.
pub type PivotEntry = (Vec<String>, Vec<String>, f64);

/// A pivot table: the mean of the results for every row and column. Rows and columns are sorted by their first label,
/// then by the next one. Labels are sorted by their first occurrence in the results and not by the alphabet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pivot {
    /// The labels of each row.
    pub rows: Vec<Vec<String>>,
    /// The labels of each column.
    pub columns: Vec<Vec<String>>,
    /// The means by row and column; `None` where there is no result.
    pub values: Vec<Vec<Option<f64>>>,
    /// The smallest and the largest number of results behind a mean. Both are 0 if there are no results.
    pub results: (usize, usize),
}

/// A position in the labels of a row or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The label at this position of each row.
    Row(usize),
    /// The label at this position of each column.
    Column(usize),
}

impl Pivot {
    /// Returns the mean of `entries` for every row and column.
    pub fn new(entries: &[PivotEntry]) -> Self {
        let rows = sides(entries.iter().map(|(row, ..)| row));
        let columns = sides(entries.iter().map(|(_, column, _)| column));
        let place = |keys: &[Vec<String>], key| keys.iter().position(|other| other == key).unwrap_or(0);
        let mut sums = vec![vec![(0.0, 0_usize); columns.len()]; rows.len()];
        for (row, column, value) in entries {
            let (sum, count) = &mut sums[place(&rows, row)][place(&columns, column)];
            *sum += value;
            *count += 1;
        }
        // Combinations without results do not count.
        let filled = || sums.iter().flatten().map(|(_, count)| *count).filter(|count| *count > 0);
        let results = (filled().min().unwrap_or(0), filled().max().unwrap_or(0));
        let mean = |(sum, count): &(f64, usize)| (*count > 0).then(|| sum / *count as f64);
        let values = sums.iter().map(|row| row.iter().map(mean).collect()).collect();
        Self { rows, columns, values, results }
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

    /// Returns the table with each value divided by a base value. The base has the label `label` at `side`, and
    /// otherwise the same labels as the value. The quotient is `None` if there is no base or the base is 0.
    #[must_use]
    pub fn relative_to(&self, side: Side, label: &str) -> Self {
        let counterpart = |keys: &[Vec<String>], i: usize, at: usize| {
            let mut key = keys[i].clone();
            label.clone_into(&mut key[at]);
            keys.iter().position(|other| *other == key)
        };
        let ratio = |i: usize, j: usize| {
            let (row, column) = match side {
                Side::Row(at) => (counterpart(&self.rows, i, at)?, j),
                Side::Column(at) => (i, counterpart(&self.columns, j, at)?),
            };
            // A base of 0 has no ratio.
            let base = self.values[row][column].filter(|base| base.abs() > 0.0)?;
            Some(self.values[i][j]? / base)
        };
        let columns = self.columns.len();
        let values = (0..self.rows.len()).map(|i| (0..columns).map(|j| ratio(i, j)).collect()).collect();
        Self { values, ..self.clone() }
    }

    /// Returns by row and column whether a value is the best of its column. If several values are equal by `same`, all of them are
    /// best, but none if all values of the column are. No value is best if `better` is `Neither`.
    pub fn best(&self, better: Better, same: impl Fn(f64, f64) -> bool) -> Vec<Vec<bool>> {
        let column = |j: usize| self.values.iter().filter_map(move |row| row[j]);
        let bests: Vec<Option<f64>> = (0..self.columns.len())
            .map(|j| match better {
                Better::Lower => column(j).min_by(f64::total_cmp),
                Better::Higher => column(j).max_by(f64::total_cmp),
                Better::Neither => None,
            })
            .zip(0..)
            .map(|(best, j)| best.filter(|&best| !column(j).all(|value| same(value, best))))
            .collect();
        let is_best = |value: &Option<f64>, best: &Option<f64>| matches!((value, best), (Some(a), Some(b)) if same(*a, *b));
        self.values.iter().map(|row| row.iter().zip(&bests).map(|(v, b)| is_best(v, b)).collect()).collect()
    }

    /// Returns the number of decimals (0 to 6) with which the largest value has four digits: 0 for 22,780, 1 for 631.2,
    /// 3 for 1.093. It is 0 if there are no values.
    pub fn decimals(&self) -> usize {
        let largest =
            self.values.iter().flatten().flatten().fold(0.0_f64, |most, value| most.max(value.abs()));
        if largest > 0.0 { (3.0 - largest.log10().floor()).clamp(0.0, 6.0) as usize } else { 0 }
    }
}

/// Returns the different keys, sorted by the first occurrence of their first label, then by that of the next one.
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

    fn example() -> Pivot {
        let entry = |row: &str, column: &str, value| (vec![row.to_owned()], vec![column.to_owned()], value);
        Pivot::new(&[
            entry("mm", "16x8", 30.0),
            entry("bf", "16x8", 10.0),
            entry("bf", "16x8", 30.0),
            entry("bf", "8x8", 50.0),
        ])
    }

    #[test]
    fn order_is_that_of_first_occurrence_and_several_results_are_averaged() {
        let pivot = example();
        assert_eq!(pivot.labels(Side::Row(0)), ["mm", "bf"]);
        assert_eq!(pivot.labels(Side::Column(0)), ["16x8", "8x8"]);
        assert_eq!(pivot.values, [[Some(30.0), None], [Some(20.0), Some(50.0)]]);
        assert_eq!(pivot.results, (1, 2));
    }

    #[test]
    fn columns_of_one_first_label_stand_together() {
        let entry = |machine: &str, scale: &str| {
            (vec![String::new()], vec![machine.to_owned(), scale.to_owned()], 1.0)
        };
        let pivot = Pivot::new(&[entry("8", "1"), entry("4", "1"), entry("8", "0.5"), entry("4", "0.5")]);
        assert_eq!(pivot.columns, [["8", "1"], ["8", "0.5"], ["4", "1"], ["4", "0.5"]]);
    }

    #[test]
    fn ratios_are_to_the_same_column_or_row() {
        let pivot = example().relative_to(Side::Row(0), "bf");
        assert_eq!(pivot.values, [[Some(1.5), None], [Some(1.0), Some(1.0)]]);
        let pivot = example().relative_to(Side::Column(0), "8x8");
        assert_eq!(pivot.values, [[None, None], [Some(0.4), Some(1.0)]]);
    }

    #[test]
    fn the_best_of_each_column_is_found() {
        let same = |a: f64, b: f64| (a - b).abs() < 1.0;
        // A single value has nothing beside it.
        assert_eq!(example().best(Better::Lower, same), [[false, false], [true, false]]);
        assert_eq!(example().best(Better::Higher, same), [[true, false], [false, false]]);
        assert_eq!(example().best(Better::Neither, same), [[false; 2]; 2]);
    }

    #[test]
    fn decimals_follow_the_largest_value() {
        for (value, decimals) in [(22_780.0, 0), (1_234.5, 0), (631.0, 1), (4.7, 3), (0.69, 4), (0.0, 0)] {
            let pivot = Pivot { values: vec![vec![Some(value), None]], ..Pivot::default() };
            assert_eq!(pivot.decimals(), decimals, "{value}");
        }
    }
}
