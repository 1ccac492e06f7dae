//! Curves of saved results: the rows of each curve, its panel, its name and its look.

use std::collections::BTreeSet;

use super::draw::{COLOURS, Look};
use super::load::Load;
use super::looks::{look, looks_with};
use super::results::Results;
use meshreplay_alloc::allocator;

/// The rows of a summary that form one curve: replications, and several loads if the curve is drawn over the
/// load.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name of the curve, which differs from the names of the other curves in its panel.
    pub name: String,
    /// The panel of the curve: the log, machine, scheduler and so on that differ between panels; empty if all
    /// curves are in one panel.
    pub panel: String,
    /// The look of the curve, which differs from the looks of the other curves in its panel.
    pub look: Look,
    /// The positions of its rows in the summary, ascending.
    pub rows: Vec<usize>,
}

/// Groups items by their panel, in the order of the first item of each panel.
pub(crate) fn in_panels<T>(items: impl IntoIterator<Item = T>, panel: impl Fn(&T) -> &str) -> Vec<Vec<T>> {
    let mut panels: Vec<Vec<T>> = Vec::new();
    for item in items {
        match panels.iter_mut().find(|items| panel(&items[0]) == panel(&item)) {
            Some(items) => items.push(item),
            None => panels.push(vec![item]),
        }
    }
    panels
}

impl Results {
    /// Returns one curve for each group of rows that differ only in seed and in the columns of `but`, in the
    /// order of the results.
    pub fn curves(&self, but: &[&str]) -> Vec<Curve> {
        self.curves_of_logs(but, &|row| self.label(row, "log"))
    }

    /// Returns the curves over the load. Logs that are one workload model at several loads belong to one
    /// curve.
    pub fn curves_by_load(&self) -> Vec<Curve> {
        // Only specs of workload models contain a load. Recorded logs differ in the arrival scale, or in the
        // random times between arrivals of their rules.
        if self.has_load_column() || !self.varying.contains(&"log") {
            return self.curves(&[self.load_column()]);
        }
        let without_load = |row: usize| {
            let log = self.label(row, "log");
            Load::of_model(&log).map_or(log, |(_, rest)| rest)
        };
        // If all rows have the same model, its name need not be repeated for each curve.
        let is_one = (0..self.table.height()).all(|row| without_load(row) == without_load(0));
        if is_one { self.curves(&["log"]) } else { self.curves_of_logs(&[], &without_load) }
    }

    /// Returns whether rows differ in a load that is no part of the log.
    fn has_load_column(&self) -> bool {
        self.varying.contains(&"arrival_scale") || self.gaps.is_some()
    }

    /// Returns the columns that tell groups of bars in a panel apart: the load, or without one the log, the
    /// partition and the machine.
    pub fn group_columns(&self) -> Vec<&'static str> {
        if self.has_load_column() { vec![self.load_column()] } else { self.place_columns() }
    }

    /// Returns the label below the bars of a row, in several lines; empty if all rows are in one group.
    pub fn group(&self, row: usize) -> String {
        let load = self.load(row).and_then(Load::label).filter(|_| self.has_load_column());
        load.unwrap_or_else(|| self.place(row))
    }

    /// Returns the different labels of [`Self::group`] of some rows, in the order of the results.
    pub fn groups(&self, rows: impl IntoIterator<Item = usize>) -> Vec<String> {
        let mut groups: Vec<String> = Vec::new();
        let mut rows: Vec<usize> = rows.into_iter().collect();
        rows.sort_unstable();
        for group in rows.into_iter().map(|row| self.group(row)) {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }

    /// Returns the column whose values are the curves of a panel: the allocator, or the scheduler if all rows
    /// have one allocator. `None` if neither differs; all curves are in one panel then.
    fn subject_column(&self) -> Option<&'static str> {
        ["allocator", "scheduler"].into_iter().find(|name| self.varying.contains(name))
    }

    /// Returns the curves of the rows without the columns in `but`; `log` names the log of a row.
    fn curves_of_logs(&self, but: &[&str], log: &dyn Fn(usize) -> String) -> Vec<Curve> {
        let subject = self.subject_column();
        let mut curves: Vec<Curve> = Vec::new();
        for row in 0..self.table.height() {
            let (mut name, mut panel) = (vec![self.label(row, "allocator")], Vec::new());
            let others =
                self.varying.iter().filter(|column| **column != "allocator" && !but.contains(column));
            for &column in others {
                let label = if column == "log" { log(row) } else { self.coordinate(row, column) };
                let is_of_curve = subject.is_none_or(|subject| subject == column);
                match column {
                    _ if is_of_curve => name.push(label),
                    "arrival_scale" => panel.push(format!("arrivals ×{label}")),
                    _ => panel.push(label),
                }
            }
            let (name, panel) = (name.join(" · "), panel.join(" · "));
            match curves.iter_mut().find(|curve| curve.name == name && curve.panel == panel) {
                Some(curve) => curve.rows.push(row),
                None => curves.push(Curve { name, panel, look: Look::default(), rows: vec![row] }),
            }
        }
        for panel in in_panels(&mut curves, |curve| &curve.panel) {
            let named: Vec<(usize, &str)> = panel.iter().map(|curve| (curve.rows[0], &*curve.name)).collect();
            let looks = self.looks_of(&named);
            panel.into_iter().zip(looks).for_each(|(curve, look)| curve.look = look);
        }
        curves
    }

    /// Returns the looks of some rows with their names in a picture that shows no others.
    pub fn looks_of(&self, rows: &[(usize, &str)]) -> Vec<Look> {
        let subject = self.subject_column().unwrap_or("allocator");
        let subjects: Vec<String> = rows.iter().map(|(row, _)| self.subject(*row, subject)).collect();
        let own: Option<Vec<Look>> = subjects.iter().map(|name| self.looks.get(name).copied()).collect();
        let count = |of: &dyn Fn(usize) -> usize| (0..rows.len()).map(of).collect::<BTreeSet<_>>().len();
        // The looks of the results fit most of their pictures.
        if let Some(own) = own
            && count(&|i| subjects.iter().position(|name| *name == subjects[i]).unwrap_or(i)) == rows.len()
            && (rows.len() > COLOURS.len() || count(&|i| own[i].colour) == rows.len())
        {
            return own;
        }
        let named = subjects.iter().zip(rows).map(|(subject, (_, name))| (&**subject, *name));
        looks_with(&named.collect::<Vec<_>>(), &|subject| {
            self.looks.get(subject).copied().unwrap_or_else(|| look(subject))
        })
    }

    /// Returns the subject of a row, which decides its look: its allocator in the short form, or its
    /// scheduler in full, independent of the user's spelling.
    pub(super) fn subject(&self, row: usize, coordinate: &str) -> String {
        let spec = self.label(row, &format!("{coordinate}_spec"));
        if coordinate == "allocator" { allocator::short_label(&spec) } else { spec }
    }
}
