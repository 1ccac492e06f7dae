//! The axes of a study and their Cartesian product: every combination of a log, rules, a machine and so on,
//! as a flat list in a fixed order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::jobs::{JobsError, asked, served};
use super::options::Options;
use super::replay_spec::{COORDINATES, Coordinate, Labels, ReplaySpec};
use meshreplay_alloc::allocator::{self, ALLOCATORS, Request, Setup, follows_lists};
use meshreplay_base::memory;
use meshreplay_base::spec::{GivenSpec, Spec, SpecError};
use meshreplay_logs::{PartitionChoice, Partitions};
use meshreplay_machine::machine::mesh::MeshError;
use meshreplay_machine::machine::node_map::NodeMapSource;
use meshreplay_machine::machine::topology::{Topology, TopologyError};
use meshreplay_machine::machine::{AutoMachine, Mesh};
use meshreplay_sim::execution::{RECORDED, has_traffic};
use meshreplay_sim::guest::Guests;
use meshreplay_sim::metrics::{Has, Needs};
use meshreplay_sim::scheduler;
use meshreplay_workload::Rules;

/// The values of each axis of a study. A study replays every combination of them.
#[derive(Clone, Debug)]
pub struct Axes {
    /// Names of the logs.
    pub logs: Vec<Arc<str>>,
    /// Partitions to replay.
    pub partitions: Vec<PartitionChoice>,
    /// Workload rules, which turn records of a log into jobs.
    pub rules: Vec<Rules>,
    /// The machines.
    pub machines: Vec<Mesh>,
    /// Machines sized by each log, with their positions among all machines, ascending.
    pub autos: Vec<(usize, AutoMachine)>,
    /// Parts of each log, with their machines; empty until the logs have been read.
    pub of_logs: Vec<Vec<LogPart>>,
    /// The schedulers.
    pub schedulers: Vec<GivenSpec>,
    /// The allocators. [`ALL`] stands for every allocator that can serve the machine.
    pub allocators: Vec<GivenSpec>,
    /// Execution models (networks), which determine run times.
    pub networks: Vec<GivenSpec>,
    /// Values of the coordinates with an [`Axis`](super::Axis), such as seeds, by name and as in content
    /// keys. Those without an entry have their default.
    pub values: AxisValues,
    /// Objects of the caller behind the specs `guest:NAME`; empty without any.
    pub guests: Guests,
}

/// Values of coordinates by the name of each: see [`Axes::values`].
pub type AxisValues = BTreeMap<&'static str, Vec<String>>;

/// The defaults of study files, without logs and machines: one value on each axis.
impl Default for Axes {
    fn default() -> Self {
        Self {
            logs: Vec::new(),
            partitions: vec![PartitionChoice::default()],
            rules: vec![Rules::default()],
            machines: Vec::new(),
            autos: Vec::new(),
            of_logs: Vec::new(),
            schedulers: vec![Spec::named("easy").into()],
            allocators: vec![Spec::named(ALL).into()],
            networks: vec![Spec::named(RECORDED).into()],
            values: AxisValues::new(),
            guests: Guests::default(),
        }
    }
}

/// A part of a log that is replayed on its own.
#[derive(Clone, Debug)]
pub struct LogPart {
    /// Partitions of its jobs; `None` for all jobs.
    pub partition: Option<Partitions>,
    /// The machines.
    pub machines: Vec<Mesh>,
}

/// Message about unavailable nodes of a machine that is not known yet.
pub const UNAVAILABLE_OF_AUTO: &str = "unavailable nodes are nodes of a machine, and machine 'auto' is known \
     only once its log is read; write the machine";

/// A machine in a command or a study file.
#[derive(Clone, Debug, PartialEq)]
pub enum MachineArg {
    /// A machine.
    Given(Mesh),
    /// A machine sized by the log.
    Auto(AutoMachine),
}

/// Writes the spelling of study files.
impl fmt::Display for MachineArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(mesh) => write!(f, "{mesh}"),
            Self::Auto(auto) => write!(f, "{auto}"),
        }
    }
}

