//! Saved results for plots: the columns in which they differ, and labels for their rows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::draw::{Look, joined};
use super::error::FigureError;
use super::load::{self, Load, LoadKind};
use super::looks::{looks, order};
use meshreplay_alloc::allocator;
use meshreplay_base::spec::{Spec, SpecError, unknown};
use meshreplay_machine::machine::Mesh;
use meshreplay_results::frame::{JobCounts, Numbers, SavedTable, StudyFolder};
use meshreplay_study::study::{COORDINATES, Coordinate, Labels, ReplaySpec};

/// Returns the names of the columns that identify a configuration. The seed is not among them, because rows
/// that differ only in seed are replications.
fn identity() -> impl Iterator<Item = &'static str> {
    Coordinate::listed().map(|coordinate| coordinate.name).filter(|name| *name != "seed")
}

/// The summary of a directory of results, prepared for plots.
#[derive(Clone)]
pub struct Results {
    /// The summary, which has at least one row.
    pub table: SavedTable,
    /// Coordinates that differ between rows, without the seed.
    pub varying: Vec<&'static str>,
    /// The longest time between arrivals of each row, in seconds; `None` unless the rules of the rows differ
    /// only in this time.
    pub(super) gaps: Option<Vec<f64>>,
    /// The looks of the allocators and of the schedulers, also of those that a filter leaves out.
    pub(super) looks: BTreeMap<String, Look>,
}

impl Results {
    /// Reads the summary in `folder`. Fails if the summary has no rows.
    pub fn read(folder: &Path) -> Result<Self, FigureError> {
        let table = SavedTable::read(folder)?;
        if table.height() == 0 {
            return Err(FigureError::NoRows { path: table.path });
        }
        Ok(Self::new(table))
    }

    /// Returns the results of a summary with rows.
    pub fn new(table: SavedTable) -> Self {
        let varying: Vec<&str> = identity().filter(|name| table.varies(name)).collect();
        let gaps = if varying.contains(&"rules") { load::gaps(&table) } else { None };
        let mut results = Self { table, varying, gaps, looks: BTreeMap::new() };
        results.choose_looks(&[]);
        results
    }

    /// Chooses the looks of the allocators and of the schedulers, with the colours of these rows first.
    pub fn choose_looks(&mut self, first: &[usize]) {
        let rows = || first.iter().copied().chain(0..self.table.height());
        let mut all = BTreeMap::new();
        for column in ["allocator", "scheduler"] {
            let mut subjects: Vec<String> = Vec::new();
            for subject in rows().map(|row| self.subject(row, column)) {
                if !subjects.contains(&subject) {
                    subjects.push(subject);
                }
            }
            // Without rows that come first, the look of a name does not depend on the order of the results.
            if first.is_empty() {
                subjects.sort_by(|a, b| order(a).cmp(&order(b)));
            }
            let named: Vec<(&str, &str)> = subjects.iter().map(|name| (&**name, &**name)).collect();
            let looks = looks(&named);
            all.extend(subjects.into_iter().zip(looks));
        }
        self.looks = all;
    }

    /// Returns whether the log of a row is overloaded, so that its waits measure the length of the log.
    pub fn is_overloaded(&self, row: usize) -> bool {
        self.table.number("overloaded", row).is_some_and(|overloaded| overloaded > 0.0)
    }

    /// Returns sentences on replays missing in the summary, on deleted cells, and on replays missing in the
    /// jobs in `folder`; empty if no replay is missing. Fails if the number of jobs differs from the summary.
    pub fn missing(&self, folder: &Path) -> Result<Vec<String>, FigureError> {
        let mut notes: Vec<String> = self.table.missing_note().into_iter().collect();
        notes.extend(StudyFolder::new(folder, None).deleted_note(&self.table));
        if let Some(jobs) = JobCounts::of(folder)? {
            jobs.check(&self.table, folder)?;
            if jobs.missing != self.table.missing {
                notes.extend(jobs.missing_note());
            }
        }
        Ok(notes)
    }

    /// Returns true if delays are meaningful: a machine is a linear array, or jobs were moved.
    pub fn have_delays(&self) -> bool {
        let is_array =
            |row: usize| self.label(row, "machine").parse::<Mesh>().is_ok_and(|machine| machine.is_array());
        (0..self.table.height()).any(is_array) || self.table.has_positive("moves")
    }

    /// Returns the numbers of a column, one for each row; `None` where there is no number. Fails if there is
    /// no such column of numbers.
    pub fn numbers(&self, name: &str) -> Result<&Numbers, FigureError> {
        let path = || self.table.path.clone();
        self.find(name).map_err(|problem| FigureError::Damaged { path: path(), problem: problem.to_string() })
    }

