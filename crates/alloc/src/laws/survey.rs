//! All laws for several allocators on several machines.

use rayon::prelude::*;

use super::counterexample::Counterexample;
use super::law::{LAWS, Law};
use super::subject::Subject;
use super::trial::{Trial, Verdict};
use crate::allocator::BuildError;
use meshreplay_base::spec::SpecError;
use meshreplay_machine::machine::Mesh;

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
    /// The machines on which the law held.
    pub machines: usize,
    /// The events for which it held, those of all histories on all machines.
    pub events: usize,
    /// Whether the allocator failed on a machine before the law could be decided there.
    pub is_undecided: bool,
    /// The counterexample; `None` if the law held wherever it is promised and was decided.
    pub broken: Option<Box<Counterexample>>,
}

impl Survey<'_> {
    /// Holds every allocator to every law on the machines that it serves, until it breaks the law. Returns a
    /// finding for each allocator and law, in this order. Fails if an allocator serves none of the machines,
    /// or cannot be built for another reason. Laws are checked in parallel, which changes nothing in the
    /// findings.
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
