//! What every registered allocator must do on every history: laws over the whole registry.

use std::sync::Arc;

use meshreplay::allocator::{self, ALLOCATORS, Built, Placement, Promises, Request, Setup, Strategy};
use meshreplay::job::Shape;
use meshreplay::machine::order::ORDERS;
use meshreplay::machine::{Machine, Mesh, NodeId, NodeLists};
use meshreplay::spec::Spec;

use super::support::{Numbers, Tested};

/// Machines of every kind, small enough that histories fill and empty them often.
pub(crate) const MACHINES: [&str; 14] = [
    "1",
    "13",
    "8x5",
    "16x16",
    "5x4x3",
    "70x2",
    "torus:9",
    "torus:6x5",
    "torus:4x3x3",
    "20x4",
    "8x4:wrap=x",
    "5x6:wrap=y",
    "4x4x3:wrap=xz",
    "ocs:6x2x2x2",
];

/// Every row, its variants, and every curve with every selection where the order exists for that many dimensions; each with
/// what its resolved spec promises.
pub(crate) fn specs(mesh: &Mesh) -> Vec<(Spec, Promises)> {
    let mut specs: Vec<Spec> =
        ALLOCATORS.iter().filter(|entry| entry.serves(mesh)).map(|entry| Spec::named(entry.name)).collect();
    for order in ["row-major", "snake", "shuffled-row-major", "shuffled-snake"] {
        for size in ["0", "1"] {
            specs.push(Spec::named("paging").with("order", order).with("size", size));
        }
    }
    for text in [
        "anca:split=full",
        "gabl:turn=yes",
        "qna:repeat=literal",
        "rbs:turn=yes",
        "first-fit:turn=yes",
        "best-of:paging|mm",
        "mc1x1:fill=shells",
    ] {
        specs.push(text.parse().expect("a spec"));
    }
    for order in ORDERS.iter().filter(|order| order.build(mesh).is_ok()) {
        for select in ["best-fit", "first-fit", "free-list", "sum-of-squares"] {
            specs.push(Spec::named("curve").with("order", order.name).with("select", select));
        }
    }
    specs
        .into_iter()
        .map(|spec| (promises(&spec, mesh), spec))
        .map(|(promises, spec)| (spec, promises))
        .collect()
}

/// What a spec promises once it is resolved.
fn promises(spec: &Spec, mesh: &Mesh) -> Promises {
    allocator::build(spec, &Setup::new(mesh, 0)).expect("it serves the machine").promises
}

#[test]
fn promises_are_those_of_the_resolved_spec() -> Tested {
    let mesh: Mesh = "8x8".parse()?;
    for (text, exact, complete) in [
        ("paging", true, true),
        ("paging:size=0", true, true),
        ("paging:size=1", false, false),
        ("anca", false, false),
        ("anca:split=full", false, true),
        ("gabl", true, true),
        ("qna", true, true),
        ("best-of:paging|mm", true, true),
    ] {
        let found = promises(&text.parse()?, &mesh);
        assert_eq!((found.exact, found.complete), (exact, complete), "{text}");
    }
    let paged = allocator::build(&"best-of:paging:size=1|mm".parse()?, &Setup::new(&mesh, 0));
    let message = paged.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message.ends_with("expected members that take exactly as many nodes as requested"), "{message}");
    Ok(())
}

/// The number of lists of nodes that jobs of histories may have.
const LISTS: u32 = 24;

/// Lists of distinct nodes in random order, of lengths that seldom are those of the jobs, and some of no nodes.
fn lists(mesh: &Mesh) -> NodeLists {
    let mut numbers = Numbers(37);
    NodeLists::new((0..LISTS).map(|list| {
        let length = numbers.below(mesh.nodes().div_ceil(1 + list % 4) + 1);
        (list, (0..length).map(|_| numbers.below(mesh.nodes())).collect())
    }))
}

/// A history of one allocator with the caller's side of the contract, checking the allocator's.
pub(crate) struct History {
    pub(crate) machine: Machine,
    pub(crate) held: Vec<Placement>,
    strategy: Strategy,
    promises: Promises,
    label: String,
}

