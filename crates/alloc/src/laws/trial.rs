//! One law on one machine, and all laws for several allocators on several machines.

use std::sync::Arc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::counterexample::Counterexample;
use super::event_source::EventSource;
use super::law::{CheckError, LAWS, Law};
use super::shrink::{Case, shrink};
use crate::allocator::{self, BuildError, Built, Setup};
use meshreplay_base::spec::{Spec, SpecError};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeLists};

/// A law, the allocator that is held to it, and how long.
pub struct Trial<'a> {
    /// The allocator.
    pub subject: &'a Subject<'a>,
    /// The law.
    pub law: &'a Law,
    /// The seed of the random histories.
    pub seed: u64,
    /// Number of random events per history. Releases that empty the machine once are extra.
    pub events: usize,
}

/// What came out of a trial.
#[derive(Debug)]
pub enum Verdict {
    /// The law held for this number of events.
    Kept(usize),
    /// The allocator failed before the law could be decided. That it failed breaks the first law.
    Undecided,
    /// The allocator does not promise it on this machine.
    NotPromised,
    /// The law is broken.
    Broken(Box<Counterexample>),
}

impl Trial<'_> {
    /// Holds the allocator to the law on a machine. Fails if the allocator does not serve it.
    pub fn on(&self, mesh: &Mesh) -> Result<Verdict, BuildError> {
        let Self { subject, law, seed, events } = *self;
        if !(law.promised)(&subject.build(mesh, &Stop::default())?, mesh) {
            return Ok(Verdict::NotPromised);
        }
        let randoms = law.mixes.iter().map(|&mix| EventSource::random(subject, mesh, mix, seed, events));
        // A law about one state has no history.
        let still = law.mixes.is_empty().then(|| EventSource::listed(subject, mesh, &[]));
        let (mut held, mut has_failed) = (0, false);
        for mut source in randoms.chain(still) {
            match (law.check)(&mut source) {
                Ok(()) => {
                    held += source.past.len().max(1);
                    has_failed |= source.has_failed();
                }
                Err(CheckError::Build(error)) => return Err(error),
                Err(CheckError::Fault(fault)) => {
                    let case = Case { mesh: mesh.clone(), events: source.past };
                    let (case, fault) = shrink(subject, law, case, fault);
                    let counterexample = Counterexample::new(&subject.name, law, case, *fault);
                    return Ok(Verdict::Broken(Box::new(counterexample)));
                }
            }
        }
        Ok(if has_failed { Verdict::Undecided } else { Verdict::Kept(held) })
    }
}

/// What is checked, and how long.
pub struct Survey<'a> {
    /// The allocators.
    pub subjects: &'a [Subject<'a>],
    /// The machines.
    pub machines: &'a [Mesh],
    /// The seed of the random histories.
    pub seed: u64,
    /// The number of events of a history.
    pub events: usize,
}

/// What came out for one allocator and one law.
#[derive(Debug)]
pub struct Finding<'a> {
    /// The name of the allocator.
    pub subject: &'a str,
    /// The law.
    pub law: &'static Law,
    /// Number of machines that were checked without a violation.
    pub machines: usize,
    /// Number of events on these machines, over all histories.
    pub events: usize,
    /// Whether the allocator failed on a machine before the law could be decided there.
    pub is_undecided: bool,
    /// The counterexample; `None` if the law held wherever it is promised and was decided.
    pub broken: Option<Box<Counterexample>>,
}

