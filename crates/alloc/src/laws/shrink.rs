//! Shrinks a history that breaks a law until no simplification breaks the law any longer.
//!
//! Delta debugging: the search plays each simpler case, and continues from the first one that breaks the same
//! law. Its order is fixed, so equal histories shrink to equal ones. First, events are left out in runs of
//! half the history, a quarter and so on (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
//! input", IEEE TSE 28(2), 2002); then come pairs of events, merged requests, smaller machines, and simpler
//! events.

use std::time::Instant;

use super::counterexample::Fault;
use super::event_source::EventSource;
use super::law::{CheckError, Law};
use super::simpler::{merged, simpler_events, smaller_machines};
use super::step::Event;
use super::subject::Subject;
use meshreplay_machine::machine::Mesh;

/// The number of events among which the first event of a pair is chosen: there are quadratically many pairs.
const PAIRS_OF: usize = 100;

/// A history on a machine.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) mesh: Mesh,
    pub(super) events: Vec<Event>,
}

/// The smallest known case, and the budget for more.
struct Search<'a> {
    subject: &'a Subject<'a>,
    law: &'a Law,
    case: Case,
    fault: Box<Fault>,
    left: usize,
    /// The end of the search; `None` for a search without a time limit.
    until: Option<Instant>,
}

/// Returns the smallest case that is found, and what goes wrong in it.
pub(super) fn shrink(subject: &Subject<'_>, law: &Law, case: Case, fault: Box<Fault>) -> (Case, Box<Fault>) {
    let until = subject.patience.map(|patience| Instant::now() + patience);
    let mut search = Search { subject, law, case, fault, left: subject.cases, until };
    while search.fewer_events() || search.smaller_machine() || search.simpler_event() {}
    (search.case, search.fault)
}

impl Search<'_> {
    /// Plays a case. Returns whether the law is broken in it, too; the search then goes on from there.
    fn accepts(&mut self, mesh: &Mesh, events: &[Event]) -> bool {
        if self.left == 0 || self.until.is_some_and(|until| Instant::now() >= until) {
            return false;
        }
        self.left -= 1;
        let mut source = EventSource::listed(self.subject, mesh, events);
        let Err(CheckError::Fault(fault)) = (self.law.check)(&mut source) else { return false };
        // Events after the fault do not belong to the case.
        self.case = Case { mesh: mesh.clone(), events: source.past };
        self.fault = fault;
        true
    }

    /// Leaves out runs of events, and pairs. Returns whether there are fewer now.
    fn fewer_events(&mut self) -> bool {
        let before = self.case.events.len();
        let mut length = before;
        while length > 0 {
            let mut first = 0;
            while first < self.case.events.len() {
                let mut events = self.case.events.clone();
                events.drain(first..(first + length).min(events.len()));
                if !self.accepts(&self.case.mesh.clone(), &events) {
                    first += length;
                }
            }
            length /= 2;
        }
        while self.without_pairs() || self.merged_requests() {}
        self.case.events.len() < before
    }

    /// Leaves out two events that are not neighbours, such as a request and the release of what it got.
    /// Returns whether there are fewer now.
    fn without_pairs(&mut self) -> bool {
        let before = self.case.events.len();
        let (mut first, mut second) = (0, 1);
        while first + 1 < self.case.events.len().min(PAIRS_OF) {
            let mut fewer = self.case.events.clone();
            if second >= fewer.len() {
                (first, second) = (first + 1, first + 2);
                continue;
            }
            fewer.remove(second);
            fewer.remove(first);
            if !self.accepts(&self.case.mesh.clone(), &fewer) {
                second += 1;
            }
        }
        self.case.events.len() < before
    }

    /// Makes one request of two.
    fn merged_requests(&mut self) -> bool {
        let Case { mesh, events } = self.case.clone();
        let few = events.len() <= PAIRS_OF;
        few && merged(&events).into_iter().any(|events| self.accepts(&mesh, &events))
    }

    fn smaller_machine(&mut self) -> bool {
        let Case { mesh, events } = self.case.clone();
        smaller_machines(&mesh, &events).into_iter().any(|(mesh, events)| self.accepts(&mesh, &events))
    }

    fn simpler_event(&mut self) -> bool {
        let Case { mesh, events } = self.case.clone();
        simpler_events(&events, &mesh).into_iter().any(|events| self.accepts(&mesh, &events))
    }
}
