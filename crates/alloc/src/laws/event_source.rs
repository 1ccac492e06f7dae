//! The source of events for a check: random events that suit the state of a history, or a list.

use std::cell::RefCell;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::history::{Event, History};
use super::trial::{LISTS, Subject};
use crate::allocator::{BuildError, Request};
use meshreplay_base::job::Shape;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeId};

/// The kind of a random history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mix {
    /// Jobs come and go.
    Jobs,
    /// Every second event is a request whose answer is not carried out.
    Asks,
    /// Other holders take scattered nodes, as often as jobs do. Now and then the allocator is only asked.
    Shared,
    /// Single nodes go down and come up. Nodes that are down count as taken by another holder.
    Outages,
}

/// The events of one check, and the histories of its allocators.
pub(super) struct EventSource<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) mesh: &'a Mesh,
    /// All events up to now.
    pub(super) past: Vec<Event>,
    origin: Origin<'a>,
    /// The switches of the histories.
    stops: RefCell<Vec<Stop>>,
}

enum Origin<'a> {
    Random(Box<Random>),
    Listed(&'a [Event]),
}

struct Random {
    mix: Mix,
    rng: ChaCha8Rng,
    events: usize,
    /// Number of random events up to now, without the releases that empty the machine.
    counted: usize,
    phase: Phase,
}

/// The machine is emptied once, after two thirds of the events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    Emptying,
    After,
}

impl<'a> EventSource<'a> {
    /// Returns a random history of `events` events. After two thirds of them the machine is emptied once.
    pub(super) fn random(
        subject: &'a Subject<'a>,
        mesh: &'a Mesh,
        mix: Mix,
        seed: u64,
        events: usize,
    ) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let random = Random { mix, rng, events, counted: 0, phase: Phase::Before };
        Self::new(subject, mesh, Origin::Random(Box::new(random)))
    }

    /// Returns a source with these events.
    pub(super) fn listed(subject: &'a Subject<'a>, mesh: &'a Mesh, events: &'a [Event]) -> Self {
        Self::new(subject, mesh, Origin::Listed(events))
    }

    fn new(subject: &'a Subject<'a>, mesh: &'a Mesh, origin: Origin<'a>) -> Self {
        Self { subject, mesh, past: Vec::new(), origin, stops: RefCell::default() }
    }

    /// Builds a new allocator and begins its history. Fails if the allocator does not serve the machine.
    pub(super) fn history(&self) -> Result<History, BuildError> {
        let history = History::new(self.subject, self.mesh)?;
        self.stops.borrow_mut().push(history.stop().clone());
        Ok(history)
    }

    /// Returns true if an allocator has failed, so that its history could not go on.
    pub(super) fn has_failed(&self) -> bool {
        self.stops.borrow().iter().any(|stop| stop.reason().is_some())
    }

    /// Returns the next event; `None` if there are no more. Random events suit the state of `history`.
    pub(super) fn next(&mut self, history: &History) -> Option<Event> {
        let event = match &mut self.origin {
            Origin::Listed(events) => events.get(self.past.len()).cloned()?,
            Origin::Random(random) => random.next(history)?,
        };
        self.past.push(event.clone());
        Some(event)
    }
}

impl Random {
    fn next(&mut self, history: &History) -> Option<Event> {
        if self.phase == Phase::Before && self.counted * 3 >= self.events * 2 {
            self.phase = Phase::Emptying;
        }
        if self.phase == Phase::Emptying {
            if history.held() > 0 {
                return Some(self.release(history));
            }
            self.phase = Phase::After;
        }
        if self.counted >= self.events {
            return None;
        }
        self.counted += 1;
        Some(match self.mix {
            Mix::Jobs => self.job(history),
            Mix::Asks => self.ask_or_job(history),
            Mix::Shared => self.shared(history),
            Mix::Outages => self.outage(history),
        })
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.rng.random_range(0..bound.max(1))
    }

    fn release(&mut self, history: &History) -> Event {
        Event::Release(self.below(history.held() as u32))
    }

    /// Mostly requests while the machine is empty, mostly releases while it is full.
    fn job(&mut self, history: &History) -> Event {
        let nodes = history.machine.mesh().nodes();
        if history.held() > 0 && self.below(nodes + 1) >= history.machine.free_count() {
            return self.release(history);
        }
        Event::Request(self.request(history.machine.mesh()))
    }

    /// A request of any kind: a row, sides, or a number. It can be larger than the machine.
    fn request(&mut self, mesh: &Mesh) -> Request {
        let nodes = mesh.nodes();
        let largest = if self.below(4) == 0 { nodes } else { nodes.div_ceil(4) };
        let procs = 1 + self.below(largest);
        let request = match self.below(6) {
            0 => Request { shape: Shape::Row, ..Request::of(procs) },
            1 => Request { shape: Shape::PowersOfTwo, ..Request::of(procs) },
            // Sides up to one more than the machine has.
            2 | 3 => Request::sides(mesh.extents().map(|extent| 1 + self.below(extent + 1))),
            _ => Request::of(procs),
        };
        // Two of three jobs have a recorded list of nodes.
        Request { nodes: Some(procs % (LISTS * 3 / 2)), ..request }
    }

    /// A request for any number of nodes that are free.
    fn ask(&mut self, history: &History) -> Event {
        Event::Ask(Request::of(1 + self.below(history.machine.free_count())))
    }

    fn ask_or_job(&mut self, history: &History) -> Event {
        if self.counted % 2 == 1 { self.ask(history) } else { self.job(history) }
    }

    fn shared(&mut self, history: &History) -> Event {
        let free = history.machine.free_count();
        match self.below(16) {
            0 => self.ask(history),
            1..8 if free > 0 => {
                let count = 1 + self.below(free.div_ceil(3));
                Event::Take(self.drawn(history, count))
            }
            _ => self.job(history),
        }
    }

    fn outage(&mut self, history: &History) -> Event {
        let down = history.held_by_others();
        match self.below(6) {
            0 if history.machine.free_count() > 0 => Event::Take(self.drawn(history, 1)),
            1 if !down.is_empty() => Event::Release(down[self.below(down.len() as u32) as usize]),
            _ => self.job(history),
        }
    }

    /// Returns `count` different free nodes in random order.
    fn drawn(&mut self, history: &History, count: u32) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = history.machine.free().iter().collect();
        for i in 0..count {
            let j = i + self.below(nodes.len() as u32 - i);
            nodes.swap(i as usize, j as usize);
        }
        nodes.truncate(count as usize);
        nodes
    }
}
