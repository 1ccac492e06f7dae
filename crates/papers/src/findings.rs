//! The builder of a figure's findings: items, each a number or a statement with its verdict, from the
//! evidence.

use super::comparisons::Comparisons;
use super::estimate::Estimate;
use super::evidence::{Evidence, LogFacts, Point};
use super::finding::{Finding, Mark, Place, Published, Tolerance, Verdict};
use super::load::{Embedded, Figure};
use meshreplay_base::spec::Spec;

/// The evidence about a figure, and what follows from it.
pub(crate) struct Findings<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) figure: &'a Figure,
    log: String,
    machine: String,
    pub(super) items: Vec<Finding>,
    pub(super) marks: Vec<Mark>,
}

/// A load of a study: a workload model and its rate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Load {
    /// The rate or ratio of the model, in its shortest form.
    pub(crate) rate: String,
    /// The spec of the model.
    pub(crate) log: String,
}

impl<'a> Findings<'a> {
    /// Returns the findings of a figure before anything was judged.
    pub(super) fn new(evidence: &'a Evidence, figure: &'a Figure) -> Self {
        let (log, machine) = (String::new(), String::new());
        Self { evidence, figure, log, machine, items: Vec::new(), marks: Vec::new() }
    }

    /// Sets the log and the machine of items that do not name their own; empty for several.
    pub(crate) fn about(&mut self, log: &str, machine: &str) {
        (self.log, self.machine) = (log.to_owned(), machine.to_owned());
    }

    /// Returns the replays of a dataset: see [`Evidence::at`].
    pub(crate) fn at(&self, dataset: &'a str) -> Point<'a> {
        self.evidence.at(dataset)
    }

    /// Returns the file name, without extensions, of the log of a dataset; `None` if no log was found.
    pub(crate) fn log(&self, dataset: &str) -> Option<&'a str> {
        self.evidence.log(dataset)
    }

    /// Returns the facts about the log of a dataset; `None` if it was not found or not surveyed.
    pub(crate) fn facts(&self, dataset: &str) -> Option<LogFacts> {
        self.evidence.facts(dataset)
    }

    /// Adds a statement of the paper, which holds if all comparisons do; nothing if no comparison has both
    /// numbers.
    pub(crate) fn claim(&mut self, id: &str, words: impl AsRef<str>, compare: impl FnOnce(&mut Comparisons)) {
        item(id, words).holds_if(compare).add_to(self);
    }

    /// Adds a published number to the plot; nothing if it is `None`. `printed` are the words of what was
    /// printed.
    pub(crate) fn mark(&mut self, place: Place, value: Option<f64>, printed: &str) {
        if let Some(value) = value {
            self.mark_range(place, [value, value], printed);
        }
    }

    /// Adds a published range to the plot.
    pub(crate) fn mark_range(&mut self, place: Place, [low, high]: [f64; 2], printed: &str) {
        self.marks.push(Mark { place, ends: (low, high), said: printed.to_owned() });
    }

    /// Returns the loads of the workload models in all studies of the figure, in ascending order.
    pub(crate) fn loads(&self) -> Vec<Load> {
        self.loads_where(|_| true)
    }

    /// Returns the loads of the workload models in one study of the figure, in ascending order.
    pub(crate) fn loads_of(&self, name: &str) -> Vec<Load> {
        self.loads_where(|study| study.name == name)
    }

    fn loads_where(&self, is_wanted: impl Fn(&Embedded) -> bool) -> Vec<Load> {
        let load = |log: String| {
            let model: Spec = log.parse().ok()?;
            let rate = model.params.get("rate").or_else(|| model.params.get("ratio"))?;
            let rate: f64 = rate.parse().ok()?;
            Some((rate, Load { rate: rate.to_string(), log }))
        };
        let studies = self.figure.studies().into_iter().filter(is_wanted);
        let mut loads: Vec<(f64, Load)> = studies.flat_map(|study| study.logs).filter_map(load).collect();
        loads.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Studies may share a load.
        loads.dedup();
        loads.into_iter().map(|(_, load)| load).collect()
    }
}

/// An item of a figure. It becomes a finding if something was measured of it.
#[derive(Clone, Debug)]
#[must_use]
pub(crate) struct Item {
    finding: Finding,
    is_measured: bool,
    /// Log and machine, where they differ from the other items of the figure.
    log: Option<String>,
    machine: Option<String>,
    measured: Option<Estimate>,
}

/// Returns an item without a measured number. `id` is the name that sentences use for its verdict.
pub(crate) fn item(id: &str, words: impl AsRef<str>) -> Item {
    let finding = Finding { id: id.to_owned(), item: words.as_ref().to_owned(), ..Finding::default() };
    Item { finding, is_measured: false, log: None, machine: None, measured: None }
}

impl Item {
    /// Sets the log.
    pub(crate) fn log(self, log: &str) -> Self {
        Self { log: Some(log.to_owned()), ..self }
    }

    /// Sets the machine.
    pub(crate) fn machine(self, machine: &str) -> Self {
        Self { machine: Some(machine.to_owned()), ..self }
    }

    /// Sets the measured number; `None` if it was not measured.
    pub(crate) fn measured(self, number: Option<impl Into<Estimate>>) -> Self {
        let measured = number.map(Into::into);
        let half_width = match measured {
            Some(Estimate::Mean(interval)) if interval.count > 1 => Some(interval.half_width),
            _ => None,
        };
        let finding = Finding { measured: measured.map(Estimate::number), half_width, ..self.finding };
        Self { finding, is_measured: measured.is_some(), measured, ..self }
    }

