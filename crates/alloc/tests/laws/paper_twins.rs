//! Programs written from the words of papers and pages: left compaction with `free=more`, GABL by area in
//! three dimensions, and all shapes. Each must agree on a thousand random histories.

use meshreplay_alloc::allocator::{Placement, Request, Setup, Strategy, build};
use meshreplay_machine::machine::{Machine, Mesh, NodeId, Submesh};
use meshreplay_testing::{Numbers, Tested};

const HISTORIES: u64 = 1000;

/// A random history of jobs on a machine.
struct History {
    strategy: Strategy,
    machine: Machine,
    jobs: Vec<Placement>,
    numbers: Numbers,
}

impl History {
    fn new(spec: &str, machine: &str, seed: u64) -> Result<Self, Box<dyn std::error::Error>> {
        let mesh: Mesh = machine.parse()?;
        let strategy = build(&spec.parse()?, &Setup::new(&mesh, 0))?.strategy;
        Ok(Self { strategy, machine: Machine::new(mesh), jobs: Vec::new(), numbers: Numbers(seed) })
    }

    /// Ends a random job in a third of all calls.
    fn end_one(&mut self) {
        if self.jobs.is_empty() || self.numbers.below(3) > 0 {
            return;
        }
        let job = self.jobs.swap_remove(self.numbers.below(self.jobs.len() as u32) as usize);
        self.machine.vacate(&job.nodes);
        self.strategy.released(&job, &self.machine);
    }

    /// Carries out a placement, with its moves.
    fn start(&mut self, placement: Placement) -> Tested {
        let moves = placement.rearrangement.iter().flat_map(|plan| &plan.moves);
        let old: Vec<usize> = moves
            .clone()
            .filter_map(|plan| self.jobs.iter().position(|job| job.nodes[0] == plan.first))
            .collect();
        for &job in &old {
            self.machine.vacate(&self.jobs[job].nodes);
        }
        for (&job, plan) in old.iter().zip(moves) {
            self.machine.occupy(&plan.nodes)?;
            self.jobs[job].nodes.clone_from(&plan.nodes);
        }
        self.machine.occupy(&placement.nodes)?;
        self.strategy.accepted(&placement, &self.machine);
        self.jobs.push(placement);
        Ok(())
    }

    /// Returns random sides within the machine.
    fn sides(&mut self) -> [u32; 3] {
        self.machine.mesh().extents().map(|extent| 1 + self.numbers.below(extent))
    }
}

/// The nodes of a job, and the moves of other jobs: the first of the old nodes, and the first of the new
/// ones.
type Plan = (Vec<NodeId>, Vec<(NodeId, NodeId)>);

/// Left ordered compaction by O. Diessel, H. ElGindy, B. Beresford-Smith, "Partial task compaction reduces
/// queuing delays in partitionable-array machines", 1996: first fit; otherwise, if more processors are free
/// than requested, the window that covers the fewest busy processors. It ends where a free block ends, and
/// "the total free space to the left … exceeds the request". `tasks` holds first node and length, ascending.
fn compacted(size: u32, tasks: &[(u32, u32)], length: u32) -> Option<Plan> {
    let is_busy = |node: u32| tasks.iter().any(|&(first, of)| (first..first + of).contains(&node));
    let free: Vec<u32> = (0..size).filter(|&node| !is_busy(node)).collect();
    if let Some(first) = (0..=size - length).find(|&first| (first..first + length).all(|node| !is_busy(node)))
    {
        return Some(((first..first + length).collect(), Vec::new()));
    }
    if free.len() as u32 <= length {
        return None;
    }
    let ends = free.iter().map(|node| node + 1).filter(|&end| end == size || is_busy(end));
    let is_wide = |end: &u32| free.iter().filter(|node| *node < end).count() as u32 > length;
    let covered = |end: u32| (end - length..end).filter(|&node| is_busy(node)).count();
    let base = ends.filter(is_wide).min_by_key(|&end| (covered(end), end))? - length;
    let (mut edge, mut moves) = (base, Vec::new());
    for &(first, of) in tasks.iter().rev().filter(|(first, _)| *first < base + length) {
        if first + of <= edge {
            break;
        }
        edge -= of;
        moves.push((first, edge));
    }
    Some(((base..base + length).collect(), moves))
}

#[test]
fn left_compaction_if_more_is_free_than_requested_is_that_of_the_paper() -> Tested {
    let mut plans = 0;
    for seed in 0..HISTORIES {
        let size = 8 + (seed % 23) as u32;
        let mut history = History::new("left-compaction:free=more", &size.to_string(), seed + 1)?;
        for _ in 0..40 {
            history.end_one();
            let length = 1 + history.numbers.below(size.min(9));
            let mut tasks: Vec<(u32, u32)> =
                history.jobs.iter().map(|job| (job.nodes[0], job.nodes.len() as u32)).collect();
            tasks.sort_unstable();
            let found = history.strategy.propose(&Request::of(length), &history.machine);
            let plan = found.as_ref().map(|found| {
                let moves = found.rearrangement.iter().flat_map(|plan| &plan.moves);
                (found.nodes.clone(), moves.map(|plan| (plan.first, plan.nodes[0])).collect::<Vec<_>>())
            });
            let expected = compacted(size, &tasks, length);
            assert_eq!(plan, expected, "{size}, {tasks:?}: {length}");
            plans += usize::from(expected.is_some_and(|(_, moves)| !moves.is_empty()));
            found.map_or(Ok(()), |found| history.start(found))?;
        }
    }
    assert!(plans > 1000, "{plans} plans move tasks");
    Ok(())
}