    /// Returns the numbers of the column that the user chose by `option`, one for each row; `None` where
    /// there is no number.
    pub fn chosen(&self, option: &'static str, name: &str) -> Result<&Numbers, FigureError> {
        self.find(name).map_err(|problem| FigureError::UnknownColumn { option, problem })
    }

    /// Returns the numbers of a column, or an error that lists the columns of numbers.
    fn find(&self, name: &str) -> Result<&Numbers, SpecError> {
        self.table.numbers(name).ok_or_else(|| {
            let columns = self.table.columns.iter().filter(|column| column.numbers().is_some());
            meshreplay_base::spec::unknown(
                "column of numbers",
                name,
                columns.map(|column| column.name.as_str()),
            )
        })
    }

    /// Returns the description of the replay in a row; `None` if one of its coordinates cannot be read.
    pub fn spec(&self, row: usize) -> Option<ReplaySpec> {
        let mut spec = ReplaySpec::new(Mesh::new(&[1]).ok()?, Spec::named(""), Spec::named(""));
        for coordinate in COORDINATES {
            // A column is missing if no row has the coordinate.
            let is_there = self.table.column(coordinate.column()).is_some();
            if is_there && !(coordinate.set)(&mut spec, &self.label(row, coordinate.column())) {
                return None;
            }
        }
        spec.labels = Arc::new(Labels::of_names(|name| self.label(row, name)));
        Some(spec)
    }

    /// Returns the machine of a row.
    pub fn machine(&self, row: usize) -> Result<Mesh, FigureError> {
        self.label(row, "machine").parse().map_err(|error| FigureError::Damaged {
            path: self.table.path.clone(),
            problem: format!("column 'machine': {error}"),
        })
    }

    /// Returns the value of a row in a column as a short label; empty if there is no such column.
    pub fn label(&self, row: usize, name: &str) -> String {
        self.table.label(name, row)
    }

    /// Returns the name of a row: its allocator and its values in the other varying columns, except for the
    /// columns in `but`.
    pub fn name(&self, row: usize, but: &[&str]) -> String {
        let mut words = vec![self.label(row, "allocator")];
        words.extend(self.beside_allocator(row, but));
        words.join(" · ")
    }

    /// Returns the values of a row in the varying columns except for its allocator and the columns in `but`.
    pub fn beside_allocator(&self, row: usize, but: &[&str]) -> Vec<String> {
        let is_other = |name: &&&str| **name != "allocator" && !but.contains(name);
        self.varying.iter().filter(is_other).map(|name| self.coordinate(row, name)).collect()
    }

    /// Returns the value of a row in a varying column. Rules that differ only in the longest time between
    /// arrivals are named by this time.
    pub(super) fn coordinate(&self, row: usize, name: &str) -> String {
        match &self.gaps {
            Some(_) if name == "rules" => self.gap(row).and_then(Load::label).unwrap_or_default(),
            _ => self.label(row, name),
        }
    }