impl MachineArg {
    /// Parses a machine. The error is in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        if AutoMachine::is_spec(text) {
            return text.parse().map(Self::Auto);
        }
        text.parse().map(Self::Given).map_err(|error: MeshError| error.to_string())
    }

    /// Splits machines into given ones and machines that logs size.
    pub fn split(machines: impl Iterator<Item = Self>) -> (Vec<Mesh>, Vec<(usize, AutoMachine)>) {
        let (mut given, mut autos) = (Vec::new(), Vec::new());
        for (place, machine) in machines.enumerate() {
            match machine {
                Self::Given(mesh) => given.push(mesh),
                Self::Auto(auto) => autos.push((place, auto)),
            }
        }
        (given, autos)
    }
}

/// Threshold of the memory check in combinations, and bytes per combination, from the axes to
/// study.json.
const MANY_COMBINATIONS: u64 = 100_000;
const COMBINATION_BYTES: u64 = 1000;

/// One combination of the product: a replay before its log is read.
#[derive(Clone, Debug)]
pub struct Combination {
    /// Position of its log in [`Axes::logs`], from 0.
    pub log: usize,
    /// The replay. The SHA-256 of the log is empty, because the log has not been read yet.
    pub spec: ReplaySpec,
    /// Whether the allocator comes from [`ALL`].
    pub of_all: bool,
}

impl Axes {
    /// Returns every combination, ordered by log, partition, rules, arrival scale, machine, scheduler,
    /// allocator, network and seed. The seed varies fastest. Other values vary with the arrival scale or the
    /// seed, as their rows stand before or behind the algorithms in the table of coordinates. Fails if a name
    /// does not exist or does not suit a machine, or if an allocator that moves running jobs meets a network
    /// that cannot move them.
    pub fn combinations(&self) -> Result<Vec<Combination>, SpecError> {
        self.check_size()?;
        if self.of_logs.is_empty() {
            let whole = LogPart { partition: None, machines: self.machines.clone() };
            return self.product(0..self.logs.len(), &whole);
        }
        let mut combinations = Vec::new();
        for (log, parts) in self.of_logs.iter().enumerate() {
            for part in parts {
                combinations.extend(self.product(log..log + 1, part)?);
            }
        }
        Ok(combinations)
    }

    /// Fails if the combinations would not fit into memory. A short file can ask for any number.
    fn check_size(&self) -> Result<(), SpecError> {
        let of_all = |given: &GivenSpec| if given.spec == Spec::named(ALL) { ALLOCATORS.len() } else { 1 };
        let combinations = [
            self.logs.len(),
            self.rules.len(),
            (self.machines.len() + self.autos.len()).max(1),
            self.schedulers.len(),
            self.allocators.iter().map(of_all).sum(),
            self.networks.len(),
        ]
        .into_iter()
        .chain(self.values.values().map(Vec::len))
        .fold(1_u64, |product, values| product.saturating_mul(values as u64));
        if combinations < MANY_COMBINATIONS {
            return Ok(());
        }
        let needed_bytes = combinations.saturating_mul(COMBINATION_BYTES);
        match memory::lacking(needed_bytes) {
            None => Ok(()),
            Some(free_bytes) => Err(SpecError::NoSuchValue {
                found: format!("{combinations} replays"),
                expected: format!(
                    "fewer, as planning them takes about {} MB of memory and {} MB are free; split the study",
                    needed_bytes / 1_000_000,
                    free_bytes / 1_000_000
                ),
            }),
        }
    }

    /// Returns whether machines or partitions depend on the content of the logs.
    pub(super) fn follow_from_logs(&self) -> bool {
        !self.autos.is_empty() || self.partitions.iter().any(PartitionChoice::is_of_some)
    }