/// Returns the free submeshes of these sizes in scan order: z, then y, then x of the base.
fn free_places(machine: &Machine, sizes: [u32; 3]) -> impl Iterator<Item = Submesh> {
    let ends = machine.mesh().extents();
    let bases = move |d: usize| 0..(ends[d] + 1).saturating_sub(sizes[d]);
    let all = bases(2).flat_map(move |z| bases(1).flat_map(move |y| bases(0).map(move |x| [x, y, z])));
    all.map(move |base| Submesh { base, sizes }).filter(|place| place.is_free(machine))
}

/// Returns all sides within these bounds.
fn within([a, b, c]: [u32; 3]) -> Vec<[u32; 3]> {
    (1..=a).flat_map(|x| (1..=b).flat_map(move |y| (1..=c).map(move |z| [x, y, z]))).collect()
}

/// The rule of the page of GABL: within the sides of the last submesh the free one with the most nodes that
/// are still missing; of equals the longest shortest side, then the greater width, then the greater length. A
/// side that can only be 1 does not count.
#[test]
fn gabl_by_area_takes_the_sides_of_its_rule_in_three_dimensions() -> Tested {
    let mut cut = 0;
    for seed in 0..HISTORIES {
        let machine = ["4x3x3", "3x4x2", "1x4x5", "5x1x3", "6x5", "3x3x3"][(seed % 6) as usize];
        let mut history = History::new("gabl:search=area", machine, seed + 1)?;
        for _ in 0..15 {
            history.end_one();
            let sides = history.sides();
            let mut missing: u32 = sides.iter().product();
            let found = history.strategy.propose(&Request::sides(sides), &history.machine);
            assert_eq!(found.is_some(), missing <= history.machine.free_count(), "{machine}: {sides:?}");
            let Some(found) = found else { continue };
            let (mut state, mut bounds, mut rest) = (history.machine.clone(), sides, found.nodes.as_slice());
            while missing > 0 {
                let nodes = |sides: &[u32; 3]| sides.iter().product::<u32>();
                let shortest = |sides: &[u32; 3]| (0..3).filter(|&d| bounds[d] > 1).map(|d| sides[d]).min();
                let mut all = within(bounds);
                all.retain(|sides| nodes(sides) <= missing);
                all.sort_by_key(|sides| std::cmp::Reverse((nodes(sides), shortest(sides), *sides)));
                let is_free = |sides: &&[u32; 3]| free_places(&state, **sides).next().is_some();
                let expected = *all.iter().find(is_free).ok_or("no node is free")?;
                let (piece, others) = rest.split_at(nodes(&expected) as usize);
                let taken = Submesh::around(state.mesh(), piece).map(|place| place.sizes);
                assert_eq!(taken, Some(expected), "{machine}: {sides:?}, {missing} missing, {found:?}");
                state.occupy(piece)?;
                missing -= nodes(&expected);
                (bounds, rest) = (expected, others);
                cut += usize::from(missing > 0);
            }
            history.start(found)?;
        }
    }
    assert!(cut > 1000, "{cut} cuts");
    Ok(())
}

/// Returns the place of a job by the page of `all-shapes`: the shapes in their order, and in the first with a
/// free submesh the one with the largest contact with the border.
fn by_shape(machine: &Machine, sides: [u32; 3]) -> Option<Submesh> {
    let mesh = machine.mesh();
    let (ends, nodes) = (mesh.extents(), sides.iter().product::<u32>());
    let [a, b, c] = sides;
    let orientations = [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [c, b, a], [b, c, a]];
    let contact = |place: &Submesh| {
        let touches = |d: &usize| place.base[*d] == 0 || place.base[*d] + place.sizes[*d] == ends[*d];
        let dims = 0..mesh.dims();
        let faces = dims.clone().filter(touches).map(|d| nodes / place.sizes[d]).sum::<u32>();
        if faces == 0 { 0 } else { faces + dims.filter(|d| !touches(d)).count() as u32 }
    };
    let mut shapes = within(ends);
    shapes.retain(|other| other.iter().product::<u32>() == nodes);
    shapes.sort_by_key(|other| {
        let rank = orientations.iter().position(|orientation| orientation == other);
        (rank.unwrap_or(orientations.len()), other.iter().sum::<u32>(), std::cmp::Reverse(*other))
    });
    let best = |shape: &[u32; 3]| {
        let places: Vec<Submesh> = free_places(machine, *shape).collect();
        let most = places.iter().map(contact).max()?;
        places.into_iter().find(|place| contact(place) == most)
    };
    shapes.iter().find_map(best)
}

#[test]
fn all_shapes_places_by_its_page() -> Tested {
    for seed in 0..HISTORIES {
        let machine = ["6x5", "5x7", "9x2", "12", "4x3x3", "3x2x4"][(seed % 6) as usize];
        let mut history = History::new("all-shapes", machine, seed + 1)?;
        for _ in 0..25 {
            history.end_one();
            let sides = history.sides();
            let found = history.strategy.propose(&Request::sides(sides), &history.machine);
            let expected = by_shape(&history.machine, sides).map(|place| place.nodes(&history.machine));
            assert_eq!(found.as_ref().map(|found| &found.nodes), expected.as_ref(), "{machine}: {sides:?}");
            found.map_or(Ok(()), |found| history.start(found))?;
        }
    }
    Ok(())
}
