//! Paging with a FIFO list, MBS without joins and GABL by area against slow reference implementations.

use std::collections::BTreeMap;

use meshreplay_alloc::allocator::{Placement, Request, Setup, build};
use meshreplay_machine::machine::{Machine, Mesh, NodeId};
use meshreplay_testing::{Numbers, Tested};

/// A slow allocator on a two-dimensional mesh.
trait Twin {
    /// The nodes of a job with these sides. Enough nodes are free.
    fn allocate(&mut self, sides: [u32; 2]) -> Vec<NodeId>;
    fn release(&mut self, nodes: &[NodeId]);
}

/// A FIFO list of free nodes.
struct Fifo(Vec<NodeId>);

impl Twin for Fifo {
    fn allocate(&mut self, [a, b]: [u32; 2]) -> Vec<NodeId> {
        self.0.drain(..(a * b) as usize).collect()
    }

    fn release(&mut self, nodes: &[NodeId]) {
        self.0.extend(nodes);
    }
}

/// Lists of free squares by side, and the squares of every job by its first node.
struct Squares {
    width: u32,
    free: BTreeMap<u32, Vec<[u32; 2]>>,
    jobs: BTreeMap<NodeId, Vec<(u32, [u32; 2])>>,
}

impl Squares {
    fn new(mesh: &Mesh) -> Self {
        let [width, length, _] = mesh.extents();
        let mut free: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
        let mut parts = vec![([0, 0], width, length)];
        while let Some(([x, y], width, length)) = parts.pop() {
            if width > 0 && length > 0 {
                let side = 1 << width.min(length).ilog2();
                free.entry(side).or_default().push([x, y]);
                parts.push(([x + side, y], width - side, length));
                parts.push(([x, y + side], side, length - side));
            }
        }
        for squares in free.values_mut() {
            squares.sort_unstable();
        }
        Self { width, free, jobs: BTreeMap::new() }
    }

    /// Takes the square of this side that was free for the longest time, or splits the smallest larger
    /// square.
    fn take(&mut self, side: u32) -> Option<(u32, [u32; 2])> {
        let is_free = |squares: &&Vec<[u32; 2]>| !squares.is_empty();
        if !self.free.get(&side).is_some_and(|squares| is_free(&squares)) {
            let (&larger, _) = self.free.range(side + 1..).find(|(_, squares)| !squares.is_empty())?;
            let [x, y] = self.free.get_mut(&larger)?.remove(0);
            let half = larger / 2;
            let corners = [[x, y], [x, y + half], [x + half, y], [x + half, y + half]];
            self.free.entry(half).or_default().extend(corners);
            return self.take(side);
        }
        Some((side, self.free.get_mut(&side)?.remove(0)))
    }
}

impl Twin for Squares {
    fn allocate(&mut self, [a, b]: [u32; 2]) -> Vec<NodeId> {
        let (mut squares, mut left, mut side) = (Vec::new(), a * b, 1 << 12);
        while left > 0 {
            while side * side > left {
                side /= 2;
            }
            match self.take(side) {
                Some(square) => {
                    squares.push(square);
                    left -= side * side;
                }
                None => side /= 2,
            }
        }
        let width = self.width;
        let rows = |&(side, [x, y]): &(u32, [u32; 2])| {
            (y..y + side).flat_map(move |y| (x..x + side).map(move |x| y * width + x))
        };
        let nodes: Vec<NodeId> = squares.iter().flat_map(rows).collect();
        self.jobs.insert(nodes[0], squares);
        nodes
    }

    fn release(&mut self, nodes: &[NodeId]) {
        for (side, square) in self.jobs.remove(&nodes[0]).expect("a job of this allocator") {
            self.free.entry(side).or_default().push(square);
        }
    }
}