impl Survey<'_> {
    /// Checks every law for every allocator, on the machines that the allocator serves, up to the first
    /// violation. Returns a finding per allocator and law, in this order. Fails if an allocator serves no
    /// machine, or cannot be built for another reason. Laws are checked in parallel; the findings do not
    /// depend on the number of threads.
    pub fn findings(&self) -> Result<Vec<Finding<'_>>, BuildError> {
        let pairs: Vec<(&Subject<'_>, &'static Law)> =
            self.subjects.iter().flat_map(|subject| LAWS.iter().map(move |law| (subject, law))).collect();
        pairs.into_par_iter().map(|(subject, law)| self.finding(subject, law)).collect()
    }

    fn finding<'b>(&'b self, subject: &'b Subject<'b>, law: &'static Law) -> Result<Finding<'b>, BuildError> {
        let trial = Trial { subject, law, seed: self.seed, events: self.events };
        let mut finding = Finding {
            subject: &subject.name,
            law,
            machines: 0,
            events: 0,
            is_undecided: false,
            broken: None,
        };
        let (mut serves, mut refused) = (false, None);
        for mesh in self.machines {
            match trial.on(mesh) {
                Err(error @ BuildError::Spec(SpecError::Unsuited { .. })) => refused = Some(error),
                Err(error) => return Err(error),
                Ok(verdict) => {
                    serves = true;
                    match verdict {
                        Verdict::NotPromised => {}
                        Verdict::Undecided => finding.is_undecided = true,
                        Verdict::Kept(events) => {
                            finding.machines += 1;
                            finding.events += events;
                        }
                        Verdict::Broken(counterexample) => {
                            finding.broken = Some(counterexample);
                            break;
                        }
                    }
                }
            }
        }
        refused.filter(|_| !serves).map_or(Ok(finding), Err)
    }
}

/// The number of lists of nodes that jobs of histories may have.
pub(super) const LISTS: u32 = 24;

/// The seed of allocators that draw random numbers.
pub const SEED: u64 = 5;

/// Builds an allocator for a machine. Fails if the allocator does not serve the machine. An allocator that
/// cannot go on throws the switch with a reason.
type Build<'a> = Box<dyn Fn(&Mesh, &Stop) -> Result<Built, BuildError> + Send + Sync + 'a>;

/// The most cases that are played to make a history smaller. An allocator that answers within microseconds
/// needs seconds for them.
const CASES: usize = 20_000;

/// The same for programs.
const FEW_CASES: usize = 1_000;

/// How long a history of a program is made smaller, as a program that hangs takes its time limit in every
/// case.
const PATIENCE: Duration = Duration::from_secs(20);

/// Something that builds an allocator for a machine, with a name for messages.
pub struct Subject<'a> {
    /// Its name in messages.
    pub name: String,
    build: Build<'a>,
    /// The most cases that are played to make a history smaller.
    pub(super) cases: usize,
    /// The time limit for shrinking; `None` for none.
    pub(super) patience: Option<Duration>,
}

impl<'a> Subject<'a> {
    /// Returns a subject that builds by `build`. The switch is that of the history: an allocator that cannot
    /// go on throws it with [`Stop::fail`], which breaks the first law.
    pub fn new(
        name: impl Into<String>,
        build: impl Fn(&Mesh, &Stop) -> Result<Built, BuildError> + Send + Sync + 'a,
    ) -> Self {
        Self { name: name.into(), build: Box::new(build), cases: CASES, patience: None }
    }

    /// Returns the subject of a registered allocator.
    pub fn of_spec(spec: &Spec) -> Self {
        let (name, spec) = (spec.to_string(), spec.clone());
        Self::new(name, move |mesh, _| {
            let lists = Arc::new(random_node_lists(mesh));
            let setup = Setup::new(mesh, SEED).with_lists(Some(&lists));
            Ok(allocator::build(&spec, &setup)?)
        })
    }

    /// Returns the subject of a program. As one is started for every case, histories are made smaller by
    /// fewer cases, and not for long.
    pub fn of_program(
        name: impl Into<String>,
        build: impl Fn(&Mesh, &Stop) -> Result<Built, BuildError> + Send + Sync + 'a,
    ) -> Self {
        Self { cases: FEW_CASES, patience: Some(PATIENCE), ..Self::new(name, build) }
    }

    /// Builds a new allocator for a machine. Fails if the allocator does not serve it.
    pub fn build(&self, mesh: &Mesh, stop: &Stop) -> Result<Built, BuildError> {
        (self.build)(mesh, stop)
    }
}

/// Returns random lists of recorded nodes for the jobs of histories. Their lengths seldom match the jobs, and
/// some are empty.
pub fn random_node_lists(mesh: &Mesh) -> NodeLists {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    NodeLists::new((0..LISTS).map(|list| {
        let length = rng.random_range(0..=mesh.nodes().div_ceil(1 + list % 4));
        (list, (0..length).map(|_| rng.random_range(0..mesh.nodes())).collect())
    }))
}