impl History {
    pub(crate) fn new(
        spec: &Spec,
        promises: Promises,
        mesh: &Mesh,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let lists = Arc::new(lists(mesh));
        let setup = Setup::new(mesh, 5).with_lists(Some(&lists));
        let Built { spec: resolved, strategy, .. } = allocator::build(spec, &setup)?;
        let label = format!("{resolved} on {mesh}");
        Ok(Self { machine: Machine::new(mesh.clone()), held: Vec::new(), strategy, promises, label })
    }

    /// Whether placements may move running jobs.
    pub(crate) fn moves_jobs(&self) -> bool {
        self.strategy.moves_jobs
    }

    /// What the allocator would choose now; nothing is carried out.
    pub(crate) fn propose(&mut self, request: &Request) -> Option<Placement> {
        self.strategy.propose(request, &self.machine)
    }

    /// One request for processors of which only the number is known.
    pub(crate) fn allocate(&mut self, procs: u32) -> Option<Placement> {
        self.request(&Request::of(procs))
    }

    /// One request; the placement, already carried out.
    pub(crate) fn request(&mut self, request: &Request) -> Option<Placement> {
        let (free, procs) = (self.machine.free_count(), request.procs);
        let takes = self.strategy.nodes_for(request, self.machine.mesh());
        let placement = self.strategy.propose(request, &self.machine);
        let label = self.label.clone();
        match &placement {
            None => {
                let enough = free >= takes.least.max(procs);
                assert!(!self.promises.complete || !enough, "{label}: {procs} of {free} free refused");
            }
            Some(placement) => {
                assert!(procs <= free, "{label}: {procs} of {free} free granted");
                let found = placement.nodes.len();
                assert!(found >= procs as usize, "{label}: {found} nodes for {procs}");
                let foretold = takes.least as usize..=takes.most as usize;
                assert!(
                    foretold.contains(&found),
                    "{label}: {found} nodes for {procs}, {foretold:?} foretold"
                );
                assert!(
                    !self.promises.exact || found == procs as usize,
                    "{label}: {found} nodes for {procs}"
                );
                self.rearrange(placement);
                let done = self.machine.occupy(&placement.nodes);
                assert_eq!(done, Ok(()), "{label}: {:?}", placement.nodes);
                self.strategy.accepted(placement, &self.machine);
                self.held.push(placement.clone());
            }
        }
        placement
    }

    /// Moves what has to make room for a placement.
    fn rearrange(&mut self, placement: &Placement) {
        let Some(plan) = &placement.rearrangement else { return };
        assert!(self.strategy.moves_jobs, "{}", self.label);
        let holder = |held: &[Placement], first| held.iter().position(|other| other.nodes.contains(&first));
        // A placement of others may be several tasks to an allocator that knows rows of nodes only.
        let mut moved = Vec::new();
        for job in &plan.moves {
            let i = holder(&self.held, job.first).expect("a job that moves runs");
            let at = self.held[i].nodes.iter().position(|&node| node == job.first).unwrap_or(0);
            let old = self.held[i].nodes[at..at + job.nodes.len()].to_vec();
            self.machine.vacate(&old);
            moved.push((i, at));
        }
        for (job, (i, at)) in plan.moves.iter().zip(moved) {
            assert_eq!(self.machine.occupy(&job.nodes), Ok(()), "{}", self.label);
            self.held[i].nodes[at..at + job.nodes.len()].copy_from_slice(&job.nodes);
        }
    }

    /// Gives nodes that somebody else has chosen to a job.
    pub(crate) fn occupy(&mut self, nodes: Vec<NodeId>) {
        let placement = Placement::of(nodes);
        assert_eq!(self.machine.occupy(&placement.nodes), Ok(()));
        self.strategy.taken(&placement, &self.machine);
        self.held.push(placement);
    }

    /// Releases the `i`-th placement held.
    pub(crate) fn release(&mut self, i: usize) {
        let placement = self.held.swap_remove(i);
        self.machine.vacate(&placement.nodes);
        self.strategy.released(&placement, &self.machine);
    }
}

