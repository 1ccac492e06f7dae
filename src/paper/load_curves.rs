//! Curves over the load: what becomes of a workload model on a network as its jobs arrive at higher rates.

use super::comparisons::{Comparisons, Relation};
use super::evidence::{At, Evidence};
use super::figure::MODEL;
use super::item::Item;
use crate::execution::{self, Setup};
use crate::machine::Mesh;
use crate::metrics::Interval;
use crate::spec::Spec;
use crate::workload::Synthetic;

/// The machine of all experiments but one.
pub(super) const MACHINE: &str = "16x16";

/// A load, as jobs per cycle, and its workload.
#[derive(Clone, Debug)]
pub(super) struct Load {
    pub(super) rate: f64,
    log: String,
}

/// The curves of one network and one kind of workloads, by load.
pub(super) struct LoadCurves<'a> {
    found: &'a Evidence,
    machine: &'static str,
    network: String,
    pub(super) loads: Vec<Load>,
}

/// A network as results name it, with every default written out.
pub(super) fn resolved(network: &str) -> Option<String> {
    let mesh: Mesh = "1".parse().ok()?;
    let setup = Setup { mesh: &mesh, jobs: 0, seed: 0 };
    Some(execution::build(&network.parse().ok()?, &setup).ok()?.1.to_string())
}

impl<'a> LoadCurves<'a> {
    /// What was measured over a network with sides of this law; nothing if the network means nothing.
    pub(super) fn new(found: &'a Evidence, network: &str, sides: &str) -> Self {
        Self::on(MACHINE, found, network, sides)
    }

    /// The same on another machine.
    pub(super) fn on(machine: &'static str, found: &'a Evidence, network: &str, sides: &str) -> Self {
        let network = resolved(network).unwrap_or_default();
        let load = |log: &str| -> Option<Load> {
            let model = Synthetic::new(&log.parse::<Spec>().ok()?).ok()?;
            let mesh: Mesh = machine.parse().ok()?;
            let is_kind = model.spec().params.get("sides").is_some_and(|law| law == sides);
            is_kind.then(|| Load { rate: model.rate(mesh.extents()), log: log.to_owned() })
        };
        let mut loads: Vec<Load> = found.logs_over(&network).into_iter().filter_map(load).collect();
        loads.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        Self { found, machine, network, loads }
    }

    fn at<'b>(&'b self, load: &'b Load, allocator: &'b str) -> At<'b> {
        At {
            dataset: MODEL,
            machine: self.machine,
            log: &load.log,
            scheduler: "fcfs",
            allocator,
            network: &self.network,
            ..At::default()
        }
    }

    /// The load of this rate.
    pub(super) fn load(&self, rate: f64) -> Option<&Load> {
        self.loads.iter().find(|load| (load.rate - rate).abs() < 1e-9)
    }

    /// The mean of a column.
    pub(super) fn value(&self, load: &Load, allocator: &str, column: &str) -> Option<f64> {
        self.found.value(self.at(load, allocator), column)
    }

    /// The mean of one allocator by that of another, over common workloads.
    pub(super) fn ratio(&self, load: &Load, (a, b): (&str, &str), column: &str) -> Option<f64> {
        let (a, b, _) = self.found.pair(self.at(load, a), self.at(load, b), column)?;
        (b > 0.0).then(|| a / b)
    }

    /// The mean of a column with its confidence interval.
    pub(super) fn interval(&self, load: &Load, allocator: &str, column: &str) -> Option<Interval> {
        self.found.interval(self.at(load, allocator), column)
    }

    /// That ratio with its confidence interval.
    pub(super) fn ratio_within(&self, load: &Load, (a, b): (&str, &str), column: &str) -> Option<Interval> {
        ratio_of(&self.found.interleaved(self.at(load, a), self.at(load, b), &[column]))
    }

    /// That ratio at every load.
    pub(super) fn ratios(&self, pair: (&str, &str), column: &str) -> Vec<(f64, f64)> {
        let ratio = |load: &Load| Some((load.rate, self.ratio(load, pair, column)?));
        self.loads.iter().filter_map(ratio).collect()
    }

    /// Every point of the curves of a column, times `factor`, with its confidence interval.
    pub(super) fn points(&self, allocators: &[&str], column: &str, (unit, factor): (&str, f64)) -> Vec<Item> {
        let mut items = Vec::new();
        for allocator in allocators {
            for load in &self.loads {
                let Some(mut interval) = self.found.interval(self.at(load, allocator), column) else {
                    continue;
                };
                interval.mean *= factor;
                interval.half_width *= factor;
                let rate = load.rate.to_string();
                let item = Item::new(&format!("{allocator}, {unit}, load {rate}"), &load.log, self.machine);
                items.push(item.measured_within(interval).on_curve(allocator, "load", &rate));
            }
        }
        items
    }

    /// The fact that allocators lie so to others at these loads, which it names; over the seeds that both have.
    pub(super) fn lie(
        &self,
        fact: &str,
        (relation, pairs): (Relation, &[(&str, &str)]),
        column: &str,
        loads: &[Load],
    ) -> Option<Item> {
        let mut comparisons = Comparisons::default();
        for &(low, high) in pairs {
            for load in loads {
                let pair = self.found.pair(self.at(load, low), self.at(load, high), column);
                if let Some(pair) = pair {
                    comparisons.lie(relation, (&format!("{low} at {}", load.rate), high), pair);
                }
            }
        }
        comparisons.item(&self.named(fact, loads), "", self.machine)
    }

    /// A fact with the loads that it is about, unless it is about all.
    pub(super) fn named(&self, fact: &str, loads: &[Load]) -> String {
        let rates: Vec<String> = loads.iter().map(|load| load.rate.to_string()).collect();
        if loads.len() == self.loads.len() {
            format!("{fact}, at every load")
        } else {
            format!("{fact}, at {}", rates.join(", "))
        }
    }
}

