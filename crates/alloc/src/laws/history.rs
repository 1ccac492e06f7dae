//! A history of one allocator: the caller's side of the contract, carried out faithfully.

use std::fmt;

use super::counterexample::{Fault, Proposal};
use super::trial::Subject;
use crate::allocator::{BuildError, Built, NodesFor, Placement, Promises, Request, Strategy};
use meshreplay_base::job::Shape;
use meshreplay_base::stop::Stop;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Machine, Mesh, NodeId, OccupyError, intervals};

/// An allocator, and the machine with its current placements.
pub struct History {
    /// The machine, with the nodes that are free now.
    pub machine: Machine,
    held: Vec<HeldPlacement>,
    strategy: Strategy,
    promises: Promises,
    steps: Vec<Step>,
    /// The number of placements that were carried out.
    placed: usize,
    /// The switch that the allocator throws if it cannot go on.
    stop: Stop,
}

/// What an allocator answers to a request, and what was known before.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The request.
    pub request: Request,
    /// The number of nodes that were free.
    pub free: u32,
    /// Number of nodes that the strategy announced for the placement.
    pub takes: NodesFor,
    /// The proposal; `None` if the allocator refuses.
    pub placement: Option<Placement>,
    /// Why the allocator cannot go on, in its words; `None` if it can.
    pub failure: Option<String>,
}

impl Answer {
    /// Returns what is wrong with the size of the placement; `None` if nothing is, or if there is none.
    pub(super) fn wrong_size(&self, promises: Promises) -> Option<String> {
        let (procs, takes) = (self.request.procs, self.takes);
        let nodes = self.placement.as_ref()?.nodes.len();
        if procs > self.free {
            let asked = counted(procs, "processor");
            return Some(format!("{} for {asked} with {} free", counted(nodes, "node"), self.free));
        }
        if nodes < procs as usize || (promises.exact && nodes != procs as usize) {
            return Some(format!("{} for {}", counted(nodes, "node"), counted(procs, "processor")));
        }
        let foretold = takes.least as usize..=takes.most as usize;
        let problem =
            || format!("{}, where {} to {} were foretold", counted(nodes, "node"), takes.least, takes.most);
        (!foretold.contains(&nodes)).then(problem)
    }

    /// Returns what is wrong with a refusal; `None` if nothing is, or if the request is not refused.
    pub(super) fn wrong_refusal(&self, promises: Promises) -> Option<String> {
        let needed = self.takes.least.max(self.request.procs);
        let is_refused = self.placement.is_none() && self.failure.is_none();
        let is_wrong = promises.complete && is_refused && self.free >= needed;
        let problem = || format!("refused, though {} are free and the request takes {needed}", self.free);
        is_wrong.then(problem)
    }
}

impl History {
    /// Builds a new allocator for an idle machine. Fails if the allocator does not serve the machine.
    pub fn new(subject: &Subject<'_>, mesh: &Mesh) -> Result<Self, BuildError> {
        let stop = Stop::default();
        let Built { strategy, promises, .. } = subject.build(mesh, &stop)?;
        let machine = Machine::new(mesh.clone()).with_stop(stop.clone());
        let (held, steps) = (Vec::new(), Vec::new());
        Ok(Self { machine, held, strategy, promises, steps, placed: 0, stop })
    }

    /// Returns the promises of the allocator.
    pub fn promises(&self) -> Promises {
        self.promises
    }

    /// Returns the switch that the allocator throws if it cannot go on.
    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Returns the number of placements on the machine, of jobs and of other holders.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// Returns the positions of the placements of other holders than jobs.
    pub(super) fn held_by_others(&self) -> Vec<u32> {
        (0..self.held.len() as u32).filter(|&i| !self.held[i as usize].is_job).collect()
    }

    /// Returns what the allocator chooses now. Nothing is carried out.
    pub fn ask(&mut self, request: &Request) -> Answer {
        let (free, mesh) = (self.machine.free_count(), self.machine.mesh());
        let takes = self.strategy.nodes_for(request, mesh);
        let placement = self.strategy.propose(request, &self.machine);
        Answer { request: *request, free, takes, placement, failure: self.stop.reason().map(str::to_owned) }
    }

    /// Carries out the answer to a request, held to the laws that one answer can break. Returns the nodes of
    /// the job, or `None` if it is refused. Fails if the answer breaks a law; nothing more can be done with
    /// the history then.
    pub fn request(&mut self, request: &Request) -> Result<Option<Placement>, Box<Fault>> {
        let answer = self.ask(request);
        let wrong = answer.wrong_size(self.promises).or_else(|| answer.wrong_refusal(self.promises));
        if let Some(problem) = wrong {
            return Err(self.fault(problem, &answer));
        }
        self.carry_out(&answer)?;
        Ok(answer.placement)
    }