    /// Returns the combinations of the logs at these positions with the machines of `part`.
    fn product(&self, logs: Range<usize>, part: &LogPart) -> Result<Vec<Combination>, SpecError> {
        let LogPart { partition, machines } = part;
        let mut schedulers = Vec::new();
        for GivenSpec { spec, label } in &self.schedulers {
            schedulers.push(Algorithm::new(self.guests.resolve_scheduler(spec)?, label.clone(), false));
        }
        same_labels(&mut schedulers);
        // The machine restricts allocators and networks, so each machine has its own list of pairs.
        let mut machines_served = Vec::new();
        for machine in machines {
            machines_served.push((Arc::new(machine.clone()), self.served(machine)?));
        }
        let rules: Vec<Arc<Rules>> = self.rules.iter().cloned().map(Arc::new).collect();
        let algorithms = COORDINATES.iter().position(|row| row.label.is_some()).unwrap_or(0);
        let (slow, fast) = COORDINATES.split_at(algorithms);
        let Some(first) = machines.first() else { return Ok(Vec::new()) };
        let blank = ReplaySpec {
            partition: partition.clone(),
            ..ReplaySpec::new(first.clone(), Spec::named(""), Spec::named(""))
        };
        let mut combinations = Vec::new();
        for (log, rules) in logs.flat_map(|log| rules.iter().map(move |rules| (log, rules))) {
            let name = Arc::clone(&self.logs[log]);
            let spec = ReplaySpec { log: name, rules: Arc::clone(rules), ..blank.clone() };
            for (spec, (machine, served)) in pairs(&self.varied(spec, slow)?, &machines_served) {
                for (scheduler, (allocator, network)) in pairs(&schedulers, served) {
                    let spec = ReplaySpec {
                        machine: Arc::clone(machine),
                        scheduler: Arc::clone(&scheduler.spec),
                        allocator: Arc::clone(&allocator.spec),
                        network: Arc::clone(&network.spec),
                        labels: Arc::new(Labels {
                            scheduler: scheduler.label.clone(),
                            allocator: allocator.label.clone(),
                            network: network.label.clone(),
                        }),
                        ..spec.clone()
                    };
                    let of_all = !allocator.is_typed;
                    let specs = self.varied(spec, fast)?.into_iter();
                    combinations.extend(specs.map(|spec| Combination { log, spec, of_all }));
                }
            }
        }
        Ok(combinations)
    }

    /// Returns the replay with every combination of the values of these coordinates. The last varies fastest.
    /// Fails if a value is not valid.
    fn varied(&self, spec: ReplaySpec, rows: &[Coordinate]) -> Result<Vec<ReplaySpec>, SpecError> {
        let mut specs = vec![spec];
        for (row, values) in rows.iter().filter_map(|row| Some((row, self.values.get(row.name)?))) {
            let with = |(spec, text): (&ReplaySpec, &String)| {
                let mut spec = spec.clone();
                let is_valid = (row.set)(&mut spec, text);
                let expected = || row.axis.map_or("another value", |axis| axis.expected).to_owned();
                let wrong =
                    || SpecError::NoSuchValue { found: format!("{} {text}", row.name), expected: expected() };
                is_valid.then_some(spec).ok_or_else(wrong)
            };
            specs = pairs(&specs, values).map(with).collect::<Result<_, _>>()?;
        }
        Ok(specs)
    }

    /// Returns the number of values of a coordinate.
    pub(super) fn count(&self, name: &str) -> usize {
        self.values.get(name).map_or(1, Vec::len)
    }

    /// Returns every pair of an allocator and a network that can serve `machine`.
    fn served(&self, machine: &Mesh) -> Result<Vec<(Algorithm, Algorithm)>, SpecError> {
        let mut networks: Vec<Algorithm> = Vec::new();
        for GivenSpec { spec, label } in &self.networks {
            let (spec, moves) = self.guests.resolve_network(spec, machine)?;
            // Networks that differ only in parameters of tori are equal on a mesh.
            if networks.iter().all(|other| *other.spec != spec) {
                networks.push(Algorithm::new(spec, label.clone(), moves));
            }
        }
        let mut allocators = Vec::new();
        for given in &self.allocators {
            let of_all = given.spec == Spec::named(ALL);
            for spec in expanded(&given.spec, machine) {
                let (spec, moves) = self.guests.resolve_allocator(&spec, machine)?;
                let label = if of_all { allocator::short(&spec) } else { given.label.clone() };
                allocators.push(Algorithm { is_typed: !of_all, ..Algorithm::new(spec, label, moves) });
            }
        }
        same_labels(&mut allocators);
        let mut served = Vec::new();
        for allocator in allocators {
            for network in &networks {
                if network.moves || !allocator.moves {
                    served.push((allocator.clone(), network.clone()));
                } else if allocator.is_typed {
                    let problem = format!(
                        "it moves running jobs, which network '{}' cannot; give another allocator or network \
                         '{RECORDED}'",
                        network.spec.name
                    );
                    let (owner, machine) = (allocator.spec.name.clone(), machine.to_string());
                    return Err(SpecError::Unsuited { owner, machine, problem });
                }
            }
        }
        Ok(served)
    }
}

