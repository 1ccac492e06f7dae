//! The few replays that a page highlights, and their order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use meshreplay_alloc::allocator::{FAMILIES, Family, family};
use meshreplay_figures::{Curve, Results, Tradeoff};

/// The largest number of highlighted names.
const MOST: usize = 8;

/// Returns the position of the family of the allocator in a row; behind the last one for guests.
pub(super) fn family_of(results: &Results, row: usize) -> usize {
    let spec = results.label(row, "allocator_spec").parse().ok();
    let found = spec.and_then(|spec| family(&spec));
    let is_it = |found: &Family| FAMILIES.iter().position(|family| family.title == found.title);
    found.and_then(is_it).unwrap_or(FAMILIES.len())
}

/// Returns the names to highlight, the most important one first: the Pareto front of waits and distances, the
/// allocators `compared` in the answer and `shown` by the player, the ends of both numbers, and the closest
/// placements of each family.
pub(super) fn highlighted(
    results: &Results,
    panels: &[Vec<Tradeoff>],
    compared: Option<&[String; 2]>,
    shown: &[String],
) -> Vec<String> {
    let Some(first) = panels.first() else { return Vec::new() };
    let mut ranked: Vec<&Tradeoff> = first.iter().collect();
    ranked.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.wait_s.total_cmp(&b.wait_s)));
    let longest = first.iter().max_by(|a, b| a.wait_s.total_cmp(&b.wait_s));
    let mut families = BTreeSet::new();
    let closest = ranked.iter().filter(|one| families.insert(family_of(results, one.curve.rows[0])));
    // A large front leaves room for the others.
    let front = front(panels).into_iter().take(MOST - 3);
    let compared = compared.into_iter().flatten().chain(shown).map(String::as_str);
    let ends = ranked.last().copied().into_iter().chain(longest);
    let others = ends.chain(closest.copied()).chain(ranked.iter().copied()).map(|one| &*one.curve.name);
    let is_drawn = |name: &&str| first.iter().any(|one| one.curve.name == **name);
    let mut names: Vec<String> = Vec::new();
    for name in front.chain(compared).chain(others).filter(is_drawn) {
        if names.len() < MOST && !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns a row of each of these names, in their order.
pub(super) fn rows_of(panels: &[Vec<Tradeoff>], names: &[String]) -> Vec<usize> {
    let all = || panels.iter().flatten();
    let row = |name: &String| Some(all().find(|one| one.curve.name == *name)?.curve.rows[0]);
    names.iter().filter_map(row).collect()
}

/// Returns the names on the Pareto fronts, those of most panels first.
fn front(panels: &[Vec<Tradeoff>]) -> Vec<&str> {
    let mut fronts: BTreeMap<&str, usize> = BTreeMap::new();
    for panel in panels {
        let all: Vec<&Tradeoff> = panel.iter().collect();
        for one in panel.iter().filter(|one| one.is_in_front(&all)) {
            *fronts.entry(&one.curve.name).or_default() += 1;
        }
    }
    let mut front: Vec<(&str, usize)> = fronts.into_iter().collect();
    front.sort_by_key(|(_, count)| Reverse(*count));
    front.into_iter().map(|(name, _)| name).collect()
}

/// The kinds of figures with a panel for each replay, and the number of their panels.
const PANELS: [(&str, usize); 3] = [("heat", 9), ("nodes", 9), ("gantt", 4)];

/// Returns the numbers of the replays in a kind of figure: the highlighted ones of the first panel if the
/// figure has no room for all. Empty for all replays.
pub(super) fn replays_in(results: &Results, kind: &str, highlighted: &[String]) -> Vec<u32> {
    let Some((_, room)) = PANELS.iter().find(|(name, _)| *name == kind) else { return Vec::new() };
    let curves = results.curves(&[]);
    let shown = &highlighted[..highlighted.len().min(*room)];
    // Panels of `heat` are small, and readers of a study choose among them.
    let is_study = curves.iter().any(|curve| curve.panel != curves[0].panel);
    if curves.len() <= *room || kind == "heat" && is_study {
        return Vec::new();
    }
    let is_shown = |curve: &&Curve| curve.panel == curves[0].panel && shown.contains(&curve.name);
    let rows = curves.iter().filter(is_shown).map(|curve| curve.rows[0]);
    rows.filter_map(|row| results.table.number("replay", row)).map(|number| number as u32).collect()
}
