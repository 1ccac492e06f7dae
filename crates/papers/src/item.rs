//! The items of a figure: a number or a statement of the paper, what was measured of it, and the verdict.

use super::comparisons::Comparisons;
use super::estimate::Estimate;
use super::finding::{Finding, Place, Published, Tolerance, Verdict};
use super::findings::Findings;

/// An item of a figure. It becomes a finding if something was measured of it.
#[derive(Clone, Debug)]
#[must_use]
pub(crate) struct Item {
    finding: Finding,
    is_measured: bool,
    /// The log and the machine; `None` for those of the other items of the figure.
    log: Option<String>,
    machine: Option<String>,
    measured: Option<Estimate>,
}

/// Returns an item of which nothing was measured yet. `id` is the name by which sentences refer to its
/// verdict.
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

    /// Compares the measured number with one that follows from printed numbers, and is shown with one
    /// decimal.
    pub(crate) fn expected(self, number: Option<f64>, tolerance: Tolerance) -> Self {
        self.compared(number.map(|value| Published { value, decimals: 1 }), tolerance)
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

    /// Replaces the verdict, as the reading was chosen with so many parameters to come near the number.
    pub(crate) fn fitted(mut self, parameters: u32, reading: &str) -> Self {
        self.finding.verdict = Verdict::Fitted { parameters, reading: reading.to_owned() };
        self
    }

    /// Makes the comparisons of a statement, which holds if all of them do.
    pub(crate) fn holds_if(self, compare: impl FnOnce(&mut Comparisons)) -> Self {
        self.stated(compare, Comparisons::finding)
    }

    /// Makes the comparisons of a statement about nearly all cases, of which one may fail.
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