/// Plays random jobs to an allocator and its twin, with unused proposals between them.
fn compare(spec: &str, mesh: &Mesh, twin: &mut dyn Twin, seed: u32) -> Tested {
    let mut allocator = build(&spec.parse()?, &Setup::new(mesh, 0))?.strategy;
    let (mut machine, mut held, mut numbers) =
        (Machine::new(mesh.clone()), Vec::<Placement>::new(), Numbers(seed.into()));
    let [width, length, _] = mesh.extents();
    for _ in 0..600 {
        let sides = [1 + numbers.below(width), 1 + numbers.below(length)];
        let request = Request::sides([sides[0], sides[1], 1]);
        if sides[0] * sides[1] > machine.free_count() || numbers.below(4) == 0 && !held.is_empty() {
            let placement = held.swap_remove(numbers.below(held.len() as u32) as usize);
            machine.vacate(&placement.nodes);
            allocator.released(&placement, &machine);
            twin.release(&placement.nodes);
            continue;
        }
        if numbers.below(3) == 0 {
            let other = Request::of(1 + numbers.below(machine.free_count()));
            allocator.propose(&other, &machine).ok_or("refused")?;
        }
        let placement = allocator.propose(&request, &machine).ok_or("refused")?;
        assert_eq!(placement.nodes, twin.allocate(sides), "{spec} on {mesh}, {sides:?}");
        machine.occupy(&placement.nodes)?;
        allocator.accepted(&placement, &machine);
        held.push(placement);
    }
    Ok(())
}

const MESHES: [&str; 7] = ["8x8", "16x16", "5x4", "7x3", "2x2", "4x2", "9"];

#[test]
fn paging_from_a_returned_list_equals_a_queue_of_nodes() -> Tested {
    for (seed, text) in (1..).zip(MESHES) {
        let mesh: Mesh = text.parse()?;
        let mut twin = Fifo((0..mesh.nodes()).collect());
        compare("paging:list=returned", &mesh, &mut twin, seed)?;
    }
    Ok(())
}

#[test]
fn mbs_without_joins_equals_a_list_of_squares() -> Tested {
    for (seed, text) in (1..).zip(MESHES) {
        let mesh: Mesh = text.parse()?;
        compare("mbs:join=no", &mesh, &mut Squares::new(&mesh), seed)?;
    }
    Ok(())
}

/// The size of GABL's first submesh by area: the largest free submesh within these sides.
fn largest_free(machine: &Machine, [a, b]: [u32; 2]) -> u32 {
    let mesh = machine.mesh();
    let [width, length, _] = mesh.extents();
    let is_free = |x: u32, y: u32, w: u32, h: u32| {
        (y..y + h).all(|y| (x..x + w).all(|x| machine.free().contains(mesh.node([x, y, 0]))))
    };
    let sizes = (1..=a).flat_map(|w| (1..=b).map(move |h| (w, h)));
    let free = sizes.filter(|&(w, h)| {
        w <= width && h <= length && (0..=length - h).any(|y| (0..=width - w).any(|x| is_free(x, y, w, h)))
    });
    free.map(|(w, h)| w * h).max().unwrap_or(0)
}

#[test]
fn gabl_by_area_begins_with_the_largest_free_submesh_in_every_state() -> Tested {
    for text in ["4x3", "3x3", "5x2"] {
        let mesh: Mesh = text.parse()?;
        let [width, length, _] = mesh.extents();
        for busy in 0_u32..1 << mesh.nodes() {
            let nodes: Vec<NodeId> = (0..mesh.nodes()).filter(|node| busy >> node & 1 == 1).collect();
            let mut state = Machine::new(mesh.clone());
            state.occupy(&nodes)?;
            let mut allocator = build(&"gabl:search=area".parse()?, &Setup::new(&mesh, 0))?.strategy;
            if !nodes.is_empty() {
                allocator.taken(&Placement::of(nodes), &state);
            }
            for sides in (1..=width).flat_map(|a| (1..=length).map(move |b| [a, b])) {
                let area = sides[0] * sides[1];
                if area > state.free_count() {
                    continue;
                }
                let request = Request::sides([sides[0], sides[1], 1]);
                let placed = allocator.propose(&request, &state).ok_or("refused")?.nodes;
                // The longest prefix of the nodes that is a row-major rectangle within the bounds.
                let largest = largest_free(&state, sides) as usize;
                let first = &placed[..largest];
                let coords: Vec<_> = first.iter().map(|&node| mesh.coord(node)).collect();
                let side = |d: usize| {
                    let along = || coords.iter().map(|node| node[d]);
                    along().max().unwrap_or(0) - along().min().unwrap_or(0) + 1
                };
                assert_eq!(side(0) * side(1), largest as u32, "{text}: {sides:?} in {busy:b}");
                assert!(side(0) <= sides[0] && side(1) <= sides[1]);
            }
        }
    }
    Ok(())
}
