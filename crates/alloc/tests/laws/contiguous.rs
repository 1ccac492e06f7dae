//! Contiguous allocators: their placements, whether they find every free box, and which are equivalent.

use meshreplay_alloc::allocator::{ALLOCATORS, Contiguity, Placement, Request, Setup, Strategy, build};
use meshreplay_alloc::laws::MACHINES;
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId, near_square};

use meshreplay_testing::{Numbers, Tested};

/// Allocators that find a free box whenever there is one, and whether they rotate the shape.
const RECOGNISE: [(&str, bool); 11] = [
    ("first-fit", false),
    ("first-fit:turn=yes", true),
    ("best-fit", false),
    ("best-fit:turn=yes", true),
    ("worst-fit:turn=yes", true),
    ("adaptive-scan", true),
    ("busy-list", true),
    ("rbs", false),
    ("rbs:turn=yes", true),
    ("stack-based", true),
    ("max-periphery", true),
];

/// The fitting orientations of a shape, in order.
pub(crate) fn orientations([a, b, c]: [u32; 3], mesh: &Mesh, turn: bool) -> Vec<[u32; 3]> {
    let all = [[a, b, c], [b, a, c], [a, c, b], [c, a, b], [c, b, a], [b, c, a]];
    let fits = |sizes: &[u32; 3]| (0..3).all(|d| sizes[d] <= mesh.extents()[d]);
    all.into_iter().take(if turn { 6 } else { 1 }).filter(fits).collect()
}

/// The bases of boxes of these sizes in scan order: every position where a dimension wraps around, but only
/// one of a box that goes all the way round.
pub(crate) fn bases(mesh: &Mesh, sizes: [u32; 3]) -> impl Iterator<Item = Coord> + use<> {
    let [xs, ys, zs] = [0, 1, 2].map(|d| {
        let extent = mesh.extents()[d];
        if mesh.wraps(d) && sizes[d] < extent { extent } else { extent - sizes[d] + 1 }
    });
    (0..zs).flat_map(move |z| (0..ys).flat_map(move |y| (0..xs).map(move |x| [x, y, z])))
}

/// The nodes of a box row by row; it may wrap around.
pub(crate) fn box_nodes(mesh: &Mesh, base: Coord, sizes: [u32; 3]) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for z in 0..sizes[2] {
        for y in 0..sizes[1] {
            for x in 0..sizes[0] {
                let steps = [x, y, z];
                nodes.push(mesh.node([0, 1, 2].map(|d| (base[d] + steps[d]) % mesh.extents()[d])));
            }
        }
    }
    nodes
}

/// The nodes of the first free box in scan order, of the first orientation that has one.
fn first_free(machine: &Machine, shape: [u32; 3], turn: bool) -> Option<Vec<NodeId>> {
    let mesh = machine.mesh();
    let places = orientations(shape, mesh, turn)
        .into_iter()
        .flat_map(|sizes| bases(mesh, sizes).map(move |base| (base, sizes)));
    places.into_iter().find_map(|(base, sizes)| {
        let at = |steps: Coord| mesh.node([0, 1, 2].map(|d| (base[d] + steps[d]) % mesh.extents()[d]));
        let mut steps = (0..sizes.iter().product())
            .map(|i: u32| [i % sizes[0], i / sizes[0] % sizes[1], i / sizes[0] / sizes[1]]);
        steps.all(|steps| machine.free().contains(at(steps))).then(|| box_nodes(mesh, base, sizes))
    })
}

/// How many random states are tried; two requests in each.
const STATES: usize = 100_000;

/// A random machine and one allocator of each kind, which all follow the same jobs.
struct Crowd {
    machine: Machine,
    members: Vec<(&'static str, bool, Strategy)>,
    held: Vec<Placement>,
}

impl Crowd {
    fn new(mesh: &Mesh) -> Result<Self, Box<dyn std::error::Error>> {
        let mut members = Vec::new();
        for (text, turn) in RECOGNISE.into_iter().chain([("qna-scan", true)]) {
            members.push((text, turn, build(&text.parse()?, &Setup::new(mesh, 0))?.strategy));
        }
        Ok(Self { machine: Machine::new(mesh.clone()), members, held: Vec::new() })
    }

    /// Asks all allocators, then reports the choice of `chosen` to all of them.
    fn ask(&mut self, shape: [u32; 3], chosen: usize) -> Tested {
        let expected = [false, true].map(|turn| first_free(&self.machine, shape, turn));
        let mut taken = None;
        for (i, (text, turn, member)) in self.members.iter_mut().enumerate() {
            let found = member.propose(&Request::sides(shape), &self.machine);
            let plain = &expected[usize::from(*turn)];
            let state = || format!("{text}: {shape:?} on {}", self.machine.mesh());
            assert_eq!(found.is_some(), plain.is_some(), "{}", state());
            if let Some(placement) = found {
                if text.starts_with("first-fit") || ["adaptive-scan", "qna-scan"].contains(text) {
                    assert_eq!(Some(&placement.nodes), plain.as_ref(), "{}", state());
                }
                if i == chosen {
                    taken = Some(placement);
                }
            }
        }
        if let Some(placement) = taken {
            self.machine.occupy(&placement.nodes)?;
            for (.., member) in &mut self.members {
                member.taken(&placement, &self.machine);
            }
            self.held.push(placement);
        }
        Ok(())
    }

