//! The columns in which results of one cell of a table differ, and whether cells can be compared.

use std::collections::{BTreeMap, BTreeSet};

use meshreplay_figures::InMeans;
use meshreplay_results::frame::{Column, Table};

/// The columns of a summary in which results of the same row and column of a table differ.
pub(super) struct Hidden<'a> {
    table: &'a Table,
    columns: Vec<&'a Column>,
}

/// The rows of the summary behind a ratio: those of its result, and those of its base.
pub(super) type Operands = [Vec<usize>; 2];

impl<'a> Hidden<'a> {
    /// Returns those of the columns with these names in which rows of the summary differ.
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

    /// Returns whether results differ in nothing but the seed.
    pub(super) fn is_seed(&self) -> bool {
        self.names() == ["seed"]
    }

    /// Returns the labels of a row of the summary, without that of one column.
    fn key_without(&self, i: usize, name: &str) -> Vec<String> {
        self.columns.iter().filter(|column| column.name != name).map(|column| column.label(i)).collect()
    }

    fn key(&self, i: usize) -> Vec<String> {
        self.key_without(i, "")
    }

    /// Returns over how many jobs the means of some rows of the summary are; `None` if that is not known.
    fn in_means(&self, rows: &[usize]) -> Option<InMeans> {
        let jobs = self.table.numbers("jobs_in_means")?;
        InMeans::new(rows.iter().map(|&i| (self.key(i).join("\n"), jobs.get(i))))
    }

    /// Returns whether the means of all of these cells are over as many jobs, as far as it is known.
    pub(super) fn are_alike<'c>(&self, cells: impl Iterator<Item = &'c [usize]>) -> bool {
        let known: Vec<InMeans> = cells.filter_map(|rows| self.in_means(rows)).collect();
        known.iter().all(|of| known.iter().all(|by| of.is_like(by)))
    }

    /// Returns whether all of these cells are means of the same results but for seeds, of which `until:`
    /// draws as many as each cell needs.
    pub(super) fn are_complete<'c>(&self, cells: impl Iterator<Item = &'c [usize]>) -> bool {
        let results =
            |rows: &[usize]| -> BTreeSet<_> { rows.iter().map(|&i| self.key_without(i, "seed")).collect() };
        let mut cells = cells.map(results);
        let first = cells.next();
        cells.all(|other| Some(&other) == first.as_ref())
    }

    /// Keeps those results of both sides that agree, as `until:` may repeat one result more often than
    /// another, and a study may be unfinished. Returns whether any is left out. Where only seeds differ, all
    /// stay if none agree.
    pub(super) fn pair(&self, [of, base]: &mut Operands) -> bool {
        let based: BTreeMap<Vec<String>, usize> = base.iter().map(|&i| (self.key(i), i)).collect();
        if based.len() < base.len() {
            // Results that differ in nothing that is known are no pairs.
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

    /// Returns whether a ratio is one of means over other jobs, as an allocator cannot serve some of them or
    /// as `--trim` has cut others. It is none if it is not known.
    pub(super) fn is_of_other_jobs(&self, [of, base]: &Operands) -> bool {
        !of.is_empty()
            && !base.is_empty()
            && self.in_means(of).zip(self.in_means(base)).is_some_and(|(of, base)| !of.is_like(&base))
    }
}
