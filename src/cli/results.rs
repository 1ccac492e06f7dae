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
        self.named(|row| self.name(row, but))
    }

    /// The same of pictures by load, which the logs that differ in nothing else are points of.
    pub(in crate::cli) fn series_by_load(&self) -> Vec<(String, Style, Vec<usize>)> {
        let is_model = self.varying.contains(&"log") && !self.varying.contains(&"arrival_scale");
        if !is_model {
            return self.series(&["arrival_scale"]);
        }
        let rest = |row: usize| self.model(row).map_or_else(|| self.label(row, "log"), |(_, rest)| rest);
        let is_one = (0..self.sheet.height()).all(|row| rest(row) == rest(0));
        self.named(|row| {
            let name = self.name(row, &["log"]);
            if is_one { name } else { format!("{name} · {}", rest(row)) }
        })
    }

    fn named(&self, name: impl Fn(usize) -> String) -> Vec<(String, Style, Vec<usize>)> {
        let mut series: Vec<(String, Style, Vec<usize>)> = Vec::new();
        for row in 0..self.sheet.height() {
            let name = name(row);
            match series.iter_mut().find(|(other, ..)| *other == name) {
                Some((.., rows)) => rows.push(row),
                None => series.push((name, style(&self.label(row, "allocator")), vec![row])),
            }
        }
        separate(&mut series.iter_mut().map(|(_, style, _)| style).collect::<Vec<_>>());
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
        Some(self.model(row)?.0)
    }

    /// The load that a row's model has as a parameter and what that is, and the model without it.
    fn model(&self, row: usize) -> Option<((f64, &'static str), String)> {
        let model = Synthetic::new(&self.label(row, "log").parse::<Spec>().ok()?).ok()?;
        let mut spec = model.spec().clone();
        let loads =
            [("rate", "arrivals per second"), ("ratio", "traffic ratio"), ("offered", "offered load")];
        let (load, title) = loads.iter().find_map(|&(key, title)| Some((spec.params.remove(key)?, title)))?;
        Some(((load.parse().ok()?, title), spec.to_string()))
    }
}

/// Series whose markers would be the same in one plot get others, of their own colour, as long as there are any; then
/// other colours and dashes, and if there are more series than those, some look like others.
pub(in crate::cli) fn separate(styles: &mut [&mut Style]) {
    const MOST_TRIED: usize = 96;
    for i in 1..styles.len() {
        let (before, after) = styles.split_at_mut(i);
        let own = *after[0];
        let is_marked = |look: &Style| !before.iter().any(|other| other.is_marked_like(*look));
        let is_free = |look: &Style| !before.iter().any(|other| other.looks_like(*look));
        let free = || (own.0..own.0 + MOST_TRIED).map(Style).find(is_free);
        *after[0] = own.remarked().find(is_marked).or_else(free).unwrap_or(own);
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
        let separated = |mut styles: Vec<Style>| {
            separate(&mut styles.iter_mut().collect::<Vec<_>>());
            styles
        };
        assert_eq!(separated([3, 3, 4].map(Style).to_vec()), [3, 11, 4].map(Style));
        // More series than looks.
        let styles = separated((0..200).map(|i| Style(i % 37)).collect());
        for (i, style) in styles.iter().enumerate().take(24) {
            assert!(!styles[..i].iter().any(|other| style.looks_like(*other)), "{i}: {styles:?}");
        }
    }
}