    /// Returns the coordinate of the load outside of the log: the arrival scale, or rules that differ only in
    /// the longest time between arrivals.
    pub fn load_column(&self) -> &'static str {
        let has_gaps = self.gaps.is_some() && !self.varying.contains(&"arrival_scale");
        if has_gaps { "rules" } else { "arrival_scale" }
    }

    /// Returns the coordinates that rows at the first load share.
    pub fn load_columns(&self) -> &'static [&'static str] {
        if self.gaps.is_some() { &["arrival_scale", "rules"] } else { &["arrival_scale"] }
    }

    /// Returns the coordinates that make up the place of a row, see [`Self::place`].
    pub fn place_columns(&self) -> Vec<&'static str> {
        Coordinate::of_place().map(|row| row.name).chain([self.load_column()]).collect()
    }

    /// Returns the values that all rows share, as text; empty if they share none.
    pub fn shared(&self) -> String {
        let fixed =
            Coordinate::listed().filter(|row| row.name != "seed" && !self.varying.contains(&row.name));
        let values = fixed.map(|row| (row, self.label(0, row.name)));
        let named = values.filter(|(row, value)| row.is_named_if_shared(value));
        joined(&named.map(|(_, value)| value).collect::<Vec<_>>())
    }

    /// Returns the shared values of all rows as text, with the load of the rows in a picture of jobs if they
    /// have one load; see [`Self::is_shown`].
    pub fn shared_of_shown(&self, replays: &[u32]) -> String {
        let shown: Vec<usize> = (0..self.table.height()).filter(|&row| self.is_shown(row, replays)).collect();
        let mut words = vec![self.shared()];
        if let Some(&first) = shown.first() {
            let is_one =
                |name: &str| shown.iter().all(|&row| self.label(row, name) == self.label(first, name));
            if self.varying.contains(&"arrival_scale") && is_one("arrival_scale") {
                words.push(format!("arrivals × {}", self.label(first, "arrival_scale")));
            }
            if let Some(gaps) = self.gaps.as_ref().filter(|_| is_one("rules")) {
                words.push(format!("arrivals up to {} s apart", gaps[first]));
            }
        }
        joined(&words)
    }

    /// Returns whether a picture of jobs shows a row: one of the replays with these numbers, or without any,
    /// one at the load of the first row, which is the arrival scale and the longest time between arrivals.
    pub fn is_shown(&self, row: usize, replays: &[u32]) -> bool {
        if replays.is_empty() {
            let gap = |row: usize| self.gaps.as_ref().map(|gaps| gaps[row].to_bits());
            return self.label(row, "arrival_scale") == self.label(0, "arrival_scale") && gap(row) == gap(0);
        }
        let number = self.table.number("replay", row);
        number.is_some_and(|number| replays.iter().any(|&replay| u64::from(replay) == number as u64))
    }

    /// Returns the load of a row; `None` if the rows do not differ in load and the log is no workload model
    /// with a load.
    pub fn load(&self, row: usize) -> Option<Load> {
        if self.varying.contains(&"arrival_scale") {
            let value = self.table.number("arrival_scale", row)?;
            return Some(Load { kind: LoadKind::Scale, value });
        }
        self.gap(row).or_else(|| Some(Load::of_model(&self.label(row, "log"))?.0))
    }

    /// Returns the longest time between arrivals of a row if the rules of the rows differ in it alone.
    fn gap(&self, row: usize) -> Option<Load> {
        Some(Load { kind: LoadKind::Gap, value: self.gaps.as_ref()?[row] })
    }

    /// Returns the log, partition and machine of a row, as far as they differ between rows, and its load
    /// unless the name of the log contains it, in several lines. Empty if all rows have the same place.
    pub fn place(&self, row: usize) -> String {
        let differing = Coordinate::of_place().filter(|place| self.varying.contains(&place.name));
        let mut lines: Vec<String> = differing.map(|place| self.label(row, place.name)).collect();
        lines.extend(self.load(row).and_then(Load::label));
        lines.join("\n")
    }
}

/// A filter of results.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a> {
    /// The option of the filter, such as `--log`.
    pub option: &'static str,
    /// The column of the summary.
    pub column: &'static str,
    /// The names of the results that are kept.
    pub names: &'a [String],
}

impl Results {
    /// Returns the results that fit all filters, see [`filtered`].
    pub fn filtered(&self, filters: &[Filter<'_>]) -> Result<Self, FigureError> {
        Ok(Self { looks: self.looks.clone(), ..Self::new(filtered(self.table.clone(), filters)?) })
    }
}

/// Returns the rows of a summary that fit all filters. A name fits results labelled so or with another
/// spelling of the same allocator, or else all results of an algorithm with this name: `easy` fits
/// `easy:depth=2`. Fails if a name fits no result, or if no result fits all filters.
pub fn filtered(table: SavedTable, filters: &[Filter<'_>]) -> Result<SavedTable, FigureError> {
    if filters.is_empty() {
        return Ok(table);
    }
    let mut is_kept = vec![true; table.height()];
    for &Filter { option, column, names } in filters {
        let labels: Vec<String> = (0..is_kept.len()).map(|row| table.label(column, row)).collect();
        let mut fits = vec![false; labels.len()];
        for name in names {
            let is_equal = |label: &String| {
                label == name || allocator::short_label(label) == allocator::short_label(name)
            };
            let is_family = |label: &String| label.split(':').next() == Some(name);
            let has_equal = labels.iter().any(is_equal);
            if !has_equal && !labels.iter().any(is_family) {
                let mut known: Vec<&str> = labels.iter().map(String::as_str).collect();
                known.sort_unstable();
                known.dedup();
                return Err(FigureError::NoSuchResult { option, problem: unknown(column, name, known) });
            }
            for (fits, label) in fits.iter_mut().zip(&labels) {
                *fits |= if has_equal { is_equal(label) } else { is_family(label) };
            }
        }
        is_kept.iter_mut().zip(fits).for_each(|(kept, fits)| *kept &= fits);
    }
    if !is_kept.contains(&true) {
        let words =
            filters.iter().map(|Filter { option, names, .. }| [*option, " ", &names.join(" ")].concat());
        return Err(FigureError::NoneLeft { filters: words.collect::<Vec<_>>().join(" and ") });
    }
    Ok(table.filtered(&|row| is_kept[row])?)
}
