//! Simpler histories than a given one: with events that say less.

use super::event::Event;
use crate::allocator::Request;
use meshreplay_base::job::Shape;
use meshreplay_machine::machine::Mesh;

/// Returns the histories in which a request and a later one are one request, for as many processors as both.
pub(super) fn merged(events: &[Event]) -> Vec<Vec<Event>> {
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

/// Returns the histories in which one event is simpler: it asks for less, or for no shape, releases an older
/// placement, takes fewer nodes, or is a release that comes sooner.
pub(super) fn simpler_events(events: &[Event], mesh: &Mesh) -> Vec<Vec<Event>> {
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

/// Returns the histories in which a release comes one event sooner, before a request or before somebody else
/// takes nodes.
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
    // What is refused without asking the allocator says the same with a smaller number.
    if procs > mesh.nodes() + 1 {
        simpler.push(Request::of(mesh.nodes() + 1));
    }
    simpler
}

/// Returns 1, the half of `number` and one less, as far as they are smaller than it; none is 0.
pub(super) fn smaller(number: u32) -> Vec<u32> {
    let mut smaller = vec![1, number / 2, number.saturating_sub(1)];
    smaller.retain(|&other| other > 0 && other < number);
    smaller.dedup();
    smaller
}
