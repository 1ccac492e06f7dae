//! The best cells of a table, consistent with the closing lines.

use std::collections::{BTreeMap, BTreeSet};

use super::allocators::{self, Classes, DISTANCE, RATIO, WAIT, has_much_unasked};
use super::candidate::{Comparable, ComparedReplay, ReplayResult, ranked};
use super::comparison::Comparison;
use super::saved::SavedAnswer;
use super::schedulers::Recorded;
use super::{OF_GROUP, OF_SETTING, alike, primary};
use meshreplay_results::frame::FinishedRun;
use meshreplay_sim::metrics::{Better, Metric, Needs, OF_WAITS};
use meshreplay_study::study::Study;

/// The numbers of placements, with a best replay in each class of allocators.
const OF_PLACEMENTS: [&str; 6] = [
    DISTANCE,
    "pairwise_mean_mean",
    "pairwise_mean_parallel_mean",
    "pairwise_ratio_to_bound_mean",
    "components_mean",
    "contiguous_share",
];

/// The best and the comparable replays of a table.
pub(crate) struct Winners {
    primary: &'static str,
    rows: Vec<Row>,
    /// The settings with significant differences of waits.
    with_differing_waits: BTreeSet<usize>,
    /// The rows whose jobs had many nodes that they did not ask for, which makes placements compact.
    with_much_unasked: BTreeSet<usize>,
}

/// A replay of the table.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Default)]
struct Row {
    /// The number of the setting: replays that differ only in the scheduler and the allocator.
    setting: usize,
    /// The allocators of one class under one scheduler.
    class: usize,
    /// Whether means are over the same jobs as in the setting.
    is_comparable: bool,
    /// Whether the closing lines name it as the best of its class.
    is_best: bool,
    /// Whether they name it as the best by the ratio to the bound.
    is_best_by_ratio: bool,
    /// Whether its waits grow with the length of the log.
    is_overloaded: bool,
    /// Whether no other wait is significantly shorter, and some are significantly longer.
    is_shortest: bool,
}

