//! Saved results as curves: which rows belong together, what they are called, how they look.

use std::path::Path;

use super::draw::Look;
use super::error::FigureError;
use super::load::{self, Load};
use super::looks::looks;
use crate::allocator;
use crate::frame::{Sheet, SheetValues};
use crate::machine::Mesh;
use crate::spec::SpecError;
use crate::study::Coordinate;

/// Columns that tell results from each other. Seeds are replications.
fn identity() -> impl Iterator<Item = &'static str> {
    Coordinate::listed().map(|coordinate| coordinate.name).filter(|name| *name != "seed")
}

/// The summary of a directory of results.
pub struct Results {
    /// The summary, with at least one row.
    pub sheet: Sheet,
    /// The identity columns in which rows differ.
    varying: Vec<&'static str>,
    /// The longest time between arrivals of each row; `None` unless rules differ in it and in nothing else.
    gaps: Option<Vec<f64>>,
}

/// Rows of a summary that are one curve: replications, and loads if the curve runs over those.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is called beside the others.
    pub name: String,
    /// Its look, which differs from that of the others.
    pub look: Look,
    /// Its rows, ascending.
    pub rows: Vec<usize>,
}

impl Results {
    /// Reads the summary in `folder`. One without rows is an error.
    pub fn read(folder: &Path) -> Result<Self, FigureError> {
        let sheet = Sheet::read(folder)?;
        if sheet.height() == 0 {
            return Err(FigureError::NoRows { path: sheet.path });
        }
        let varies = |name: &&str| {
            sheet
                .column(name)
                .is_some_and(|column| (1..sheet.height()).any(|i| column.label(i) != column.label(0)))
        };
        let varying: Vec<&str> = identity().filter(varies).collect();
        let gaps = if varying.contains(&"rules") { load::gaps(&sheet) } else { None };
        Ok(Self { sheet, varying, gaps })
    }

    /// Sentences on the replays that the summary and the jobs in `folder` lack; none if they hold all.
    pub fn missing(&self, folder: &Path) -> Result<Vec<String>, FigureError> {
        let mut notes: Vec<String> = self.sheet.missing_note().into_iter().collect();
        // No column is needed to know whose jobs there are.
        if let Some(jobs) = Sheet::read_jobs(folder, &[], &|_| false)?
            && jobs.missing != self.sheet.missing
        {
            notes.extend(jobs.missing_note());
        }
        Ok(notes)
    }

    /// Returns whether a machine is an array, or jobs were moved, so that delays say something.
    pub fn have_delays(&self) -> bool {
        let is_array =
            |row: usize| self.label(row, "machine").parse::<Mesh>().is_ok_and(|machine| machine.dims() == 1);
        let moves = self.numbers("moves").unwrap_or_default();
        (0..self.sheet.height()).any(is_array) || moves.iter().flatten().any(|&moves| moves > 0.0)
    }

    /// Returns the numbers of a column, by row.
    pub fn numbers(&self, name: &str) -> Result<&[Option<f64>], FigureError> {
        let path = || self.sheet.path.clone();
        self.find(name).map_err(|problem| FigureError::NoColumn { path: path(), problem })
    }

    /// Returns the numbers of a column that `option` names, by row.
    pub fn chosen(&self, option: &'static str, name: &str) -> Result<&[Option<f64>], FigureError> {
        self.find(name).map_err(|problem| FigureError::UnknownColumn { option, problem })
    }

    fn find(&self, name: &str) -> Result<&[Option<f64>], SpecError> {
        if let Some(SheetValues::Number { numbers, .. }) =
            self.sheet.column(name).map(|column| &column.values)
        {
            return Ok(numbers);
        }
        let is_number = |values: &SheetValues| matches!(values, SheetValues::Number { .. });
        let columns = self.sheet.columns.iter().filter(|column| is_number(&column.values));
        Err(crate::spec::unknown("column of numbers", name, columns.map(|column| column.name.as_str())))
    }

    /// Returns the machine of a row.
    pub fn machine(&self, row: usize) -> Result<Mesh, FigureError> {
        self.label(row, "machine").parse().map_err(|error| FigureError::Damaged {
            path: self.sheet.path.clone(),
            problem: format!("column 'machine': {error}"),
        })
    }

    /// Returns a cell of a row as a short label; empty if there is no such column.
    pub fn label(&self, row: usize, name: &str) -> String {
        let label = self.sheet.column(name).map(|column| column.label(row)).unwrap_or_default();
        if name == "allocator" { allocator::short_label(&label) } else { label }
    }

