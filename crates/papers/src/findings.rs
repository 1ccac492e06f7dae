//! What the code of a figure works with: the evidence, and the findings and marks that it makes of it.

use super::comparisons::Comparisons;
use super::evidence::{Evidence, LogFacts};
use super::finding::{Finding, Mark, Place};
use super::item::item;
use super::load::{Embedded, Figure};
use super::point::Point;
use meshreplay_base::spec::Spec;

/// The evidence about a figure, and what follows from it.
pub(crate) struct Findings<'a> {
    pub(super) evidence: &'a Evidence,
    pub(super) figure: &'a Figure,
    pub(super) log: String,
    pub(super) machine: String,
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

    /// Adds a published number that the plot shows beside the measured ones; nothing if it is `None`.
    /// `printed` are the words of what was printed.
    pub(crate) fn mark(&mut self, place: Place, value: Option<f64>, printed: &str) {
        if let Some(value) = value {
            self.mark_range(place, [value, value], printed);
        }
    }

    /// Adds a published range that the plot shows beside a measured number.
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
