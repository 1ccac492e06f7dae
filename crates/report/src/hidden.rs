//! Columns that differ within a cell of a table, and whether cells are comparable.

use std::collections::{BTreeMap, BTreeSet};

use meshreplay_figures::InMeans;
use meshreplay_results::frame::{Column, Table};

/// The columns of a summary that differ between results in the same cell of a table.
pub(super) struct HiddenColumns<'a> {
    table: &'a Table,
    columns: Vec<&'a Column>,
}

/// The rows of the summary behind a ratio: the rows of its numerator and the rows of its base.
pub(super) type Operands = [Vec<usize>; 2];

impl<'a> HiddenColumns<'a> {
    /// Keeps the columns among `names` that differ between rows of the summary.
    pub(super) fn among(table: &'a Table, names: impl Iterator<Item = &'static str>) -> Self {
        Self {
            table,
            columns: names.filter(|name| table.varies(name)).filter_map(|name| table.column(name)).collect(),
        }
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> Vec<&'a str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// Returns true if results differ only in the seed.
    pub(super) fn is_seed(&self) -> bool {
        self.names() == ["seed"]
    }

    /// Returns the labels of a row of the summary, without the column `name`.
    fn key_without(&self, i: usize, name: &str) -> Vec<String> {
        self.columns.iter().filter(|column| column.name != name).map(|column| column.label(i)).collect()
    }

    fn key(&self, i: usize) -> Vec<String> {
        self.key_without(i, "")
    }

    /// Returns the numbers of jobs in the means of some rows of the summary; `None` if one is unknown.
    fn in_means(&self, rows: &[usize]) -> Option<InMeans> {
        let jobs = self.table.numbers("jobs_in_means")?;
        InMeans::new(rows.iter().map(|&i| (self.key(i).join("\n"), jobs.get(i))))
    }

    /// Returns true if the means of all cells are over equal numbers of jobs. Unknown numbers count as equal.
    pub(super) fn are_alike<'c>(&self, cells: impl Iterator<Item = &'c [usize]>) -> bool {
        let known: Vec<InMeans> = cells.filter_map(|rows| self.in_means(rows)).collect();
        known.iter().all(|of| known.iter().all(|by| of.is_like(by)))
    }

    /// Returns true if all cells are means of the same results up to seeds: `until:` gives each cell its own
    /// number of seeds.
    pub(super) fn are_complete<'c>(&self, cells: impl Iterator<Item = &'c [usize]>) -> bool {
        let results =
            |rows: &[usize]| -> BTreeSet<_> { rows.iter().map(|&i| self.key_without(i, "seed")).collect() };
        let mut cells = cells.map(results);
        let first = cells.next();
        cells.all(|other| Some(&other) == first.as_ref())
    }

    /// Keeps the results that both sides have, as `until:` may repeat one result more often than another, and
    /// a study may be unfinished. Returns true if a result is left out. Keeps all if only seeds differ and no
    /// seed is common.
    pub(super) fn pair(&self, [of, base]: &mut Operands) -> bool {
        let based: BTreeMap<Vec<String>, usize> = base.iter().map(|&i| (self.key(i), i)).collect();
        if based.len() < base.len() {
            // Results with equal keys cannot be paired.
            return false;
        }
        let pair = |&i: &usize| Some((i, *based.get(&self.key(i))?));
        let paired: (Vec<usize>, Vec<usize>) = of.iter().filter_map(pair).unzip();
        let is_one_empty = of.is_empty() || base.is_empty();
        let are_all_other = paired.0.is_empty() && self.is_seed();
        let is_cut =
            !is_one_empty && !are_all_other && (paired.0.len() < of.len() || paired.1.len() < base.len());
        if is_cut {
            (*of, *base) = paired;
        }
        is_cut
    }

    /// Returns true if the two means of a ratio are known to be over different jobs, since an allocator
    /// cannot serve some jobs or `--trim` has cut others.
    pub(super) fn is_of_other_jobs(&self, [of, base]: &Operands) -> bool {
        !of.is_empty()
            && !base.is_empty()
            && self.in_means(of).zip(self.in_means(base)).is_some_and(|(of, base)| !of.is_like(&base))
    }
}