/// The same random history for every spec: mostly grows while the machine is empty, shrinks while it is full.
pub(crate) fn step(history: &mut History, numbers: &mut Numbers) -> Option<Placement> {
    let nodes = history.machine.mesh().nodes();
    let release = !history.held.is_empty() && numbers.below(nodes + 1) >= history.machine.free_count();
    if release {
        let i = numbers.below(history.held.len() as u32) as usize;
        history.release(i);
        return None;
    }
    let largest = if numbers.below(4) == 0 { nodes } else { nodes.div_ceil(4) };
    let procs = 1 + numbers.below(largest);
    let request = match numbers.below(6) {
        0 => Request { shape: Shape::Row, ..Request::of(procs) },
        1 => Request { shape: Shape::PowersOfTwo, ..Request::of(procs) },
        // Sides up to one more than the machine has.
        2 | 3 => Request::sides(history.machine.mesh().extents().map(|extent| 1 + numbers.below(extent + 1))),
        _ => Request::of(procs),
    };
    // Two of three jobs have a list of nodes, by which some allocators place them.
    history.request(&Request { nodes: Some(procs % (LISTS * 3 / 2)), ..request })
}

#[test]
fn placements_are_free_disjoint_and_of_the_size_promised() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (spec, promises) in specs(&mesh) {
            let (mut history, mut numbers) = (History::new(&spec, promises, &mesh)?, Numbers(11));
            for _ in 0..400 {
                step(&mut history, &mut numbers);
            }
        }
    }
    Ok(())
}

#[test]
fn the_same_history_gives_the_same_placements() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (spec, promises) in specs(&mesh) {
            let mut twins = [History::new(&spec, promises, &mesh)?, History::new(&spec, promises, &mesh)?];
            let mut numbers = [Numbers(3), Numbers(3)];
            for _ in 0..200 {
                let [a, b] = [0, 1].map(|i| step(&mut twins[i], &mut numbers[i]));
                assert_eq!(a, b, "{spec} on {machine}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_refused_request_changes_nothing() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (spec, promises) in specs(&mesh) {
            let mut twins = [History::new(&spec, promises, &mesh)?, History::new(&spec, promises, &mesh)?];
            let mut numbers = [Numbers(7), Numbers(7)];
            for _ in 0..200 {
                let too_many = twins[1].machine.free_count() + 1;
                assert_eq!(twins[1].allocate(too_many), None, "{spec} on {machine}");
                let [a, b] = [0, 1].map(|i| step(&mut twins[i], &mut numbers[i]));
                assert_eq!(a, b, "{spec} on {machine}");
            }
        }
    }
    Ok(())
}

#[test]
fn what_is_proposed_and_not_taken_changes_nothing() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (spec, promises) in specs(&mesh).into_iter().filter(|(_, promises)| promises.forgets) {
            let mut twins = [History::new(&spec, promises, &mesh)?, History::new(&spec, promises, &mesh)?];
            let (mut numbers, mut more) = ([Numbers(5), Numbers(5)], Numbers(6));
            for _ in 0..200 {
                let free = twins[1].machine.free_count();
                if free > 0 {
                    let History { strategy, machine, .. } = &mut twins[1];
                    strategy.propose(&Request::of(1 + more.below(free)), machine);
                }
                let [a, b] = [0, 1].map(|i| step(&mut twins[i], &mut numbers[i]));
                assert_eq!(a, b, "{spec} on {machine}");
            }
        }
    }
    Ok(())
}

#[test]
fn once_everything_is_released_an_allocator_is_as_new() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (spec, promises) in specs(&mesh).into_iter().filter(|(_, promises)| promises.forgets) {
            let (mut used, mut numbers) = (History::new(&spec, promises, &mesh)?, Numbers(19));
            for _ in 0..200 {
                step(&mut used, &mut numbers);
            }
            while !used.held.is_empty() {
                let i = numbers.below(used.held.len() as u32) as usize;
                used.release(i);
            }
            let mut fresh = History::new(&spec, promises, &mesh)?;
            let mut numbers = [Numbers(23), Numbers(23)];
            for _ in 0..100 {
                let a = step(&mut used, &mut numbers[0]);
                assert_eq!(a, step(&mut fresh, &mut numbers[1]), "{spec} on {machine}");
            }
        }
    }
    Ok(())
}