/// The ratio of the means of pairs; `None` if the second ones are 0. Its interval is that of the mean of what is left of
/// the first ones if the ratio of the second ones is taken away.
fn ratio_of(pairs: &[(f64, f64)]) -> Option<Interval> {
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let (first, second) = (mean(|pair| pair.0), mean(|pair| pair.1));
    if second <= 0.0 {
        return None;
    }
    let ratio = first / second;
    let rests: Vec<f64> = pairs.iter().map(|(a, b)| (a - ratio * b) / second).collect();
    Some(Interval { mean: ratio, ..Interval::of(&rests)? })
}

/// The loads at which a ratio is `target`, between two loads by a straight line.
pub(super) fn crossings(ratios: &[(f64, f64)], target: f64) -> Vec<f64> {
    let crosses = |step: &[(f64, f64)]| {
        let ((from, a), (to, b)) = (step[0], step[1]);
        ((a > target) != (b > target)).then(|| from + (a - target) / (a - b) * (to - from))
    };
    ratios.windows(2).filter_map(crosses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_pairs_is_as_certain_as_what_they_do_not_share() {
        let ratio = ratio_of(&[(1.0, 2.0), (2.0, 4.0), (30.0, 60.0)]).unwrap_or_default();
        assert!((ratio.mean - 0.5).abs() < 1e-12 && ratio.half_width < 1e-12, "{ratio:?}");
        // The rests are 0.1, -0.2 and 0.1 of a mean of 2; 4.303 is the quantile for 2 degrees of freedom.
        let ratio = ratio_of(&[(1.1, 2.0), (0.8, 2.0), (1.1, 2.0)]).unwrap_or_default();
        let expected = 4.302_653 * (0.03_f64 / 4.0 / 3.0).sqrt();
        assert!((ratio.mean - 0.5).abs() < 1e-12 && (ratio.half_width - expected).abs() < 1e-6, "{ratio:?}");
        assert_eq!((ratio_of(&[]), ratio_of(&[(1.0, 0.0)])), (None, None));
    }

    #[test]
    fn a_ratio_is_met_as_often_as_it_crosses_the_target() {
        let near = |found: Vec<f64>, expected: &[f64]| {
            found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        let ratios = [(1.0, 0.8), (2.0, 0.4), (3.0, 0.4), (5.0, 0.6)];
        assert!(near(crossings(&ratios, 0.5), &[1.75, 4.0]));
        assert!(near(crossings(&ratios, 0.3), &[]) && near(crossings(&ratios, 0.4), &[2.0, 3.0]));
    }
}
