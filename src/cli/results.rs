//! Saved results as series: which rows belong together, what they are called, how they look.

use anyhow::anyhow;

use crate::allocator::{self, ALLOCATORS};
use crate::cli::Failure;
use crate::frame::{Sheet, SheetValues};
use crate::machine::order::ORDERS;
use crate::render::plot::Style;
use crate::spec::Spec;
use crate::workload::Synthetic;

/// Columns that tell results apart. Seeds are replications.
const IDENTITY: [&str; 7] = ["log", "rules", "arrival_scale", "machine", "scheduler", "allocator", "network"];

/// The summary of a directory.
pub(in crate::cli) struct Results {
    pub(in crate::cli) sheet: Sheet,
    /// The identity columns in which rows differ.
    varying: Vec<&'static str>,
}

impl Results {
    pub(in crate::cli) fn new(sheet: Sheet) -> Self {
        let varies = |name: &&str| {
            sheet
                .column(name)
                .is_some_and(|column| (1..sheet.height()).any(|i| column.label(i) != column.label(0)))
        };
        let varying = IDENTITY.into_iter().filter(varies).collect();
        Self { sheet, varying }
    }

    /// The numbers of a column.
    pub(in crate::cli) fn numbers(&self, option: &str, name: &str) -> Result<&[Option<f64>], Failure> {
        let is_number = |values: &SheetValues| matches!(values, SheetValues::Number { .. });
        let known = || {
            let columns = self.sheet.columns.iter().filter(|column| is_number(&column.values));
            columns.map(|column| column.name.as_str())
        };
        if let Some(SheetValues::Number { numbers, .. }) =
            self.sheet.column(name).map(|column| &column.values)
        {
            return Ok(numbers);
        }
        let error = anyhow!(crate::spec::unknown("column of numbers", name, known()));
        Err(Failure::Usage(error.context(option.to_owned())))
    }

    /// A cell of a row as a short label.
    pub(in crate::cli) fn label(&self, row: usize, name: &str) -> String {
        let label = self.sheet.column(name).map(|column| column.label(row)).unwrap_or_default();
        if name == "allocator" { short(&label) } else { label }
    }

    /// What a row is called beside others: its allocator, and what else differs but for `but`.
    pub(in crate::cli) fn name(&self, row: usize, but: &[&str]) -> String {
        let others = self.varying.iter().filter(|name| **name != "allocator" && !but.contains(name));
        let mut words = vec![self.label(row, "allocator")];
        words.extend(others.map(|name| self.label(row, name)));
        words.join(" · ")
    }

    /// What all rows share, in words.
    pub(in crate::cli) fn shared(&self) -> String {
        let shown = |name: &&&str| !["rules", "network", "arrival_scale"].contains(*name);
        let fixed = IDENTITY.iter().filter(|name| !self.varying.contains(name)).filter(shown);
        let words = fixed.map(|name| self.label(0, name)).filter(|label| !label.is_empty());
        words.collect::<Vec<_>>().join(" · ")
    }

    /// The same of pictures that show the first of several loads.
    pub(in crate::cli) fn shared_at_first_load(&self) -> String {
        if self.varying.contains(&"arrival_scale") {
            format!("{} · arrivals × {}", self.shared(), self.label(0, "arrival_scale"))
        } else {
            self.shared()
        }
    }

    /// Names with the rows that have them, in the order of the results.
    pub(in crate::cli) fn series(&self, but: &[&str]) -> Vec<(String, Style, Vec<usize>)> {
        let mut series: Vec<(String, Style, Vec<usize>)> = Vec::new();
        for row in 0..self.sheet.height() {
            let name = self.name(row, but);
            match series.iter_mut().find(|(other, ..)| *other == name) {
                Some((.., rows)) => rows.push(row),
                None => series.push((name, style(&self.label(row, "allocator")), vec![row])),
            }
        }
        separate(&mut series);
        series
    }

    /// The load of a row: what arrivals were multiplied by, or the rate or ratio of its model, and which of them.
    pub(in crate::cli) fn load(&self, row: usize) -> Option<(f64, &'static str)> {
        if self.varying.contains(&"arrival_scale") {
            let SheetValues::Number { numbers, .. } = &self.sheet.column("arrival_scale")?.values else {
                return None;
            };
            return Some((numbers[row]?, "arrival times multiplied by"));
        }
        let model = Synthetic::new(&self.label(row, "log").parse::<Spec>().ok()?).ok()?;
        let of = |key: &str| model.spec().params.get(key)?.parse().ok();
        let rate = || Some((of("rate")?, "arrivals per second"));
        let ratio = || Some((of("ratio")?, "traffic ratio"));
        let offered = || Some((of("offered")?, "offered load"));
        rate().or_else(ratio).or_else(offered)
    }
}

/// Series that would look the same in one plot get looks of their own.
fn separate(series: &mut [(String, Style, Vec<usize>)]) {
    for i in 1..series.len() {
        let (before, after) = series.split_at_mut(i);
        while before.iter().any(|(_, style, _)| style.looks_like(after[0].1)) {
            after[0].1.0 += 1;
        }
    }
}

/// A spec as tables abbreviate it.
fn short(label: &str) -> String {
    match label.parse::<Spec>() {
        Ok(spec) if allocator::find(&spec).is_ok() => allocator::short(&spec),
        _ => label.to_owned(),
    }
}

/// The look of an allocator, by its place in the registry; of a curve, by its order. The same in every plot.
pub(in crate::cli) fn style(short: &str) -> Style {
    let place = |name: &str| ALLOCATORS.iter().position(|entry| entry.name == name);
    let Some((entry, spec)) = short.parse().ok().and_then(|spec| allocator::find(&spec).ok()) else {
        return Style(short.bytes().map(usize::from).sum());
    };
    let order =
        spec.params.get("order").and_then(|order| ORDERS.iter().position(|other| other.name == order));
    let of_entry = place(entry.name).unwrap_or_default();
    match (entry.name, order) {
        ("curve", Some(order)) => {
            let select = spec.params.get("select").map_or(0, String::len);
            Style(of_entry + 8 * (1 + order) + select)
        }
        _ => Style(of_entry + short.len() - entry.name.len().min(short.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_belong_to_allocators() {
        assert_eq!(style("mc1x1"), style("mc1x1"));
        assert_ne!(style("gabl"), style("qna"));
        assert_ne!(style("hilbert+bf").colour(), "");
        let mut series = vec![
            ("a".to_owned(), Style(3), vec![]),
            ("b".to_owned(), Style(3), vec![]),
            ("c".to_owned(), Style(4), vec![]),
        ];
        separate(&mut series);
        let looks: Vec<usize> = series.iter().map(|(_, style, _)| style.0).collect();
        assert_eq!(looks, [3, 4, 5]);
    }
}