    fn release(&mut self, i: usize) {
        let placement = self.held.swap_remove(i);
        self.machine.vacate(&placement.nodes);
        for (.., member) in &mut self.members {
            member.released(&placement, &self.machine);
        }
    }
}

#[test]
fn a_free_box_is_found_in_random_states_of_larger_machines() -> Tested {
    random_states(Numbers(41), |_| [false; 3])
}

#[test]
fn a_free_box_is_found_in_random_states_of_larger_tori() -> Tested {
    random_states(Numbers(43), |numbers| {
        let wraps = 1 + numbers.below(7);
        [0, 1, 2].map(|d| wraps >> d & 1 == 1)
    })
}

/// Many histories on machines of random extents; `wraps` selects the wrapping dimensions.
fn random_states(mut numbers: Numbers, wraps: impl Fn(&mut Numbers) -> [bool; 3]) -> Tested {
    let mut states = 0;
    while states < STATES {
        let extents = match numbers.below(5) {
            0 => vec![2 + numbers.below(7), 2 + numbers.below(7), 2 + numbers.below(7)],
            1 => vec![65 + numbers.below(9), 1 + numbers.below(4)],
            _ => vec![1 + numbers.below(32), 1 + numbers.below(32)],
        };
        let wraps = wraps(&mut numbers);
        let axes: String = (0..extents.len()).filter(|&d| wraps[d]).map(|d| ["x", "y", "z"][d]).collect();
        let sizes: Vec<String> = extents.iter().map(u32::to_string).collect();
        let wrap = if axes.is_empty() { String::new() } else { format!(":wrap={axes}") };
        let mesh: Mesh = format!("{}{wrap}", sizes.join("x")).parse()?;
        let mut crowd = Crowd::new(&mesh)?;
        // From a few large jobs to hundreds of small ones.
        let part = 1 + numbers.below(6);
        for _ in 0..500 {
            let free = crowd.machine.free_count();
            if !crowd.held.is_empty() && numbers.below(mesh.nodes() + 1) >= free {
                let i = numbers.below(crowd.held.len() as u32) as usize;
                crowd.release(i);
            }
            let shape = mesh.extents().map(|extent| 1 + numbers.below(extent.div_ceil(part)));
            let chosen = numbers.below(crowd.members.len() as u32) as usize;
            crowd.ask(shape, chosen)?;
            states += 1;
        }
    }
    Ok(())
}

#[test]
fn contiguous_placements_are_boxes_of_the_shape() -> Tested {
    for text in MACHINES {
        let mesh: Mesh = text.parse()?;
        for entry in
            ALLOCATORS.iter().filter(|entry| entry.kind == Contiguity::Contiguous && entry.serves(&mesh))
        {
            for procs in 1..=mesh.nodes() {
                let mut allocator = build(&entry.name.parse()?, &Setup::new(&mesh, 0))?.strategy;
                let idle = Machine::new(mesh.clone());
                let shape = near_square(procs, &mesh).ok_or("no shape")?;
                let label = format!("{} on {text}: {procs} as {shape:?}", entry.name);
                // `slurm-torus3d` takes boxes from its topology and ignores the requested shape.
                let listed = (entry.name == "slurm-torus3d").then(|| listed_box(procs, &mesh));
                let Some(placement) = allocator.propose(&Request::of(procs), &idle) else {
                    let is_large = entry.name == "buddy-2d" && larger_than_every_block(shape, &mesh);
                    assert!(is_large || listed == Some(None), "{label}");
                    continue;
                };
                let mut nodes = placement.nodes;
                nodes.sort_unstable();
                let (first, last) = (mesh.coord(nodes[0]), mesh.coord(nodes[nodes.len() - 1]));
                let sizes = [0, 1, 2].map(|d| last[d] + 1 - first[d]);
                assert_eq!(nodes, box_nodes(&mesh, first, sizes), "{label}");
                let mut expected = shape;
                if entry.name == "buddy-2d" {
                    let side = shape.into_iter().max().unwrap_or(1).next_power_of_two();
                    expected = [0, 1, 2].map(|d| if d < mesh.dims() { side } else { 1 });
                }
                if let Some(listed) = listed {
                    // Boxes of a topology are not rotated.
                    assert_eq!(Some(sizes), listed, "{label}");
                    continue;
                }
                let mut sorted = sizes;
                expected.sort_unstable();
                sorted.sort_unstable();
                assert_eq!(sorted, expected, "{label}: {sizes:?}");
            }
        }
    }
    Ok(())
}

/// The box of `slurm-torus3d` without a file for a number of nodes: among the fitting boxes with powers of
/// two as sides the smallest one, then the one with the smallest half-perimeter, then with the longest side
/// along x, then y. `None` if all have fewer nodes.
fn listed_box(procs: u32, mesh: &Mesh) -> Option<[u32; 3]> {
    let sides = |extent: u32| (1..=extent).filter(|side: &u32| side.is_power_of_two());
    let [width, length, depth] = mesh.extents();
    let boxes =
        sides(width).flat_map(|x| sides(length).flat_map(move |y| sides(depth).map(move |z| [x, y, z])));
    let nodes = |sides: &[u32; 3]| sides.iter().product::<u32>();
    let rank = |sides: &[u32; 3]| {
        (nodes(sides), sides.iter().sum::<u32>(), std::cmp::Reverse(sides[0]), std::cmp::Reverse(sides[1]))
    };
    boxes.filter(|sides| nodes(sides) >= procs).min_by_key(rank)
}

/// Whether the smallest power-of-two square around a shape is longer than the machine's shortest dimension.
fn larger_than_every_block(shape: [u32; 3], mesh: &Mesh) -> bool {
    let extents = mesh.extents();
    let shortest = extents[..mesh.dims().max(2)].iter().copied().min().unwrap_or(1);
    shape.into_iter().max().is_some_and(|side| side.next_power_of_two() > shortest)
}
