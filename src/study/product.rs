//! The product of what a study or a command line lists: a flat list of points in a fixed order.

use super::all::{ALL, unserving, written_out};
use super::cell::Cell;
use super::source::JobSource;
use crate::allocator::{self, Setup};
use crate::execution::{self, RECORDED};
use crate::machine::Mesh;
use crate::scheduler;
use crate::spec::{Spec, SpecError};
use crate::workload::Rules;

/// What is multiplied.
#[derive(Clone, Debug)]
pub struct Axes {
    /// Number of logs.
    pub logs: usize,
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

/// One point of the product, everything resolved but the jobs.
#[derive(Clone, Debug)]
pub struct Point {
    /// Position of the log.
    pub log: usize,
    /// How records become jobs.
    pub rules: Rules,
    /// What arrival times are multiplied by.
    pub arrival_scale: f64,
    /// The machine.
    pub machine: Mesh,
    /// The scheduler, with every default written out.
    pub scheduler: Spec,
    /// The allocator, with every default written out.
    pub allocator: Spec,
    /// How long jobs run, with every default written out.
    pub network: Spec,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the allocator was asked for as one of all, and not by its name.
    pub of_all: bool,
}

impl Axes {
    /// Every combination: by log, then rules, arrival scale, machine, scheduler, allocator, network, seed; the last varies
    /// fastest.
    pub fn points(&self) -> Result<Vec<Point>, SpecError> {
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
                    let (allocator, spec) = allocator::build(&spec, &setup)?;
                    for network in &networks {
                        if network.moves || !allocator.rearranges() {
                            served.push((spec.clone(), network.spec.clone(), *given == Spec::named(ALL)));
                        } else if *given != Spec::named(ALL) {
                            return Err(network.cannot_move(&spec, machine));
                        }
                    }
                }
            }
            allocators.push((machine, served));
        }
        let mut points = Vec::new();
        for log in 0..self.logs {
            for rules in &self.rules {
                for &arrival_scale in &self.arrival_scales {
                    for (machine, served) in &allocators {
                        let point = |scheduler: &Spec,
                                     (allocator, network, of_all): &(Spec, Spec, bool),
                                     seed: u64| Point {
                            log,
                            rules: rules.clone(),
                            arrival_scale,
                            machine: (*machine).clone(),
                            scheduler: scheduler.clone(),
                            allocator: allocator.clone(),
                            network: network.clone(),
                            seed,
                            of_all: *of_all,
                        };
                        for scheduler in &schedulers {
                            for pair in served {
                                points.extend(self.seeds.iter().map(|&seed| point(scheduler, pair, seed)));
                            }
                        }
                    }
                }
            }
        }
        Ok(points)
    }
}

/// An execution model of a study.
struct Network {
    spec: Spec,
    /// Whether running jobs can be moved.
    moves: bool,
}

impl Network {
    /// With every default written out; fails if it cannot serve `machine`.
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

/// The allocator with every default written out; fails if it cannot serve `machine`. What it resolves to does not
/// depend on the seed.
pub(super) fn resolve(spec: &Spec, machine: &Mesh) -> Result<Spec, SpecError> {
    Ok(allocator::build(spec, &Setup { mesh: machine, seed: 0 })?.1)
}

impl Axes {
    /// What `all` leaves out because it cannot serve a machine: a note for each allocator and machine.
    pub fn unserved(&self) -> Vec<String> {
        if !self.allocators.contains(&Spec::named(ALL)) {
            return Vec::new();
        }
        self.machines.iter().flat_map(unserving).collect()
    }
}

impl Point {
    /// Whether both replay the same jobs, but for those that a machine cannot hold.
    pub fn same_jobs(&self, other: &Self) -> bool {
        let scales = [self, other].map(|point| point.arrival_scale.to_bits());
        self.log == other.log && self.rules == other.rules && scales[0] == scales[1]
    }

    /// The point in words; points that replay the same have the same.
    pub fn label(&self) -> String {
        let Self { log, rules, arrival_scale, machine, scheduler, allocator, network, seed, of_all: _ } =
            self;
        format!(
            "log {log}, {rules}, {arrival_scale}, {machine}, {scheduler}, {allocator}, {network}, seed {seed}"
        )
    }

    /// The cell that replays the jobs of the log `name`.
    pub fn cell(&self, name: &str, sha256: &str, source: JobSource) -> Cell {
        Cell {
            log: name.to_owned(),
            log_sha256: sha256.to_owned(),
            rules: self.rules.to_string(),
            arrival_scale: self.arrival_scale,
            machine: self.machine.clone(),
            scheduler: self.scheduler.clone(),
            allocator: self.allocator.clone(),
            network: self.network.clone(),
            seed: self.seed,
            source,
            oversize: self.rules.oversize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::ALLOCATORS;

    fn axes() -> Result<Axes, Box<dyn std::error::Error>> {
        Ok(Axes {
            logs: 2,
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
        let points = axes()?.points()?;
        let label = |p: &Point| format!("{} {} {} {}", p.log, p.arrival_scale, p.machine, p.seed);
        let found: Vec<String> = points.iter().take(6).map(label).collect();
        assert_eq!(
            found,
            ["0 1 4x4 1", "0 1 4x4 2", "0 1 4x4x4 1", "0 1 4x4x4 2", "0 0.5 4x4 1", "0 0.5 4x4 2"]
        );
        assert_eq!(points.len(), 16);
        assert_eq!(points[0].allocator.to_string(), "curve:order=hilbert,select=best-fit");
        Ok(())
    }

    #[test]
    fn all_is_every_allocator_that_serves_the_machine() -> Result<(), Box<dyn std::error::Error>> {
        let axes = Axes { logs: 1, allocators: vec![Spec::named(ALL)], ..axes()? };
        let points = axes.points()?;
        for machine in &axes.machines {
            let found = points.iter().filter(|point| point.machine == *machine).count();
            let serving = ALLOCATORS.iter().filter(|entry| entry.serves(machine)).count();
            assert_eq!(found, serving * 4, "{machine}");
        }
        Ok(())
    }
}
