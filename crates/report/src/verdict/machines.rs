//! The lines on machines: what a torus, a third dimension or another shape of equally many nodes changes in
//! the distances within jobs.

use std::collections::BTreeMap;

use super::allocators::Classes;
use super::candidate::{Comparable, ComparedReplay, ReplayResult};
use super::comparison::Comparison;
use super::{OF_GROUP, alike, candidates_of, name_of};
use meshreplay_base::words::counted;
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::metrics::metric;
use meshreplay_study::study::Coordinate;

/// The coordinates that vary among the machines of a comparison.
const BUT_MACHINE: [&str; 2] = ["machine", "allocator"];

/// How a machine differs from another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Torus,
    ThirdDimension,
    Shape,
}

impl Change {
    /// Returns how a machine differs from `base` in one respect; `None` if in several or none, in the number
    /// of nodes, or if one of them is a tree or has switched cubes.
    fn between(base: &Mesh, machine: &Mesh) -> Option<Self> {
        let is_other = |of: &Mesh| of.levels().is_some() || of.cube().is_some();
        if is_other(base) || is_other(machine) || base == machine || base.available() != machine.available() {
            return None;
        }
        match (base.dims(), machine.dims(), base.wraps_any(), machine.wraps_any()) {
            (_, _, false, true) => (base.extents() == machine.extents()).then_some(Self::Torus),
            (2, 3, from, to) if from == to => Some(Self::ThirdDimension),
            (from, to, wraps, does) if from == to && wraps == does => Some(Self::Shape),
            _ => None,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Torus => "the torus",
            Self::ThirdDimension => "the third dimension",
            Self::Shape => "the shape",
        }
    }
}

/// A machine compared with another one, both with the same jobs and allocator.
struct Compared {
    comparison: Comparison,
    /// The difference as a share.
    value: f64,
    /// Log, scheduler and so on, as far as they vary.
    name: String,
    allocator: String,
    machines: [String; 2],
}

/// Returns a line for each kind of change between machines, where differences have intervals. The allocator
/// is the best on the first machine that takes any free nodes, or the best if none does. `primary` is the
/// number that is compared.
pub(super) fn lines(
    replays: &[&ReplayResult<'_>],
    primary: &'static str,
    varying: &[&'static Coordinate],
) -> Vec<String> {
    let mut compared: BTreeMap<Change, Vec<Compared>> = BTreeMap::new();
    let named: Vec<_> = varying.iter().copied().filter(|row| !BUT_MACHINE.contains(&row.name)).collect();
    for setting in alike(replays, |replay| replay.spec.identity_without(&BUT_MACHINE)) {
        let machines = alike(&setting, |replay| replay.spec.identity_without(&OF_GROUP));
        let pairs = (0..machines.len()).flat_map(|i| (0..machines.len()).map(move |j| (i, j)));
        for (base, machine) in pairs.map(|(i, j)| (&machines[i], &machines[j])) {
            let [from, to] = [base, machine].map(|group| &group[0].spec.machine);
            let change = Change::between(from, to);
            // Of two shapes, the one listed first is the base.
            let is_first = || machines.iter().position(|group| group[0].spec.machine == *from) == Some(0);
            let change = change.filter(|change| *change != Change::Shape || is_first());
            let Some(change) = change else { continue };
            let name = name_of(base[0], &named);
            compared.entry(change).or_default().extend(compare(base, machine, primary, name));
        }
    }
    compared.into_iter().filter_map(|(change, all)| line(change, &all, primary)).collect()
}

/// Compares two machines under the allocator that is best on the first one.
fn compare(
    base: &[&ReplayResult<'_>],
    machine: &[&ReplayResult<'_>],
    primary: &'static str,
    name: String,
) -> Option<Compared> {
    let Comparable { candidates, .. } = Comparable::new(candidates_of(base));
    let classes = Classes::new(&candidates, primary);
    let class = if classes.any.is_empty() { &classes.fitting } else { &classes.any };
    let best = classes.winners(class)?.best.name.to_owned();
    let of =
        |group: &[&ReplayResult<'_>]| group.iter().position(|replay| replay.spec.labels.allocator == best);
    let both = [base[of(base)?], machine[of(machine)?]];
    let both = both.iter().enumerate().map(|(i, replay)| ComparedReplay::new(i, "", replay)).collect();
    let Comparable { candidates, .. } = Comparable::new(both);
    let place = |at: usize| candidates.iter().find(|one| one.position == at);
    let (before, after) = (place(0)?, place(1)?);
    let difference = after.difference(before, primary)?;
    difference.interval(1)?;
    let comparison = Comparison::of_pair(after, before, primary)?;
    let machines = [base, machine].map(|group| group[0].spec.machine.to_string());
    Some(Compared { comparison, value: difference.value, name, allocator: best, machines })
}

/// Returns the line on all comparisons of a kind.
fn line(change: Change, all: &[Compared], primary: &'static str) -> Option<String> {
    let (change, number) = (change.words(), metric(primary)?.title());
    if let [one] = all {
        let [from, to] = &one.machines;
        let than = one.comparison.than(&format!("on {from}"));
        return Some(format!("{change}: {number} of {} on {to} {than}", one.allocator));
    }
    let mut sorted: Vec<&Compared> = all.iter().collect();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    let end = |one: &Compared| {
        let names = [one.name.as_str(), &one.machines[1]].map(str::to_owned);
        let names: Vec<String> = names.into_iter().filter(|name| !name.is_empty()).collect();
        format!("{} ({})", one.comparison.amount(), names.join(", "))
    };
    let ends = [sorted.first()?, sorted.last()?].map(|one| end(one));
    let certain =
        all.iter().filter(|one| !one.comparison.is_uncertain && !one.comparison.is_about_equal).count();
    let counted = counted(all.len(), "comparison");
    let significant = if certain == all.len() { "all".to_owned() } else { certain.to_string() };
    Some(format!(
        "{change}: {number} {}; {significant} of {counted} significant, each under the closest \
         allocator of its first machine",
        ends.join(" to ")
    ))
}
