//! The few replays that a page highlights, and their order.

use std::collections::BTreeMap;

use meshreplay_alloc::allocator::{FAMILIES, Family, family};
use meshreplay_figures::{Results, Tradeoff};

/// The largest number of highlighted names.
const MOST: usize = 8;

/// Returns the position of the family of the allocator in a row; behind the last one for guests.
pub(super) fn family_of(results: &Results, row: usize) -> usize {
    let spec = results.label(row, "allocator_spec").parse().ok();
    let found = spec.and_then(|spec| family(&spec));
    let is_it = |found: &Family| FAMILIES.iter().position(|family| family.title == found.title);
    found.and_then(is_it).unwrap_or(FAMILIES.len())
}

/// Returns the title of a family.
pub(super) fn family_title(position: usize) -> &'static str {
    FAMILIES.get(position).map_or("Your own", |family| family.title)
}

/// Returns the names to highlight, the most important one first: the Pareto front of waits and distances, the
/// ends of both, and the closest placements of each family.
pub(super) fn highlighted(results: &Results, panels: &[Vec<Tradeoff>]) -> Vec<String> {
    let mut fronts: BTreeMap<&str, usize> = BTreeMap::new();
    for panel in panels {
        let all: Vec<&Tradeoff> = panel.iter().collect();
        for one in panel.iter().filter(|one| one.is_in_front(&all)) {
            *fronts.entry(&one.curve.name).or_default() += 1;
        }
    }
    let mut front: Vec<(&str, usize)> = fronts.into_iter().collect();
    front.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let Some(first) = panels.first() else { return Vec::new() };
    let by = |value: fn(&Tradeoff) -> f64| move |a: &&Tradeoff, b: &&Tradeoff| value(a).total_cmp(&value(b));
    let farthest = first.iter().max_by(by(|one| one.distance));
    let longest = first.iter().max_by(by(|one| one.wait_s));
    let mut closest: Vec<&Tradeoff> = first.iter().collect();
    closest.sort_by(by(|one| one.distance));
    let mut families: Vec<usize> = Vec::new();
    closest.retain(|one| {
        let family = family_of(results, one.curve.rows[0]);
        let is_first = !families.contains(&family);
        families.push(family);
        is_first
    });
    // A large front leaves room for the ends.
    let front = front.iter().take(MOST - 2).map(|(name, _)| *name);
    let ends = farthest.into_iter().chain(longest).chain(closest).map(|one| &*one.curve.name);
    let mut names: Vec<String> = Vec::new();
    for name in front.chain(ends).chain(first.iter().map(|one| &*one.curve.name)) {
        if names.len() < MOST && !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}
