//! Saved results as series: which rows belong together, what they are called, how they look.

use std::path::Path;

use anyhow::anyhow;

use crate::allocator::{self, ALLOCATORS};
use crate::cli::{Failure, complain};
use crate::figure::draw::Style;
use crate::frame::{Missing, Sheet, SheetValues};
use crate::machine::Mesh;
use crate::machine::order::ORDERS;
use crate::spec::Spec;
use crate::workload::{Arrivals, Rules, Synthetic};

/// Columns that tell results apart. Seeds are replications.
const IDENTITY: [&str; 7] = ["log", "rules", "arrival_scale", "machine", "scheduler", "allocator", "network"];

/// Columns that tell replays apart where every placement is as good, on an array, or where running jobs are moved.
pub(in crate::cli) const DELAYS: [&str; 4] =
    ["queue_delay_s_mean", "allocation_delay_s_mean", "moves", "suspended_s_mean"];

/// Titles of loads: the factor of arrival times, and the longest time between arrivals.
pub(in crate::cli) const SCALE_TITLE: &str = "arrival times multiplied by";
pub(in crate::cli) const GAP_TITLE: &str = "longest time between arrivals (s)";

/// The summary of a directory.
pub(in crate::cli) struct Results {
    pub(in crate::cli) sheet: Sheet,
    /// The identity columns in which rows differ.
    varying: Vec<&'static str>,
    /// The longest time between arrivals of each row, if rules differ in nothing else.
    gaps: Option<Vec<f64>>,
}

impl Results {
    pub(in crate::cli) fn new(sheet: Sheet) -> Self {
        let varies = |name: &&str| {
            sheet
                .column(name)
                .is_some_and(|column| (1..sheet.height()).any(|i| column.label(i) != column.label(0)))
        };
        let varying: Vec<&str> = IDENTITY.into_iter().filter(varies).collect();
        let gaps = if varying.contains(&"rules") { gaps(&sheet) } else { None };
        Self { sheet, varying, gaps }
    }

    /// Tells on standard error which replays the summary and the jobs in `folder` do not hold.
    pub(in crate::cli) fn note_missing(&self, folder: &Path) -> Result<(), Failure> {
        note_missing(&self.sheet);
        // No column is needed to know whose jobs there are.
        if let Some(jobs) = Sheet::read_jobs(folder, &[], &|_| false)?
            && jobs.missing != self.sheet.missing
        {
            note_missing(&jobs);
        }
        Ok(())
    }

    /// Whether a machine is an array, or jobs were moved.
    pub(in crate::cli) fn have_delays(&self) -> bool {
        let is_array =
            |row: usize| self.label(row, "machine").parse::<Mesh>().is_ok_and(|machine| machine.dims() == 1);
        let moves = self.numbers("", "moves").unwrap_or_default();
        (0..self.sheet.height()).any(is_array) || moves.iter().flatten().any(|&moves| moves > 0.0)
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
        let is_load = |name: &str| name == "rules" && self.gaps.is_some();
        let is_other = |name: &&&str| **name != "allocator" && !but.contains(name) && !is_load(name);
        let others = self.varying.iter().filter(is_other);
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
        } else if let Some(gap) = self.gap(0) {
            format!("{} · arrivals up to {gap} s apart", self.shared())
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

    /// The longest time between arrivals of a row, if rows differ in it.
    pub(in crate::cli) fn gap(&self, row: usize) -> Option<f64> {
        self.gaps.as_ref().map(|gaps| gaps[row])
    }

    /// The load of a row: what arrivals were multiplied by, how far they are apart at most, or the rate or ratio of its
    /// model, and which of them.
    pub(in crate::cli) fn load(&self, row: usize) -> Option<(f64, &'static str)> {
        if self.varying.contains(&"arrival_scale") {
            let SheetValues::Number { numbers, .. } = &self.sheet.column("arrival_scale")?.values else {
                return None;
            };
            return Some((numbers[row]?, SCALE_TITLE));
        }
        if let Some(gap) = self.gap(row) {
            return Some((gap, GAP_TITLE));
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

/// The longest time between arrivals of each row; `None` unless rules have one and differ in nothing else.
fn gaps(sheet: &Sheet) -> Option<Vec<f64>> {
    let column = sheet.column("rules")?;
    let rules = |row| column.label(row).parse::<Rules>().ok();
    let without = |rules: Rules| Rules { arrivals: Arrivals::Recorded, ..rules };
    let first = without(rules(0)?);
    let gap = |row| match rules(row)? {
        found @ Rules { arrivals: Arrivals::Uniform(gap), .. } => (without(found) == first).then_some(gap),
        Rules { arrivals: Arrivals::Recorded, .. } => None,
    };
    (0..sheet.height()).map(gap).collect()
}

/// Tells on standard error which replays a sheet does not hold of those that run.json or study.json lists.
pub(in crate::cli) fn note_missing(sheet: &Sheet) {
    if let Some(note) = missing(sheet) {
        complain(&format!("note: {note}"));
    }
}

/// Which replays a sheet does not hold, in words; `None` if it holds all.
pub(in crate::cli) fn missing(sheet: &Sheet) -> Option<String> {
    const NAMED: usize = 5;
    let Missing { listed_by: Some(listed_by), replays, of } = &sheet.missing else { return None };
    let rest = match replays.len() {
        0 => return None,
        count if count > NAMED => format!("; … and {} more", count - NAMED),
        _ => String::new(),
    };
    let named: Vec<&str> = replays.iter().take(NAMED).map(String::as_str).collect();
    let (path, listed_by, held) = (sheet.path.display(), listed_by.display(), of - replays.len());
    let named = named.join("; ");
    Some(format!("{path} holds {held} of the {of} replays that {listed_by} lists; missing: {named}{rest}"))
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
