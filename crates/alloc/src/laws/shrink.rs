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
use super::history::Event;
use super::law::{CheckError, Law};
use super::trial::Subject;
use crate::allocator::Request;
use meshreplay_base::job::Shape;
use meshreplay_machine::machine::{Levels, Mesh, NodeId};

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

// Simpler histories than a given one, with events that say less, and smaller machines, with histories for
// them.

/// Returns all histories that merge one pair of requests into one request for the processors of both.
fn merged(events: &[Event]) -> Vec<Vec<Event>> {
    let mut fewer = Vec::new();
    for (i, first) in events.iter().enumerate() {
        for (j, second) in events.iter().enumerate().skip(i + 1) {
            if let (Event::Request(one), Event::Request(other)) = (first, second) {
                let mut merged = events.to_vec();
                merged[j] = Event::Request(Request::of(one.procs.saturating_add(other.procs)));
                merged.remove(i);
                fewer.push(merged);
            }
        }
    }
    fewer
}

/// Returns all histories with one simpler event: a request for less or without a shape, a release of an older
/// placement, fewer nodes taken, or an earlier release.
fn simpler_events(events: &[Event], mesh: &Mesh) -> Vec<Vec<Event>> {
    let mut simpler = Vec::new();
    for (i, event) in events.iter().enumerate() {
        for event in simpler_event(event, mesh) {
            let mut changed = events.to_vec();
            changed[i] = event;
            simpler.push(changed);
        }
    }
    simpler.extend(sooner_released(events));
    simpler
}

/// Returns all histories with one release moved before the event in front of it, unless that is a release,
/// too.
fn sooner_released(events: &[Event]) -> Vec<Vec<Event>> {
    let mut sooner = Vec::new();
    for i in 1..events.len() {
        if let (Event::Release(position), false) = (&events[i], matches!(events[i - 1], Event::Release(_))) {
            for position in [*position, position.saturating_sub(1)] {
                let mut changed = events.to_vec();
                changed[i] = Event::Release(position);
                changed.swap(i - 1, i);
                sooner.push(changed);
            }
        }
    }
    sooner
}

fn simpler_event(event: &Event, mesh: &Mesh) -> Vec<Event> {
    match event {
        Event::Request(request) => simpler_requests(request, mesh).into_iter().map(Event::Request).collect(),
        // A proposal that is carried out is simpler than one that is not.
        Event::Ask(request) => {
            let asks = simpler_requests(request, mesh).into_iter().map(Event::Ask);
            std::iter::once(Event::Request(*request)).chain(asks).collect()
        }
        Event::Release(position) => {
            (0..*position).take(4).chain(position.checked_sub(1)).map(Event::Release).collect()
        }
        Event::Take(nodes) => {
            let without = |i: usize| [&nodes[..i], &nodes[i + 1..]].concat();
            (0..nodes.len()).map(|i| Event::Take(without(i))).collect()
        }
    }
}

/// Returns requests for fewer processors, and for as many without a shape.
fn simpler_requests(request: &Request, mesh: &Mesh) -> Vec<Request> {
    let Request { procs, shape, .. } = *request;
    let mut simpler = Vec::new();
    match shape {
        Shape::Sides(sides) => {
            for (d, &longest) in sides.iter().enumerate() {
                for side in smaller(longest) {
                    let mut sides = sides;
                    sides[d] = side;
                    simpler.push(Request { nodes: request.nodes, ..Request::sides(sides) });
                }
            }
        }
        _ => simpler.extend(smaller(procs).into_iter().map(|procs| Request { procs, ..*request })),
    }
    if shape != Shape::default() || request.nodes.is_some() {
        simpler.push(Request::of(procs));
    }
    // The guard in `Strategy::propose` refuses these requests, so a smaller number has the same effect.
    if procs > mesh.nodes() + 1 {
        simpler.push(Request::of(mesh.nodes() + 1));
    }
    simpler
}

