//! The results behind the cells of a table: which they are, and whether they can be compared.

use std::collections::{BTreeMap, BTreeSet};

use meshreplay_figures::InMeans;
use meshreplay_results::frame::{Sheet, SheetColumn};
use meshreplay_results::text::{Pivot, Side};

/// The rows of the summary behind the cells of a table, by the labels of their rows and columns.
pub(super) struct Sources(BTreeMap<(Vec<String>, Vec<String>), Vec<usize>>);

/// The rows of the summary behind a ratio: those of its result, and those of its base.
pub(super) type Operands = [Vec<usize>; 2];

impl Sources {
    /// Returns the sources of a table. `labels` returns the labels of a row of the summary, or `None` if it has no number.
    pub(super) fn new(labels: impl Fn(usize) -> Option<(Vec<String>, Vec<String>)>, height: usize) -> Self {
        let mut of_labels: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for i in 0..height {
            if let Some(labels) = labels(i) {
                of_labels.entry(labels).or_default().push(i);
            }
        }
        Self(of_labels)
    }

    /// Returns the rows of the summary behind a cell; empty if there are none.
    fn of(&self, row: &[String], column: &[String]) -> Vec<usize> {
        self.0.get(&(row.to_vec(), column.to_vec())).cloned().unwrap_or_default()
    }

    /// Returns the rows of the summary behind the ratios to the results that have the label `base` at `side`, by row and column.
    pub(super) fn operands(&self, pivot: &Pivot, (side, base): (Side, &str)) -> Vec<Vec<Operands>> {
        let both = |row: &Vec<String>, column: &Vec<String>| {
            let (mut base_row, mut base_column) = (row.clone(), column.clone());
            match side {
                Side::Row(at) => base.clone_into(&mut base_row[at]),
                Side::Column(at) => base.clone_into(&mut base_column[at]),
            }
            [self.of(row, column), self.of(&base_row, &base_column)]
        };
        let of_row = |row: &Vec<String>| pivot.columns.iter().map(|column| both(row, column)).collect();
        pivot.rows.iter().map(of_row).collect()
    }

    /// Returns for each column whether the means of its rows are over as many jobs, as far as it is known. Results of one cell differ
    /// in the `hidden` columns.
    pub(super) fn are_alike(&self, pivot: &Pivot, sheet: &Sheet, hidden: &[&str]) -> Vec<bool> {
        let is_alike = |column: &Vec<String>| {
            let cells = pivot.rows.iter().map(|row| self.of(row, column)).filter(|rows| !rows.is_empty());
            let known: Vec<InMeans> = cells.filter_map(|rows| in_means(sheet, &rows, hidden)).collect();
            known.iter().all(|of| known.iter().all(|by| of.is_like(by)))
        };
        pivot.columns.iter().map(is_alike).collect()
    }

    /// Returns for each column whether its cells are means of the same results but for seeds, of which `until:` draws as many as each
    /// cell needs.
    pub(super) fn are_complete(&self, pivot: &Pivot, sheet: &Sheet, hidden: &[&str]) -> Vec<bool> {
        let hidden: Vec<&str> = hidden.iter().copied().filter(|name| *name != "seed").collect();
        let key = key_in(sheet, &hidden);
        let is_complete = |column: &Vec<String>| {
            let cells = pivot.rows.iter().map(|row| self.of(row, column)).filter(|rows| !rows.is_empty());
            let mut results = cells.map(|rows| rows.into_iter().map(&key).collect::<BTreeSet<_>>());
            let first = results.next();
            results.all(|other| Some(&other) == first.as_ref())
        };
        pivot.columns.iter().map(is_complete).collect()
    }
}

/// Returns over how many jobs the means of some rows of the summary are, which differ in the `hidden` columns; `None` if that is
/// not known.
fn in_means(sheet: &Sheet, rows: &[usize], hidden: &[&str]) -> Option<InMeans> {
    let jobs = sheet.numbers("jobs_in_means")?;
    let key = key_in(sheet, hidden);
    InMeans::new(rows.iter().map(|&i| (key(i).join("\n"), jobs[i])))
}

/// Returns a function that gives the labels of a row of the summary in the `hidden` columns, as far as these exist.
fn key_in<'a>(sheet: &'a Sheet, hidden: &[&str]) -> impl Fn(usize) -> Vec<String> + 'a {
    let columns: Vec<&SheetColumn> = hidden.iter().filter_map(|name| sheet.column(name)).collect();
    move |i| columns.iter().map(|column| column.label(i)).collect()
}

/// Returns the fewest and the most results behind one side of a ratio.
pub(super) fn counts(operands: &[Vec<Operands>]) -> (usize, usize) {
    let ratios = operands.iter().flatten().filter(|both| !both.iter().any(Vec::is_empty));
    let counts = || ratios.clone().flatten().map(Vec::len);
    (counts().min().unwrap_or_default(), counts().max().unwrap_or_default())
}

/// Keeps those results of both sides that agree in the `hidden` columns, as `until:` may repeat one result more often than
/// another, and a study may be unfinished. Returns whether any is left out. Where only seeds differ, all stay if none agree.
pub(super) fn pair_results(sheet: &Sheet, hidden: &[&str], [of, base]: &mut Operands) -> bool {
    let key = key_in(sheet, hidden);
    let based: BTreeMap<Vec<String>, usize> = base.iter().map(|&i| (key(i), i)).collect();
    if based.len() < base.len() {
        // Results that differ in nothing that is known are no pairs.
        return false;
    }
    let pair = |&i: &usize| Some((i, *based.get(&key(i))?));
    let paired: (Vec<usize>, Vec<usize>) = of.iter().filter_map(pair).unzip();
    let is_one_empty = of.is_empty() || base.is_empty();
    let are_all_other = paired.0.is_empty() && hidden == ["seed"];
    let is_cut =
        !is_one_empty && !are_all_other && (paired.0.len() < of.len() || paired.1.len() < base.len());
    if is_cut {
        (*of, *base) = paired;
    }
    is_cut
}

/// Returns whether a ratio is one of means over other jobs, as an allocator cannot serve some of them or as `--trim` has cut
/// others. It is none if it is not known.
pub(super) fn is_of_other_jobs(sheet: &Sheet, hidden: &[&str], [of, base]: &Operands) -> bool {
    !of.is_empty()
        && !base.is_empty()
        && in_means(sheet, of, hidden)
            .zip(in_means(sheet, base, hidden))
            .is_some_and(|(of, base)| !of.is_like(&base))
}