    /// Compares the measured number with a published one. There is no item if the paper has a dash there.
    pub(crate) fn published(self, printed: &str, tolerance: Tolerance) -> Self {
        self.compared(Published::parse(printed), tolerance)
    }

    /// Compares the measured number with a ratio of printed numbers, which is shown with two decimals and is
    /// "exact" only if both agree.
    pub(crate) fn expected(self, number: Option<f64>, tolerance: Tolerance) -> Self {
        self.compared(number.map(|value| Published { value, decimals: 2 }), tolerance)
    }

    fn compared(mut self, published: Option<Published>, tolerance: Tolerance) -> Self {
        let Some(published) = published else { return Self { is_measured: false, ..self } };
        self.finding.published = Some(published);
        if let Some(measured) = self.measured {
            self.finding.verdict = Verdict::of_estimate(published, measured, tolerance);
        }
        self
    }

    /// Shows the item with this reason if nothing was measured.
    pub(crate) fn not_measured_because(self, reason: &str) -> Self {
        if self.is_measured { self } else { self.verdict(Verdict::NotMeasured(reason.to_owned())) }
    }

    /// Compares the measured number with a published range.
    pub(crate) fn in_range(mut self, range: [f64; 2]) -> Self {
        if let Some(measured) = self.measured {
            self.finding.verdict = Verdict::of_range(measured, range);
        }
        self
    }

    /// Compares the measured difference, in percent, with the largest one that counts as none.
    pub(crate) fn no_further_apart(mut self, most: f64) -> Self {
        if let Some(measured) = self.measured {
            self.finding.verdict = Verdict::of_equality(measured.number(), most);
        }
        self
    }

    /// Sets a verdict that needs no published number.
    pub(crate) fn verdict(mut self, verdict: Verdict) -> Self {
        self.finding.verdict = verdict;
        Self { is_measured: true, ..self }
    }

    /// Replaces the verdict by "fitted", as `parameters` were chosen to come near the number.
    pub(crate) fn fitted(mut self, parameters: u32, reading: &str) -> Self {
        self.finding.verdict = Verdict::Fitted { parameters, reading: reading.to_owned() };
        self
    }

    /// Makes the comparisons of a statement, which holds if all of them do.
    pub(crate) fn holds_if(self, compare: impl FnOnce(&mut Comparisons)) -> Self {
        self.stated(compare, Comparisons::finding)
    }

    /// Makes the comparisons of a statement about nearly all cases: one may fail.
    pub(crate) fn nearly_holds_if(self, compare: impl FnOnce(&mut Comparisons)) -> Self {
        self.stated(compare, Comparisons::nearly)
    }

    fn stated(
        self,
        compare: impl FnOnce(&mut Comparisons),
        verdict: fn(Comparisons, Finding) -> Option<Finding>,
    ) -> Self {
        let mut comparisons = Comparisons::default();
        compare(&mut comparisons);
        match verdict(comparisons, self.finding.clone()) {
            Some(finding) => Self { finding, is_measured: true, ..self },
            None => Self { is_measured: false, ..self },
        }
    }

    /// Replaces the reason why the values differ, if they do.
    pub(crate) fn instead(mut self, reason: Option<String>) -> Self {
        if let (Verdict::Differs(how), Some(reason)) = (&mut self.finding.verdict, reason) {
            *how = reason;
        }
        self
    }

    /// Adds an explanation if the values differ.
    pub(crate) fn because(mut self, reason: impl AsRef<str>) -> Self {
        if let Verdict::Differs(how) = &mut self.finding.verdict {
            *how = format!("{how}; {}", reason.as_ref());
        }
        self
    }

    /// Adds numbers under other assumptions if the values differ; no numbers add nothing.
    pub(crate) fn tried(self, before: &str, numbers: impl IntoIterator<Item = String>) -> Self {
        let numbers: Vec<String> = numbers.into_iter().collect();
        if numbers.is_empty() { self } else { self.because(format!("tried: {before}{}", numbers.join(", "))) }
    }

    /// Sets the place in a plot or table.
    pub(crate) fn place(mut self, place: Place) -> Self {
        self.finding.place = Some(place);
        self
    }

    /// Sets the title and the label with which the number stands below the bars of its log.
    pub(crate) fn below_bars(mut self, title: &str, label: &str) -> Self {
        self.finding.below_bars = Some([title.to_owned(), label.to_owned()]);
        self
    }
    /// Adds the item to the findings of its figure, if something was measured of it.
    pub(crate) fn add_to(self, findings: &mut Findings<'_>) {
        if self.is_measured {
            let log = self.log.unwrap_or_else(|| findings.log.clone());
            let machine = self.machine.unwrap_or_else(|| findings.machine.clone());
            findings.items.push(Finding { log, machine, ..self.finding });
        }
    }
}

/// Returns the rates of loads, separated by commas.
pub(crate) fn rates(loads: &[Load]) -> String {
    loads.iter().map(|load| load.rate.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns every pair of elements of two lists; the second one changes fastest.
pub(crate) fn pairs<A: Clone, B>(
    first: impl IntoIterator<Item = A>,
    second: B,
) -> impl Iterator<Item = (A, B::Item)>
where
    B: IntoIterator + Clone,
{
    first.into_iter().flat_map(move |a| second.clone().into_iter().map(move |b| (a.clone(), b)))
}