/// Returns 1, `number` / 2 and `number` − 1, without repetitions; all are positive and below `number`.
pub(super) fn smaller(number: u32) -> Vec<u32> {
    let mut smaller = vec![1, number / 2, number.saturating_sub(1)];
    smaller.retain(|&other| other > 0 && other < number);
    smaller.dedup();
    smaller
}

/// The largest number of intervals of unavailable nodes that are left out one by one.
const FEW: usize = 30;

/// Returns smaller and plainer machines, the smallest first, each with the events for it: unchanged, and with
/// requests clipped to the machine.
fn smaller_machines(mesh: &Mesh, events: &[Event]) -> Vec<(Mesh, Vec<Event>)> {
    let (extents, dims, wraps) = (mesh.extents(), mesh.dims(), mesh.wrap());
    let mut sizes: Vec<Vec<u32>> = (1..dims).map(|dims| extents[..dims].to_vec()).collect();
    for (d, &longest) in extents[..dims].iter().enumerate() {
        for extent in smaller(longest) {
            let mut smaller = extents[..dims].to_vec();
            smaller[d] = extent;
            sizes.push(smaller);
        }
    }
    sizes.sort_by_key(|sizes| sizes.iter().product::<u32>());
    let plain = sizes.into_iter().filter_map(|sizes| Mesh::wrapping(&sizes, wraps).ok());
    let smaller: Vec<Mesh> = fewer_cubes(mesh).into_iter().chain(smaller_trees(mesh)).chain(plain).collect();
    let smaller = smaller.into_iter().flat_map(|whole| with_and_without(whole, mesh));
    let mut cases = Vec::new();
    for machine in smaller.chain(plainer(mesh)).filter(|machine| machine != mesh) {
        let moved = moved(events, mesh, &machine);
        let limited = limited(&moved, &machine);
        let other = (limited != moved).then(|| (machine.clone(), limited));
        cases.push((machine, moved));
        cases.extend(other);
    }
    cases.extend(without_sides_of_one(mesh).map(|machine| (machine, events.to_vec())));
    cases
}

/// Returns machines with fewer cubes, if the machine has cubes.
fn fewer_cubes(mesh: &Mesh) -> Vec<Mesh> {
    let Some([width, length, depth]) = mesh.cube() else { return Vec::new() };
    let machine = |count| format!("ocs:{count}x{width}x{length}x{depth}").parse().ok();
    smaller(mesh.extents()[2] / depth).into_iter().filter_map(machine).collect()
}

/// Returns trees with one level less, or with fewer groups or nodes in a group, if the machine is a tree.
fn smaller_trees(mesh: &Mesh) -> Vec<Mesh> {
    let fans = mesh.levels().map(Levels::fans).unwrap_or_default();
    let mut trees: Vec<Mesh> = Vec::new();
    for (level, &fan) in fans.iter().enumerate() {
        let fewer = smaller(fan).into_iter().map(Some);
        for fan in fewer.chain((fans.len() > 1).then_some(None)) {
            let mut changed: Vec<u32> = fans.clone();
            changed.splice(level..=level, fan);
            let sizes: Vec<String> = changed.iter().map(u32::to_string).collect();
            trees.extend(format!("tree:{}", sizes.join("x")).parse::<Mesh>().ok());
        }
    }
    trees.sort_by_key(Mesh::nodes);
    trees
}

