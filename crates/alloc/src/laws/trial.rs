//! One law on one machine, and all laws for several allocators on several machines.

use rayon::prelude::*;

use super::counterexample::Counterexample;
use super::event_source::EventSource;
use super::law::{CheckError, LAWS, Law};
use super::shrink::{Case, shrink};
use super::subject::Subject;
use crate::allocator::BuildError;
use meshreplay_base::spec::SpecError;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::Mesh;

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