    /// Lets an event happen, except that no proposal is carried out. Returns the answer to a request.
    pub fn hear(&mut self, event: &Event) -> Option<Answer> {
        match event {
            Event::Request(request) => return Some(self.ask(request)),
            Event::Ask(request) => {
                let answer = self.ask(request);
                let nodes = answer.placement.as_ref().map(|placement| placement.nodes.clone());
                self.steps.push(Step::Asked { request: *request, nodes });
                return Some(answer);
            }
            Event::Release(position) => self.release(*position),
            Event::Take(nodes) => self.take(nodes),
        }
        None
    }

    /// Carries out a proposal, if the answer has one. Fails, and nothing more can be done with the history,
    /// if the allocator has failed, or if the machine does not allow it: a node does not exist, is not free
    /// or is named twice.
    pub fn carry_out(&mut self, answer: &Answer) -> Result<(), Box<Fault>> {
        let request = answer.request;
        if let Some(failure) = &answer.failure {
            return Err(self.fault(failure.clone(), answer));
        }
        let Some(placement) = &answer.placement else {
            self.steps.push(Step::Requested { request, number: None, nodes: Vec::new() });
            return Ok(());
        };
        self.rearrange(placement).map_err(|problem| self.fault(problem, answer))?;
        if let Err(error) = self.machine.occupy(&placement.nodes) {
            return Err(self.fault(in_words(error, &placement.nodes, &self.machine), answer));
        }
        self.strategy.accepted(placement, &self.machine);
        let nodes = placement.nodes.clone();
        self.steps.push(Step::Requested { request, number: Some(self.placed), nodes });
        self.hold(placement.clone(), true);
        Ok(())
    }

    /// Moves what has to make room for a placement. Fails with the problem in words.
    fn rearrange(&mut self, placement: &Placement) -> Result<(), String> {
        let Some(plan) = &placement.rearrangement else { return Ok(()) };
        if !self.strategy.moves_jobs {
            return Err("the placement moves running jobs, which the allocator has not declared".to_owned());
        }
        // A placement of others may be several tasks to an allocator that knows rows of nodes only.
        let mut moved = Vec::new();
        for job in &plan.moves {
            let position =
                |held: &HeldPlacement| held.placement.nodes.iter().position(|&node| node == job.first);
            let place = self.held.iter().enumerate().find_map(|(i, held)| Some((i, position(held)?)));
            let rest = place.map_or(&[][..], |(i, at)| &self.held[i].placement.nodes[at..]);
            let Some((place, old)) = place.zip(rest.get(..job.nodes.len())) else {
                return Err(format!("the job on node {} is to move, which is not there", job.first));
            };
            self.machine.vacate(old);
            moved.push(place);
        }
        for (job, (i, at)) in plan.moves.iter().zip(moved) {
            let done = self.machine.occupy(&job.nodes);
            done.map_err(|error| {
                format!("a job that moves: {}", in_words(error, &job.nodes, &self.machine))
            })?;
            self.held[i].placement.nodes[at..at + job.nodes.len()].copy_from_slice(&job.nodes);
        }
        Ok(())
    }

    fn hold(&mut self, placement: Placement, is_job: bool) {
        self.held.push(HeldPlacement { placement, number: self.placed, is_job });
        self.placed += 1;
    }

    /// Occupies the free ones of `nodes` for another holder than a job, and reports this to the allocator.
    pub fn take(&mut self, nodes: &[NodeId]) {
        let bound = self.machine.mesh().nodes();
        let is_free = |&&node: &&NodeId| node < bound && self.machine.free().contains(node);
        let nodes: Vec<NodeId> = nodes.iter().filter(is_free).copied().collect();
        let placement = Placement::of(nodes.clone());
        // Nodes that are named twice are not taken at all.
        if nodes.is_empty() || self.machine.occupy(&placement.nodes).is_err() {
            return;
        }
        self.strategy.taken(&placement, &self.machine);
        self.steps.push(Step::Taken { number: self.placed, nodes });
        self.hold(placement, false);
    }

    /// Releases a placement, see [`Event::Release`].
    pub fn release(&mut self, position: u32) {
        let Some(position) = (position as usize).checked_rem(self.held.len()) else { return };
        let HeldPlacement { placement, number, .. } = self.held.remove(position);
        self.machine.vacate(&placement.nodes);
        self.strategy.released(&placement, &self.machine);
        self.steps.push(Step::Released { number });
    }