/// Returns machines of the same size with one dimension less that wraps around, without cubes or levels, or
/// with fewer nodes unavailable.
fn plainer(mesh: &Mesh) -> Vec<Mesh> {
    let (sizes, wraps) = (&mesh.extents()[..mesh.dims()], mesh.wrap());
    let mut plainer = Vec::new();
    for d in (0..3).filter(|&d| wraps[d]) {
        let mut fewer = wraps;
        fewer[d] = false;
        plainer.extend(
            Mesh::wrapping(sizes, fewer).ok().and_then(|plain| plain.without(mesh.unavailable()).ok()),
        );
    }
    let runs = mesh.unavailable();
    // A torus without a wrapping dimension is a mesh.
    plainer.extend(
        Mesh::wrapping(sizes, wraps)
            .ok()
            .filter(|_| mesh.cube().is_none())
            .and_then(|mesh| mesh.without(runs).ok()),
    );
    if !runs.is_empty() || mesh.cube().is_some() {
        let fans = mesh.levels().map(|levels| levels.fans().iter().map(u32::to_string).collect::<Vec<_>>());
        let whole = match fans {
            Some(fans) => format!("tree:{}", fans.join("x")).parse().ok(),
            None => Mesh::wrapping(sizes, wraps).ok(),
        };
        plainer.extend(whole.clone());
        // One at the first node stays in the machine however small it becomes.
        plainer.extend(whole.as_ref().and_then(|whole| whole.without(&[(0, 0)]).ok()));
        let few = if runs.len() > FEW { 0 } else { runs.len() };
        for (i, &(first, last)) in runs.iter().enumerate().take(few) {
            let half = (first < last).then(|| (first, first + (last - first) / 2));
            let fewer: Vec<_> = [&runs[..i], half.as_slice(), &runs[i + 1..]].concat();
            plainer.extend(whole.as_ref().and_then(|whole| whole.without(&fewer).ok()));
        }
    }
    plainer
}

/// Returns the machine without its dimensions of one node, which leaves node numbers unchanged; `None` if it
/// has no such dimension.
fn without_sides_of_one(mesh: &Mesh) -> Option<Mesh> {
    let longer: Vec<usize> = (0..mesh.dims()).filter(|&d| mesh.extents()[d] > 1).collect();
    if longer.is_empty() || longer.len() == mesh.dims() || mesh.cube().is_some() {
        return None;
    }
    let sizes: Vec<u32> = longer.iter().map(|&d| mesh.extents()[d]).collect();
    let mut wraps = [false; 3];
    for (wrap, &d) in wraps.iter_mut().zip(&longer) {
        *wrap = mesh.wraps(d);
    }
    Mesh::wrapping(&sizes, wraps).ok()?.without(mesh.unavailable()).ok()
}

/// Returns a machine without holes, and with the unavailable nodes of the larger machine.
fn with_and_without(whole: Mesh, larger: &Mesh) -> Vec<Mesh> {
    let is_unavailable = |&node: &NodeId| !larger.is_available(larger.node(whole.coord(node)));
    let unavailable: Vec<_> = (0..whole.nodes()).filter(is_unavailable).map(|node| (node, node)).collect();
    let with = if unavailable.is_empty() { None } else { whole.without(&unavailable).ok() };
    std::iter::once(whole).chain(with).collect()
}

/// Returns the events with the nodes of another machine that have the same coordinates.
fn moved(events: &[Event], from: &Mesh, to: &Mesh) -> Vec<Event> {
    let node = |&node: &NodeId| {
        let coord = Some(node).filter(|&node| node < from.nodes()).map(|node| from.coord(node))?;
        (0..3).all(|d| coord[d] < to.extents()[d]).then(|| to.node(coord))
    };
    let event = |event: &Event| match event {
        Event::Take(nodes) => Event::Take(nodes.iter().filter_map(node).collect()),
        other => other.clone(),
    };
    events.iter().map(event).collect()
}

/// Returns the events with requests that are not larger than the machine.
fn limited(events: &[Event], mesh: &Mesh) -> Vec<Event> {
    let request = |request: &Request| match request.shape {
        Shape::Sides(sides) => {
            let sides = [0, 1, 2].map(|d| sides[d].min(mesh.extents()[d]));
            Request { nodes: request.nodes, ..Request::sides(sides) }
        }
        _ => Request { procs: request.procs.min(mesh.available()), ..*request },
    };
    let event = |event: &Event| match event {
        Event::Request(asked) => Event::Request(request(asked)),
        Event::Ask(asked) => Event::Ask(request(asked)),
        other => other.clone(),
    };
    events.iter().map(event).collect()
}
