//! Saved results as curves: the rows of each curve, its name and its look.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::draw::{Look, joined};
use super::error::FigureError;
use super::load::{self, Load, LoadKind};
use super::looks::looks;
use meshreplay_alloc::allocator;
use meshreplay_base::spec::{Spec, SpecError};
use meshreplay_machine::machine::Mesh;
use meshreplay_results::frame::{JobCounts, Numbers, Table};
use meshreplay_study::study::{COORDINATES, Coordinate, Labels, ReplaySpec};

/// Returns the names of the columns that identify a configuration. The seed is not among them, because rows
/// that differ only in seed are replications.
fn identity() -> impl Iterator<Item = &'static str> {
    Coordinate::listed().map(|coordinate| coordinate.name).filter(|name| *name != "seed")
}

/// The summary of a directory of results, prepared for plots.
pub struct Results {
    /// The summary, which has at least one row.
    pub table: Table,
    /// Coordinates that differ between rows, without the seed.
    pub varying: Vec<&'static str>,
    /// The longest time between arrivals of each row, in seconds; `None` unless the rules of the rows differ
    /// only in this time.
    gaps: Option<Vec<f64>>,
}

/// The rows of a summary that form one curve: replications, and several loads if the curve is drawn over the
/// load.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name of the curve, which differs from the names of the other curves.
    pub name: String,
    /// The look of the curve, which differs from the looks of the others as far as possible.
    pub look: Look,
    /// The positions of its rows in the summary, ascending.
    pub rows: Vec<usize>,
}

impl Results {
    /// Reads the summary in `folder`. Fails if the summary has no rows.
    pub fn read(folder: &Path) -> Result<Self, FigureError> {
        let table = Table::read(folder)?;
        if table.height() == 0 {
            return Err(FigureError::NoRows { path: table.path });
        }
        let varying: Vec<&str> = identity().filter(|name| table.varies(name)).collect();
        let gaps = if varying.contains(&"rules") { load::gaps(&table) } else { None };
        Ok(Self { table, varying, gaps })
    }

    /// Returns a sentence on replays missing in the summary, and one on replays missing in the jobs in
    /// `folder`; empty if no replay is missing. Fails if the number of jobs differs from the summary.
    pub fn missing(&self, folder: &Path) -> Result<Vec<String>, FigureError> {
        let mut notes: Vec<String> = self.table.missing_note().into_iter().collect();
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
            |row: usize| self.label(row, "machine").parse::<Mesh>().is_ok_and(|machine| machine.dims() == 1);
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
        // Rules that differ only in the longest time between arrivals are named by this time.
        let label = |name: &&str| match &self.gaps {
            Some(_) if *name == "rules" => self.gap(row).and_then(Load::label).unwrap_or_default(),
            _ => self.label(row, name),
        };
        self.varying.iter().filter(is_other).map(label).collect()
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
        let is_shown = |row: &&Coordinate| row.name != "seed" && row.is_named_if_shared();
        let fixed = Coordinate::listed().filter(is_shown).filter(|row| !self.varying.contains(&row.name));
        joined(&fixed.map(|row| self.label(0, row.name)).collect::<Vec<_>>())
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

    /// Returns one curve for each group of rows that differ only in seed and in the columns of `but`, in the
    /// order of the results.
    pub fn curves(&self, but: &[&str]) -> Vec<Curve> {
        self.curves_named(|row| self.name(row, but))
    }

    /// Returns the curves over the load. Logs that are one workload model at several loads belong to one
    /// curve.
    pub fn curves_by_load(&self) -> Vec<Curve> {
        // Only specs of workload models contain a load. Recorded logs differ in the arrival scale, or in the
        // random times between arrivals of their rules.
        let has_load = self.varying.contains(&"arrival_scale") || self.gaps.is_some();
        if has_load || !self.varying.contains(&"log") {
            return self.curves(&[self.load_column()]);
        }
        let without_load = |row: usize| {
            let log = self.label(row, "log");
            Load::of_model(&log).map_or(log, |(_, rest)| rest)
        };
        // If all rows have the same model, its name need not be repeated for each curve.
        let is_one = (0..self.table.height()).all(|row| without_load(row) == without_load(0));
        self.curves_named(|row| {
            let name = self.name(row, &["log"]);
            if is_one { name } else { format!("{name} · {}", without_load(row)) }
        })
    }

    /// Returns the curves of the rows: rows with the same `name` form one curve.
    fn curves_named(&self, name: impl Fn(usize) -> String) -> Vec<Curve> {
        let mut curves: Vec<Curve> = Vec::new();
        for row in 0..self.table.height() {
            let name = name(row);
            match curves.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.rows.push(row),
                None => curves.push(Curve { name, look: Look::default(), rows: vec![row] }),
            }
        }
        let named: Vec<(usize, &str)> = curves.iter().map(|curve| (curve.rows[0], &*curve.name)).collect();
        let looks = self.looks_of(&named);
        for (curve, look) in curves.iter_mut().zip(looks) {
            curve.look = look;
        }
        curves
    }

    /// Returns the looks of some rows with their names in a picture that shows no others.
    pub fn looks_of(&self, rows: &[(usize, &str)]) -> Vec<Look> {
        // If one allocator is replayed under several schedulers, the curves show the schedulers.
        let is_of_schedulers = self.varying.contains(&"scheduler") && !self.varying.contains(&"allocator");
        let subject = if is_of_schedulers { "scheduler" } else { "allocator" };
        let subjects: Vec<String> = rows.iter().map(|(row, _)| self.subject(*row, subject)).collect();
        let named = subjects.iter().zip(rows).map(|(subject, (_, name))| (&**subject, *name));
        looks(&named.collect::<Vec<_>>())
    }

    /// Returns the subject of a row, which decides its look: its allocator in the short form, or its
    /// scheduler in full, independent of the user's spelling.
    fn subject(&self, row: usize, coordinate: &str) -> String {
        let spec = self.label(row, &format!("{coordinate}_spec"));
        if coordinate == "allocator" { allocator::short_label(&spec) } else { spec }
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

    /// Returns the number of replays.
    pub fn replays(&self) -> Result<usize, FigureError> {
        let numbers = self.numbers("replay")?.iter().flatten().map(|number| number as u64);
        Ok(numbers.collect::<BTreeSet<u64>>().len())
    }

    /// Returns the label below the bars of a row, in several lines: its log, partition and machine, as far as
    /// they differ between rows, and its load unless the name of the log contains it. Empty if all rows have
    /// the same place.
    pub fn place(&self, row: usize) -> String {
        let differing = Coordinate::of_place().filter(|place| self.varying.contains(&place.name));
        let mut lines: Vec<String> = differing.map(|place| self.label(row, place.name)).collect();
        lines.extend(self.load(row).and_then(Load::label));
        lines.join("\n")
    }

    /// Returns the different labels of [`Self::place`], in the order of the results.
    pub fn places(&self) -> Vec<String> {
        let mut places: Vec<String> = Vec::new();
        for place in (0..self.table.height()).map(|row| self.place(row)) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }
}
