//! Predictions of allocators while nodes are down. Schedulers plan with them, so a prediction must be true in
//! every state of a machine.

use meshreplay_alloc::allocator::{self, Placement, Request, Served, Setup, Strategy};
use meshreplay_alloc::laws::{MACHINES, with_holes};
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, NodeId};

use meshreplay_alloc::laws::variants;
use meshreplay_testing::{Numbers, Tested};

/// A machine with jobs that start and end, nodes that go down and come up, and the reports of the engine.
struct Shared {
    strategy: Strategy,
    machine: Machine,
    held: Vec<Placement>,
    down: Vec<NodeId>,
    label: String,
}

impl Shared {
    /// Starts or ends a job, or takes a node down or up. Busy nodes drain.
    fn step(&mut self, numbers: &mut Numbers) {
        let Self { strategy, machine, held, down, .. } = self;
        let free: Vec<NodeId> = machine.free().iter().collect();
        match numbers.below(8) {
            0 if !free.is_empty() => {
                let node = free[numbers.below(free.len() as u32) as usize];
                machine.take_down(node);
                strategy.taken(&Placement::of(vec![node]), machine);
                down.push(node);
            }
            1 if !down.is_empty() => {
                let node = down.swap_remove(numbers.below(down.len() as u32) as usize);
                machine.bring_up(node, false);
                strategy.released(&Placement::of(vec![node]), machine);
            }
            2 if !held.is_empty() => {
                let nodes = &held[numbers.below(held.len() as u32) as usize].nodes;
                machine.take_down(nodes[numbers.below(nodes.len() as u32) as usize]);
            }
            3 | 4 if !held.is_empty() => {
                let placement = held.swap_remove(numbers.below(held.len() as u32) as usize);
                machine.vacate(&placement.nodes);
                strategy.released(&placement, machine);
                for &node in placement.nodes.iter().filter(|&&node| machine.is_down(node)) {
                    strategy.taken(&Placement::of(vec![node]), machine);
                    down.push(node);
                }
            }
            _ => {
                let request = request(machine.mesh(), numbers);
                let Some(placement) = strategy.propose(&request, machine) else { return };
                assert_eq!(machine.occupy(&placement.nodes), Ok(()), "{}: {request:?}", self.label);
                strategy.accepted(&placement, machine);
                held.push(placement);
            }
        }
    }

    /// Checks that a request is served if and only if the strategy predicts it.
    fn check(&mut self, request: &Request) {
        let Self { strategy, machine, label, .. } = self;
        let (free, takes) = (machine.free_count(), strategy.nodes_for(request, machine.mesh()));
        let found = strategy.propose(request, machine);
        let submeshes = match strategy.served_on(machine) {
            Served::ByCount => {
                let is_right = if found.is_some() { takes.least <= free } else { takes.most > free };
                assert!(is_right, "{label}: {request:?} with {free} nodes free: {found:?}");
                return;
            }
            Served::ByState(_) => {
                let foreseen = strategy.foresee(request, machine);
                assert_eq!(foreseen.is_some(), found.is_some(), "{label}: {request:?}");
                return;
            }
            Served::BySubmesh(submeshes) => *submeshes,
        };
        let mut free_submeshes = FreeSubmeshes::default();
        let sizes = (submeshes.sizes)(request, machine.mesh());
        let has_place = sizes.iter().any(|&sizes| free_submeshes.find_first(machine, sizes).is_some());
        assert_eq!(has_place, found.is_some(), "{label}: {request:?}");
    }
}

/// A random request by number of processors or by sides.
fn request(mesh: &Mesh, numbers: &mut Numbers) -> Request {
    let largest = if numbers.below(4) == 0 { mesh.nodes() } else { mesh.nodes().div_ceil(4) };
    match numbers.below(3) {
        0 => Request::sides(mesh.extents().map(|extent| 1 + numbers.below(extent))),
        _ => Request::of(1 + numbers.below(largest)),
    }
}

#[test]
fn what_serves_a_request_is_true_while_nodes_go_and_come() -> Tested {
    let mut events = 0;
    for machine in MACHINES.into_iter().filter(|machine| !machine.starts_with("70")) {
        let whole: Mesh = machine.parse()?;
        let structured = with_holes(&whole, 71).into_iter().take(2);
        for mesh in std::iter::once(whole.clone()).chain(structured) {
            for (spec, _) in variants(&mesh)? {
                let strategy = allocator::build(&spec, &Setup::new(&mesh, 3))?.strategy;
                if strategy.moves_jobs {
                    continue;
                }
                let (machine, label) = (Machine::new(mesh.clone()), format!("{spec} on {mesh}"));
                let (held, down, mut numbers) = (Vec::new(), Vec::new(), Numbers(73));
                let mut shared = Shared { strategy, machine, held, down, label };
                for _ in 0..80 {
                    shared.step(&mut numbers);
                    shared.check(&request(&mesh, &mut numbers));
                    events += 1;
                }
            }
        }
    }
    assert!(events > 100_000, "{events}");
    Ok(())
}