    /// What a row is called beside others: its allocator, and what else rows differ in except for the columns in `but`.
    pub fn name(&self, row: usize, but: &[&str]) -> String {
        let is_load = |name: &str| name == "rules" && self.gaps.is_some();
        let is_other = |name: &&&str| **name != "allocator" && !but.contains(name) && !is_load(name);
        let others = self.varying.iter().filter(is_other);
        let mut words = vec![self.label(row, "allocator")];
        words.extend(others.map(|name| self.label(row, name)));
        words.join(" · ")
    }

    /// What all rows share, in words.
    pub fn shared(&self) -> String {
        let is_shown = |name: &&str| !["rules", "network", "arrival_scale"].contains(name);
        let fixed = identity().filter(|name| !self.varying.contains(name)).filter(is_shown);
        let words = fixed.map(|name| self.label(0, name)).filter(|label| !label.is_empty());
        words.collect::<Vec<_>>().join(" · ")
    }

    /// What all rows at the first load share, in words.
    pub fn shared_at_first_load(&self) -> String {
        if self.varying.contains(&"arrival_scale") {
            format!("{} · arrivals × {}", self.shared(), self.label(0, "arrival_scale"))
        } else if let Some(gaps) = &self.gaps {
            format!("{} · arrivals up to {} s apart", self.shared(), gaps[0])
        } else {
            self.shared()
        }
    }

    /// Returns whether a row has the arrival scale and the longest time between arrivals of the first row.
    pub fn is_at_first_load(&self, row: usize) -> bool {
        let gap = |row: usize| self.gaps.as_ref().map(|gaps| gaps[row].to_bits());
        self.label(row, "arrival_scale") == self.label(0, "arrival_scale") && gap(row) == gap(0)
    }

    /// Curves of rows that differ only in seeds and in the columns of `but`, in the order of the results.
    pub fn curves(&self, but: &[&str]) -> Vec<Curve> {
        self.curves_named(|row| self.name(row, but))
    }

    /// Curves over loads. Logs that are one workload model at several loads are points of one curve.
    pub fn curves_by_load(&self) -> Vec<Curve> {
        let is_model = self.varying.contains(&"log") && !self.varying.contains(&"arrival_scale");
        if !is_model {
            return self.curves(&["arrival_scale"]);
        }
        let without_load = |row: usize| {
            let log = self.label(row, "log");
            Load::of_model(&log).map_or(log, |(_, rest)| rest)
        };
        let is_one = (0..self.sheet.height()).all(|row| without_load(row) == without_load(0));
        self.curves_named(|row| {
            let name = self.name(row, &["log"]);
            if is_one { name } else { format!("{name} · {}", without_load(row)) }
        })
    }

    fn curves_named(&self, name: impl Fn(usize) -> String) -> Vec<Curve> {
        let mut curves: Vec<Curve> = Vec::new();
        for row in 0..self.sheet.height() {
            let name = name(row);
            match curves.iter_mut().find(|curve| curve.name == name) {
                Some(curve) => curve.rows.push(row),
                None => curves.push(Curve { name, look: Look::default(), rows: vec![row] }),
            }
        }
        // Where one allocator is replayed under several schedulers, those are what the curves show.
        let is_of_schedulers = self.varying.contains(&"scheduler") && !self.varying.contains(&"allocator");
        let subject = if is_of_schedulers { "scheduler" } else { "allocator" };
        let subjects: Vec<String> = curves.iter().map(|curve| self.label(curve.rows[0], subject)).collect();
        let named = subjects.iter().zip(&curves).map(|(subject, curve)| (&**subject, &*curve.name));
        let looks = looks(&named.collect::<Vec<_>>());
        for (curve, look) in curves.iter_mut().zip(looks) {
            curve.look = look;
        }
        curves
    }

    /// Returns the load of a row; `None` if rows do not differ in load and its log is no workload model with one.
    pub fn load(&self, row: usize) -> Option<Load> {
        if self.varying.contains(&"arrival_scale") {
            return load::scale(&self.sheet, row);
        }
        match &self.gaps {
            Some(gaps) => Some(Load::Gap(gaps[row])),
            None => Some(Load::of_model(&self.label(row, "log"))?.0),
        }
    }

    /// What bars of a row stand above, in lines: its log, its machine, and its load unless the log says it.
    pub fn place(&self, row: usize) -> String {
        let load = self.load(row).and_then(Load::label).map(|label| format!("\n{label}"));
        format!("{}\n{}{}", self.label(row, "log"), self.label(row, "machine"), load.unwrap_or_default())
    }

    /// Returns the different places of rows, in the order of the results.
    pub fn places(&self) -> Vec<String> {
        let mut places: Vec<String> = Vec::new();
        for place in (0..self.sheet.height()).map(|row| self.place(row)) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }
}
