//! The best allocators of each class in tables with a row per log and machine, by the intervals of the
//! closing lines.

use super::allocators::{RATIO, has_much_unasked};
use super::candidate::{Comparable, ComparedReplay, ranked};
use super::comparison::Comparison;
use super::saved::SavedAnswer;
use meshreplay_sim::metrics::{Better, Metric, OF_WAITS};

/// What a table shows of one of several replays that differ only in the allocator.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// Whether waits grow with the length of the log.
    pub(crate) is_overloaded: bool,
    /// Whether differences have intervals: the jobs were kept, or there are several seeds.
    pub(crate) has_interval: bool,
    /// Whether means are over the same jobs as those of the other replays.
    pub(crate) is_comparable: bool,
    /// For each measure, whether the replay is the best of its class, or does not differ significantly from
    /// the best. False if that applies to all of the class.
    pub(crate) best: Vec<bool>,
}

impl SavedAnswer<'_> {
    /// Returns whether each replay, given by its rows of the summary, takes any free nodes. `None` if one of
    /// them cannot be read.
    pub(crate) fn take_any(&self, replays: &[&[usize]]) -> Option<Vec<bool>> {
        let takes_any =
            |rows: &&[usize]| Some(ComparedReplay::new(0, "", &self.measured(rows)?).takes_any_nodes());
        replays.iter().map(takes_any).collect()
    }

    /// Returns the marks of replays that differ only in the allocator, each given by its rows of the summary.
    /// `classes` has the class of each: a table has one for each allocator, whatever its rows. `None` if a
    /// replay cannot be read.
    pub(crate) fn marks(
        &self,
        replays: &[&[usize]],
        classes: &[bool],
        measures: &[&'static Metric],
    ) -> Option<Vec<Marks>> {
        let replays: Vec<_> = replays.iter().map(|rows| self.measured(rows)).collect::<Option<_>>()?;
        let named = replays.iter().enumerate();
        let all: Vec<ComparedReplay<'_>> =
            named.map(|(i, replay)| ComparedReplay::new(i, &replay.spec.labels.allocator, replay)).collect();
        let mut marks: Vec<Marks> = all.iter().map(|one| Marks::new(one, measures.len())).collect();
        let Comparable { candidates, .. } = Comparable::new(all);
        for one in &candidates {
            marks[one.position].is_comparable = true;
        }
        let (any, fitting): (Vec<_>, Vec<_>) = candidates.iter().partition(|one| classes[one.position]);
        for class in [any, fitting] {
            for (k, measure) in measures.iter().enumerate() {
                for position in best(&class, measure) {
                    marks[position].best[k] = true;
                }
            }
        }
        Some(marks)
    }
}

impl Marks {
    fn new(one: &ComparedReplay<'_>, measures: usize) -> Self {
        Self {
            is_overloaded: one.is_overloaded(),
            has_interval: one.has_jobs() || one.replications.len() > 1,
            is_comparable: false,
            best: vec![false; measures],
        }
    }
}

/// Returns the positions of the best of a class in a number whose differences have intervals; none if all are
/// about equal.
fn best(class: &[&ComparedReplay<'_>], measure: &Metric) -> Vec<usize> {
    if !measure.is_compared || measure.better != Better::Lower {
        return Vec::new();
    }
    let name = measure.name();
    let counts = |one: &&&ComparedReplay<'_>| {
        !(name == RATIO && has_much_unasked(one) || OF_WAITS.contains(&name) && one.is_overloaded())
    };
    let class: Vec<_> = class.iter().filter(counts).copied().collect();
    let ranked = ranked(&class, name);
    let Some((first, others)) = ranked.split_first() else { return Vec::new() };
    let is_near = |other: &&&ComparedReplay<'_>| {
        first.equals(other, name)
            || Comparison::of_pair(first, other, name)
                .is_some_and(|comparison| comparison.is_about_equal || comparison.is_uncertain)
    };
    let near: Vec<usize> = others.iter().filter(is_near).map(|other| other.position).collect();
    if near.len() == others.len() { Vec::new() } else { [vec![first.position], near].concat() }
}