/// An algorithm with every default written out, and its label in results.
#[derive(Clone, Debug)]
struct Algorithm {
    spec: Arc<Spec>,
    label: String,
    /// Whether the user gave the label; false for allocators of [`ALL`].
    is_typed: bool,
    /// Whether an allocator moves running jobs, or a network can move them.
    moves: bool,
}

impl Algorithm {
    fn new(spec: Spec, label: String, moves: bool) -> Self {
        Self { spec: Arc::new(spec), label, is_typed: true, moves }
    }
}

/// Gives equal specs one label: the first typed one, or else the first one. Different specs with equal labels
/// get their own texts as labels.
fn same_labels(algorithms: &mut [Algorithm]) {
    let chosen = |of: &Algorithm| {
        let same = || algorithms.iter().filter(|other| other.spec == of.spec);
        let label = same().find(|other| other.is_typed).or_else(|| same().next());
        label.map_or_else(|| of.spec.to_string(), |found| found.label.clone())
    };
    let labels: Vec<String> = algorithms.iter().map(chosen).collect();
    let is_shared = |i: usize| {
        let differs = |j: usize| algorithms[j].spec != algorithms[i].spec && labels[j] == labels[i];
        (0..labels.len()).any(differs)
    };
    let shared: Vec<bool> = (0..labels.len()).map(is_shared).collect();
    for ((algorithm, label), is_shared) in algorithms.iter_mut().zip(labels).zip(shared) {
        algorithm.label = if is_shared { algorithm.spec.to_string() } else { label };
    }
}

/// Returns all pairs. `fast` varies faster.
fn pairs<'a, S, F>(slow: &'a [S], fast: &'a [F]) -> impl Iterator<Item = (&'a S, &'a F)> {
    slow.iter().flat_map(move |one| fast.iter().map(move |other| (one, other)))
}

/// Resolves an allocator: writes every default out. Fails if it cannot serve `machine`. The result does not
/// depend on the seed.
pub(super) fn resolve(spec: &Spec, machine: &Mesh) -> Result<Spec, SpecError> {
    Ok(Guests::default().resolve_allocator(spec, machine)?.0)
}

impl Axes {
    /// Returns whether [`ALL`] is among the allocators.
    pub(super) fn ask_for_all(&self) -> bool {
        self.allocators.iter().any(|given| given.spec == Spec::named(ALL))
    }

    /// Returns the requirements of columns that at least one replay of the axes meets with `options`. Whether
    /// [`ALL`] has an allocator that follows the node lists of a log is known once the log is read; until
    /// then it counts as one.
    pub fn has(&self, options: &Options) -> Has {
        let follows =
            self.ask_for_all() || self.allocators.iter().any(|given| allocator::follows_lists(&given.spec));
        let has_recorded = self.schedulers.iter().any(|given| given.spec.name == scheduler::RECORDED);
        let is_tree = |(_, auto): &(usize, AutoMachine)| matches!(auto, AutoMachine::Tree { .. });
        let trees = self.autos.iter().any(is_tree)
            || self.all_machines().iter().any(|machine| machine.levels().is_some());
        options
            .has()
            .with(Needs::Recorded, has_recorded)
            // Of the recorded schedule only if planning finds a log of a site.
            .with(Needs::Why, options.why || has_recorded)
            .with(Needs::RecordedNodes, follows)
            .with(Needs::Trees, trees)
            .with(Needs::TreeFragmentation, trees && options.fragmentation.is_some())
            .with(Needs::Network, self.networks.iter().any(|given| has_traffic(&given.spec)))
            .with(Needs::Partitions, self.has_partitions())
            .with(Needs::Predictions, self.rules.iter().any(|rules| rules.prediction().is_some()))
    }

    /// Returns whether replays are restricted to partitions.
    pub(super) fn has_partitions(&self) -> bool {
        self.partitions.len() > 1
            || self.partitions.iter().any(PartitionChoice::is_of_some)
            || self.of_logs.iter().flatten().any(|part| part.partition.is_some())
    }

