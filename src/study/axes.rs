//! The product of what a study or a command line lists: a flat list of combinations in a fixed order.

use super::all::{ALL, unserving, written_out};
use super::replay_spec::ReplaySpec;
use crate::allocator::{self, Built, Setup};
use crate::execution::{self, RECORDED};
use crate::machine::Mesh;
use crate::scheduler;
use crate::spec::{Spec, SpecError};
use crate::workload::Rules;

/// What is multiplied.
#[derive(Clone, Debug)]
pub struct Axes {
    /// Names of the logs.
    pub logs: Vec<String>,
    /// How records become jobs.
    pub rules: Vec<Rules>,
    /// What arrival times are multiplied by.
    pub arrival_scales: Vec<f64>,
    /// Machines.
    pub machines: Vec<Mesh>,
    /// Schedulers.
    pub schedulers: Vec<Spec>,
    /// Allocators; [`ALL`] is every one that serves the machine.
    pub allocators: Vec<Spec>,
    /// How long jobs run.
    pub networks: Vec<Spec>,
    /// Seeds.
    pub seeds: Vec<u64>,
}

/// One combination of the product.
#[derive(Clone, Debug)]
pub struct Combination {
    /// Position of the log.
    pub log: usize,
    /// What is replayed; the SHA-256 of its log is empty, for the log has not been read yet.
    pub spec: ReplaySpec,
    /// Whether the allocator was asked for as one of all, and not by its name.
    pub of_all: bool,
}

impl Axes {
    /// Returns every combination: by log, then rules, arrival scale, machine, scheduler, allocator, network, seed; the
    /// last varies fastest.
    pub fn combinations(&self) -> Result<Vec<Combination>, SpecError> {
        let mut schedulers = Vec::new();
        for spec in &self.schedulers {
            schedulers.push(scheduler::build(spec)?.1);
        }
        let mut allocators = Vec::new();
        for machine in &self.machines {
            let mut networks = Vec::new();
            for spec in &self.networks {
                networks.push(Network::on(machine, spec)?);
            }
            let mut served = Vec::new();
            for given in &self.allocators {
                for spec in written_out(given, machine) {
                    let setup = Setup { mesh: machine, seed: 0 };
                    let Built { spec, strategy, .. } = allocator::build(&spec, &setup)?;
                    for network in &networks {
                        if network.moves || !strategy.moves_jobs {
                            served.push((spec.clone(), network.spec.clone(), *given == Spec::named(ALL)));
                        } else if *given != Spec::named(ALL) {
                            return Err(network.cannot_move(&spec, machine));
                        }
                    }
                }
            }
            allocators.push((machine, served));
        }
        let mut found = Vec::new();
        for (log, name) in self.logs.iter().enumerate() {
            for (rules, &arrival_scale) in pairs(&self.rules, &self.arrival_scales) {
                for (machine, served) in &allocators {
                    for (scheduler, (allocator, network, of_all)) in pairs(&schedulers, served) {
                        found.extend(self.seeds.iter().map(|&seed| Combination {
                            log,
                            spec: ReplaySpec {
                                log: name.clone(),
                                log_sha256: String::new(),
                                rules: rules.clone(),
                                arrival_scale,
                                machine: (*machine).clone(),
                                scheduler: scheduler.clone(),
                                allocator: allocator.clone(),
                                network: network.clone(),
                                seed,
                            },
                            of_all: *of_all,
                        }));
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Returns every pair of an element of `slow` and one of `fast`; the latter varies faster.
fn pairs<'a, S, F>(slow: &'a [S], fast: &'a [F]) -> impl Iterator<Item = (&'a S, &'a F)> {
    slow.iter().flat_map(move |one| fast.iter().map(move |other| (one, other)))
}

/// An execution model of a study.
struct Network {
    spec: Spec,
    /// Whether running jobs can be moved.
    moves: bool,
}

impl Network {
    /// Returns the model with every default written out; fails if it cannot serve `machine`.
    fn on(machine: &Mesh, spec: &Spec) -> Result<Self, SpecError> {
        let (model, spec) = execution::build(spec, &execution::Setup { mesh: machine, jobs: 0, seed: 0 })?;
        Ok(Self { spec, moves: model.postpones() })
    }

    fn cannot_move(&self, allocator: &Spec, machine: &Mesh) -> SpecError {
        let problem = format!(
            "it moves running jobs, which network '{}' cannot; give another allocator or network '{RECORDED}'",
            self.spec.name
        );
        SpecError::Unsuited { owner: allocator.name.clone(), machine: machine.to_string(), problem }
    }
}

/// Returns the allocator with every default written out; fails if it cannot serve `machine`. What it resolves to does
/// not depend on the seed.
pub(super) fn resolve(spec: &Spec, machine: &Mesh) -> Result<Spec, SpecError> {
    Ok(allocator::build(spec, &Setup { mesh: machine, seed: 0 })?.spec)
}

impl Axes {
    /// Returns whether every allocator is asked for, by [`ALL`].
    pub(super) fn ask_for_all(&self) -> bool {
        self.allocators.contains(&Spec::named(ALL))
    }

    /// Returns a note for each allocator and machine that `all` leaves out because the one cannot serve the other.
    pub fn unserved(&self) -> Vec<String> {
        if !self.ask_for_all() {
            return Vec::new();
        }
        self.machines.iter().flat_map(unserving).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::ALLOCATORS;

    fn axes() -> Result<Axes, Box<dyn std::error::Error>> {
        Ok(Axes {
            logs: vec!["a".to_owned(), "b".to_owned()],
            rules: vec![Rules::default()],
            arrival_scales: vec![1.0, 0.5],
            machines: vec!["4x4".parse()?, "4x4x4".parse()?],
            schedulers: vec!["fcfs".parse()?],
            allocators: vec!["hilbert+bf".parse()?],
            networks: vec![Spec::named(RECORDED)],
            seeds: vec![1, 2],
        })
    }

    #[test]
    fn the_last_axis_varies_fastest() -> Result<(), Box<dyn std::error::Error>> {
        let points = axes()?.combinations()?;
        let label = |p: &Combination| {
            format!("{} {} {} {}", p.log, p.spec.arrival_scale, p.spec.machine, p.spec.seed)
        };
        let found: Vec<String> = points.iter().take(6).map(label).collect();
        assert_eq!(
            found,
            ["0 1 4x4 1", "0 1 4x4 2", "0 1 4x4x4 1", "0 1 4x4x4 2", "0 0.5 4x4 1", "0 0.5 4x4 2"]
        );
        assert_eq!(points.len(), 16);
        assert_eq!(points[0].spec.allocator.to_string(), "curve:order=hilbert,select=best-fit");
        Ok(())
    }

    #[test]
    fn all_is_every_allocator_that_serves_the_machine() -> Result<(), Box<dyn std::error::Error>> {
        let axes = Axes { logs: vec!["a".to_owned()], allocators: vec![Spec::named(ALL)], ..axes()? };
        let points = axes.combinations()?;
        for machine in &axes.machines {
            let found = points.iter().filter(|point| point.spec.machine == *machine).count();
            let serving = ALLOCATORS.iter().filter(|entry| entry.serves(machine)).count();
            assert_eq!(found, serving * 4, "{machine}");
        }
        Ok(())
    }
}