impl Winners {
    /// Finds the winners among the replays of a table. `primary` is the number that decides on the best
    /// allocator.
    pub(super) fn new(replays: &[ReplayResult<'_>], primary: &'static str) -> Self {
        let is_overloaded = |replay: &ReplayResult<'_>| ComparedReplay::new(0, "", replay).is_overloaded();
        let row = |replay| Row { is_overloaded: is_overloaded(replay), ..Row::default() };
        let rows = replays.iter().map(row).collect();
        let (with_differing_waits, with_much_unasked) = (BTreeSet::new(), BTreeSet::new());
        let mut winners = Self { primary, rows, with_differing_waits, with_much_unasked };
        let mut classes = 0;
        let all: Vec<usize> = (0..replays.len()).collect();
        let identity = |i: usize, but: &[&str]| replays[i].spec.identity_without(but);
        for (setting, of_setting) in alike(&all, |i| identity(i, &OF_SETTING)).iter().enumerate() {
            for &i in of_setting {
                winners.rows[i].setting = setting;
            }
            winners.add_waits(replays, of_setting);
            for group in alike(of_setting, |i| identity(i, &OF_GROUP)) {
                winners.add_classes(replays, &group, classes);
                classes += 2;
            }
        }
        winners
    }

    /// Finds the winners among the replays of a run, in its order.
    pub(crate) fn of_run(study: &Study, run: &FinishedRun) -> Self {
        let replays = run.replays.iter();
        let replays: Vec<ReplayResult<'_>> = replays
            .map(|(number, outcomes)| {
                ReplayResult::of_outcomes(&study.cells[*number as usize], outcomes, &study.options)
            })
            .collect();
        Self::new(&replays, primary(study.has.has(Needs::Network)))
    }

    /// Records the two classes of a group and the best of each. `first` is the number of the first class.
    fn add_classes(&mut self, replays: &[ReplayResult<'_>], group: &[usize], first: usize) {
        let Comparable { candidates, .. } = Comparable::new(candidates(replays, group));
        let classes = Classes::new(&candidates, self.primary);
        for (k, class) in [&classes.any, &classes.fitting].into_iter().enumerate() {
            for one in class {
                self.rows[one.position].class = first + k;
                if has_much_unasked(one) {
                    self.with_much_unasked.insert(one.position);
                }
            }
            let named = |winners: Option<allocators::Winners<'_, '_>>| -> Vec<usize> {
                let Some(winners) = winners.filter(|winners| winners.named() < class.len()) else {
                    return Vec::new();
                };
                let is_named = |one: &&&ComparedReplay<'_>| winners.names().any(|name| name == one.name);
                class.iter().filter(is_named).map(|one| one.position).collect()
            };
            for position in named(classes.winners(class)) {
                self.rows[position].is_best = true;
            }
            for position in named(classes.winners_by_ratio(class)) {
                self.rows[position].is_best_by_ratio = true;
            }
        }
        // Replays of other jobs have no class.
        for &i in group.iter().filter(|&&i| !candidates.iter().any(|one| one.position == i)) {
            self.rows[i].class = usize::MAX;
        }
    }

    /// Records the replays of a setting with the shortest waits.
    fn add_waits(&mut self, replays: &[ReplayResult<'_>], setting: &[usize]) {
        let of_setting = || setting.iter().map(|&i| &replays[i]);
        let is_compared =
            |i: &&usize| Recorded::new(&replays[**i], of_setting()).is_none_or(|said| said.is_compared);
        let compared: Vec<usize> = setting.iter().filter(is_compared).copied().collect();
        let Comparable { candidates, .. } = Comparable::new(candidates(replays, &compared));
        for one in &candidates {
            self.rows[one.position].is_comparable = true;
        }
        // The waits of overloaded replays measure the length of the log.
        let stable: Vec<&ComparedReplay<'_>> = candidates.iter().filter(|one| !one.is_overloaded()).collect();
        let ranked = ranked(&stable, WAIT);
        let Some((shortest, others)) = ranked.split_first() else { return };
        let compare = |other: &&ComparedReplay<'_>| Comparison::of_best(other, shortest, WAIT, others.len());
        let longer = |comparison: &Comparison| !comparison.is_about_equal && !comparison.is_uncertain;
        let compared: Vec<_> = others.iter().map(|other| (other.position, compare(other))).collect();
        if !compared.iter().any(|(_, comparison)| comparison.as_ref().is_some_and(longer)) {
            return;
        }
        self.with_differing_waits.insert(self.rows[shortest.position].setting);
        self.rows[shortest.position].is_shortest = true;
        for (position, comparison) in compared {
            self.rows[position].is_shortest = comparison.is_some_and(|comparison| comparison.is_about_equal);
        }
    }

    /// Returns the rows with the best cells of a column with these texts and values.
    pub(crate) fn best_rows(&self, metric: &Metric, texts: &[String], values: &[Option<f64>]) -> Vec<usize> {
        let name = metric.name();
        if name == self.primary {
            return self.few(&self.marked(|row| row.is_best), |row| row.class);
        }
        if name == RATIO && self.primary == DISTANCE {
            return self.few(&self.marked(|row| row.is_best_by_ratio), |row| row.class);
        }
        if name == WAIT {
            return self.few(&self.marked(|row| row.is_shortest), |row| row.setting);
        }
        let is_of_jobs = metric.is_over_jobs_in_means();
        let is_of_placements = OF_PLACEMENTS.contains(&name);
        let is_of_times = is_of_jobs && !is_of_placements;
        let place = |row: &Row| if is_of_placements { row.class } else { row.setting };
        let column = Column { better: metric.better, texts, values };
        let takes_part = |(i, row): &(usize, &Row)| {
            row.class != usize::MAX
                && (!is_of_jobs || row.is_comparable)
                && !(is_of_placements && self.with_much_unasked.contains(i))
                && (!is_of_times || !row.is_overloaded && self.with_differing_waits.contains(&row.setting))
        };
        let mut places = BTreeMap::<usize, Vec<usize>>::new();
        for (i, row) in self.rows.iter().enumerate().filter(takes_part) {
            places.entry(place(row)).or_default().push(i);
        }
        let best: Vec<usize> = places.values().flat_map(|rivals| column.best(rivals)).collect();
        self.few(&best, place)
    }

    /// Returns whether the waits of the replay in this row grow with the length of the log.
    pub(crate) fn is_overloaded(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.is_overloaded)
    }

    /// Returns whether replays have so much internal fragmentation that their placements are not marked.
    pub(crate) fn leave_placements_unmarked(&self) -> bool {
        !self.with_much_unasked.is_empty()
    }

    fn marked(&self, is_marked: impl Fn(&Row) -> bool) -> Vec<usize> {
        (0..self.rows.len()).filter(|&i| is_marked(&self.rows[i])).collect()
    }

    /// Drops marks shared by most replays of a place, which carry no information.
    fn few(&self, marked: &[usize], place: impl Fn(&Row) -> usize) -> Vec<usize> {
        let is_few = |&i: &usize| {
            let is_beside = |other: &Row| place(other) == place(&self.rows[i]);
            let shared = marked.iter().filter(|&&other| is_beside(&self.rows[other])).count();
            2 * shared <= self.rows.iter().filter(|row| is_beside(row)).count()
        };
        marked.iter().copied().filter(is_few).collect()
    }
}

/// A column of a table.
struct Column<'a> {
    better: Better,
    texts: &'a [String],
    values: &'a [Option<f64>],
}

impl Column<'_> {
    /// Returns the best of some rows; none if all have the same text.
    fn best(&self, rivals: &[usize]) -> Vec<usize> {
        let sign = match self.better {
            Better::Lower => 1.0,
            Better::Higher => -1.0,
            Better::Neither => return Vec::new(),
        };
        let known = rivals.iter().filter_map(|&i| Some((i, sign * self.values[i]?)));
        let Some((first, _)) = known.min_by(|(_, a), (_, b)| a.total_cmp(b)) else { return Vec::new() };
        let is_best = |&i: &usize| self.texts[i] == self.texts[first];
        if rivals.iter().all(is_best) {
            return Vec::new();
        }
        rivals.iter().copied().filter(is_best).collect()
    }
}

/// Returns the replays at these positions, by their allocators.
fn candidates<'a>(replays: &'a [ReplayResult<'_>], positions: &[usize]) -> Vec<ComparedReplay<'a>> {
    let candidate = |&i: &usize| ComparedReplay::new(i, &replays[i].spec.labels.allocator, &replays[i]);
    positions.iter().map(candidate).collect()
}

// The best allocators of each class in tables with a row per log and machine, by the intervals of the
// closing lines.

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