/// Allocators whose choice depends on how the nodes in use came to be so: on which blocks were split, or on which boxes
/// came first.
const REMEMBER: [&str; 5] = ["mbs", "best-of", "rbs", "stack-based", "gabl"];

/// A step of a history, every other placement of which somebody else has chosen: scattered nodes in no order.
fn shared_step(history: &mut History, numbers: &mut Numbers) -> Option<Placement> {
    let free = history.machine.free_count();
    if free == 0 || numbers.below(2) == 0 {
        return step(history, numbers);
    }
    let mut nodes: Vec<NodeId> = history.machine.free().iter().collect();
    let k = 1 + numbers.below(free.div_ceil(3)) as usize;
    for i in 0..k {
        let j = i + numbers.below((nodes.len() - i) as u32) as usize;
        nodes.swap(i, j);
    }
    nodes.truncate(k);
    history.occupy(nodes);
    None
}

#[test]
fn allocators_follow_what_others_have_chosen() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (spec, promises) in specs(&mesh) {
            let (mut used, mut numbers) = (History::new(&spec, promises, &mesh)?, Numbers(29));
            for _ in 0..300 {
                shared_step(&mut used, &mut numbers);
            }
            // The same nodes in use, however they came to be: the next choice is the same.
            let mut told = History::new(&spec, promises, &mesh)?;
            let busy: Vec<NodeId> =
                (0..mesh.nodes()).rev().filter(|&node| !used.machine.free().contains(node)).collect();
            told.occupy(busy);
            let k = 1 + numbers.below(used.machine.free_count().max(1));
            let [a, b] = [&mut used, &mut told].map(|history| history.allocate(k));
            let memoryless = promises.forgets && !REMEMBER.iter().any(|name| spec.name.ends_with(name));
            assert!(a == b || !memoryless, "{spec} on {machine}: {a:?} or {b:?}");
            while !used.held.is_empty() {
                used.release(numbers.below(used.held.len() as u32) as usize);
            }
            let (mut fresh, mut numbers) =
                (History::new(&spec, promises, &mesh)?, [Numbers(31), Numbers(31)]);
            for _ in 0..60 {
                let [a, b] = [step(&mut used, &mut numbers[0]), step(&mut fresh, &mut numbers[1])];
                assert!(a == b || !promises.forgets, "{spec} on {machine}");
            }
        }
    }
    Ok(())
}

#[test]
fn an_idle_machine_can_be_taken_whole() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        for (spec, promises) in specs(&mesh).into_iter().filter(|(_, promises)| promises.complete) {
            let mut history = History::new(&spec, promises, &mesh)?;
            let mut nodes = history.allocate(mesh.nodes()).ok_or("refused")?.nodes;
            nodes.sort_unstable();
            assert!(nodes.into_iter().eq(0..mesh.nodes()), "{spec} on {machine}");
        }
    }
    Ok(())
}

#[test]
fn naive_equals_the_free_list_in_order_of_node_numbers() -> Tested {
    for machine in MACHINES {
        let mesh: Mesh = machine.parse()?;
        // Row-major means the longest dimension first, which is x where sizes fall.
        if !mesh.extents().is_sorted_by(|a, b| a >= b) {
            continue;
        }
        let naive = Spec::named("naive");
        let promises = promises(&naive, &mesh);
        let curve = "curve:order=row-major,select=free-list".parse()?;
        let mut twins = [History::new(&naive, promises, &mesh)?, History::new(&curve, promises, &mesh)?];
        let mut numbers = [Numbers(2), Numbers(2)];
        for _ in 0..300 {
            let [a, b] = [0, 1].map(|i| step(&mut twins[i], &mut numbers[i]));
            assert_eq!(a, b, "{machine}");
        }
    }
    Ok(())
}
