//! One law on one machine.

use super::counterexample::Counterexample;
use super::course::Course;
use super::law::{Broken, Law};
use super::shrink::{Case, shrunk};
use super::subject::Subject;
use crate::allocator::BuildError;
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
    /// The number of events of a history. Those that empty the machine once come on top.
    pub events: usize,
}

/// What came out of a trial.
#[derive(Debug)]
pub enum Verdict {
    /// The law held for so many events.
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
        let randoms = law.mixes.iter().map(|&mix| Course::random(subject, mesh, mix, seed, events));
        // A law about one state has no history.
        let still = law.mixes.is_empty().then(|| Course::listed(subject, mesh, &[]));
        let (mut held, mut has_failed) = (0, false);
        for mut course in randoms.chain(still) {
            match (law.check)(&mut course) {
                Ok(()) => {
                    held += course.given.len().max(1);
                    has_failed |= course.has_failed();
                }
                Err(Broken::Build(error)) => return Err(error),
                Err(Broken::Fault(fault)) => {
                    let case = Case { mesh: mesh.clone(), events: course.given };
                    let (case, fault) = shrunk(subject, law, case, fault);
                    let counterexample = Counterexample::new(&subject.name, law, case, *fault);
                    return Ok(Verdict::Broken(Box::new(counterexample)));
                }
            }
        }
        Ok(if has_failed { Verdict::Undecided } else { Verdict::Kept(held) })
    }
}
