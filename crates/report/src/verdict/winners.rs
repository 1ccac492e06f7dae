//! The best cells of a table, consistent with the closing lines.

use std::collections::{BTreeMap, BTreeSet};

use super::allocators::{Classes, DISTANCE, RATIO, WAIT, has_much_unasked};
use super::candidate::{Comparable, ComparedReplay, ranked};
use super::comparison::Comparison;
use super::measured::ReplayResult;
use super::recorded::Recorded;
use super::{OF_GROUP, OF_SETTING, alike, allocators, primary};
use meshreplay_results::frame::FinishedRun;
use meshreplay_sim::metrics::{Better, Metric, Needs};
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