    /// Returns the known machines of all logs.
    pub(super) fn all_machines(&self) -> Vec<&Mesh> {
        if self.of_logs.is_empty() {
            return self.machines.iter().collect();
        }
        self.of_logs.iter().flatten().flat_map(|part| &part.machines).collect()
    }

    /// Returns a note for each pair of an allocator and a machine that [`ALL`] leaves out because the
    /// allocator cannot serve the machine.
    pub fn unserved(&self) -> Vec<String> {
        if !self.ask_for_all() {
            return Vec::new();
        }
        let mut notes = Vec::new();
        for note in self.all_machines().into_iter().flat_map(unserving) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }
}

// The name `all` in place of an allocator: every registered allocator that can serve the machine and all
// jobs of the log, and the recommended curve. The others are left out with a note. An allocator given by its
// own name is never left out: planning fails if it cannot serve the machine, and the workload rules decide
// about jobs that it cannot serve.

/// Stands for every allocator that can serve the machine.
pub const ALL: &str = "all";

/// The allocator on a curve that README recommends.
const RECOMMENDED: &str = "hilbert+bf";

/// Expands `spec` on `machine`: [`ALL`] to every allocator that can serve the machine, any other spec to
/// itself.
fn expanded(spec: &Spec, machine: &Mesh) -> Vec<Spec> {
    if *spec != Spec::named(ALL) {
        return vec![spec.clone()];
    }
    let serving = ALLOCATORS.iter().filter(|entry| entry.serves(machine));
    let serving = serving.map(|entry| Spec::named(entry.name));
    // A short form of the allocator `curve`, whose row of the registry has another curve and rule.
    let serves = |spec: &Spec| allocator::find(spec).is_ok_and(|(entry, _)| entry.serves(machine));
    serving.chain(RECOMMENDED.parse().ok().filter(serves)).collect()
}

/// Returns a note for each reason for which `all` leaves out allocators that cannot serve `machine`.
fn unserving(machine: &Mesh) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for entry in ALLOCATORS {
        let Some(refusal) = entry.refusal(machine) else { continue };
        match reasons.iter_mut().find(|(reason, _)| *reason == refusal) {
            Some((_, names)) => names.push(entry.name),
            None => reasons.push((refusal, vec![entry.name])),
        }
    }
    let note = |(reason, names): (String, Vec<&str>)| {
        // Reasons are sentences about one allocator, which begin with "it".
        let reason = if names.len() > 1 { reason.replacen("it ", "each ", 1) } else { reason };
        format!("all leaves out '{}' on {machine}: {reason}", names.join("', '"))
    };
    reasons.into_iter().map(note).collect()
}

/// The distinct requests of the jobs of a log.
pub(super) type Requests = BTreeSet<Request>;

/// Returns a note if `all` leaves `allocator` out of the replay of `log` on `machine`, because it finds no
/// nodes on the idle machine for one of `requests`. The note names the first such request. Requests larger
/// than the machine do not count.
pub(super) fn left_out(
    log: &str,
    requests: &Requests,
    machine: &Mesh,
    allocator: &Spec,
) -> Result<Option<String>, JobsError> {
    let built = allocator::build(allocator, &Setup::new(machine, 0))?;
    let served = served(requests.iter().copied(), machine, built);
    let refused = served.into_iter().find(|(_, fits)| !fits);
    Ok(refused.map(|(request, _)| {
        let (name, asked) = (allocator::short(allocator), asked(&request));
        format!("{log} on {machine}: all leaves out '{name}', which never finds a place for {asked}")
    }))
}

// A topology of Slurm in place of the machine `auto`: the option `--topology`, and the key `topology` of
// study files.

/// Machines of which a topology gives one, with notes on it.
#[derive(Debug)]
pub struct MachinesWithTopology {
    /// The machines.
    pub machines: Vec<MachineArg>,
    /// Notes on the topology.
    pub notes: Vec<String>,
}