    /// Returns a fault for the last answer, with the state of the machine before it.
    pub(super) fn fault(&self, problem: String, answer: &Answer) -> Box<Fault> {
        Box::new(Fault {
            problem,
            request: answer.request,
            // Of an answer that was not accepted as one nothing is known but what is wrong with it.
            proposals: match (&answer.failure, &answer.placement) {
                (Some(_), None) => Vec::new(),
                (_, placement) => vec![Proposal::of("the allocator proposes", placement.as_ref())],
            },
            steps: self.steps.clone(),
            machine: self.machine.clone(),
            held: self.held.clone(),
        })
    }
}

/// Returns the reason, in words, why the nodes of a placement cannot be taken.
fn in_words(error: OccupyError, nodes: &[NodeId], machine: &Machine) -> String {
    let mesh = machine.mesh();
    match error {
        OccupyError::Outside(node) => {
            format!("node {node} does not exist: the last node is {}", mesh.nodes() - 1)
        }
        OccupyError::Busy(node) if !mesh.is_available(node) => format!("node {node} is unavailable"),
        OccupyError::Busy(node) if nodes.iter().filter(|&&other| other == node).count() > 1 => {
            format!("node {node} is named twice")
        }
        OccupyError::Busy(node) => format!("node {node} is not free"),
    }
}

/// One event of a history. Every event means something in every state, so that a history stays one when
/// events are taken out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A job asks for nodes, and gets what the allocator proposes. It does not wait if it is refused.
    Request(Request),
    /// The allocator is asked, but its proposal is not carried out.
    Ask(Request),
    /// The placement at this position of the list of held placements, oldest first, is released. The position
    /// is taken modulo the number of placements; without placements nothing happens.
    Release(u32),
    /// Another holder than a job takes the free ones of these nodes, in this order. Without free ones nothing
    /// happens.
    Take(Vec<NodeId>),
}

/// A placement that is carried out and not released.
#[derive(Clone, Debug)]
pub(super) struct HeldPlacement {
    pub(super) placement: Placement,
    /// The position among all placements that were carried out; it names the placement in drawings.
    pub(super) number: usize,
    /// Whether the holder is a job.
    is_job: bool,
}

/// The effect of an event. Requests and releases name a placement by its number.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The number is `None` if the request was refused.
    Requested {
        request: Request,
        number: Option<usize>,
        nodes: Vec<NodeId>,
    },
    Asked {
        request: Request,
        nodes: Option<Vec<NodeId>>,
    },
    Released {
        number: usize,
    },
    Taken {
        number: usize,
        nodes: Vec<NodeId>,
    },
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requested { request, number: Some(number), nodes } => {
                write!(f, "a job asks for {} and gets {}: {}", asked(request), listed(nodes), letter(*number))
            }
            Self::Requested { request, number: None, .. } => {
                write!(f, "a job asks for {} and is refused", asked(request))
            }
            Self::Asked { request, nodes: Some(nodes) } => {
                let (are, them) = if nodes.len() > 1 { ("are", "them") } else { ("is", "it") };
                write!(f, "{} {are} proposed for {}, and nobody takes {them}", listed(nodes), asked(request))
            }
            Self::Asked { request, nodes: None } => {
                let are = if request.procs == 1 { "is" } else { "are" };
                write!(f, "{} {are} asked for and refused", asked(request))
            }
            Self::Released { number } => write!(f, "{} is released", letter(*number)),
            Self::Taken { number, nodes } => {
                write!(f, "somebody else takes {}: {}", listed(nodes), letter(*number))
            }
        }
    }
}

/// Returns nodes in words: `node 3`, `nodes 0-2 4`, with their rank order if it is not ascending.
pub(super) fn listed(nodes: &[NodeId]) -> String {
    match nodes {
        [] => "an empty list of nodes".to_owned(),
        [node] => format!("node {node}"),
        nodes if nodes.is_sorted() => format!("nodes {}", intervals(nodes)),
        nodes => {
            let list: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            format!("nodes {}", list.join(", "))
        }
    }
}

/// Returns a request in words, such as `3 processors` or `4 processors as 2x2`.
pub(super) fn asked(request: &Request) -> String {
    let shape =
        if request.shape == Shape::default() { String::new() } else { format!(" as {}", request.shape) };
    format!("{}{shape}", counted(request.procs, "processor"))
}

/// Returns the letter of a placement. Letters repeat after 26.
pub(super) fn letter(number: usize) -> char {
    char::from(b'a' + (number % 26) as u8)
}