/// The reason why a topology gives no machine.
#[derive(Debug, thiserror::Error)]
pub enum NoTopology {
    /// No machine is `auto`.
    #[error("a topology gives the machine 'auto'; write machine auto, or leave the topology out")]
    NoAuto,
    /// The topology cannot be read.
    #[error(transparent)]
    Unreadable(#[from] TopologyError),
}

impl MachinesWithTopology {
    /// Returns the machines with the tree of the topology at `path` in place of `auto`. Its names are the
    /// node map, if an allocator follows node lists and no other map is given. Fails if the topology cannot
    /// be read or no machine is `auto`.
    pub fn read<'a>(
        machines: &[MachineArg],
        path: &Path,
        mut allocators: impl Iterator<Item = &'a GivenSpec>,
        options: &mut Options,
    ) -> Result<Self, NoTopology> {
        let is_auto = |machine: &MachineArg| machine.to_string() == "auto";
        if !machines.iter().any(is_auto) {
            return Err(NoTopology::NoAuto);
        }
        let Topology { mesh, notes, .. } = Topology::read(path)?;
        let is_followed = allocators.any(|given| follows_lists(&given.spec) || given.spec.name == ALL);
        if options.node_map.is_none() && is_followed {
            options.node_map = Some(NodeMapSource::File(path.display().to_string()));
        }
        let what = path.display();
        let described = format!("{what}: machine 'auto' is {mesh}");
        let notes = notes.into_iter().map(|note| format!("{what}: {note}"));
        let given = |machine: &MachineArg| {
            if is_auto(machine) { MachineArg::Given(mesh.clone()) } else { machine.clone() }
        };
        let machines = machines.iter().map(given).collect();
        Ok(Self { machines, notes: std::iter::once(described).chain(notes).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_alloc::allocator::ALLOCATORS;

    fn axes() -> Result<Axes, Box<dyn std::error::Error>> {
        Ok(Axes {
            logs: vec!["a".into(), "b".into()],
            machines: vec!["4x4".parse()?, "4x4x4".parse()?],
            allocators: vec!["hilbert+bf".parse()?],
            values: [("arrival_scale", ["1", "0.5"]), ("seed", ["1", "2"])]
                .map(|(name, values)| (name, values.map(str::to_owned).to_vec()))
                .into(),
            ..Axes::default()
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
        let axes = Axes { logs: vec!["a".into()], allocators: vec![Spec::named(ALL).into()], ..axes()? };
        let points = axes.combinations()?;
        for machine in &axes.machines {
            let found = points.iter().filter(|point| *point.spec.machine == *machine).count();
            let serving = ALLOCATORS.iter().filter(|entry| entry.serves(machine)).count();
            // And the recommended curve.
            assert_eq!(found, (serving + 1) * 4, "{machine}");
        }
        Ok(())
    }

    #[test]
    fn labels_are_what_was_typed_and_one_for_each_spec() -> Result<(), Box<dyn std::error::Error>> {
        let labels = |allocators: &[&str]| -> Result<Vec<String>, Box<dyn std::error::Error>> {
            let allocators = allocators.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
            let (logs, machines) = (vec!["a".into()], vec!["4x4".parse()?]);
            let axes = Axes { logs, machines, allocators, ..Axes::default() };
            Ok(axes.combinations()?.into_iter().map(|found| found.spec.labels.allocator.clone()).collect())
        };
        assert_eq!(labels(&["mc1x1", "hilbert+bf", "mc1x1:fill=nearest"])?, ["mc1x1", "hilbert+bf", "mc1x1"]);
        // The order of parameters stays, because users search for the text that they typed.
        let typed = "curve:select=best-fit,order=hilbert";
        assert_eq!(labels(&[typed, "hilbert+bf"])?, [typed, typed]);
        let all = labels(&["all", "mc1x1:tie-break=none"])?;
        assert_eq!(all.iter().filter(|label| *label == "mc1x1:tie-break=none").count(), 2);
        assert!(all.iter().any(|label| label == "naive"));
        Ok(())
    }

    #[test]
    fn different_specs_never_share_a_label() -> Result<(), SpecError> {
        let algorithm = |spec: &str, label: &str| -> Result<Algorithm, SpecError> {
            Ok(Algorithm::new(spec.parse()?, label.to_owned(), false))
        };
        let mut all = [algorithm("a:x=1", "a")?, algorithm("a:x=2", "a")?, algorithm("b", "b")?];
        same_labels(&mut all);
        assert_eq!(all.map(|algorithm| algorithm.label), ["a:x=1", "a:x=2", "b"]);
        Ok(())
    }
}
